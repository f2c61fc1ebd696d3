"""Each provider of embeddings against a stand-in that speaks its documented form."""

from __future__ import annotations

import asyncio
import random
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from paparatsd.embeddings.asking import TooSlow
from paparatsd.embeddings.embedder import EmbedderRefused
from paparatsd.embeddings.http import PROBE, HttpEmbedder
from paparatsd.errors import BadReply, EmbedderUnavailable
from paparatsd.settings import EmbedderSettings
from tests.harness.embedding_clock import SkippingClock
from tests.harness.fake_embedder import FakeEmbedder, Reply, text_vector
from tests.harness.ollama_server import POISON, OllamaModel, OllamaServer
from tests.harness.openai_servers import SERVERS, flat_error, openai_error
from tests.harness.voyage_service import VoyageService, expected_row

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.harness.fake_embedder import Request
    from tests.harness.openai_servers import OpenAiServer


@pytest.fixture
async def server() -> AsyncIterator[FakeEmbedder]:
    async with FakeEmbedder.serving() as fake:
        yield fake


@asynccontextmanager
async def embedder(
    server: FakeEmbedder, clock: SkippingClock | None = None, **settings: Any
) -> AsyncIterator[HttpEmbedder]:
    made = HttpEmbedder(
        EmbedderSettings(**{"url": server.url, "model": "fake", **settings}),
        clock=clock or SkippingClock(),
        jitter=random.Random(1),  # noqa: S311 - equal waits in every run
    )
    yield made
    await made.close()


async def never() -> AsyncIterator[bytes]:
    await asyncio.Event().wait()
    yield b""


SILENCE = Reply(chunks=never)


def near(rows: Any) -> Any:
    return pytest.approx(np.asarray(rows), abs=1e-6)


# ------------------------------------------------------------------ OpenAI and the like


def name_of(kind: OpenAiServer) -> str:
    return next(name for name, one in SERVERS.items() if one is kind)


@pytest.fixture(params=sorted(SERVERS))
def kind(request: pytest.FixtureRequest, server: FakeEmbedder) -> OpenAiServer:
    chosen = SERVERS[request.param]
    server.decide = chosen.answer
    return chosen


def of(kind: OpenAiServer, **more: Any) -> dict[str, Any]:
    return {"provider": "openai", "model": kind.model, "api_key": kind.key, "dimension": 8, **more}


async def test_every_such_server_gives_vectors_and_counts_tokens(
    server: FakeEmbedder, kind: OpenAiServer
) -> None:
    texts = [f"text {n}" for n in range(12)]
    async with embedder(server, **of(kind)) as client:
        answer = await client.embed_documents(texts)
        question = await client.embed_query("text 3")
        sent = client.sent

    assert answer.vectors == near([text_vector(text, 8) for text in texts])
    assert answer.failed == ()
    assert question == near(text_vector("text 3", 8))
    assert sent.tokens >= 26
    assert sent.chars >= sum(map(len, texts))


async def test_every_such_server_has_a_long_text_shortened_alone(
    server: FakeEmbedder, kind: OpenAiServer
) -> None:
    long = "word " * 300
    texts = [f"text {n}" for n in range(6)] + [long]
    clock = SkippingClock()
    async with embedder(server, clock, **of(kind)) as client:
        answer = await client.embed_documents(texts)

    assert answer.failed == ()
    assert answer.vectors[:6] == near([text_vector(text, 8) for text in texts[:6]])
    # Ollama does not say by how much it was too long, and one server cuts it itself.
    kept = {"ollama-v1": 375, "llama-cpp-python": 1_500}.get(name_of(kind), 475)
    assert answer.vectors[6] == near(text_vector(long[:kept], 8))
    assert clock.waits == []


async def test_what_is_as_long_as_what_was_too_long_goes_alone_from_then_on(
    server: FakeEmbedder,
) -> None:
    server.decide = SERVERS["llama-server"].answer
    texts = ["text 1", "word " * 150, "text 2"]
    async with embedder(server, provider="openai") as client:
        await client.embed_documents(texts)
        before = len(server.texts)
        answer = await client.embed_documents([*texts, "word " * 180, "text 3"])

    assert answer.failed == ()
    asked = sorted([len(text) for text in texts] for texts in server.texts[before:])
    assert asked == [[6, 6, 6], [len(PROBE)], [475], [475], [750], [900]]


async def test_a_batch_that_takes_too_long_is_halved_and_so_are_the_next_until_it_is_fast_again(
    server: FakeEmbedder,
) -> None:
    clock = SkippingClock()

    def slowly(request: Request) -> Reply | None:
        clock.passed_s += 0.1
        return SILENCE if len(request.texts) > 2 else None

    server.decide = slowly
    texts = [f"{n:03} {'text ' * 120}" for n in range(4)]
    async with embedder(server, clock, provider="openai", timeout_s=0.3) as client:
        answer = await client.embed_documents(texts)
        before = len(server.texts)
        again = await client.embed_documents(texts)
        server.decide = None
        await client.embed_documents(texts)
        await client.embed_documents(texts)

    assert answer.vectors == near([text_vector(text, 8) for text in texts])
    assert again.vectors == near(answer.vectors)
    assert [len(texts) for texts in server.texts[before:]] == [2, 2, 2, 2, 4]


async def test_a_server_that_hangs_is_not_asked_for_each_half(server: FakeEmbedder) -> None:
    server.decide = lambda _: SILENCE
    async with embedder(server, provider="openai", timeout_s=0.2) as client:
        with pytest.raises(TooSlow):
            await client.embed_documents([f"text {n}" for n in range(8)])

    assert [len(texts) for texts in server.texts] == [8, 1]


async def test_every_such_server_that_lacks_the_model_is_left_alone(
    server: FakeEmbedder, kind: OpenAiServer
) -> None:
    if kind.unknown_model is None:
        pytest.skip("it has one model and does not look at the name")
    async with embedder(server, **of(kind, model="other")) as client:
        with pytest.raises(EmbedderRefused, match=r"answered 404.*embedder.model \('other'\)"):
            await client.embed_documents(["one"])

    assert len(server.requests) == 1


async def test_a_server_that_takes_few_texts_is_sent_few_from_then_on(server: FakeEmbedder) -> None:
    server.decide = SERVERS["tei"].answer
    texts = [f"text {n}" for n in range(12)]
    async with embedder(server, provider="openai") as client:
        await client.embed_documents(texts)
        before = len(server.requests)
        answer = await client.embed_documents(texts)

    assert answer.vectors == near([text_vector(text, 8) for text in texts])
    assert [len(texts) for texts in server.texts[before:]] == [3, 3, 3, 3]


async def test_a_size_is_asked_for_where_the_model_has_sizes_or_somebody_says_so(
    server: FakeEmbedder,
) -> None:
    server.decide = SERVERS["openai"].answer
    model: dict[str, Any] = {
        "provider": "openai",
        "model": "text-embedding-3-small",
        "api_key": "sk-1",
    }
    async with embedder(server, **model, dimension=4) as client:
        assert (await client.embed_documents(["one"])).vectors.shape == (1, 4)
    server.decide = SERVERS["tei"].answer
    async with embedder(server, provider="openai", dimension=8) as client:
        await client.embed_documents(["one"])
    async with embedder(server, provider="openai", dimension=4, ask_dimension=True) as client:
        assert (await client.embed_documents(["one"])).vectors.shape == (1, 4)
    server.decide = SERVERS["vllm"].answer
    async with embedder(server, provider="openai", dimension=4, ask_dimension=True) as client:
        with pytest.raises(EmbedderRefused, match="refuses every text"):
            await client.embed_documents(["one"])

    assert [request.body.get("dimensions") for request in server.requests[:3]] == [4, None, 4]


async def test_an_account_without_credit_is_not_waited_for(server: FakeEmbedder) -> None:
    server.decide = lambda _: openai_error(
        429, "You exceeded your current quota", "insufficient_quota", "insufficient_quota"
    )
    async with embedder(server, provider="openai") as client:
        with pytest.raises(EmbedderRefused, match="no credit left"):
            await client.embed_documents(["one"])

    assert len(server.requests) == 1


async def test_a_server_that_is_still_loading_or_overloaded_is_waited_for(
    server: FakeEmbedder,
) -> None:
    server.script(
        openai_error(503, "Loading model", "unavailable_error", 503),
        flat_error(429, "Model is overloaded", "overloaded"),
    )
    clock = SkippingClock()
    async with embedder(server, clock, provider="openai") as client:
        answer = await client.embed_documents(["one"])

    assert answer.vectors == near([text_vector("one", 8)])
    assert len(clock.waits) == 2


# ------------------------------------------------------------------ Ollama


@pytest.fixture
def ollama(server: FakeEmbedder) -> OllamaServer:
    models = {
        "fake:latest": OllamaModel(8, context=1_000),
        "chat": OllamaModel(8, embeds=False),
        "nomic-embed-text:latest": OllamaModel(768),
    }
    service = OllamaServer(models)
    server.decide = service.answer
    return service


async def test_ollama_is_asked_by_its_own_api_and_keeps_the_model(
    server: FakeEmbedder, ollama: OllamaServer
) -> None:
    async with embedder(server, provider="ollama", batch_texts=2) as client:
        answer = await client.embed_documents(["one", "", "three"])
        await client.embed_query("four")
        tokens = client.sent.tokens
    async with embedder(server, provider="ollama", keep_alive="-1") as client:
        await client.embed_query("four")
    async with embedder(server, provider="ollama", keep_alive="") as client:
        await client.embed_query("four")

    assert answer.vectors == near([text_vector(text, 8) for text in ["one", " ", "three"]])
    assert {request.path for request in server.requests} == {"/api/embed"}
    assert ollama.kept == ["10m", "10m", "10m", -1, "5m"]
    assert tokens == 3


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/api", "/api/embed"])
async def test_ollama_is_found_by_any_form_of_its_address(
    server: FakeEmbedder, ollama: OllamaServer, ending: str
) -> None:
    async with embedder(server, provider="ollama", url=server.url + ending) as client:
        assert (await client.probe()).dimension == 8
    assert len(ollama.kept) == 1


async def test_ollama_shortens_long_texts_itself(
    server: FakeEmbedder, ollama: OllamaServer
) -> None:
    long = "x" * 3_000
    async with embedder(server, provider="ollama") as client:
        answer = await client.embed_documents([long, "short"])

    assert answer.vectors == near([text_vector("x" * 1_000, 8), text_vector("short", 8)])
    assert len(ollama.kept) == 1


async def test_a_model_that_ollama_lacks_is_told_with_the_command_that_gets_it(
    server: FakeEmbedder, ollama: OllamaServer
) -> None:
    async with embedder(server, provider="ollama", model="qwen3-embedding:4b") as client:
        assert client.spec.dimension == 2_560
        with pytest.raises(EmbedderRefused, match=r"run: ollama pull qwen3-embedding:4b"):
            await client.embed_documents(["one"])
    async with embedder(server, provider="ollama", url=server.url + "/elsewhere") as client:
        with pytest.raises(EmbedderRefused, match=r"check embedder\.url"):
            await client.embed_documents(["one"])
    async with embedder(server, provider="ollama", model="chat") as client:
        with pytest.raises(EmbedderRefused, match="refuses every text"):
            await client.embed_documents(["one"])

    assert ollama.kept == []
    assert len(server.requests) == 4


async def test_a_text_at_which_ollama_fails_costs_only_its_own_vector(
    server: FakeEmbedder, ollama: OllamaServer
) -> None:
    ollama.busy = 1
    texts = [f"text {n}" for n in range(8)]
    texts[5] = f"text {POISON}"
    clock = SkippingClock()
    async with embedder(server, clock, provider="ollama") as client:
        answer = await client.embed_documents(texts)

    assert answer.failed == (5,)
    good = [n for n in range(8) if n != 5]
    assert answer.vectors[good] == near([text_vector(texts[n], 8) for n in good])
    # The whole batch is tried again twice in case the server recovers, halves are not.
    assert len(clock.waits) == 2
    assert len(server.requests) <= 12


async def test_a_smaller_size_can_be_had_from_ollama(
    server: FakeEmbedder, ollama: OllamaServer
) -> None:
    async with embedder(server, provider="ollama", dimension=4, ask_dimension=True) as client:
        assert (await client.embed_documents(["one"])).vectors.shape == (1, 4)
    async with embedder(server, provider="ollama", dimension=4) as client:
        with pytest.raises(BadReply, match="dimension 8, expected dimension 4"):
            await client.embed_documents(["one"])
    assert len(ollama.kept) == 2


@pytest.mark.parametrize(
    "body",
    [
        b'{"embeddings": [[1, 0]]}',
        b'{"embeddings": []}',
        b'{"embeddings": "none"}',
        b'{"embedding": [1, 0, 0, 0, 0, 0, 0, 0]}',
        b"[]",
    ],
)
async def test_a_short_reply_of_ollama_is_refused(server: FakeEmbedder, body: bytes) -> None:
    async with embedder(server, provider="ollama", dimension=8) as client:
        server.script(Reply(body=body))
        with pytest.raises(BadReply):
            await client.embed_documents(["one", "two"])


# ------------------------------------------------------------------ Voyage

VOYAGE: dict[str, Any] = {"provider": "voyage", "model": "voyage-code-3", "api_key": "pa-1"}


@pytest.fixture
def voyage(server: FakeEmbedder) -> VoyageService:
    service = VoyageService(key="pa-1")
    server.decide = service.answer
    return service


async def test_voyage_is_told_what_a_text_is_for(
    server: FakeEmbedder,
    voyage: VoyageService,
) -> None:
    async with embedder(server, **VOYAGE) as client:
        assert client.spec.dimension == 1_024
        answer = await client.embed_documents(["one", "two"])
        question = await client.embed_query("one")
        assert client.sent.tokens == 3

    assert answer.vectors == near([expected_row(text, "document", 1024) for text in ["one", "two"]])
    assert question == near(expected_row("one", "query", 1024))
    assert "output_dimension" not in server.requests[0].body
    assert server.requests[0].body["truncation"] is True


async def test_voyage_gives_other_sizes_and_bytes_for_numbers(
    server: FakeEmbedder,
    voyage: VoyageService,
) -> None:
    async with embedder(server, **VOYAGE, dimension=256, dtype="int8") as client:
        answer = await client.embed_documents(["one"])
        rounded = client.spec
    async with embedder(server, **VOYAGE, dimension=256) as client:
        exact = await client.embed_documents(["one"])
        assert client.spec.fingerprint != rounded.fingerprint

    raw = expected_row("one", "document", 256, "int8").astype(float)
    assert answer.vectors[0] == near(raw / np.linalg.norm(raw))
    assert float(answer.vectors[0] @ exact.vectors[0]) > 0.999


async def test_voyage_gets_no_more_texts_at_once_than_it_takes(
    server: FakeEmbedder, voyage: VoyageService
) -> None:
    voyage.batch_tokens = 600
    settings = {**VOYAGE, "dimension": 256, "batch_texts": 5_000}
    texts = [f"text {n}" for n in range(1_100)]
    async with embedder(server, **settings) as client:
        answer = await client.embed_documents(texts)

    assert answer.failed == ()
    assert answer.vectors == near([expected_row(text, "document", 256) for text in texts])
    # A thousand texts are two thousand tokens here: halved twice, and the rest is whole.
    assert sorted(map(len, server.texts))[-2:] == [1_000, 1_000]
    assert max(map(len, server.texts)) <= 1_000


@pytest.mark.parametrize(("retry_after", "waited"), [("20", 20.0), ("", None)])
async def test_what_voyage_asks_to_wait_holds_all_requests(
    server: FakeEmbedder, voyage: VoyageService, retry_after: str, waited: float | None
) -> None:
    voyage.crowded, voyage.retry_after = 1, retry_after
    clock = SkippingClock()
    async with embedder(server, clock, **VOYAGE, batch_texts=1, concurrency=1) as client:
        await client.embed_documents(["one", "two", "three"])

    assert len(server.requests) == 4
    assert len(clock.waits) == 1
    assert waited is None or clock.waits == [waited]


async def test_while_voyage_wants_to_be_left_alone_nothing_is_sent(
    server: FakeEmbedder, voyage: VoyageService
) -> None:
    voyage.crowded, voyage.retry_after = 1, "3600"
    clock = SkippingClock()
    async with embedder(server, clock, **VOYAGE) as client:
        with pytest.raises(EmbedderUnavailable, match="answered 429"):
            await client.embed_documents(["one"])
        with pytest.raises(EmbedderUnavailable, match="left alone for another 3600 s"):
            await client.embed_documents(["one"])
        with pytest.raises(EmbedderUnavailable, match="left alone"):
            await client.embed_query("one")
        assert (len(server.requests), clock.waits) == (1, [])
        clock.passed_s += 3_600
        await client.embed_documents(["one"])

    assert len(server.requests) == 2


async def test_a_small_quota_is_kept_to_by_an_interval_between_requests(
    server: FakeEmbedder,
    voyage: VoyageService,
) -> None:
    clock = SkippingClock()
    settings = {**VOYAGE, "batch_texts": 1, "min_interval_s": 21.0}
    async with embedder(server, clock, **settings) as client:
        await client.embed_documents(["one", "two"])
        assert clock.passed_s == 21
        await client.embed_query("now")
        assert clock.passed_s == 21
        await client.embed_documents(["three"])

    assert clock.passed_s == 63
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("change", "advice"),
    [
        ({"api_key": "pa-2"}, r"answered 401.*embedder\.api_key"),
        ({"credit": False}, r"answered 402.*no credit left"),
        ({"model": "voyage-9"}, r"answered 400.*embedder\.model \('voyage-9'\).*every text"),
        ({"dimension": 100}, "every text"),
    ],
)
async def test_what_voyage_never_does_is_told_at_once(
    server: FakeEmbedder, voyage: VoyageService, change: dict[str, Any], advice: str
) -> None:
    voyage.credit = change.pop("credit", True)
    clock = SkippingClock()
    async with embedder(server, clock, **(VOYAGE | change)) as client:
        with pytest.raises(EmbedderRefused, match=advice):
            await client.embed_documents(["one", "two"])

    assert clock.waits == []
    assert len(server.requests) <= 4


async def test_the_probe_text_is_the_only_thing_sent_to_learn_a_size(
    server: FakeEmbedder, ollama: OllamaServer
) -> None:
    async with embedder(server, provider="ollama") as client:
        await client.probe()
    assert server.texts == [[PROBE]]
    assert len(ollama.kept) == 1

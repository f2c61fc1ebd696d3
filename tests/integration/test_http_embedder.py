"""The HTTP embedder against a server that does everything wrong."""

from __future__ import annotations

import base64
import random
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
import numpy as np
import pytest

from paparatsd.embeddings.embedder import EmbedderRefused
from paparatsd.embeddings.endpoint import Sent, shown_url
from paparatsd.embeddings.http import PROBE, HttpEmbedder
from paparatsd.embeddings.openai import OpenAiWire
from paparatsd.errors import BadReply, EmbedderUnavailable
from paparatsd.settings import EmbedderSettings
from tests.harness.embedding_clock import SkippingClock
from tests.harness.fake_embedder import FakeEmbedder, Reply, status, text_vector, vectors
from tests.harness.proxy import FaultProxy, Mode

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from tests.harness.fake_embedder import Request


@pytest.fixture
async def server() -> AsyncIterator[FakeEmbedder]:
    async with FakeEmbedder.serving() as fake:
        yield fake


@asynccontextmanager
async def embedder(
    url: str, clock: SkippingClock | None = None, **settings: Any
) -> AsyncIterator[HttpEmbedder]:
    made = HttpEmbedder(
        EmbedderSettings(provider="openai", url=url, model="fake", **settings),
        clock=clock or SkippingClock(),
        jitter=random.Random(1),  # noqa: S311 - equal waits in every run
    )
    yield made
    await made.close()


def expected(texts: Sequence[str], dimension: int = 8) -> Any:
    return pytest.approx(np.stack([text_vector(text, dimension) for text in texts]), abs=1e-6)


async def test_texts_come_back_as_unit_rows_in_their_order(server: FakeEmbedder) -> None:
    texts = [f"text {n}" for n in range(10)]
    async with embedder(server.url, batch_texts=3, api_key="secret") as client:
        answer = await client.embed_documents(texts)

    assert answer.vectors == expected(texts)
    assert answer.vectors.dtype == np.float32
    assert answer.failed == ()
    assert sorted(map(len, server.texts)) == [1, 3, 3, 3]
    assert server.requests[0].path == "/v1/embeddings"
    assert server.requests[0].headers["authorization"] == "Bearer secret"


async def test_batches_are_bounded_by_characters_and_requests_in_flight(
    server: FakeEmbedder,
) -> None:
    texts = ["x" * 40] * 4 + ["y" * 500] + ["z" * 40] * 3
    async with embedder(server.url, batch_chars=100) as client:
        answer = await client.embed_documents(texts)

    assert sorted(map(len, server.texts)) == [1, 1, 2, 2, 2]
    assert server.most_in_flight <= 2
    assert answer.vectors == expected(texts)


async def test_templates_are_applied_and_an_empty_text_becomes_a_space(
    server: FakeEmbedder,
) -> None:
    async with embedder(
        server.url, query_template="Find: {text}", document_template="doc {text}"
    ) as client:
        await client.embed_query("a {text} b")
        await client.embed_documents(["one"])
    async with embedder(server.url) as client:
        await client.embed_documents(["", "half \ud800"])

    assert server.texts == [["Find: a {text} b"], ["doc one"], [" ", "half ?"]]


async def test_the_dimension_is_learned_from_the_first_reply(server: FakeEmbedder) -> None:
    async with embedder(server.url) as client:
        with pytest.raises(EmbedderUnavailable, match="dimension"):
            _ = client.spec
        spec = await client.probe()
        server.script(vectors([[1.0] * 9]))
        with pytest.raises(BadReply, match="dimension 8"):
            await client.embed_query("other size")

    async with embedder(server.url, dimension=8) as client:
        assert client.spec == spec
    assert spec.dimension == 8
    assert spec.fingerprint


async def test_the_fingerprint_follows_what_changes_document_vectors() -> None:
    async def fingerprint(**settings: Any) -> str:
        async with embedder(settings.pop("url", "http://a"), dimension=8, **settings) as client:
            return client.spec.fingerprint

    base = await fingerprint()
    assert base == await fingerprint(url="http://b:1/v1", query_template="Q {text}", api_key="k")
    assert base != await fingerprint(document_template="D {text}")
    assert base != await fingerprint(revision="2")


@pytest.mark.parametrize(("code", "probes"), [(429, 0), (500, 1), (503, 0)])
async def test_what_may_pass_is_tried_three_times(
    server: FakeEmbedder, code: int, probes: int
) -> None:
    clock = SkippingClock()
    async with embedder(server.url, clock) as client:
        server.script(status(code), status(code))
        answer = await client.embed_documents(["one"])
        server.script(*[status(code)] * (3 + probes))
        with pytest.raises(EmbedderUnavailable, match=f"answered {code}"):
            await client.embed_documents(["one"])

    assert answer.vectors == expected(["one"])
    assert len(server.requests) == 6 + probes
    assert 0.5 <= clock.waits[0] <= 1.0
    assert 2.0 <= clock.waits[1] <= 4.0


async def test_a_question_is_tried_twice_with_a_short_wait(server: FakeEmbedder) -> None:
    clock = SkippingClock()
    async with embedder(server.url, clock) as client:
        server.script(status(503), status(503))
        with pytest.raises(EmbedderUnavailable, match="answered 503"):
            await client.embed_query("one")

    assert len(server.requests) == 2
    assert clock.waits[0] <= 0.2


async def test_retry_after_is_obeyed_when_there_is_time_for_it(server: FakeEmbedder) -> None:
    clock = SkippingClock()
    dates = {
        "Date": "Sun, 06 Nov 1994 08:49:00 GMT",
        "Retry-After": "Sun, 06 Nov 1994 08:49:20 GMT",
    }
    async with embedder(server.url, clock, timeout_s=30) as client:
        server.script(status(429, {"Retry-After": "7"}), status(503, dates))
        await client.embed_documents(["one"])
        server.script(status(429, {"Retry-After": "3600"}))
        with pytest.raises(EmbedderUnavailable, match="429"):
            await client.embed_documents(["one"])

    assert clock.waits == [7.0, 20.0]
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("reply", "advice"),
    [
        (status(401), "embedder.api_key"),
        (status(403), "embedder.api_key"),
        (status(404), "embedder.model"),
        (status(405), "embedder.url"),
        (status(501), "does not do this; check embedder.url"),
        (status(307, {"Location": "http://127.0.0.1:9/elsewhere"}), "redirects are not followed"),
    ],
)
async def test_what_cannot_pass_is_refused_at_once_with_advice(
    server: FakeEmbedder, reply: Reply, advice: str
) -> None:
    async with embedder(server.url) as client:
        server.script(reply)
        with pytest.raises(EmbedderRefused, match=advice):
            await client.embed_documents(["one"])

    assert len(server.requests) == 1


@pytest.mark.parametrize("code", [400, 413, 422])
async def test_one_poison_text_costs_only_its_own_vector(server: FakeEmbedder, code: int) -> None:
    def decide(request: Request) -> Reply | None:
        return status(code) if any("poison" in text for text in request.texts) else None

    server.decide = decide
    texts = [f"text {n}" for n in range(16)]
    texts[11] = "poison"
    async with embedder(server.url) as client:
        answer = await client.embed_documents(texts)

    assert answer.failed == (11,)
    assert not answer.vectors[11].any()
    good = [n for n in range(16) if n != 11]
    assert answer.vectors[good] == expected([texts[n] for n in good])
    assert len(server.requests) <= 11


async def test_a_batch_that_is_too_large_is_halved(server: FakeEmbedder) -> None:
    server.decide = lambda request: status(413) if len(request.texts) > 2 else None
    texts = [f"text {n}" for n in range(8)]
    async with embedder(server.url) as client:
        answer = await client.embed_documents(texts)

    assert answer.failed == ()
    assert answer.vectors == expected(texts)


async def test_a_text_that_is_too_long_is_embedded_by_its_beginning(server: FakeEmbedder) -> None:
    server.decide = lambda request: (
        status(400) if any(len(text) > 1_000 for text in request.texts) else None
    )
    async with embedder(server.url) as client:
        answer = await client.embed_documents(["a" * 3_200, "short"])

    assert answer.failed == ()
    assert answer.vectors == expected(["a" * 800, "short"])


async def test_an_endpoint_that_refuses_every_text_is_not_taken_for_poison(
    server: FakeEmbedder,
) -> None:
    server.decide = lambda _: status(400, message="no such model")
    async with embedder(server.url) as client:
        with pytest.raises(EmbedderRefused, match="every text"):
            await client.embed_documents([f"text {n}" for n in range(32)])

    assert server.texts[-1] == [PROBE]
    assert len(server.requests) <= 14


def row(**changes: Any) -> list[Any]:
    numbers: list[Any] = [0.5] * 8
    for position, value in changes.items():
        numbers[int(position[1:])] = value
    return numbers


@pytest.mark.fault
@pytest.mark.parametrize(
    "reply",
    [
        vectors([row(), row(_3="0.5")]),
        vectors([row(), None]),
        vectors([None, None]),
        vectors([row(), [0.5] * 7]),
        vectors([[0.5] * 9, [0.5] * 9]),
        vectors([[], []]),
        vectors([row()]),
        vectors([row(), row(), row()]),
        vectors([row(), row()], indexes=[0, 0]),
        vectors([row(), row()], indexes=[1, 2]),
        vectors([row(), "bm90IGZsb2F0cw"]),
        vectors([row(), [[0.5]] * 8]),
        Reply(body=b"<html>welcome</html>"),
        Reply(body=b'{"data": "none"}'),
        Reply(body=b"[" * 100_000),
        Reply(body=b""),
        Reply(status=204),
    ],
)
async def test_f4_nonsense_is_refused_as_a_bad_reply_and_not_asked_for_again(
    server: FakeEmbedder, reply: Reply
) -> None:
    async with embedder(server.url, dimension=8) as client:
        server.script(reply)
        with pytest.raises(BadReply):
            await client.embed_documents(["one", "two"])

    assert len(server.requests) == 1


BAD_ROWS = [
    *(row(_3=number) for number in (float("nan"), float("inf"), 1e300, None)),
    [0.0] * 8,
    [1e-200] * 8,
]


@pytest.mark.fault
@pytest.mark.parametrize("bad", BAD_ROWS)
async def test_f4_a_bad_vector_is_asked_for_again_alone_and_the_others_stay(
    server: FakeEmbedder, bad: list[Any]
) -> None:
    def decide(request: Request) -> Reply | None:
        return vectors([bad]) if request.texts == ["poison"] else None

    async with embedder(server.url, dimension=8) as client:
        server.script(vectors([row(), bad]))
        healed = await client.embed_documents(["one", "two"])
        server.decide = decide
        server.script(vectors([bad, row()]))
        refused = await client.embed_documents(["poison", "one"])

    assert healed.failed == ()
    assert healed.vectors[0] == pytest.approx(np.full(8, 8**-0.5))
    assert healed.vectors[1:] == expected(["two"])
    assert refused.failed == (0,)
    assert not refused.vectors[0].any()
    assert server.texts == [
        ["one", "two"],
        [PROBE],
        ["two"],
        ["poison", "one"],
        [PROBE],
        ["poison"],
    ]


@pytest.mark.fault
@pytest.mark.parametrize("bad", BAD_ROWS)
async def test_f4_a_server_all_of_whose_vectors_are_bad_is_not_taken_for_poison(
    server: FakeEmbedder, bad: list[Any]
) -> None:
    server.decide = lambda request: vectors([bad] * len(request.texts))
    async with embedder(server.url, dimension=8) as client:
        with pytest.raises(BadReply, match="vector of"):
            await client.embed_documents([f"text {n}" for n in range(8)])

    assert len(server.requests) == 2


@pytest.mark.fault
async def test_f4_a_text_that_spoils_all_vectors_of_its_batch_is_found(
    server: FakeEmbedder,
) -> None:
    def decide(request: Request) -> Reply | None:
        spoilt = "poison" in request.texts
        return vectors([row(_3=float("nan"))] * len(request.texts)) if spoilt else None

    server.decide = decide
    texts = [f"text {n}" for n in range(8)]
    texts[3] = "poison"
    async with embedder(server.url, dimension=8) as client:
        answer = await client.embed_documents(texts)

    good = [n for n in range(8) if n != 3]
    assert answer.failed == (3,)
    assert answer.vectors[good] == expected([texts[n] for n in good])


async def test_what_was_sent_is_counted_also_when_it_failed(server: FakeEmbedder) -> None:
    async with embedder(server.url, dimension=8, retries=1) as client:
        server.script(status(503))
        await client.embed_documents(["one", "three"])
        assert client.sent == Sent(requests=2, texts=4, chars=16)
        await server.stop()
        with pytest.raises(EmbedderUnavailable):
            await client.embed_documents(["one"])
        assert client.sent.texts <= 5


@pytest.mark.fault
async def test_f4_reordered_integer_and_base64_vectors_are_read_rightly(
    server: FakeEmbedder,
) -> None:
    packed = base64.b64encode(np.array([0, 0, 0, 3, 0, 0, 0, 0], "<f4").tobytes()).decode()
    async with embedder(server.url, dimension=8) as client:
        server.script(vectors([[0, 2, 0, 0, 0, 0, 0, 0], [4, 0, 0, 0, 0, 0, 0, 0]], indexes=[1, 0]))
        ordered = await client.embed_documents(["one", "two"])
        server.script(vectors([packed]))
        unpacked = await client.embed_query("three")

    assert ordered.vectors.argmax(axis=1).tolist() == [0, 1]
    assert np.linalg.norm(ordered.vectors, axis=1).tolist() == [1, 1]
    assert unpacked.tolist() == [0, 0, 0, 1, 0, 0, 0, 0]


async def test_an_endpoint_that_knows_no_base64_is_asked_for_plain_numbers(
    server: FakeEmbedder,
) -> None:
    server.decide = lambda request: status(422) if "encoding_format" in request.body else None
    async with embedder(server.url) as client:
        for text in ("one", "two"):
            assert (await client.embed_documents([text])).vectors == expected([text])

    assert [request.body.get("encoding_format") for request in server.requests] == [
        "base64", None, None,
    ]  # fmt: skip


@pytest.mark.fault
@pytest.mark.parametrize("mode", [Mode.HANG, Mode.DRIP])
async def test_f3_the_deadline_is_on_the_whole_call(server: FakeEmbedder, mode: Mode) -> None:
    async with (
        FaultProxy.to("127.0.0.1", server.port) as proxy,
        embedder(proxy.url, timeout_s=0.3) as client,
    ):
        proxy.set(mode, drip_s=0.05)
        with pytest.raises(EmbedderUnavailable, match=r"within 0\.3 s"):
            await client.embed_documents(["one"])
        proxy.set(Mode.PASS)

        assert (await client.embed_documents(["one"])).vectors == expected(["one"])


@pytest.mark.fault
@pytest.mark.parametrize("mode", [Mode.REFUSE, Mode.CUT, Mode.RESET_AFTER_REQUEST])
async def test_f1_f2_a_broken_connection_is_tried_again_and_heals(
    server: FakeEmbedder, mode: Mode
) -> None:
    async with FaultProxy.to("127.0.0.1", server.port) as proxy, embedder(proxy.url) as client:
        proxy.set(mode, after_bytes=60)
        with pytest.raises(EmbedderUnavailable, match="does not answer"):
            await client.embed_documents(["one"])
        tries = proxy.connections
        proxy.set(Mode.PASS)

        assert (await client.embed_documents(["one"])).vectors == expected(["one"])
    assert tries == 3


@pytest.mark.fault
async def test_f7_an_endless_or_compressed_reply_is_cut_off(server: FakeEmbedder) -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b" " * 65_536

    async with embedder(server.url, dimension=8) as client:
        server.script(Reply(chunks=endless))
        with pytest.raises(BadReply, match="more than"):
            await client.embed_documents(["one"])
        server.script(Reply(headers={"Content-Encoding": "gzip"}, body=b"\x1f\x8b"))
        with pytest.raises(BadReply, match="compressed"):
            await client.embed_documents(["one"])


async def test_a_question_does_not_wait_for_documents(server: FakeEmbedder) -> None:
    async with embedder(server.url, batch_texts=1) as client, anyio.create_task_group() as tasks:
        server.gate.clear()
        tasks.start_soon(client.embed_documents, ["slow"] * 6)
        with anyio.fail_after(5):
            while server.in_flight < 2:
                await anyio.lowlevel.checkpoint()
            tasks.start_soon(client.embed_query, "quick")
            while server.in_flight < 3:
                await anyio.lowlevel.checkpoint()
        server.gate.set()

    assert server.requests[2].texts == ["quick"]


async def test_a_server_that_loads_its_model_for_a_question_is_waited_for_behind_it(
    server: FakeEmbedder,
) -> None:
    loaded = anyio.Event()
    server.decide = lambda request: loaded.set() if request.texts == [PROBE] else None
    async with embedder(server.url, dimension=8, timeout_s=0.1) as client:
        server.gate.clear()
        for _ in range(2):
            with pytest.raises(EmbedderUnavailable, match=r"within 0\.1 s"):
                await client.embed_query("one")
            server.gate.set()
            with anyio.fail_after(5):
                await loaded.wait()
            server.gate.clear()
            loaded = anyio.Event()

    assert server.texts == [["one"], [PROBE]] * 2


async def test_messages_do_not_carry_credentials_or_text() -> None:
    async with embedder("http://user:hunter2@127.0.0.1:1/v1?key=hunter2") as client:
        with pytest.raises(EmbedderUnavailable) as caught:
            await client.embed_documents(["the text"])

    assert "http://127.0.0.1:1/v1/embeddings" in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert "the text" not in str(caught.value)


async def test_no_texts_ask_nothing(server: FakeEmbedder) -> None:
    async with embedder(server.url, dimension=8) as client:
        assert (await client.embed_documents([])).vectors.shape == (0, 8)
    assert server.requests == []


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://h:1", "http://h:1/v1/embeddings"),
        ("http://h/", "http://h/v1/embeddings"),
        ("http://h/v1", "http://h/v1/embeddings"),
        ("http://h/api/v3", "http://h/api/v3/embeddings"),
        ("http://h/v1/embeddings", "http://h/v1/embeddings"),
        ("http://h/v1?version=2", "http://h/v1/embeddings?version=2"),
    ],
)
def test_the_address_is_completed(base: str, url: str) -> None:
    assert OpenAiWire("m").url(base) == url
    assert "?" not in shown_url(url)

"""Each reranker against a stand-in that speaks its documented form, with its errors and limits."""

from __future__ import annotations

import random
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from paparatsd.endpoints.refusals import LeftAlone, Rejected
from paparatsd.errors import BadReply, Unavailable
from paparatsd.rerank.http import HttpReranker
from paparatsd.settings import RerankSettings
from tests.harness.embedding_clock import SkippingClock
from tests.harness.fake_embedder import FakeEmbedder, Reply, status
from tests.harness.rerank_servers import NONSENSE, RERANKERS, Llama, Tei, Vllm, Voyage, results

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.harness.rerank_servers import RerankServer

QUERY = "where is the limit"
TEXTS = ("a.py::a\nnothing at all", "b.py::b\nwhere is the limit", "c.py::c\nthe limit")
DEADLINE_S = 5.0


@pytest.fixture
async def server() -> AsyncIterator[FakeEmbedder]:
    async with FakeEmbedder.serving() as fake:
        yield fake


@pytest.fixture(params=sorted(RERANKERS))
def kind(request: pytest.FixtureRequest, server: FakeEmbedder) -> RerankServer:
    made = RERANKERS[request.param]()
    server.decide = made.answer
    return made


@asynccontextmanager
async def reranker(
    server: FakeEmbedder, clock: SkippingClock | None = None, **settings: Any
) -> AsyncIterator[HttpReranker]:
    made = HttpReranker(
        RerankSettings(**{"provider": "compatible", "url": server.url, **settings}),
        clock=clock or SkippingClock(),
        jitter=random.Random(1),  # noqa: S311 - equal waits in every run
    )
    yield made
    await made.close()


def of(kind: RerankServer, **more: Any) -> dict[str, Any]:
    return {"provider": kind.provider, "model": kind.model, "api_key": kind.key or None, **more}


async def test_every_service_scores_texts_in_their_order(
    server: FakeEmbedder, kind: RerankServer
) -> None:
    async with reranker(server, **of(kind)) as client:
        scores = await client.scores(QUERY, TEXTS, DEADLINE_S)
        sent = client.sent

    nothing, whole, half = scores
    assert nothing < half < whole
    assert (sent.requests, sent.texts) == (1, 3)
    assert sent.chars == len(QUERY) + sum(map(len, TEXTS))
    assert (sent.tokens > 0) is (kind.provider not in {"cohere", "tei"})


async def test_a_server_with_one_model_need_not_be_told_its_name(server: FakeEmbedder) -> None:
    server.decide = Llama().answer
    async with reranker(server, provider="llama") as client:
        await client.scores(QUERY, TEXTS, DEADLINE_S)

    assert "model" not in server.requests[0].body


@pytest.mark.parametrize("provider", ["llama", "vllm", "infinity", "tei"])
async def test_the_form_of_a_server_of_unknown_kind_is_found_out_once(
    server: FakeEmbedder, provider: str
) -> None:
    server.decide = RERANKERS[provider]().answer
    async with reranker(server, model="fake-reranker") as client:
        first = await client.scores(QUERY, TEXTS, DEADLINE_S)
        asked = len(server.requests)
        again = await client.scores(QUERY, TEXTS, DEADLINE_S)

    assert first == again
    assert len(server.requests) == asked + 1


@pytest.mark.parametrize("ending", ["", "/v1", "/v1/rerank", "/v1/rerank/"])
async def test_an_address_may_end_anywhere(server: FakeEmbedder, ending: str) -> None:
    server.decide = Vllm().answer
    async with reranker(
        server, provider="vllm", model="fake-reranker", url=server.url + ending
    ) as client:
        await client.scores(QUERY, TEXTS, DEADLINE_S)


async def test_a_wrong_key_is_told_without_the_key_and_not_tried_again(
    server: FakeEmbedder, kind: RerankServer
) -> None:
    kind.key = "right"
    async with reranker(server, **of(kind, api_key="secret-wrong")) as client:
        with pytest.raises(Rejected, match=r"answered 401.*check rerank.api_key") as told:
            await client.scores(QUERY, TEXTS, DEADLINE_S)

    assert "secret-wrong" not in str(told.value)
    assert len(server.requests) == 1


@pytest.mark.parametrize("provider", ["voyage", "cohere", "jina", "vllm", "infinity"])
async def test_a_model_that_is_not_there_is_named(server: FakeEmbedder, provider: str) -> None:
    kind = RERANKERS[provider]()
    server.decide = kind.answer
    async with reranker(server, **of(kind, model="other")) as client:
        with pytest.raises(Unavailable, match=r"check rerank.model \('other'\)"):
            await client.scores(QUERY, TEXTS, DEADLINE_S)


async def test_a_server_without_a_reranker_is_asked_once_and_told_by_its_address(
    server: FakeEmbedder,
) -> None:
    server.decide = Llama(enabled=False).answer
    async with reranker(server, provider="llama") as client:
        with pytest.raises(Unavailable, match=r"answered 501.*check rerank\.url"):
            await client.scores(QUERY, TEXTS, DEADLINE_S)

    assert len(server.requests) == 1


# ------------------------------------------------------------------ crowds, failures, slowness


async def test_a_short_wait_that_is_asked_for_is_kept(
    server: FakeEmbedder, kind: RerankServer
) -> None:
    kind.crowded, kind.retry_after = 1, "2"
    clock = SkippingClock()
    async with reranker(server, clock, **of(kind)) as client:
        await client.scores(QUERY, TEXTS, DEADLINE_S)

    assert clock.passed_s >= 2
    assert len(server.requests) == 2


async def test_a_long_wait_that_is_asked_for_is_not_waited_for_by_anybody(
    server: FakeEmbedder, kind: RerankServer
) -> None:
    kind.crowded, kind.retry_after = 1, "20"
    clock = SkippingClock()
    async with reranker(server, clock, **of(kind)) as client:
        with pytest.raises(Unavailable, match="answered 429"):
            await client.scores(QUERY, TEXTS, DEADLINE_S)
        with pytest.raises(LeftAlone, match="left alone for another 20 s"):
            await client.scores(QUERY, TEXTS, DEADLINE_S)
        assert len(server.requests) == 1
        clock.passed_s += 20
        await client.scores(QUERY, TEXTS, DEADLINE_S)

    assert clock.waits == []


async def test_requests_keep_the_interval_that_is_set(server: FakeEmbedder) -> None:
    server.decide = Voyage().answer
    clock = SkippingClock()
    async with reranker(
        server, clock, provider="voyage", model="rerank-2.5", api_key="pa-1", min_interval_s=2.0
    ) as client:
        await client.scores(QUERY, TEXTS, DEADLINE_S)
        await client.scores(QUERY, TEXTS, DEADLINE_S)
        with pytest.raises(LeftAlone):
            await client.scores(QUERY, TEXTS, 1.0)

    assert clock.waits == [2.0]


@pytest.mark.parametrize("code", [500, 502, 503])
async def test_a_server_error_is_tried_once_more(server: FakeEmbedder, code: int) -> None:
    server.decide = Vllm().answer
    server.script(status(code))
    async with reranker(server, provider="vllm", model="fake-reranker") as client:
        await client.scores(QUERY, TEXTS, DEADLINE_S)
        server.script(status(code), status(code))
        with pytest.raises(Unavailable, match=f"answered {code}"):
            await client.scores(QUERY, TEXTS, DEADLINE_S)


async def test_an_answer_that_comes_too_late_is_given_up(server: FakeEmbedder) -> None:
    server.decide = Vllm().answer
    server.gate.clear()
    async with reranker(server, provider="vllm", model="fake-reranker") as client:
        with pytest.raises(Unavailable, match=r"did not answer within 0.05 s"):
            await client.scores(QUERY, TEXTS, 0.05)


async def test_an_answer_that_stops_halfway_is_given_up(server: FakeEmbedder) -> None:
    async def begin() -> AsyncIterator[bytes]:
        yield b'{"results": ['
        await anyio.Event().wait()

    server.script(Reply(chunks=begin))
    async with reranker(server) as client:
        with pytest.raises(Unavailable, match="did not answer within"):
            await client.scores(QUERY, TEXTS, 0.1)


async def test_nobody_there_is_told(server: FakeEmbedder) -> None:
    await server.stop()
    async with reranker(server) as client:
        with pytest.raises(Unavailable, match=r"does not answer.*is rerank.url right"):
            await client.scores(QUERY, TEXTS, DEADLINE_S)
        assert client.sent.texts == 0
    await server.start()


# ------------------------------------------------------------------ limits


@pytest.mark.parametrize("kind", ["llama", "vllm"], indirect=True)
async def test_texts_that_are_too_long_are_shortened_from_then_on(
    server: FakeEmbedder, kind: RerankServer
) -> None:
    kind.context_tokens = 300
    long = "where is the limit " + "word " * 700
    async with reranker(server, **of(kind)) as client:
        scores = await client.scores(QUERY, [TEXTS[0], long], DEADLINE_S)
        asked = len(server.requests)
        await client.scores(QUERY, [TEXTS[2], long], DEADLINE_S)

    assert scores[1] > scores[0]
    assert 2 <= asked <= 4
    assert len(server.requests) == asked + 1


async def test_a_question_that_is_too_long_by_itself_is_told(server: FakeEmbedder) -> None:
    kind = Vllm(context_tokens=3)
    server.decide = kind.answer
    async with reranker(server, **of(kind)) as client:
        with pytest.raises(Unavailable, match="answered 400"):
            await client.scores("a b c d e", ["x " * 2_000, "y"], DEADLINE_S)

    assert len(server.requests) <= 5


async def test_a_server_that_takes_few_texts_is_sent_few_from_then_on(
    server: FakeEmbedder,
) -> None:
    server.decide = Tei(most_texts=4).answer
    texts = [f"{n} the limit" if n == 9 else f"{n}" for n in range(15)]
    async with reranker(server, provider="tei") as client:
        first = await client.scores(QUERY, texts, DEADLINE_S)
        asked = len(server.requests)
        again = await client.scores(QUERY, texts, DEADLINE_S)

    assert first == again
    assert first.index(max(first)) == 9
    assert [len(one.body["texts"]) for one in server.requests[asked:]] == [4, 4, 4, 3]


async def test_no_more_characters_go_out_than_are_set(server: FakeEmbedder) -> None:
    server.decide = Vllm().answer
    async with reranker(server, provider="vllm", model="fake-reranker", max_chars=400) as client:
        await client.scores(QUERY, ["x" * 5_000, "y" * 100], DEADLINE_S)

    assert [len(text) for text in server.requests[0].body["documents"]] == [400, 100]


# ------------------------------------------------------------------ nonsense


@pytest.mark.parametrize("what", sorted(NONSENSE))
async def test_a_reply_of_which_nothing_can_be_made_is_refused(
    server: FakeEmbedder, what: str
) -> None:
    server.script(NONSENSE[what])
    async with reranker(server) as client:
        with pytest.raises(BadReply, match="the rerank endpoint"):
            await client.scores(QUERY, TEXTS[:2], DEADLINE_S)


async def test_whole_numbers_and_negative_ones_are_scores(server: FakeEmbedder) -> None:
    server.script(results([(1, -3), (0, 2)]))
    async with reranker(server) as client:
        assert await client.scores(QUERY, TEXTS[:2], DEADLINE_S) == (2.0, -3.0)


async def test_a_redirect_is_not_followed(server: FakeEmbedder) -> None:
    server.script(Reply(307, {"Location": "http://127.0.0.1:9/"}))
    async with reranker(server) as client:
        with pytest.raises(Rejected, match="redirects are not followed"):
            await client.scores(QUERY, TEXTS, DEADLINE_S)

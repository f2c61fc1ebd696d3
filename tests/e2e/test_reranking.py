"""A running daemon with a reranker, and with a chat model: used, dead, back again, switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel
import pytest
from mcp import Client

from tests.harness.chat_service import ChatService
from tests.harness.daemon import running_daemon
from tests.harness.fake_embedder import FakeEmbedder
from tests.harness.repos import Repo, many_modules
from tests.harness.rerank_servers import Vllm

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from tests.harness.daemon import Daemon

QUESTION = "where is the file of a module read"
DOCS_QUESTION = "who approves refunds of orders"
FILES = {
    **many_modules(12),
    "docs/refunds.md": "# Refunds\n\nRefunds of orders are approved by the shift lead.\n",
    "docs/orders.md": "# Orders\n\nOrders and refunds of orders are approved, who else asks.\n",
}
BY = "vllm fake-reranker"
NOT_USED = f"Not reranked, the order is our own: {BY}: the rerank endpoint"


@pytest.fixture
async def server() -> AsyncIterator[FakeEmbedder]:
    async with FakeEmbedder.serving() as fake:
        yield fake


def rerank_options(server: FakeEmbedder, **more: str) -> dict[str, str]:
    options = {"PROVIDER": "vllm", "URL": server.url, "MODEL": "fake-reranker", **more}
    return {f"PAPARATS_RERANK_{name}": value for name, value in options.items()}


def timeless(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer without when it was made and how long that took."""
    fresh = [{**one, "checked_at": 0} for one in answer["freshness"]]
    return {**answer, "took_ms": 0, "freshness": fresh}


def paths(answer: Mapping[str, Any]) -> list[str]:
    return [hit["path"] for hit in answer["results"]]


async def docs(daemon: Daemon) -> dict[str, Any]:
    return await daemon.call("POST", "/v1/docs", {"query": DOCS_QUESTION, "min_score": 0,
                                                  "min_score_code": 0})  # fmt: skip


async def indexed(daemon: Daemon, tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "p", FILES)
    await daemon.add(repo.root, name="p")
    await daemon.settle("p")


async def reranked(daemon: Daemon) -> dict[str, Any]:
    """Ask until the reranker is used again."""
    with anyio.fail_after(20):
        while True:
            answer = await daemon.answer(QUESTION)
            if answer.get("reranked_by"):
                return answer


async def switched_on(daemon: Daemon, server: FakeEmbedder) -> None:
    daemon.options = rerank_options(server, TIMEOUT_S="2", PAUSE_S="0.3")
    await daemon.restart()
    await daemon.settle("p")


def liking(*starts: str) -> Vllm:
    """Return a reranker that prefers texts of some files."""
    return Vllm(score=lambda _, text: 1.0 if text.startswith(starts) else 0.5)


async def test_a_reranker_orders_answers_and_without_it_they_are_as_they_were(
    tmp_path: Path, server: FakeEmbedder
) -> None:
    async with running_daemon() as daemon:
        await indexed(daemon, tmp_path)
        own, own_docs = await daemon.answer(QUESTION), await docs(daemon)
        assert "reranked_by" not in own
        last, other = paths(own)[-1], paths(own_docs)[-1]
        server.decide = liking(last, other).answer
        await switched_on(daemon, server)

        answer = await daemon.answer(QUESTION, explain=True)
        assert paths(answer)[0] == last != paths(own)[0]
        assert answer["reranked_by"] == BY
        assert f"Reranked by {BY}." in answer["notes"]
        said = answer["results"][0]["explanation"]["reranked"]
        assert said == {"score": 1.0, "place": len(own["results"]), "floor": None}
        sent = server.requests[-1].body
        assert sent["query"] == QUESTION
        assert all("::" in text.partition("\n")[0] for text in sent["documents"])

        found = await docs(daemon)
        assert paths(found)[0] == other != paths(own_docs)[0]
        assert found["reranked_by"] == BY

        # What is pointed at or quoted stays first, whatever the reranker likes.
        first = own["results"][0]
        line = next(one for one in first["text"].splitlines() if one.startswith("def "))
        for question in (first["path"], line):
            assert paths(await daemon.answer(question))[0] == first["path"]

        daemon.options = {"PAPARATS_RERANK_PROVIDER": "off"}
        await daemon.restart()
        await daemon.settle("p")
        assert timeless(await daemon.answer(QUESTION)) == timeless(own)
        assert timeless(await docs(daemon)) == timeless(own_docs)
        assert (await daemon.status())["outlets"] == []


async def test_a_person_and_an_agent_are_told_of_it(tmp_path: Path, server: FakeEmbedder) -> None:
    server.decide = liking("package/part_0/module_7").answer
    async with running_daemon(rerank_options(server)) as daemon:
        await indexed(daemon, tmp_path)
        shown = (await daemon.cli("search", "--explain", QUESTION)).stdout
        assert "reranker: score 1.000; place " in shown
        assert f"Reranked by {BY}." in shown

        status = await daemon.status()
        outlet = next(one for one in status["outlets"] if one["purpose"] == "reranking")
        assert outlet["local"]
        assert outlet["texts"] == sum(len(one.body["documents"]) for one in server.requests)
        words = (await daemon.cli("status")).stdout.replace("\n", " ")
        assert "questions and the texts that may answer them" in words

        async with Client(await daemon.mcp_url()) as client:
            told = await client.call_tool("search_code", {"query": QUESTION, "explain": True})
        text = str(told.content)
        assert f"Reranked by {BY}." in text
        assert "reranker: score 1.000; place " in text


async def test_one_that_dies_leaves_our_order_and_is_used_again_when_it_is_back(
    tmp_path: Path, server: FakeEmbedder
) -> None:
    async with running_daemon() as daemon:
        await indexed(daemon, tmp_path)
        own = await daemon.answer(QUESTION)
        last = paths(own)[-1]
        server.decide = liking(last).answer
        await switched_on(daemon, server)
        assert paths(await daemon.answer(f"{QUESTION}?"))[0] == last

        # It ends while it is asked.
        late: list[dict[str, Any]] = []
        server.gate.clear()

        async def ask() -> None:
            late.append(await daemon.answer(QUESTION))

        async with anyio.create_task_group() as tasks:
            before = len(server.requests)
            tasks.start_soon(ask)
            while len(server.requests) == before:
                await anyio.lowlevel.checkpoint()
            await server.stop()
        # Nobody waits for it after that, and nothing of it is kept.
        for dead in (*late, await daemon.answer(QUESTION)):
            assert dead["results"] == own["results"]
            told = [note for note in dead["notes"] if note.startswith(NOT_USED)]
            assert [note for note in dead["notes"] if note not in told] == own["notes"]
            assert len(told) == 1
        assert dead["took_ms"] < 1_900, "it waited for the reranker"
        assert any("not reranked" in one for one in (await daemon.status())["problems"])

        server.gate.set()
        await server.start()
        assert paths(await reranked(daemon))[0] == last
        assert not any("not reranked" in one for one in (await daemon.status())["problems"])


async def test_a_wrong_key_is_told_in_the_answer_and_not_the_key(
    tmp_path: Path, server: FakeEmbedder
) -> None:
    server.decide = Vllm(key="right").answer
    options = rerank_options(server, API_KEY="wrong-key-of-mine", SEARCHES="code")
    async with running_daemon(options) as daemon:
        await indexed(daemon, tmp_path)
        answer = await daemon.answer(QUESTION)
        assert any("answered 401" in note and "rerank.api_key" in note for note in answer["notes"])
        asked = len(server.requests)
        await docs(daemon)
        await daemon.answer("where else")
        assert len(server.requests) == asked, "neither documents nor a refused key are asked about"
        said = [daemon.log_text(), str(answer), str(await daemon.status())]
        assert not any("wrong-key-of-mine" in text for text in said)


async def test_a_chat_model_widens_a_search_and_its_end_is_told(
    tmp_path: Path, server: FakeEmbedder
) -> None:
    chat = ChatService(
        '{"words": ["module_3_function_1"], "code": "def module_3_function_1(): ..."}'
    )
    server.decide = chat.answer
    options = {
        "PAPARATS_EXPAND_MODE": "both",
        "PAPARATS_EXPAND_URL": server.url,
        "PAPARATS_EXPAND_MODEL": "small",
    }
    async with running_daemon(options) as daemon:
        await indexed(daemon, tmp_path)
        async with daemon.client() as program:
            plain = {"group": "default", "query": QUESTION}
            assert (await program.post("/api/search", json=plain)).json()["results"]
        assert server.requests == [], "programs are answered as they ask"
        answer = await daemon.answer(QUESTION)
        words = "module_3_function_1 and code like 1 made-up line"
        assert f"Also searched for, as small suggests: {words}." in answer["notes"]
        assert len(answer["results"]) == 5
        await daemon.answer(QUESTION, limit=3)
        await daemon.answer("module_4_function_1")
        assert len(server.requests) == 1, "a question is asked once, a name never"
        body = str(server.requests[0].body)
        assert "package" not in body, "the question alone is sent"
        outlet = (await daemon.status())["outlets"][0]
        assert (outlet["purpose"], outlet["what"], outlet["texts"]) == ("rewriting", "questions", 1)

        await server.stop()
        dead = await daemon.answer("where is another file of a module read")
        assert any(
            note.startswith("The question was searched for as it is, not rewritten: small: ")
            for note in dead["notes"]
        )
        assert dead["results"]

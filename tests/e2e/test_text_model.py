"""Documents, terms and cards have an embedding model of their own."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from paparatsd.store.reader import CatalogReader
from tests.harness.daemon import running_daemon
from tests.harness.fake_embedder import FakeEmbedder
from tests.harness.repos import Repo

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness.daemon import Daemon

FILES = {
    "refunds.md": "# Refunds\n\nRefunds of more than fifty euros are approved by the shift lead.\n",
    "parcels.md": "# Parcels\n\nParcels leave the warehouse at noon.\n",
    "refunds.py": "def approve_refund(euros):\n    return euros < 50\n",
}
QUESTION = "who approves refunds"


def text_by(server: FakeEmbedder) -> dict[str, str]:
    return {
        "PAPARATS_SEARCH_DEADLINE_S": "5",
        "PAPARATS_WATCH_POLL_S": "1",
        "TEXT_EMBEDDING_PROVIDER": "openai",
        "PAPARATS_TEXT_EMBEDDER_URL": server.url,
        "TEXT_EMBEDDING_MODEL": "prose",
        "TEXT_EMBEDDING_DIMENSIONS": "8",
    }


async def ask(daemon: Daemon, query: str = QUESTION) -> list[tuple[str, str]]:
    """Return path and text of what documents say."""
    answer = await daemon.call(
        "POST", "/v1/docs", {"query": query, "fresh": True, "min_score": 0, "min_score_code": 0}
    )
    assert not any("by words only" in note for note in answer["notes"])
    return [(hit["path"], hit["content"]) for hit in answer["results"]]


def shown_in(daemon: Daemon, kind: str) -> set[str]:
    """Return the paths that have all their vectors in the shards of a kind."""
    with closing(CatalogReader(daemon.state / "catalog.sqlite3")) as reader:
        shards = [shard for shard in reader.shards() if shard.kind == kind]
        versions = {one for shard in shards for one in reader.shard_versions(shard).tolist()}
        late = {one for shard in shards for one in reader.lexical_only(shard)}
        return {info.path for info in reader.infos(versions - late).values()}


def asked_for(server: FakeEmbedder) -> list[str]:
    return [text for texts in server.texts for text in texts]


async def test_documents_and_questions_to_them_go_to_the_model_for_text_and_code_does_not(
    tmp_path: Path,
) -> None:
    repo = Repo.create(tmp_path / "p", FILES)
    async with FakeEmbedder.serving(8) as server, running_daemon(text_by(server)) as daemon:
        await daemon.add(repo.root, name="p")
        await daemon.wait_ready("p")
        status = await daemon.wait_until(
            lambda status: not status["model_changes"] and status["text_embedder"] is not None
        )
        assert status["text_embedder"]["model"] == "prose"
        assert status["embedder"]["provider"] == "static"
        assert [one["what"] for one in status["outlets"]] == [
            "texts of documents and notes and questions"
        ]

        assert {path for path, _ in await ask(daemon)} == {"refunds.md", "parcels.md"}
        await daemon.wait_until(lambda _: shown_in(daemon, "text") == {"refunds.md", "parcels.md"})
        assert shown_in(daemon, "code") == {*FILES}
        assert QUESTION in asked_for(server)
        assert not any("def approve_refund" in text for text in asked_for(server))
        asked = len(server.requests)
        assert await daemon.paths("approve_refund")
        assert len(server.requests) == asked, "code was asked of the model for text"

        repo.write("refunds.md", FILES["refunds.md"].replace("the shift lead", "an accountant"))
        [text] = [text for path, text in await ask(daemon) if path == "refunds.md"]
        assert "accountant" in text
        await daemon.wait_until(lambda _: shown_in(daemon, "text") == {"refunds.md", "parcels.md"})

        await daemon.stop()
        daemon.options = {"PAPARATS_SEARCH_DEADLINE_S": "5"}
        await daemon.start()
        assert {path for path, _ in await ask(daemon)} == {"refunds.md", "parcels.md"}
        assert (await daemon.status())["text_embedder"] is None
        await daemon.wait_until(lambda _: not shown_in(daemon, "text"))


async def test_until_documents_have_their_vectors_they_are_answered_by_the_model_for_code(
    tmp_path: Path,
) -> None:
    repo = Repo.create(tmp_path / "p", FILES)
    async with FakeEmbedder.serving(8) as server, running_daemon() as daemon:
        await daemon.add(repo.root, name="p")
        await daemon.wait_ready("p")
        before = await ask(daemon)
        await daemon.stop()
        server.gate.clear()
        daemon.options = text_by(server)
        await daemon.start()
        assert await ask(daemon) == before
        [change] = (await daemon.status())["model_changes"]
        assert (change["role"], change["old"], change["new"]) == ("text", "", "openai prose")
        assert "model change for text to openai prose" in (await daemon.cli("status")).stdout
        server.gate.set()
        await daemon.wait_until(lambda status: not status["model_changes"])
        assert {path for path, _ in await ask(daemon)} == {"refunds.md", "parcels.md"}
        assert QUESTION in asked_for(server)

"""Another embedding model is set: the one before answers until the new one has everything."""

from __future__ import annotations

from contextlib import asynccontextmanager, closing
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from paparatsd.settings import IndexSettings
from paparatsd.store.reader import CatalogReader
from tests.harness import oracle
from tests.harness.daemon import Daemon, running_daemon
from tests.harness.fake_embedder import FakeEmbedder
from tests.harness.repos import Repo, many_modules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from pathlib import Path

QUESTIONS = (
    "where is the file of module_7 read",
    "which function writes numbers",
    "module_33",
    "how are values added up",
)
MODULES = 64
"""Each is a chunk: few enough that each question recalls them all, so that ties decide nothing."""
QUICK = {
    "PAPARATS_SEARCH_DEADLINE_S": "5",
    "PAPARATS_WATCH_POLL_S": "1",
    "PAPARATS_EMBEDDER_BATCH_TEXTS": "4",
    "PAPARATS_EMBEDDER_RETRIES": "0",
}
BUILT_IN: Mapping[str, str] = {}


def by(server: FakeEmbedder, model: str, dimension: int = 0) -> dict[str, str]:
    """Return what chooses a model of a server."""
    return {
        "PAPARATS_EMBEDDER_PROVIDER": "openai",
        "PAPARATS_EMBEDDER_URL": server.url,
        "PAPARATS_EMBEDDER_MODEL": model,
        "PAPARATS_EMBEDDER_DIMENSION": str(dimension),
    }


@asynccontextmanager
async def two_servers() -> AsyncIterator[tuple[FakeEmbedder, FakeEmbedder]]:
    async with FakeEmbedder.serving(8) as old, FakeEmbedder.serving(12) as new:
        yield old, new


@asynccontextmanager
async def serving(chosen: Mapping[str, str]) -> AsyncIterator[Daemon]:
    async with running_daemon({**QUICK, **chosen}) as daemon:
        yield daemon


async def choose(daemon: Daemon, chosen: Mapping[str, str]) -> None:
    """Start the daemon again with other variables."""
    await daemon.stop()
    daemon.options = {**QUICK, **chosen}
    await daemon.start()


async def answers(daemon: Daemon, **options: Any) -> list[Any]:
    """Return what is found for some questions, with scores and notes."""
    found = []
    for question in QUESTIONS:
        answer = await daemon.answer(question, limit=10, **options)
        found.append(said(answer))
    return found


def said(answer: Mapping[str, Any]) -> tuple[list[Any], list[str]]:
    """Return hits and notes of an answer."""
    hits = [(hit["path"], hit["start_line"], hit["score"]) for hit in answer["results"]]
    return hits, answer["notes"]


async def from_scratch(repo: Repo, chosen: Mapping[str, str]) -> list[Any]:
    """Return the answers of a daemon that has indexed with this model from the beginning."""
    async with serving(chosen) as daemon:
        await daemon.add(repo.root, name="p")
        await daemon.wait_ready("p")
        return await answers(daemon)


async def changed(daemon: Daemon) -> dict[str, Any]:
    """Wait until no change of models is under way."""
    return await daemon.wait_until(lambda status: not status["model_changes"])


async def half_way(daemon: Daemon, server: FakeEmbedder) -> dict[str, Any]:
    """Let a server answer some requests, then hold it; return the change as it is then."""

    def holds(status: dict[str, Any]) -> bool:
        if len(server.requests) >= 10:
            server.gate.clear()
        changes = status["model_changes"]
        return bool(changes) and not server.gate.is_set() and changes[0]["files_done"] > 0

    change: dict[str, Any] = (await daemon.wait_until(holds))["model_changes"][0]
    return change


def fingerprints(daemon: Daemon) -> set[tuple[str, int]]:
    """Return kind and dimension of the shards that the catalog knows."""
    with closing(CatalogReader(daemon.state / "catalog.sqlite3")) as reader:
        return {(shard.kind, shard.dimension) for shard in reader.shards()}


async def only_shards(daemon: Daemon, wanted: set[tuple[str, int]]) -> None:
    """Wait until these shards are left, in the catalog and on the disk."""

    def left() -> bool:
        folders = [one for one in (daemon.state / "vectors").iterdir() if one.is_dir()]
        return fingerprints(daemon) == wanted and len(folders) == len(wanted)

    await daemon.wait_until(lambda _: left())


class Clients:
    """Two clients that ask over and over; `count` is how often they did."""

    def __init__(self, ask: Callable[[], Awaitable[None]]) -> None:
        self._ask = ask
        self._asked = anyio.Condition()
        self.count = 0

    async def run(self) -> None:
        """Ask until cancelled; a failure of one is a failure of the test."""
        while True:
            await self._ask()
            async with self._asked:
                self.count += 1
                self._asked.notify_all()

    async def more(self, times: int) -> None:
        """Return when so many more questions were answered."""
        wanted = self.count + times
        async with self._asked:
            while self.count < wanted:
                await self._asked.wait()


@asynccontextmanager
async def asking(ask: Callable[[], Awaitable[None]]) -> AsyncIterator[Clients]:
    clients = Clients(ask)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(clients.run)
        tasks.start_soon(clients.run)
        yield clients
        tasks.cancel_scope.cancel()


def modules(tmp_path: Path, count: int = MODULES) -> Repo:
    return Repo.create(tmp_path / "p", many_modules(count))


async def test_the_old_model_answers_until_the_new_one_has_everything(tmp_path: Path) -> None:
    repo = modules(tmp_path)
    async with two_servers() as (old_server, new_server):
        old, new = by(old_server, "one"), by(new_server, "other")
        wanted = await from_scratch(repo, new)
        async with serving(old) as daemon:
            await daemon.add(repo.root, name="p")
            await daemon.wait_ready("p")
            before = await answers(daemon)
            assert before != wanted
            seen: list[Any] = []

            async def ask() -> None:
                answer = await daemon.answer(QUESTIONS[1], limit=10)
                seen.append(said(answer))

            new_server.gate.clear()
            await choose(daemon, new)
            async with asking(ask) as clients:
                await clients.more(4)
                assert await answers(daemon) == before
                new_server.gate.set()
                await changed(daemon)
                await clients.more(4)
            assert await answers(daemon) == wanted
            assert all(one in (before[1], wanted[1]) for one in seen)
            assert seen == sorted(seen, key=lambda one: one != before[1]), "it went back and forth"
            await oracle.assert_equal(daemon, "p")


@pytest.mark.fault
async def test_a_change_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    repo = modules(tmp_path)
    async with two_servers() as (_, new_server):
        new = by(new_server, "other")
        async with serving(BUILT_IN) as daemon:
            await daemon.add(repo.root, name="p")
            await daemon.wait_ready("p")
            before = await answers(daemon)
            await choose(daemon, new)
            await half_way(daemon, new_server)
            daemon.kill()
            sent = {text for texts in new_server.texts for text in texts}

            await daemon.start()
            assert await answers(daemon) == before
            new_server.requests.clear()
            new_server.gate.set()
            await changed(daemon)

            again = [text for texts in new_server.texts for text in texts]
            assert len(again) < MODULES, "it began anew"
            assert len(sent) > 0
            await oracle.assert_equal(daemon, "p")
            await only_shards(daemon, {("code", 12)})
            await daemon.stop()
            await oracle.assert_points(daemon)


async def test_going_back_before_the_swap_is_as_if_nothing_had_been(tmp_path: Path) -> None:
    repo = modules(tmp_path)
    async with two_servers() as (old_server, new_server):
        old, new = by(old_server, "one"), by(new_server, "other")
        async with serving(old) as daemon:
            await daemon.add(repo.root, name="p")
            await daemon.wait_ready("p")
            before = await answers(daemon)
            await choose(daemon, new)
            change = await half_way(daemon, new_server)
            assert change["old"] == "openai one"
            assert change["files_total"] == MODULES
            old_server.requests.clear()

            await choose(daemon, old)

            assert not (await daemon.status())["model_changes"]
            assert await answers(daemon) == before
            await only_shards(daemon, {("code", 8)})
            texts = [text for texts in old_server.texts for text in texts]
            assert len(texts) < 10, "files were embedded again"


async def test_what_is_saved_meanwhile_is_found_before_and_after(tmp_path: Path) -> None:
    repo = modules(tmp_path)
    async with (
        two_servers() as (old_server, new_server),
        serving(by(old_server, "one")) as daemon,
    ):
        await daemon.add(repo.root, name="p")
        await daemon.wait_ready("p")
        await choose(daemon, by(new_server, "other"))
        await half_way(daemon, new_server)

        repo.write("late.py", "def came_while_it_was_changed(): ...\n")
        repo.write("package/part_0/module_7.py", "def rewritten_meanwhile(): ...\n")
        await daemon.settle("p")
        assert await daemon.paths("came_while_it_was_changed") == ["late.py"]
        new_server.gate.set()
        await changed(daemon)
        assert await daemon.paths("came_while_it_was_changed") == ["late.py"]
        await daemon.settle("p")
        await oracle.assert_equal(daemon, "p")


@pytest.mark.fault
async def test_without_the_old_endpoint_words_answer_and_it_is_said(tmp_path: Path) -> None:
    repo = modules(tmp_path)
    async with (
        two_servers() as (old_server, new_server),
        serving(by(old_server, "one")) as daemon,
    ):
        await daemon.add(repo.root, name="p")
        await daemon.wait_ready("p")
        await old_server.stop()
        new_server.gate.clear()
        await choose(daemon, by(new_server, "other", 12))

        answer = await daemon.answer(QUESTIONS[0])
        assert "module_7.py" in answer["results"][0]["path"]
        assert any("by words only" in note for note in answer["notes"])

        new_server.gate.set()
        await changed(daemon)
        answer = await daemon.answer(QUESTIONS[0])
        assert not any("by words only" in note for note in answer["notes"])


async def test_two_changes_in_a_row_end_with_the_last_one(tmp_path: Path) -> None:
    repo = modules(tmp_path)
    async with (
        two_servers() as (old_server, new_server),
        FakeEmbedder.serving(20) as last_server,
        serving(by(old_server, "one")) as daemon,
    ):
        await daemon.add(repo.root, name="p")
        await daemon.wait_ready("p")
        before = await answers(daemon)
        await choose(daemon, by(new_server, "other"))
        await half_way(daemon, new_server)
        last_server.gate.clear()
        await choose(daemon, by(last_server, "last", 20))
        assert await answers(daemon) == before
        last_server.gate.set()
        status = await changed(daemon)
        assert status["embedder"]["dimension"] == 20
        await oracle.assert_equal(daemon, "p")


async def test_a_reload_changes_the_model_without_a_restart(tmp_path: Path) -> None:
    repo = modules(tmp_path)
    async with FakeEmbedder.serving(12) as server, serving(BUILT_IN) as daemon:
        await daemon.add(repo.root, name="p")
        await daemon.wait_ready("p")
        before = await answers(daemon)
        server.gate.clear()
        text = f'[embedder]\nprovider = "openai"\nurl = "{server.url}"\n'
        text += 'model = "other"\ndimension = 12\n'
        config = daemon.home / "config" / "config.toml"
        config.write_text(text)
        await daemon.call("POST", "/v1/reload")
        assert (await daemon.status())["model_changes"][0]["new"] == "openai other"
        assert await answers(daemon) == before
        server.gate.set()
        status = await changed(daemon)
        assert status["embedder"]["model"] == "other"
        config.write_text("")
        await daemon.call("POST", "/v1/reload")
        status = await changed(daemon)
        assert status["embedder"]["provider"] == "static"
        assert await answers(daemon) == before


async def test_a_new_way_of_cutting_files_together_with_a_new_model(tmp_path: Path) -> None:
    repo = modules(tmp_path, 30)
    cut = {"PAPARATS_INDEX_CHUNK_CHARS": "128"}
    async with two_servers() as (old_server, new_server):
        new = {**by(new_server, "other"), **cut}
        async with serving(by(old_server, "one")) as daemon:
            await daemon.add(repo.root, name="p")
            await daemon.wait_ready("p")
            await choose(daemon, new)
            assert await daemon.paths("module_33"), "what was there is found meanwhile"
            await changed(daemon)
            await daemon.settle("p")
            await daemon.wait_ready("p")
            await changed(daemon)
            await oracle.assert_equal(daemon, "p", IndexSettings(chunk_chars=128))
            assert (await daemon.status())["embedder"]["dimension"] == 12


async def test_what_was_cut_in_another_way_is_found_until_it_is_replaced(tmp_path: Path) -> None:
    repo = modules(tmp_path)
    async with serving(BUILT_IN) as daemon:
        await daemon.add(repo.root, name="p")
        await daemon.wait_ready("p")
        before = [len(hits) for hits, _ in await answers(daemon)]
        await choose(daemon, {"PAPARATS_INDEX_CHUNK_CHARS": "128"})

        async def ask() -> None:
            answer = await daemon.answer(QUESTIONS[0], limit=10)
            assert "module_7.py" in answer["results"][0]["path"]
            assert len(answer["results"]) == before[0]

        async with asking(ask) as clients:
            await daemon.settle("p")
            await daemon.wait_ready("p")
            assert clients.count


def versions(daemon: Daemon) -> set[int]:
    """Return the versions that the one project shows."""
    with closing(CatalogReader(daemon.state / "catalog.sqlite3")) as reader:
        [project] = reader.projects()
        return {int(entry.version) for entry in reader.view(project.id).values()}


@pytest.mark.fault
async def test_all_is_built_anew_on_demand_while_the_old_answers(tmp_path: Path) -> None:
    repo = modules(tmp_path)
    async with serving(BUILT_IN) as daemon:
        await daemon.add(repo.root, name="p")
        await daemon.wait_ready("p")
        before, first = await answers(daemon), versions(daemon)

        async def ask() -> None:
            answer = await daemon.answer(QUESTIONS[0], limit=10)
            assert "module_7.py" in answer["results"][0]["path"]

        async with asking(ask):
            await daemon.call("POST", "/v1/reindex", {"project": "p", "depth": "full"})
            await daemon.settle("p")
        second = versions(daemon)
        assert len(second) == MODULES
        assert not first & second
        assert await answers(daemon) == before

        await daemon.call("POST", "/v1/reindex", {"project": "p", "depth": "full"})
        daemon.kill()
        await daemon.start()
        await daemon.settle("p")
        assert not versions(daemon) & (first | second), "it was forgotten"
        assert await answers(daemon) == before
        await oracle.assert_equal(daemon, "p")

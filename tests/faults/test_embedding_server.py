"""F: the daemon with an embedding server that hangs, answers nonsense or is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.harness import oracle
from tests.harness.daemon import running_daemon
from tests.harness.fake_embedder import FakeEmbedder, Reply, status, text_vector, vectors
from tests.harness.proxy import FaultProxy, Mode
from tests.harness.repos import Repo, many_modules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.harness.fake_embedder import Request

DIMENSION = 16

pytestmark = pytest.mark.fault


@pytest.fixture
async def server() -> AsyncIterator[FakeEmbedder]:
    async with FakeEmbedder.serving(DIMENSION) as fake:
        yield fake


@pytest.fixture
async def proxy(server: FakeEmbedder) -> AsyncIterator[FaultProxy]:
    async with FaultProxy.to("127.0.0.1", server.port) as running:
        yield running


def options(url: str) -> dict[str, str]:
    return {
        "PAPARATS_EMBEDDER_PROVIDER": "openai",
        "PAPARATS_EMBEDDER_URL": url,
        "PAPARATS_EMBEDDER_MODEL": "fake",
        "PAPARATS_EMBEDDER_DIMENSION": str(DIMENSION),
        "PAPARATS_EMBEDDER_TIMEOUT_S": "1",
    }


@pytest.mark.parametrize("mode", [Mode.REFUSE, Mode.HANG, Mode.DRIP])
async def test_f1_f3_a_silent_server_leaves_lexical_search_and_heals(
    proxy: FaultProxy, tmp_path: Path, mode: Mode
) -> None:
    repo = Repo.create(tmp_path / "p", many_modules(12))
    proxy.set(mode)

    async with running_daemon(options(proxy.url)) as daemon:
        await daemon.add(repo.root, name="p")
        await daemon.settle("p")
        answer = await daemon.answer("module_7 function")

        assert answer["results"][0]["path"].endswith("module_7.py")
        assert answer["took_ms"] < 5_000
        assert any("embedder" in note for note in answer["notes"])
        assert (await daemon.project("p"))["state"] == "indexing"

        proxy.set(Mode.PASS)
        await proxy.drop()
        await daemon.wait_ready("p")
        await oracle.assert_equal(daemon, "p")
        assert await daemon.stop() == 0
        assert await oracle.assert_points(daemon) == 12


async def test_search_by_words_only_sends_no_question_to_the_server(
    server: FakeEmbedder, tmp_path: Path
) -> None:
    repo = Repo.create(tmp_path / "p", many_modules(3))

    async with running_daemon({**options(server.url), "PAPARATS_SEARCH_MEANING": "0"}) as daemon:
        await daemon.add(repo.root, name="p")
        await daemon.wait_ready("p")
        before = len(server.requests)
        answer = await daemon.answer("where is the function of module_2")

    assert answer["results"][0]["path"].endswith("module_2.py")
    assert len(server.requests) == before > 0


def nan() -> Reply:
    return vectors([[float("nan")] * DIMENSION] * 13)


def zeros() -> Reply:
    return vectors([[0.0] * DIMENSION] * 13)


def other_dimension() -> Reply:
    return vectors([[1.0] * (DIMENSION + 1)] * 13)


@pytest.mark.parametrize("nonsense", [nan, zeros])
async def test_f4_bad_numbers_are_not_stored_and_their_texts_are_asked_for_again(
    server: FakeEmbedder, tmp_path: Path, nonsense: type[Reply]
) -> None:
    repo = Repo.create(tmp_path / "p", many_modules(12))
    server.script(nonsense())

    async with running_daemon(options(server.url)) as daemon:
        await daemon.add(repo.root, name="p")
        await daemon.wait_ready("p")

        assert [len(texts) for texts in server.texts] == [13, 1, 6, 7]
        await oracle.assert_equal(daemon, "p")
        assert await daemon.stop() == 0
        assert await oracle.assert_points(daemon) == 12


async def test_f5_another_model_under_the_same_name_is_not_mixed_with_the_first(
    server: FakeEmbedder, tmp_path: Path
) -> None:
    def other(request: Request) -> Reply:
        return vectors([text_vector("other " + text, DIMENSION).tolist() for text in request.texts])

    repo = Repo.create(tmp_path / "p", many_modules(12))
    async with running_daemon(options(server.url)) as daemon:
        await daemon.add(repo.root, name="p")
        await daemon.wait_ready("p")
        await daemon.answer("module_7 function")
        assert await daemon.stop() == 0
        server.decide = other
        await daemon.start()
        await daemon.wait_ready("p")
        answer = await daemon.answer("another question about module_7")
        repo.write("new.py", "def brand_new():\n    return 1\n")
        await daemon.wait_until(lambda status: bool(status["problems"]))
        said = (await daemon.status())["problems"]

        assert any("embedder" in note for note in answer["notes"])
        assert "another model than before" in said[0]
        assert "embedder.revision" in said[0]
        assert (await daemon.paths("brand_new"))[0] == "new.py"


async def test_f6_a_text_that_is_refused_is_told_with_its_file_and_the_rest_goes_on(
    server: FakeEmbedder, tmp_path: Path
) -> None:
    def decide(request: Request) -> Reply | None:
        return status(400) if any("module_7" in text for text in request.texts) else None

    server.decide = decide
    repo = Repo.create(tmp_path / "p", many_modules(12))

    async with running_daemon(options(server.url)) as daemon:
        await daemon.add(repo.root, name="p")
        await daemon.wait_ready("p")
        said = await daemon.status()

        assert said["problems"] == [
            "the embedder refused a text (in package/part_0/module_7.py); words alone find it"
        ]
        assert said["outlets"] == [
            {
                "purpose": "embeddings",
                "what": "texts of chunks and notes and questions",
                "host": f"127.0.0.1:{server.port}",
                "local": True,
                "texts": sum(map(len, server.texts)),
                "chars": sum(len(text) for texts in server.texts for text in texts),
                "tokens": 0,
            }
        ]
        assert (await daemon.paths("module_7 function"))[0].endswith("module_7.py")
        assert await daemon.stop() == 0
        assert await oracle.assert_points(daemon) == 12  # its words are still there


@pytest.mark.parametrize("nonsense", [other_dimension])
async def test_f4_nonsense_is_not_stored_and_the_batch_is_done_again(
    server: FakeEmbedder, tmp_path: Path, nonsense: type[Reply]
) -> None:
    repo = Repo.create(tmp_path / "p", many_modules(12))
    server.script(nonsense())

    async with running_daemon(options(server.url)) as daemon:
        await daemon.add(repo.root, name="p")
        await daemon.wait_ready("p")

        assert len(server.requests) == 2
        assert "embedding_failed" in daemon.log_text()
        assert (await daemon.status())["problems"] == []
        assert (await daemon.paths("module_7 function"))[0].endswith("module_7.py")
        await oracle.assert_equal(daemon, "p")


async def test_a_restart_and_a_second_checkout_ask_for_nothing_that_is_known(
    server: FakeEmbedder, tmp_path: Path
) -> None:
    repo = Repo.create(tmp_path / "p", many_modules(12))
    plain = tmp_path / "plain"
    for path, text in many_modules(12).items():
        (plain / path).parent.mkdir(parents=True, exist_ok=True)
        (plain / path).write_text(text)

    async with running_daemon(options(server.url)) as daemon:
        await daemon.add(repo.root, name="p")
        await daemon.wait_ready("p")
        asked = len(server.requests)

        await daemon.restart()
        await daemon.add(repo.worktree(tmp_path / "tree", "topic").root, name="tree")
        await daemon.add(plain, name="plain")  # another lineage: other versions, equal texts
        await daemon.wait_ready("p", "tree", "plain")

        assert len(server.requests) == asked

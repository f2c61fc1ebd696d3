"""An index inside a program: what it answers, how it ends, what it leaves behind."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import paparatsd
from paparatsd.errors import BadQuery, BadSettings, Busy, Conflict, Unavailable, UnknownAddress
from paparatsd.library.places import (
    SettingValue,
    choose_state_dir,
    list_folder,
    prepare_state,
    read_settings,
)
from tests.harness.onnx_embedder import write_onnx
from tests.harness.processes import children_of, is_ours, run_script
from tests.harness.repos import Repo, python_module

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
CART = '''\
"""Carts and their prices."""


def apply_discount(price: float, percent: float) -> float:
    """Take a discount off a price."""
    return price * (100 - percent) / 100


def total(items: list[float], percent: float) -> float:
    """Sum the prices of a cart, the discount taken off."""
    return sum(apply_discount(item, percent) for item in items)
'''
MISSING = [name for name in ("onnxruntime", "tokenizers") if importlib.util.find_spec(name) is None]
FILES: dict[str, str | bytes] = {
    "src/cart.py": CART,
    "src/mail.py": "def send_letter(address: str) -> None:\n    print(address)\n",
    "src/stock.py": python_module("stock", 12, 20),
    "logo.png": b"\x89PNG\r\n\x1a\n\0\0",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Repo, paparatsd.Index]]:
    folder = tmp_path_factory.mktemp("library")
    repo = Repo.create(folder / "shop", FILES)
    with paparatsd.open_index(repo.root, state_dir=folder / "state", history=True) as index:
        yield repo, index


def test_places_are_found_shown_and_followed_through_the_graph(
    world: tuple[Repo, paparatsd.Index],
) -> None:
    repo, index = world

    answer = index.search("where is a discount taken off", limit=2)

    assert isinstance(answer, paparatsd.SearchAnswer)
    assert answer.hits[0].path == "src/cart.py"
    assert answer.freshness[0].state == "current"
    assert index.folder == repo.root
    assert index.project == "shop"
    view = index.show("src/cart.py#apply_discount", radius=20)
    assert "def apply_discount" in view.target.text
    part = index.show("src/stock.py:100", radius=30)
    assert part.target.start_line <= 100 <= part.target.end_line
    assert part.neighbours
    assert index.show(view.target.address).target == view.target
    assert index.usages("src/cart.py#total").found[0].symbol.qualified == "total"
    assert index.usages("src/cart.py:10").found[0].symbol.qualified == "total"
    (found,) = index.usages("apply_discount").found
    assert found.incoming is not None
    assert [edge.symbol.qualified for edge in found.incoming.edges] == ["total"]
    assert index.search("letter", paths=["src/m*"], languages=["python"]).hits
    assert index.search("letter", languages=["rust"]).hits == ()
    with_more = index.search("total of a cart", explain=True, related=True).hits[0]
    assert with_more.signals
    assert with_more.related is not None


def test_history_is_read_when_it_is_asked_for(world: tuple[Repo, paparatsd.Index]) -> None:
    _, index = world
    log = index.log("src/cart.py#total", limit=3)
    assert isinstance(log, paparatsd.ChunkLog)
    assert not log.pending
    assert len(log.commits) == 1
    (hit, *_) = index.search("discount").hits
    assert hit.last_change is not None
    before = paparatsd.ChangedFilter(until="2001-01-01")
    assert index.search("discount", changed=before).hits == ()


def test_how_the_index_is_can_be_asked(world: tuple[Repo, paparatsd.Index]) -> None:
    _, index = world
    status = index.status()
    assert (status.state, status.files, status.languages) == ("ready", 3, {"python": 3})
    assert status.hooks == "absent"
    assert [(one.path, one.reason) for one in index.skipped()] == [("logo.png", "binary")]


def test_the_index_follows_the_disk(world: tuple[Repo, paparatsd.Index]) -> None:
    repo, index = world
    repo.write("src/late.py", "def weigh_marmots() -> None: ...\n")
    assert index.search("weigh marmots", fresh=True).hits[0].path == "src/late.py"
    repo.remove("src/late.py")
    assert index.refresh().files == 3
    assert index.refresh(full=True).state == "ready"
    assert repo.git("status", "--porcelain") == "", "nothing is written into the folder"


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        (lambda it: it.search(""), BadQuery, "query is missing"),
        (lambda it: it.search("x", limit=0), BadQuery, "limit must be"),
        (lambda it: it.show("src/gone.py#x"), UnknownAddress, "gone"),
        (lambda it: it.show("src/cart.py#total", radius=201), BadQuery, "radius"),
        (lambda it: it.usages("nobody_is_called_so"), UnknownAddress, "nobody_is_called_so"),
        (lambda it: it.usages("total", direction="up"), BadQuery, "direction must be"),
        (lambda it: it.log("src/cart.py#total", limit=0), BadQuery, "limit must be"),
    ],
)
def test_what_cannot_be_meant_is_told(
    world: tuple[Repo, paparatsd.Index], wrong: object, error: type[Exception], said: str
) -> None:
    assert callable(wrong)
    with pytest.raises(error, match=said) as caught:
        wrong(world[1])
    assert isinstance(caught.value, paparatsd.PaparatsError)


def test_several_threads_may_ask_at_a_time(world: tuple[Repo, paparatsd.Index]) -> None:
    _, index = world
    paths: list[str] = []
    threads = [
        threading.Thread(target=lambda: paths.append(index.search("discount").hits[0].path))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert paths == ["src/cart.py"] * 8


async def test_it_works_where_an_event_loop_runs(world: tuple[Repo, paparatsd.Index]) -> None:
    _, index = world
    assert index.search("send a letter").hits[0].path == "src/mail.py"
    found = await asyncio.gather(
        *(asyncio.to_thread(index.search, text) for text in ("letter", "discount"))
    )
    assert [one.hits[0].path for one in found] == ["src/mail.py", "src/cart.py"]


def test_a_second_index_of_one_state_directory_is_told_who_has_it(
    world: tuple[Repo, paparatsd.Index],
) -> None:
    repo, index = world
    with pytest.raises(Busy, match="in this process already"):
        paparatsd.open_index(repo.root, state_dir=index.state_dir)
    script = f"import paparatsd; paparatsd.open_index({str(repo.root)!r}, state_dir=" + (
        f"{str(index.state_dir)!r})"
    )
    done = run_script(script)
    assert done.returncode == 1
    assert f"is held by process {os.getpid()}" in done.stderr
    assert index.search("discount").hits, "the first one goes on"


def test_a_forked_process_is_told_to_open_an_index_of_its_own(
    world: tuple[Repo, paparatsd.Index],
) -> None:
    _, index = world
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        said = "nothing"
        try:
            index.search("discount")
        except Unavailable as error:
            said = str(error)
        os.write(writing, said.encode())
        index.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert "before a fork" in os.read(reading, 1000).decode()
    os.close(reading)
    os.close(writing)
    assert index.search("discount").hits


def test_close_ends_all_processes_and_may_be_said_twice(tmp_path: Path) -> None:
    before = children_of(os.getpid())
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.py").write_text("def alpha(): ...\n")
    index = paparatsd.open_index(
        tmp_path / "plain", state_dir=tmp_path / "plain" / ".index", watch=False
    )
    assert index.search("alpha").hits[0].path == "a.py"
    assert index.search("alpha").freshness[0].state == "stale"
    assert index.status().files == 1, "the index does not index itself"
    with pytest.raises(BadQuery, match="history=True"):
        index.log("a.py#alpha")
    mine = children_of(os.getpid()) - before
    assert mine

    index.close()
    index.close()

    assert not any(is_ours(pid) for pid in mine)
    with pytest.raises(Unavailable, match="closed"):
        index.search("alpha")


@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
def test_vectors_of_a_model_from_a_folder_are_there_when_it_is_open(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "shop", FILES)
    model = write_onnx(tmp_path / "model")
    with paparatsd.open_index(
        repo.root,
        state_dir=tmp_path / "state",
        settings={"embedder.provider": "onnx", "embedder.model": str(model)},
    ) as index:
        status = index.status()
        assert (status.state, status.pending) == ("ready", 0)
        assert index.search("read file").hits


def test_an_embedder_that_fails_does_not_keep_words_from_being_found(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "shop", FILES)
    nobody = {"embedder.provider": "openai", "embedder.url": "http://127.0.0.1:9"}
    more: dict[str, SettingValue] = {"embedder.dimension": 8, "embedder.retries": 0}
    with paparatsd.open_index(
        repo.root, state_dir=tmp_path / "state", settings={**nobody, **more}
    ) as index:
        answer = index.search("apply_discount")
        assert answer.hits[0].path == "src/cart.py"
        assert any("embedder" in note or "words" in note for note in answer.notes)


def test_what_it_logs_goes_to_the_logger_of_the_package(
    world: tuple[Repo, paparatsd.Index], caplog: pytest.LogCaptureFixture
) -> None:
    repo, index = world
    with caplog.at_level(logging.DEBUG, logger="paparatsd"):
        repo.write("src/mail.py", "x = 1\n")
        index.refresh()
        repo.git("checkout", "-q", "src/mail.py")
        index.refresh()
    assert any(one.name == "paparatsd" and "looked" in one.message for one in caplog.records)


# --------------------------------------------------------------------------- where, and how


def test_a_folder_has_a_private_directory_of_its_own_under_the_cache(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "c")}
    first, again, other = (
        choose_state_dir(Path(folder), None, environment)
        for folder in ("/a/shop", "/a/shop", "/b/shop")
    )
    assert first == again != other
    assert first.parent == tmp_path / "c" / "paparatsd" / "library"
    assert first.name.startswith("shop-")
    places = prepare_state(first)
    assert {oct(path.stat().st_mode & 0o777) for path in (first, places.state)} == {"0o700"}


def test_the_directory_of_a_daemon_or_of_another_folder_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "daemon").mkdir()
    (tmp_path / "daemon" / "catalog.sqlite3").touch()
    with pytest.raises(BadSettings, match="state directory of a daemon"):
        choose_state_dir(Path("/a/shop"), tmp_path / "daemon", {})
    with pytest.raises(BadSettings, match="folder itself"):
        choose_state_dir(tmp_path, tmp_path, {})

    places = prepare_state(tmp_path / "state")
    assert list_folder(places, Path("/a/shop"), (), history=False) == "shop"
    assert list_folder(places, Path("/a/shop"), ("*.snap",), history=True) == "shop"
    with pytest.raises(Conflict, match="holds the index of /a/shop"):
        list_folder(places, Path("/b/shop"), (), history=False)


def test_settings_are_what_the_program_says_and_keys_of_the_environment(tmp_path: Path) -> None:
    places = prepare_state(tmp_path / "state")
    environment = {
        "EMBEDDING_PROVIDER": "openai",
        "VOYAGE_API_KEY": "pa-secret",
        "PAPARATS_KNOWLEDGE_TOKENS": "x" * 20,
        "PAPARATS_SEARCH_MEANING": "false",
    }
    usual = read_settings(places, {}, environment, watch=True)
    assert (usual.embedder.provider, usual.search.meaning) == ("static", True)
    assert (usual.watch.enabled, usual.projects.worktrees) == (True, "off")
    assert usual.knowledge.tokens == ()

    said: dict[str, SettingValue] = {
        "embedder.provider": "voyage",
        "index.workers": 2,
        "search.meaning": False,
    }
    chosen = read_settings(places, said, environment, watch=False)
    assert (chosen.embedder.api_key, chosen.index.workers) == ("pa-secret", 2)
    assert (chosen.search.meaning, chosen.watch.enabled) == (False, False)
    assert "pa-secret" not in repr(chosen)
    for wrong, word in ({"http.port": 1}, "daemon"), ({"index.wrkers": 1}, "index.workers"):
        with pytest.raises(BadSettings, match=word):
            read_settings(places, wrong, {}, watch=True)


def test_an_interpreter_that_does_not_know_its_own_program_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plain").mkdir()
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(Unavailable, match=r"sys\.executable"):
        paparatsd.open_index(tmp_path / "plain", state_dir=tmp_path / "state")


@pytest.mark.parametrize("folder", ["/", "/etc", "~", "/no/such/folder"])
def test_a_folder_that_may_not_be_indexed_is_refused(folder: str, tmp_path: Path) -> None:
    with pytest.raises(BadQuery):
        paparatsd.open_index(folder, state_dir=tmp_path / "state")


def test_every_public_name_is_there_and_documented() -> None:
    for name in paparatsd.__all__:
        assert getattr(paparatsd, name) is not None
        assert name in dir(paparatsd)
        assert name == "__version__" or getattr(paparatsd, name).__doc__
    with pytest.raises(AttributeError, match="nonsense"):
        _ = paparatsd.nonsense

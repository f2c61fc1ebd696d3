"""Raw events become one batch per project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.model import ChangeBatch
from paparatsd.sources.watch_route import ProjectRoute, Routes, covering_batch, route

if TYPE_CHECKING:
    from pathlib import Path

PROJECT = ProjectRoute("p", "/src/p", frozenset({"", "lib"}))
ROUTES = Routes(
    roots={"/src/p": (PROJECT,)},
    git={"/src/p/.git": (("p", None),), "/src/common": (("p", frozenset({"HEAD"})),)},
)


def same(path: str) -> str:
    return path


def batch_of(*events: tuple[int, str], routes: Routes = ROUTES) -> ChangeBatch | None:
    return route(events, routes, same).batches.get("p")


def test_paths_are_relative_to_the_root_of_the_project() -> None:
    assert batch_of((2, "/src/p/lib/a.py"), (1, "/src/p/b.py")) == ChangeBatch(
        frozenset({"lib/a.py", "b.py"})
    )


def test_events_below_undeclared_directories_are_dropped() -> None:
    assert batch_of((2, "/src/p/node_modules/x/y.js")) is None


def test_events_beside_the_root_are_dropped() -> None:
    assert batch_of((2, "/src/pp/a.py"), (2, "/src/a.py")) is None


def test_a_declared_directory_is_reported_although_its_parent_is_not_declared() -> None:
    nested = ProjectRoute("p", "/src/p", frozenset({"a/b"}))
    assert batch_of((3, "/src/p/a/b"), routes=Routes({"/src/p": (nested,)})) == ChangeBatch(
        frozenset({"a/b"})
    )


def test_nested_projects_both_hear_of_a_change() -> None:
    outer = ProjectRoute("outer", "/src", frozenset({"", "p"}))
    routed = route(
        [(2, "/src/p/a.py")], Routes({"/src": (outer,), "/src/p": (PROJECT,)}), same
    ).batches
    assert routed["outer"].paths == {"p/a.py"}
    assert routed["p"].paths == {"a.py"}


@pytest.mark.parametrize("name", ["HEAD", "index", "packed-refs", "config"])
def test_a_change_below_git_paths_moves_the_head(name: str) -> None:
    assert batch_of((1, f"/src/p/.git/{name}")) == ChangeBatch(head=True)


@pytest.mark.parametrize("name", ["index.lock", "COMMIT_EDITMSG", "FETCH_HEAD"])
def test_churn_of_git_itself_is_not_a_move(name: str) -> None:
    assert batch_of((1, f"/src/p/.git/{name}")) is None


def test_only_the_named_files_of_a_shared_git_directory_count() -> None:
    assert batch_of((2, "/src/common/description")) is None
    assert batch_of((2, "/src/common/HEAD")) == ChangeBatch(head=True)


def test_more_paths_than_the_limit_are_doubt() -> None:
    wide = ProjectRoute("p", "/src/p", frozenset({f"d{n}" for n in range(10)}))
    events = [(1, f"/src/p/d{n % 10}/{n}") for n in range(501)]
    assert batch_of(*events, routes=Routes({"/src/p": (wide,)})) == ChangeBatch(
        doubt="many_changes"
    )
    assert batch_of(*events[:500], routes=Routes({"/src/p": (wide,)})) == ChangeBatch(
        frozenset(path[len("/src/p/") :] for _, path in events[:500])
    )


def test_many_paths_in_one_directory_are_doubt() -> None:
    assert batch_of(*[(1, f"/src/p/lib/{n}") for n in range(129)]) == ChangeBatch(
        doubt="many_changes"
    )


@pytest.mark.parametrize(("change", "doubt"), [(3, "root_moved"), (1, "root_moved"), (2, None)])
def test_a_root_that_appears_or_goes_is_doubt(change: int, doubt: str | None) -> None:
    batch = batch_of((change, "/src/p"))
    assert (batch.doubt if batch else None) == doubt


def test_a_nested_repository_that_appears_changes_its_directory() -> None:
    assert batch_of((1, "/src/p/lib/.git")) == ChangeBatch(frozenset({"lib"}))
    assert batch_of((2, "/src/p/lib/.git")) is None


def test_a_plain_folder_that_becomes_a_repository_is_doubt() -> None:
    assert batch_of((1, "/src/p/.git")) == ChangeBatch(doubt="git_moved", head=True)


def test_names_keep_every_character() -> None:
    name = "a\n\t'\"\x1b\u202e-é" + "x" * 200
    assert batch_of((1, f"/src/p/{name}")) == ChangeBatch(frozenset({name}))


def test_a_name_that_is_not_utf8_is_reported_through_its_directory() -> None:
    assert batch_of((1, "/src/p/lib/\udcff.py")) == ChangeBatch(frozenset({"lib"}))
    assert batch_of((1, "/src/p/\udcff.py")) == ChangeBatch(doubt="undecodable_name")
    assert batch_of((1, "/src/p/.git/\udcff")) == ChangeBatch(head=True)


def test_events_through_a_link_are_dropped_but_the_link_itself_is_reported(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "p"
    (tmp_path / "outside").mkdir()
    root.mkdir()
    (root / "lib").symlink_to(tmp_path / "outside")
    project = ProjectRoute("p", str(root), frozenset({"", "lib"}))
    routed = route([(2, f"{root}/lib/secret"), (1, f"{root}/lib")], Routes({str(root): (project,)}))
    assert routed.batches == {"p": ChangeBatch(frozenset({"lib"}))}


def test_names_that_came_or_went_void_their_watches() -> None:
    routed = route([(1, "/src/p/lib"), (3, "/x"), (2, "/src/p/b")], ROUTES, same)
    assert routed.moved == {"/src/p/lib", "/x"}


def test_a_few_newly_watched_directories_are_named() -> None:
    assert covering_batch(PROJECT, {"/src/p/lib"}, head=False) == ChangeBatch(frozenset({"lib"}))


def test_a_newly_watched_root_is_doubt() -> None:
    assert covering_batch(PROJECT, {"/src/p", "/src/p/lib"}, head=True) == ChangeBatch(
        doubt="watch_started", head=True
    )

"""What is published in a server for others: cut into parts, read back whole, never trusted."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from paparatsd.errors import BadReply
from paparatsd.model import GroupName, ProjectEntry, ProjectName, RepoId
from paparatsd.settings import StoreSettings
from paparatsd.sharing.followed_projects import FollowedProjects, chosen, named
from paparatsd.store.carried import from_payload, to_payload
from paparatsd.store.catalog import Catalog
from paparatsd.store.packed import pack_version
from paparatsd.store.server import ServerStore
from paparatsd.store.server_presence import Installation
from paparatsd.store.shared_index import (
    PART,
    PROJECT,
    VERSION,
    SharedIndex,
    SharedProject,
    cut_view,
    number_of,
    open_part,
)
from tests.harness.catalog_rows import version_row
from tests.harness.qdrant_double import QdrantDouble, running_double

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from paparatsd.store.carried import CarriedVersion

A, B = "a" * 16, "b" * 16
REPO = RepoId("lineage")
ROWS = [
    version_row(REPO, "a.py", "sleep dig whistle"),
    version_row(REPO, "b.md", "how marmots sleep"),
    version_row(REPO, "empty.py", ""),
]


def project(owner: str = A, name: str = "shop", **fields: Any) -> SharedProject:
    made = SharedProject(
        owner=owner,
        name=name,
        host="box",
        group="money",
        root="/src/shop",
        repo=REPO,
        generation=3,
        branch="main",
        commit=None,
        files="f",
        vectors="v",
        dimension=8,
        docs_kind="auto",
        docs_audience="internal",
        state="ready",
        parts=("p1", "p2"),
    )
    return replace(made, **fields)


@pytest.fixture(scope="module")
def double(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QdrantDouble]:
    with running_double(tmp_path_factory.mktemp("double")) as running:
        yield running


@pytest_asyncio.fixture
async def shared(double: QdrantDouble) -> AsyncIterator[SharedIndex]:
    double.forget()
    store = ServerStore(StoreSettings(qdrant_url=double.url, timeout_s=2.0), A)
    await store.start()
    yield SharedIndex(store.link, store.layout)
    await store.stop()


@pytest.fixture
def carried(tmp_path: Path) -> list[CarriedVersion]:
    with closing(Catalog.open(tmp_path / "catalog.sqlite3")) as catalog:
        catalog.ensure_repo("/src/shop", REPO)
        catalog.write_versions(ROWS)
        return catalog.read.carried([row.id for row in ROWS])


# --------------------------------------------------------------------------- views in parts


def test_a_view_comes_back_from_its_parts_and_a_save_changes_one_of_them() -> None:
    view = {f"src/file{n}.py": n + 1 for n in range(5_000)}

    parts = cut_view(view)

    assert 8 <= len(parts) <= 16
    opened = [open_part(text) for text in parts.values()]
    assert {path: version for part in opened for path, version in part.items()} == view
    assert sum(map(len, opened)) == len(view)
    changed = cut_view({**view, "src/file7.py": 77})
    assert len(changed.keys() - parts.keys()) == 1
    assert cut_view(view) == parts
    assert cut_view({}) == {}


@pytest.mark.parametrize("text", ["", "no base64!", "YWJj", "eJyrVkrLz1eyUkpKLFKqBQAdegQ0"])
def test_a_damaged_part_is_refused(text: str) -> None:
    with pytest.raises(BadReply):
        open_part(text)


# --------------------------------------------------------------------------- files


def test_a_version_arrives_as_it_was_written(carried: list[CarriedVersion]) -> None:
    arrived = {one.path: from_payload(one.id, to_payload(one)) for one in carried}

    assert arrived == {row.path: pack_version(row) for row in ROWS}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("path", "other.py"), ("content", "AAAA"), ("chunks", "AAAA"), ("symbols", "eJwDAAAAAAE="),
        ("uses", 7), ("record", "###"), ("document", ["a"]), ("lines", "many"), ("repo", None),
    ],
)  # fmt: skip
def test_a_version_that_is_not_what_its_id_says_is_refused(
    carried: list[CarriedVersion], field: str, value: object
) -> None:
    one = carried[0]

    with pytest.raises(BadReply):
        from_payload(one.id, {**to_payload(one), field: value})


# --------------------------------------------------------------------------- the server


async def test_what_is_published_is_read_back_and_each_installation_removes_its_own(
    shared: SharedIndex, carried: list[CarriedVersion]
) -> None:
    ids = [int(one.id) for one in carried]
    for owner in (A, B):
        await shared.put_versions(owner, carried)
        await shared.put_parts(owner, {"p1": cut_view({"a.py": 1}).popitem()[1]})
        await shared.put_project(project(owner))

    found = await shared.versions(A, [*ids, 12345])
    assert sorted(one.path for one in found) == ["a.py", "b.md", "empty.py"]
    assert await shared.parts(A, ["p1", "gone"]) == {"p1": {"a.py": 1}}
    assert await shared.projects([A, B]) == [project(A), project(B)]
    assert await shared.projects([]) == []
    listed = await shared.listed(A)
    assert listed == {VERSION: set(ids), PART: {number_of("p1")}, PROJECT: {number_of("shop")}}

    for what, numbers in listed.items():
        await shared.remove(A, what, numbers)

    assert await shared.listed(A) == {VERSION: set(), PART: set(), PROJECT: set()}
    assert len(await shared.versions(B, ids)) == 3
    assert await shared.projects([A, B]) == [project(B)]


async def test_nothing_published_is_an_empty_list(shared: SharedIndex) -> None:
    assert await shared.projects([A]) == []
    assert await shared.parts(A, ["p1"]) == {}
    assert await shared.versions(A, [1]) == []
    await shared.remove(A, PART, [1])


# --------------------------------------------------------------------------- names here


def test_two_projects_of_one_name_get_two_names_that_stay() -> None:
    first = named([project(A), project(B)], {})
    assert [one.name for one in first] == ["shop", "shop-bbbbbb"]

    known = {(one.project.owner, one.project.name): str(one.name) for one in first}
    again = named([project(B, generation=9)], known)

    assert [one.name for one in again] == ["shop-bbbbbb"]
    assert again[0].entry == ProjectEntry(
        ProjectName("shop-bbbbbb"), "box:/src/shop", GroupName("money"), hooks=False
    )


@pytest.mark.parametrize("fields", [{"name": "../etc"}, {"name": "a b"}, {"group": "x/y"}])
def test_a_name_that_no_project_may_have_is_left_out(fields: dict[str, str]) -> None:
    assert named([project(**fields)], {}) == []


def test_who_is_followed_can_be_named_by_host_or_by_id() -> None:
    def installation(owner: str, host: str, *, publishes: bool = True) -> Installation:
        return Installation(owner, host, "1", "s", 1, 0.0, publishes=publishes)

    all_of_them = [
        installation(A, "box"), installation(B, "den"), installation("c" * 16, "x", publishes=False)
    ]  # fmt: skip

    assert [one.host for one in chosen(all_of_them, ())] == ["box", "den"]
    assert [one.host for one in chosen(all_of_them, ("den",))] == ["den"]
    assert [one.host for one in chosen(all_of_them, ("aaaa", "x"))] == ["box"]


def test_the_list_holds_what_the_catalog_knows_until_the_server_was_asked() -> None:
    entry = named([project()], {})[0].entry
    projects = FollowedProjects([entry])

    assert projects.read().problems
    assert projects.registry.entries == (entry,)
    assert projects.replace([entry])
    assert projects.changed()
    assert projects.read().problems == ()
    assert not projects.changed()
    assert not projects.replace([entry])
    assert projects.replace([])

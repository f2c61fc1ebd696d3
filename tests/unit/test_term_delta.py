"""How a change of a view moves its frequencies: by its records, or by way of a view beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.chunks.fields import lexical_vectors
from paparatsd.chunks.limits import ChunkLimits
from paparatsd.chunks.packing import build_record
from paparatsd.chunks.parse import parse_file
from paparatsd.embeddings.static import StaticModel
from paparatsd.indexing.terms import delta_by_way_of_another, term_delta
from paparatsd.model import ContentId, Fingerprint, GroupName, ProjectEntry, ProjectName, Stat
from paparatsd.store.catalog import Catalog
from paparatsd.store.ids import version_id
from paparatsd.store.rows import VersionRow, ViewChange, ViewEntry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from paparatsd.model import RepoId, VersionId

FILES = 400
PRINT = Fingerprint("f")
STAT = Stat(1, 1, 1, 1)


@pytest.fixture(scope="module")
def records() -> tuple[bytes, ...]:
    model = StaticModel.load()
    made = []
    for word in ("marmot", "badger", "otter"):
        parsed = parse_file("a.py", f"def dig_{word}(depth):\n    return {word}\n", ChunkLimits())
        made.append(build_record("a.py", parsed, lexical_vectors("a.py", parsed), model.encode))
    return tuple(made)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    opened = Catalog.open(tmp_path / "catalog.sqlite3")
    yield opened
    opened.close()


def write(catalog: Catalog, repo: RepoId, name: str, record: bytes) -> dict[str, VersionId]:
    """Write one version a path, all with one record; return them by path."""
    rows = []
    for number in range(FILES):
        path, content = f"{number}.py", ContentId(name.encode().ljust(32))
        ident = version_id(repo, path, content, PRINT)
        rows.append(
            VersionRow(ident, repo, path, content, PRINT, "python", 1, 1, (), (), (), record)
        )
    catalog.write_versions(rows)
    return {row.path: row.id for row in rows}


def add(catalog: Catalog, repo: RepoId, name: str) -> int:
    return catalog.add_project(ProjectEntry(ProjectName(name), f"/{name}", GroupName("g")), repo)


def show(
    catalog: Catalog, project: int, shown: dict[str, VersionId], gone: Sequence[VersionId]
) -> None:
    terms = term_delta(catalog.read, list(shown.values()), gone)
    entries = {path: ViewEntry(version, STAT) for path, version in shown.items()}
    catalog.commit_generation(project, ViewChange(set=entries, terms=terms))


def counted(
    catalog: Catalog, come: Sequence[VersionId], gone: Sequence[VersionId], project: int
) -> None:
    """Hold what is taken from another view against what the records say."""
    found = delta_by_way_of_another(catalog.read, project, come, gone)
    expected = term_delta(catalog.read, come, gone)
    assert found is not None
    assert expected is not None
    assert found.ids.tolist() == expected.ids.tolist()
    assert found.counts.tolist() == expected.counts.tolist()
    assert found.chunks == expected.chunks


def test_a_new_work_tree_takes_the_frequencies_of_its_neighbour(
    catalog: Catalog, records: tuple[bytes, ...]
) -> None:
    repo = catalog.ensure_repo("/r", None)
    first, other = (write(catalog, repo, f"{n}", records[n]) for n in range(2))
    main = add(catalog, repo, "main")
    show(catalog, main, first, ())
    project = add(catalog, repo, "tree")

    counted(catalog, list(first.values()), (), project)
    mixed = {**first, "0.py": other["0.py"], "1.py": other["1.py"]}
    counted(catalog, list(mixed.values())[1:], (), project)


def test_a_branch_that_comes_back_takes_them_from_where_it_still_is(
    catalog: Catalog, records: tuple[bytes, ...]
) -> None:
    repo = catalog.ensure_repo("/r", None)
    first, other, third = (write(catalog, repo, f"{n}", records[n]) for n in range(3))
    show(catalog, add(catalog, repo, "tree"), first, ())
    main = add(catalog, repo, "main")
    show(catalog, main, other, ())

    counted(catalog, list(first.values()), list(other.values()), main)
    come = first | {"7.py": third["7.py"]}
    counted(catalog, list(come.values()), list(other.values()), main)


def test_a_small_change_is_counted_by_its_records(
    catalog: Catalog, records: tuple[bytes, ...]
) -> None:
    repo = catalog.ensure_repo("/r", None)
    first, other = (write(catalog, repo, f"{n}", records[n]) for n in range(2))
    show(catalog, add(catalog, repo, "tree"), first, ())
    main = add(catalog, repo, "main")
    show(catalog, main, {**first, "1.py": other["1.py"]}, ())

    assert delta_by_way_of_another(catalog.read, main, [first["1.py"]], [other["1.py"]]) is None


def test_a_view_of_another_repository_or_far_away_is_none_to_take_from(
    catalog: Catalog, records: tuple[bytes, ...]
) -> None:
    repo, stranger = catalog.ensure_repo("/r", None), catalog.ensure_repo("/s", None)
    first, other = (write(catalog, repo, f"{n}", records[n]) for n in range(2))
    foreign = write(catalog, stranger, "foreign", records[0])
    show(catalog, add(catalog, stranger, "stranger"), foreign, ())
    show(catalog, add(catalog, repo, "tree"), other, ())
    project = add(catalog, repo, "main")

    assert delta_by_way_of_another(catalog.read, project, list(first.values()), ()) is None

"""A project for the symbol graph, held in memory: parsed as a worker does, stored nowhere."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.limits import ChunkLimits
from paparatsd.chunks.parse import parse_file
from paparatsd.graph.files import Files
from paparatsd.graph.resolve import Resolver, symbol_of
from paparatsd.graph.source import Tree, read_tree
from paparatsd.model import GroupName, Head, ProjectEntry, ProjectName, RepoId, VersionId
from paparatsd.store.names import fold_name
from paparatsd.store.packed import LABELS, pack_file
from paparatsd.store.rows import Definition, FilePacks, ProjectRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from paparatsd.graph.resolve import Resolution
    from paparatsd.model import Fact, ParsedFile, Use


@dataclass
class MemorySource:
    """What a catalog would answer about these files; `asked` counts the packs that were read."""

    parsed: dict[str, ParsedFile]
    project_id: int = 1
    asked: list[VersionId] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Give the files numbers; versions are numbers that no other project has."""
        first = self.project_id * 100_000
        self.paths = sorted(self.parsed)
        self.ids = {path: VersionId(first + at) for at, path in enumerate(self.paths)}
        self.packed = {self.ids[path]: pack_file(self.parsed[path]) for path in self.paths}

    def view_versions(self, project_id: int) -> tuple[list[str], NDArray[np.int64]]:
        assert project_id == self.project_id
        return list(self.paths), np.array([self.ids[path] for path in self.paths], np.int64)

    def packs_of(self, ids: Iterable[VersionId]) -> Iterator[tuple[VersionId, FilePacks]]:
        for one in ids:
            self.asked.append(one)
            file = self.packed[one]
            yield one, FilePacks(file.language, file.symbols, file.uses, file.facts)

    def symbols_named(self, names: Iterable[str]) -> dict[str, list[Definition]]:
        return {
            name: [
                Definition(
                    one.name, self.ids[path], at, one.kind, one.start_line, one.end_line,
                    one.chunk, one.container, one.exported,
                )
                for path in self.paths
                for at, one in enumerate(self.parsed[path].symbols)
                if fold_name(one.name) == fold_name(name)
            ]
            for name in names
        }  # fmt: skip

    def users_of(self, names: Iterable[str]) -> dict[str, dict[VersionId, int]]:
        counts = {name: {self.ids[p]: self._uses(p, name) for p in self.paths} for name in names}
        return {
            name: {version: times for version, times in found.items() if times}
            for name, found in counts.items()
        }

    def _uses(self, path: str, name: str) -> int:
        return sum(use.name == name for use in self.parsed[path].uses)

    def labelled(self, kind: str, names: Iterable[str]) -> dict[str, list[VersionId]]:
        known = self.labels(kind, self.ids.values())
        return {name: known[name] for name in names if name in known}

    def labels(self, kind: str, ids: Iterable[VersionId]) -> dict[str, list[VersionId]]:
        assert kind in LABELS
        wanted = set(ids)
        found: dict[str, list[VersionId]] = {}
        for path in self.paths:
            for fact in self.parsed[path].facts:
                if fact.kind == kind and self.ids[path] in wanted:
                    found.setdefault(fact.name, []).append(self.ids[path])
        return found


@dataclass(frozen=True)
class Project:
    """A tree over files in memory, and short ways to ask about it."""

    source: MemorySource
    tree: Tree

    def resolver(self, *others: Project) -> Resolver:
        return Resolver(self.tree, [one.tree for one in others])

    def use(self, path: str, line: int, name: str) -> Use:
        file = self.tree.file(path)
        assert file is not None
        found = [use for use in file.uses_of(name) if use.line == line]
        assert found, f"{path}:{line} does not use {name}: {[*file.uses]}"
        return found[0]

    def meaning(self, path: str, line: int, name: str, *others: Project) -> Resolution:
        file = self.tree.file(path)
        assert file is not None
        return self.resolver(*others).resolve(file, self.use(path, line, name))

    def means(self, path: str, line: int, name: str, *others: Project) -> list[str]:
        """Return "path:qualified" of each definition that is meant for sure, else nothing."""
        found = self.meaning(path, line, name, *others)
        return spelled(found) if found.certainty == "exact" else []


def spelled(found: Resolution) -> list[str]:
    """Return "path:qualified" of each target; of whole files the path alone."""
    names = []
    for target in found.targets:
        symbol = symbol_of(target)
        names.append(f"{target.path}:{symbol.qualified}" if symbol else target.path)
    return names


def project(
    files: Mapping[str, str],
    facts: Mapping[str, Sequence[Fact]] | None = None,
    *,
    name: str = "app",
    project_id: int = 1,
) -> Project:
    """Parse these texts; `facts` are added to what their files say."""
    parsed = {path: parse_file(path, text, ChunkLimits()) for path, text in files.items()}
    for path, more in (facts or {}).items():
        parsed[path] = replace(parsed[path], facts=(*parsed[path].facts, *more))
    source = MemorySource(parsed, project_id)
    entry = ProjectEntry(ProjectName(name), f"/projects/{name}", GroupName("g"))
    row = ProjectRow(
        project_id, entry, RepoId("r"), 1, Head(), len(files), 0, 0, 0, None,
    )  # fmt: skip
    return Project(source, read_tree(source, Files(), row))

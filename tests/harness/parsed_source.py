"""A project held in memory, as the symbol graph reads one: texts in, a tree out."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from paparatsd.chunks.parse import ChunkLimits, parse_file
from paparatsd.graph.files import Files
from paparatsd.graph.source import Tree
from paparatsd.model import Fact, GroupName, ProjectEntry, ProjectName, VersionId
from paparatsd.store.packs import pack_facts, pack_symbols, pack_uses
from paparatsd.store.rows import Definition, FilePacks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from paparatsd.model import ParsedFile
    from paparatsd.store.rows import ProjectRow


class ParsedSource:
    """Parsed texts by path. `facts` are added to those of the files, for manifests."""

    def __init__(self, texts: Mapping[str, str], facts: Mapping[str, tuple[Fact, ...]]) -> None:
        self.paths = sorted(texts)
        self._parsed: dict[int, ParsedFile] = {
            at: parse_file(path, texts[path], ChunkLimits()) for at, path in enumerate(self.paths)
        }
        self._facts = {
            at: (*self._parsed[at].facts, *facts.get(path, ()))
            for at, path in enumerate(self.paths)
        }
        self._defined: dict[str, list[Definition]] = {}
        self._used: dict[str, dict[VersionId, int]] = {}
        for at, parsed in self._parsed.items():
            self._note(VersionId(at), parsed)

    def _note(self, version: VersionId, parsed: ParsedFile) -> None:
        for ordinal, one in enumerate(parsed.symbols):
            row = Definition(
                one.name, version, ordinal, one.kind, one.start_line, one.end_line,
                one.chunk, one.container, one.exported,
            )  # fmt: skip
            self._defined.setdefault(one.name.casefold(), []).append(row)
        for use in parsed.uses:
            counts = self._used.setdefault(use.name, {})
            counts[version] = counts.get(version, 0) + 1

    def view_versions(self, project_id: int) -> tuple[list[str], NDArray[np.int64]]:
        """Return the paths and their versions."""
        del project_id
        return self.paths, np.arange(len(self.paths), dtype=np.int64)

    def packs_of(self, ids: Iterable[VersionId]) -> Iterator[tuple[VersionId, FilePacks]]:
        """Yield the packs of versions."""
        for version in ids:
            one = self._parsed[version]
            packs = pack_symbols(one.symbols), pack_uses(one.uses), pack_facts(self._facts[version])
            yield version, FilePacks(one.language, *packs)

    def symbols_named(self, names: Iterable[str]) -> dict[str, list[Definition]]:
        """Return where names are defined, folded."""
        return {name: self._defined.get(name.casefold(), []) for name in names}

    def users_of(self, names: Iterable[str]) -> dict[str, dict[VersionId, int]]:
        """Return who uses a name."""
        return {name: self._used.get(name, {}) for name in names}

    def labelled(self, kind: str, names: Iterable[str]) -> dict[str, list[VersionId]]:
        """Return the versions with a fact of this kind about each name."""
        found = self.labels(kind, map(VersionId, self._parsed))
        return {name: found.get(name, []) for name in names}

    def labels(self, kind: str, ids: Iterable[VersionId]) -> dict[str, list[VersionId]]:
        """Return the versions with a fact of this kind, by name."""
        found: dict[str, list[VersionId]] = {}
        for version in ids:
            for fact in self._facts[version]:
                if fact.kind == kind:
                    found.setdefault(fact.name, []).append(version)
        return found


def tree_of(texts: Mapping[str, str], facts: Mapping[str, tuple[Fact, ...]] | None = None) -> Tree:
    """Make the tree of a project with these files."""
    source = ParsedSource(texts, facts or {})
    entry = ProjectEntry(ProjectName("p"), "/p", GroupName("g"))
    row = cast("ProjectRow", _Row(entry))
    return Tree(source, Files(), row, source.view_versions(1))


class _Row:
    """What a tree reads of a project's row."""

    def __init__(self, entry: ProjectEntry) -> None:
        self.id = 1
        self.entry = entry
        self.generation = 1

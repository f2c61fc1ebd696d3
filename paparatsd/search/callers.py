"""Who uses a name: answered from the symbol rows, file by file, the nearest to code first.

Uses are found by the name itself; with a qualifier (`Session.send`) those come first whose
receiver, file or surroundings say so.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.names import NOISE
from paparatsd.chunks.priors import Prior, path_priors
from paparatsd.search.focus import Part, cut_out, whole
from paparatsd.search.merging import merge_hits
from paparatsd.search.results import Winner
from paparatsd.search.spelling import exact_spellings, split_qualified
from paparatsd.search.symbols import CALLABLE, TYPES
from paparatsd.search_model import Confidence

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from paparatsd.chunks.record import Definition, RankRecord
    from paparatsd.model import Chunk, VersionId
    from paparatsd.search.query import Query
    from paparatsd.search.results import Results
    from paparatsd.search.scope import Scope
    from paparatsd.search.shelf import Shelf
    from paparatsd.search.symbols import SymbolReader
    from paparatsd.search.views import ProjectView
    from paparatsd.search_model import Hit

MAX_FILES, MAX_QUALIFIED_FILES = 24, 8
"""Files whose uses are read for one question."""
PER_FILE = 2
"""Callers of one file before those of the next; the rest follow when there is room."""
LONG_LINES = 40
"""Of a longer caller only the lines around the calls are shown."""
AROUND_LINES = 8
IMPORT = "import"
_ASIDE = Prior.TEST | Prior.EXAMPLE | Prior.DOCS | Prior.VENDORED
_WANTED = {"test": Prior.TEST, "example": Prior.EXAMPLE, "docs": Prior.DOCS}
_AROUND = CALLABLE | TYPES | {"impl"}


@dataclass(frozen=True, slots=True)
class Caller:
    """A definition (None: a file's own code) that uses the name, and in which lines.

    view, row: the file, as in the searched views. ordinal: the chunk that has the first use.
    qualified: the qualifier of the question fits, or it has none. imported: the file only imports
    or re-exports the name.
    """

    view: int
    row: int
    version: int
    ordinal: int
    lines: tuple[int, ...]
    definition: Definition | None
    qualified: bool = True
    imported: bool = False

    @property
    def rank(self) -> tuple[bool, bool]:
        """What counts before the order of files: the qualifier, and that it does use the name."""
        return not self.qualified, self.imported


@dataclass(frozen=True, slots=True)
class Callers:
    """The callers found, best first; `files` is how many files of the scope use the name.

    `name` is the spelling that was found, "" when nothing uses the name.
    """

    name: str
    found: tuple[Caller, ...]
    files: int

    @property
    def note(self) -> str:
        """One sentence for the reader."""
        files = "1 file" if self.files == 1 else f"{self.files} files"
        return f"Uses of '{self.name}' by name, from the symbol rows: {files}."


def find_callers(
    query: Query,
    reader: SymbolReader,
    shelf: Shelf,
    views: Sequence[ProjectView],
    allowed: Sequence[NDArray[np.bool_]],
    limit: int,
) -> Callers:
    """Return up to `limit` users of the name that a question asks for (`query.callers_of`).

    `allowed`: per view the rows that the filters let through.
    """
    qualifiers, asked = split_qualified(query.callers_of or "")
    users = reader.users_of([asked, *exact_spellings(asked), *qualifiers[-1:]])
    near = users.get(qualifiers[-1], {}) if qualifiers else {}
    most = MAX_QUALIFIED_FILES if qualifiers else MAX_FILES
    for name in (asked, *exact_spellings(asked)):
        if name in NOISE:
            continue
        files = _files(users.get(name, {}), near, views, allowed, query.about)
        if files:
            finder = _Finder(reader, shelf, name, qualifiers, views)
            return Callers(name, finder.callers(files[:most], limit), len(files))
    return Callers("", (), 0)


def _files(
    users: Mapping[VersionId, int],
    near: Collection[VersionId],
    views: Sequence[ProjectView],
    allowed: Sequence[NDArray[np.bool_]],
    about: frozenset[str],
) -> list[tuple[int, int, int]]:
    """Return (view, row, version) of files that use the name: code first, then by number of uses.

    What the question asks for by word (tests, examples) comes before other code, and what uses
    the qualifier as well (`near`) before what does not.
    """
    both = {int(version) for version in near}
    counts = {int(version): times for version, times in users.items()}
    versions = np.fromiter(counts, np.int64, len(counts))
    wanted = Prior(sum(int(prior) for topic, prior in _WANTED.items() if topic in about))
    found: dict[int, tuple[tuple[bool, bool, bool, int, str], tuple[int, int, int]]] = {}
    for number, (view, mask) in enumerate(zip(views, allowed, strict=True)):
        for version, row in zip(versions.tolist(), view.rows_of(versions).tolist(), strict=True):
            if row < 0 or not mask[row] or version in found:
                continue
            path = view.paths[row]
            prior = path_priors(path)
            aside = bool(prior & _ASIDE & ~wanted)
            key = (not prior & wanted, aside, version not in both, -counts[version], path)
            found[version] = (key, (number, row, version))
    return [file for _, file in sorted(found.values())]


@dataclass(frozen=True, slots=True)
class _Finder:
    """Reads the uses of one name."""

    reader: SymbolReader
    shelf: Shelf
    name: str
    qualifiers: tuple[str, ...]
    views: Sequence[ProjectView]

    def callers(self, files: Iterable[tuple[int, int, int]], limit: int) -> tuple[Caller, ...]:
        """Read files until there are enough callers; a definition's calls of itself come last."""
        first: list[Caller] = []
        further: list[Caller] = []
        for file in files:
            found = sorted(self._in_file(*file), key=_rank)
            first += found[:PER_FILE]
            further += found[PER_FILE:]
            if sum(not any(one.rank) and not self._is_itself(one) for one in first) >= limit:
                break
        order = sorted((*first, *further), key=_rank)
        outside = [one for one in order if not self._is_itself(one)]
        return tuple((outside or order)[:limit])

    def _is_itself(self, caller: Caller) -> bool:
        return caller.definition is not None and caller.definition.name == self.name

    def _in_file(self, view: int, row: int, version: int) -> Iterator[Caller]:
        """Yield the users in one file, in its order; imports only when there is nothing else."""
        record = self.shelf.records([version]).get(version)
        if record is None:
            return
        uses, imported = self._uses(version)
        groups: dict[int, list[tuple[int, str]]] = {}
        for use in uses:
            groups.setdefault(_innermost(record, use[0]), []).append(use)
        for place, inside in groups.items():
            definition = record.definitions[place] if place >= 0 else None
            lines = tuple(sorted({line for line, _ in inside}))
            ordinal = _chunk_at(record, lines[0])
            receivers = {receiver for _, receiver in inside}
            fits = self._fits(receivers, definition, self.views[view].paths[row])
            yield Caller(view, row, version, ordinal, lines, definition, fits, imported)

    def _uses(self, version: int) -> tuple[list[tuple[int, str]], bool]:
        """Return (line, receiver) of the uses in a file, and whether they are imports only.

        Without a qualifier receivers do not matter: what is kept in memory will do.
        """
        if not self.qualifiers:
            kept = self.shelf.uses(version)
            lines = [line for line, name in zip(*kept, strict=True) if name == self.name]
            if lines:
                return [(line, "") for line in lines], False
        every = [use for use in self.reader.uses_of(version) if use.name == self.name]
        real = [use for use in every if use.kind != IMPORT]
        return [(use.line, use.receiver) for use in real or every], not real

    def _fits(self, receivers: set[str], definition: Definition | None, path: str) -> bool:
        """Say whether a qualifier is what is used upon, or what the use stands in."""
        if not self.qualifiers:
            return True
        owner = self.qualifiers[-1].lower()
        upon = {split_qualified(receiver)[1].lower() for receiver in receivers}
        around = definition.qualified.lower().split(".") if definition is not None else []
        return owner in upon or owner in around or owner in path.lower().split("/")


def _rank(caller: Caller) -> tuple[bool, bool]:
    return caller.rank


def _innermost(record: RankRecord, line: int) -> int:
    """Return the number of the smallest function or type around a line, -1 for none."""
    best, size = -1, 0
    for place, one in enumerate(record.definitions):
        if one.start_line <= line <= one.end_line and one.kind in _AROUND:
            length = one.end_line - one.start_line
            if best < 0 or length <= size:
                best, size = place, length
    return best


def _chunk_at(record: RankRecord, line: int) -> int:
    """Return the ordinal of the last chunk that begins at or above a line."""
    starts = record.chunk_lines[:, 0].tolist()
    return max(0, bisect_right(starts, line) - 1)


def shown_part(caller: Caller, chunk: Chunk) -> Part:
    """Return what to show of a caller: its definition, of a long one the lines of the calls."""
    if caller.definition is None or caller.ordinal != chunk.ordinal:
        return whole(chunk)
    one = caller.definition
    first, last = one.lead_line, one.end_line
    if last - first + 1 > LONG_LINES:
        near = [line for line in caller.lines if line < caller.lines[0] + LONG_LINES]
        first = max(first, near[0] - AROUND_LINES)
        last = min(last, near[-1] + AROUND_LINES)
    return cut_out(chunk, one, [one._replace(lead_line=first, end_line=last)])


def as_winner(caller: Caller, scope: Scope, views: Sequence[ProjectView]) -> Winner:
    """Return a caller as a chosen chunk: it does use the name, so that nothing is guessed."""
    view = views[caller.view]
    return Winner(
        project=scope.projects[caller.view].name,
        path=view.paths[caller.row],
        language=view.language_names[int(view.languages[caller.row])],
        version=caller.version,
        ordinal=caller.ordinal,
        score=1.0 if caller.qualified else 0.5,
        confidence=Confidence.HIGH if caller.qualified else Confidence.PARTIAL,
        certain=True,
    )


def caller_hits(
    callers: Callers, scope: Scope, views: Sequence[ProjectView], results: Results
) -> tuple[Hit, ...]:
    """Return the callers as hits, those whose file is gone left out.

    Neighbours stay hits of their own; what shares lines with another one is shown with it.
    """
    hits = []
    for caller in callers.found:
        winner = as_winner(caller, scope, views)
        hit = results.part_hit(winner, partial(shown_part, caller))
        if hit is not None:
            hits.append(hit)
    return merge_hits(hits, max_gap=-1)

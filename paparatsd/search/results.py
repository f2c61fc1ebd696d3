"""From chosen chunks to hits, and from addresses to chunks."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paparatsd.chunks.address import (
    LineAddress,
    NamedAddress,
    format_address,
    parse_address,
)
from paparatsd.errors import UnknownAddress, UnknownProject
from paparatsd.model import ChunkView, Confidence, Hit
from paparatsd.search.diversity import overlap

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paparatsd.chunks.address import Address
    from paparatsd.model import Chunk, ProjectName, Use
    from paparatsd.search.scope import Scope
    from paparatsd.search.shelf import Shelf
    from paparatsd.search.views import ProjectView

MAX_NAMES = 8
"""Defined and used names shown per hit."""
IMPORT = "import"


@dataclass(frozen=True, slots=True)
class Winner:
    """A chosen chunk of a version, where it is shown, and how it was scored."""

    project: ProjectName
    path: str
    language: str
    version: int
    ordinal: int
    score: float
    confidence: Confidence
    also_in: tuple[ProjectName, ...] = ()
    signals: Mapping[str, float] = field(default_factory=dict)


class Results:
    """Fills winners with text and names from the catalog."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def hits(self, winners: Sequence[Winner]) -> tuple[Hit, ...]:
        """Return the hits of these winners; one whose chunk is gone is left out."""
        hits = (self._hit(winner) for winner in winners)
        return tuple(hit for hit in hits if hit is not None)

    def _hit(self, winner: Winner) -> Hit | None:
        chunks = self._shelf.chunks(winner.version)
        if winner.ordinal >= len(chunks):
            return None
        chunk = chunks[winner.ordinal]
        return Hit(
            project=winner.project,
            path=winner.path,
            start_line=chunk.start_line,
            end_line=chunk.end_line,
            address=format_address(winner.project, winner.path, chunk.fragment),
            language=winner.language,
            kind=chunk.kind,
            symbol=chunk.name,
            text=chunk.text,
            score=winner.score,
            confidence=winner.confidence,
            defines=self._defines(winner.version, chunk),
            uses=_used_names(self._shelf.uses(winner.version), chunk),
            also_in=winner.also_in,
            signals=winner.signals,
        )

    def _defines(self, version: int, chunk: Chunk) -> tuple[str, ...]:
        record = self._shelf.records([version]).get(version)
        if record is None:
            return ()
        names = (one.name for one in record.definitions if one.chunk == chunk.ordinal)
        return tuple(dict.fromkeys(names))[:MAX_NAMES]

    def show(
        self, scope: Scope, views: Mapping[ProjectName, ProjectView], text: str, radius: int
    ) -> ChunkView:
        """Return the chunk at an address and its neighbours within `radius` lines.

        Raises BadQuery for a malformed address, UnknownProject and UnknownAddress.
        """
        address = parse_address(text)
        project = next((one for one in scope.projects if one.name == address.project), None)
        if project is None:
            raise UnknownProject(f"no project {address.project!r} here; `paparats list` names them")
        view = views[project.name]
        row = view.row_of_path(address.path)
        if row < 0:
            raise UnknownAddress(f"{address.project} has no indexed file {address.path!r}")
        version = int(view.versions[row])
        chunks = self._shelf.chunks(version)
        target = _find(chunks, address, text)
        language = view.language_names[int(view.languages[row])]
        winners = [
            Winner(project.name, address.path, language, version, ordinal, 1.0, Confidence.HIGH)
            for ordinal in (target, *_around(chunks, target, address, radius))
        ]
        hits = self.hits(winners)
        return ChunkView(hits[0], hits[1:], project.freshness)


def _find(chunks: Sequence[Chunk], address: Address, text: str) -> int:
    """Return the ordinal of the chunk that an address names."""
    if isinstance(address, NamedAddress):
        for chunk in chunks:
            if chunk.fragment == address.fragment:
                return chunk.ordinal
        raise UnknownAddress(
            f"{text!r} names nothing: the symbol may have been renamed, moved or split; search for "
            f"it, or ask for lines as {address.project}:{address.path}:LINE"
        )
    wanted = _wanted_lines(address)
    best = max(
        chunks,
        key=lambda chunk: (_common(chunk, wanted), -(chunk.end_line - chunk.start_line)),
        default=None,
    )
    if best is None or _common(best, wanted) == 0:
        last = max((chunk.end_line for chunk in chunks), default=0)
        raise UnknownAddress(f"{text!r} is outside the file, which has {last} indexed lines")
    return best.ordinal


def _wanted_lines(address: Address) -> tuple[int, int] | None:
    if isinstance(address, NamedAddress):
        return None
    if isinstance(address, LineAddress):
        return address.line, address.line
    return address.start, address.end


def _common(chunk: Chunk, wanted: tuple[int, int] | None) -> int:
    if wanted is None:
        return 0
    return max(0, min(chunk.end_line, wanted[1]) - max(chunk.start_line, wanted[0]) + 1)


def _around(chunks: Sequence[Chunk], target: int, address: Address, radius: int) -> Iterable[int]:
    """Yield the other chunks that the asked lines, or `radius` lines around the target, touch."""
    chosen = chunks[target]
    first, last = chosen.start_line - radius, chosen.end_line + radius
    wanted = _wanted_lines(address)
    if wanted is not None:
        first, last = min(first, wanted[0] - radius), max(last, wanted[1] + radius)
    if radius == 0 and (wanted is None or wanted[0] == wanted[1]):
        return
    for chunk in chunks:
        if chunk.ordinal == target or chunk.end_line < first or chunk.start_line > last:
            continue
        span, of_target = (chunk.start_line, chunk.end_line), (chosen.start_line, chosen.end_line)
        if overlap(span, of_target) <= 0.5:
            yield chunk.ordinal


def _used_names(uses: Sequence[Use], chunk: Chunk) -> tuple[str, ...]:
    """Return the first distinct names that a chunk uses, imports left out; `uses` by line."""
    first = bisect_left(uses, chunk.start_line, key=_line_of)
    last = bisect_right(uses, chunk.end_line, key=_line_of)
    names = (use.name for use in uses[first:last] if use.kind != IMPORT)
    return tuple(dict.fromkeys(names))[:MAX_NAMES]


def _line_of(use: Use) -> int:
    return use.line

"""From chosen chunks to hits, and from addresses to chunks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from paparatsd.chunks.address import (
    LineAddress,
    NamedAddress,
    decode_part,
    format_address,
    parse_address,
)
from paparatsd.errors import UnknownAddress, UnknownProject
from paparatsd.search.diversity import overlap
from paparatsd.search.focus import Part, completed, cut_out, definitions_in, focus, whole
from paparatsd.search.merging import MAX_NAMES, first_names, merge_hits
from paparatsd.search_model import ChunkView, Confidence, Hit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from paparatsd.chunks.address import Address
    from paparatsd.chunks.record import Definition, RankRecord
    from paparatsd.model import Chunk, ProjectName
    from paparatsd.search.focus import Sought
    from paparatsd.search.scope import Scope
    from paparatsd.search.shelf import Shelf
    from paparatsd.search.views import ProjectView

MAX_LINES = 60
"""A function that is not longer than this is a hit as a whole, however many chunks it fills."""
MAX_SHOWN_LINES = 200
"""The same for one that is asked for by its address."""


@dataclass(frozen=True, slots=True)
class Winner:
    """A chosen chunk of a version, where it is shown, and how it was scored.

    lines: those of its file that the question points at; a hit must show the ones in its chunk.
    certain: it stands where it does whatever a ranking says.
    """

    project: ProjectName
    path: str
    language: str
    version: int
    ordinal: int
    score: float
    confidence: Confidence
    also_in: tuple[ProjectName, ...] = ()
    signals: Mapping[str, float] = field(default_factory=dict)
    values: Mapping[str, float] = field(default_factory=dict)
    grounds: Mapping[str, float] = field(default_factory=dict)
    lines: tuple[int, ...] = ()
    certain: bool = False


class Results:
    """Fills winners with text and names from the catalog."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def hits(
        self,
        winners: Sequence[Winner],
        sought: Sought,
        shown: Callable[[RankRecord, Chunk, Sought], Part] = focus,
    ) -> tuple[Hit, ...]:
        """Return the hits of these winners, each named after what it defines of what is sought.

        `shown` says which part of a chunk that is. One whose chunk is gone is left out; several at
        one place become one.
        """
        hits = []
        for winner in winners:
            chunks = self._shelf.chunks(winner.version)
            record = self._record(winner.version)
            if winner.ordinal < len(chunks):
                chunk = chunks[winner.ordinal]
                part = whole(chunk) if record is None else shown(record, chunk, sought)
                if _hides(part, chunk, winner.lines):
                    part = whole(chunk)
                part = completed(chunks, named_after(part, record, chunk), MAX_LINES)
                hits.append(self._hit(winner, chunk, part, record))
        return merge_hits(hits)

    def part_hit(self, winner: Winner, shown: Callable[[Chunk], Part]) -> Hit | None:
        """Return the hit that shows the given part of the winner's chunk; None when it is gone."""
        chunks = self._shelf.chunks(winner.version)
        if winner.ordinal >= len(chunks):
            return None
        chunk, record = chunks[winner.ordinal], self._record(winner.version)
        return self._hit(winner, chunk, named_after(shown(chunk), record, chunk), record)

    def _record(self, version: int) -> RankRecord | None:
        return self._shelf.record(version)

    def _hit(self, winner: Winner, chunk: Chunk, part: Part, record: RankRecord | None) -> Hit:
        named = part.definition
        fragment = chunk.fragment if named is None else named.fragment
        return Hit(
            project=winner.project,
            path=winner.path,
            start_line=part.start_line,
            end_line=part.end_line,
            address=format_address(winner.project, winner.path, fragment),
            language=winner.language,
            kind=chunk.kind if named is None else named.kind,
            symbol=chunk.name if named is None else named.qualified,
            text=part.text,
            score=winner.score,
            confidence=winner.confidence,
            defines=() if record is None else _defined_names(record, chunk, part),
            uses=first_names(
                self._shelf.uses(winner.version).between(part.start_line, part.end_line)
            ),
            also_in=winner.also_in,
            symbol_end=_goes_on_to(part),
            signals=winner.signals,
            values=winner.values,
            grounds=winner.grounds,
            certain=winner.certain,
        )

    def show(
        self, scope: Scope, views: Mapping[ProjectName, ProjectView], text: str, radius: int
    ) -> ChunkView:
        """Return what is at an address and the chunks within `radius` lines around it.

        A symbol's address shows the symbol, with a radius the whole chunk that it begins in.
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
        record = self._record(version)
        found = _find(chunks, record, address, text)
        language = view.language_names[int(view.languages[row])]

        def hit(ordinal: int, part: Part) -> Hit:
            winner = Winner(
                project.name, address.path, language, version, ordinal, 1.0, Confidence.HIGH
            )
            return self._hit(winner, chunks[ordinal], part, record)

        part = _part(chunks[found.ordinal], record, found.definition, radius)
        part = completed(chunks, part, MAX_SHOWN_LINES)
        target = hit(found.ordinal, part)
        around = _around(chunks, found.ordinal, part, address, radius)
        neighbours = tuple(hit(ordinal, whole(chunks[ordinal])) for ordinal in around)
        return ChunkView(target, neighbours, project.freshness)


def _hides(part: Part, chunk: Chunk, lines: Iterable[int]) -> bool:
    """Say whether a part of a chunk leaves out one of these lines."""
    return any(
        chunk.start_line <= line <= chunk.end_line and not part.start_line <= line <= part.end_line
        for line in lines
    )


def named_after(part: Part, record: RankRecord | None, chunk: Chunk) -> Part:
    """Return a part with the definition that its chunk is named after, if it begins there."""
    if part.definition is not None or record is None or chunk.name is None:
        return part
    for one in definitions_in(record, chunk):
        if one.qualified == chunk.name and one.fragment == chunk.fragment:
            return replace(part, definition=one)
    return part


def _goes_on_to(part: Part) -> int | None:
    """Return the last line of the definition that a part shows the beginning of."""
    named = part.definition
    return None if named is None or named.end_line <= part.end_line else named.end_line


@dataclass(frozen=True, slots=True)
class Found:
    """The chunk that an address leads to, and the definition when it names one."""

    ordinal: int
    definition: Definition | None = None


def _part(
    chunk: Chunk, record: RankRecord | None, definition: Definition | None, radius: int
) -> Part:
    if definition is None or record is None:
        return whole(chunk)
    if radius > 0:
        return Part(definition, chunk.start_line, chunk.end_line, chunk.text)
    return cut_out(chunk, definition, [definition], definitions_in(record, chunk))


def _find(chunks: Sequence[Chunk], record: RankRecord | None, address: Address, text: str) -> Found:
    """Return the chunk that an address leads to."""
    if isinstance(address, NamedAddress):
        return _find_named(chunks, record, address, text)
    return Found(_find_lines(chunks, address, text))


def _find_named(
    chunks: Sequence[Chunk], record: RankRecord | None, address: NamedAddress, text: str
) -> Found:
    """Find a symbol by its own fragment, a chunk by its, or the only symbol of a short name."""
    definitions = () if record is None else record.definitions
    for one in definitions:
        if one.fragment == address.fragment and one.chunk < len(chunks):
            return Found(one.chunk, one)
    for chunk in chunks:
        if chunk.fragment == address.fragment:
            return Found(chunk.ordinal)
    alike = _called(definitions, address.fragment)
    if len(alike) == 1 and alike[0].chunk < len(chunks):
        return Found(alike[0].chunk, alike[0])
    if alike:
        names = ", ".join(one.fragment for one in alike[:MAX_NAMES])
        raise UnknownAddress(f"{text!r} is not unique in the file; it has {names}")
    raise UnknownAddress(
        f"{text!r} names nothing: the symbol may have been renamed, moved or split; search for "
        f"it, or ask for lines as {address.project}:{address.path}:LINE"
    )


def _called(definitions: Sequence[Definition], fragment: str) -> list[Definition]:
    """Return the definitions whose qualified name ends in what a fragment says."""
    try:
        wanted = decode_part(fragment)
    except UnicodeDecodeError:
        return []
    return [
        one
        for one in definitions
        if wanted in (one.name, one.qualified) or one.qualified.endswith(f".{wanted}")
    ]


def _find_lines(chunks: Sequence[Chunk], address: Address, text: str) -> int:
    """Return the ordinal of the chunk that holds most of the lines asked for."""
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


def _around(
    chunks: Sequence[Chunk], target: int, part: Part, address: Address, radius: int
) -> Iterable[int]:
    """Yield the other chunks that the asked lines, or `radius` lines around the target, touch."""
    first, last = part.start_line - radius, part.end_line + radius
    wanted = _wanted_lines(address)
    if wanted is not None:
        first, last = min(first, wanted[0] - radius), max(last, wanted[1] + radius)
    if radius == 0 and (wanted is None or wanted[0] == wanted[1]):
        return
    for chunk in chunks:
        if chunk.ordinal == target or chunk.end_line < first or chunk.start_line > last:
            continue
        span, of_target = (chunk.start_line, chunk.end_line), (part.start_line, part.end_line)
        if overlap(span, of_target) <= 0.5:
            yield chunk.ordinal


def _defined_names(record: RankRecord, chunk: Chunk, part: Part) -> tuple[str, ...]:
    """Return the first distinct names that a part of a chunk defines."""
    present = definitions_in(record, chunk)
    names = (one.name for one in present if part.start_line <= one.start_line <= part.end_line)
    return first_names(names)

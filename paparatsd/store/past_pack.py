"""What came of each chunk of one file version, as a few bytes: commits by their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.commits import ChunkPast, Involvement, Role
from paparatsd.store.varints import (
    damaged,
    pack_ascending,
    pack_numbers,
    unpack_ascending,
    unpack_numbers,
    unzigzag,
    zigzag,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from paparatsd.model import CommitId

_WHAT = "the cached history of a file"
_ROLES = (Role.AUTHOR, Role.CARRIER, Role.RESOLUTION)
_ROLE_CODES = {role: code for code, role in enumerate(_ROLES)}


def pack_pasts(pasts: Sequence[ChunkPast], numbers: Mapping[CommitId, int]) -> bytes:
    """Pack the chunks of a version; raises KeyError for a commit that has no number.

    A table of the distinct commits in front lets chunks name them by small indexes.
    """
    used = sorted({numbers[one.commit] for past in pasts for one in past.commits})
    index = {number: at for at, number in enumerate(used)}
    table = pack_ascending(used)
    values = [len(table)]
    line = 0
    for past in pasts:
        values += (
            zigzag(past.start_line - line),
            zigzag(past.end_line - past.start_line),
            past.uncommitted,
            len(past.commits) << 1 | past.complete,
        )
        line = past.end_line
        for one in past.commits:
            values.append(index[numbers[one.commit]] << 3 | _ROLE_CODES[one.role] << 1 | one.born)
            values.append(one.lines)
    head, *rest = values
    return pack_numbers([head]) + table + pack_numbers(rest)


def past_commits(pack: bytes) -> list[int]:
    """Return the numbers of the commits that a pack names, ascending; raises StateCorrupt."""
    return _split(pack)[0]


def unpack_pasts(pack: bytes, ids: Mapping[int, CommitId]) -> tuple[ChunkPast, ...]:
    """Return what `pack_pasts` was given.

    Raises KeyError for a commit that has no id any more, StateCorrupt for bytes it never made.
    """
    used, rest = _split(pack)
    try:
        return tuple(_read(iter(unpack_numbers(rest, _WHAT)), [ids[n] for n in used]))
    except (StopIteration, RuntimeError, IndexError, ValueError) as error:
        raise damaged(_WHAT) from error


def _split(pack: bytes) -> tuple[list[int], bytes]:
    ends = next((at for at, byte in enumerate(pack) if byte < 0x80), None)
    if ends is None:
        raise damaged(_WHAT)
    size = unpack_numbers(pack[: ends + 1], _WHAT)[0]
    table = pack[ends + 1 : ends + 1 + size]
    if len(table) != size:
        raise damaged(_WHAT)
    return unpack_ascending(table, _WHAT), pack[ends + 1 + size :]


def _read(values: Iterator[int], ids: Sequence[CommitId]) -> Iterator[ChunkPast]:
    line = 0
    for gap in values:
        start = line + unzigzag(gap)
        line = start + unzigzag(next(values))
        uncommitted, count = next(values), next(values)
        commits = tuple(_involvement(next(values), next(values), ids) for _ in range(count >> 1))
        yield ChunkPast(start, line, commits, uncommitted, bool(count & 1))


def _involvement(code: int, lines: int, ids: Sequence[CommitId]) -> Involvement:
    return Involvement(ids[code >> 3], _ROLES[code >> 1 & 3], lines, bool(code & 1))

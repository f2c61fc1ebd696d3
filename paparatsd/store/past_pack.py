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
    from collections.abc import Iterator, Sequence

_WHAT = "the cached history of a file"
_ROLES = (Role.AUTHOR, Role.CARRIER, Role.RESOLUTION)
_ROLE_CODES = {role: code for code, role in enumerate(_ROLES)}


def pack_pasts(pasts: Sequence[ChunkPast]) -> bytes:
    """Pack the chunks of a version.

    A table of the distinct commits in front lets chunks name them by small indexes.
    """
    used = sorted({one.commit for past in pasts for one in past.commits})
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
            values.append(index[one.commit] << 3 | _ROLE_CODES[one.role] << 1 | one.born)
            values.append(one.lines)
    head, *rest = values
    return pack_numbers([head]) + table + pack_numbers(rest)


def unpack_pasts(pack: bytes) -> tuple[ChunkPast, ...]:
    """Return what `pack_pasts` was given; raises StateCorrupt for bytes it never made."""
    used, rest = _split(pack)
    try:
        return tuple(_read(iter(unpack_numbers(rest, _WHAT)), used))
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


def _read(values: Iterator[int], table: Sequence[int]) -> Iterator[ChunkPast]:
    line = 0
    for gap in values:
        start = line + unzigzag(gap)
        line = start + unzigzag(next(values))
        uncommitted, count = next(values), next(values)
        commits = tuple(_involvement(next(values), next(values), table) for _ in range(count >> 1))
        yield ChunkPast(start, line, commits, uncommitted, bool(count & 1))


def _involvement(code: int, lines: int, table: Sequence[int]) -> Involvement:
    return Involvement(table[code >> 3], _ROLES[code >> 1 & 3], lines, bool(code & 1))

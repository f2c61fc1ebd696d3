"""Hunks of one touch as a few bytes.

Lines between hunks are the same on both sides, so where a hunk lies in the new text follows from
the hunks above it. Three numbers are left of each: the unchanged lines above it, the lines removed
and the lines added. Most touches take three to six bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.commits import Hunk
from paparatsd.store.varints import damaged, pack_numbers, unpack_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

_WHAT = "the hunks of a touch"


def pack_hunks(hunks: Sequence[Hunk]) -> bytes:
    """Pack hunks in ascending order; b"" for none. Raises ValueError for negative numbers.

    The first number is at least 1; a 0 in its place says that the hunks do not fit together and
    that all four numbers of each follow.
    """
    values: list[int] = []
    end = drift = 0  # the first old line below the last hunk; how far the new text has moved
    for old_start, old_lines, new_start, new_lines in hunks:
        old = old_start if old_lines else old_start + 1
        new = new_start if new_lines else new_start + 1
        if new - old != drift or old < end or old == 0:
            return b"\0" + pack_numbers([number for hunk in hunks for number in hunk])
        values += (old - end, old_lines, new_lines)
        end = old + old_lines
        drift += new_lines - old_lines
    return pack_numbers(values)


def unpack_hunks(pack: bytes) -> tuple[Hunk, ...]:
    """Return what `pack_hunks` was given; raises StateCorrupt for bytes it never made."""
    if not pack:
        return ()
    if pack[0] == 0:
        numbers = unpack_numbers(pack[1:], _WHAT)
        if len(numbers) % 4 or not numbers:
            raise damaged(_WHAT)
        return tuple(Hunk(*numbers[at : at + 4]) for at in range(0, len(numbers), 4))
    numbers = unpack_numbers(pack, _WHAT)
    if len(numbers) % 3:
        raise damaged(_WHAT)
    out = []
    end = drift = 0
    triples = iter(numbers)
    for gap, old_lines, new_lines in zip(triples, triples, triples, strict=True):
        old = end + gap
        new = old + drift
        if new < 1:
            raise damaged(_WHAT)
        # Of a length of 0 git writes the line above.
        out.append(Hunk(old - (not old_lines), old_lines, new - (not new_lines), new_lines))
        end = old + old_lines
        drift += new_lines - old_lines
    return tuple(out)

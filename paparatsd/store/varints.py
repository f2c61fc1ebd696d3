"""Numbers as bytes: seven bits a byte, the smallest first, the high bit says that more follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.errors import StateCorrupt

if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_BITS = 63


def damaged(what: str) -> StateCorrupt:
    """Make the error of stored bytes that make no sense."""
    return StateCorrupt(
        f"{what} in the history file cannot be read; restart the daemon to have the file "
        "checked and rebuilt"
    )


def pack_numbers(values: Sequence[int]) -> bytes:
    """Pack numbers from 0 to 2**63 - 1; raises ValueError for others."""
    if not values:
        return b""
    if min(values) < 0 or max(values) >> _MAX_BITS:
        raise ValueError("numbers must be from 0 to 2**63 - 1")
    if max(values) < 0x80:
        return bytes(values)
    out = bytearray()
    for number in values:
        value = number
        while value > 0x7F:
            out.append(value & 0x7F | 0x80)
            value >>= 7
        out.append(value)
    return bytes(out)


def unpack_numbers(pack: bytes, what: str = "a pack") -> list[int]:
    """Return what `pack_numbers` was given; raises StateCorrupt, which names `what`."""
    if pack.isascii():  # every byte is a number: most packs are of this kind
        return list(pack)
    out: list[int] = []
    value = shift = 0
    for byte in pack:
        if byte & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
            if shift > _MAX_BITS:
                raise damaged(what)
        else:
            out.append(value | byte << shift)
            value = shift = 0
    if shift or (out and max(out) >> _MAX_BITS):
        raise damaged(what)
    return out


def zigzag(value: int) -> int:
    """Map numbers of either sign to those from 0, small ones to small ones."""
    return value << 1 if value >= 0 else (-value << 1) - 1


def unzigzag(value: int) -> int:
    """Undo `zigzag`."""
    return -((value + 1) >> 1) if value & 1 else value >> 1


def pack_ascending(values: Sequence[int]) -> bytes:
    """Pack ascending numbers by their gaps."""
    return pack_numbers([b - a for a, b in zip((0, *values), values, strict=False)])


def unpack_ascending(pack: bytes, what: str = "a pack") -> list[int]:
    """Return what `pack_ascending` was given; raises StateCorrupt."""
    out = unpack_numbers(pack, what)
    for at in range(1, len(out)):
        out[at] += out[at - 1]
    return out

"""Packs: everything of one kind that belongs to one file version, as one compressed blob.

A file's chunks, symbols or uses are always read together, so one blob of a few kilobytes beats
hundreds of rows in size, in write time and in read time.
"""

from __future__ import annotations

import json
import zlib
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from paparatsd.errors import StateCorrupt
from paparatsd.model import Chunk, Fact, Symbol, Use

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

_USE_COLUMNS = ("name", "kind", "line", "receiver", "target", "alias")
_LEVEL = 3  # of zlib: half the time of the default for about 5 % more bytes
_to_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def _pack(value: object) -> bytes:
    return _compress(_to_json(value))


def _compress(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"), _LEVEL)


def _unpack(pack: bytes) -> Any:  # noqa: ANN401 - whatever `_pack` was given
    try:
        return json.loads(zlib.decompress(pack).decode("utf-8", "surrogatepass"))
    except (zlib.error, ValueError) as error:
        raise StateCorrupt(
            "a stored pack of the catalog cannot be read; restart the daemon to have the "
            "catalog checked and rebuilt"
        ) from error


def pack_chunks(chunks: Sequence[Chunk]) -> bytes:
    """Pack all chunks of one file with their texts."""
    return _pack(
        [[c.ordinal, c.start_line, c.end_line, c.kind, c.name, c.fragment, c.text] for c in chunks]
    )


def unpack_chunks(pack: bytes) -> tuple[Chunk, ...]:
    """Return what `pack_chunks` was given."""
    return tuple(Chunk(*fields) for fields in _unpack(pack))


def pack_symbols(symbols: Sequence[Symbol]) -> bytes:
    """Pack all definitions of one file."""
    return _pack(
        [
            [
                s.name,
                s.qualified,
                s.kind,
                s.start_line,
                s.end_line,
                s.signature,
                s.doc,
                s.parent,
                s.chunk,
                s.container,
                s.exported,
                s.lead_line,
            ]
            for s in symbols
        ]
    )


def unpack_symbols(pack: bytes) -> tuple[Symbol, ...]:
    """Return what `pack_symbols` was given."""
    return tuple(Symbol(*fields) for fields in _unpack(pack))


def pack_uses(uses: Sequence[Use]) -> bytes:
    """Pack all uses of one file: a table of distinct texts and six columns of numbers."""
    return _pack_rows(uses, numbers=(2,), columns=6)


def _pack_rows(rows: Sequence[tuple[Any, ...]], *, numbers: Collection[int], columns: int) -> bytes:
    """Pack rows by column; all but those of `numbers` are texts, and point into their table."""
    by_column = list(zip(*rows, strict=True)) or [()] * columns
    texts = dict.fromkeys(
        chain.from_iterable(column for at, column in enumerate(by_column) if at not in numbers)
    )
    # Joined by hand: the encoder takes twice as long for numbers.
    place = dict(zip(texts, map(str, range(len(texts))), strict=True)).__getitem__
    joined = [
        ",".join(map(str if at in numbers else place, column))
        for at, column in enumerate(by_column)
    ]
    return _compress(f"[{_to_json(list(texts))},[{'],['.join(joined)}]]")


def unpack_uses(pack: bytes) -> tuple[Use, ...]:
    """Return what `pack_uses` was given."""
    texts, names, kinds, lines, receivers, targets, *further = _unpack(pack)
    # Packs of before there were aliases stay readable: their versions are on their way out.
    aliases = further[0] if further else [texts.index("")] * len(names) if names else []
    return tuple(
        Use(texts[name], texts[kind], line, texts[receiver], texts[target], texts[alias])
        for name, kind, line, receiver, target, alias in zip(
            names, kinds, lines, receivers, targets, aliases, strict=True
        )
    )


def open_uses(pack: bytes) -> tuple[list[str], list[list[int]]]:
    """Return what `pack_uses` made without making values of it: the texts and six columns.

    They are name, kind, line, receiver, target and alias; all but the line point into the texts.
    """
    texts, *columns = _unpack(pack)
    if len(columns) < len(_USE_COLUMNS):
        columns.append([texts.index("")] * len(columns[0]) if columns[0] else [])
    return texts, columns


def open_facts(pack: bytes) -> tuple[list[str], list[list[int]]]:
    """Return what `pack_facts` made without making values of it: the texts and six columns.

    They are kind, name, line, scope, type and value; all but line and scope point into the texts.
    """
    if not pack:
        return [], [[] for _ in range(6)]
    texts, *columns = _unpack(pack)
    return texts, columns


def pack_facts(facts: Sequence[Fact]) -> bytes:
    """Pack all facts of one file: a table of distinct texts and six columns of numbers."""
    return _pack_rows(facts, numbers=(2, 3), columns=6) if facts else b""


def unpack_facts(pack: bytes) -> tuple[Fact, ...]:
    """Return what `pack_facts` was given."""
    if not pack:
        return ()
    texts, kinds, names, lines, scopes, types, values = _unpack(pack)
    return tuple(
        Fact(texts[kind], texts[name], line, scope, texts[type_], texts[value])
        for kind, name, line, scope, type_, value in zip(
            kinds, names, lines, scopes, types, values, strict=True
        )
    )


def unpack_used_names(pack: bytes, kinds_left_out: Collection[str]) -> tuple[list[int], list[str]]:
    """Return the lines and, parallel to them, the used names of what `pack_uses` was given.

    By line, in the order of the file within one; without uses of some kinds.
    """
    texts, names, kinds, lines, *_ = _unpack(pack)
    left_out = {texts.index(kind) for kind in kinds_left_out if kind in texts}
    kept = [at for at, kind in enumerate(kinds) if kind not in left_out]
    kept.sort(key=lines.__getitem__)
    return [lines[at] for at in kept], [texts[names[at]] for at in kept]


def pack_counts(ids: NDArray[np.uint32], counts: NDArray[np.int32]) -> bytes:
    """Pack ascending term ids and their counts.

    The gaps between ids and the counts are small numbers, so that with equal bytes of all numbers
    side by side most of the planes are nearly all zero.
    """
    gaps = np.diff(ids.astype("<u4"), prepend=np.uint32(0)).astype("<u4")
    both = np.stack([gaps, counts.astype("<i4").view("<u4")])
    planes = both.view(np.uint8).reshape(2, len(ids), 4).transpose(0, 2, 1)
    return zlib.compress(planes.tobytes(), 1)


def unpack_counts(pack: bytes) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """Return what `pack_counts` was given."""
    try:
        planes = np.frombuffer(zlib.decompress(pack), dtype=np.uint8)
        size = len(planes) // 8
        both = planes.reshape(2, 4, size).transpose(0, 2, 1).copy().view("<u4")
    except (zlib.error, ValueError) as error:
        raise StateCorrupt("a frequency segment of the catalog cannot be read") from error
    gaps, counts = both.reshape(2, size)
    return np.cumsum(gaps, dtype=np.uint32), counts.view("<i4").astype(np.int32)

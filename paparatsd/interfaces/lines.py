"""Lines of a descriptor, for an event loop."""

from __future__ import annotations

import asyncio
import os
import select
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LINE_BYTES = 8 << 20
READ_BYTES = 1 << 16


def feed(source: int, loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes]) -> None:
    """Read lines in a thread: standard input may be a file, which no event loop can watch.

    Reads the descriptor itself: a thread that still waits in a buffered read when the process is
    interrupted holds the buffer's lock, and the interpreter aborts over it.
    """
    for line in read_lines(source):
        put = lines.put(line)
        try:
            asyncio.run_coroutine_threadsafe(put, loop).result()
        except RuntimeError:  # the loop has ended
            put.close()
            return


def read_lines(source: int) -> Iterator[bytes]:
    """Yield each line with its end, then b"" for the end of all.

    Of a line over MAX_LINE_BYTES only so much comes that its length shows what it is.
    """
    parts: list[bytes] = []
    size = 0
    while data := _read(source):
        *ends, rest = data.split(b"\n")
        for end in ends:
            parts.append(end)
            yield b"".join(parts)[: MAX_LINE_BYTES + 1] + b"\n"
            parts, size = [], 0
        if size <= MAX_LINE_BYTES:
            parts.append(rest)
        size += len(rest)
    if last := b"".join(parts)[: MAX_LINE_BYTES + 1]:
        yield last
    yield b""


def _read(source: int) -> bytes:
    """Return what is there, waiting for it; b"" at the end, also when it breaks."""
    try:
        return os.read(source, READ_BYTES)
    except BlockingIOError:  # the client made its end, and so ours, non-blocking
        select.select([source], [], [])
        return _read(source)
    except OSError:
        return b""

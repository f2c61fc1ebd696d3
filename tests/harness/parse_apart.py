"""Parses in a process of its own: a grammar may crash or hang on nonsense, the tests may not.

    with ParserProcess() as parser:
        parsed = parser.parse("a.py", text, limits)      # None: the grammar did not survive

In the product a worker plays this part, and the pool blames the file.
"""

from __future__ import annotations

import pickle
import select
import struct
import subprocess
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from paparatsd.chunks.parse import parse_file

if TYPE_CHECKING:
    from types import TracebackType

    from paparatsd.chunks.limits import ChunkLimits
    from paparatsd.model import ParsedFile

LENGTH = struct.Struct("<I")
ANSWER_S = 20.0


class ParserProcess:
    """One process, started anew after each crash."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self.deaths = 0

    def __enter__(self) -> ParserProcess:
        """Start nothing yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process."""
        self._end()

    def parse(self, path: str, text: str, limits: ChunkLimits) -> ParsedFile | None:
        """Parse, or return None when the process died or did not answer in time."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            _send(process.stdin, (path, text, limits))
            if select.select([process.stdout], [], [], ANSWER_S)[0]:
                parsed: ParsedFile | None = _receive(process.stdout)
                if parsed is not None:
                    return parsed
        except BrokenPipeError:
            pass
        self.deaths += 1
        self._end()
        return None

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            cwd=Path(__file__).resolve().parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue


def _send(stream: IO[bytes], value: object) -> None:
    data = pickle.dumps(value)
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    """Return one value, None at the end of the stream."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    data = stream.read(LENGTH.unpack(head)[0])
    return pickle.loads(data)


def main() -> None:
    """Parse what comes in until the other end closes."""
    while (request := _receive(sys.stdin.buffer)) is not None:
        _send(sys.stdout.buffer, parse_file(*request))


if __name__ == "__main__":
    main()

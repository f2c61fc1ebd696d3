"""The adapter protocol: any search system as a process that is asked over its standard streams.

A command is started once per repository with the directory to index as its last argument (or in
place of "{repo}"). It must not write into that directory; $QUALITY_CACHE_DIR is an empty directory
that is removed afterwards. On standard output, one JSON object a line:

    {"ready": true, "stats": {...}}                       once, when the index is built

then, for each line of standard input  {"id": "flask:03", "query": "request context", "k": 10}

    {"id": "flask:03", "results": [{"path": "ctx.py", "start_line": 1, "end_line": 40}, ...]}

best first. Paths are absolute or relative to the directory; lines are optional. More than k results
are welcome: by the file rule ten distinct files count. Standard input closes when the queries are
done. Lines that do not start with "{" are ignored. What a crash or a timeout leaves unanswered
scores 0 and is reported.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contrib.bench.quality.metrics import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contrib.bench.quality.dataset import Query

END_S = 15.0
"""How long a system may take to end after its input has closed."""


class AdapterFailed(Exception):
    """An adapter ended early, was silent for too long or broke the protocol."""


class AdapterProcess:
    """A running adapter; use as a context manager. At its end its process group is killed."""

    def __init__(self, words: Sequence[str], directory: Path) -> None:
        placed = [word.replace("{repo}", str(directory)) for word in words]
        self._words = placed if placed != list(words) else [*words, str(directory)]
        self.peak_rss_mb: float | None = None
        """Largest resident size of the adapter's own process, without its children (Linux)."""
        self.exit_code: int | None = None
        """Set at the end; None when it had to be killed."""

    def __enter__(self) -> AdapterProcess:
        """Start the command in a session and with a scratch directory of its own."""
        self._scratch = Path(tempfile.mkdtemp(prefix="quality-"))
        cache = self._scratch / "cache"
        cache.mkdir()
        self._stderr = (self._scratch / "stderr").open("w+b")
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            self._words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env={**os.environ, "QUALITY_CACHE_DIR": str(cache)},
            start_new_session=True,
        )
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Close its input, give it time to end, then kill what is left of its group."""
        self.note_memory()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.exit_code = self._process.wait(timeout=END_S)
        # It is the leader of a session of its own: this reaches only what it started.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join(timeout=END_S)
        self._process.stdout.close()
        self._stderr.close()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def wait_ready(self, within_s: float) -> dict[str, Any]:
        """Wait until the index is built and return what the adapter says of it."""
        deadline = time.monotonic() + within_s
        while True:
            answer = self._next(deadline, within_s)
            if answer.get("ready"):
                stats: dict[str, Any] = answer.get("stats") or {}
                return stats

    def ask(self, query: Query, depth: int, within_s: float) -> tuple[list[Result], float]:
        """Return the ranked results of a query and the seconds they took."""
        assert self._process.stdin is not None
        request = json.dumps({"id": query.id, "query": query.text, "k": depth}) + "\n"
        started = time.perf_counter()
        try:
            self._process.stdin.write(request.encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            raise AdapterFailed(f"closed its input{self._tail()}") from None
        answer = self._next(time.monotonic() + within_s, within_s)
        took_s = time.perf_counter() - started
        if answer.get("id") != query.id:
            raise AdapterFailed(f"answered {answer.get('id')!r} when asked {query.id!r}")
        return parse_results(answer.get("results")), took_s

    def note_memory(self) -> None:
        """Read the peak resident size while the process is there."""
        with contextlib.suppress(OSError, ValueError):
            for line in Path(f"/proc/{self._process.pid}/status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    self.peak_rss_mb = int(line.split()[1]) / 1024

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _next(self, deadline: float, within_s: float) -> dict[str, Any]:
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise AdapterFailed(f"gave no answer within {within_s:.0f} s") from None
            if line is None:
                raise AdapterFailed(f"ended with code {self._process.wait()}{self._tail()}")
            text = line.decode("utf-8", "replace").strip()
            if text.startswith("{"):
                return _parse_line(text)

    def _tail(self) -> str:
        self._stderr.flush()
        self._stderr.seek(0)
        lines = self._stderr.read().decode("utf-8", "replace").strip().splitlines()[-5:]
        return ": " + " | ".join(lines) if lines else ""


def parse_results(raw: object) -> list[Result]:
    """Check an answer's list of results; a plain string is a path."""
    if not isinstance(raw, list):
        raise AdapterFailed('gave an answer without a list "results"')
    return [_parse_result(item) for item in raw]


def _parse_result(item: object) -> Result:
    if isinstance(item, str):
        return Result(item)
    if not isinstance(item, dict) or not isinstance(item.get("path"), str):
        raise AdapterFailed(f'gave a result without a "path": {str(item)[:80]}')
    start, end = item.get("start_line"), item.get("end_line")
    return Result(
        item["path"], None if start is None else int(start), None if end is None else int(end)
    )


def _parse_line(text: str) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = json.loads(text)
    except json.JSONDecodeError as error:
        raise AdapterFailed(f"wrote a line that is no JSON: {error}") from None
    return answer

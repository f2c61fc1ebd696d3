"""Prove that nothing of the benchmark is trained on: by name, and by content.

    check_overlap.py CHECKOUTS ROWS     counts, and marks overlapping rows in ROWS/overlap.json

By name: a package is left out when one of the benchmark's repository names is part of its name,
or when it is known to ship one of them under another name. By content: every run of
`WINDOW` lines of the benchmark's files is hashed without spaces and punctuation; a training row
is dropped when half of its own runs are among them. What remains is reported row by row, so a
second run over the cleaned rows has to find nothing.
"""

from __future__ import annotations

import json
import re
import sys
import zlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
HELD_OUT = frozenset((HERE / "heldout.txt").read_text().split())
"""Packages that are mined to measure with, and never trained on."""
RESERVED_FILE = HERE.parent / "questions" / "sources.tsv"
RESHIPS = {
    "uvloop", "@reduxjs/toolkit", "undici", "libfmt", "gofmt", "activesupport", "activerecord",
    "actionpack", "railties", "illuminate", "spdlog", "node", "pymessagepack", "valkey-io/valkey",
    "hiredis", "neovim/neovim", "libabsl",
}  # fmt: skip
"""Packages that contain, or are cut out of, one of the benchmark's repositories."""
OTHER_PROJECTS = {
    "StackExchange/StackExchange.Redis", "karlseguin/http.zig", "typelevel/cats-effect",
}  # fmt: skip
"""A benchmark repository's name is in theirs, yet they are projects of their own."""
DEBIAN_PARTS = re.compile(
    r"^(golang-(github|go)[-.]|librust-|ruby-|php-|node-|haskell-|lua-|lib(?=\w+-dev$))|-(dev|java)$"
)
"""What Debian puts around the name of a project."""
OTHER_NAMES = frozenset({"uber-zap", "boltdb-bolt"})
"""Further names of reserved repositories, or of what they are a continuation of."""
WINDOW = 4
SHORTEST_LINE = 6
MIX = np.uint64(0x9E3779B97F4A7C15)


def benchmark_names() -> frozenset[str]:
    """Return the names of all repositories of the benchmark."""
    return frozenset((HERE / "benchmark_names.txt").read_text().split())


def is_benchmark(package: str) -> bool:
    """Whether a package is, by its name, a repository of the benchmark or ships one."""
    if package in OTHER_PROJECTS:
        return False
    plain = _plain(package)
    return any(f" {_plain(name)} " in f" {plain} " for name in benchmark_names() | RESHIPS)


@lru_cache
def reserved_names() -> frozenset[str]:
    """Return the repositories that the ranker learns from, and the last parts of their names.

    Were they trained on here, the ranker would learn to trust this model more than it should.
    """
    lines = RESERVED_FILE.read_text().splitlines() if RESERVED_FILE.exists() else []
    whole = set(re.findall(r"github:(\S+)", "\n".join(lines))) | HELD_OUT
    return frozenset(whole | {name.split("/")[-1].lower() for name in whole})


def is_reserved(package: str) -> bool:
    """Whether a package is kept for the ranker or for measuring, under any registry's name.

    Debian's names are taken apart: golang-github-OWNER-NAME-dev, librust-NAME-dev, ruby-NAME.
    """
    names = reserved_names()
    bare = DEBIAN_PARTS.sub("", package.lower())
    forms = {bare, bare.split("/")[-1]}
    return package in names or bool(forms & (names | _joined_names() | OTHER_NAMES))


@lru_cache
def _joined_names() -> frozenset[str]:
    return frozenset(re.sub("[/_]", "-", name.lower()) for name in reserved_names())


def _plain(name: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", name.lower()))


def windows(code: str) -> NDArray[np.uint64]:
    """Return the hashes of all runs of `WINDOW` meaningful lines of a text."""
    lines = re.sub(r"[^a-z0-9\n]+", "", code.lower()).split("\n")
    hashes = [zlib.crc32(line.encode()) for line in lines if len(line) >= SHORTEST_LINE]
    runs = len(hashes) - WINDOW + 1
    if runs < 1:
        return np.zeros(0, np.uint64)
    one = np.array(hashes, np.uint64)
    total = np.zeros(runs, np.uint64)
    for place in range(WINDOW):
        total = (total ^ one[place : place + runs]) * MIX
        total ^= total >> np.uint64(29)
    return total


def benchmark_windows(checkouts: Path) -> NDArray[np.uint64]:
    """Return the sorted hashes of all text files of the benchmark's checkouts."""
    parts = []
    for path in sorted(checkouts.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size < 2_000_000:
            data = path.read_bytes()
            if b"\0" not in data[:4000]:
                parts.append(np.unique(windows(data.decode("utf8", "replace"))))
    return np.unique(np.concatenate(parts)) if parts else np.zeros(0, np.uint64)


def overlapping(codes: Iterable[str], known: NDArray[np.uint64]) -> Iterator[bool]:
    """For each text say whether at least half of its runs of lines are known."""
    for code in codes:
        own = windows(code)
        hits = 0
        if len(own) and len(known):
            places = np.searchsorted(known, own).clip(max=len(known) - 1)
            hits = int((known[places] == own).sum())
        yield bool(hits and hits * 2 >= len(own))


def main(checkouts: Path, rows: Path) -> int:
    named = [line.split("\t")[2] for path in rows.glob("*.tsv")
             for line in path.read_text().splitlines() if line.startswith("taken")]  # fmt: skip
    bad_names = sorted({name for name in named if is_benchmark(name)})
    print(f"{len(named)} packages, of the benchmark by name: {bad_names or 'none'}")
    known = benchmark_windows(checkouts)
    print(f"{len(known)} distinct runs of {WINDOW} lines in {checkouts}")
    marks = rows / "overlap.json"
    dropped: dict[str, list[int]] = json.loads(marks.read_text()) if marks.exists() else {}
    for path in sorted(rows.glob("*.jsonl")):
        if path.name not in dropped:
            codes = (json.loads(line)["code"] for line in path.open())
            dropped[path.name] = [n for n, hit in enumerate(overlapping(codes, known)) if hit]
    marks.write_text(json.dumps(dropped))
    most = sorted(((len(hits), name) for name, hits in dropped.items() if hits), reverse=True)
    print(f"{len(dropped)} packages, {sum(n for n, _ in most)} rows with content of the benchmark")
    print("most:", most[:12])
    return 1 if bad_names else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))

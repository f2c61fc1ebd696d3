"""The grep that an agent would run: files by how many of the query's keywords they hold.

    python keywords.py DIR            speaks the adapter protocol (../process.py)

Keywords are the words of at least three letters without stop words. Files with more distinct ones
come first, then those with more matching lines. One `git grep --no-index` a keyword, so that it
needs no index and no further tool, and leaves out what .gitignore names.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))

from contrib.bench.quality.baselines.protocol import (
    Row,
    serve,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_STOP = (
    "a an and are as at be by can do does for from get has have how if in into is it its no not of "
    "on or out that the their then there these this to use used uses using via was we what when "
    "where which who why will with you"
)
STOP_WORDS = frozenset(_STOP.split())
GREP = "git grep --no-index --exclude-standard -I -i -F -c -z -e"
GREP_S = 60


def keywords_of(query: str) -> list[str]:
    """Return the distinct keywords; a query of nothing else keeps its words."""
    words = list(dict.fromkeys(word.lower() for word in re.findall(r"\w+", query)))
    return [word for word in words if word not in STOP_WORDS and len(word) > 2] or words


def matching_lines(root: Path, word: str) -> Iterator[tuple[str, int]]:
    """Yield each file that holds a word, case ignored, and the number of its lines that do."""
    done = subprocess.run(
        [*GREP.split(), word, "--", "."],
        cwd=root,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=GREP_S,
        check=False,
    )
    if done.returncode not in (0, 1):  # 1: no line matches
        raise SystemExit(f"git grep failed in {root}: {done.stderr.strip()}")
    for line in done.stdout.splitlines():
        path, _, count = line.partition("\0")
        yield path, int(count)


def rank_files(root: Path, query: str) -> list[str]:
    """Return the files that hold a keyword, best first."""
    distinct: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for word in keywords_of(query):
        for path, count in matching_lines(root, word):
            distinct[path] += 1
            lines[path] += count
    return sorted(distinct, key=lambda path: (-distinct[path], -lines[path], path))


def main() -> None:
    root = Path(sys.argv[-1])

    def answer(query: str, depth: int) -> list[Row]:
        return [{"path": path} for path in rank_files(root, query)[:depth]]

    serve(answer, {})


if __name__ == "__main__":
    main()

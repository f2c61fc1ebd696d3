"""Plain BM25 over windows of 40 lines of every text file: the least that a search should beat.

    python bm25_windows.py DIR        speaks the adapter protocol (../process.py)

Words and the parts of compound identifiers; no paths, no stems, no stop words, no overlap.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))

from contrib.bench.quality.baselines.protocol import (
    Row,
    list_files,
    read_text,
    serve,
    words_of,
)

WINDOW_LINES = 40
FETCH = 50
"""So many windows hold ten distinct files, mostly."""
K1, B = 1.5, 0.75


@dataclass
class Bm25:
    """An index of documents given as lists of words.

    score = sum over the query's words of idf * tf / (tf + K1 * (1 - B + B * length / mean length)),
    idf = ln(1 + (N - n + 0.5) / (n + 0.5)); Robertson and Zaragoza 2009, with the idf that
    cannot be negative. A word asked twice counts twice.
    """

    lengths: list[int] = field(default_factory=list)
    _rows: dict[str, list[int]] = field(default_factory=dict)
    _counts: dict[str, list[int]] = field(default_factory=dict)

    def add(self, words: list[str]) -> None:
        """Add the next document."""
        row = len(self.lengths)
        self.lengths.append(len(words))
        for word, count in Counter(words).items():
            self._rows.setdefault(word, []).append(row)
            self._counts.setdefault(word, []).append(count)

    def scores(self, words: list[str]) -> np.ndarray:
        """Return the score of each document, in the order of adding."""
        total = np.zeros(len(self.lengths))
        lengths = np.array(self.lengths, dtype=float)
        floor = K1 * (1 - B + B * lengths / lengths.mean()) if len(lengths) else lengths
        for word in words:
            rows = np.array(self._rows.get(word, ()), dtype=int)
            if not rows.size:
                continue
            counts = np.array(self._counts[word], dtype=float)
            idf = np.log(1 + (len(lengths) - rows.size + 0.5) / (rows.size + 0.5))
            total[rows] += idf * counts / (counts + floor[rows])
        return total


def main() -> None:
    root = Path(sys.argv[-1])
    index, places, files = Bm25(), [], 0
    for name in list_files(root):
        lines = (read_text(root / name) or "").splitlines()
        files += bool(lines)
        for start in range(0, len(lines), WINDOW_LINES):
            window = lines[start : start + WINDOW_LINES]
            if words := words_of("\n".join(window)):
                index.add(words)
                places.append(
                    {"path": name, "start_line": start + 1, "end_line": start + len(window)}
                )

    def answer(query: str, depth: int) -> list[Row]:
        scores = index.scores(words_of(query))
        best = np.argsort(-scores, kind="stable")[: max(depth, FETCH)]
        return [places[row] for row in best.tolist() if scores[row] > 0]

    serve(answer, {"files": files, "windows": len(places)})


if __name__ == "__main__":
    main()

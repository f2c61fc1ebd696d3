"""What documentation search is compared with: three plain searches over the very same chunks.

`words`: BM25 over breadcrumb and text of a chunk, k1 1.2, b 0.75. `meaning`: cosine of the built-in
embedder, whose texts and vectors are those of the index. `both`: reciprocal rank fusion of the two,
the first max(4 * limit, 20) chunks of each, as the predecessor does it; `both, floors` leaves out
of that what has a cosine below 0.45 (prose) or 0.60 (code). A document counts once, at its best
chunk.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.embedtext import embed_text
from paparatsd.chunks.limits import ChunkLimits
from paparatsd.chunks.parse import parse_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from paparatsd.embeddings.static import StaticModel

K1, B = 1.2, 0.75
FUSION_K = 60
FLOORS = {"prose": 0.45, "code": 0.60}
HITS = frozenset({"section", "window", "cell"})
ENDINGS = frozenset({".md", ".mdx", ".markdown", ".rst", ".adoc", ".asc", ".asciidoc", ".org"})
STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "but",
        "by",
        "for",
        "from",
        "has",
        "have",
        "how",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "no",
        "not",
        "of",
        "on",
        "or",
        "that",
        "the",
        "this",
        "to",
        "was",
        "what",
        "when",
        "which",
        "will",
        "with",
    ]
)


@dataclass(frozen=True)
class Chunks:
    """All chunks of the documents of a project: path, text, vector [N, D] of unit length."""

    paths: list[str]
    texts: list[str]
    vectors: NDArray[np.float32]


def read_chunks(root: Path, model: StaticModel) -> Chunks:
    """Cut the documents under a directory as the index does."""
    paths, texts, embedded = [], [], []
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        if file.suffix.lower() not in ENDINGS or path.startswith(".git/") or not file.is_file():
            continue
        parsed = parse_file(path, file.read_text(errors="replace"), ChunkLimits())
        if parsed.document is None:
            continue
        for chunk in parsed.chunks:
            if chunk.kind in HITS:
                paths.append(path)
                texts.append(f"{parsed.document.title}\n{chunk.name or ''}\n{chunk.text}")
                embedded.append(embed_text(path, parsed, chunk))
    return Chunks(paths, texts, unit(np.asarray(model.encode(embedded), np.float32)))


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale rows to length one."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: NDArray[np.float32] = (rows / np.maximum(lengths, 1e-9)).astype(np.float32)
    return scaled


def words_of(text: str) -> list[str]:
    """Return the words that count, one character and stop words left out."""
    return [word for word in re.findall(r"\w+", text.lower()) if len(word) > 1 and word not in STOP]


class References:
    """The plain searches of one project."""

    names = ("words", "meaning", "both", "both, floors")

    def __init__(self, root: Path, kind: str, model: StaticModel) -> None:
        self._model, self._floor = model, FLOORS[kind]
        self.chunks = read_chunks(root, model)
        counted = [Counter(words_of(text)) for text in self.chunks.texts]
        self._lengths = np.array([sum(one.values()) for one in counted], np.float64)
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for number, one in enumerate(counted):
            for word, count in one.items():
                self._postings.setdefault(word, []).append((number, count))

    def ask(self, question: str, limit: int) -> dict[str, list[str]]:
        """Return the documents each search finds, best first."""
        by_words = self._bm25(question)
        vector = unit(np.asarray(self._model.encode_queries([question]), np.float32))[0]
        cosines = self.chunks.vectors @ vector
        depth = max(4 * limit, 20)
        fused = self._fuse((best(by_words, depth, above=0.0), best(cosines, depth)))
        kept = [number for number in fused if cosines[number] >= self._floor]
        return {
            "words": self._documents(best(by_words, depth, above=0.0), limit),
            "meaning": self._documents(best(cosines, depth), limit),
            "both": self._documents(fused[: 2 * limit], limit),
            "both, floors": self._documents(kept[: 2 * limit], limit),
        }

    def _bm25(self, question: str) -> NDArray[np.float64]:
        total, mean = len(self._lengths), self._lengths.mean()
        scores = np.zeros(total)
        for word in set(words_of(question)):
            found = self._postings.get(word, [])
            idf = math.log1p((total - len(found) + 0.5) / (len(found) + 0.5))
            for number, count in found:
                norm = K1 * (1 - B + B * self._lengths[number] / mean)
                scores[number] += idf * count * (K1 + 1) / (count + norm)
        return scores

    @staticmethod
    def _fuse(legs: Sequence[Sequence[int]]) -> list[int]:
        scores: dict[int, float] = {}
        for leg in legs:
            for rank, number in enumerate(leg, start=1):
                scores[number] = scores.get(number, 0.0) + 1 / (FUSION_K + rank)
        return sorted(scores, key=lambda number: -scores[number])

    def _documents(self, numbers: Sequence[int], limit: int) -> list[str]:
        return list(dict.fromkeys(self.chunks.paths[number] for number in numbers))[:limit]


def best(scores: NDArray[np.floating], depth: int, above: float = -math.inf) -> list[int]:
    """Return the numbers of the greatest scores."""
    order = np.argsort(-scores, kind="stable")[:depth]
    return [int(number) for number in order if scores[number] > above]

"""Write the vectors that the package's own code is tested against.

    reference.py MODEL OUT.npz

The sums are made here piece by piece in double precision, by the model card's formula alone, so
that a mistake in the package's encoder shows.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.embeddings.tokenizer import Vocabulary, words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

TEXTS = (
    "def parse_json(path): return json.load(open(path))",
    "HTTPServer2.handleRequest(req, resp) => { resp.status = 404 }",
    "how are configuration defaults merged",
    "retry retry retry with exponential back-off",
    "struct ring_buffer *rb_alloc(size_t n)",
    "x",
    "Größe übergeben: naïve café",
    "supercalifragilisticexpialidocious un_known_word_qzx",
    "# Title\n\nSome *prose* with `code()` in it.",
    "a" * 70 + " socket " + "Z9" * 40,
    '\tif (err != nil) {\r\n\t\treturn fmt.Errorf("open %q: %w", 漢字, err)\u00a0\u2003}\n',
    "self self self.x == y != z >= 10 && a->b += 0xFF",
    "SELECT id, name FROM users WHERE age >= 18 -- adults",
)


def vector(text: str, pieces: Vocabulary, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the normalised sum of (1 + log count) times the row of each piece."""
    found = Counter(piece for word in words_of(text) for piece in pieces[word])
    total = np.zeros(rows.shape[1])
    for piece, count in found.items():
        total += (1 + math.log(count)) * rows[piece]
    scaled: NDArray[np.float64] = total / np.linalg.norm(total)
    return scaled


def main(model: Path, target: Path) -> None:
    pieces = Vocabulary((model / "vocab.txt").read_text(encoding="utf-8").split("\n"))
    with np.load(model / "model.npz") as arrays:
        rows = arrays["q"].astype(np.float64) * arrays["s"].astype(np.float64)[:, None]
        asked = rows * arrays["qw"].astype(np.float64)[:, None]
    documents = np.array([vector(text, pieces, rows) for text in TEXTS], np.float32)
    queries = np.array([vector(text, pieces, asked) for text in TEXTS], np.float32)
    np.savez(target, texts=np.array(TEXTS), documents=documents, queries=queries)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

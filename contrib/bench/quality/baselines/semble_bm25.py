"""semble without its embedding model: its file walk, its tree-sitter chunks, its BM25.

    PYTHON semble_bm25.py ranked DIR    through semble's ranking: the peer to beat
    PYTHON semble_bm25.py raw DIR       BM25 scores as they are

PYTHON is one that has semble installed; speaks the adapter protocol (../process.py). The model is a
download, and not what is compared: a stand-in gives every text the same vector, and `alpha=0` gives
the dense side no weight, so it cannot change the order.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from semble.index.create import create_index_from_path
from semble.search import _search_bm25, search

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))

from contrib.bench.quality.baselines.protocol import (
    Row,
    serve,
)

FETCH = 50


class StandIn:
    """An embedding model that costs nothing and knows nothing."""

    dim = 2

    def encode(self, texts: list[str], **_: object) -> np.ndarray:
        """Return the same unit vector for every text."""
        return np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (len(texts), 1))


def main() -> None:
    mode, root = sys.argv[-2], Path(sys.argv[-1]).resolve()
    if mode not in ("ranked", "raw"):
        raise SystemExit(f"{mode!r} is no mode: ranked or raw")
    model = StandIn()
    bm25, dense, chunks, manifest = create_index_from_path(root, model=model, display_root=root)

    def answer(query: str, depth: int) -> list[Row]:
        if mode == "raw":
            found = _search_bm25(query, bm25, chunks, max(depth, FETCH), None)
        else:
            # Its ranking depends on how many are asked for; ten is what was published.
            found = search(query, model, dense, bm25, chunks, depth, alpha=0.0)
        return [
            {
                "path": one.chunk.file_path,
                "start_line": one.chunk.start_line,
                "end_line": one.chunk.end_line,
            }
            for one in found
        ]

    serve(answer, {"files": len(manifest), "chunks": len(chunks)})


if __name__ == "__main__":
    main()

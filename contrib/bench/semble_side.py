"""The part of `speed.py` that runs under the Python that has semble installed.

    PYTHON semble_side.py DIR < QUERIES.json

Indexes DIR (code, documents and configuration, as we do) with semble's own file walk, tree-sitter
chunks and BM25, asks every query, and writes one JSON object to standard output. Its embedding
model is a download, and not what is compared: a stand-in gives every text the same vector, and the
dense side gets no weight (`alpha=0`).
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
from semble.index.create import create_index_from_path
from semble.search import _search_bm25, search
from semble.types import ContentType

LIMIT = 5


class StandIn:
    """An embedding model that costs nothing and knows nothing."""

    dim = 2

    def encode(self, texts: list[str], **_: object) -> np.ndarray:
        """Return the same unit vector for every text."""
        return np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (len(texts), 1))


def main() -> None:
    root = Path(sys.argv[1]).resolve()
    queries = json.load(sys.stdin)
    model = StandIn()

    started, cpu_started = time.perf_counter(), time.process_time()
    bm25, dense, chunks, manifest = create_index_from_path(
        root, model=model, content=tuple(ContentType), display_root=root
    )
    index_s = time.perf_counter() - started
    cpu_s = time.process_time() - cpu_started

    raw_s, ranked_s = [], []
    cpu_started = time.process_time()
    for query in ["warm up", *queries]:
        started = time.perf_counter()
        _search_bm25(query, bm25, chunks, LIMIT, None)
        middle = time.perf_counter()
        search(query, model, dense, bm25, chunks, LIMIT, alpha=0.0)
        raw_s.append(middle - started)
        ranked_s.append(time.perf_counter() - middle)

    asked_cpu_s = (time.process_time() - cpu_started) / (1 + len(queries))

    answer = {
        "files": len(manifest),
        "chunks": len(chunks),
        "index_s": index_s,
        "index_cpu_s": cpu_s,
        "query_cpu_s": asked_cpu_s,
        "raw_s": raw_s[1:],
        "ranked_s": ranked_s[1:],
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()

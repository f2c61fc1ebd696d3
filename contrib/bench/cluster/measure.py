"""Measures what one request to a Qdrant server costs, at growing sizes; prints JSON.

    nice python contrib/bench/cluster/measure.py > contrib/bench/cluster/figures.json

The store is the real one over real HTTP; behind it is the double of the tests, which runs the
engine of a server without its graph and its cluster. So what the daemon spends and what goes over
the wire is as it will be; how long a search takes is that of comparing with every vector of a
tenant, which a server does for small ones only. Times are processor times of both sides together,
so that what else runs on the machine does not count.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from paparatsd.chunks.fields import lexical_vectors
from paparatsd.chunks.limits import ChunkLimits
from paparatsd.chunks.parse import parse_file
from paparatsd.model import (
    Fingerprint,
    PointBatch,
    RecallRequest,
    RepoId,
    ShardKey,
    SparseVector,
    VersionFilter,
    VersionId,
)
from paparatsd.settings import StoreSettings
from paparatsd.store.server import ServerStore
from tests.harness.qdrant_double import QdrantDouble, running_double

SIZES = (1_000, 2_000, 5_000, 10_000, 20_000)
DIMENSION = 256
CHUNKS_A_VERSION = 6
ASKED = 30
PACKAGE = Path(__file__).resolve().parents[3] / "paparatsd"
random = np.random.default_rng(7)


def real_vectors() -> list[SparseVector]:
    """Return the lexical vectors of our own code: how many words a chunk has is not made up."""
    found: list[SparseVector] = []
    for path in sorted(PACKAGE.rglob("*.py"))[:200]:
        parsed = parse_file(path.name, path.read_text(), ChunkLimits(1_600, 3_200))
        found += lexical_vectors(path.name, parsed)
    return found


def points(versions: range, sparse: list[SparseVector]) -> PointBatch:
    """Return points with vectors by chance and words of real chunks."""
    rows = [(version, n) for version in versions for n in range(CHUNKS_A_VERSION)]
    return PointBatch(
        versions=tuple(VersionId(version) for version, _ in rows),
        ordinals=tuple(n for _, n in rows),
        kinds=("function",) * len(rows),
        languages=("python",) * len(rows),
        sparse=tuple(sparse[(version * 7 + n) % len(sparse)] for version, n in rows),
        dense=random.normal(size=(len(rows), DIMENSION)).astype(np.float32),
    )


async def grow(
    store: ServerStore, key: ShardKey, sparse: list[SparseVector]
) -> list[dict[str, float]]:
    """Fill a tenant step by step and measure at each size."""
    there, rows = 0, []
    for size in SIZES:
        cpu = time.process_time()
        first, last = there // CHUNKS_A_VERSION + 1, size // CHUNKS_A_VERSION + 1
        for start in range(first, last, 40):
            await store.upsert(key, points(range(start, min(start + 40, last)), sparse))
        written = (last - first) * CHUNKS_A_VERSION
        wrote_cpu_s = time.process_time() - cpu
        there = (last - 1) * CHUNKS_A_VERSION
        shown = np.arange(1, last, 2, dtype=np.int64)
        took = []
        for n in range(ASKED):
            request = RecallRequest(
                key,
                VersionFilter(include=n % 2 == 0, versions=shown),
                random.normal(size=DIMENSION).astype(np.float32),
                sparse[n % len(sparse)],
                100,
            )
            began = time.process_time()
            await store.recall([request])
            took.append((time.process_time() - began) * 1e3)
        began = time.process_time()
        await store.tally(key)
        rows.append(
            {
                "points": there,
                "write_cpu_ms_a_point": round(wrote_cpu_s * 1e3 / written, 3),
                "recall_cpu_ms": round(statistics.median(took), 2),
                "list_cpu_ms_a_1000_points": round((time.process_time() - began) * 1e6 / there, 2),
            }
        )
    return rows


def weights(double: QdrantDouble) -> dict[str, int]:
    """Return how many bytes requests of each kind had, by the last part of their path."""
    sums: dict[str, list[int]] = {}
    for path, size in double.sizes:
        sums.setdefault(path.rpartition("/")[2], []).append(size)
    return {name: round(statistics.mean(sizes)) for name, sizes in sorted(sums.items())}


async def run() -> dict[str, object]:
    """Return all figures."""
    sparse = [one for one in real_vectors() if len(one.ids)]
    key = ShardKey(RepoId("repo"), "code", Fingerprint("c" * 16), DIMENSION)
    with tempfile.TemporaryDirectory() as folder, running_double(Path(folder) / "double") as double:
        store = ServerStore(StoreSettings(qdrant_url=double.url), "a" * 16)
        await store.start()
        rows = await grow(store, key, sparse)
        began = time.process_time()
        for _ in range(ASKED):
            await store.presence.announce(0.0)
        beat_ms = (time.process_time() - began) * 1e3 / ASKED
        await store.stop()
        return {
            "dimension": DIMENSION,
            "terms_a_chunk": round(statistics.mean(len(one.ids) for one in sparse), 1),
            "chunks_looked_at": len(sparse),
            "by_size": rows,
            "request_bytes": weights(double),
            "beat_cpu_ms": round(beat_ms, 2),
        }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run()), indent=1))

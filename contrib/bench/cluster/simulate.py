"""Simulates 100 installations on one Qdrant cluster: memory, load of the nodes, waits.

    python contrib/bench/cluster/simulate.py            tables in Markdown
    python contrib/bench/cluster/simulate.py --hosts 300 --chunks 500000 --nodes 5

What a request costs is measured (`figures.json`, by `measure.py`) or, where the double has no such
part, assumed: those figures are in `ASSUMED`. Seeded: equal calls print equal tables.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FIGURES: dict[str, Any] = json.loads((Path(__file__).parent / "figures.json").read_text())
GIB = 1 << 30

ASSUMED = {
    "link_bytes": 4,  # of one edge of the graph
    "links": 2 * 16,  # payload_m = 16: the lowest level has twice as many
    "id_bytes": 44,  # outer id, inner id and version, with the maps both ways
    "index_bytes": 40,  # payload indexes: tenant, version, kind, language
    "graph_steps": 3_500,  # vectors compared in a graph of up to a million
    "full_scan_points": 10_000,  # below it a server compares all: 10,000 kB of 256 dimensions
    "hop_ms": 0.6,  # a sub-request to another node
    "slow_share": 0.02,  # of the requests meet a segment being rebuilt
    "slow_factor": 8.0,
}
SEARCHES_A_DAY = 400
SAVES_A_DAY = 600
CHUNKS_A_SAVE = 8
BEAT_S = 60.0
LOOK_S = 5.0
BUSY_HOURS = 8


@dataclass(frozen=True, slots=True)
class Cluster:
    """How large things are: `chunks` a host, `shards` and `replicas` of the collection."""

    hosts: int
    chunks: int
    nodes: int
    cores: int
    shards: int
    replicas: int
    followers: int


def fit(rows: list[dict[str, float]], key: str) -> tuple[float, float]:
    """Return base and slope of a line through the figures by size."""
    xs, ys = [row["points"] for row in rows], [row[key] for row in rows]
    slope, base = statistics.linear_regression(xs, ys)
    return max(base, min(ys) / 2), max(slope, 0.0)


RECALL_BASE_MS, RECALL_POINT_MS = fit(FIGURES["by_size"], "recall_cpu_ms")
WRITE_MS = statistics.median(row["write_cpu_ms_a_point"] for row in FIGURES["by_size"])


def bytes_a_vector(dimension: int, quantization: str) -> dict[str, float]:
    """Return what one chunk takes: in memory for good, and on the disk."""
    small = {"none": 4 * dimension, "int8": dimension + 4, "binary": dimension / 8}[quantization]
    sparse = 8 * FIGURES["terms_a_chunk"]
    graph = ASSUMED["links"] * ASSUMED["link_bytes"] * 1.1
    memory = small + graph + ASSUMED["id_bytes"] + ASSUMED["index_bytes"] + sparse
    payload = 130
    return {"memory": memory, "disk": memory + 4 * dimension + payload}


def memory_table(one: Cluster) -> list[str]:
    """Return a table of the memory of a node, by size of vectors and how they are kept."""
    lines = ["| dimension | quantization | memory a chunk | all, one copy | a node | disk a node |"]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    total = one.hosts * one.chunks
    for dimension in (256, 1024):
        for quantization in ("none", "int8", "binary"):
            size = bytes_a_vector(dimension, quantization)
            node = size["memory"] * total * one.replicas / one.nodes / GIB
            disk = size["disk"] * total * one.replicas / one.nodes / GIB
            lines.append(
                f"| {dimension} | {quantization} | {size['memory']:.0f} B | "
                f"{size['memory'] * total / GIB:.0f} GiB | {node:.0f} GiB | {disk:.0f} GiB |"
            )
    return lines


def search_ms(one: Cluster) -> float:
    """Return what a search costs one shard: both legs of one tenant, whose points are spread."""
    points = one.chunks / one.shards
    if points <= ASSUMED["full_scan_points"]:
        return (RECALL_BASE_MS + RECALL_POINT_MS * points) / 2
    return (RECALL_BASE_MS + RECALL_POINT_MS * ASSUMED["graph_steps"]) / 2


def events(one: Cluster, seconds: float, chance: random.Random) -> list[tuple[float, str]]:
    """Return what all installations ask in a busy hour, in order of time."""
    busy_s = BUSY_HOURS * 3_600
    found: list[tuple[float, str]] = []
    for kind, rate in (
        ("search", one.hosts * SEARCHES_A_DAY / busy_s),
        ("save", one.hosts * SAVES_A_DAY / busy_s),
        ("beat", one.hosts / BEAT_S),
        ("look", one.followers / LOOK_S),
    ):
        at = chance.expovariate(rate) if rate else seconds
        while at < seconds:
            found.append((at, kind))
            at += chance.expovariate(rate)
    return sorted(found)


def simulate(one: Cluster, seconds: float, seed: int = 1) -> dict[str, Any]:
    """Run a busy hour: each node serves its cores' worth of sub-requests, the rest waits."""
    chance = random.Random(seed)  # noqa: S311 - a simulation
    free = [[0.0] * one.cores for _ in range(one.nodes)]
    busy = [0.0] * one.nodes
    shards, copies = range(one.shards), range(one.replicas)
    took: dict[str, list[float]] = {"search": [], "save": [], "beat": [], "look": []}

    def serve(node: int, at: float, cost_ms: float) -> float:
        start = max(at, heapq.heappop(free[node]))
        slow = ASSUMED["slow_factor"] if chance.random() < ASSUMED["slow_share"] else 1.0
        end = start + cost_ms * slow / 1e3
        busy[node] += end - start
        heapq.heappush(free[node], end)
        return end

    for at, kind in events(one, seconds, chance):
        first = chance.randrange(one.nodes)
        ends = [at]
        if kind == "search":
            asked = [(shard + chance.randrange(one.replicas)) % one.nodes for shard in shards]
            ends += [serve(node, at, search_ms(one)) + ASSUMED["hop_ms"] / 1e3 for node in asked]
        elif kind == "save":
            cost_ms = WRITE_MS * CHUNKS_A_SAVE
            ends += [serve((first + copy) % one.nodes, at, cost_ms) for copy in copies]
        elif kind == "beat":
            cost_ms = FIGURES["beat_cpu_ms"]
            ends += [serve((first + copy) % one.nodes, at, cost_ms) for copy in copies]
        else:
            ends.append(serve(first, at, FIGURES["beat_cpu_ms"]))
        took[kind].append((max(ends) - at) * 1e3)
    return {
        "load": [part / seconds / one.cores for part in busy],
        "took": {kind: sorted(times) for kind, times in took.items() if times},
    }


def load_table(clusters: list[tuple[str, Cluster]], seconds: float) -> list[str]:
    """Return a table of a busy hour, for each cluster."""
    lines = ["| cluster | requests/s | busiest node | search p50 | p95 | p99 | save p95 |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- |")
    for name, one in clusters:
        result = simulate(one, seconds)
        count = sum(len(times) for times in result["took"].values()) / seconds
        search, save = result["took"]["search"], result["took"]["save"]
        lines.append(
            f"| {name} | {count:.1f} | {max(result['load']):.1%} | {at(search, 50):.1f} ms | "
            f"{at(search, 95):.1f} ms | {at(search, 99):.1f} ms | {at(save, 95):.1f} ms |"
        )
    return lines


def at(times: list[float], percent: int) -> float:
    """Return a percentile of ascending times."""
    return times[min(len(times) - 1, len(times) * percent // 100)]


def fill_lines(one: Cluster) -> list[str]:
    """Return what the first fill takes, and what daemons ask while nobody asks them."""
    point_bytes = FIGURES["request_bytes"]["points"] / 32
    total = one.hosts * one.chunks
    core_h = total * WRITE_MS / 3.6e6
    beats, record_bytes = one.hosts / BEAT_S, 220
    return [
        f"* {total / 1e6:.0f} million chunks are {total * point_bytes / GIB:.0f} GiB of requests "
        f"({point_bytes:.0f} bytes a chunk at {FIGURES['dimension']} dimensions), and "
        f"{core_h:.0f} core hours of both sides together at {WRITE_MS:.2f} ms a chunk, the "
        "building of the graph not counted.",
        f"* Beats: {beats:.1f}/s, each of which lists {one.hosts} records: "
        f"{beats * one.hosts * record_bytes / 1e3:.0f} kB/s in all; looks of {one.followers} "
        f"daemons that only search: {one.followers / LOOK_S * 2:.0f} requests/s.",
    ]


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in (("hosts", 100), ("chunks", 1_000_000), ("nodes", 3), ("cores", 8)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--seconds", type=float, default=1_200.0)
    chosen = parser.parse_args()
    base = Cluster(chosen.hosts, chosen.chunks, chosen.nodes, chosen.cores, chosen.nodes, 2, 20)
    print(
        f"{base.hosts} hosts, {base.chunks:,} chunks each, {base.nodes} nodes of {base.cores} "
        f"cores, {base.replicas} copies\n"
    )
    print("\n".join(memory_table(base)), "\n")
    variants = [
        (f"{nodes} nodes, {shards} shards, {hosts} hosts", Cluster(
            hosts, base.chunks, nodes, base.cores, shards, min(2, nodes), base.followers
        ))
        for nodes, shards, hosts in (
            (1, 1, 10), (1, 1, base.hosts), (base.nodes, base.nodes, base.hosts),
            (base.nodes, base.nodes * 4, base.hosts), (base.nodes * 2, base.nodes * 2, base.hosts),
            (base.nodes * 2, base.nodes * 2, base.hosts * 10),
        )
    ]  # fmt: skip
    print("\n".join(load_table(variants, chosen.seconds)), "\n")
    print("\n".join(fill_lines(base)))


if __name__ == "__main__":
    main()

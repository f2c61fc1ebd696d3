"""The engine's side of the embedded store, in this process: parts, leftovers, damage, tidying."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from paparatsd.errors import VectorStoreUnavailable
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
from paparatsd.store.edge_child import EdgeChild
from paparatsd.store.edge_frames import split_points
from paparatsd.store.edge_optimizer import copy_sparse, tidy
from paparatsd.store.edge_shards import LOAD_ATTEMPTS, ShardDirectory

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

KEY = ShardKey(RepoId("r"), "code", Fingerprint("f"), 4)


def call(child: EdgeChild, operation: str, argument: object = None) -> Any:
    return child(operation, argument, None)[0]


def upsert(
    child: EdgeChild, versions: Iterable[int], *, chunks: int = 1, key: ShardKey = KEY
) -> None:
    pairs = [(version, n) for version in versions for n in range(chunks)]
    term = SparseVector(np.array([7], np.uint32), np.array([1.0], np.float32))
    batch = PointBatch(
        versions=tuple(VersionId(version) for version, _ in pairs),
        ordinals=tuple(n for _, n in pairs),
        kinds=("block",) * len(pairs),
        languages=("text",) * len(pairs),
        sparse=(term,) * len(pairs),
        dense=np.eye(4, dtype=np.float32)[[version % 4 for version, _ in pairs]],
    )
    for frame in split_points(batch):
        call(child, "upsert", (key, frame))


def stored(child: EdgeChild, key: ShardKey = KEY) -> set[int]:
    found: set[int] = set()
    cursor: Any = (0, None)
    while cursor is not None:
        page, cursor = call(child, "scroll", (key, *cursor))
        found.update(page.tolist())
    return found


def parts(root: Path) -> list[str]:
    return sorted(path.name for path in root.glob("*/part*") if path.is_dir())


def test_a_full_part_takes_no_new_versions_but_keeps_its_own(tmp_path: Path) -> None:
    child = EdgeChild(tmp_path, part_points=100)
    upsert(child, range(1, 301))
    assert len(parts(tmp_path)) == 3

    upsert(child, range(1, 301))
    upsert(child, [1, 301], chunks=3)

    assert call(child, "count", KEY) == 300 + 2 + 3
    assert stored(child) == set(range(1, 302))
    request = RecallRequest(
        KEY,
        VersionFilter(True, np.array([4, 160, 301], np.int64)),
        None,
        SparseVector(np.array([7], np.uint32), np.array([1.0], np.float32)),
        10,
    )
    [reply] = call(child, "recall", [request])
    assert reply.lexical.versions.tolist() == [4, 160, 301, 301, 301]
    assert reply.lexical.ordinals.tolist() == [0, 0, 0, 1, 2]
    call(child, "delete", (KEY, [4, 160]))
    assert call(child, "count", KEY) == 303


def test_parts_are_found_again_by_another_process(tmp_path: Path) -> None:
    first = EdgeChild(tmp_path, part_points=50)
    upsert(first, range(1, 121))
    call(first, "close_idle", 0.0)

    second = EdgeChild(tmp_path, part_points=50)

    assert stored(second) == set(range(1, 121))
    call(second, "close_idle", 0.0)


def test_leftovers_of_a_crash_are_swept(tmp_path: Path) -> None:
    first = EdgeChild(tmp_path)
    upsert(first, [1])
    call(first, "close_idle", 0.0)
    [shard] = tmp_path.iterdir()
    (shard / "part0007").mkdir()
    (tmp_path / ".trash-abc").mkdir()

    second = EdgeChild(tmp_path)

    assert stored(second) == {1}
    assert parts(tmp_path) == ["part0000"]
    assert not (tmp_path / ".trash-abc").exists()
    call(second, "close_idle", 0.0)


def test_a_part_that_ends_the_process_while_loading_is_given_up(tmp_path: Path) -> None:
    first = EdgeChild(tmp_path)
    upsert(first, [1])
    call(first, "close_idle", 0.0)
    [shard] = tmp_path.iterdir()
    (shard / "part0000.loading").write_text(str(LOAD_ATTEMPTS))

    second = EdgeChild(tmp_path)
    count, problems = second("count", KEY, None)

    assert count == 0
    assert "moved" in problems[0]
    upsert(second, [1])
    assert stored(second) == {1}
    call(second, "close_idle", 0.0)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"parts": [], "key": {}}'])
def test_a_damaged_manifest_gives_an_empty_shard_and_a_report(tmp_path: Path, text: str) -> None:
    first = EdgeChild(tmp_path)
    upsert(first, [1])
    call(first, "close_idle", 0.0)
    [shard] = tmp_path.iterdir()
    (shard / "shard.json").write_text(text)

    second = EdgeChild(tmp_path)
    count, problems = second("count", KEY, None)

    assert (count, len(problems)) == (0, 1)
    upsert(second, [2])
    assert stored(second) == {2}
    call(second, "drop", KEY)
    assert list(tmp_path.iterdir()) == []


def test_a_shard_in_use_elsewhere_is_unavailable_not_damaged(tmp_path: Path) -> None:
    first = EdgeChild(tmp_path)
    upsert(first, [1])

    with pytest.raises(VectorStoreUnavailable):
        call(EdgeChild(tmp_path), "count", KEY)

    assert stored(first) == {1}
    call(first, "close_idle", 0.0)
    assert stored(EdgeChild(tmp_path)) == {1}


def test_idle_shards_are_closed_and_open_again_by_themselves(tmp_path: Path) -> None:
    now = [0.0]
    directory = ShardDirectory(tmp_path, clock=lambda: now[0])
    old, young = (
        directory.ensure(KEY),
        directory.ensure(ShardKey(RepoId("s"), "code", KEY.fingerprint, 4)),
    )
    for shard in (old, young):
        directory.writable(shard)
    now[0] = 500.0
    directory.find(young.key)
    now[0] = 700.0

    assert directory.close_idle(600.0) == 1
    assert old.parts[0].shard is None
    assert len(list(directory.opened(old))) == 1
    assert directory.close_idle(0.0) == 0


def test_tidying_swaps_a_copy_in_unless_there_were_writes(tmp_path: Path) -> None:
    child = EdgeChild(tmp_path)
    assert call(child, "next_tidy") is None
    upsert(child, range(1, 1_301))

    job = call(child, "next_tidy")
    upsert(child, [2_000])
    assert (
        call(child, "finish_tidy", (job, tidy("optimize", (job.source, job.target), None))) is False
    )
    assert parts(tmp_path) == ["part0000"]

    call(child, "delete", (KEY, list(range(1, 501))))
    job = call(child, "next_tidy")
    tidied = tidy("optimize", (job.source, job.target), None)
    assert call(child, "finish_tidy", (job, tidied)) is tidied
    assert stored(child) == {*range(501, 1_301), 2_000}
    assert call(child, "next_tidy") is None
    call(child, "close_idle", 0.0)
    [shard] = tmp_path.iterdir()
    manifest = json.loads((shard / "shard.json").read_text())
    assert parts(tmp_path) == [part["directory"] for part in manifest["parts"]]
    assert stored(EdgeChild(tmp_path)) == {*range(501, 1_301), 2_000}


def test_a_copy_is_equal_and_keeps_its_holes(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    with source.open("wb") as file:
        file.truncate(8 << 20)
        file.seek(1 << 20)
        file.write(b"data")
        file.seek((8 << 20) - 1)
        file.write(b"x")

    copy_sparse(source, target)

    assert target.read_bytes() == source.read_bytes()
    assert target.stat().st_blocks <= source.stat().st_blocks

"""Workers that die: the file they died of pays, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.chunks.limits import ChunkLimits
from paparatsd.clock import SystemClock
from paparatsd.errors import ChildDied
from paparatsd.indexing.jobs import BuildFile, BuildJob, Outcome
from paparatsd.indexing.pool import WorkerPool
from paparatsd.model import ContentId, Skip

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path


@pytest.fixture
async def pool() -> AsyncIterator[WorkerPool]:
    """Yield a pool of one worker that dies of files whose names say so."""
    made = WorkerPool(
        count=1,
        file_timeout_s=1.0,
        memory_bytes=2 << 30,
        idle_s=600,
        clock=SystemClock(),
        module="tests.harness.bad_worker",
    )
    yield made
    await made.stop()


def a_job(root: Path, known: Mapping[str, frozenset[ContentId]]) -> BuildJob:
    return BuildJob(
        root=str(root),
        files=tuple(BuildFile(name, contents) for name, contents in known.items()),
        limits=ChunkLimits(),
        max_file_bytes=1_000_000,
        allow_secrets=False,
        embed=True,
    )


async def build(pool: WorkerPool, root: Path, *names: str) -> dict[str, Outcome]:
    for name in names:
        (root / name).write_text(f"def in_{name.partition('.')[0]}():\n    return 1\n")
    outcomes = await pool.build(a_job(root, dict.fromkeys(names, frozenset())))
    assert len(outcomes) == len(names)
    return {outcome.path: outcome for outcome in outcomes}


@pytest.mark.fault
@pytest.mark.parametrize("fate", ["crash", "hang", "hungry"])
async def test_a_file_that_kills_its_worker_is_quarantined_and_the_others_are_built(
    pool: WorkerPool, tmp_path: Path, fate: str
) -> None:
    bad = f"{fate}.py"
    outcomes = await build(pool, tmp_path, "a.py", bad, "b.py", "c.py")

    skipped = outcomes[bad].skipped
    assert skipped is not None
    assert skipped.reason is Skip.QUARANTINED
    # With its stat it is not read again until it changes.
    assert outcomes[bad].stat is not None
    assert all(outcomes[name].built is not None for name in ("a.py", "b.py", "c.py"))
    assert pool.quarantined == 1


@pytest.mark.fault
async def test_a_file_that_only_its_grammar_cannot_stand_is_cut_into_windows(
    pool: WorkerPool, tmp_path: Path
) -> None:
    outcomes = await build(pool, tmp_path, "a.py", "crash_twice.py")

    built = outcomes["crash_twice.py"].built
    assert built is not None
    assert set(built.file.kinds) == {"window"}
    assert built.file.degraded
    assert pool.quarantined == 0


async def test_known_content_is_recognised_and_not_built_again(
    pool: WorkerPool, tmp_path: Path
) -> None:
    built = (await build(pool, tmp_path, "a.py"))["a.py"].built
    assert built is not None

    job = BuildJob(
        root=str(tmp_path),
        files=(BuildFile("a.py", frozenset({built.content})),),
        limits=ChunkLimits(),
        max_file_bytes=1_000_000,
        allow_secrets=False,
        embed=True,
    )
    (again,) = await pool.build(job)

    assert (again.recognised, again.built) == (built.content, None)


async def test_idle_workers_end_and_come_back(pool: WorkerPool, tmp_path: Path) -> None:
    await build(pool, tmp_path, "a.py")
    assert len(pool.pids()) == 1
    pool.idle_s = 0.0
    await pool.rest_when_idle()
    assert pool.pids() == {}
    assert (await build(pool, tmp_path, "b.py"))["b.py"].built is not None


@pytest.mark.fault
async def test_workers_that_cannot_start_are_an_error_and_no_endless_loop(tmp_path: Path) -> None:
    pool = WorkerPool(
        count=1,
        file_timeout_s=1.0,
        memory_bytes=2 << 30,
        idle_s=600,
        clock=SystemClock(),
        module="tests.harness.no_such_worker",
    )
    with pytest.raises(ChildDied):
        await build(pool, tmp_path, "a.py")
    await pool.stop()


async def test_known_contents_are_recognised_and_others_left_to_be_built(
    pool: WorkerPool, tmp_path: Path
) -> None:
    outcomes = await build(pool, tmp_path, "a.py", "b.py", "c.py")
    built = {path: one.built.content for path, one in outcomes.items() if one.built is not None}
    (tmp_path / "b.py").write_text("changed\n")
    (tmp_path / "c.py").unlink()

    job = a_job(tmp_path, {path: frozenset({content}) for path, content in built.items()})
    (found,) = await pool.recognise(job)

    assert found.place == 0
    assert found.content == built["a.py"]
    stat = (tmp_path / "a.py").stat()
    assert found.stat == (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)


@pytest.mark.fault
async def test_a_worker_that_ends_while_it_recognises_costs_no_file(
    pool: WorkerPool, tmp_path: Path
) -> None:
    content = ContentId(b"0" * 32)

    assert await pool.recognise(a_job(tmp_path, {"vanish.py": frozenset({content})})) == []
    outcomes = await build(pool, tmp_path, "a.py")
    assert outcomes["a.py"].built is not None
    assert pool.quarantined == 0

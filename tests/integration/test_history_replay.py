"""The replay against git itself, on small random histories: blame, and log -L."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from paparatsd.commits import Role, Touch
from paparatsd.history.dag import CommitRow, Dag
from paparatsd.history.replay import FileNow, replay
from paparatsd.history.trail import last_touch
from tests.integration.history_reader import MemoryFacts, Read, git, read_repository
from tests.integration.random_history import RandomHistory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paparatsd.commits import ChunkPast

SEEDS = range(6)
STEPS = 22


def blame(root: Path, path: str, *options: str) -> list[str]:
    """Return the commit of each line."""
    text = git(root, "blame", "--porcelain", *options, "HEAD", "--", path)
    heads = (line.split(" ") for line in text.split("\n") if not line.startswith("\t"))
    lines = {int(h[2]): h[0] for h in heads if len(h[0]) == 40 and len(h) in (3, 4)}
    return [lines[number] for number in sorted(lines)]


def log_of_lines(root: Path, path: str, first: int, last: int, *options: str) -> list[str]:
    place = f"{first},{last}:{path}"
    return git(root, "log", "-L", place, "--no-patch", "--format=%H", *options).split()


def random_ranges(rng: random.Random, line_count: int, count: int) -> Iterator[tuple[int, int]]:
    for _ in range(count):
        first = rng.randint(1, line_count)
        yield first, min(line_count, first + rng.randint(0, 12))


def past_of(
    read: Read, root: Path, path: str, ranges: list[tuple[int, int]]
) -> tuple[ChunkPast, ...]:
    head = read.numbers[git(root, "rev-parse", "HEAD").strip()]
    count = (root / path).read_bytes().count(b"\n")
    return replay(read.facts, read.dag, FileNow(head, path, count), ranges)


def along_first_parents(read: Read) -> Read:
    """Return the same repository as if merges had one parent."""
    dag = Dag(CommitRow(n, read.dag.parents(n)[:1]) for n in range(len(read.ids)))
    touches = (
        (n, Touch(t.path, 0, t.change, t.blob, t.hunks, t.old_path, t.whole))
        for n, t in read.facts.all()
        if t.parent == 0
    )
    return read._replace(facts=MemoryFacts(touches), dag=dag)


@pytest.fixture(params=SEEDS)
def history(request: pytest.FixtureRequest, tmp_path: Path) -> RandomHistory:
    history = RandomHistory(tmp_path / "work", request.param)
    history.grow(STEPS)
    return history


def test_each_line_is_from_the_commit_that_blame_names(history: RandomHistory) -> None:
    read = read_repository(history.root, "--indent-heuristic")
    for path in history.files:
        expected = blame(history.root, path)

        pasts = past_of(read, history.root, path, [(n, n) for n in range(1, len(expected) + 1)])

        found = [[read.ids[c.commit] for c in past.commits if c.lines] for past in pasts]
        assert found == [[commit] for commit in expected], path


def test_lines_are_counted_as_blame_counts_them_in_any_range(history: RandomHistory) -> None:
    read = read_repository(history.root, "--indent-heuristic")
    rng = random.Random(1)  # noqa: S311 - a fixed sequence
    for path in history.files:
        expected = blame(history.root, path)
        ranges = list(random_ranges(rng, len(expected), 20))

        pasts = past_of(read, history.root, path, ranges)

        for past, (first, last) in zip(pasts, ranges, strict=True):
            counts = {read.ids[c.commit]: c.lines for c in past.commits if c.lines}
            assert counts == Counter(expected[first - 1 : last])
            assert past.complete
            orders = [read.dag.order(c.commit) for c in past.commits]
            assert orders == sorted(orders, reverse=True)


def test_along_first_parents_a_range_has_the_commits_of_log_l(history: RandomHistory) -> None:
    read = along_first_parents(read_repository(history.root, "--no-indent-heuristic"))
    rng = random.Random(2)  # noqa: S311 - a fixed sequence
    for path in history.files:
        count = (history.root / path).read_bytes().count(b"\n")
        ranges = list(random_ranges(rng, count, 6))

        pasts = past_of(read, history.root, path, ranges)

        for past, (first, last) in zip(pasts, ranges, strict=True):
            expected = log_of_lines(history.root, path, first, last, "--first-parent")
            assert {read.ids[c.commit] for c in past.commits} == set(expected), (path, first, last)


def test_over_the_whole_graph_no_commit_of_log_l_is_missed(history: RandomHistory) -> None:
    """What is more than `log -L` says is a merge as carrier, or has lines as blame says."""
    read = read_repository(history.root, "--no-indent-heuristic")
    rng = random.Random(3)  # noqa: S311 - a fixed sequence
    for path in history.files:
        count = (history.root / path).read_bytes().count(b"\n")
        ranges = list(random_ranges(rng, count, 6))

        pasts = past_of(read, history.root, path, ranges)

        for past, (first, last) in zip(pasts, ranges, strict=True):
            expected = {read.numbers[c] for c in log_of_lines(history.root, path, first, last)}
            assert expected <= {c.commit for c in past.commits}, (path, first, last)
            more = [c for c in past.commits if c.commit not in expected]
            assert all(c.role is Role.CARRIER or c.lines for c in more)


def test_half_read_history_gives_part_of_the_answer_and_says_so(history: RandomHistory) -> None:
    read = read_repository(history.root)
    by_time = sorted(range(len(read.ids)), key=read.dag.order, reverse=True)
    rows = [CommitRow(n, read.dag.parents(n), read.dag.order(n)) for n in by_time]
    ranges = {path: [(1, 5), (6, 12)] for path in history.files}
    whole = {path: past_of(read, history.root, path, ranges[path]) for path in ranges}
    growing = read._replace(dag=Dag())

    complete = 0
    for start in range(0, len(rows), 5):
        growing.dag.extend(rows[start : start + 5])
        for path, given in ranges.items():
            for part, full in zip(
                past_of(growing, history.root, path, given), whole[path], strict=True
            ):
                known = {c.commit: c for c in full.commits}
                assert all(known[c.commit] == c for c in part.commits if part.complete)
                assert all(known[c.commit].lines >= c.lines for c in part.commits)
                assert part == full or not part.complete
                complete += part.complete

    assert complete >= 2 * len(ranges)


def test_an_octopus_merge_carries_both_branches(tmp_path: Path) -> None:
    history = RandomHistory(tmp_path / "work", 1)
    history.merge_all_at_once()
    read = read_repository(history.root, "--indent-heuristic")
    expected = blame(history.root, path := history.files[0])

    pasts = past_of(read, history.root, path, [(n, n) for n in range(1, len(expected) + 1)])

    head = read.numbers[git(history.root, "rev-parse", "HEAD").strip()]
    assert len(read.dag.parents(head)) == 3
    assert [[read.ids[c.commit] for c in p.commits if c.lines] for p in pasts] == [
        [commit] for commit in expected
    ]
    assert pasts[3].commits[0].role is Role.CARRIER
    assert last_touch(read.facts, read.dag, head, path) == head


def test_an_ignored_commit_leaves_the_lines_it_reformatted_to_those_before(tmp_path: Path) -> None:
    history = RandomHistory(tmp_path / "work", 3)
    path = history.files[0]
    file = history.root / path
    file.write_text("".join(f"  {line}\n" for line in file.read_text().splitlines()))
    git(history.root, "commit", "-qam", "reindent")
    read = read_repository(history.root)
    head, count = len(read.ids) - 1, len(file.read_text().splitlines())

    now = FileNow(head, path, count)
    noted = replay(read.facts, read.dag, now, [(1, count)])
    ignored = replay(read.facts, read.dag, now, [(1, count)], ignored={head})

    assert [(c.commit, c.lines) for c in noted[0].commits] == [(1, count), (0, 0)]
    assert [(c.commit, c.lines) for c in ignored[0].commits] == [(0, count)]
    assert set(blame(history.root, path, "--ignore-rev", read.ids[head])) <= {
        read.ids[0], read.ids[head],
    }  # fmt: skip

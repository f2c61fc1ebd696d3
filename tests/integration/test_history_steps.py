"""Whatever stops the history's writer, and at whatever step: it is readable and goes on."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from paparatsd.commits import ChunkPast, Involvement, Role
from paparatsd.model import RepoId, VersionId
from paparatsd.store import history, history_collect
from paparatsd.store.history import HistoryStore
from paparatsd.store.history_rows import Rewrite, ScanState, TicketLink, Words
from paparatsd.store.history_schema import INITIAL
from paparatsd.store.migrations import Migration
from tests.harness.history_facts import REPO, WORDS, cid, facts, skeleton, touch
from tests.harness.steps import Fuse, StillClock, Stopped, contents, crash

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OTHER = RepoId("b" * 40)
LARGE = tuple(touch(f"vendor/{n}.py") for n in range(10))
CHAIN = [
    facts(0, (), touch("a.py"), at=10, subject="Begin"),
    facts(1, (0,), touch("a.py"), touch("b.py"), at=20, subject="Retry the client"),
    facts(2, (1,), *LARGE, at=30, subject="Take along a vendor"),
    facts(3, (1,), touch("a.py"), at=40, subject="Retry the server"),
    facts(4, (3, 2), touch("a.py"), at=50, subject="Merge the vendor"),
]
BACKWARDS = Words(WORDS.version + 1, lambda text: [word[::-1] for word in text.split()])


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let little work take many transactions."""
    monkeypatch.setattr(history, "TOUCHES", 8)
    monkeypatch.setattr(history_collect, "_TOUCHES", 8)
    monkeypatch.setattr(history_collect, "_COMMITS", 3)


def open_history(
    path: Path, on_step: Callable[[str], None] = lambda step: None, words: Words = WORDS
) -> HistoryStore:
    return HistoryStore.open(path, words, clock=StillClock(), on_step=on_step)


def scan(store: HistoryStore) -> None:
    """Read a repository as the scanner does: what is missing, the newest first."""
    store.add_skeletons(REPO, map(skeleton, CHAIN))
    by_id = {one.commit.id: one for one in CHAIN}
    tickets = {cid(1): [TicketLink("API-1", "subject", "fixes")]}
    while missing := store.read.missing_facts(REPO, limit=2):
        store.add_facts(REPO, [by_id[ident] for ident in missing], tickets)
    store.add_rewrites(REPO, [Rewrite(cid("old"), cid(1), "amend", 1.0)])
    base = store.read.numbers(REPO, [cid(3)])[cid(3)]
    past = (ChunkPast(1, 9, (Involvement(base, Role.AUTHOR, 9),)),)
    store.put_pasts(REPO, {(VersionId(5), base): past})
    store.set_scan(REPO, ScanState((cid(4),)))


def drop_branch(store: HistoryStore) -> None:
    kept = store.read.numbers(REPO, [cid(0), cid(1)])
    store.collect(REPO, kept.values(), -1)
    while store.purge():
        pass


def forget(store: HistoryStore) -> None:
    store.forget_repo(REPO)
    while store.purge():
        pass


def index_again(store: HistoryStore) -> None:
    while store.index_missing(2):
        pass


def answers(store: HistoryStore) -> dict[str, Any]:
    """Ask everything, with ids in place of numbers: those depend on what was interrupted."""
    read = store.read
    graph = read.graph(REPO)
    numbers = graph.numbers.tolist()
    ids = read.ids(graph.parents.tolist() + numbers)
    return {
        "parents": {
            ids[number]: [
                ids[parent]
                for parent in graph.parents[graph.offsets[at] : graph.offsets[at + 1]].tolist()
            ]
            for at, number in enumerate(numbers)
        },
        "commits": {ids[n]: one.commit for n, one in read.commits(numbers).items()},
        "touches": {ids[n]: read.touches_of_commit(n) for n in numbers},
        "of a path": [(ids[row.number], row.hunks()) for row in read.touches_of(REPO, "a.py")],
        "counts": read.counts(REPO),
        "missing": read.missing_facts(REPO),
        "found": {
            word: {ids[n] for n, _ in read.search(REPO, word)}
            for word in ("retry", "vendor", "yrteR")
        },
        "ticket": [(ids[n], link) for n, link in read.by_ticket(REPO, "API-1")],
        "old": read.follow(REPO, [cid("old")]),
        "scan": read.scan_state(REPO),
        "persons": [one.person for one in read.persons(REPO)],
        "pasts": list(store.pasts([(VersionId(5), n) for n in numbers]).values()),
        "repos": read.repos(),
        "other": len(read.search(OTHER, "retry")),
    }


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("before") / "h.sqlite3"
    store = open_history(path)
    scan(store)
    there = facts(9, (), touch("a.py"), subject="Retry elsewhere")
    store.add_skeletons(OTHER, [skeleton(there)])
    store.add_facts(OTHER, [there])
    store.close()
    return path


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "h.sqlite3"
    open_history(path).close()
    return path


@pytest.mark.parametrize(
    ("start", "work", "words"),
    [
        ("empty", scan, WORDS),
        ("before", drop_branch, WORDS),
        ("before", forget, WORDS),
        ("before", index_again, BACKWARDS),
    ],
    ids=["scan", "drop_branch", "forget", "index_again"],
)
def test_work_stopped_at_any_step_leaves_whole_transactions_and_can_go_on(
    start: str,
    work: Callable[[HistoryStore], None],
    words: Words,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    first: Path = request.getfixturevalue(start)
    path = tmp_path / "whole.sqlite3"
    shutil.copy(first, path)
    fuse = Fuse(0)
    committed = [contents(path)]

    def record(step: str) -> None:
        fuse(step)
        if step.endswith(":done"):
            committed.append(contents(path))

    store = open_history(path, record, words)
    opened = len(fuse.steps)
    work(store)
    wanted = answers(store)
    store.close()
    assert len(fuse.steps) - opened >= 6

    for number in range(opened + 1, len(fuse.steps) + 1):
        step = fuse.steps[number - 1]
        path = tmp_path / f"{number}.sqlite3"
        shutil.copy(first, path)
        stopped = open_history(path, Fuse(number), words)
        with pytest.raises(Stopped):
            work(stopped)
        crashed = crash(path)
        stopped.close()
        done = sum(earlier.endswith(":done") for earlier in fuse.steps[:number])
        assert contents(crashed) == committed[done], f"half a change after {step}"
        again = open_history(crashed, words=words)
        answers(again)
        work(again)
        assert answers(again) == wanted, f"not whole after {step}"
        again.close()


def test_half_written_facts_are_shown_to_nobody(empty: Path, tmp_path: Path) -> None:
    seen = 0
    for number in range(1, 60):
        path = tmp_path / f"{number}.sqlite3"
        shutil.copy(empty, path)
        fuse = Fuse(0)
        store = open_history(path, fuse)
        fuse.after = len(fuse.steps) + number
        try:
            scan(store)
        except Stopped as stopped:
            seen += "add_touches" in str(stopped)
            missing = set(store.read.missing_facts(REPO))
            shown = [row.number for row in store.read.touches_of(REPO, "vendor/3.py")]
            there = cid(2) in store.read.numbers(REPO, [cid(2)]) and cid(2) not in missing
            assert len(shown) == int(there)
        store.close()
    assert seen >= 3


def test_the_newest_commits_are_there_first(empty: Path, tmp_path: Path) -> None:
    path = tmp_path / "h.sqlite3"
    shutil.copy(empty, path)
    store = open_history(path)
    store.add_skeletons(REPO, map(skeleton, CHAIN))

    assert store.read.missing_facts(REPO) == [cid(n) for n in (4, 3, 2, 1, 0)]
    store.add_facts(REPO, CHAIN[3:])
    assert store.read.missing_facts(REPO, 2) == [cid(2), cid(1)]
    store.close()


def test_a_migration_stopped_at_any_step_leaves_the_old_schema_or_the_new(
    before: Path, tmp_path: Path
) -> None:
    newer = (Migration(1, INITIAL), Migration(2, ("CREATE TABLE extra(x)", "DROP TABLE sweeping")))
    fuse = Fuse(0)
    whole = tmp_path / "whole.sqlite3"
    shutil.copy(before, whole)
    HistoryStore.open(whole, WORDS, on_step=fuse, migrations=newer).close()

    for number in range(1, len(fuse.steps) + 1):
        path = tmp_path / f"m{number}.sqlite3"
        shutil.copy(before, path)
        with pytest.raises(Stopped):
            HistoryStore.open(path, WORDS, on_step=Fuse(number), migrations=newer)
        again = HistoryStore.open(path, WORDS, migrations=newer)
        assert again.read.repos() == [REPO, OTHER]
        again.close()
        assert contents(path) == contents(whole)

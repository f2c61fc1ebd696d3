"""The history file on real files: what it keeps, finds and forgets."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from paparatsd.commits import (
    Change,
    ChunkPast,
    CommitFacts,
    Hunk,
    Involvement,
    Moment,
    Person,
    Role,
    Touch,
)
from paparatsd.errors import Conflict, SchemaTooNew
from paparatsd.model import CommitId, RepoId, VersionId
from paparatsd.store import history_words
from paparatsd.store.catalog import Catalog
from paparatsd.store.history import TOUCHES, HistoryStore
from paparatsd.store.history_rows import (
    HistoryCounts,
    Rewrite,
    ScanState,
    Skeleton,
    TicketLink,
    Words,
)
from paparatsd.store.history_schema import INITIAL
from paparatsd.store.migrations import Migration
from tests.harness.history_facts import ANN, BOB, REPO, WORDS, cid, facts, skeleton, touch
from tests.harness.set_clock import SetClock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

DAY = 86_400.0
OTHER = RepoId("b" * 40)


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "history.sqlite3"


@pytest.fixture
def store(path: Path, clock: SetClock) -> Iterator[HistoryStore]:
    opened = HistoryStore.open(path, WORDS, clock=clock)
    yield opened
    opened.close()


def add(store: HistoryStore, *some: CommitFacts, repo: RepoId = REPO) -> dict[CommitId, int]:
    numbers = store.add_skeletons(repo, map(skeleton, some))
    store.add_facts(repo, some)
    return numbers


def purge(store: HistoryStore) -> None:
    while store.purge():
        pass


def rows(path: Path, table: str) -> int:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


# --------------------------------------------------------------------------- the graph


def test_parents_come_back_in_order_and_those_not_there_keep_their_number(
    store: HistoryStore,
) -> None:
    first = store.add_skeletons(REPO, [Skeleton(cid("m"), (cid("b"), cid("a"), cid("x")), 30)])
    assert store.read.graph(REPO).numbers.tolist() == [first[cid("m")]]
    assert store.read.missing_facts(REPO) == [cid("m")]
    assert store.read.numbers(REPO, [cid("m"), cid("a")]) == {cid("m"): first[cid("m")]}

    later = store.add_skeletons(
        REPO, [Skeleton(cid("a"), (), 10), Skeleton(cid("b"), (cid("a"),), 20)]
    )
    assert all(first[ident] == later[ident] for ident in (cid("a"), cid("b")))

    graph = store.read.graph(REPO)
    parents = {
        int(number): graph.parents[graph.offsets[at] : graph.offsets[at + 1]].tolist()
        for at, number in enumerate(graph.numbers)
    }
    number = {**later, **first}
    assert parents == {
        number[cid("m")]: [number[cid("b")], number[cid("a")], number[cid("x")]],
        number[cid("b")]: [number[cid("a")]],
        number[cid("a")]: [],
    }
    assert dict(zip(graph.numbers.tolist(), graph.committed.tolist(), strict=True)) == {
        number[cid("m")]: 30,
        number[cid("b")]: 20,
        number[cid("a")]: 10,
    }
    assert not graph.facts.any()
    assert store.read.missing_facts(REPO) == [cid("m"), cid("b"), cid("a")]
    assert store.read.missing_facts(REPO, limit=1) == [cid("m")]
    assert store.read.ids([number[cid("x")]]) == {number[cid("x")]: cid("x")}
    assert store.read.counts(REPO) == HistoryCounts(commits=3)


def test_skeletons_that_are_there_stay_as_they_are(store: HistoryStore) -> None:
    one = facts("a", (), touch("f.py"))
    before = add(store, one)

    assert store.add_skeletons(REPO, [skeleton(one)]) == before
    assert store.read.graph(REPO).facts.tolist() == [True]
    assert store.read.counts(REPO) == HistoryCounts(1, 1, 1)


def test_a_deepened_clone_gets_its_parents_and_reads_the_facts_of_its_old_end_again(
    store: HistoryStore,
) -> None:
    shallow = facts("end", (), touch("all.py", change=Change.ADD), subject="Xylophone")
    cut = replace(shallow, commit=replace(shallow.commit, boundary=True))
    numbers = add(store, cut, facts("top", ("end",), touch("top.py")))
    store.put_pasts(REPO, {(VersionId(1), 0): past(1)})

    deep = facts("end", ("below",), touch("b.py"), subject="Xylophone", at=900)
    below = facts("below", (), touch("all.py", change=Change.ADD), at=800)
    assert (
        store.add_skeletons(REPO, [skeleton(deep), skeleton(below)])[cid("end")]
        == numbers[cid("end")]
    )
    store.forget_pasts(REPO)
    assert store.read.missing_facts(REPO) == [cid("end"), cid("below")]
    assert store.read.touches_of(REPO, "all.py") == []
    store.add_facts(REPO, [deep, below])

    assert store.read.commits(numbers.values())[numbers[cid("end")]].commit == deep.commit
    assert [row.number for row in store.read.touches_of(REPO, "all.py")] != [numbers[cid("end")]]
    assert store.read.counts(REPO) == HistoryCounts(3, 3, 3)
    assert [number for number, _ in store.read.search(REPO, "xylophone")] == [numbers[cid("end")]]
    assert store.pasts([(VersionId(1), 0)]) == {}


@pytest.mark.parametrize("digits", [40, 64])
def test_abbreviated_ids_resolve_to_all_that_begin_so(store: HistoryStore, digits: int) -> None:
    ids = [CommitId(start.ljust(digits, "0")) for start in ("ab1", "ab12", "ab2", "b", "ffff")]
    store.add_skeletons(
        REPO, [Skeleton(ident, (CommitId("ab3".ljust(digits, "0")),)) for ident in ids]
    )

    assert store.read.resolve(REPO, "ab") == ids[:3]
    assert store.read.resolve(REPO, "AB1") == ids[:2]
    assert store.read.resolve(REPO, "ab12") == [ids[1]]
    assert store.read.resolve(REPO, "ab3") == []  # named as a parent only
    assert store.read.resolve(REPO, ids[3]) == [ids[3]]
    assert store.read.resolve(REPO, "f") == [ids[4]]
    assert store.read.resolve(REPO, "ab", limit=2) == ids[:2]
    for nonsense in ("", "xyz", "0" * 65, "zz"):
        assert store.read.resolve(REPO, nonsense) == []
    assert store.read.resolve(OTHER, "ab") == []


# --------------------------------------------------------------------------- facts


def test_a_commit_and_its_touches_come_back_as_they_were(store: HistoryStore) -> None:
    long = "Because.\n\n" + "It was slow and wrong. " * 40 + "\n\nSigned-off-by: Bob"
    touches = (
        Touch("new.py", 0, Change.RENAME, "ab" * 20, (Hunk(3, 2, 3, 1),), old_path="old.py"),
        Touch("gone.py", 0, Change.DELETE, "", (Hunk(1, 9, 0, 0),)),
        Touch("ä/bild.png", 0, Change.ADD, "cd" * 20, whole=True),
        Touch("merged.py", 0, Change.MODIFY, "ef" * 20, (Hunk(5, 0, 6, 2),), same_in=1),
        Touch("merged2.py", 0, Change.MODIFY, "ef" * 20, (Hunk(5, 0, 6, 2),)),
        Touch("merged2.py", 1, Change.MODIFY, "ef" * 20, (Hunk(7, 1, 7, 1),)),
        Touch("not\udcfftext", 0, Change.COPY, "00" * 20, old_path="caf\udce9"),
    )
    one = facts("m", ("a", "b"), *touches, subject="Straße: läuft", body=long)
    two = facts("a", (), touch("old.py"), author=Person("", ""), at=-5)
    numbers = add(store, one, replace(two, commit=replace(two.commit, boundary=True)))
    number = numbers[cid("m")]

    stored = store.read.commits([number, numbers[cid("a")], numbers[cid("b")], 999])

    assert stored[number].commit == one.commit
    assert stored[numbers[cid("a")]].commit == replace(two.commit, boundary=True)
    assert stored.keys() == {number, numbers[cid("a")]}
    assert set(store.read.touches_of_commit(number)) == set(touches)
    assert store.read.changed_paths([number])[number] == tuple(
        sorted({one.path for one in touches})
    )
    for path in {one.path for one in touches}:
        found = [row.touch(path) for row in store.read.touches_of(REPO, path)]
        assert found == [one for one in touches if one.path == path]
    assert store.read.touches_of(REPO, "nowhere") == []
    assert store.read.touches_of(OTHER, "new.py") == []
    assert store.read.counts(REPO) == HistoryCounts(2, 2, 8)
    assert store.read.missing_facts(REPO) == []


def test_all_touches_of_a_path_come_in_one_question_by_commit(store: HistoryStore) -> None:
    some = [facts(n, (n - 1,) if n else (), touch("a.py", line=n + 1)) for n in range(50)]
    numbers = add(store, *some)

    found = store.read.touches_of(REPO, "a.py")

    assert [row.number for row in found] == sorted(numbers.values())
    by_number = {row.number: row.hunks() for row in found}
    assert all(by_number[numbers[cid(n)]] == (Hunk(n + 1, 1, n + 1, 2),) for n in range(50))


def test_facts_need_a_skeleton_and_are_written_once(store: HistoryStore) -> None:
    with pytest.raises(Conflict, match="skeleton"):
        store.add_facts(REPO, [facts("a", (), touch("a.py"))])

    numbers = add(store, facts("a", (), touch("a.py"), subject="first"))
    store.add_facts(REPO, [facts("a", (), touch("b.py"), subject="second")] * 2)

    assert store.read.commits(numbers.values())[numbers[cid("a")]].commit.subject == "first"
    assert store.read.touches_of(REPO, "b.py") == []
    assert store.read.counts(REPO) == HistoryCounts(1, 1, 1)


def test_a_commit_with_very_many_touches_is_read_back_whole(store: HistoryStore) -> None:
    many = tuple(touch(f"d/{n}.py") for n in range(2 * TOUCHES + 50))
    numbers = add(store, facts("small"), facts("large", ("small",), *many), facts("next"))

    assert len(store.read.changed_paths([numbers[cid("large")]])[numbers[cid("large")]]) == len(
        many
    )
    assert store.read.touches_of_commit(numbers[cid("large")]) == tuple(
        sorted(many, key=lambda one: one.path)
    )
    assert store.read.counts(REPO) == HistoryCounts(3, 3, len(many))


def test_commits_are_found_by_time_person_and_ticket(store: HistoryStore) -> None:
    some = [
        facts("a", (), at=10, author=ANN),
        facts("b", ("a",), at=20, author=BOB),
        facts("c", ("b",), at=30, author=ANN),
    ]
    numbers = store.add_skeletons(REPO, map(skeleton, some))
    links = {cid("b"): [TicketLink("API-7", "subject", "fixes"), TicketLink("#3", "body", "")]}
    store.add_facts(REPO, some, links)
    a, b, c = (numbers[cid(name)] for name in "abc")

    assert store.read.committed_between(REPO) == [c, b, a]
    assert store.read.committed_between(REPO, since=20) == [c, b]
    assert store.read.committed_between(REPO, until=20, limit=1) == [b]
    people = {one.person: one.number for one in store.read.persons(REPO)}
    assert people.keys() == {ANN, BOB}
    assert store.read.written_by([people[ANN]]) == [c, a]
    assert store.read.written_by([people[BOB]], committers=True) == [c, b, a]
    assert store.read.by_ticket(REPO, "api-7") == [(b, links[cid("b")][0])]
    assert store.read.by_ticket(REPO, "API-70") == []
    assert store.read.by_ticket(REPO, "#3") == [(b, links[cid("b")][1])]

    store.set_tickets(REPO, {cid("b"): [], cid("c"): [TicketLink("X-1", "body", "")], cid("?"): []})
    assert store.read.by_ticket(REPO, "API-7") == []
    assert store.read.by_ticket(REPO, "X-1") == [(c, TicketLink("X-1", "body", ""))]


def test_repositories_do_not_see_each_other(store: HistoryStore) -> None:
    here = add(store, facts("a", (), touch("a.py"), subject="Retry here"))
    there = add(store, facts("a", (), touch("a.py"), subject="Retry there"), repo=OTHER)

    assert not set(here.values()) & set(there.values())
    assert [row.number for row in store.read.touches_of(REPO, "a.py")] == list(here.values())
    assert [number for number, _ in store.read.search(OTHER, "retry")] == list(there.values())
    assert store.read.committed_between(OTHER) == list(there.values())
    assert store.read.repos() == [REPO, OTHER]


def test_the_state_of_a_scan_is_kept(store: HistoryStore) -> None:
    assert store.read.scan_state(REPO) == ScanState()
    state = ScanState((cid("a"), cid("b")), "depth", "wording", "ignored")

    store.set_scan(REPO, state)

    assert store.read.scan_state(REPO) == state


# --------------------------------------------------------------------------- search


def searchable(store: HistoryStore) -> dict[str, int]:
    some = [
        facts("retry", (), touch("src/http/RetryClient.py"), subject="Give up after five attempts"),
        facts("auth", (), touch("src/auth/login.py"), subject="Refuse empty passwords"),
        facts("say", (), touch("docs/a.md"), subject="Tell how clients retry", body="In docs."),
        facts("body", (), touch("b.py"), subject="Cleanup", body="Replaces parseQueryString."),
        facts("han", (), touch("c.py"), subject="修复登录错误"),
    ]
    numbers = add(store, *some)
    return {name: numbers[cid(name)] for name in ("retry", "auth", "say", "body", "han")}


@pytest.mark.parametrize("indexed", [True, False])
def test_commits_are_found_by_plain_words(
    store: HistoryStore, monkeypatch: pytest.MonkeyPatch, *, indexed: bool
) -> None:
    monkeypatch.setattr(history_words, "has_index", lambda connection: indexed)
    found = searchable(store)

    def names(text: str, **more: object) -> list[str]:
        back = {number: name for name, number in found.items()}
        return [back[number] for number, _ in store.read.search(REPO, text, **more)]  # type: ignore[arg-type]

    assert set(names("retry client")) == {"retry", "say"}
    assert names("query string parsing") == ["body"]
    assert names("empty password")[0] == "auth"
    assert names("登录") == ["han"]
    assert names("nothing of this sort zzz") == []
    assert names('") OR (" *') == []
    assert names("") == []
    assert names("what was the retry of") == names("retry")
    assert names("how") == ["say"]
    assert names("retry", among={found["retry"]}) == ["retry"]
    assert len(names("retry", limit=1)) == 1
    scores = [score for _, score in store.read.search(REPO, "retry client")]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0


def test_words_made_in_another_way_are_indexed_again(path: Path) -> None:
    store = HistoryStore.open(path, WORDS)
    found = searchable(store)
    store.close()

    backwards = Words(WORDS.version + 1, lambda text: [word[::-1] for word in text.split()])
    store = HistoryStore.open(path, backwards)
    assert store.read.search(REPO, "Cleanup") == []
    assert store.index_missing(limit=3) == 3
    assert store.index_missing() == len(found) - 3
    assert store.index_missing() == 0
    assert [number for number, _ in store.read.search(REPO, "Cleanup")] == [found["body"]]
    store.close()


# --------------------------------------------------------------------------- pasts and rewrites


def past(*numbers: int) -> tuple[ChunkPast, ...]:
    commits = tuple(Involvement(number, Role.AUTHOR, 3) for number in numbers)
    return (ChunkPast(1, 9, commits), ChunkPast(10, 20, commits[:1], 2, complete=False))


def test_pasts_are_kept_by_version_and_base(store: HistoryStore) -> None:
    numbers = add(store, facts("a"), facts("b", ("a",)))
    a, b = numbers[cid("a")], numbers[cid("b")]
    one, two = (VersionId(7), b), (VersionId(7), 0)

    store.put_pasts(REPO, {one: past(b, a), two: past()})

    assert store.pasts([one, two, (VersionId(9), 1)]) == {one: past(b, a), two: past()}
    store.put_pasts(REPO, {one: past(a)})
    assert store.pasts([one]) == {one: past(a)}
    store.forget_versions([VersionId(7)])
    assert store.pasts([one, two]) == {}


def test_pasts_go_by_when_they_were_used_last(store: HistoryStore, clock: SetClock) -> None:
    add(store, facts("a"))
    keys = [(VersionId(n), 0) for n in range(1, 7)]
    for key in keys:
        clock.at += DAY
        store.put_pasts(REPO, {key: past(1)})
    assert store.pasts(keys[:1]).keys() == {keys[0]}  # used now

    assert store.collect_pasts(keep_s=2.5 * DAY, max_bytes=1 << 30) == 2
    assert store.pasts(keys).keys() == {keys[0], *keys[3:]}

    clock.at += DAY
    assert store.pasts(keys[4:]).keys() == set(keys[4:])
    size = store._connection.execute("SELECT size FROM pasts").fetchone()[0]
    assert store.collect_pasts(keep_s=99 * DAY, max_bytes=2 * size) == 2
    assert store.pasts(keys).keys() == set(keys[4:])
    assert store.collect_pasts(keep_s=99 * DAY, max_bytes=2 * size) == 0


def test_rewrites_are_followed_to_the_end(store: HistoryStore) -> None:
    def rewrite(old: str, new: str, at: float) -> Rewrite:
        return Rewrite(cid(old), cid(new), "rebase", at)

    store.add_rewrites(
        REPO,
        [
            rewrite("a", "b", 1),
            rewrite("b", "c", 2),
            rewrite("s1", "sum", 3),
            rewrite("s2", "sum", 3),
            rewrite("sum", "c2", 4),
            rewrite("x", "y", 5),
            rewrite("y", "x", 6),
            rewrite("p", "q", 7),
            rewrite("p", "r", 8),
            rewrite("o", "o", 9),
        ],
    )

    ends = store.read.follow(REPO, map(cid, ["a", "b", "c", "s1", "s2", "x", "y", "p", "o", "?"]))

    wanted = "a c, b c, c c, s1 c2, s2 c2, x x, y x, p r, o o, ? ?"
    assert ends == {cid(old): cid(new) for old, new in map(str.split, wanted.split(", "))}
    assert store.read.follow(OTHER, [cid("a")]) == {cid("a"): cid("a")}


# --------------------------------------------------------------------------- collection


def test_commits_that_no_head_reaches_go_after_a_grace_time(
    store: HistoryStore, clock: SetClock, path: Path
) -> None:
    secret = Person("Zaphod", "zaphod@example.org")
    numbers = add(
        store,
        facts("a", (), touch("kept.py")),
        facts("b", ("a",), touch("kept.py"), touch("dropped-name.py"), author=secret,
              subject="Xylophone subject", body="Marzipan " * 60),
        facts("c", ("b",), touch("kept.py"), subject="On top of Xylophone"),
    )  # fmt: skip
    base = numbers[cid("b")]
    store.put_pasts(REPO, {(VersionId(1), base): past(base)})
    store.add_facts(REPO, [])
    store.set_tickets(REPO, {cid("b"): [TicketLink("XYZ-1", "body", "")]})

    store.collect(REPO, [numbers[cid("a")]], DAY)
    assert store.purge() == 0
    assert len(store.read.graph(REPO).numbers) == 3

    clock.at += DAY + 1
    store.collect(REPO, [numbers[cid("a")]], DAY)
    assert store.read.graph(REPO).numbers.tolist() == [numbers[cid("a")]]
    assert store.read.search(REPO, "Xylophone") == []
    assert store.read.commits([base]) == {}
    purge(store)

    assert store.pasts([(VersionId(1), base)]) == {}
    assert [row.number for row in store.read.touches_of(REPO, "kept.py")] == [numbers[cid("a")]]
    assert store.read.by_ticket(REPO, "XYZ-1") == []
    assert store.read.counts(REPO) == HistoryCounts(1, 1, 1)
    assert rows(path, "commits") == rows(path, "messages") == rows(path, "paths") == 1
    everything = path.read_bytes() + path.with_name(path.name + "-wal").read_bytes()
    for trace in (b"Xylophone", b"xylophon", b"Zaphod", b"dropped-name", b"XYZ-1", b"marzipan"):
        assert trace not in everything, trace
    assert bytes.fromhex(cid("b")) not in everything


def test_a_commit_reached_again_in_time_stays(store: HistoryStore, clock: SetClock) -> None:
    numbers = add(store, facts("a"), facts("b", ("a",), touch("b.py")))
    store.collect(REPO, [numbers[cid("a")]], DAY)
    clock.at += DAY + 1
    store.collect(REPO, numbers.values(), DAY)
    clock.at += 1
    store.collect(REPO, [numbers[cid("a")]], DAY)
    purge(store)

    assert len(store.read.graph(REPO).numbers) == 2
    assert store.read.counts(REPO) == HistoryCounts(2, 2, 1)


@pytest.mark.parametrize("steps", [0, 1, 2, 100])
def test_a_doomed_commit_that_is_named_again_comes_back_and_its_facts_are_read_again(
    store: HistoryStore, steps: int
) -> None:
    many = tuple(touch(f"{n}.py") for n in range(1500))
    some = [facts("a"), facts("b", ("a",), *many, subject="Xylophone"), facts("c", ("b",))]
    numbers = add(store, *some)
    store.collect(REPO, [numbers[cid("a")]], -1)
    for _ in range(steps):
        store.purge()

    assert store.read.numbers(REPO, [cid("b"), cid("c")]) == {}
    again = store.add_skeletons(REPO, map(skeleton, some[1:]))
    assert store.read.missing_facts(REPO) == [cid("c"), cid("b")]
    store.add_facts(REPO, some)
    purge(store)

    assert store.read.counts(REPO) == HistoryCounts(3, 3, 1500)
    assert store.read.touches_of_commit(again[cid("b")]) == tuple(
        sorted(many, key=lambda one: one.path)
    )
    assert [number for number, _ in store.read.search(REPO, "xylophone")] == [again[cid("b")]]
    graph = store.read.graph(REPO)
    assert set(graph.parents.tolist()) == {again[cid("a")], again[cid("b")]}


def test_a_forgotten_repository_leaves_the_file(path: Path, clock: SetClock) -> None:
    store = HistoryStore.open(path, WORDS, clock=clock)
    chain = [
        facts(n, (n - 1,) if n else (), touch("hot-path.py"), touch(f"{n}-secret.py"),
              subject=f"Xylophone {n}", author=Person(f"Zaphod {n}", "z"))
        for n in range(700)
    ]  # fmt: skip
    add(store, *chain)
    add(store, facts("kept", (), touch("kept.py"), subject="Stays here"), repo=OTHER)
    store.put_pasts(REPO, {(VersionId(1), 0): past(1)})
    store.add_rewrites(REPO, [Rewrite(cid(1), cid(2), "amend", 1.0)])
    store.close()
    before = path.stat().st_size
    store = HistoryStore.open(path, WORDS, clock=clock)

    store.forget_repo(REPO)
    assert store.read.repos() == [OTHER]
    assert store.read.touches_of(REPO, "hot-path.py") == []
    assert store.read.search(REPO, "Xylophone") == []
    add(store, facts(1, (), touch("fresh.py")))  # the same repository may come back at once
    purge(store)

    assert store.read.counts(REPO) == HistoryCounts(1, 1, 1)
    assert [len(store.read.search(OTHER, word)) for word in ("stays", "xylophone")] == [1, 0]
    everything = path.read_bytes() + path.with_name(path.name + "-wal").read_bytes()
    for trace in (b"Xylophone", b"xylophon", b"Zaphod", b"hot-path", b"-secret"):
        assert trace not in everything, trace
    assert rows(path, "rewrites") == rows(path, "pasts") == 0
    assert path.stat().st_size < before
    assert store.purge() == 0
    store.close()


# --------------------------------------------------------------------------- the file itself


def test_a_newer_file_is_refused_and_stays_as_it_was(path: Path) -> None:
    newer = (Migration(1, INITIAL), Migration(2, ("CREATE TABLE more(x)",)))
    HistoryStore.open(path, WORDS, migrations=newer).close()
    before = path.read_bytes()

    with pytest.raises(SchemaTooNew, match="history"):
        HistoryStore.open(path, WORDS)

    assert path.read_bytes() == before


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def no_database(path: Path) -> None:
    path.write_bytes(b"hello" * 100)


def a_catalog(path: Path) -> None:
    path.unlink()
    Catalog.open(path).close()


@pytest.mark.parametrize("damage", [cut_short, no_database, a_catalog])
def test_what_is_no_history_is_moved_aside(damage: Callable[[Path], None], path: Path) -> None:
    store = HistoryStore.open(path, WORDS)
    add(store, facts("a", (), touch("a.py")))
    store.close()
    damage(path)

    again = HistoryStore.open(path, WORDS)

    assert again.moved_aside is not None
    assert again.moved_aside.exists()
    assert again.read.repos() == []
    add(again, facts("a", (), touch("a.py")))
    assert again.read.counts(REPO) == HistoryCounts(1, 1, 1)
    again.close()


def test_a_history_is_no_catalog(path: Path) -> None:
    HistoryStore.open(path, WORDS).close()

    catalog = Catalog.open(path)

    assert catalog.moved_aside is not None
    catalog.close()


def test_text_that_is_no_unicode_is_kept_as_far_as_it_is(store: HistoryStore) -> None:
    one = facts("a", (), subject="bad \udcff end", body="x \ud800", author=Person("N\udce4", ""))
    number = add(store, one)[cid("a")]

    commit = store.read.commits([number])[number].commit

    assert (commit.subject, commit.body, commit.author.name) == ("bad ? end", "x ?", "N?")
    assert commit.authored == Moment(995, 120)

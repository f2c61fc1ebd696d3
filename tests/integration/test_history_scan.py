from __future__ import annotations

import os
import random
import re
from contextlib import aclosing
from typing import TYPE_CHECKING

import pytest

from paparatsd.commits import Change, CommitFacts, Hunk, Moment, Person, Touch
from paparatsd.errors import GitFailed
from paparatsd.history import ancestry
from paparatsd.history import scan as scanning
from paparatsd.history.ancestry import list_commits
from paparatsd.history.scan import scan_commits
from paparatsd.model import CommitId
from paparatsd.sources.git import GitContext
from tests.harness.repos import Repo

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence
    from pathlib import Path

CONTEXT = GitContext()
HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


async def scan(
    root: Path, context: GitContext, heads: Sequence[CommitId], known: Sequence[CommitId]
) -> AsyncGenerator[list[CommitFacts], None]:
    """Yield the facts of what is reachable from `heads` and not from `known`, newest first."""
    rows = []
    failure: GitFailed | None = None
    try:
        async for run in list_commits(root, context, heads, known):
            rows += run
    except GitFailed as error:
        failure = error
    async with aclosing(
        scan_commits(root, context, [row.commit for row in reversed(rows)])
    ) as batches:
        async for batch in batches:
            yield batch
    if failure is not None:
        raise failure


async def facts_of(repo: Repo, *heads: str, known: Sequence[str] = ()) -> list[CommitFacts]:
    found: list[CommitFacts] = []
    names = [CommitId(head) for head in heads or (repo.head(),)]
    async for batch in scan(repo.root, CONTEXT, names, [CommitId(name) for name in known]):
        found += batch
    return found


async def newest(repo: Repo) -> dict[str, Touch]:
    """Return what the newest commit touched against its first parent."""
    (batch,) = [b async for b in scan_commits(repo.root, CONTEXT, [CommitId(repo.head())])]
    return {touch.path: touch for touch in batch[0].touches if touch.parent == 0}


async def listed(
    repo: Repo, *heads: str, known: Sequence[str] = ()
) -> list[tuple[CommitId, tuple[CommitId, ...]]]:
    names = [CommitId(head) for head in heads]
    before = [CommitId(name) for name in known]
    found = [row async for rows in list_commits(repo.root, CONTEXT, names, before) for row in rows]
    return [(row.commit, row.parents) for row in found]


def text(*lines: object) -> str:
    return "".join(f"{line}\n" for line in lines)


def hunks_between(repo: Repo, old: str, new: str, path: str) -> tuple[Hunk, ...]:
    """Return what git says of one path of two commits, asked for alone."""
    output = repo.git("diff-tree", "-r", "-p", "-U0", "--indent-heuristic", old, new, "--", path)
    return tuple(
        Hunk(int(a), int(b or 1), int(c), int(d or 1)) for a, b, c, d in HUNK.findall(output)
    )


def merge_of(repo: Repo, *parents: str, files: dict[str, str]) -> str:
    """Commit these files as a merge of any parents."""
    repo.git("read-tree", "--empty")
    repo.write_all(files)
    repo.git("add", "--", *files)
    tree = repo.git("write-tree").strip()
    options = [word for parent in parents for word in ("-p", parent)]
    return repo.git("commit-tree", tree, *options, "-m", "Merge").strip()


async def test_a_linear_history_comes_newest_first_with_its_hunks(repo: Repo) -> None:
    repo.write("a.py", text(1, 2, 3))
    first = repo.commit("First\n\nWhy it was.\n\nFixes: T-1")
    repo.write("a.py", text(1, "two", 3, 4))
    second = repo.commit("Second")
    newer, older = await facts_of(repo)
    assert (newer.commit.id, newer.commit.parents) == (second, (first,))
    assert newer.touches == (
        Touch(
            "a.py",
            0,
            Change.MODIFY,
            repo.git("rev-parse", "HEAD:a.py").strip(),
            (Hunk(2, 1, 2, 1), Hunk(3, 0, 4, 1)),
        ),
    )
    assert older.commit.author == Person("Ada Author", "ada@example.org")
    assert (older.commit.subject, older.commit.body) == ("First", "Why it was.\n\nFixes: T-1")
    (added,) = older.touches
    assert (added.change, added.hunks) == (Change.ADD, (Hunk(0, 0, 1, 3),))


async def test_names_of_any_bytes_are_told_apart(repo: Repo) -> None:
    names = ["new\nline", 'q"uo\te', "a b/c d", "\udcff\udcfe.py", " b/x", "-rf", "=> {a}"]
    repo.write_all({name: text(number) for number, name in enumerate(names)})
    repo.commit("Add")
    for number, name in enumerate(names):
        if name != "a b/c d":
            repo.write(name, text(number, *range(number + 1)))
    repo.rename("a b/c d", "moved\nto")
    repo.commit("Change")
    touches = await newest(repo)
    assert set(touches) == {"moved\nto", *names} - {"a b/c d"}
    for number, name in enumerate(names):
        if name != "a b/c d":
            assert touches[name].hunks == (Hunk(1, 0, 2, number + 1),), name


async def test_content_cannot_pass_for_anything_else(repo: Repo) -> None:
    lies = text("@@ -1 +1 @@", "diff --git a/b b/b", "\0\1\0" + "a" * 40 + "\0", "\1\0", "\r@@")
    padding = text(*range(3000))  # git looks for a NUL in the beginning of a file only
    repo.write_all({"a.txt": padding + lies, "b.txt": "b\n"})
    repo.commit("Add\n\n\x01\n:100644 100644 a b M\n\ndiff --git a/x b/x\n@@ -1 +1 @@")
    repo.write_all({"a.txt": padding, "b.txt": lies.replace("\0", "") + "b\n"})
    repo.commit("Change")
    change, add = await facts_of(repo)
    assert [touch.hunks for touch in change.touches] == [
        (Hunk(3001, 5, 3000, 0),),
        (Hunk(0, 0, 1, 5),),
    ]
    assert [touch.hunks for touch in add.touches] == [
        (Hunk(0, 0, 1, 3005),),
        (Hunk(0, 0, 1, 1),),
    ]


async def test_kinds_of_entries(repo: Repo) -> None:
    inner = Repo.create(repo.root / "module", {"x": "x\n"})
    repo.write_all({"f": text(1, 2), "mode": "m\n", "bin": b"\0\1", "empty": "", "gone": "g\n"})
    (repo.root / "link").symlink_to("f")
    repo.git("-c", "advice.addEmbeddedRepo=false", "add", "--all")
    repo.commit("Add")
    added = await newest(repo)
    assert set(added) == {"f", "mode", "bin", "empty", "gone", "link"}
    assert [added[name].whole for name in ("f", "bin", "empty", "link")] == [
        False,
        True,
        False,
        True,
    ]
    assert added["empty"].hunks == ()

    inner.commit("Moves the submodule")
    repo.remove("f")
    (repo.root / "f").symlink_to("mode")
    repo.remove("link")
    repo.write("link", "no link\n")
    (repo.root / "mode").chmod(0o755)
    repo.remove("gone")
    repo.rename("bin", "bin2")
    repo.commit("Change")
    changed = await newest(repo)
    assert set(changed) == {"f", "link", "gone", "bin2"}
    assert (changed["f"].change, changed["f"].whole) == (Change.MODIFY, True)
    assert (changed["link"].change, changed["link"].hunks) == (Change.ADD, (Hunk(0, 0, 1, 1),))
    assert (changed["gone"].change, changed["gone"].blob) == (Change.DELETE, "")
    assert (changed["bin2"].old_path, changed["bin2"].whole) == ("bin", False)


async def test_hunks_of_merges_are_those_of_a_comparison_with_each_parent(repo: Repo) -> None:
    chance = random.Random(4)  # noqa: S311 - repeatable, not secret
    words = [f"line {number}" for number in range(6)]
    expected: dict[str, list[str]] = {}
    heads = []
    for _ in range(4):
        parents = []
        for _ in range(chance.choice([2, 2, 3])):
            repo.git("checkout", "--quiet", "--orphan", f"b{chance.random()}")
            files = {
                f"f{n}": text(*chance.choices(words, k=chance.randrange(14))) for n in range(5)
            }
            repo.write_all(files)
            parents.append(repo.commit("Parent"))
        files = {f"f{n}": text(*chance.choices(words, k=chance.randrange(14))) for n in range(4)}
        files["f4"] = repo.git("show", f"{parents[1]}:f4")
        head = merge_of(repo, *parents, files=files)
        heads.append(head)
        expected[head] = parents
    found = {facts.commit.id: facts for facts in await facts_of(repo, *heads)}
    compared = 0
    for head, parents in expected.items():
        for touch in found[CommitId(head)].touches:
            if touch.same_in is None:
                assert touch.hunks == hunks_between(repo, parents[touch.parent], head, touch.path)
                compared += 1
    assert compared > 30


async def test_a_merge_says_where_a_path_is_the_same(repo: Repo) -> None:
    base = {"ours": text(1), "theirs": text(1), "both": text(1, 2, 3), "third": text(1)}
    repo.write_all(base)
    root = repo.commit("Base")
    tips = []
    for name in ("ours", "theirs", "third"):
        repo.git("checkout", "--quiet", "-B", f"side-{name}", root)
        repo.write_all({name: text(name), "both": text(name, 2, 3)})
        tips.append(repo.commit(name))
    merged = {name: text(name) for name in ("ours", "theirs", "third")}
    two = merge_of(
        repo, *tips[:2], files={**base, **merged, "third": text(1), "both": text(1, 2, "own")}
    )
    three = merge_of(repo, *tips, files={**merged, "both": text("own", 2, 3)})
    found = {facts.commit.id: facts for facts in await facts_of(repo, two, three)}

    touches = [(t.path, t.parent, t.same_in) for t in found[CommitId(two)].touches]
    assert sorted(touches) == [("both", 0, None), ("both", 1, None), ("theirs", 0, 1)]
    touches = [(t.path, t.parent, t.same_in) for t in found[CommitId(three)].touches]
    assert sorted(touches) == [
        ("both", 0, None),
        ("both", 1, None),
        ("both", 2, None),
        ("theirs", 0, 1),
        ("third", 0, 2),
    ]


async def test_a_rename_on_one_branch_is_one_to_the_merge(repo: Repo) -> None:
    repo.write("old.py", text(*range(20)))
    root = repo.commit("Base")
    repo.git("checkout", "--quiet", "-b", "side", root)
    repo.rename("old.py", "new.py")
    side = repo.commit("Move")
    repo.git("checkout", "--quiet", "main")
    repo.write("old.py", text("first", *range(20)))
    main = repo.commit("Change")
    head = merge_of(repo, main, side, files={"new.py": text("first", *range(20), "last")})
    facts = (await facts_of(repo, head))[0]
    first, second = facts.touches
    assert (first.path, first.old_path, first.hunks) == ("new.py", "old.py", (Hunk(21, 0, 22, 1),))
    assert (second.parent, second.old_path) == (1, None)
    assert second.hunks == (Hunk(0, 0, 1, 1), Hunk(20, 0, 22, 1))


async def test_only_what_is_not_known_is_listed_parents_first(repo: Repo) -> None:
    first = repo.commit("1")
    second = repo.commit("2")
    repo.git("checkout", "--quiet", "-b", "side", first)
    side = repo.commit("3")
    repo.git("checkout", "--quiet", "main")
    repo.git("merge", "--quiet", "--no-edit", "side")
    head = repo.head()
    rows = await listed(repo, head)
    assert {row[0] for row in rows} == {first, second, side, head}
    assert dict(rows)[CommitId(head)] == (second, side)
    place = {name: number for number, (name, _) in enumerate(rows)}
    assert all(place[p] < place[name] for name, parents in rows for p in parents)
    gone = "0123456789" * 4
    assert {name for name, _ in await listed(repo, head, known=[second, gone])} == {side, head}
    assert [f.commit.id for f in await facts_of(repo, known=[second, side, gone])] == [head]
    assert await listed(repo) == []


async def test_lists_come_in_full_items_whatever_the_pieces_git_writes(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ancestry, "LISTED_COMMITS", 3)
    ids = [repo.commit(str(number)) for number in range(8)]
    items = [item async for item in list_commits(repo.root, CONTEXT, [CommitId(ids[-1])], [])]
    assert [row.commit for item in items for row in item] == ids
    assert [len(item) for item in items] == [3, 3, 2]


async def test_replaced_parents_are_the_parents(repo: Repo) -> None:
    ids = []
    for number in range(4):
        repo.write("a.py", text(*range(number)))
        ids.append(repo.commit(str(number)))
    repo.git("replace", "--graft", ids[3], ids[1])
    grafted, *older = await facts_of(repo)
    assert grafted.commit.parents == (ids[1],)
    assert grafted.touches[0].hunks == (Hunk(1, 0, 2, 2),)
    assert [facts.commit.id for facts in older] == [ids[1], ids[0]]


async def test_content_too_large_to_compare_is_whole(repo: Repo) -> None:
    repo.write_all({"large.txt": "some text\n" * 3_500_000, "small.txt": "a\n"})
    repo.commit("Add")
    touches = await newest(repo)
    assert (touches["large.txt"].whole, touches["small.txt"].whole) == (True, False)


async def test_what_is_not_an_id_never_reaches_git(repo: Repo) -> None:
    repo.commit("1")
    for name in ("--all", "HEAD", "abc", "a" * 40 + "\n--all"):
        with pytest.raises(GitFailed, match="not the id"):
            await facts_of(repo, name)
        with pytest.raises(GitFailed, match="not the id"):
            await facts_of(repo, known=[name])
        with pytest.raises(GitFailed, match="not the id"):
            _ = [b async for b in scan_commits(repo.root, CONTEXT, [CommitId(name)])]


async def test_given_commits_come_in_their_order_and_batches(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanning, "BATCH_COMMITS", 3)
    monkeypatch.setattr(scanning, "RUN_COMMITS", 4)
    ids = [CommitId(repo.commit(str(number))) for number in range(8)]
    wanted = [ids[number] for number in (3, 0, 7, 5, 1, 2, 6, 4)]
    batches = [b async for b in scan_commits(repo.root, CONTEXT, [*wanted, wanted[0]])]
    assert [facts.commit.id for batch in batches for facts in batch] == wanted
    assert [len(batch) for batch in batches] == [3, 3, 2]


async def test_where_a_shallow_clone_ends_nothing_is_credited(repo: Repo, tmp_path: Path) -> None:
    for number in range(5):
        repo.write_all({"a.py": text(*range(number + 1)), f"{number}.py": text(number)})
        repo.commit(f"Commit {number}")
    clone = repo.clone(tmp_path / "clone", "--depth=2")
    head, end = await facts_of(clone)
    assert (head.commit.boundary, len(head.touches)) == (False, 2)
    assert (end.commit.boundary, end.touches, end.commit.subject) == (True, (), "Commit 3")

    whole = repo.clone(tmp_path / "whole", "--depth=5")
    assert not any(facts.commit.boundary for facts in await facts_of(whole))


async def test_without_content_facts_are_about_paths(repo: Repo, tmp_path: Path) -> None:
    repo.write_all({"a.py": text(*range(9)), "b.py": text(*range(20, 30))})
    base = repo.commit("Base")
    repo.write("a.py", text(1))
    repo.rename("b.py", "c.py")
    repo.commit("Change")
    repo.git("checkout", "--quiet", "-b", "side", base)
    repo.write("d.py", text(3))
    repo.commit("Side")
    repo.git("checkout", "--quiet", "main")
    repo.git("merge", "--quiet", "--no-edit", "side")
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = repo.clone(tmp_path / "clone", "--filter=blob:none", "--no-checkout")
    found = await facts_of(clone)
    expected = await facts_of(repo)
    assert [facts.commit for facts in found] == [facts.commit for facts in expected]
    for mine, theirs in zip(found, expected, strict=True):
        assert [(t.path, t.old_path, t.change, t.blob, t.same_in) for t in mine.touches] == [
            (t.path, t.old_path, t.change, t.blob, t.same_in) for t in theirs.touches
        ]
    assert all(t.whole and not t.hunks for f in found for t in f.touches if not t.old_path)


def damage(repo: Repo, name: str) -> None:
    """Remove one object."""
    path = repo.root / ".git" / "objects" / name[:2] / name[2:]
    path.unlink()


async def everything(repo: Repo) -> tuple[list[CommitFacts], str]:
    """Return what comes and how the scan ends."""
    found: list[CommitFacts] = []
    try:
        async for batch in scan(repo.root, CONTEXT, [CommitId(repo.head())], []):
            found += batch
    except GitFailed as error:
        return found, str(error)
    return found, ""


async def test_a_missing_blob_costs_the_lines_of_the_commits_that_need_it(repo: Repo) -> None:
    for number in range(12):
        repo.write("a.py", text(*range(number + 1)))
        repo.commit(str(number))
    expected = await facts_of(repo)
    damage(repo, repo.git("rev-parse", "HEAD~6:a.py").strip())
    found, problem = await everything(repo)
    assert "git log" in problem
    assert [facts.commit for facts in found] == [facts.commit for facts in expected]
    assert [f.touches[0].whole for f in found] == [number in (5, 6) for number in range(12)]
    assert [f for f in found if not f.touches[0].whole] == expected[:5] + expected[7:]


async def test_a_missing_tree_leaves_the_message(repo: Repo) -> None:
    for number in range(5):
        repo.write("a.py", text(number))
        repo.commit(str(number))
    damage(repo, repo.git("rev-parse", "HEAD~2^{tree}").strip())
    found, problem = await everything(repo)
    assert problem
    assert [facts.commit.subject for facts in found] == ["4", "3", "2", "1", "0"]
    assert [facts.commit.boundary for facts in found] == [False, True, True, False, False]
    assert [len(facts.touches) for facts in found] == [1, 0, 0, 1, 1]


async def test_a_missing_commit_leaves_what_is_above_it(repo: Repo) -> None:
    ids = [repo.commit(str(number)) for number in range(6)]
    damage(repo, ids[2])
    found, problem = await everything(repo)
    assert problem
    assert {facts.commit.id for facts in found} <= set(ids[3:])
    assert ids[5] in {facts.commit.id for facts in found}
    with pytest.raises(GitFailed):
        await listed(repo, ids[5])


async def test_a_commit_that_is_not_there_does_not_stop_the_others(repo: Repo) -> None:
    ids = [repo.commit(str(number)) for number in range(6)]
    wanted = [CommitId(name) for name in (*ids[:3], "0123456789" * 4, *ids[3:])]
    found: list[str] = []

    async def read() -> None:
        async for batch in scan_commits(repo.root, CONTEXT, wanted):
            found.extend(facts.commit.id for facts in batch)

    with pytest.raises(GitFailed):
        await read()
    assert found == ids


async def test_sha256_repositories_are_read_alike(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "new", {"a.py": text(1, 2)}, object_format="sha256")
    repo.write("a.py", text(1, 3))
    repo.commit("Second")
    newer, older = await facts_of(repo)
    assert len(newer.commit.id) == len(newer.touches[0].blob) == 64
    assert newer.commit.parents == (older.commit.id,)
    assert newer.touches[0].hunks == (Hunk(2, 1, 2, 1),)


async def test_a_repository_can_neither_run_a_program_nor_change_the_answer(
    repo: Repo, tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    program = repo.write("evil.sh", f"#!/bin/sh\necho ran >> {canary}\ncat\n")
    program.chmod(0o755)
    repo.write_all({"a.py": text("def f():", "", "  x", "", "def g():", "", "  x"), "b.py": "1\n"})
    base = repo.commit("Base")
    repo.write(
        "a.py", text("def f():", "", "  x", "", "def h():", "", "  x", "", "def g():", "  x")
    )
    main = repo.commit("Main")
    repo.git("checkout", "--quiet", "-b", "side", base)
    repo.write("a.py", text("def f():", "", "  y", "", "def g():", "", "  x"))
    side = repo.commit("Side")
    head = merge_of(repo, main, side, files={"a.py": text("def f():", "", "  z"), "b.py": "2\n"})
    expected = await facts_of(repo, head)

    keys = (
        "diff.external diff.evil.command diff.evil.textconv core.fsmonitor gpg.program core.pager"
    )
    for key in (*keys.split(), "pager.log"):
        repo.git("config", key, str(program))
    settings = """
        color.diff=always color.ui=always diff.algorithm=patience diff.context=7
        diff.indentHeuristic=false diff.mnemonicPrefix=true diff.noprefix=true
        diff.renames=copies diff.renameLimit=1 diff.suppressBlankEmpty=true diff.submodule=diff
        diff.wsErrorHighlight=all diff.colorMoved=zebra diff.ignoreSubmodules=none
        diff.interHunkContext=9 log.showSignature=true log.showRoot=false log.date=relative
        log.diffMerges=separate log.follow=true log.decorate=full log.mailmap=true
        format.pretty=oneline format.notes=true i18n.logOutputEncoding=UTF-16 core.quotePath=true
        core.abbrev=5 diff.evil.xfuncname=x
    """
    for setting in settings.split():
        repo.git("config", *setting.split("=", 1))
    repo.write(".gitattributes", "* diff=evil\n")
    repo.write(".mailmap", "Someone <else@example.org> <ada@example.org>\n")
    repo.git("-c", "core.fsmonitor=false", "notes", "add", "-m", "A note", head)
    canary.unlink(missing_ok=True)
    assert await facts_of(repo, head) == expected
    assert not canary.exists()


def raw_commit(repo: Repo, header: str, message: bytes) -> str:
    """Write a commit object as it is, however odd."""
    tree = repo.git("mktree", stdin="").strip()
    path = repo.root.parent / "object"
    path.write_bytes(f"tree {tree}\n{header}\n\n".encode("latin-1") + message)
    return repo.git("hash-object", "-t", "commit", "-w", "--literally", str(path)).strip()


async def test_odd_commits_are_read_as_far_as_they_make_sense(repo: Repo) -> None:
    plain = "author A <a@b> {0}\ncommitter C <> {0}"
    cases = [
        (plain.format("1700000000 -0730"), b"S\n", Moment(1700000000, -450), "S", ""),
        (plain.format("0 +1345"), b"S\nt\n\nb\n\n\n", Moment(0, 825), "S t", "b"),
        (plain.format("9999999999999999999999 +0000"), b"", None, "", ""),
        (plain.format("-5 +0000"), b"S", Moment(0, 0), "S", ""),
        (plain.format("5 +9999"), b"\n\n\nS\n", Moment(5, 0), "S", ""),
        (
            plain.format("5 +0000").replace("A <", "\xe4 <") + "\nencoding ISO-8859-1",
            b"\xe4\n",
            Moment(5, 0),
            "\xe4",
            "",
        ),
        (plain.format("5 +0000"), b"\xff\n", Moment(5, 0), "\N{REPLACEMENT CHARACTER}", ""),
        (plain.format("5 +0000"), b"S\n\n" + b"x" * 200_000, Moment(5, 0), "S", "x" * 65536),
    ]
    ids = [CommitId(raw_commit(repo, header, message)) for header, message, *_ in cases]
    (batch,) = [b async for b in scan_commits(repo.root, CONTEXT, ids)]
    assert len(batch) == len(cases)
    for facts, (_, _, moment, subject, body) in zip(batch, cases, strict=True):
        commit = facts.commit
        assert moment is None or commit.authored == commit.committed == moment
        assert (commit.subject, commit.body) == (subject, body)
        assert commit.committer == Person("C", "")
    assert batch[5].commit.author.name == "\xe4"


async def test_a_clone_without_content_costs_few_processes(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanning, "SINGLE_FAILURES", 1)
    for number in range(40):
        repo.write("a.py", text(number))
        repo.commit(str(number))
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = repo.clone(tmp_path / "clone", "--filter=blob:none", "--no-checkout")
    log = tmp_path / "log"
    program = tmp_path / "counting"
    program.write_text(f'#!/bin/sh\necho x >> {log}\nexec git "$@"\n')
    program.chmod(0o755)
    context = GitContext(program=str(program))
    batches = [b async for b in scan(clone.root, context, [CommitId(clone.head())], [])]
    assert [facts.commit.subject for b in batches for facts in b] == [
        str(number) for number in reversed(range(40))
    ]
    assert len(log.read_text().split()) < 40


async def test_leaving_early_leaves_no_git_behind(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanning, "BATCH_COMMITS", 1)
    for number in range(3):
        repo.commit(str(number))
    started = tmp_path / "started"
    program = tmp_path / "endless"
    program.write_text(
        f'#!/bin/sh\necho $$ >> {started}\ngit "$@"\ncase "$*" in *" log "*) exec sleep 60;; esac\n'
    )
    program.chmod(0o755)
    context = GitContext(program=str(program))
    async with aclosing(scan(repo.root, context, [CommitId(repo.head())], [])) as batches:
        async for batch in batches:
            assert batch[0].commit.subject == "2"
            break
    for line in started.read_text().split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(line), 0)


async def test_a_directory_without_a_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GitFailed):
        async for _ in scan(tmp_path, CONTEXT, [CommitId("a" * 40)], []):
            pass

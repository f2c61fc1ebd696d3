"""Repositories that mean harm, or look like it: nothing runs, nothing breaks, answers are right."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.harness import history_oracle

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.harness.daemon import Daemon
    from tests.harness.repos import Repo

pytestmark = pytest.mark.fault

DIG = 'def dig(depth):\n    """Dig a burrow."""\n    return depth\n'
NASTY = "\x1b[31mred\x07 \x01\x02 'quoted' \"double\" $(touch canary) `touch canary` <&>\r\tend"


@pytest.fixture(autouse=True)
async def no_traces(daemon: Daemon) -> AsyncIterator[None]:
    """Fail where the daemon has logged a defect."""
    yield
    assert "Traceback" not in daemon.log_text()


def put(repo: Repo, commit: bytes) -> str:
    """Write a raw commit, whatever git's own commands would say to it."""
    done = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin", "--literally"],
        cwd=repo.root,
        env=repo.environment,
        input=commit,
        capture_output=True,
        check=True,
    )
    name = done.stdout.decode().strip()
    repo.git("update-ref", "HEAD", name)
    return name


def raw(repo: Repo, parent: str, author: bytes, message: bytes, more: bytes = b"") -> bytes:
    """Return a commit object of the index."""
    tree = repo.git("write-tree").strip().encode()
    parents = b"parent " + parent.encode() + b"\n" if parent else b""
    return (
        b"tree " + tree + b"\n" + parents + b"author " + author + b"\ncommitter " + author + b"\n"
        + more + b"\n" + message
    )  # fmt: skip


async def logged(daemon: Daemon, name: str) -> list[dict[str, Any]]:
    """Return the commits of the function, newest first."""
    found: list[dict[str, Any]] = (await daemon.log(f"{name}:burrow.py#dig"))["commits"]
    return found


@pytest.mark.parametrize(
    ("author", "message"),
    [
        pytest.param(b"Ann <a@b> 1700000000 +0000", NASTY.encode() + b"\n\nbody " + NASTY.encode(),
                     id="control characters"),
        pytest.param(b"\xff\xfe\x80 <\xc3\x28@\xff> 1700000000 +0000", b"\xff\xfe subject\n\n\x80",
                     id="not utf-8"),
        pytest.param(b"Ann <a@b> 1700000000 +0000", b"x" * (1 << 20), id="long subject"),
        pytest.param(b"Ann <a@b> 1700000000 +0000", b"s\n\n" + b"line ABC-1 #2\n" * (1 << 17),
                     id="long body"),
        pytest.param(b"A" * 100_000 + b" <a@b> 1700000000 +0000", b"s", id="long name"),
        pytest.param(b"Ann <a@b> 99999999999999999999 +9999", b"late", id="absurd date"),
        pytest.param(b"Ann <a@b> 9223372036854775807 -0000", b"last", id="last second"),
        pytest.param(b"Ann <a@b> 253402300800 +1400", b"year 10000", id="year 10000"),
        pytest.param(b"Ann <a@b> -62135596801 -9959", b"before", id="negative date"),
        pytest.param(b"Ann <a@b> soon tomorrow", b"words", id="no date"),
        pytest.param(b"Ann", b"nobody", id="no address"),
        pytest.param(b"<> 0 +0000", b"", id="nothing at all"),
        pytest.param(b"Ann <a\x01b> 1 +0000\nauthor Bob <b> 2 +0000", b"two", id="two authors"),
        pytest.param(b"Ann <a@b> 1700000000 +0000", b"nul\0inside\n\nand\0below", id="nul"),
        pytest.param(b"Ann <a@b> 1700000000 +0000", b"\x00\x01\x00" + b"0" * 40 + b"\x00:100",
                     id="like a record"),
    ],
)  # fmt: skip
async def test_a_strange_commit_is_told_and_harms_nothing(
    daemon: Daemon, repo: Repo, author: bytes, message: bytes
) -> None:
    repo.write("burrow.py", DIG)
    first = repo.commit("Dig")
    repo.write("burrow.py", DIG.replace("depth\n", "depth + 1\n"))
    repo.git("add", "--all")
    strange = put(repo, raw(repo, first, author, message))
    repo.write("other.py", "def other(): ...\n")
    repo.git("reset", "--quiet")
    repo.commit("Other")
    name = await daemon.add(repo.root)
    await daemon.settle(name, history=True)

    assert [one["commit"]["id"] for one in await logged(daemon, name)] == [strange, first]
    history = (await daemon.project(name))["history"]
    assert history["state"] == "ready", history
    hits = await daemon.search("dig a burrow", history=True)
    assert hits[0]["last_change"]["commit"]["id"] == strange
    for body in ({}, {"query": "subject"}, {"since": "1 day ago"}, {"until": "2001-01-01"}):
        await daemon.call("POST", "/v1/commits", {"merges": True, **body})
    await daemon.call("POST", "/v1/explain", {"query": "dig a burrow"})
    for command in (["log", f"{name}:burrow.py#dig"], ["changes", "dig"], ["explain", "dig"]):
        done = await daemon.cli(*command)
        assert done.returncode == 0, done.stderr
        assert not {"\x1b", "\x07", "\x01"} & set(done.stdout)


async def test_strange_paths_and_branches_have_their_history(
    daemon: Daemon, repo: Repo, tmp_path: Path
) -> None:
    paths = [
        "with space.py", "new\nline.py", "tab\t.py", 'quo"te.py', "back\\slash.py", "-dash.py",
        "ümlaut.py", ":colon.py", "#hash@at%25.py", "\x1b[31m.py", "*.py", "[a].py", ":(glob)x.py",
    ]  # fmt: skip
    for number, path in enumerate(paths):
        repo.write(path, f"def strange_{number}():\n    return {number}\n")
    odd = os.fsdecode(b"latin\xe9.py")
    repo.write(odd, "def latin():\n    return 1\n")
    first = repo.commit("Strange")
    repo.git("checkout", "--quiet", "-b", "b'ra\"n;ch/$(touch$IFS$9canary)/\U0001f43f")
    for path in [*paths, odd]:
        repo.write(path, repo.read(path).replace("return", "return 0 +"))
    second = repo.commit("Stranger")
    name = await daemon.add(repo.root, name="strange")
    await daemon.settle(name, history=True)

    for number in range(len(paths)):
        (hit,) = await daemon.search(f"strange_{number}", limit=1, history=True)
        log = await daemon.log(hit["address"])
        assert [one["commit"]["id"] for one in log["commits"]] == [second, first], hit["path"]
        assert hit["last_change"]["commit"]["id"] == second
    await history_oracle.assert_right(daemon, name, tmp_path / "scratch.sqlite3", blame=False)
    assert not (repo.root / "canary").exists()


@pytest.mark.parametrize("name", [".mailmap", ".git-blame-ignore-revs", ".gitattributes"])
@pytest.mark.parametrize("kind", ["pipe", "endless", "huge", "directory", "binary"])
async def test_a_file_of_gits_that_is_none_is_passed_over(
    daemon: Daemon, repo: Repo, name: str, kind: str
) -> None:
    repo.write("burrow.py", DIG)
    first = repo.commit("Dig")
    place = repo.root / name
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "endless":
        place.symlink_to("/dev/zero")
    elif kind == "huge":
        with place.open("wb") as file:
            file.write(b"Ann <ada@example.org>\n* text\n")
            file.truncate(100 << 20)
    elif kind == "directory":
        place.mkdir()
    else:
        place.write_bytes(bytes(range(256)) * 64)
    project = await daemon.add(repo.root)
    await daemon.settle(project, history=True)

    (one,) = await logged(daemon, project)
    assert one["commit"]["id"] == first
    assert one["commit"]["author"]["name"] == "Ada Author"


async def test_nothing_that_a_repository_names_is_run_when_its_history_is_read(
    daemon: Daemon, repo: Repo, tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    program = tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\ntouch {canary}\ncat\n")
    program.chmod(0o755)
    repo.write("burrow.py", DIG)
    repo.write(".gitattributes", "*.py diff=evil filter=evil merge=evil text eol=lf\n")
    repo.commit("Dig")
    repo.write("burrow.py", DIG.replace("depth\n", "depth + 1\n"))
    second = repo.commit("Dig deeper")
    tree = repo.worktree(tmp_path / "tree", "side")
    blob = repo.git("rev-parse", f"{second}~1:burrow.py").strip()
    for key in (
        "core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.gitProxy",
        "core.askPass", "diff.external", "diff.evil.command", "diff.evil.textconv",
        "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "merge.evil.driver",
        "pager.log", "pager.blame", "gpg.program", "gpg.ssh.program", "credential.helper",
        "sequence.editor", "uploadpack.packObjectsHook", "core.alternateRefsCommand",
        "interactive.diffFilter", "remote.origin.uploadpack", "remote.origin.vcs",
    ):  # fmt: skip
        repo.git("config", key, str(program))
    repo.git("config", "log.showSignature", "true")
    repo.git("config", "extensions.partialClone", "origin")
    repo.git("config", "remote.origin.url", f"ext::{program}")
    repo.git("config", "remote.origin.promisor", "true")
    repo.git("config", "protocol.ext.allow", "always")
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc"):
        (hooks / hook).write_text(program.read_text())
        (hooks / hook).chmod(0o755)
    repo.git("config", "core.hooksPath", str(hooks))
    canary.unlink(missing_ok=True)  # what our own commands have run
    (repo.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()  # a promised object to fetch

    await daemon.add(repo.root, name="evil")
    await daemon.add(tree.root, name="tree")
    (repo.root / "burrow.py").write_text(DIG.replace("depth\n", "depth + 2\n"))
    await daemon.settle(history=True)
    for name in ("evil", "tree"):
        await daemon.log(f"{name}:burrow.py#dig")
    await daemon.search("dig a burrow", history=True, author="ada")
    await daemon.call("POST", "/v1/commits", {"query": "dig"})

    assert not canary.exists()

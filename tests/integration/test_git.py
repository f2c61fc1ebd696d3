from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import GitFailed
from paparatsd.model import SkippedFile
from paparatsd.sources.git import (
    GitContext,
    config_value,
    find_git,
    git_path,
    read_context,
    run_git,
    stream_git,
)
from paparatsd.sources.read import read_source
from paparatsd.sources.repo import git_watch_paths, lineage, locate, read_head, view_signature
from paparatsd.sources.walk import SelectionRules, list_paths, list_tree

if TYPE_CHECKING:
    from tests.harness.repos import Repo


def fake_git(directory: Path, body: str) -> GitContext:
    """Return a context that runs a script in place of git."""
    script = directory / "git"
    script.write_text(f"#!/bin/sh\n{body}\n")
    script.chmod(0o755)
    return GitContext(program=str(script))


def evil_repository(repo: Repo, canary: Path) -> None:
    """Name a program that leaves a trace in every key and attribute git knows programs from."""
    program = repo.root.parent / "evil.sh"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {canary}\ncat\n')
    program.chmod(0o755)
    repo.write_all(
        {
            ".gitattributes": "*.py filter=evil diff=evil\n*.txt filter=evil2 diff=evil\n",
            "a.py": "one = 1\n",
            "b.txt": "two\n",
            ".gitignore": "*.log\n",
        }
    )
    repo.commit("First")
    repo.write("a.py", "one = 2\n")
    repo.commit("Second")
    keys = """
        core.fsmonitor core.pager core.editor core.askPass core.sshCommand core.gitProxy
        core.alternateRefsCommand credential.helper gpg.program gpg.ssh.program
        gpg.x509.program gpg.openpgp.program gpg.ssh.defaultKeyCommand sequence.editor
        diff.external diff.evil.command diff.evil.textconv filter.evil.clean filter.evil.smudge
        filter.evil2.process merge.evil.driver pager.log pager.ls-files pager.diff pager.config
        pager.show uploadpack.packObjectsHook remote.origin.uploadpack remote.origin.vcs
        interactive.diffFilter core.hookspath trailer.evil.command
    """
    for key in keys.split():
        repo.git("config", key, str(program))
    for verb in ("log", "ls-files", "rev-parse", "config", "version", "diff", "cat-file"):
        repo.git("config", f"alias.{verb}", f"!{program}")
    settings = {
        "log.showSignature": "true",
        "format.pretty": "%H %G?",
        "filter.evil.required": "true",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
        "remote.origin.url": f"ext::{program}",
        "remote.origin.promisor": "true",
        "extensions.partialClone": "origin",
        "core.repositoryFormatVersion": "1",
        "core.attributesFile": str(repo.root / ".gitattributes"),
        "submodule.recurse": "true",
        "diff.submodule": "diff",
    }
    for key, value in settings.items():
        repo.git("config", key, value)
    hooks = repo.root / ".git" / "hooks"
    for name in ("post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman"):
        (hooks / name).write_text(program.read_text())
        (hooks / name).chmod(0o755)
    repo.write("a.py", "one = 3  # changed, so that a comparison would filter it\n")
    repo.write("new.py", "three = 3\n")
    index = repo.root / ".git" / "index"
    os.utime(repo.root / "b.txt", (1, 1))
    assert index.exists()


async def test_nothing_a_repository_names_is_ever_executed(repo: Repo, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    evil_repository(repo, canary)
    canary.unlink(missing_ok=True)

    checkout = await locate(repo.root, environment=repo.environment)
    assert checkout.git, checkout.problem
    context, rules = checkout.context, SelectionRules()
    await list_tree(checkout, rules)
    await list_paths(checkout, rules, ["a.py", "new.py", "none"])
    await lineage(checkout)
    head = await read_head(checkout)
    view_signature(checkout)
    git_watch_paths(checkout)
    await config_value(repo.root, "core.hooksPath", environment=repo.environment)
    await git_path(repo.root, "hooks", environment=repo.environment)
    for path in ("a.py", "b.txt", "new.py"):
        assert not isinstance(read_source(repo.root, path, max_bytes=1000), SkippedFile)
    missing = "0123456789012345678901234567890123456789"
    calls = (
        ["log", "-p", "-1", "HEAD"],
        ["log", "--format=%G? %GS", "-1", "HEAD"],
        ["show", "HEAD"],
        ["show", "HEAD:a.py"],
        ["diff-tree", "-p", "-r", "HEAD~1", "HEAD"],
        ["diff", f"{head.commit}..{missing}"],
        ["cat-file", "-p", "HEAD:a.py"],
        ["cat-file", "-p", missing],
        ["rev-list", "--objects", "HEAD"],
        ["for-each-ref"],
        ["worktree", "list"],
        ["check-ignore", "x.log"],
        ["ls-tree", "-r", "HEAD"],
        ["ls-files", "-o", "-d", "--exclude-standard"],
        ["merge-base", "HEAD", "HEAD~1"],
    )
    for args in calls:
        if missing in " ".join(args):
            with pytest.raises(GitFailed):
                await run_git(repo.root, args, context=context)
        else:
            await run_git(repo.root, args, context=context)
    assert not canary.exists(), canary.read_text()
    repo.git("status")
    assert canary.exists(), "the trap itself does not work"


@pytest.mark.parametrize(
    "args",
    [
        ["status"],
        ["checkout", "main"],
        ["blame", "a.py"],
        ["hash-object", "a.py"],
        ["fetch"],
        ["config", "--get", "x"],
        [],
        ["-c", "core.pager=x", "log"],
        ["diff"],
        ["diff", "HEAD"],
        ["diff", "HEAD~1", "HEAD"],
        ["diff", "--no-index", "a", "b"],
        ["diff", "--cached", "abcdef1"],
        ["log", "--ext-diff"],
        ["log", "--textc"],
        ["show", "--output=/tmp/x"],
        ["log", "--outp=/tmp/x"],
        ["cat-file", "--filters", "HEAD:a.py"],
        ["worktree", "add", "x"],
        ["symbolic-ref", "HEAD", "refs/heads/x"],
        ["ls-files", "a\0b"],
        ["ls-files", "-om"],
        ["ls-files", "--modif"],
    ],
)
async def test_what_is_not_on_the_list_is_refused_before_git_starts(
    args: list[str], tmp_path: Path
) -> None:
    trace = tmp_path / "started"
    context = fake_git(tmp_path, f"touch {trace}")
    with pytest.raises(GitFailed):
        await run_git(tmp_path, args, context=context)
    assert not trace.exists()


async def test_git_variables_of_the_caller_never_reach_git(repo: Repo, tmp_path: Path) -> None:
    dump = tmp_path / "environment"
    context = fake_git(tmp_path, f"env > {dump}; echo git version 2.40.0")
    await run_git(repo.root, ["rev-parse", "HEAD"], context=context)
    names = {line.partition("=")[0] for line in dump.read_text().splitlines()}
    assert "HOME" not in names
    allowed = {"PATH", "LC_ALL", "PWD", "SHLVL", "_", "OLDPWD"}
    assert {name for name in names - allowed if not name.startswith("GIT_")} == set()

    caller = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "GIT_DIR": "/nowhere",
        "GIT_INDEX_FILE": "/nowhere",
        "GIT_CONFIG_COUNT": "1",
    }
    await read_context(repo.root, environment=caller)
    lines = dump.read_text().splitlines()
    assert f"HOME={tmp_path}" in lines
    assert not [line for line in lines if line.startswith(("GIT_DIR", "GIT_INDEX", "GIT_CONFIG"))]


async def test_hanging_git_is_killed_with_its_children_at_the_deadline(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    context = fake_git(tmp_path, f"sleep 600 & echo $! $$ > {pids}; wait")
    with pytest.raises(GitFailed, match=r"did not answer within 0\.3 s"):
        await run_git(tmp_path, ["log"], context=context, deadline_s=0.3)
    for pid in pids.read_text().split():
        assert _is_dead(int(pid))


def _is_dead(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state in "ZX"


@pytest.mark.parametrize("stream", ["", ">&2"])
async def test_flooding_git_is_stopped(tmp_path: Path, stream: str) -> None:
    context = fake_git(tmp_path, f"exec yes {stream}")
    with pytest.raises(GitFailed):
        await run_git(
            tmp_path, ["log"], context=context, deadline_s=0.5, max_output_bytes=1_000_000
        )


async def test_garbage_missing_and_old_git_are_told_in_a_sentence(tmp_path: Path) -> None:
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    with pytest.raises(GitFailed, match="git was not found on PATH; install git"):
        find_git(environment)
    fake_git(tmp_path, "echo git version 2.17.1")
    with pytest.raises(GitFailed, match=r"git 2\.17, which is too old; install git 2\.34"):
        await read_context(tmp_path, environment=environment)
    fake_git(tmp_path, "echo hello")
    with pytest.raises(GitFailed, match="is it really git"):
        await read_context(tmp_path, environment=environment)
    fake_git(tmp_path, "echo 'fatal: \033[31mbad\007' >&2; exit 3")
    with pytest.raises(GitFailed) as caught:
        await read_context(tmp_path, environment=environment)
    assert str(caught.value).endswith("failed: fatal: \\x1b[31mbad\\x07")
    assert str(caught.value).startswith("git version in ")


async def test_large_input_and_output_flow_at_the_same_time(tmp_path: Path) -> None:
    data = b"x" * 8_000_000
    context = fake_git(tmp_path, "exec cat")
    assert await run_git(tmp_path, ["check-ignore"], context=context, stdin=data) == data


async def test_a_stream_can_be_left_early_and_reports_failure_at_its_end(
    repo: Repo, tmp_path: Path
) -> None:
    repo.write("a.py", "x = 1\n")
    repo.commit("Message")
    async with stream_git(repo.root, ["log", "--format=%s", "HEAD"]) as chunks:
        assert [chunk async for chunk in chunks] == [b"Message\n"]
    context = fake_git(tmp_path, f"echo $$ > {tmp_path}/pid; exec yes")
    async with stream_git(repo.root, ["log"], context=context) as chunks:
        async for _ in chunks:
            break
    assert _is_dead(int((tmp_path / "pid").read_text()))
    async with stream_git(repo.root, ["log", "nope"]) as chunks:
        with pytest.raises(GitFailed, match="unknown revision"):
            await anext(aiter(chunks))


async def test_only_the_user_can_vouch_for_a_directory(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "safe.directory", "/from/the/repository")
    repo.git("config", "core.excludesFile", "/from/the/repository/too")
    user = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")}
    (tmp_path / "home").mkdir()
    (tmp_path / "home/.gitconfig").write_text(
        "[safe]\n\tdirectory = ~/mine\n\tdirectory = /b\n[mailmap]\n\tfile = ~/mailmap\n"
    )
    context = await read_context(repo.root, environment=user)
    assert context.safe_directories == (f"{tmp_path}/home/mine", "/b")
    assert context.mailmap_file == f"{tmp_path}/home/mailmap"
    assert context.excludes_file == "/from/the/repository/too"
    repo.git("config", "--unset", "core.excludesFile")
    context = await read_context(repo.root, environment=user)
    assert context.excludes_file == f"{tmp_path}/home/.config/git/ignore"


async def test_hooks_path_is_the_users(repo: Repo) -> None:
    assert await git_path(repo.root, "hooks") == repo.root / ".git/hooks"
    repo.git("config", "core.hooksPath", ".husky")
    assert await git_path(repo.root, "hooks") == repo.root / ".husky"
    assert await config_value(repo.root, "core.hookspath") == ".husky"
    assert await config_value(repo.root, "core.nothing") is None
    with pytest.raises(GitFailed):
        await config_value(repo.root, "--list")

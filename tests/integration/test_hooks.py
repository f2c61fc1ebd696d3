"""Git hooks on real repositories: what they write, what they leave alone, how they are removed."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from paparatsd.errors import UserError
from paparatsd.sources import hooks
from paparatsd.sources.hook_text import KINDS, Registration, parse_hook
from paparatsd.sources.inbox import HookEvent, Inbox
from paparatsd.sources.repo import Checkout, locate
from tests.harness.repos import Repo

run = subprocess.run  # in async tests: nothing else is waiting in their loop
SHELLS = [shell for shell in ("dash", "bash", "busybox", "ksh", "mksh") if shutil.which(shell)]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.create(tmp_path / "it's a repo", {"a.txt": "one\n"})


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    place = tmp_path / "the 'state'" / "spool"
    Inbox(place).prepare()
    return place


async def checkout_of(repo: Repo) -> Checkout:
    return await locate(repo.root)


def hook(repo: Repo, kind: str) -> Path:
    return repo.root / ".git" / "hooks" / kind


def put(file: Path, text: str, mode: int = 0o755) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(mode)


def kinds(events: list[HookEvent]) -> list[str]:
    return [event.kind for event in events]


def snapshot(directory: Path) -> dict[str, tuple[int, bytes | str]]:
    """Everything that can be told of the files of a directory: mode and bytes or link target."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for path in sorted(directory.rglob("*")):
        status = path.lstat()
        if stat.S_ISDIR(status.st_mode):
            continue
        content = os.readlink(path) if path.is_symlink() else path.read_bytes()  # noqa: PTH115 - text
        found[str(path.relative_to(directory))] = (status.st_mode, content)
    return found


async def test_each_operation_is_spooled(repo: Repo, spool: Path) -> None:
    report = await hooks.install(await checkout_of(repo), spool)
    assert (report.state, report.advice) == ("installed", "")
    repo.write("a.txt", "two\n")
    repo.commit("Second")
    repo.branch("feature")
    repo.write("b.txt", "x\n")
    repo.commit("On feature")
    repo.switch("main")
    repo.git("merge", "-q", "feature")
    box = Inbox(spool)
    events = box.read()
    assert sorted(kinds(events)) == [
        "post-checkout", "post-checkout", "post-commit", "post-commit", "post-merge"
    ]  # fmt: skip
    assert {event.worktree for event in events} == {str(repo.root)}
    assert all(event.complete for event in events)
    checkout = next(event for event in events if event.kind == "post-checkout")
    assert len(checkout.arguments) == 3


async def test_amend_and_rebase_name_their_pairs(repo: Repo, spool: Path) -> None:
    await hooks.install(await checkout_of(repo), spool)
    box = Inbox(spool)
    old = repo.head()
    new = repo.commit("Amended", amend=True)
    (event,) = (event for event in box.read() if event.kind == "post-rewrite")
    assert (event.arguments, event.rewrites) == (("amend",), ((old, new),))
    box.acknowledge(box.read())
    repo.branch("side")
    commits = [repo.commit(f"Side {number}") for number in range(3)]
    repo.switch("main")
    repo.commit("Main moved")
    repo.switch("side")
    repo.git("rebase", "-q", "--keep-empty", "main")
    (event,) = (event for event in box.read() if event.kind == "post-rewrite")
    assert event.arguments == ("rebase",)
    assert [old for old, _ in event.rewrites] == commits


async def test_hooks_print_nothing_and_stay_silent_without_a_spool(repo: Repo, spool: Path) -> None:
    await hooks.install(await checkout_of(repo), spool)
    spool.rmdir()
    spool.parent.rmdir()
    done = run(
        ["git", "commit", "-q", "--allow-empty", "-m", "x"],
        cwd=repo.root,
        env=repo.environment,
        capture_output=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == (b"", b"")


async def test_paparats_skip_turns_ours_off_but_not_the_other(repo: Repo, spool: Path) -> None:
    put(hook(repo, "post-commit"), "#!/bin/sh\necho ran >> ran.txt\n")
    await hooks.install(await checkout_of(repo), spool)
    repo.environment["PAPARATS_SKIP"] = "1"
    repo.commit("Skipped")
    assert (repo.root / "ran.txt").read_text() == "ran\n"
    assert Inbox(spool).read() == []


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("kind", KINDS)
async def test_every_hook_exits_with_zero_in_odd_surroundings(
    repo: Repo, spool: Path, shell: str, kind: str
) -> None:
    await hooks.install(await checkout_of(repo), spool)
    program = shutil.which(shell)
    assert program is not None
    command = [program, "sh"] if shell == "busybox" else [program]
    surroundings: list[dict[str, str]] = [
        {},
        {"PATH": ""},
        {"PATH": "", "SHELLOPTS": "errexit:nounset"},
        {"LC_ALL": "C.UTF-8", "IFS": "/", "PWD": "/nowhere", "GIT_DIR": "/x\n'y"},
        {"PAPARATS_SKIP": "0", "pairs": "x", "code": "7", "last": "y"},
    ]
    for umask in (0, 0o077, 0o777):
        for environment in surroundings:
            done = run(
                [*command, str(hook(repo, kind)), "a", "b c", "1"],
                cwd=repo.root,
                env=environment,
                input=b"old new\n",
                capture_output=True,
                umask=umask,
                check=False,
            )
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), environment
    events = Inbox(spool).read()
    assert len(events) == 15
    assert all(event.complete and event.arguments == ("a", "b c", "1") for event in events)
    assert {event.worktree for event in events} == {str(repo.root)}
    assert {file.stat().st_mode & 0o777 for file in spool.iterdir()} == {0o600}
    assert {event.rewrites for event in events} == (
        {(("old", "new"),)} if kind == "post-rewrite" else {()}
    )


async def test_a_full_or_read_only_spool_harms_nothing(repo: Repo, spool: Path) -> None:
    await hooks.install(await checkout_of(repo), spool)
    shutil.rmtree(spool)
    # Takes the name of a directory in which nothing can be made, for root as well.
    spool.symlink_to("/proc/self")
    assert repo.commit("Still works")
    assert "nothing" not in repo.git("status", "--short")


async def test_an_unread_event_of_an_older_process_is_not_overwritten(
    repo: Repo, spool: Path
) -> None:
    await hooks.install(await checkout_of(repo), spool)
    script = 'echo $$; : > "$1/$$.0.post-commit" && exec "$0"'
    done = run(
        ["sh", "-c", script, str(hook(repo, "post-commit")), str(spool)],
        capture_output=True,
        text=True,
        check=True,
    )
    pid = done.stdout.strip()
    assert sorted(file.name for file in spool.iterdir()) == [
        f"{pid}.0.post-commit",
        f"{pid}.1.post-commit",
    ]


@pytest.mark.parametrize("code", [0, 3])
async def test_a_hook_that_was_there_runs_first_with_its_name_input_and_code(
    repo: Repo, spool: Path, code: int
) -> None:
    await_file = repo.root / "seen"
    put(
        hook(repo, "post-rewrite"),
        f'#!/bin/sh\n{{ echo "$0" "$#" "$1"; cat; ls "{spool}"; }} > "{await_file}"\nexit {code}\n',
    )
    await hooks.install(await checkout_of(repo), spool)
    done = run(
        [str(hook(repo, "post-rewrite")), "amend"],
        input=b"old new\n",
        cwd=repo.root,
        check=False,
    )
    assert done.returncode == code
    # Nothing was spooled when it ran, and it read all of its input.
    assert await_file.read_text() == f"{hook(repo, 'post-rewrite')} 1 amend\nold new\n"
    (event,) = Inbox(spool).read()
    assert event.rewrites == (("old", "new"),)


async def test_the_exit_code_of_a_checkout_hook_still_reaches_git(repo: Repo, spool: Path) -> None:
    put(hook(repo, "post-checkout"), "#!/bin/sh -e\nfalse\necho not reached\n")
    await hooks.install(await checkout_of(repo), spool)
    done = run(
        ["git", "checkout", "-q", "-b", "x"], cwd=repo.root, env=repo.environment, check=False
    )
    assert done.returncode == 1
    assert kinds(Inbox(spool).read()) == ["post-checkout"]


async def test_more_pairs_than_are_copied_still_all_reach_the_other_hook(
    repo: Repo, spool: Path
) -> None:
    put(hook(repo, "post-rewrite"), "#!/bin/sh\ncat > received\n")
    await hooks.install(await checkout_of(repo), spool)
    sent = "".join(f"{number:040x} {number + 1:040x}\n" for number in range(700)).encode()
    run([str(hook(repo, "post-rewrite")), "rebase"], input=sent, cwd=repo.root, check=True)
    assert (repo.root / "received").read_bytes() == sent
    (event,) = Inbox(spool).read()
    assert (event.complete, len(event.rewrites)) == (False, 500)


FOREIGN = {
    "post-commit": ("#!/usr/bin/env bash\necho commit >> ran\n", 0o755),
    "post-checkout": ("echo no first line >> ran\n", 0o711),
    "post-merge": ("#!/bin/sh\necho not executable >> ran\n", 0o644),
    "post-rewrite": ("#!/usr/bin/env python3\nopen('ran', 'a').write('python\\n')\n", 0o755),
}


async def test_uninstall_leaves_the_bytes_as_they_were(repo: Repo, spool: Path) -> None:
    for kind, (text, mode) in FOREIGN.items():
        put(hook(repo, kind), text, mode)
    hook(repo, "post-merge").rename(hook(repo, "real"))
    hook(repo, "post-merge").symlink_to("real")
    before = snapshot(repo.root / ".git")
    checkout = await checkout_of(repo)
    for _ in range(3):
        report = await hooks.install(checkout, spool)
        assert report.state == "installed"
        assert set(report.hooks.values()) == {"installed, after yours"}
    assert snapshot(repo.root / ".git") != before
    repo.git("commit", "-q", "--allow-empty", "--amend", "-m", "x")
    assert (repo.root / "ran").read_text() == "commit\npython\n"
    report = await hooks.uninstall(checkout, spool)
    assert (report.state, report.advice) == ("absent", "Removed; yours are back as they were.")
    assert set(report.hooks.values()) == {"yours"}
    (repo.root / ".git" / "hooks" / "probe").touch()
    (repo.root / ".git" / "hooks" / "probe").unlink()
    after = snapshot(repo.root / ".git" / "hooks")
    assert after == {
        path.removeprefix("hooks/"): value
        for path, value in before.items()
        if path.startswith("hooks/")
    }
    assert (await hooks.uninstall(checkout, spool)).state == "absent"


@pytest.mark.parametrize("both_names", [True, False])
async def test_an_installation_that_was_cut_short_is_taken_back(
    repo: Repo, spool: Path, both_names: bool
) -> None:
    put(hook(repo, "post-commit"), "#!/bin/sh\n:\n")
    before = snapshot(repo.root / ".git" / "hooks")
    second = hook(repo, "post-commit.paparats-original")
    if both_names:
        second.hardlink_to(hook(repo, "post-commit"))
    else:
        hook(repo, "post-commit").rename(second)
    await hooks.uninstall(await checkout_of(repo), spool)
    assert snapshot(repo.root / ".git" / "hooks") == before


async def test_installing_makes_the_spool(repo: Repo, tmp_path: Path) -> None:
    await hooks.install(await checkout_of(repo), tmp_path / "new" / "spool")
    repo.commit("Told")
    assert kinds(Inbox(tmp_path / "new" / "spool").read()) == ["post-commit"]


async def test_installing_twice_changes_nothing(repo: Repo, spool: Path) -> None:
    checkout = await checkout_of(repo)
    await hooks.install(checkout, spool)
    before = {kind: hook(repo, kind).stat() for kind in KINDS}
    await hooks.install(checkout, spool)
    assert {kind: hook(repo, kind).stat() for kind in KINDS} == before


async def test_two_daemons_share_a_hook_and_leave_one_by_one(repo: Repo, tmp_path: Path) -> None:
    spools = [tmp_path / name / "spool" for name in ("one", "two")]
    checkout = await checkout_of(repo)
    for place in spools:
        Inbox(place).prepare()
        await hooks.install(checkout, place)
    repo.commit("Both")
    assert [kinds(Inbox(place).read()) for place in spools] == [["post-commit"]] * 2
    assert (await hooks.uninstall(checkout, spools[0])).state == "absent"
    assert (await hooks.inspect(checkout, spools[1])).state == "installed"
    repo.commit("One")
    assert [len(Inbox(place).read()) for place in spools] == [1, 2]
    await hooks.uninstall(checkout, spools[1])
    assert not hook(repo, "post-commit").exists()


async def test_a_hook_of_ours_that_was_edited_is_left_alone(repo: Repo, spool: Path) -> None:
    checkout = await checkout_of(repo)
    await hooks.install(checkout, spool)
    edited = hook(repo, "post-commit").read_bytes() + b"echo more\n"
    hook(repo, "post-commit").write_bytes(edited)
    await hooks.install(checkout, spool)
    report = await hooks.uninstall(checkout, spool)
    assert hook(repo, "post-commit").read_bytes() == edited
    assert not hook(repo, "post-merge").exists()
    assert (report.state, report.hooks["post-commit"]) == ("partial", "installed, edited")
    assert "left as it is: post-commit" in report.advice


async def test_programs_that_look_at_their_own_name_are_left_alone(repo: Repo, spool: Path) -> None:
    text = "#!/usr/bin/env ruby\nexec File.basename($0)\n"
    put(hook(repo, "post-commit"), text)
    hook(repo, "post-merge").mkdir()
    report = await hooks.install(await checkout_of(repo), spool)
    assert report.state == "partial"
    assert report.hooks["post-commit"] == report.hooks["post-merge"] == "foreign"
    assert "post-commit, post-merge" in report.advice
    assert hook(repo, "post-commit").read_text() == text


async def test_a_husky_directory_keeps_working(repo: Repo, spool: Path) -> None:
    directory = repo.root / ".husky" / "_"
    put(directory / "h", 'n=$(basename "$0")\n. "$(dirname "$(dirname "$0")")/$n"\n')
    put(directory / "post-commit", '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n')
    put(repo.root / ".husky" / "post-commit", "echo husky >> ran\n")
    (directory / ".gitignore").write_text("*\n")
    repo.git("config", "core.hooksPath", ".husky/_")
    config = (repo.root / ".git" / "config").read_bytes()
    report = await hooks.install(await checkout_of(repo), spool)
    assert (report.state, report.directory) == ("installed", str(directory))
    repo.commit("Through husky")
    assert (repo.root / "ran").read_text() == "husky\n"
    assert kinds(Inbox(spool).read()) == ["post-commit"]
    assert (repo.root / ".git" / "config").read_bytes() == config


async def test_a_tracked_hooks_directory_is_never_written_to(repo: Repo, spool: Path) -> None:
    put(repo.root / "githooks" / "post-commit", "#!/bin/sh\n:\n")
    repo.commit("Hooks of the team")
    repo.git("config", "core.hooksPath", "githooks")
    report = await hooks.install(await checkout_of(repo), spool)
    assert report.state == "inactive"
    assert "tracked by git" in report.advice
    assert "refs" in report.advice
    assert repo.git("status", "--porcelain") == ""


async def test_hooks_that_are_turned_off_are_inactive(repo: Repo, spool: Path) -> None:
    repo.git("config", "core.hooksPath", "/dev/null")
    assert (await hooks.install(await checkout_of(repo), spool)).state == "inactive"


async def test_a_hooks_directory_that_cannot_be_written_is_inactive(
    repo: Repo, spool: Path
) -> None:
    shutil.rmtree(repo.root / ".git" / "hooks")
    (repo.root / ".git" / "hooks").write_text("a file\n")
    report = await hooks.install(await checkout_of(repo), spool)
    assert report.state == "inactive"
    assert "cannot be changed" in report.advice


async def test_linked_work_trees_use_the_hooks_of_the_main_one(
    repo: Repo, spool: Path, tmp_path: Path
) -> None:
    linked = repo.worktree(tmp_path / "linked", "side")
    report = await hooks.install(await checkout_of(linked), spool)
    assert report.directory == str(repo.root / ".git" / "hooks")
    linked.commit("In the linked tree")
    (event,) = Inbox(spool).read()
    assert event.worktree == str(linked.root)
    assert Path(event.git_dir).name == "linked"


async def test_a_submodule_has_hooks_of_its_own(repo: Repo, spool: Path, tmp_path: Path) -> None:
    other = Repo.create(tmp_path / "other", {"o.txt": "o\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other.root), "sub")
    inner = Repo(repo.root / "sub", repo.environment)
    report = await hooks.install(await checkout_of(inner), spool)
    assert report.directory == str(repo.root / ".git" / "modules" / "sub" / "hooks")
    inner.commit("Inside")
    repo.commit("Outside")
    (event,) = Inbox(spool).read()
    assert event.worktree == str(inner.root)


async def test_a_shared_hooks_directory_serves_each_repository_until_its_own_uninstall(
    repo: Repo, spool: Path, tmp_path: Path
) -> None:
    shared = tmp_path / "shared hooks"
    shared.mkdir()
    other = Repo.create(tmp_path / "other", {"o.txt": "o\n"})
    for one in (repo, other):
        one.git("config", "core.hooksPath", str(shared))
        assert (await hooks.install(await checkout_of(one), spool)).state == "installed"
    await hooks.uninstall(await checkout_of(repo), spool)
    other.commit("Still told")
    assert kinds(Inbox(spool).read()) == ["post-commit"]
    await hooks.uninstall(await checkout_of(other), spool)
    assert list(shared.iterdir()) == []


async def test_a_hooks_directory_that_is_missing_is_not_made(
    repo: Repo, spool: Path, tmp_path: Path
) -> None:
    missing = tmp_path / "home" / "hooks"
    (tmp_path / "gitconfig").write_text(f'[core]\n\thooksPath = "{missing}"\n')
    checkout = await checkout_of(repo)
    await hooks.install(checkout, spool)
    repo.git("config", "include.path", str(tmp_path / "gitconfig"))
    for change in (hooks.install, hooks.inspect):
        report = await change(checkout, spool)
        assert report.state == "inactive"
        assert f"{missing} (core.hooksPath) is no directory" in report.advice
        assert "paparats hooks install" in report.advice
    assert not missing.parent.exists()
    # What was put into git's own directory before is taken out all the same.
    report = await hooks.uninstall(checkout, spool)
    assert report.advice.startswith("Removed.")
    assert not hook(repo, "post-commit").exists()
    assert not missing.parent.exists()


async def test_hooks_of_others_are_announced_before_an_installation(
    repo: Repo, spool: Path
) -> None:
    put(hook(repo, "post-commit"), "#!/bin/sh\n:\n")
    report = await hooks.inspect(await checkout_of(repo), spool)
    assert (report.state, report.hooks["post-commit"]) == ("absent", "yours")
    assert report.advice == "Not installed; yours are there and will run first: post-commit."


async def test_without_hooks_of_others_there_is_little_to_say(repo: Repo, spool: Path) -> None:
    checkout = await checkout_of(repo)
    report = await hooks.inspect(checkout, spool)
    assert (report.state, report.advice) == ("absent", "")
    await hooks.install(checkout, spool)
    report = await hooks.uninstall(checkout, spool)
    assert (report.state, report.advice) == ("absent", "Removed.")
    assert (await hooks.uninstall(checkout, spool)).advice == ""


async def test_a_hook_written_over_ours_is_explained_and_loses_nothing(
    repo: Repo, spool: Path
) -> None:
    checkout = await checkout_of(repo)
    put(hook(repo, "post-commit"), "#!/bin/sh\necho first\n")
    await hooks.install(checkout, spool)
    put(hook(repo, "post-commit"), "#!/bin/sh\necho another tool\n")
    kept = hook(repo, "post-commit.paparats-original")
    for change in (hooks.inspect, hooks.install, hooks.uninstall):
        report = await change(checkout, spool)
        assert report.hooks["post-commit"] == "replaced"
        assert "post-commit.paparats-original" in report.advice
        assert "another tool" in hook(repo, "post-commit").read_text()
        assert "first" in kept.read_text()
    assert (report.state, hook(repo, "post-merge").exists()) == ("absent", False)
    kept.unlink()
    report = await hooks.install(checkout, spool)
    assert (report.state, report.hooks["post-commit"]) == ("installed", "installed, after yours")


async def test_the_same_hook_written_again_over_ours_is_no_riddle(repo: Repo, spool: Path) -> None:
    checkout = await checkout_of(repo)
    put(hook(repo, "post-commit"), "#!/bin/sh\necho mine\n")
    before = snapshot(repo.root / ".git" / "hooks")
    for change, state in ((hooks.install, "installed"), (hooks.uninstall, "absent")):
        await hooks.install(checkout, spool)
        hook(repo, "post-commit").unlink()
        put(hook(repo, "post-commit"), "#!/bin/sh\necho mine\n")
        assert (await change(checkout, spool)).state == state
    assert snapshot(repo.root / ".git" / "hooks") == before


async def test_hooks_of_a_repository_that_was_moved_are_still_ours(
    repo: Repo, spool: Path, tmp_path: Path
) -> None:
    await hooks.install(await checkout_of(repo), spool)
    moved = Repo(repo.root.rename(tmp_path / "moved"), repo.environment)
    assert (await hooks.uninstall(await checkout_of(moved), spool)).advice == "Removed."
    assert not hook(moved, "post-commit").exists()


async def test_where_all_hooks_are_in_the_way_none_is_ours(repo: Repo, spool: Path) -> None:
    for kind in KINDS:
        hook(repo, kind).mkdir(parents=True)
    report = await hooks.install(await checkout_of(repo), spool)
    assert report.state == "foreign"
    assert f"left alone: {', '.join(KINDS)}" in report.advice
    assert "refs" in report.advice


async def test_a_plain_folder_has_no_hooks(tmp_path: Path, spool: Path) -> None:
    with pytest.raises(UserError, match="not a git repository"):
        await hooks.install(await locate(tmp_path), spool)


async def test_paths_survive_the_quoting(repo: Repo, spool: Path) -> None:
    await hooks.install(await checkout_of(repo), spool)
    found = parse_hook(hook(repo, "post-commit").read_bytes())
    assert found is not None
    assert found.registrations == (Registration(str(spool), str(repo.root / ".git")),)
    assert not found.edited

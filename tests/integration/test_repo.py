from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from paparatsd.model import CommitId, Head
from paparatsd.sources.repo import (
    Checkout,
    git_watch_paths,
    is_git_writing,
    lineage,
    locate,
    read_head,
    view_signature,
)
from paparatsd.sources.walk import SelectionRules, list_tree
from tests.harness.repos import Repo

if TYPE_CHECKING:
    from pathlib import Path


async def located(repo: Repo) -> Checkout:
    return await locate(repo.root, environment=repo.environment)


def standing(branch: str | None, commit: str) -> Head:
    return Head(branch, CommitId(commit))


async def test_unborn_branch_has_a_name_and_no_commit(repo: Repo) -> None:
    checkout = await located(repo)
    assert (checkout.git, checkout.work_tree, checkout.prefix) == (True, repo.root, "")
    assert await read_head(checkout) == Head(branch="main", commit=None)
    assert await lineage(checkout) is None


async def test_head_is_read_on_branches_detached_and_packed(repo: Repo) -> None:
    repo.write("a.py", "x")
    first = repo.commit("one")
    checkout = await located(repo)
    assert await read_head(checkout) == standing("main", first)
    repo.branch("feature/deep")
    second = repo.commit("two")
    assert await read_head(checkout) == standing("feature/deep", second)
    repo.git("pack-refs", "--all")
    assert await read_head(checkout) == standing("feature/deep", second)
    repo.git("checkout", "-q", "--detach")
    assert await read_head(checkout) == standing(None, second)
    repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    repo.git("symbolic-ref", "HEAD", "refs/heads/alias")
    assert await read_head(checkout) == standing("alias", first)


async def test_head_that_is_not_a_plain_file_is_left_to_git(repo: Repo) -> None:
    repo.write("a.py", "x")
    commit = repo.commit("one")
    checkout = await located(repo)
    head = repo.root / ".git" / "HEAD"
    head.unlink()
    head.symlink_to("refs/heads/main")
    assert await read_head(checkout) == standing("main", commit)


async def test_the_head_is_read_among_ten_thousand_packed_branches(repo: Repo) -> None:
    repo.write("a.py", "x")
    commit = repo.commit("one")
    lines = [f"{commit} refs/heads/b{number}" for number in range(10_000)]
    (repo.root / ".git/packed-refs").write_text("\n".join(lines) + "\n")
    (repo.root / ".git/HEAD").write_text("ref: refs/heads/b9999\n")
    checkout = await located(repo)
    head = await read_head(checkout)
    assert (head.branch, head.commit) == ("b9999", commit)


async def test_clones_and_worktrees_share_the_lineage(repo: Repo, tmp_path: Path) -> None:
    repo.write("a.py", "x")
    first = repo.commit("one")
    repo.commit("two")
    clone = repo.clone(tmp_path / "clone")
    tree = repo.worktree(tmp_path / "tree", "side")
    checkouts = [await located(each) for each in (repo, clone, tree)]
    assert {await lineage(checkout) for checkout in checkouts} == {first}
    linked = checkouts[2]
    assert linked.common_dir == repo.root / ".git"
    assert linked.git_dir == repo.root / ".git/worktrees/tree"
    assert (await read_head(linked)).branch == "side"

    shallow = repo.clone(tmp_path / "shallow", "--depth", "1")
    checkout = await located(shallow)
    assert checkout.shallow
    assert await lineage(checkout) is None


async def test_a_merged_orphan_does_not_change_the_lineage(repo: Repo) -> None:
    repo.write("a.py", "x")
    first = repo.commit("one")
    repo.git("checkout", "-q", "--orphan", "other")
    repo.commit("unrelated")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--allow-unrelated-histories", "-m", "join", "other")
    assert await lineage(await located(repo)) == first


async def test_sha256_repositories_work(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "sha256", {"a.py": "x"}, object_format="sha256")
    checkout = await located(repo)
    assert checkout.object_format == "sha256"
    head = await read_head(checkout)
    assert head == standing("main", repo.head())
    assert await lineage(checkout) == repo.head()
    assert set((await list_tree(checkout, SelectionRules())).files) == {"a.py"}


async def test_submodule_is_a_checkout_of_its_own(repo: Repo, tmp_path: Path) -> None:
    library = Repo.create(tmp_path / "library", {"x.py": "x"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.root), "lib")
    checkout = await locate(repo.root / "lib", environment=repo.environment)
    assert checkout.git
    assert checkout.prefix == ""
    assert checkout.git_dir == repo.root / ".git/modules/lib"
    assert await lineage(checkout) == library.head()


async def test_there_is_nothing_to_index_in_a_bare_repository(repo: Repo, tmp_path: Path) -> None:
    repo.write("a.py", "x")
    repo.commit("one")
    bare = repo.clone(tmp_path / "bare.git", "--bare")
    for root in (bare.root, repo.root / ".git", repo.root / ".git/refs"):
        checkout = await locate(root, environment=repo.environment)
        assert checkout.refused, root
        assert "add a checkout" in checkout.problem
        assert not (await list_tree(checkout, SelectionRules())).files
    gone = await locate(tmp_path / "none")
    assert gone.refused
    assert "is not a directory" in gone.problem


@pytest.mark.parametrize("damage", ["HEAD", "index", "config", "objects"])
async def test_broken_repositories_are_read_as_plain_folders(
    repo: Repo, damage: str, tmp_path: Path
) -> None:
    repo.write("a.py", "x")
    repo.write(".gitignore", "*.log\n")
    repo.write("b.log", "x")
    repo.commit("one")
    target = repo.root / ".git" / damage
    if damage == "objects":
        target.rename(tmp_path / "moved")
    else:
        target.write_bytes(b"\x00[broken \x1b")
    before = _fingerprint(repo.root / ".git")
    checkout = await located(repo)
    assert not checkout.git
    assert checkout.problem.startswith("read as a plain folder: ")
    assert "\x1b" not in checkout.problem
    assert set((await list_tree(checkout, SelectionRules())).files) == {"a.py", ".gitignore"}
    assert await read_head(checkout) == Head()
    assert await lineage(checkout) is None
    assert _fingerprint(repo.root / ".git") == before


def _fingerprint(directory: Path) -> dict[str, tuple[int, int, bytes]]:
    found = {}
    for path in sorted(directory.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        found[str(path)] = (status.st_mtime_ns, status.st_ino, content)
    return found


async def test_looking_changes_nothing_in_the_repository(repo: Repo) -> None:
    repo.write("a.py", "x")
    repo.commit("one")
    os.utime(repo.root / "a.py", (5, 5))
    before = _fingerprint(repo.root / ".git")
    checkout = await located(repo)
    await list_tree(checkout, SelectionRules())
    await lineage(checkout)
    await read_head(checkout)
    assert _fingerprint(repo.root / ".git") == before


async def test_an_index_lock_of_the_user_does_not_disturb(repo: Repo) -> None:
    repo.write("a.py", "x")
    repo.commit("one")
    (repo.root / ".git/index.lock").write_text("")
    checkout = await located(repo)
    assert checkout.git
    assert set((await list_tree(checkout, SelectionRules())).files) == {"a.py"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
async def test_someone_elses_repository_is_refused_with_the_remedy(
    repo: Repo, tmp_path: Path
) -> None:
    repo.write("a.py", "x")
    repo.commit("one")
    for path in (repo.root, repo.root / ".git"):
        os.chown(path, 12345, 12345)
    home = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    checkout = await locate(repo.root, environment=home)
    assert not checkout.git
    assert f"git config --global --add safe.directory '{repo.root}'" in checkout.problem
    assert not (tmp_path / ".gitconfig").exists()
    assert set((await list_tree(checkout, SelectionRules())).files) == {"a.py"}

    (tmp_path / ".gitconfig").write_text(f"[safe]\n\tdirectory = {repo.root}\n")
    checkout = await locate(repo.root, environment=home)
    assert checkout.git, checkout.problem
    assert set((await list_tree(checkout, SelectionRules())).files) == {"a.py"}


async def test_a_work_tree_set_elsewhere_is_a_problem_and_not_followed(
    repo: Repo, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "canary.py").write_text("x")
    repo.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    repo.write("a.py", "x")
    checkout = await located(repo)
    assert not checkout.git
    assert "core.worktree" in checkout.problem
    assert set((await list_tree(checkout, SelectionRules())).files) == {"a.py"}


async def test_names_with_line_breaks_and_links_to_the_root_are_located(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "odd\nname", {"a.py": "x"})
    assert (await located(repo)).work_tree == repo.root
    link = tmp_path / "link"
    link.symlink_to(repo.root)
    checkout = await locate(link, environment=repo.environment)
    assert checkout.root == repo.root
    assert checkout.git


async def test_signature_changes_with_every_move_in_the_work_tree(repo: Repo) -> None:
    repo.write("a.py", "x")
    repo.commit("one")
    repo.commit("one more")
    checkout = await located(repo)
    steps = (
        lambda: repo.commit("two"),
        lambda: repo.commit("two again", amend=True),
        lambda: repo.git("reset", "-q", "--soft", "HEAD~1"),
        lambda: repo.branch("topic/x"),
        lambda: repo.git("update-ref", "refs/heads/topic/x", "HEAD~1"),
        lambda: repo.git("checkout", "-q", "--detach"),
        lambda: (repo.write("b.py", "y"), repo.git("add", "b.py")),
        lambda: repo.write(".git/info/exclude", "*.x\n"),
        lambda: repo.git("config", "core.excludesFile", "/none"),
        lambda: repo.git("sparse-checkout", "set", "--no-cone", "/a.py"),
    )
    for step in steps:
        before = view_signature(checkout)
        step()
        after = view_signature(checkout)
        assert after != before
        assert after == view_signature(checkout)


async def test_signature_stays_when_others_move(repo: Repo, tmp_path: Path) -> None:
    repo.write("a.py", "x")
    repo.commit("one")
    tree = repo.worktree(tmp_path / "tree", "team/side")
    checkout = await located(tree)
    before = view_signature(checkout)
    repo.commit("two")
    repo.branch("other")
    repo.git("pack-refs", "--all")
    repo.git("config", "branch.other.remote", "somewhere")
    repo.git("config", "remote.somewhere.url", "https://example.org/x.git")
    repo.worktree(tmp_path / "another", "team/another")
    assert view_signature(checkout) == before
    tree.commit("in the linked tree")
    assert view_signature(checkout) != before


async def test_signature_counts_every_ref_where_only_git_can_tell_the_head(repo: Repo) -> None:
    repo.write("a.py", "x")
    repo.commit("one")
    checkout = await located(repo)
    (repo.root / ".git/reftable").mkdir()
    before = view_signature(checkout)
    repo.write(".git/reftable/tables.list", "0x1-0x2.ref\n")
    assert view_signature(checkout) != before


async def test_there_is_no_signature_without_a_checksum_of_the_index(repo: Repo) -> None:
    repo.write("a.py", "x")
    repo.commit("one")
    checkout = await located(repo)
    index = repo.root / ".git/index"
    index.write_bytes(index.read_bytes()[:-20] + bytes(20))
    assert view_signature(checkout) is None


async def test_git_is_writing_while_it_holds_the_lock_but_not_for_ever(repo: Repo) -> None:
    repo.write("a.py", "x")
    repo.commit("one")
    checkout = await located(repo)
    assert not is_git_writing(checkout, 3.0)
    lock = repo.write(".git/index.lock", "")
    assert is_git_writing(checkout, 3.0)
    os.utime(lock, (0, 0))
    assert not is_git_writing(checkout, 3.0)


async def test_watch_paths_are_the_directories_where_moves_show(repo: Repo, tmp_path: Path) -> None:
    repo.write("a.py", "x")
    repo.commit("one")
    tree = repo.worktree(tmp_path / "tree", "team/side")
    git = repo.root / ".git"
    assert set(git_watch_paths(await located(tree))) == {
        git / "worktrees/tree",
        git / "worktrees",
        git,
        git / "info",
        git / "refs",
        git / "refs/heads",
        git / "refs/heads/team",
    }
    plain = tmp_path / "plain"
    plain.mkdir()
    checkout = await locate(plain, environment=repo.environment)
    assert git_watch_paths(checkout) == ()
    assert view_signature(checkout) is None

"""Clones of real repositories: made, renewed whatever the remote did, and what never runs."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from paparatsd.errors import GitFailed
from paparatsd.sources.clone import (
    FOLLOWED,
    NothingThereError,
    Wanted,
    ask_tip,
    make_clone,
    remove_clone,
    renew_clone,
)
from paparatsd.sources.clone_policy import Access
from paparatsd.sources.clone_trouble import trouble_words
from paparatsd.sources.remote_address import parse_address
from tests.harness.full_disk import files_no_larger_than
from tests.harness.git_remote import GitServer, Upstream
from tests.harness.repos import Repo

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@pytest.fixture
def upstream(tmp_path: Path) -> Upstream:
    made = Upstream(tmp_path)
    made.push({"a.txt": "one\n", "src/b.txt": "b\n"})
    return made


def wanted_of(url: str, **options: Any) -> Wanted:
    address = parse_address(url)
    return Wanted(address.for_git, Access(address.scheme), **options)


async def clone(tmp_path: Path, wanted: Wanted) -> Repo:
    place = tmp_path / "remotes"
    place.mkdir(exist_ok=True)
    await make_clone(place / "shop", wanted, await ask_tip(place, wanted))
    return Repo(place / "shop")


async def renew(made: Repo, wanted: Wanted) -> str:
    return await renew_clone(made.root, wanted, await ask_tip(made.root.parent, wanted))


def tree(made: Repo) -> dict[str, str]:
    found = made.root.rglob("*")
    return {
        path.relative_to(made.root).as_posix(): path.read_text()
        for path in found
        if path.is_file() and ".git" not in path.relative_to(made.root).parts
    }


async def test_a_clone_has_the_default_branch_with_its_history(
    tmp_path: Path, upstream: Upstream
) -> None:
    commit = upstream.push({"a.txt": "two\n"})
    made = await clone(tmp_path, wanted_of(upstream.url))
    assert tree(made) == {"a.txt": "two\n", "src/b.txt": "b\n"}
    assert (made.head(), made.git("branch", "--show-current")) == (commit, "main\n")
    assert made.git("rev-list", "--count", "HEAD") == "2\n"
    assert made.git("status", "--porcelain", "--ignored") == ""
    assert [one.name for one in made.root.parent.iterdir()] == ["shop"]


async def test_whatever_the_remote_did_a_renewal_ends_with_just_that(
    tmp_path: Path, upstream: Upstream
) -> None:
    wanted = wanted_of(upstream.url)
    made = await clone(tmp_path, wanted)
    made.write_all({"a.txt": "spoilt", "left/over.txt": "x", ".gitignore": "*\n"})

    upstream.work.write("a.txt", "forced\n")
    upstream.work.remove("src")
    forced = upstream.work.commit("Anew", amend=True)
    upstream.work.git("push", "--quiet", "--force", "origin", "HEAD")
    assert await renew(made, wanted) == made.head() == forced
    assert tree(made) == {"a.txt": "forced\n"}

    # A branch `main` would be in the way of one called `main/next`.
    upstream.work.git("branch", "-m", "renamed")
    upstream.work.git("--git-dir", str(upstream.bare), "branch", "-m", "main", "old")
    upstream.work.git("branch", "-m", "main/next")
    moved = upstream.push({"c.txt": "c\n"})
    upstream.set_default("main/next")
    assert await renew(made, wanted) == made.head() == moved
    assert made.git("for-each-ref", "--format=%(refname)").split() == [
        "refs/heads/main/next", FOLLOWED,
    ]  # fmt: skip
    upstream.work.git("checkout", "--quiet", "--orphan", "nothing-in-common")
    other = upstream.push({"d.txt": "d\n"})
    upstream.set_default("nothing-in-common")
    assert await renew(made, wanted) == other


async def test_a_branch_a_tag_or_a_commit_is_followed(tmp_path: Path, upstream: Upstream) -> None:
    first = upstream.work.head()
    upstream.work.git("tag", "-a", "v1", "-m", "One")
    upstream.work.git("push", "--quiet", "origin", "v1")
    upstream.push({"a.txt": "two\n"})
    upstream.work.branch("side")
    side = upstream.push({"a.txt": "side\n"})

    for options, commit in (({"branch": "side"}, side), ({"ref": "v1"}, first),
                            ({"ref": first}, first), ({"ref": "refs/tags/v1"}, first)):  # fmt: skip
        made = await clone(tmp_path, wanted_of(upstream.url, **options))
        assert made.head() == commit, options
        assert await renew(made, wanted_of(upstream.url, **options)) == commit
        remove_clone(made.root)
    # An older protocol gives a commit only if a branch or a tag is at it.
    upstream.work.git("--git-dir", str(upstream.bare), "config", "protocol.version", "0")
    with GitServer(tmp_path) as server:
        made = await clone(tmp_path, wanted_of(server.url("shop"), ref=first))
        assert made.head() == first


async def test_what_is_not_there_is_said_in_words(tmp_path: Path, upstream: Upstream) -> None:
    empty = Upstream(tmp_path, "empty")
    with pytest.raises(NothingThereError, match="is empty"):
        await ask_tip(tmp_path, wanted_of(empty.url))
    with pytest.raises(NothingThereError, match="has no branch 'gone'"):
        await ask_tip(tmp_path, wanted_of(upstream.url, branch="gone"))
    with pytest.raises(NothingThereError, match="has no ref 'v9'"):
        await ask_tip(tmp_path, wanted_of(upstream.url, ref="v9"))
    upstream.set_default("nobody-pushed-it")
    assert (await ask_tip(tmp_path, wanted_of(upstream.url))).branch == "main"
    upstream.work.branch("second")
    upstream.push({"x.txt": "x"})
    with pytest.raises(NothingThereError, match="say which with `branch:`"):
        await ask_tip(tmp_path, wanted_of(upstream.url))


async def test_a_depth_may_be_given_and_taken_back(tmp_path: Path, upstream: Upstream) -> None:
    for number in range(4):
        upstream.push({"a.txt": f"{number}\n"})
    made = await clone(tmp_path, wanted_of(upstream.url, depth=2))
    assert made.git("rev-list", "--count", "HEAD") == "2\n"
    await renew(made, wanted_of(upstream.url))
    assert made.git("rev-list", "--count", "HEAD") == "5\n"


async def test_a_repository_with_sha256_is_cloned(tmp_path: Path) -> None:
    upstream = Upstream(tmp_path, object_format="sha256")
    commit = upstream.push({"a.txt": "a"})
    made = await clone(tmp_path, wanted_of(upstream.url))
    assert (len(commit), made.head()) == (64, commit)


async def test_nothing_that_a_remote_brings_is_run_or_fetched(
    tmp_path: Path, upstream: Upstream
) -> None:
    witness = tmp_path / "witness"
    script = f"#!/bin/sh\ntouch {witness}\n"
    other = Upstream(tmp_path, "other")
    other.push({"inner.txt": "x"})
    upstream.work.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.url,
                      "sub")  # fmt: skip
    (upstream.work.root / "link").symlink_to("/etc/passwd")
    upstream.push({
        ".gitattributes": "*.bin filter=lfs diff=lfs\n*.txt filter=evil\n",
        "big.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
        "hooks/post-checkout": script,
    })  # fmt: skip
    for kind in ("post-checkout", "post-merge", "reference-transaction", "post-update"):
        hook = upstream.bare / "hooks" / kind
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(script)
        hook.chmod(0o755)
    made = await clone(tmp_path, wanted_of(upstream.url))
    await renew(made, wanted_of(upstream.url))
    assert not witness.exists()
    assert (made.root / "big.bin").read_text().startswith("version https://git-lfs")
    assert list((made.root / "sub").iterdir()) == []
    assert not (made.root / ".git" / "modules").exists()
    assert not (made.root / ".git" / "hooks").exists()
    assert str((made.root / "link").readlink()) == "/etc/passwd"


def bare_tree(upstream: Upstream, entries: Mapping[str, str]) -> None:
    """Have the remote's branch show a tree that no checkout makes: names as they are given."""
    work = upstream.work
    lines = []
    for name, text in entries.items():
        blob = work.git("hash-object", "-w", "--stdin", stdin=text).strip()
        lines.append(f"100644 blob {blob}\t{name}\n")
    made = work.git("mktree", stdin="".join(lines)).strip()
    commit = work.git("commit-tree", made, "-m", "A trap").strip()
    work.git("push", "--quiet", "--force", "origin", f"{commit}:refs/heads/main")


@pytest.mark.parametrize("name", ["..", ".git", ".GIT"])
async def test_a_path_out_of_the_clone_is_refused_and_nothing_is_left(
    tmp_path: Path, upstream: Upstream, name: str
) -> None:
    bare_tree(upstream, {name: "trap"})
    with pytest.raises(GitFailed) as refused:
        await clone(tmp_path, wanted_of(upstream.url))
    words = trouble_words(refused.value, parse_address(upstream.url), has_token=False)
    assert "does not pass the checks of git" in words
    assert list((tmp_path / "remotes").iterdir()) == []


async def test_what_is_larger_than_the_cap_is_not_kept(tmp_path: Path, upstream: Upstream) -> None:
    upstream.push({"big.txt": "many words\n" * 50_000})
    wanted = wanted_of(upstream.url, max_bytes=400_000)
    with pytest.raises(GitFailed, match="larger than 400000 bytes; give its entry a `depth:`"):
        await clone(tmp_path, wanted)
    assert list((tmp_path / "remotes").iterdir()) == []
    made = await clone(tmp_path, replace(wanted, max_bytes=4_000_000))
    assert (made.root / "big.txt").exists()


async def test_what_a_killed_git_left_behind_is_no_obstacle(
    tmp_path: Path, upstream: Upstream
) -> None:
    wanted = wanted_of(upstream.url)
    made = await clone(tmp_path, wanted)
    for name in ("index.lock", "HEAD.lock", "refs/heads/main.lock", "objects/pack/tmp_pack_x"):
        path = made.root / ".git" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        os.utime(path, (1, 1))
    commit = upstream.push({"a.txt": "two\n"})
    assert await renew(made, wanted) == made.head() == commit


async def test_on_a_full_disk_nothing_is_left_and_the_next_try_is_whole(
    tmp_path: Path, upstream: Upstream
) -> None:
    upstream.push({"big.bin": os.urandom(300_000)})
    wanted = wanted_of(upstream.url)
    with files_no_larger_than(100_000), pytest.raises(GitFailed):
        await clone(tmp_path, wanted)
    assert list((tmp_path / "remotes").iterdir()) == []
    made = await clone(tmp_path, wanted)
    more = upstream.push({"big.bin": os.urandom(300_000)})
    with files_no_larger_than(100_000), pytest.raises(GitFailed):
        await renew(made, wanted)
    assert made.git("status", "--porcelain") == ""
    assert await renew(made, wanted) == made.head() == more


async def test_cancelled_while_cloning_nothing_is_left(tmp_path: Path, upstream: Upstream) -> None:
    place = tmp_path / "remotes"
    place.mkdir()
    wanted = wanted_of(upstream.url)
    tip = await ask_tip(place, wanted)
    with anyio.move_on_after(0.02) as scope:
        await make_clone(place / "shop", wanted, tip)
    assert scope.cancelled_caught
    assert list(place.iterdir()) == []


async def test_over_http_a_token_a_move_and_a_missing_repository_are_told_apart(
    tmp_path: Path, upstream: Upstream
) -> None:
    async def words(server: GitServer, credential: str = "", name: str = "shop") -> str:
        address = parse_address(server.url(name))
        base = f"http://{address.host}/"
        wanted = Wanted(address.for_git, Access("http", base, credential))
        with pytest.raises(GitFailed) as failed:
            await ask_tip(tmp_path, wanted)
        error = failed.value
        assert "s3cret" not in f"{error} {error.complaint}"
        return trouble_words(error, address, has_token=bool(credential))

    with GitServer(tmp_path, credential="me:s3cret") as server:
        assert "asks who we are" in await words(server)
        assert "does not accept the token" in await words(server, "me:s3cret-not")
        own = Access("http", f"http://127.0.0.1:{server.port}/", "me:s3cret")
        assert await ask_tip(tmp_path, Wanted(server.url("shop"), own))
        assert "no repository at this address" in await words(server, "me:s3cret", "gone")
        with GitServer(tmp_path, moved_to=f"http://127.0.0.1:{server.port}") as old:
            # A header goes wherever a redirect leads: with a token none is followed.
            server.requests.clear()
            assert "has moved" in await words(old, "me:s3cret")
            assert server.requests == []
        server.credential, server.status = "", 503
        assert "cannot be reached" in await words(server)
    assert "cannot be reached" in await words(server)

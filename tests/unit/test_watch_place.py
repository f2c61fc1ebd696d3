"""What a project's place on disk means for watching it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.sources.watch_place import identify, mount_type, survey

if TYPE_CHECKING:
    from pathlib import Path

MOUNTS = r"""22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
40 22 0:30 / /home/me/net rw - nfs4 server:/x rw
41 22 0:31 / /home/me/net/local rw - ext4 /dev/sdb1 rw
42 22 0:32 / /mnt/with\040space rw shared:5 - fuse.sshfs host: rw
43 22 0:33 / /mnt/win rw - fuseblk /dev/sdc1 rw
44 22 0:34 / /mnt/twice rw - ext4 /dev/sdd1 rw
45 22 0:35 / /mnt/twice rw - cifs //host/share rw
"""


@pytest.fixture
def mounts(tmp_path: Path) -> Path:
    file = tmp_path / "mountinfo"
    file.write_text(MOUNTS)
    return file


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/me/src", "ext4"),
        ("/home/me/net", "nfs4"),
        ("/home/me/net/deep/er", "nfs4"),
        ("/home/me/network", "ext4"),
        ("/home/me/net/local/x", "ext4"),
        ("/mnt/with space/repo", "fuse.sshfs"),
        ("/mnt/twice/repo", "cifs"),
    ],
)
def test_the_innermost_and_latest_mount_decides(mounts: Path, path: str, kind: str) -> None:
    assert mount_type(path, mounts) == kind


def test_a_system_without_mountinfo_has_no_type(tmp_path: Path) -> None:
    assert mount_type("/x", tmp_path / "absent") == ""


def test_a_project_on_a_network_mount_cannot_be_watched(tmp_path: Path) -> None:
    file = tmp_path / "mountinfo"
    file.write_text("1 0 0:1 / / rw - nfs server:/ rw\n")
    found = survey(tmp_path, frozenset({""}), (), file)
    assert found.unwatchable.startswith("nfs mount")
    assert not found.directories


def test_a_missing_root_is_said_to_be_missing(tmp_path: Path) -> None:
    found = survey(tmp_path / "gone", frozenset({""}), ())
    assert (found.identity, found.unwatchable) == (None, "the directory is missing")


def test_of_a_missing_root_the_directory_above_is_watched_if_it_is_there(tmp_path: Path) -> None:
    above = tmp_path.resolve()
    assert survey(tmp_path / "gone", frozenset({"", "lib"}), ()).directories == {str(above)}
    assert not survey(tmp_path / "gone" / "deeper", frozenset({""}), ()).directories


def test_links_and_missing_directories_are_left_out(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    (root / "a" / "b").mkdir(parents=True)
    (root / "link").symlink_to(root / "a")
    declared = frozenset({"", "a", "a/b", "link", "link/b", "gone", "bad\udcff"})
    found = survey(root, declared, ())
    assert found.directories == {str(root), f"{root}/a", f"{root}/a/b"}


def test_git_files_are_watched_through_their_directory(tmp_path: Path) -> None:
    git = tmp_path.resolve() / ".git"
    (git / "refs" / "heads" / "feature").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    found = survey(tmp_path, frozenset({""}), (git / "HEAD", git / "packed-refs", git / "refs"))
    assert found.git == {
        str(git): frozenset({"HEAD", "packed-refs"}),
        f"{git}/refs": None,
        f"{git}/refs/heads": None,
        f"{git}/refs/heads/feature": None,
    }


def test_the_whole_git_directory_wins_over_single_names(tmp_path: Path) -> None:
    git = tmp_path.resolve() / ".git"
    git.mkdir()
    for order in ((git, git / "HEAD"), (git / "HEAD", git)):
        assert survey(tmp_path, frozenset(), order).git == {str(git): None}


def test_a_replaced_directory_has_another_identity(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.mkdir()
    before = identify(str(first))
    second.mkdir()
    first.rmdir()
    second.rename(first)
    assert identify(str(first)) not in (before, None)


def test_a_directory_deeper_than_python_recurses_is_looked_at_like_any_other(
    tmp_path: Path,
) -> None:
    deep = "/".join(["d"] * 1_500)
    (tmp_path / "d").mkdir()
    found = survey(tmp_path, frozenset({"d", deep}), ())
    assert found.directories == {str(tmp_path), f"{tmp_path}/d"}
    (tmp_path / "link").symlink_to(tmp_path / "d")
    assert survey(tmp_path, frozenset({"link/" + deep}), ()).directories == {str(tmp_path)}

"""Where pushed files go: inside their project, whole, and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadQuery, Conflict, StateUnwritable
from paparatsd.pushes.files import PushedFiles, check_pushed_path

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def files(tmp_path: Path) -> PushedFiles:
    made = PushedFiles(tmp_path / "pushed")
    made.prepare("shop")
    return made


@pytest.mark.parametrize(
    "path", ["a", "src/a.py", "ü/ж.md", ".gitignore", "a b/c", "git/x", "a" * 240]
)
def test_a_plain_path_is_taken(path: str) -> None:
    assert check_pushed_path(path) == path


@pytest.mark.parametrize(
    "path",
    ["", "/a", "../a", "a/../b", "a/..", "./a", "a//b", "a/", "a\\b", "..\\a", "a\0b", "a\nb",
     ".git/config", "a/.GIT/hooks/x", ".git", "\ud800", "a" * 241, "/".join("a" * 61),
     "/".join(["a" * 200] * 6)],
)  # fmt: skip
def test_a_path_that_could_lead_elsewhere_is_refused(path: str) -> None:
    with pytest.raises(BadQuery):
        check_pushed_path(path)


def test_a_file_is_kept_privately_and_the_same_again_is_nothing_new(
    files: PushedFiles, tmp_path: Path
) -> None:
    assert files.write("shop", "src/a.py", b"one")
    kept = tmp_path / "pushed" / "shop" / "src" / "a.py"
    first = kept.stat()
    assert (kept.read_bytes(), first.st_mode & 0o777) == (b"one", 0o600)
    assert (tmp_path / "pushed" / "shop").stat().st_mode & 0o077 == 0
    assert not files.write("shop", "src/a.py", b"one")
    assert kept.stat().st_ino == first.st_ino
    assert files.write("shop", "src/a.py", b"two")
    assert kept.read_bytes() == b"two"
    assert files.sizes("shop") == {"src/a.py": 3}
    assert [one.name for one in (tmp_path / "pushed").iterdir()] == ["shop"]


def test_no_link_is_followed_on_the_way_or_at_the_end(files: PushedFiles, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.py").write_text("mine")
    (files.root("shop") / "src").symlink_to(elsewhere)
    (files.root("shop") / "b.py").symlink_to(elsewhere / "a.py")
    with pytest.raises(Conflict):
        files.write("shop", "src/a.py", b"yours")
    assert files.write("shop", "b.py", b"yours")
    assert not files.delete("shop", "src/a.py")
    assert (elsewhere / "a.py").read_text() == "mine"


def test_a_file_and_a_directory_of_one_name_are_a_conflict(files: PushedFiles) -> None:
    files.write("shop", "a/b", b"x")
    with pytest.raises(Conflict, match="is a directory"):
        files.write("shop", "a", b"x")
    with pytest.raises(Conflict, match="is a file"):
        files.write("shop", "a/b/c", b"x")
    assert files.sizes("shop") == {"a/b": 1}


def test_a_deleted_file_takes_empty_directories_with_it(files: PushedFiles) -> None:
    files.write("shop", "a/b/c", b"x")
    files.write("shop", "a/d", b"x")
    assert files.delete("shop", "a/b/c")
    assert not files.delete("shop", "a/b/c")
    assert not files.delete("shop", "a")
    assert not (files.root("shop") / "a" / "b").exists()
    assert files.delete("shop", "a/d")
    assert files.root("shop").is_dir()


def test_what_a_crash_left_is_tidied_and_a_project_is_forgotten_whole(
    files: PushedFiles, tmp_path: Path
) -> None:
    files.write("shop", "a", b"x")
    (tmp_path / "pushed" / ".tmp-1-1-1").write_text("half")
    files.tidy()
    assert [one.name for one in (tmp_path / "pushed").iterdir()] == ["shop"]
    files.forget("shop")
    assert [one.name[:10] for one in (tmp_path / "pushed").iterdir()] == [".gone-shop"]
    files.forget("shop")


def test_a_project_whose_directory_is_gone_cannot_be_written(
    files: PushedFiles, tmp_path: Path
) -> None:
    (tmp_path / "pushed" / "shop").rmdir()
    with pytest.raises(StateUnwritable):
        files.write("shop", "a", b"x")

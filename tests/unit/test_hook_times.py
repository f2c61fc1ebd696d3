"""When hooks fired last is kept for people, and never in the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.hook_times import HookTimes
from paparatsd.housekeeping import common_of

if TYPE_CHECKING:
    from pathlib import Path


def test_times_are_kept_by_repository_and_kind(tmp_path: Path) -> None:
    file = tmp_path / "hooks.json"
    times = HookTimes(file)
    times.note("/a/.git", "post-commit", 5.0)
    times.note("/a/.git", "post-merge", 6.5)
    times.note("/b/.git", "post-commit", 7.0)
    times.note("/a/.git", "post-commit", 8.0)

    assert HookTimes(file).of("/a/.git") == {"post-commit": 8.0, "post-merge": 6.5}
    assert HookTimes(file).of("/c/.git") == {}


@pytest.mark.parametrize("text", ["", "[]", '{"/a": 3}', '{"/a": {"post-commit": "x"}}', "\0"])
def test_a_damaged_file_is_told_nothing_of_and_written_anew(tmp_path: Path, text: str) -> None:
    file = tmp_path / "hooks.json"
    file.write_text(text)
    times = HookTimes(file)

    assert times.of("/a") == {}
    times.note("/a", "post-commit", 1.0)
    assert HookTimes(file).of("/a") == {"post-commit": 1.0}


def test_a_file_that_cannot_be_written_harms_nobody(tmp_path: Path) -> None:
    times = HookTimes(tmp_path / "gone" / "hooks.json")
    times.note("/a", "post-commit", 1.0)
    assert times.of("/a") == {"post-commit": 1.0}


def test_work_trees_share_the_directory_of_their_repository(tmp_path: Path) -> None:
    common = tmp_path / ".git"
    assert common_of(common) == common
    assert common_of(common / "worktrees" / "topic") == common

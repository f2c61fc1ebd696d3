"""One daemon per state directory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadSettings, Busy
from paparatsd.lock import StateLock, read_address, read_holder

if TYPE_CHECKING:
    from pathlib import Path

HOLDER = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from paparatsd.errors import Busy
from paparatsd.lock import StateLock
sys.stdin.readline()
try:
    with StateLock(Path(sys.argv[1])):
        print("won", flush=True)
        sys.stdin.read()
except Busy as error:
    print("busy", str(error), flush=True)
"""


def start(state: Path, root: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-S", "-c", HOLDER, str(state), root],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_the_second_one_is_busy_and_names_the_first(tmp_path: Path) -> None:
    with StateLock(tmp_path), pytest.raises(Busy, match=f"process {os.getpid()}"):
        StateLock(tmp_path).acquire()


def test_the_lock_is_free_after_the_block(tmp_path: Path) -> None:
    with StateLock(tmp_path):
        pass
    with StateLock(tmp_path):
        assert read_holder(tmp_path / "lock") == os.getpid()


def test_of_many_starters_one_wins_and_a_killed_one_leaves_the_lock(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    starters = [start(tmp_path, str(request.config.rootpath)) for _ in range(8)]
    for one in starters:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    said = [one.stdout.readline() if one.stdout is not None else "" for one in starters]
    winner = next(one for one, word in zip(starters, said, strict=True) if word == "won\n")
    assert said.count("won\n") == 1
    assert sum(word.startswith("busy") for word in said) == 7
    winner.send_signal(signal.SIGKILL)
    winner.wait()
    with StateLock(tmp_path):
        pass
    for one in starters:
        one.communicate()


def test_a_lock_file_with_nonsense_in_it_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "lock").write_bytes(b"\xff" * 5_000)
    assert read_holder(tmp_path / "lock") is None
    with StateLock(tmp_path):
        assert read_holder(tmp_path / "lock") == os.getpid()


def test_a_link_in_place_of_the_lock_is_refused_and_its_target_untouched(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("precious")
    (tmp_path / "lock").symlink_to(tmp_path / "target")
    with pytest.raises(BadSettings, match="cannot be opened"):
        StateLock(tmp_path).acquire()
    assert (tmp_path / "target").read_text() == "precious"


def test_a_missing_state_directory_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="check the state directory"):
        StateLock(tmp_path / "none").acquire()


def test_the_lock_says_where_its_holder_answers(tmp_path: Path) -> None:
    with StateLock(tmp_path, tmp_path / "control.sock"):
        assert read_holder(tmp_path / "lock") == os.getpid()
        assert read_address(tmp_path / "lock") == str(tmp_path / "control.sock")
    assert read_address(tmp_path / "lock") is None


def test_a_lock_that_is_given_up_is_free_though_a_forked_process_has_its_file(
    tmp_path: Path,
) -> None:
    lock = StateLock(tmp_path)
    lock.acquire()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        os.read(reading, 1)
        os._exit(0)

    lock.release()
    with StateLock(tmp_path):
        assert read_holder(tmp_path / "lock") == os.getpid()

    os.close(writing)
    os.waitpid(child, 0)
    os.close(reading)

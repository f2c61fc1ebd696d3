"""The spool of the hooks is read with suspicion."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadSettings
from paparatsd.sources import inbox
from paparatsd.sources.inbox import HookEvent, Inbox, parse_event

if TYPE_CHECKING:
    from pathlib import Path


def record(*fields: str) -> bytes:
    return "".join(f"{field}\0" for field in fields).encode()


COMMIT = record("paparats 1", "post-commit", "/src/p", "", "0", "", "end")


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    Inbox(tmp_path / "spool").prepare()
    return tmp_path / "spool"


def test_a_finished_record_is_read_and_deleted_once_acted_on(spool: Path) -> None:
    (spool / "1.0.post-commit").write_bytes(COMMIT)
    box = Inbox(spool)
    events = box.read()
    assert events == [
        HookEvent("post-commit", "/src/p", "", (), (), complete=True, file="1.0.post-commit")
    ]
    assert box.read() == events
    box.acknowledge(events)
    assert box.read() == []


def test_rewrites_are_pairs_of_old_and_new() -> None:
    pairs = f"{'a' * 40} {'b' * 40}\n{'c' * 40} {'b' * 40} extra\n"
    event = parse_event(
        record("paparats 1", "post-rewrite", "/w", "/g", "1", "rebase", pairs, "end"), "f"
    )
    assert event.arguments == ("rebase",)
    assert event.rewrites == (("a" * 40, "b" * 40), ("c" * 40, "b" * 40))
    assert event.complete


def test_a_record_that_ran_out_of_room_is_incomplete() -> None:
    event = parse_event(
        record("paparats 1", "post-rewrite", "/w", "", "1", "rebase", "", "more"), "f"
    )
    assert event.worktree == "/w"
    assert not event.complete


def test_every_cut_of_a_record_is_unfinished() -> None:
    for end in range(len(COMMIT)):
        event = parse_event(COMMIT[:end], "f")
        assert (event.complete, event.kind) == (False, "")


@pytest.mark.parametrize(
    "data",
    [
        record("paparats 2", "post-commit", "/w", "", "0", "", "end"),
        record("paparats 1", "pre-push", "/w", "", "0", "", "end"),
        record("paparats 1", "post-commit", "/w", "", "7", "", "end"),
        record("paparats 1", "post-commit", "/w", "", "x", "", "end"),
        b"x" * (inbox.MAX_FILE_BYTES + 1),
    ],
)
def test_a_record_we_do_not_understand_is_incomplete(data: bytes) -> None:
    assert not parse_event(data, "f").complete


def test_a_half_written_file_is_read_again(spool: Path) -> None:
    file = spool / "1.0.post-commit"
    file.write_bytes(COMMIT[:10])
    finish = threading.Timer(0.07, lambda: file.write_bytes(COMMIT))
    finish.start()
    assert [event.complete for event in Inbox(spool).read()] == [True]
    finish.join()


def test_a_file_that_stays_half_written_becomes_an_incomplete_event(spool: Path) -> None:
    file = spool / "1.0.post-commit"
    file.write_bytes(COMMIT[:10])
    os.utime(file, (1, 1))
    events = Inbox(spool).read()
    assert [(event.kind, event.complete) for event in events] == [("", False)]
    Inbox(spool).acknowledge(events)
    assert not file.exists()


def test_links_and_odd_files_are_left_alone(spool: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(COMMIT)
    (spool / "link").symlink_to(outside)
    (spool / "directory").mkdir()
    os.mkfifo(spool / "fifo")
    assert Inbox(spool).read() == []
    assert len(list(spool.iterdir())) == 3


def test_files_of_another_owner_are_left_alone(
    spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (spool / "f").write_bytes(COMMIT)
    stranger = os.geteuid() + 1
    monkeypatch.setattr("paparatsd.sources.inbox.os.geteuid", lambda: stranger)
    assert Inbox(spool).read() == []
    assert (spool / "f").exists()


def test_too_many_files_are_one_incomplete_event_that_clears_them_all(spool: Path) -> None:
    for number in range(8):
        (spool / f"{number}.0.post-commit").write_bytes(COMMIT)
    box = Inbox(spool, max_files=5)
    events = box.read()
    assert [(event.complete, event.file) for event in events] == [(False, "")]
    box.acknowledge(events)
    assert list(spool.iterdir()) == []


def test_events_come_oldest_first(spool: Path) -> None:
    for name, age in (("b", 1), ("a", 3), ("c", 2)):
        (spool / name).write_bytes(COMMIT)
        os.utime(spool / name, (1_000 - age, 1_000 - age))
    assert [event.file for event in Inbox(spool).read()] == ["a", "c", "b"]


def test_a_missing_spool_is_made_when_it_is_read(tmp_path: Path) -> None:
    assert Inbox(tmp_path / "state" / "spool").read() == []
    assert (tmp_path / "state" / "spool").stat().st_mode & 0o777 == 0o700


def test_the_spool_is_for_its_owner_only(tmp_path: Path) -> None:
    spool = tmp_path / "state" / "spool"
    spool.parent.mkdir()
    spool.mkdir(mode=0o777)
    Inbox(spool).prepare()
    assert spool.stat().st_mode & 0o777 == 0o700


def test_a_spool_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "spool").symlink_to(tmp_path / "real")
    with pytest.raises(BadSettings, match="not a directory of ours"):
        Inbox(tmp_path / "spool").prepare()

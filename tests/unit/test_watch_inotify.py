"""The kernel's records, and whether the kernel has inotify at all."""

from __future__ import annotations

import errno
import os
import struct
import sys

import pytest

from paparatsd.sources.watch_inotify import (
    IN_CREATE,
    IN_Q_OVERFLOW,
    MASK,
    Inotify,
    Record,
    is_supported,
    records,
)


def packed(watch: int, mask: int, name: bytes = b"") -> bytes:
    """Write a record as the kernel does: names are padded with zeros to a multiple of 16."""
    padded = name + b"\0" * (16 - len(name) % 16) if name else b""
    return struct.pack("iIII", watch, mask, 0, len(padded)) + padded


def test_records_follow_each_other_with_names_as_bytes() -> None:
    data = packed(1, IN_CREATE, b"a.py") + packed(-1, IN_Q_OVERFLOW) + packed(2, 2, b"\xff" * 255)
    assert list(records(data)) == [
        Record(1, IN_CREATE, b"a.py"),
        Record(-1, IN_Q_OVERFLOW, b""),
        Record(2, 2, b"\xff" * 255),
    ]


def test_nothing_read_is_no_record() -> None:
    assert list(records(b"")) == []


def test_opening_and_reading_are_not_asked_for() -> None:
    read, close_after_reading, opened = 0x1, 0x10, 0x20
    assert not MASK & (read | close_after_reading | opened)


@pytest.mark.skipif(sys.platform != "linux", reason="there is no inotify")
@pytest.mark.parametrize(
    ("code", "supported"),
    [(errno.ENOSYS, False), (errno.EPERM, False), (errno.EMFILE, True), (errno.ENFILE, True)],
)
def test_a_kernel_at_its_limit_has_inotify_and_one_without_the_call_has_not(
    code: int, *, supported: bool
) -> None:
    def opener() -> Inotify:
        raise OSError(code, os.strerror(code))

    assert is_supported(opener) is supported

"""Fixtures of the tests of the command line."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.harness.fake_control import FakeControl

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def control(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeControl]:
    """Yield a control API, with the environment that leads the command line to it."""
    # Not tmp_path: a socket's path must be short.
    with (
        tempfile.TemporaryDirectory(dir="/tmp", prefix="ppr") as directory,
        FakeControl(Path(directory)) as control,
    ):
        for name, value in control.environment.items():
            monkeypatch.setenv(name, value)
        yield control

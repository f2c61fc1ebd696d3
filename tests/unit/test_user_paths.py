"""Paths with a user in front."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paparatsd.user_paths import expanded

if TYPE_CHECKING:
    import pytest


def test_a_user_whom_nobody_knows_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    assert expanded("~/src") == Path("/home/ann/src")
    assert expanded(Path("~")) == Path("/home/ann")
    assert expanded("~nobody-of-this-name/src") == Path("~nobody-of-this-name/src")
    assert expanded("src/~") == Path("src/~")

"""Fixtures that every kind of test may use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.harness.daemon import running_daemon
from tests.harness.repos import Repo

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.harness.daemon import Daemon


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """Return an empty git repository on branch main, without a commit."""
    return Repo.create(tmp_path / "repo")


@pytest.fixture
async def daemon() -> AsyncIterator[Daemon]:
    """Yield a started daemon with directories of its own."""
    async with running_daemon() as started:
        yield started

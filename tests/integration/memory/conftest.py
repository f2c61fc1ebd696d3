"""Fixtures of the tests of the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.harness.memory_world import MemoryWorld

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[MemoryWorld]:
    """Yield an empty memory."""
    world = MemoryWorld(tmp_path)
    yield world
    await world.close()

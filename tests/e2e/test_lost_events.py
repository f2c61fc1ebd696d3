"""A change of which no event ever tells."""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING

import pytest

from tests.harness.daemon import running_daemon

if TYPE_CHECKING:
    from tests.harness.repos import Repo


@pytest.mark.fault
async def test_a_change_that_no_event_tells_of_is_found_by_the_periodic_check(repo: Repo) -> None:
    path = repo.write("burrow.py", "def burrow():\n    return 'dry'\n")
    repo.commit("Dig")
    # The kernel tells nobody of what is written to a file through memory.
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as written:
        async with running_daemon({"PAPARATS_INDEX_RECONCILE_MIN_S": "1"}) as daemon:
            name = await daemon.add(repo.root)
            await daemon.wait_ready(name)
            await daemon.settle(
                name
            )  # a look that is not the first costs little, so the next is soon
            before = (await daemon.project(name))["generation"]
            written[:] = written[:].replace(b"dry", b"wet")
            written.flush()
            assert (await daemon.project(name))["watching"] == "events"
            await daemon.wait_until(
                lambda status: status["projects"][0]["generation"] > before, within_s=50
            )
            assert "wet" in (await daemon.search("burrow"))[0]["text"]

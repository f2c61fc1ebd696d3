"""A Qdrant server that is away: the daemon starts, says so, and goes on when it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.harness.daemon import running_daemon
from tests.harness.proxy import Fault, FaultProxy, Mode
from tests.harness.qdrant_double import running_double

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness.repos import Repo


@pytest.mark.fault
async def test_a_daemon_starts_without_its_vector_server_and_indexes_when_it_comes(
    repo: Repo, tmp_path: Path
) -> None:
    repo.write("cart.py", "def total(): ...\n")
    repo.commit("start")
    (tmp_path / "double").mkdir()
    with running_double(tmp_path / "double") as double:
        port = int(double.url.rpartition(":")[2])
        async with FaultProxy.to("127.0.0.1", port) as proxy:
            proxy.fault = Fault(Mode.REFUSE)
            async with running_daemon({"QDRANT_URL": proxy.url}) as daemon:
                status = await daemon.status()
                assert any("fails to list collections" in text for text in status["problems"])
                name = await daemon.add(repo.root)
                await daemon.wait_until(lambda now: now["projects"][0]["state"] == "paused")

                proxy.fault = Fault()
                await daemon.wait_ready(name)
                assert (await daemon.status())["problems"] == []
                assert await daemon.paths("total") == ["cart.py"]


@pytest.mark.fault
async def test_a_daemon_that_only_searches_says_when_it_cannot_follow_and_catches_up(
    repo: Repo, tmp_path: Path
) -> None:
    repo.write("cart.py", "def total(): ...\n")
    repo.commit("start")
    quick = {"PAPARATS_WATCH_POLL_S": "0.3", "PAPARATS_STORE_TIMEOUT_S": "1"}
    with running_double(tmp_path / "double") as double:
        port = int(double.url.rpartition(":")[2])
        async with FaultProxy.to("127.0.0.1", port) as proxy:
            filling = {**quick, "QDRANT_URL": double.url, "PAPARATS_STORE_PUBLISH": "true"}
            reading = {**quick, "QDRANT_URL": proxy.url, "PAPARATS_INDEX_ENABLED": "false"}
            async with running_daemon(filling) as filler, running_daemon(reading) as reader:
                name = await filler.add(repo.root)
                await filler.wait_ready(name)
                await reader.wait_until(
                    lambda now: [one["state"] for one in now["projects"]] == ["ready"]
                )

                proxy.fault = Fault(Mode.REFUSE)
                await proxy.drop()
                repo.write("cart.py", "def total(): ...\n\n\ndef discount(): ...\n")
                await filler.settle(name)
                status = await reader.wait_until(
                    lambda now: now["projects"][0]["freshness"] == "stale"
                )
                assert any("cannot be followed" in text for text in status["problems"])
                assert await reader.paths("total") == ["cart.py"]  # names are here

                proxy.fault = Fault()
                await reader.wait_until(
                    lambda now: (
                        now["projects"][0]["freshness"] == "current"
                        and now["projects"][0]["generation"] == 2
                    )
                )
                assert await reader.paths("discount") == ["cart.py"]
                assert (await reader.status())["problems"] == []

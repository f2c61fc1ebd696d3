"""`paparats migrate` end to end: an index goes to a server and back, and nothing is built anew."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.harness.daemon import running_daemon
from tests.harness.qdrant_double import running_double

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness.daemon import Daemon
    from tests.harness.repos import Repo


async def migrated(daemon: Daemon, *arguments: str) -> dict[str, Any]:
    done = await daemon.cli("migrate", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


async def test_an_index_goes_to_a_server_and_back(repo: Repo, tmp_path: Path) -> None:
    repo.write("cart.py", "def total():\n    return 1\n")
    repo.write("price.py", "def price():\n    return 2\n")
    repo.commit("start")
    with running_double(tmp_path / "double") as double:
        async with running_daemon() as daemon:
            name = await daemon.add(repo.root)
            await daemon.wait_ready(name)
            found = await daemon.search("what is the total")
            await daemon.stop()

            daemon.options = {"QDRANT_URL": double.url}
            dry = await migrated(daemon, "--to", "server", "--dry-run")
            assert (dry["copied"], dry["points"], dry["dry_run"]) == (2, 2, True)
            assert not [one for one in double.names() if "code" in one]
            moved = await migrated(daemon, "--to", "server", "--delete-source")
            assert (moved["copied"], moved["lost"], moved["deleted"]) == (2, 0, True)

            double.requests.clear()
            await daemon.start()
            await daemon.wait_ready(name)
            assert await daemon.search("what is the total") == found
            written = [p for m, p in double.requests if m == "PUT" and p.endswith("/points")]
            assert not [path for path in written if "code" in path]
            await daemon.stop()

            back = await migrated(daemon, "--to", "edge")
            assert back["copied"] == 2
            daemon.options = {}
            await daemon.start()
            await daemon.wait_ready(name)
            assert await daemon.search("what is the total") == found

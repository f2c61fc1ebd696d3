"""Two daemons index one repository, at two branches, into one cluster: neither harms the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.harness.daemon import running_daemon
from tests.harness.qdrant_double import running_double
from tests.harness.repos import Repo

if TYPE_CHECKING:
    from pathlib import Path


async def test_what_one_daemon_forgets_the_other_goes_on_showing(tmp_path: Path) -> None:
    """Both have the same versions of most files, under the same ids."""
    files: dict[str, str | bytes] = {
        f"m{n}.py": f"def marmot_{n}():\n    return {n}\n" for n in range(8)
    }
    first = Repo.create(tmp_path / "one", files)
    first.commit("Marmots")
    second = Repo.create(tmp_path / "two", files)
    second.commit("Marmots")
    second.write("m0.py", "def badger_0():\n    return 0\n")
    second.commit("Badgers")
    with running_double(tmp_path / "double") as double:
        shared = {"QDRANT_URL": double.url}
        async with running_daemon(shared) as one, running_daemon(shared) as two:
            mine = await one.add(first.root, name="marmots")
            await one.wait_ready(mine)
            theirs = await two.add(second.root, name="marmots")
            await two.wait_ready(theirs)
            before = [await two.search(f"what does marmot {n} give") for n in range(1, 8)]
            assert all(before)

            await one.remove(mine)
            await two.stop()
            await two.start()
            await two.wait_ready(theirs)

            assert [await two.search(f"what does marmot {n} give") for n in range(1, 8)] == before
            assert (await two.search("badger"))[0]["path"] == "m0.py"
            assert "points_missing" not in two.log_text()
            assert (await two.status())["problems"] == []

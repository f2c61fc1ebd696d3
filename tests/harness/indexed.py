"""The beginning of most stories: a repository that a daemon has indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.harness.daemon import Daemon
    from tests.harness.repos import Repo


async def index(daemon: Daemon, repo: Repo, files: Mapping[str, str | bytes]) -> str:
    """Commit these files, register the repository, and return its name once it is ready."""
    repo.write_all(files)
    repo.commit("some")
    name = await daemon.add(repo.root)
    await daemon.wait_ready(name)
    return name

"""What git tells of places that cards name: who changed them since, and where files went."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from paparatsd.chunks.address import format_lines
from paparatsd.commits import Change
from paparatsd.history_model import CommitRequest
from paparatsd.model import ProjectName
from paparatsd.plain_text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.answerable import Answerable
    from paparatsd.history_model import ChunkLog, CommitNote, FoundCommit
    from paparatsd.history_service import HistoryService
    from paparatsd.knowledge.code_view import Spot

MAX_COMMITS = 100
"""Commits of a place that are counted."""
MAX_FOLLOWED = 100
"""Commits that are looked through for what became of a file."""
MAX_QUOTED = 120
"""Characters of a name or a commit's subject."""

_GLOB = re.compile(r"[*?\[\]\\!#]|\s$")


@dataclass(frozen=True, slots=True)
class Gone:
    """What became of a file that is no more: its last path, and one sentence ("" if unknown)."""

    path: str
    sentence: str


class AnchorHistory:
    """Asks history, which may not be there, or not yet; then there is nothing to tell."""

    def __init__(self, history: HistoryService, answerable: Answerable) -> None:
        self._history = history
        self._answerable = answerable

    async def changed(self, spot: Spot, since: float) -> str:
        """Return one sentence on who changed a place since a moment. Raises what history does."""
        address = spot.address
        if "#" not in address:
            address = format_lines(spot.project, spot.path, spot.start, spot.end)
        scope = self._answerable.everything()
        return told_of(await self._history.log(address, MAX_COMMITS, scope, {}), since)

    async def gone(self, project: str, path: str) -> Gone:
        """Return what became of a file that is no more. Raises what history raises.

        Renames are followed as far as the last commits tell of them; a removal is found however
        long ago it was.
        """
        scope = self._answerable.everything().only_of(ProjectName(project))
        if not _GLOB.search(path):
            request = CommitRequest(paths=(f"/{path}",), limit=1)
            for one in (await self._history.find_commits(request, scope)).commits:
                if any((it.change, it.path) == (Change.DELETE, path) for it in one.files):
                    return Gone(path, _sentence("Removed", one.commit))
        request = CommitRequest(limit=MAX_FOLLOWED)
        return followed(path, (await self._history.find_commits(request, scope)).commits)


def followed(path: str, commits: Sequence[FoundCommit]) -> Gone:
    """Follow a file through the renames of commits, newest commit first."""
    last, sentence = path, ""
    for one in reversed(commits):
        for file in one.files:
            if file.path == path and file.change in (Change.ADD, Change.RENAME, Change.COPY):
                last, sentence = path, ""  # whatever was called so before was another file
            elif file.change is Change.RENAME and file.old_path == last:
                last, sentence = file.path, _sentence("Renamed", one.commit)
    return Gone(last, sentence)


def told_of(told: ChunkLog, since: float) -> str:
    """Return one sentence on who changed a place since a moment; "" when nothing is known."""
    newer = [one for one in told.commits if one.commit.committed.seconds > since]
    if newer:
        more = "+" if len(newer) == MAX_COMMITS else ""
        times = "1 commit" if len(newer) == 1 else f"{len(newer)}{more} commits"
        return _sentence(f"{times} since {_day(since)}, the last", newer[0].commit)
    if told.uncommitted:
        return "The change is not committed yet."
    if told.commits and not told.pending:
        return _sentence("Last changed", told.commits[0].commit)
    return ""


def _sentence(what: str, commit: CommitNote) -> str:
    day = _day(commit.committed.seconds)
    said = f"{what} on {day} by {_cut(commit.author.name)}: {_cut(commit.subject)}"
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."


def _cut(text: str) -> str:
    text = " ".join(one_line(text).split())
    return text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED - 1].rstrip()}…"


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()

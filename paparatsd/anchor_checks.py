"""What became of the code that cards name: read from the catalog, told with who changed it.

Never keeps an answer from being given: what cannot be said in time is left out, with a note.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

import structlog

from paparatsd.chunks.address import format_lines
from paparatsd.errors import PaparatsError
from paparatsd.knowledge.anchors import Checked, Held, check, hold, prepare, take, with_detail
from paparatsd.knowledge.code_view import CodeView, Shown
from paparatsd.knowledge.memory import Taken
from paparatsd.plain_text import one_line
from paparatsd.store.reader import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from paparatsd.answerable import Answerable
    from paparatsd.history_model import ChunkLog
    from paparatsd.history_service import HistoryService
    from paparatsd.knowledge_model import AnchorCheck, CardHit
    from paparatsd.search.scope import ProjectScope

log = structlog.get_logger()

T = TypeVar("T")

MAX_CHECKED = 200
"""Files and anchors that are looked at for one answer."""
CHECK_S = 5.0
MAX_LOGS = 16
"""Changed places of one answer whose history is told."""
LOGS_S = 4.0
MAX_COMMITS = 100
MAX_QUOTED = 120
"""Characters of a name or a commit's subject."""


class AnchorChecks:
    """Takes and checks what cards name."""

    def __init__(self, catalog: Path, answerable: Answerable, history: HistoryService) -> None:
        self._catalog = catalog
        self._answerable = answerable
        self._history = history

    # ------------------------------------------------------------------ taking

    async def taken(
        self,
        group: str,
        project: str | None,
        named: Taken,
        visible: frozenset[str] | None,
        *,
        only_new: bool = False,
    ) -> tuple[Taken, tuple[str, ...]]:
        """Return what a card names with digests, and a sentence for each that has none.

        `only_new`: leave those alone that have a digest already.
        """
        projects = self._projects(visible)
        held = _held(group, project, named, projects)
        todo = [one for one in held if not (only_new and one.anchor.digest)]
        try:
            async with asyncio.timeout(CHECK_S):
                found = await _look(self._catalog, projects, todo, take)
        except (PaparatsError, TimeoutError) as error:
            why = str(error) or "the catalog did not answer in time"
            return named, (f"What it names cannot be looked at now: {why}",) if todo else ()
        new = {id(one): anchor for one, (anchor, _) in zip(todo, found, strict=True)}
        anchors = tuple(new.get(id(one), one.anchor) for one in held)
        count = len(named.files)
        problems = tuple(problem for _, problem in found if problem)
        return Taken(anchors[:count], anchors[count:]), problems

    # ------------------------------------------------------------------ checking

    async def checked(
        self, hits: Sequence[CardHit], visible: frozenset[str] | None
    ) -> tuple[tuple[CardHit, ...], tuple[str, ...]]:
        """Return the hits with what became of what they name, and notes on what was left out."""
        by_hit, left = [], MAX_CHECKED
        projects = self._projects(visible)
        for hit in hits:
            card = hit.card
            named = Taken(card.file_anchors, card.anchors)
            held = _held(card.group, card.project, named, projects)
            by_hit.append(held if len(held) <= left else [])
            left -= len(by_hit[-1])
        todo = [one for held in by_hit for one in held]
        skipped = sum(
            not held and bool(hit.card.anchors or hit.card.file_anchors)
            for held, hit in zip(by_hit, hits, strict=True)
        )
        try:
            async with asyncio.timeout(CHECK_S):
                found = await _look(self._catalog, projects, todo, check)
        except (PaparatsError, TimeoutError) as error:
            why = str(error) or "the catalog did not answer in time"
            return tuple(hits), (f"What the cards name cannot be checked now: {why}",)
        since = [hit.card.updated for held, hit in zip(by_hit, hits, strict=True) for _ in held]
        told = iter(await self._with_history(found, since))
        notes = (f"The files and anchors of {skipped} more cards were not checked.",)
        return tuple(
            replace(hit, checks=tuple(next(told) for _ in held))
            for held, hit in zip(by_hit, hits, strict=True)
        ), notes if skipped else ()

    def _projects(self, visible: frozenset[str] | None) -> list[ProjectScope]:
        """Return the projects that can be looked at, of those that may be told of (None: all)."""
        there = self._answerable.everything().projects
        return [one for one in there if visible is None or one.name in visible]

    # ------------------------------------------------------------------ history

    async def _with_history(
        self, found: Sequence[Checked], since: Sequence[float]
    ) -> list[AnchorCheck]:
        """Return the checks; those of changed places tell who changed them, as far as known."""
        details: dict[int, str] = {}
        places = [at for at, one in enumerate(found) if one.spot is not None and one.spot.start]
        try:
            async with asyncio.timeout(LOGS_S):
                for at in places[:MAX_LOGS]:
                    details[at] = await self._who(found[at], since[at])
        except (PaparatsError, TimeoutError) as error:
            log.debug("anchor_history_left_out", error=str(error))
        return [with_detail(one, details.get(at, "")) for at, one in enumerate(found)]

    async def _who(self, checked: Checked, since: float) -> str:
        spot = checked.spot
        if spot is None:
            return ""
        address = spot.address
        if "#" not in address:
            address = format_lines(spot.project, spot.path, spot.start, spot.end)
        scope = self._answerable.everything()
        told = await self._history.log(address, MAX_COMMITS, scope, {})
        return told_of(told, since)


def told_of(told: ChunkLog, since: float) -> str:
    """Return one sentence on who changed a place since a moment; "" when nothing is known."""
    newer = [one for one in told.commits if one.commit.committed.seconds > since]
    if newer:
        last, more = newer[0].commit, len(newer) == MAX_COMMITS
        day = _day(last.committed.seconds)
        times = "1 commit" if len(newer) == 1 else f"{len(newer)}{'+' * more} commits"
        said = (
            f"{times} since {_day(since)}, the last on {day} by "
            f"{_cut(last.author.name)}: {_cut(last.subject)}"
        )
    elif told.uncommitted:
        return "The change is not committed yet."
    elif told.commits:
        last = told.commits[0].commit
        said = (
            f"Last changed on {_day(last.committed.seconds)} by "
            f"{_cut(last.author.name)}: {_cut(last.subject)}"
        )
    else:
        return ""
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."


def _cut(text: str) -> str:
    text = " ".join(one_line(text).split())
    return text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED - 1].rstrip()}…"


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def _held(
    group: str, project: str | None, named: Taken, projects: Sequence[ProjectScope]
) -> list[Held]:
    """Return what a card names; what a group's card names may be any project's of it."""
    beside: list[str] = [one.name for one in projects if one.group == group]
    reach = frozenset(one.name for one in projects)
    own = beside if project is None else [project]
    return hold(named.files, named.anchors, own, reach)


async def _look(
    catalog: Path,
    projects: Sequence[ProjectScope],
    held: Sequence[Held],
    work: Callable[[CodeView, Held], T],
) -> list[T]:
    """Do the work on each, all of one state of the catalog."""
    shown: dict[str, Shown] = {
        project.name: Shown(project.project_id, complete=project.building is None)
        for project in projects
    }

    def run() -> list[T]:
        reader = CatalogReader(catalog)
        try:
            with reader.snapshot():
                view = CodeView(reader, shown)
                prepare(view, held)
                return [work(view, one) for one in held]
        finally:
            reader.close()

    return await asyncio.to_thread(run) if held else []

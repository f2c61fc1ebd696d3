"""What became of the code that cards name: read from the catalog, told with who changed it.

Never keeps an answer from being given: what cannot be said in time is left out, with a note.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import structlog

from paparatsd.anchor_history import AnchorHistory
from paparatsd.errors import PaparatsError
from paparatsd.knowledge.anchors import Checked, Held, check, hold, prepare, take, with_detail
from paparatsd.knowledge.code_view import CodeView, Shown
from paparatsd.knowledge.memory import Taken
from paparatsd.knowledge_model import AnchorState
from paparatsd.store.reader import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from paparatsd.anchor_history import Gone
    from paparatsd.answerable import Answerable
    from paparatsd.history_service import HistoryService
    from paparatsd.knowledge_model import (
        AnchorCheck,
        Card,
        CardHit,
    )
    from paparatsd.search.scope import ProjectScope

log = structlog.get_logger()

S = TypeVar("S")
T = TypeVar("T")

MAX_CHECKED = 200
"""Files and anchors that are looked at for one answer."""
CHECK_S = 5.0
MAX_MOVED = 2_000
"""Files and anchors that are looked at for whether they are the file that is asked about now."""
MOVED_S = 1.0
MAX_LOGS = 16
"""Changed places of one answer whose history is told."""
LOGS_S = 4.0


class AnchorChecks:
    """Takes and checks what cards name."""

    def __init__(self, catalog: Path, answerable: Answerable, history: HistoryService) -> None:
        self._catalog = catalog
        self._answerable = answerable
        self._history = AnchorHistory(history, answerable)

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
                found = await look(self._catalog, projects, todo, take)
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
                found = await look(self._catalog, projects, todo, check)
        except (PaparatsError, TimeoutError) as error:
            why = str(error) or "the catalog did not answer in time"
            return tuple(hits), (f"What the cards name cannot be checked now: {why}",)
        since = [hit.card.updated for held, hit in zip(by_hit, hits, strict=True) for _ in held]
        told = iter(await self._with_history(found, since, projects))
        more = "one more card" if skipped == 1 else f"{skipped} more cards"
        notes = (f"What {more} named was not checked: list fewer at a time.",)
        return tuple(
            replace(hit, checks=tuple(next(told) for _ in held))
            for held, hit in zip(by_hit, hits, strict=True)
        ), notes if skipped else ()

    async def moved(
        self, cards: Sequence[Card], visible: frozenset[str] | None
    ) -> Mapping[str, frozenset[str]]:
        """Return by the id of a card the addresses to which what it names has moved, if any.

        Of the oldest cards only when they name very much; nothing when it cannot be said in time.
        """
        projects = self._projects(visible)
        todo = [
            (card.id, one)
            for card in cards
            for one in _held(
                card.group, card.project, Taken(card.file_anchors, card.anchors), projects
            )
            if one.anchor.digest
        ][:MAX_MOVED]
        try:
            async with asyncio.timeout(MOVED_S):
                held = [one for _, one in todo]
                found = await look(self._catalog, projects, held, check)
        except (PaparatsError, TimeoutError) as error:
            log.debug("moved_places_left_out", error=str(error))
            return {}
        went: dict[str, set[str]] = {}
        for (ident, _), one in zip(todo, found, strict=True):
            if one.check.state is AnchorState.MOVED and one.check.address:
                went.setdefault(ident, set()).add(one.check.address)
        return {ident: frozenset(addresses) for ident, addresses in went.items()}

    def _projects(self, visible: frozenset[str] | None) -> list[ProjectScope]:
        """Return the projects that can be looked at, of those that may be told of (None: all)."""
        there = self._answerable.everything().projects
        return [one for one in there if visible is None or one.name in visible]

    # ------------------------------------------------------------------ history

    async def _with_history(
        self, found: Sequence[Checked], since: Sequence[float], projects: Sequence[ProjectScope]
    ) -> list[AnchorCheck]:
        """Return the checks; they tell who changed a place, and where a file went, if known."""
        told = [one.check for one in found]
        asked = [at for at, one in enumerate(found) if one.gone or (one.spot and one.spot.start)]
        went: dict[int, Gone] = {}
        try:
            async with asyncio.timeout(LOGS_S):
                for at in asked[:MAX_LOGS]:
                    with contextlib.suppress(PaparatsError):  # one place that git knows nothing of
                        await self._ask(found[at], since[at], at, told, went)
                return await self._followed(told, went, found, projects)
        except (PaparatsError, TimeoutError) as error:
            log.debug("anchor_history_left_out", error=str(error))
        return told

    async def _ask(
        self,
        one: Checked,
        since: float,
        at: int,
        told: list[AnchorCheck],
        went: dict[int, Gone],
    ) -> None:
        """Put what history tells of one anchor in its place."""
        if one.spot is not None:
            told[at] = with_detail(told[at], await self._history.changed(one.spot, since))
        elif one.gone is not None:
            went[at] = await self._history.gone(*one.gone)

    async def _followed(
        self,
        told: list[AnchorCheck],
        went: Mapping[int, Gone],
        found: Sequence[Checked],
        projects: Sequence[ProjectScope],
    ) -> list[AnchorCheck]:
        """Return the checks with what became of files that are no more."""
        places = {at: one.gone for at, one in enumerate(found) if one.gone is not None}
        asked = [(at, places[at][0], gone) for at, gone in went.items() if gone.sentence]
        spots = await look(
            self._catalog, projects, asked, lambda view, one: view.path(one[1], one[2].path)
        )
        for (at, _, gone), spot in zip(asked, spots, strict=True):
            if spot is None:
                told[at] = with_detail(told[at], gone.sentence)
            else:
                detail = f"It is {spot.path} now. {gone.sentence}"
                told[at] = replace(
                    told[at], state=AnchorState.MOVED, address=spot.address, detail=detail
                )
        return told


def _held(
    group: str, project: str | None, named: Taken, projects: Sequence[ProjectScope]
) -> list[Held]:
    """Return what a card names; what a group's card names may be any project's of it."""
    beside: list[str] = [one.name for one in projects if one.group == group]
    reach = frozenset(one.name for one in projects)
    own = beside if project is None else [project]
    return hold(named.files, named.anchors, own, reach)


async def look(
    catalog: Path,
    projects: Sequence[ProjectScope],
    asked: Sequence[S],
    work: Callable[[CodeView, S], T],
) -> list[T]:
    """Do the work on each, all of one state of the catalog.

    It ends soon after whoever waits for it has given up: a thread cannot be cancelled.
    """
    shown: dict[str, Shown] = {
        project.name: Shown(project.project_id, complete=project.building is None)
        for project in projects
    }

    given_up = threading.Event()

    def each(view: CodeView) -> Iterator[T]:
        for one in asked:
            if given_up.is_set():
                return
            yield work(view, one)

    def run() -> list[T]:
        reader = CatalogReader(catalog)
        try:
            with reader.snapshot():
                view = CodeView(reader, shown)
                prepare(view, [one for one in asked if isinstance(one, Held)])
                return list(each(view))
        finally:
            reader.close()

    if not asked:
        return []
    try:
        return await asyncio.to_thread(run)
    finally:
        given_up.set()

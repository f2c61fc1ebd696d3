"""Work trees that people add to registered repositories: taken in, or offered; and let go."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import PaparatsError
from paparatsd.naming import MAX_NAME_CHARS
from paparatsd.sources.worktrees import linked_worktrees

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from pathlib import Path

    from paparatsd.model import ProjectEntry
    from paparatsd.roster import Roster
    from paparatsd.sessions import ProjectSession

log = structlog.get_logger()


class WorktreeFollower:
    """Compares the linked work trees of registered repositories with the list of projects.

    `mode`: "add" registers what appears and forgets it when it is removed with git, "offer" only
    names it, "off" does nothing. What a person has registered is never forgotten here.
    """

    def __init__(
        self,
        roster: Roster,
        mode: str,
        add: Callable[[Path, str, ProjectEntry], Awaitable[None]],
        remove: Callable[[ProjectEntry], Awaitable[None]],
    ) -> None:
        """`add` is given root, name and the project that it is a work tree of."""
        self._roster = roster
        self._mode = mode
        self._add = add
        self._remove = remove
        self.offers: tuple[str, ...] = ()

    async def follow(self) -> bool:
        """Look once at all registered repositories; True when git is adding a work tree to one.

        That is taken in when git has written its files, so it is worth looking again soon.
        """
        if self._mode == "off":
            return False
        is_adding = False
        sessions = self._roster.sessions()
        registered = {session.root.resolve() for session in sessions}
        offers: list[str] = []
        linked: dict[Path, frozenset[Path]] = {}
        for session in sessions:
            common = session.checkout.common_dir if session.checkout is not None else None
            if common is None or common in linked or not session.checkout or session.entry.remote:
                continue
            found = await asyncio.to_thread(linked_worktrees, common)
            if found is None:
                continue
            linked[common] = found.roots | found.locked
            if found.is_adding and self._mode == "add":
                is_adding = True
                session.expect_files()
            prefix = session.checkout.prefix
            roots = sorted(root / prefix for root in found.roots)
            for root in (one for one in roots if one not in registered and one.is_dir()):
                offers += await self._take(root, session)
        self.offers = tuple(offers)
        if self._mode == "add":
            await self._let_go(sessions, linked)
        return is_adding

    async def _take(self, root: Path, beside: ProjectSession) -> list[str]:
        if self._mode == "offer":
            return [f"{root} is a work tree of {beside.name}: `paparats add {root}` indexes it"]
        taken = {session.name for session in self._roster.sessions()}
        name = _free_name(f"{beside.name}-{_short(root, beside)}", taken)
        try:
            await self._add(root, name, beside.entry)
            log.info("worktree_added", project=name, root=str(root))
        except PaparatsError as error:
            return [f"{root} is a work tree of {beside.name} and cannot be added: {error}"]
        return []

    async def _let_go(
        self, sessions: Iterable[ProjectSession], linked: dict[Path, frozenset[Path]]
    ) -> None:
        """Forget those added here whose directory is gone, but not where it is locked: kept."""
        by_name = {session.name: session for session in sessions}
        for session in by_name.values():
            parent = by_name.get(session.entry.worktree_of) if session.entry.worktree_of else None
            checkout = parent.checkout if parent is not None else None
            if checkout is None or checkout.common_dir not in linked or session.root.exists():
                continue
            if not any(session.root.is_relative_to(one) for one in linked[checkout.common_dir]):
                await self._remove(session.entry)
                log.info("worktree_removed", project=session.name, root=str(session.root))


def _short(root: Path, beside: ProjectSession) -> str:
    """Return what tells a work tree from its sibling: its directory's name."""
    prefix = beside.checkout.prefix if beside.checkout is not None else ""
    top = root.parents[prefix.count("/")] if prefix else root
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", top.name).strip("-")
    return name.removeprefix(f"{beside.name}-") or "worktree"


def _free_name(wanted: str, taken: Iterable[str]) -> str:
    wanted = wanted[: MAX_NAME_CHARS - 4]
    names = set(taken)
    number, name = 1, wanted
    while name in names:
        number += 1
        name = f"{wanted}-{number}"
    return name

"""What is said of projects and processes when somebody asks how things are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paparatsd.model import ProjectState
from paparatsd.status_model import ProjectStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from paparatsd.history.keeper import HistoryKeeper
    from paparatsd.indexing.ledger import Ledger
    from paparatsd.model import ProjectName
    from paparatsd.model_roles.roles import ModelRoles
    from paparatsd.project_hooks import ProjectHooks
    from paparatsd.session_parts import Snapshot
    from paparatsd.sessions import ProjectSession
    from paparatsd.status_model import RemoteStatus


NO_HOOKS = "absent"
"""In a clone of ours, and in what is pushed, nobody commits."""


class Statuses:
    """Puts together what the parts know of a project."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        hooks: ProjectHooks,
        history: HistoryKeeper,
        models: ModelRoles,
        remote_of: Callable[[ProjectName], RemoteStatus | None],
    ) -> None:
        self._ledger = ledger
        self._hooks = hooks
        self._history = history
        self._models = models
        self._remote_of = remote_of

    async def of(self, sessions: Sequence[ProjectSession]) -> tuple[ProjectStatus, ...]:
        """Return the status of each project, in their order."""
        # States first: a commit in between may make the counts newer than the state, never older.
        states = [session.snapshot() for session in sessions]
        totals = await self._ledger.totals()
        return tuple(
            self._status_of(session, now, totals)
            for session, now in zip(sessions, states, strict=True)
        )

    def _status_of(
        self, session: ProjectSession, now: Snapshot, totals: Mapping[int, Any]
    ) -> ProjectStatus:
        total = totals.get(now.project_id)
        kept_by_us = session.entry.remote is not None or session.entry.pushed
        fresh = session.freshness()
        state, reason, vectors_left = now.state, now.reason, 0
        if now.repo is not None:
            vectors_left = self._models.pending(self._models.shard(now.repo))
        if vectors_left and state is ProjectState.READY:
            state = ProjectState.INDEXING
            reason = f"words are indexed, vectors of {vectors_left} files are still to come"
        return ProjectStatus(
            name=session.name,
            root=session.entry.path,
            group=session.entry.group,
            repo=now.repo,
            branch=now.head.branch,
            head=now.head.commit,
            state=state,
            reason=reason,
            generation=now.generation,
            files=total.files if total is not None else 0,
            chunks=total.chunks if total is not None else 0,
            skipped=sum(total.skipped.values()) if total is not None else 0,
            pending=now.pending + vectors_left,
            languages=dict(total.languages) if total is not None else {},
            freshness=fresh.state,
            checked_at=now.checked_at,
            watching=session.watching,
            hooks=NO_HOOKS if kept_by_us else self._hooks.state_of(session.name),
            progress=now.progress,
            history=self._history.status(now.project_id, (now.generation, now.head.commit)),
            remote=self._remote_of(session.name),
            pushed=session.entry.pushed,
        )


def machine_memory() -> int:
    """Return the bytes of memory that the machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def memory_of(processes: Mapping[str, int]) -> dict[str, int]:
    """Return resident bytes by process name; what cannot be read is left out."""
    page = os.sysconf("SC_PAGE_SIZE")
    sizes: dict[str, int] = {}
    for name, pid in processes.items():
        try:
            fields = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
        except OSError:
            continue
        sizes[name] = int(fields[1]) * page
    return sizes

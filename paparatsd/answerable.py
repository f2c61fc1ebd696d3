"""Which projects a question is about: those that it names, of those that are answered about."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from paparatsd.errors import UnknownProject
from paparatsd.search.scope import ProjectScope, Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from paparatsd.model import GroupName, ProjectName, RepoId, ShardKey
    from paparatsd.place_labels import ProjectLabels
    from paparatsd.roster import Roster
    from paparatsd.session_parts import Snapshot
    from paparatsd.sessions import ProjectSession
    from paparatsd.settings import SearchSettings

NONE_REGISTERED = "No project is registered"
"""How the note begins that an answer has when no project was there to be searched."""


def only_these(allowed: Sequence[str]) -> str:
    """Return the sentence that names the projects which are answered about, and no other."""
    names = ", ".join(allowed)
    return f"this daemon answers for these projects only (search.allowed_projects): {names}"


def check_answerable(
    names: Collection[str], registered: Collection[str], allowed: Sequence[str]
) -> None:
    """Refuse projects that are not answered about, in the same words whether they exist or not.

    Raises UnknownProject, for one that is not registered too; never names a project outside
    `allowed`. An empty `allowed` is all.
    """
    for name in names:
        if allowed and name not in allowed:
            raise UnknownProject(f"no project named {name!r} here: {only_these(allowed)}")
        if name not in registered:
            ours = sorted(one for one in registered if not allowed or one in allowed)
            known = ", ".join(ours) or "none is registered"
            raise UnknownProject(f"no project named {name!r} (projects: {known})")


def notes_on_scope(
    notes: tuple[str, ...], allowed: Sequence[str], *, empty: bool
) -> tuple[str, ...]:
    """Return the notes of an answer; an `empty` scope is said to be one, not a lack of projects."""
    if not (empty and allowed):
        return notes
    others = [note for note in notes if not note.startswith(NONE_REGISTERED)]
    return (f"Nothing was searched: {only_these(allowed)}.", *others)


class Answerable:
    """The projects that are answered about; all unless `search.allowed_projects` names some.

    `settings` gives those that hold now.
    """

    def __init__(
        self,
        roster: Roster,
        shard_of: Callable[[RepoId], ShardKey],
        settings: Callable[[], SearchSettings],
    ) -> None:
        self._roster = roster
        self._shard_of = shard_of
        self._settings = settings

    def has(self, name: ProjectName) -> bool:
        """Say whether a project of this name is answered about."""
        allowed = self._settings().allowed_projects
        return not allowed or name in allowed

    def allowed(self) -> tuple[str, ...]:
        """Return the projects that may be answered about; empty for all."""
        return self._settings().allowed_projects

    def noted(self, notes: tuple[str, ...], scope: Scope) -> tuple[str, ...]:
        """Return the notes of an answer over a scope."""
        return notes_on_scope(notes, self._settings().allowed_projects, empty=not scope.projects)

    def select(
        self, projects: tuple[ProjectName, ...], groups: tuple[GroupName, ...]
    ) -> tuple[ProjectSession, ...]:
        """Return the sessions of the projects in the groups; empty is no restriction.

        Raises UnknownProject.
        """
        sessions = self._roster.sessions()
        ours = [one for one in sessions if self.has(one.name)]
        known_groups = {session.entry.group for session in ours}
        unknown = sorted(set(groups) - known_groups)
        if unknown:
            known = ", ".join(sorted(known_groups)) or "none"
            raise UnknownProject(f"no group named {unknown[0]!r} (groups: {known})")
        registered = {session.name for session in sessions}
        check_answerable(projects, registered, self._settings().allowed_projects)
        chosen = [
            session
            for session in ours
            if (not projects or session.name in projects)
            and (not groups or session.entry.group in groups)
        ]
        return tuple(chosen)

    async def verify(self, sessions: tuple[ProjectSession, ...]) -> frozenset[ProjectName]:
        """Compare with the disk, within the deadline; returns the projects that were verified."""
        tasks = {asyncio.create_task(item.verify()): item.name for item in sessions}
        if not tasks:
            return frozenset()
        done, late = await asyncio.wait(tasks, timeout=self._settings().fresh_deadline_s)
        for task in late:
            task.cancel()
        return frozenset(tasks[task] for task in done if task.exception() is None)

    def scope(
        self, sessions: tuple[ProjectSession, ...], verified: frozenset[ProjectName] = frozenset()
    ) -> Scope:
        """Return where to look, at the generations of now; what is not open yet is left out."""
        scopes = []
        for session in sessions:
            now = session.snapshot()
            if now.repo is None or now.project_id == 0:
                continue
            freshness = session.freshness(verified=session.name in verified)
            scopes.append(
                ProjectScope(
                    project_id=now.project_id,
                    name=session.name,
                    group=session.entry.group,
                    repo=now.repo,
                    shard=self._shard_of(now.repo),
                    generation=now.generation,
                    freshness=freshness,
                    building=_building(now),
                )
            )
        return Scope(tuple(scopes))

    def labels(self) -> dict[ProjectName, ProjectLabels]:
        """Return what projects call themselves and their parts, of those that do."""
        told = {one.name: one.labels for one in self._roster.sessions()}
        return {name: labels for name, labels in told.items() if labels and self.has(name)}

    def everything(self) -> Scope:
        """Return the scope of all projects that are answered about."""
        return self.scope(self.select((), ()))


def _building(now: Snapshot) -> tuple[int, int] | None:
    """Say how far the first index is: (files done, files in all), else None."""
    if not now.first or now.progress is None:
        return None
    return now.progress.files_done, now.progress.files_total

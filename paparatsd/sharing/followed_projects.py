"""The projects of a daemon that only searches: what others publish, under names of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import BadQuery
from paparatsd.model import GroupName, ProjectEntry, ProjectName
from paparatsd.naming import check_group_name, check_project_name
from paparatsd.project_entries import Registry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paparatsd.model import RemoteSpec
    from paparatsd.store.server_presence import Installation
    from paparatsd.store.shared_index import SharedProject

log = structlog.get_logger()

MAX_NAME = 80


@dataclass(frozen=True, slots=True)
class Followed:
    """One project as its installation publishes it, under the name that it has here."""

    name: ProjectName
    project: SharedProject

    @property
    def entry(self) -> ProjectEntry:
        """The project as a registered one; its path says where it is indexed."""
        one = self.project
        return ProjectEntry(self.name, f"{one.host}:{one.root}", GroupName(one.group), hooks=False)


def named(
    projects: Iterable[SharedProject], known: Mapping[tuple[str, str], str]
) -> list[Followed]:
    """Give each project a name that no other one has: its own, else with its installation's.

    `known` has names given before, by installation and own name: they stay.
    """
    found, taken = [], set(known.values())
    for one in projects:
        if not _is_plain(one):
            log.warning("published_project_ignored", owner=one.owner, name=one.name)
            continue
        name = known.get((one.owner, one.name), "")
        if not name:
            name = one.name if one.name not in taken else f"{one.name[:MAX_NAME]}-{one.owner[:6]}"
            taken.add(name)
        found.append(Followed(ProjectName(name), one))
    return found


def _is_plain(one: SharedProject) -> bool:
    """Whether a project may have its name and its group; others may write to the server."""
    try:
        check_project_name(one.name)
        check_group_name(one.group)
    except BadQuery:
        return False
    return True


def chosen(installations: Sequence[Installation], follow: Sequence[str]) -> list[Installation]:
    """Return who publishes, of those that are named by host or by how their id begins."""
    return [
        one
        for one in installations
        if one.publishes
        and (not follow or any(one.host == who or one.owner.startswith(who) for who in follow))
    ]


class FollowedProjects:
    """In the place of `ProjectsFile`: the list is what others publish, and not edited here."""

    def __init__(self, entries: Sequence[ProjectEntry], home: Path = Path("/")) -> None:
        """`entries` are those of the catalog; they hold until the server was asked."""
        self.home = home
        self._registry = Registry(tuple(entries), problems=("the server was not asked yet",))
        self._moved = False

    @property
    def registry(self) -> Registry:
        """The list; what is wrong with it is said by the follower."""
        return Registry(self._registry.entries)

    def replace(self, entries: Sequence[ProjectEntry]) -> bool:
        """Take a new list; return whether it is another one."""
        fresh = Registry(tuple(entries))
        self._moved = self._moved or fresh != self._registry
        self._registry = fresh
        return self._moved

    def changed(self) -> bool:
        """Return whether the list is another one than was read last."""
        return self._moved

    def doubt(self) -> None:
        """Do nothing: there is no file to read again."""

    def read(self) -> Registry:
        """Return the list; with a problem before the server was asked, so that nothing is lost."""
        self._moved = False
        return self._registry

    def add(
        self,
        path: str,
        *,
        name: str | None = None,
        group: str | None = None,
        hooks: bool = True,
        worktree_of: str | None = None,
    ) -> ProjectEntry:
        """Refuse: nothing is indexed here."""
        raise BadQuery(
            f"{path} cannot be added: this daemon only searches what others index "
            "(index.enabled is off); add it where it is indexed"
        )

    def add_remote(
        self, spec: RemoteSpec, *, name: str | None = None, group: str | None = None
    ) -> ProjectEntry:
        """Refuse: nothing is indexed here."""
        return self.add(spec.url)

    def add_pushed(self, name: str, group: str) -> ProjectEntry:
        """Refuse: nothing is indexed here."""
        return self.add(name)

    def remove(self, name: str) -> ProjectEntry:
        """Refuse: the list is others'."""
        raise BadQuery(
            f"{name} cannot be removed here: it is indexed elsewhere; name in store.follow whose "
            "projects are to be shown, or in search.allowed_projects which"
        )

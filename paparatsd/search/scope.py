"""Where a search looks: the projects, pinned at the generation they have when it begins."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paparatsd.model import Freshness, GroupName, ProjectName, RepoId, ShardKey


@dataclass(frozen=True, slots=True)
class ProjectScope:
    """One project of a scope. `building` is (files done, files in all) during a first index.

    `only`: by version the numbers of the chunks that may be found, None for all: what a filter by
    history has let through.
    """

    project_id: int
    name: ProjectName
    group: GroupName
    repo: RepoId
    shard: ShardKey
    generation: int
    freshness: Freshness
    building: tuple[int, int] | None = None
    only: Mapping[int, frozenset[int]] | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class Scope:
    """All projects that a search covers, ordered by name; they form one corpus."""

    projects: tuple[ProjectScope, ...]

    @property
    def key(self) -> tuple[tuple[int, int, ShardKey], ...]:
        """Equal keys mean equal answers: each project's id, generation and shard."""
        return tuple((one.project_id, one.generation, one.shard) for one in self.projects)

    def only_of(self, name: ProjectName) -> Scope:
        """Return the scope of one of the projects."""
        return Scope(tuple(project for project in self.projects if project.name == name))

    @property
    def limited(self) -> bool:
        """Whether some project may be found in part only."""
        return any(project.only is not None for project in self.projects)

"""Where a search looks: the projects, pinned at the generation they have when it begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paparatsd.model import Freshness, GroupName, ProjectName, RepoId, ShardKey


@dataclass(frozen=True, slots=True)
class ProjectScope:
    """One project of a scope. `building` is (files done, files in all) during a first index."""

    project_id: int
    name: ProjectName
    group: GroupName
    repo: RepoId
    shard: ShardKey
    generation: int
    freshness: Freshness
    building: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """All projects that a search covers, ordered by name; they form one corpus."""

    projects: tuple[ProjectScope, ...]

    @property
    def key(self) -> tuple[tuple[int, int], ...]:
        """Equal keys mean equal answers: each project's id and generation."""
        return tuple((project.project_id, project.generation) for project in self.projects)

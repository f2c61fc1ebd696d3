"""What the daemon tells the graph process with each question: the projects it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paparatsd.model import GroupName, ProjectName


@dataclass(frozen=True, slots=True)
class GraphProject:
    """One project at the generation that the answer is to reflect, or a later one.

    `asked` is False for projects of the same group that are only looked at for what they provide.
    """

    project_id: int
    name: ProjectName
    group: GroupName
    generation: int
    asked: bool = True

"""What the daemon tells the graph process with a question beyond what was asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paparatsd.graph_model import ChangedRequest
    from paparatsd.model import GroupName, ProjectName


@dataclass(frozen=True, slots=True)
class GraphProject:
    """One project at the generation that the answer is to reflect, or a later one.

    `asked` is False for projects of the same group that are only looked at for what they provide
    to those asked about, or use of them.
    """

    project_id: int
    name: ProjectName
    group: GroupName
    generation: int
    asked: bool = True


@dataclass(frozen=True, slots=True)
class FileTexts:
    """One file before and after a change; None where it is not there."""

    project: ProjectName
    path: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class ChangedTexts:
    """The texts to compare for a `ChangedRequest`; `against` and `total` go into the answer."""

    request: ChangedRequest
    against: str
    files: tuple[FileTexts, ...]
    total: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What a search has found: lines of a file, and the symbol that they are named after."""

    project: ProjectName
    path: str
    start_line: int
    end_line: int
    symbol: str | None

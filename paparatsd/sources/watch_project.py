"""One project as the hub knows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from paparatsd.sources.watch_place import Survey
    from paparatsd.sources.watch_route import ProjectRoute


@dataclass(slots=True)
class WatchedProject:
    """What is declared for one project and how far it is done.

    `covered`: all of it is watched. `limited`: why that cannot be, `git_limited`: not even git's
    directories. `blame` counts the failures of the source that it caused. `surveyed`: `survey`
    reflects what is declared and what is known to have moved.
    """

    route: ProjectRoute
    declared_root: Path
    git_paths: tuple[Path, ...]
    survey: Survey | None = None
    covered: bool = False
    limited: str = ""
    git_limited: bool = False
    blame: int = 0
    surveyed: bool = False
    switched_off: str = ""

    @property
    def polled(self) -> str:
        """Why the project is polled, or ""."""
        if self.switched_off:
            return self.switched_off
        if self.survey is not None and self.survey.unwatchable:
            return self.survey.unwatchable
        return self.limited

    def wanted(self) -> frozenset[str]:
        """Return the directories to watch for it, absolute; git's own even when it is polled."""
        if self.survey is None or self.switched_off:
            return frozenset()
        git = frozenset() if self.git_limited else frozenset(self.survey.git)
        return git if self.limited else self.survey.directories | git

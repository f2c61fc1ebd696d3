"""What went wrong with git, and to whom it may be told."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from paparatsd.history.project import ProjectHistory


class Trouble(NamedTuple):
    """What git said, and of which project's clone: others need not know where that is."""

    text: str
    project: ProjectHistory | None

    def __bool__(self) -> bool:
        """Say whether there is any."""
        return bool(self.text)

    def told_to(self, project: ProjectHistory) -> str:
        """Return what may be said of it where another project's history is told."""
        if self.project is None or self.project is project:
            return self.text
        return "git could not be read in another clone or work tree of this repository"


NO_TROUBLE = Trouble("", None)
"""Nothing went wrong."""

"""Places in files as JSON: how hits, symbols and what a commit touched say where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from paparatsd.model import ProjectName
    from paparatsd.place_labels import PlaceLabels


class Placed(Protocol):
    """What stands in some lines of a file, numbered from 1, the last one included."""

    @property
    def project(self) -> ProjectName | str:
        """Whose file it is."""

    @property
    def path(self) -> str:
        """The file, relative to the root of the project."""

    @property
    def start_line(self) -> int:
        """The first line."""

    @property
    def end_line(self) -> int:
        """The last line."""

    @property
    def address(self) -> str:
        """How to ask for it again."""


def place_json(placed: Placed) -> dict[str, Any]:
    """Return where something is."""
    return {
        "project": placed.project,
        "path": placed.path,
        "start_line": placed.start_line,
        "end_line": placed.end_line,
        "address": placed.address,
    }


def labels_json(labels: PlaceLabels) -> dict[str, Any]:
    """Return what the project's own file calls a place; empty for one of which it says nothing."""
    if not labels:
        return {}
    return {
        "service": labels.service or None,
        "bounded_context": labels.context or None,
        "tags": list(labels.tags),
    }

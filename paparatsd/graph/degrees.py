"""How widely names are used: what makes a definition a hub."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.graph.files import CALLABLE, TYPES

if TYPE_CHECKING:
    from paparatsd.graph.source import Tree
    from paparatsd.store.reader import CatalogReader

MIN_HUB_FILES = 5
HUB_SHARE = 0.95
"""A hub is used by more files than this share of the functions and types of its project."""


@dataclass(frozen=True, slots=True)
class Degrees:
    """What a hub is in a project that had `files` files when it was counted."""

    files: int
    threshold: float


def read_degrees(reader: CatalogReader, tree: Tree) -> Degrees:
    """Count for each function and type by how many files its name is used."""
    defined, used = reader.name_counts(tree.project_id, sorted(CALLABLE | TYPES))
    degrees = sorted(
        share(used.get(name, 0), times) for name, times in defined.items() for _ in range(times)
    )
    at = min(int(HUB_SHARE * len(degrees)), len(degrees) - 1)
    return Degrees(len(tree.paths), max(degrees[at] if degrees else 0.0, MIN_HUB_FILES))


def share(files: int, definitions: int) -> float:
    """Return by how many files one of several definitions of a name is used, on average."""
    return files / max(definitions, 1)

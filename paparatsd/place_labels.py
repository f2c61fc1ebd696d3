"""What a project's own file calls its parts: service, bounded context, tags.

Nothing of it is stored with chunks, so a changed label needs no file to be read again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_PLAIN_FOLDERS = frozenset({"src", "lib", "app", "pkg", "internal", "cmd", "packages"})
"""Folders that say how a project is laid out, not what is in them."""


@dataclass(frozen=True, slots=True)
class PlaceLabels:
    """What one file belongs to; the service and the context are "" where none is named."""

    service: str = ""
    context: str = ""
    tags: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Say whether anything is named."""
        return bool(self.service or self.context or self.tags)


@dataclass(frozen=True, slots=True)
class ProjectLabels:
    """What a project says of itself, and tags by folder (relative, POSIX, "." for all)."""

    service: str = ""
    context: str = ""
    tags: tuple[str, ...] = ()
    folders: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def __bool__(self) -> bool:
        """Say whether anything is named."""
        return bool(self.service or self.context or self.tags or self.folders)

    @property
    def part_of(self) -> str:
        """The service, else the bounded context, else ""."""
        return self.service or self.context

    def of(self, path: str) -> PlaceLabels:
        """Return the labels of a file; of a project that names none, none.

        Its tags are those of the project, those of the folders it lies in, and its top folder when
        that is more than a layout.

        >>> ProjectLabels(tags=("core",), folders={"billing": ("money",)}).of("billing/tax.py").tags
        ('core', 'money', 'billing')
        """
        if not self:
            return NO_LABELS
        inside = PurePosixPath(path).parts[:-1]
        tags = list(self.tags)
        for folder, named in self.folders.items():
            parts = PurePosixPath(folder).parts
            if inside[: len(parts)] == parts:
                tags += named
        tags += next(([part] for part in inside if part not in _PLAIN_FOLDERS), [])
        return PlaceLabels(self.service, self.context, tuple(dict.fromkeys(tags)))


NO_LABELS = PlaceLabels()
NOTHING_SAID = ProjectLabels()

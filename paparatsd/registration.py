"""Which directories an agent may have registered, and under which name.

A person may register what `project_paths` allows. What an agent names comes from a model, perhaps
from a text that a stranger wrote: it has to lie in a folder that the settings name, must not be
hidden, and never holds projects that are registered already. Looks at the disk.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery
from paparatsd.naming import default_project_name
from paparatsd.project_paths import check_directory, check_project_path

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from paparatsd.model import ProjectEntry

SETTING = "projects.allowed_roots"


def registrable(
    text: str, roots: Sequence[str], home: Path, entries: Iterable[ProjectEntry]
) -> Path:
    """Return the directory that is registered when an agent names `text`.

    That is the root of the repository in which it lies, or itself outside of any. `roots` are the
    folders in which agents may register, `~` for `home`. Raises BadQuery.
    """
    path = check_project_path(text, home)
    check_directory(path)
    allowed = [_folder(root, home) for root in roots]
    holding = [root for root in allowed if path.is_relative_to(root)]
    if not holding:
        raise BadQuery(f"{path} is not indexed, and {_outside(roots)}; {_by_hand(path)}")
    outermost = min(holding, key=lambda root: len(root.parts))
    top = _checkout_top(path, outermost, home)
    nearest = max(holding, key=lambda root: len(root.parts))
    if _is_hidden(top, nearest) and not (top / ".git").exists():
        raise BadQuery(
            f"{top} is not indexed, and it is hidden or in a hidden folder: "
            f"no agent may register it; {_by_hand(top)}"
        )
    check_holds_none(top, entries)
    return top


def check_holds_none(top: Path, entries: Iterable[ProjectEntry]) -> None:
    """Raise BadQuery when a directory holds projects that are registered on their own."""
    inside = sorted(entry.name for entry in entries if _is_inside(entry.path, top))
    if inside:
        raise BadQuery(
            f"{top} holds projects that are registered on their own ({', '.join(inside[:8])}): "
            "give the directory of one of them"
        )


def free_name(root: Path, taken: Collection[str]) -> str:
    """Return a name for a project at `root`: its last part, told apart when that is taken."""
    name = default_project_name(root.name)
    if name not in taken:
        return name
    longer = default_project_name(f"{root.parent.name}-{root.name}")
    if longer not in taken:
        return longer
    return f"{name}-{hashlib.sha256(str(root).encode()).hexdigest()[:8]}"


def _folder(root: str, home: Path) -> Path:
    if root == "~" or root.startswith("~/"):
        root = str(home) + root[1:]
    return Path(os.path.realpath(root))


def _checkout_top(path: Path, outermost: Path, home: Path) -> Path:
    """Return the root of the repository that `path` lies in, not above an allowed folder."""
    for folder in (path, *path.parents):
        if folder == home or not folder.is_relative_to(outermost):
            break
        if (folder / ".git").exists():
            return folder
    return path


def _is_hidden(path: Path, root: Path) -> bool:
    parts = path.relative_to(root).parts if path.is_relative_to(root) else ()
    return any(part.startswith(".") for part in parts)


def _is_inside(path: str, folder: Path) -> bool:
    return path != str(folder) and Path(path).is_relative_to(folder)


def _outside(roots: Sequence[str]) -> str:
    if not roots:
        return f"agents register nothing here ({SETTING} is empty)"
    return f"agents register only what lies in {', '.join(roots)} ({SETTING})"


def _by_hand(path: Path) -> str:
    return f"a person can: paparats add {path}"

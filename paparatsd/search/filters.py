"""Which versions a search may find: path, language and project filters as sets of versions.

Filters act inside recall, never on what recall has cut already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paparatsd.model import VersionFilter
from paparatsd.sources.globs import PathMatcher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.search.views import ProjectView

LANGUAGE_ALIASES = {
    "c++": ("cpp",),
    "c#": ("csharp", "c_sharp"),
    "cs": ("csharp", "c_sharp"),
    "csharp": ("csharp", "c_sharp"),
    "ex": ("elixir",),
    "golang": ("go",),
    "hs": ("haskell",),
    "javascript": ("javascript", "jsx"),
    "js": ("javascript", "jsx"),
    "kt": ("kotlin",),
    "md": ("markdown",),
    "py": ("python",),
    "rb": ("ruby",),
    "rs": ("rust",),
    "sh": ("bash",),
    "shell": ("bash",),
    "ts": ("typescript", "tsx"),
    "typescript": ("typescript", "tsx"),
    "yml": ("yaml",),
}
"""What people call languages, besides the names that the chunker uses."""


def language_names(wanted: Sequence[str]) -> frozenset[str]:
    """Return the chunker's names of the languages asked for."""
    low = [name.strip().lower() for name in wanted]
    return frozenset(one for name in low for one in LANGUAGE_ALIASES.get(name, (name,)))


def allowed_rows(
    view: ProjectView, paths: tuple[str, ...], languages: tuple[str, ...]
) -> NDArray[np.bool_]:
    """Return which rows of the view the filters let through."""
    allowed = np.ones(len(view.paths), np.bool_)
    if languages:
        names = language_names(languages)
        codes = [code for code, name in enumerate(view.language_names) if name in names]
        allowed &= np.isin(view.languages, codes)
    if paths:
        matcher = PathMatcher(paths)
        rows = np.flatnonzero(allowed)
        for row in rows.tolist():
            allowed[row] = matcher.matches(view.paths[row])
    return allowed


def version_filter(stored: NDArray[np.int64], allowed: NDArray[np.int64]) -> VersionFilter | None:
    """Return the shorter way to say "only `allowed`" to a shard that stores `stored`.

    None when nothing of the shard is allowed: it need not be asked.
    """
    inside = np.intersect1d(stored, allowed)
    if len(inside) == 0:
        return None
    outside = np.setdiff1d(stored, inside)
    if len(outside) <= len(inside):
        return VersionFilter(include=False, versions=outside)
    return VersionFilter(include=True, versions=inside)

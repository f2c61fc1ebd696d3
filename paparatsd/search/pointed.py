"""What a question points at expressly: files by their path, definitions by what qualifies them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.terms import term_id
from paparatsd.search.matching import member_mask
from paparatsd.search.places import named_rows
from paparatsd.search.spelling import qualified_share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.search.arena import Records
    from paparatsd.search.features import FileRow
    from paparatsd.search.matching import Definitions
    from paparatsd.search.query import Query
    from paparatsd.search.recall import Pinned
    from paparatsd.search.views import ProjectView

    Floats = NDArray[np.float64]
    Placed = dict[int, tuple[float, int]]

MAX_PLACED = 64
"""Files taken in because the question names them; a name like `index.ts` is that of many."""


def placed_files(query: Query, views: Sequence[ProjectView]) -> tuple[Placed, ...]:
    """Return per view: row -> (how surely the question means it, the line or 0)."""
    if not query.paths:
        return tuple({} for _ in views)
    out = []
    for view in views:
        found = named_rows(view.paths, query.paths)
        best = sorted(found, key=lambda row: (-found[row][0], row))[:MAX_PLACED]
        out.append({row: found[row] for row in best if found[row][0] > 0})
    return tuple(out)


def asked_lines(pinned: Pinned, files: Sequence[FileRow]) -> dict[int, tuple[int, ...]]:
    """Return the lines that the question gives for some of the files (their numbers)."""
    if not pinned.query.paths:
        return {}
    lines = {
        at: pinned.placed[file.view].get(file.row, (0.0, 0))[1] for at, file in enumerate(files)
    }
    return {at: (line,) for at, line in lines.items() if line > 0}


def pointed_features(
    pinned: Pinned,
    files: Sequence[FileRow],
    records: Records,
    definitions: Definitions,
) -> dict[str, Floats]:
    """Return how surely the question names each file, and whether it defines a qualified name."""
    path = np.zeros(len(files), np.float64)
    if pinned.query.paths:
        path[:] = [pinned.placed[file.view].get(file.row, (0.0, 0))[0] for file in files]
    return {
        "a_path": path,
        "a_owner": _owners(pinned.query, files, records, definitions),
    }


def _owners(
    query: Query,
    files: Sequence[FileRow],
    records: Records,
    definitions: Definitions,
) -> Floats:
    """Return the share of the qualifiers that stand around a definition of the asked name.

    Around it are the definitions that contain it, and the file's path: `http.Client` is the
    `Client` of `http/client.go` too.
    """
    out = np.zeros(len(files), np.float64)
    if not query.qualifiers or not query.names:
        return out
    hashes = np.array([term_id(name.lower()) for name in query.names], np.uint32)
    found = np.flatnonzero(member_mask(definitions.folded, hashes))
    for definition, file in zip(found.tolist(), definitions.files_of(found).tolist(), strict=True):
        one = records.open(file).definition(definition - int(definitions.starts[file]))
        share = qualified_share(query.qualifiers, one.qualified, files[file].path)
        out[file] = max(out[file], share)
    return out

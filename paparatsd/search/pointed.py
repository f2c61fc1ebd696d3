"""What a question points at expressly: files by their path, definitions by what qualifies them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.terms import term_id
from paparatsd.search.certain import (
    LIKELY,
    NOTHING_CERTAIN,
    POSSIBLE,
    SURE_LEAD,
    Certain,
    Lead,
    is_beside,
)
from paparatsd.search.matching import member_mask
from paparatsd.search.places import named_rows
from paparatsd.search.spelling import qualified_share
from paparatsd.search_model import Confidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.search.arena import Records
    from paparatsd.search.candidates import FileRow
    from paparatsd.search.matching import Definitions
    from paparatsd.search.places import Place
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


def certain_place(pinned: Pinned, files: Sequence[FileRow], records: Records) -> Certain:
    """Return the files that a question means which is a path and nothing else.

    First those that fit all of what is given: the path whole, its end, the line. Of several that
    fit equally the ones nearest to the root; code before what stands beside it.
    """
    query = pinned.query
    if not query.only_place:
        return NOTHING_CERTAIN
    fits = {
        at: _fit(file, query.paths, pinned.placed[file.view][file.row], records, at)
        for at, file in enumerate(files)
        if file.row in pinned.placed[file.view]
    }
    if not fits:
        return NOTHING_CERTAIN
    order = sorted(fits, key=lambda at: (fits[at], *_nearness(files[at])))
    best = fits[order[0]]
    equal = [at for at in order if fits[at] == best]
    wrong_folder, wrong_line, _ = best
    whole = SURE_LEAD if len(equal) == 1 and not (wrong_folder or wrong_line) else _LIKELY_LEAD
    leads = {at: whole if fits[at] == best else _POSSIBLE_LEAD for at in order}
    return Certain(leads, alone=True, note=_note(files[order[0]], len(equal), wrong_line))


_LIKELY_LEAD = Lead(LIKELY, Confidence.PARTIAL)
_POSSIBLE_LEAD = Lead(POSSIBLE, Confidence.LOW)


def _fit(
    file: FileRow, places: Sequence[Place], placed: tuple[float, int], records: Records, at: int
) -> tuple[float, bool, bool]:
    """Return how badly a file fits: folders that differ, a line it lacks, a path only in part."""
    sure, line = placed
    ends = records.open(at).chunk_lines[:, 1]
    path = file.path.lower()
    exact = any(place.path.lower() == path for place in places)
    inside = any(f"/{place.path.lower()}".endswith(f"/{path}") for place in places)
    # Outside of the root folders are called anything: the name and its folder are enough.
    enough = inside or any(sure * len(place.parts) > 1.5 for place in places)
    return (0.0 if enough else 1.0 - sure), line > int(ends.max(initial=0)), not (exact or inside)


def _nearness(file: FileRow) -> tuple[int, bool, str, int]:
    return file.path.count("/"), is_beside(file.path), file.path, file.view


def _note(first: FileRow, equal: int, wrong_line: bool) -> str | None:
    """Return what to tell of a place that is not just one."""
    if wrong_line:
        return f"No file of this name has so many lines as asked for, {first.path} neither."
    if equal > 1:
        return f"{equal} files are meant equally; a longer path says which."
    return None


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

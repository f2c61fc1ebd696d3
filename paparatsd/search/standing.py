"""What speaks for or against a file whatever is asked: its place, kind, language and size."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paparatsd.search.priors import Prior, path_priors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.chunks.record import RankRecord
    from paparatsd.search.features import FileRow
    from paparatsd.search.recall import Pinned

    Floats = NDArray[np.float64]

_KINDS = (
    ("p_test", Prior.TEST, "test"),
    ("p_docs", Prior.DOCS, "docs"),
    ("p_example", Prior.EXAMPLE, "example"),
    ("p_config", Prior.CONFIG, "config"),
    ("p_barrel", Prior.BARREL, ""),
    ("p_stub", Prior.STUB, ""),
)
"""Feature, what the path says, and the word by which a question asks for such files."""


DEEPEST = 8


def standing_features(
    pinned: Pinned, files: Sequence[FileRow], records: Sequence[RankRecord]
) -> dict[str, Floats]:
    """Return the priors; what the question asks for by word is not held against a file."""
    places = [place_of(file.path) for file in files]
    flags = np.array([place.flags for place in places], np.int64)
    about = pinned.query.about
    asked = np.zeros(len(files), np.float64)
    values: dict[str, Floats] = {}
    for name, prior, topic in _KINDS:
        has = np.asarray(flags & int(prior) != 0, np.float64)
        if topic in about:
            asked = np.maximum(asked, has)
            has = np.zeros(len(files), np.float64)
        values[name] = has
    values["p_asked"] = asked
    values["p_variant"] = _variants(pinned, files, flags)
    values["has_partner"] = np.zeros(len(files), np.float64)
    if "test" not in about:
        tests = np.flatnonzero(values["p_test"]).tolist()
        values["has_partner"][tests] = [_has_partner(pinned, files[at]) for at in tests]
    values["p_langshare"] = _language_shares(pinned, files)
    values["p_depth"] = np.array([place.depth for place in places], np.float64)
    values["p_commentfrac"] = np.array([record.comment_fraction for record in records], np.float64)
    values["p_logsize"] = np.log1p(np.array([record.size for record in records]) / 1_000.0)
    return values


def _has_partner(pinned: Pinned, file: FileRow) -> bool:
    return pinned.views[file.view].index.has_partner(file.path)


class Place(NamedTuple):
    """What a path says: the bits of `Prior`, and how deep it lies (at most DEEPEST)."""

    flags: int
    depth: int


@lru_cache(maxsize=1 << 16)
def place_of(path: str) -> Place:
    """Read a path."""
    return Place(path_priors(path), min(path.count("/"), DEEPEST))


def _variants(pinned: Pinned, files: Sequence[FileRow], flags: NDArray[np.int64]) -> Floats:
    """Return which files are a copy of something, or its edition for an older version."""
    about = pinned.query.about
    copies = Prior.VENDORED if "variant" in about else Prior.VENDORED | Prior.PLATFORM
    out = np.asarray(flags & int(copies) != 0, np.float64)
    if "variant" not in about:
        old = [view.index.outdated for view in pinned.views]
        if any(old):
            outdated = np.array([file.row in old[file.view] for file in files], np.float64)
            out = np.maximum(out, outdated)
    return out


def _language_shares(pinned: Pinned, files: Sequence[FileRow]) -> Floats:
    """Return the share of each file's language among the code files of its project."""
    shares = [view.language_shares for view in pinned.views]
    return np.array(
        [shares[file.view][pinned.views[file.view].languages[file.row]] for file in files],
        np.float64,
    )

"""What speaks for or against a file whatever is asked: its place, kind, language and size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paparatsd.chunks.priors import Prior
from paparatsd.search.arena import COMMENT_FRACTION, SIZE

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from paparatsd.search.arena import Records
    from paparatsd.search.candidates import Files
    from paparatsd.search.recall import Pinned
    from paparatsd.search.views import ProjectView

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
_NAMES = tuple(name for name, _, _ in _KINDS)
_BITS = np.array([[int(prior)] for _, prior, _ in _KINDS], np.int32)


def standing_features(pinned: Pinned, files: Files, records: Records) -> dict[str, Floats]:
    """Return the priors; what the question asks for by word is not held against a file."""
    places = _by_view(pinned, files, lambda view, rows: view.index.standing(rows))
    flags = places[:, 0]
    about = pinned.query.about
    asked = np.zeros(len(files), np.float64)
    values = dict(zip(_NAMES, (flags & _BITS != 0).astype(np.float64), strict=True))
    for name, _, topic in _KINDS:
        if topic in about:
            asked = np.maximum(asked, values[name])
            values[name] = np.zeros(len(files), np.float64)
    values["p_asked"] = asked
    values["p_variant"] = _variants(pinned, files, flags)
    tests = values["p_test"]  # zeros when tests are asked for
    values["has_partner"] = tests * places[:, 2]
    values["p_langshare"] = _by_view(
        pinned, files, lambda view, rows: view.language_shares[view.languages[rows]]
    )
    values["p_depth"] = places[:, 1].astype(np.float64)
    values["p_commentfrac"] = records.numbers[:, COMMENT_FRACTION]
    values["p_logsize"] = np.log1p(records.numbers[:, SIZE] / 1_000.0)
    return values


def _by_view(
    pinned: Pinned,
    files: Files,
    read: Callable[[ProjectView, NDArray[np.int64]], NDArray[Any]],
) -> NDArray[Any]:
    """Return what the views say of their files, in the order of the files."""
    rows = files.rows
    if len(pinned.views) == 1:
        return read(pinned.views[0], rows)
    parts = [
        (mine := np.flatnonzero(files.views == one), read(view, rows[mine]))
        for one, view in enumerate(pinned.views)
    ]
    order = np.concatenate([mine for mine, _ in parts])
    return np.concatenate([part for _, part in parts])[np.argsort(order, kind="stable")]


def _variants(pinned: Pinned, files: Files, flags: NDArray[np.int32]) -> Floats:
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

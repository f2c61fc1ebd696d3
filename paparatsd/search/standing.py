"""What speaks for or against a file whatever is asked: its place, kind, language and size."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
)
"""Feature, what the path says, and the word by which a question asks for such files."""


def standing_features(
    pinned: Pinned, files: Sequence[FileRow], records: Sequence[RankRecord]
) -> dict[str, Floats]:
    """Return the priors; what the question asks for by word is not held against a file."""
    flags = np.array([path_priors(file.path) for file in files], np.int64)
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
    values["has_partner"] = np.array(
        [
            "test" not in about
            and bool(flag & Prior.TEST)
            and pinned.views[file.view].index.has_partner(file.path)
            for file, flag in zip(files, flags.tolist(), strict=True)
        ],
        np.float64,
    )
    values["p_langshare"] = _language_shares(pinned, files)
    values["p_depth"] = np.array([min(file.path.count("/"), 8) for file in files], np.float64)
    values["p_commentfrac"] = np.array([record.comment_fraction for record in records], np.float64)
    values["p_logsize"] = np.log1p([record.size / 1_000.0 for record in records])
    return values


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

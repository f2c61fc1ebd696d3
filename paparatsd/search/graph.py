"""Who uses whom among the candidate files, and how much each file is used at all.

What the best matching files use belongs to the subject too, and a name that many files use is
worth more than one that nobody does. Frequencies of names are counts of the view, kept up to date
with each generation like those of words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.record import defined_ids, used_ids
from paparatsd.search.arena import USED
from paparatsd.search.matching import distinct, may_be_among, ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.search.arena import Records
    from paparatsd.search.candidates import Files
    from paparatsd.search.matching import Definitions
    from paparatsd.search.recall import Pinned
    from paparatsd.search.views import Corpus

    Floats = NDArray[np.float64]

LEADERS = 8
"""Files whose uses are followed."""
MOST_DEFINERS = 2
"""A name that more files define says little about which of them is meant."""
MOST_USERS, MOST_USERS_SHARE = 10, 0.3


def graph_features(
    pinned: Pinned,
    values: dict[str, Floats],
    files: Files,
    records: Records,
    definitions: Definitions,
) -> dict[str, Floats]:
    """Return how much the best files use each file, and the other way, and how used each is."""
    score = values["bm25f_rel"] + values["fbm25f_rel"] + values["stem_cos"] + values["defcos"]
    leaders = (-score).argsort(kind="stable")[:LEADERS]
    used, users = _used(records, leaders)
    hashes, owners = _defined(definitions, used)
    incoming, outgoing = np.zeros((2, len(files)), np.float64)
    limit = max(MOST_USERS, MOST_USERS_SHARE * sum(len(view.paths) for view in pinned.views))
    worth = _worth(pinned.corpus, hashes, limit)
    telling = worth.nonzero()[0]
    if len(telling):
        hashes, owners, worth = hashes[telling], owners[telling], worth[telling]
        # One row of `used` per name and user: the same name follows itself.
        places = used.searchsorted(hashes)
        counts = used.searchsorted(hashes, side="right") - places
        rows = ranges(places, counts)
        target = owners.repeat(counts)
        weight = worth.repeat(counts)
        other = leaders[users[rows]] != target
        pairs = users[rows][other] * len(files) + target[other]
        sums = np.bincount(pairs, weight[other], minlength=len(leaders) * len(files))
        links = np.log1p(sums).reshape(len(leaders), len(files))
        incoming = score[leaders] @ links
        outgoing[leaders] = np.maximum(0.0, links @ score)
    return {
        "g_in_top": np.log1p(incoming),
        "g_out": np.log1p(outgoing),
        "p_logindeg": np.log1p(count_uses(pinned.corpus, records.versions, definitions)),
    }


def _defined(
    definitions: Definitions, used: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return (hash, file) of the used names that the candidates define, each once per file."""
    if len(used) == 0:
        return used, np.zeros(0, np.int64)
    likely = may_be_among(definitions.hashes, used).nonzero()[0]
    hashes = definitions.hashes[likely]
    at = np.minimum(used.searchsorted(hashes), len(used) - 1)
    found = likely[used[at] == hashes]
    keys = definitions.files_of(found) << 32 | definitions.hashes[found].astype(np.int64)
    keys = distinct(keys)
    return (keys & 0xFFFFFFFF).astype(np.uint32), keys >> 32


def _used(
    records: Records, leaders: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return (hash, number of the leader) of the names that the leaders use, by hash."""
    used = records.column(USED, leaders)
    users = np.arange(len(leaders)).repeat(records.lengths[leaders, USED])
    order = used.argsort(kind="stable")
    return used[order], users[order]


def _worth(corpus: Corpus, names: NDArray[np.uint32], limit: float) -> Floats:
    """Return what a use of each name says: 1 / sqrt(files that use it), 0 for common names."""
    both = corpus.frequency(np.concatenate([defined_ids(names), used_ids(names)]))
    definers, users = both[: len(names)], np.maximum(1.0, both[len(names) :])
    telling = (definers <= MOST_DEFINERS) & (users <= limit)
    return np.where(telling, 1.0 / np.sqrt(users), 0.0)


def count_uses(corpus: Corpus, versions: Sequence[int], definitions: Definitions) -> Floats:
    """Return how often the telling names of each file are used, in files of the whole scope.

    versions: those of the files whose definitions these are. Counted once per file and generation.
    """
    known = corpus.popularity
    sums_of = list(map(known.get, versions))
    if None in sums_of:
        missing = [at for at, found in enumerate(sums_of) if found is None]
        spans = definitions.starts[missing], definitions.starts[np.array(missing) + 1]
        lengths = spans[1] - spans[0]
        keys = np.repeat(np.arange(len(missing)) << 32, lengths)
        keys |= definitions.hashes[ranges(spans[0], lengths)]
        keys = distinct(keys)
        hashes = (keys & 0xFFFFFFFF).astype(np.uint32)
        telling = np.flatnonzero(corpus.frequency(defined_ids(hashes)) <= MOST_DEFINERS)
        users = corpus.frequency(used_ids(hashes[telling]))
        sums = np.bincount(keys[telling] >> 32, weights=users, minlength=len(missing))
        known.update(zip([versions[at] for at in missing], sums.tolist(), strict=True))
        sums_of = [known[version] for version in versions]
    return np.array(sums_of, np.float64)

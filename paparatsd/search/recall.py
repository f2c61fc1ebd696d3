"""From a question to requests to the vector store, and from its replies to candidate files."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.terms import term_id
from paparatsd.model import Recalled, RecallRequest, SparseVector
from paparatsd.search.filters import allowed_rows, version_filter
from paparatsd.search.matching import distinct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.model import RecallReply, ShardKey, VersionFilter
    from paparatsd.search.callers import Callers
    from paparatsd.search.paths import NameLikeness, StemMatches
    from paparatsd.search.pointed import Placed
    from paparatsd.search.query import Query
    from paparatsd.search.scope import ProjectScope, Scope
    from paparatsd.search.views import Corpus, ProjectView, Reader
    from paparatsd.search_model import SearchRequest

RECALL_LIMIT = 70
"""Chunks per leg; three times as many changed no answer's rank on 26 repositories of up to 4,800
files, at twice the work. The same however many results are wanted: what is ranked for page 2
must be what was ranked for page 1.
"""
BEST_STEMS = 20
MAX_DEFINERS = 200
NOTHING_RECALLED = Recalled(np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))
JOINED_WEIGHT = 0.5
"""Worth of two words of the question found written together ("rate limit" in `rateLimit`)."""


@dataclass(frozen=True, slots=True)
class RecallPlan:
    """What the daemon needs to ask the stores; the rest stays in the search process.

    `token` names the pinned state that `rank` will use. begun: the part of the requests by meaning
    is being asked already.
    """

    token: int
    requests: tuple[RecallRequest, ...]
    begun: bool = False


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the filters let through: rows per view, and one filter per shard to ask."""

    rows: tuple[NDArray[np.bool_], ...]
    shards: tuple[tuple[ShardKey, VersionFilter], ...]


@dataclass(frozen=True, slots=True)
class Pinned:
    """Everything `rank` needs besides the replies, as it was when the plan was made.

    placed: per view the rows of files that the question names, see `placed_files`. callers: the
    answer itself when who uses a name is asked. notes: how the question was read. further: how many
    requests at the end are about made-up code, whose replies name further versions to rank.
    """

    request: SearchRequest
    query: Query
    scope: Scope
    views: tuple[ProjectView, ...]
    corpus: Corpus
    allowed: Allowed
    names: tuple[NameLikeness, ...]
    idf: NDArray[np.float64]
    known: NDArray[np.bool_]
    dense: NDArray[np.float32] | None
    native: bool
    static: NDArray[np.float32] | None
    extra: NDArray[np.int64]
    placed: tuple[Placed, ...] = ()
    callers: Callers | None = None
    notes: tuple[str, ...] = ()
    further: int = 0


@dataclass(frozen=True, slots=True)
class Candidates:
    """Versions worth ranking, ascending, and what recall said of their chunks.

    dense: the chunks recalled by meaning, with their cosines; floor: the smallest of these.
    """

    versions: NDArray[np.int64]
    dense: Recalled
    floor: float = 0.0

    @property
    def nearest(self) -> float:
        """The largest cosine recalled, 0 when nothing was."""
        return float(self.dense.scores.max()) if len(self.dense.scores) else 0.0


class Filters:
    """Turns filters into version sets; remembers the answers for the current generations."""

    def __init__(self, reader: Reader, entries: int = 32) -> None:
        self._reader = reader
        self._entries = entries
        self._known: OrderedDict[tuple[object, ...], Allowed] = OrderedDict()

    def resolve(
        self, request: SearchRequest, scope: Scope, views: Sequence[ProjectView]
    ) -> Allowed:
        """Return what the request's filters and the scope allow in these views."""
        if scope.limited:
            return self._resolve(request, scope, views)
        pairs = zip(scope.projects, views, strict=True)
        shown = tuple((one.shard, view.project_id, view.generation) for one, view in pairs)
        key = (shown, request.paths, request.languages)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._resolve(request, scope, views)
            while len(self._known) > self._entries:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return found

    def _resolve(
        self, request: SearchRequest, scope: Scope, views: Sequence[ProjectView]
    ) -> Allowed:
        rows = tuple(
            allowed_rows(view, request.paths, request.languages) & _rows_of(project, view)
            for project, view in zip(scope.projects, views, strict=True)
        )
        by_shard: dict[ShardKey, list[NDArray[np.int64]]] = {}
        for project, view, mask in zip(scope.projects, views, rows, strict=True):
            by_shard.setdefault(project.shard, []).append(view.versions[mask])
        shards = []
        for shard, parts in by_shard.items():
            chosen = version_filter(self._reader.shard_versions(shard), np.concatenate(parts))
            if chosen is not None:
                shards.append((shard, chosen))
        return Allowed(rows, tuple(shards))


def _rows_of(project: ProjectScope, view: ProjectView) -> NDArray[np.bool_]:
    if project.only is None:
        return np.ones(len(view.versions), np.bool_)
    return np.isin(view.versions, np.fromiter(project.only, np.int64, len(project.only)))


def lexical_vector(query: Query, corpus: Corpus, idf: NDArray[np.float64]) -> SparseVector | None:
    """Return w(t) * idf(t) of the question's terms, and of adjacent words written together."""
    weights = {
        term.id: term.weight * float(value)
        for term, value in zip(query.terms, idf, strict=True)
        if value > 0
    }
    joined = np.array([term_id(name) for name in query.joined], np.uint32)
    if len(joined):
        frequency = corpus.frequency(joined)
        for number, value, seen in zip(
            joined.tolist(), corpus.idf_of(frequency), frequency, strict=True
        ):
            if seen > 0:
                weights.setdefault(number, JOINED_WEIGHT * float(value))
    if not weights:
        return None
    ids = np.array(sorted(weights), np.uint32)
    return SparseVector(ids, np.array([weights[int(one)] for one in ids], np.float32))


def best_stems(
    matches: StemMatches, weights: NDArray[np.float64], allowed: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the allowed rows whose file names cover most of the question."""
    coverage = np.where(allowed[matches.rows], matches.coverage(weights), 0.0)
    best = np.lexsort((matches.rows, -coverage))[:BEST_STEMS]
    return matches.rows[best[coverage[best] > 0]]


def allowed_at(
    view: ProjectView, allowed: NDArray[np.bool_], versions: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which of the versions the view shows and the filters let through."""
    rows = view.rows_of(versions)
    mask = rows >= 0
    mask[mask] = allowed[rows[mask]]
    return mask


def requests_for(
    request: SearchRequest,
    allowed: Allowed,
    dense: NDArray[np.float32] | None,
    sparse: SparseVector | None,
) -> tuple[RecallRequest, ...]:
    """Return one request per shard that may hold an answer."""
    if dense is None and sparse is None:
        return ()
    return tuple(
        RecallRequest(
            shard=shard,
            filter=chosen,
            dense=dense if dense is not None and len(dense) == shard.dimension else None,
            sparse=sparse,
            limit=RECALL_LIMIT,
            kinds=frozenset(request.kinds),
        )
        for shard, chosen in allowed.shards
    )


def gather(
    replies: Sequence[RecallReply], extra: NDArray[np.int64], limit: int = RECALL_LIMIT
) -> Candidates:
    """Merge the legs of all shards: the best `limit` of each leg, and the extra files."""
    lexical = _best([reply.lexical for reply in replies], limit)
    dense = _best([reply.dense for reply in replies], limit)
    found = [leg.versions for leg in (lexical, dense) if leg is not None]
    versions = distinct(np.concatenate([extra.astype(np.int64), *found]))
    if dense is None or not len(dense.scores):
        return Candidates(versions, NOTHING_RECALLED)
    return Candidates(versions, dense, float(dense.scores.min()))


def _best(legs: Sequence[Recalled | None], limit: int) -> Recalled | None:
    present = [leg for leg in legs if leg is not None]
    if len(present) <= 1:  # the store has ordered and cut it
        return present[0] if present else None
    versions = np.concatenate([leg.versions for leg in present])
    ordinals = np.concatenate([leg.ordinals for leg in present])
    scores = np.concatenate([leg.scores for leg in present])
    order = np.lexsort((ordinals, versions, -scores))[:limit]
    return Recalled(versions[order], ordinals[order], scores[order])

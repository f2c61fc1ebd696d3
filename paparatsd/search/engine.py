"""The search process's own part: plan a search, and rank what recall brought back.

Synchronous; runs in one process of its own. A plan pins the views it was made from, so that a
commit between recall and ranking changes nothing for the search under way.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.errors import Busy
from paparatsd.search import confidence
from paparatsd.search.asked_kind import certain_kind, kind_first, rows_of_kind
from paparatsd.search.callers import caller_hits, find_callers
from paparatsd.search.candidates import group_copies, shown_files
from paparatsd.search.certain import NOTHING_CERTAIN, certain_definition
from paparatsd.search.diversity import pick_chunks
from paparatsd.search.expand import expand
from paparatsd.search.features import compute_features
from paparatsd.search.focus import Sought, focus, unfocused
from paparatsd.search.frames import Ranked
from paparatsd.search.further import NOTHING_FURTHER, code_requests, versions_of, with_words
from paparatsd.search.pointed import asked_lines, certain_place, placed_files
from paparatsd.search.query import analyse, likely_meaning
from paparatsd.search.query_vectors import NO_VECTORS, QueryVectors
from paparatsd.search.rank import choose_chunks, explain, wanted_chunks
from paparatsd.search.ranker import calibration_of, load_ranker
from paparatsd.search.recall import (
    MAX_DEFINERS,
    RECALL_LIMIT,
    Filters,
    Pinned,
    RecallPlan,
    best_stems,
    gather,
    lexical_vector,
    requests_for,
)
from paparatsd.search.respelling import Respelling, respelling_notes
from paparatsd.search.results import Results, Winner
from paparatsd.search.shelf import Shelf
from paparatsd.search.verbatim import needles_of, verbatim
from paparatsd.search.views import Views

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from paparatsd.model import RecallReply, RecallRequest
    from paparatsd.search.arena import Records
    from paparatsd.search.callers import Callers
    from paparatsd.search.candidates import Files
    from paparatsd.search.certain import Certain
    from paparatsd.search.features import FeatureTable
    from paparatsd.search.further import Further
    from paparatsd.search.query import Query
    from paparatsd.search.query_vectors import Encoder
    from paparatsd.search.ranker import Ranker
    from paparatsd.search.recall import Allowed, Candidates
    from paparatsd.search.scope import Scope
    from paparatsd.search.symbols import SymbolReader
    from paparatsd.search.views import ProjectView
    from paparatsd.search_model import ChunkView, SearchRequest

    Begin = Callable[[Sequence[RecallRequest]], bool]

MAX_PINNED = 256
"""Plans waiting for their replies; far more than the daemon lets run at once."""


class Engine:
    """Plans and ranks searches over the catalog."""

    def __init__(
        self,
        reader: SymbolReader,
        encoder: Encoder | None,
        *,
        ranker: Ranker | None = None,
        record_bytes: int = 96 << 20,
        text_bytes: int = 32 << 20,
    ) -> None:
        """Without an encoder search goes by words only; `ranker` None takes the packaged model."""
        self._reader = reader
        self._encoder = encoder
        self._ranker = ranker or load_ranker()
        self._levels = calibration_of(self._ranker)
        self._model = encoder.spec.fingerprint if encoder else None
        self._views = Views(reader)
        self._filters = Filters(reader)
        self._shelf = Shelf(reader, record_bytes=record_bytes, text_bytes=text_bytes)
        self._results = Results(self._shelf)
        self._respelling = Respelling(reader, self._shelf)
        self._pinned: OrderedDict[int, Pinned] = OrderedDict()
        self._tokens = itertools.count(1)

    @property
    def shelf(self) -> Shelf:
        """Records and texts, for whoever else answers from them in this process."""
        return self._shelf

    def plan(
        self,
        request: SearchRequest,
        scope: Scope,
        vector: NDArray[np.float32] | None,
        *,
        built_in: bool = True,
        begin: Begin | None = None,
        further: Further = NOTHING_FURTHER,
    ) -> RecallPlan:
        """Analyse a question and say what to ask the stores; `further` widens that.

        `vector` is the question's embedding when the embedder is not the built-in one; with
        `built_in` the model of this process makes it. `begin` is told what to ask by meaning in
        all likelihood, before the question is read, and says whether it is being asked; `begun` of
        the plan tells whether that was it. Raises BadQuery.
        """
        own_name = scope.projects[0].name if len(scope.projects) == 1 else None
        views, corpus = self._views.corpus(scope)
        allowed = self._filters.resolve(request, scope, views)
        begin = begin if further == NOTHING_FURTHER else None
        early = self._begin(request, allowed, vector, built_in, begin)
        asked = analyse(request.query, own_name)
        spelled = self._respelling.respelled(asked, scope, views, allowed, own_name)
        expanded = expand(spelled, corpus.frequency, own_name)
        query, frequency = expanded.query, expanded.frequency
        idf, known = corpus.idf_of(frequency), frequency > 0
        # A known identifier is better served by words alone.
        by_words = query.single and bool(known.any())
        if by_words:
            vectors = NO_VECTORS
        elif query.meaning == early.meaning:
            vectors = early
        else:
            vectors = self._vectors(query.meaning, vector, built_in)
        pinned = Pinned(
            request=request,
            query=query,
            scope=scope,
            views=views,
            corpus=corpus,
            allowed=allowed,
            names=(),
            idf=np.where(known, idf, np.log1p(corpus.chunks)),
            known=known,
            dense=vectors.dense,
            native=built_in,
            static=vectors.static,
            extra=np.zeros(0, np.int64),
            placed=placed_files(query, views),
            callers=self._callers(query, request, views, allowed),
            notes=(*respelling_notes(asked, spelled), *expanded.notes),
        )
        if pinned.callers is not None:
            return RecallPlan(self._pin(pinned), ())
        sparse = lexical_vector(query, corpus, np.where(known, idf, 0.0))
        if further.words:
            sparse = with_words(sparse, further.words, corpus)
        likewise = code_requests(request, allowed, self._code_vector(further, built_in))
        token = self._pin(self._prepared(replace(pinned, further=len(likewise))))
        usual = requests_for(request, allowed, vectors.dense, sparse)
        return RecallPlan(token, (*usual, *likewise), vectors.begun)

    def _code_vector(self, further: Further, built_in: bool) -> NDArray[np.float32] | None:
        """Return the vector of made-up code; `further` has it when the model is not ours."""
        if not further.code or not built_in or self._encoder is None:
            return further.vector
        row: NDArray[np.float32] = self._encoder.encode([further.code])[0]
        return row

    def _begin(
        self,
        request: SearchRequest,
        allowed: Allowed,
        vector: NDArray[np.float32] | None,
        built_in: bool,
        begin: Begin | None,
    ) -> QueryVectors:
        """Have the stores begin with what the question most likely means; see `plan`."""
        likely = likely_meaning(request.query)
        if begin is None or not likely:
            return NO_VECTORS
        early = self._vectors(likely, vector, built_in)
        return early._replace(begun=begin(requests_for(request, allowed, early.dense, None)))

    def _vectors(
        self, meaning: str, vector: NDArray[np.float32] | None, built_in: bool
    ) -> QueryVectors:
        """Return the vectors of a question that means this; `vector` as for `plan`."""
        static = self.embed_query(meaning)
        dense = static if built_in or self._encoder is None else vector
        return QueryVectors(meaning, static, dense)

    def _callers(
        self, query: Query, request: SearchRequest, views: Sequence[ProjectView], allowed: Allowed
    ) -> Callers | None:
        """Return who uses the name that a question asks the users of; None when nobody does."""
        if not query.callers_of:
            return None
        found = find_callers(query, self._reader, self._shelf, views, allowed.rows, request.limit)
        return found if found.found else None

    def embed_query(self, text: str) -> NDArray[np.float32] | None:
        """Return the text's vector by the built-in model, None when there is none."""
        return self._encoder.encode_queries([text])[0] if self._encoder else None

    def _pin(self, pinned: Pinned) -> int:
        token = next(self._tokens)
        self._pinned[token] = pinned
        while len(self._pinned) > MAX_PINNED:
            self._pinned.popitem(last=False)
        return token

    def _prepared(self, pinned: Pinned) -> Pinned:
        """Add what ranking needs and recall does not."""
        texts = [term.text for term in pinned.query.terms]
        pinned = replace(pinned, names=tuple(view.index.likeness(texts) for view in pinned.views))
        return replace(pinned, extra=self._extra(pinned))

    def _extra(self, pinned: Pinned) -> NDArray[np.int64]:
        """Return versions worth ranking whatever recall says: definers and the best stems."""
        weights = np.array([term.weight for term in pinned.query.terms]) * pinned.idf
        parts = [np.zeros(0, np.int64)]
        for view, rows, names in zip(pinned.views, pinned.allowed.rows, pinned.names, strict=True):
            parts.append(view.versions[best_stems(view.index.match(names), weights, rows)])
        for view, rows, placed in zip(
            pinned.views, pinned.allowed.rows, pinned.placed, strict=True
        ):
            parts.append(view.versions[[row for row in placed if rows[row]]])
        query = pinned.query
        if query.kind:
            for view, rows in zip(pinned.views, pinned.allowed.rows, strict=True):
                parts.append(view.versions[rows_of_kind(query.kind, view, rows)])
        folded = [*(name.casefold() for name in query.names), *query.spellings, *query.joined]
        if folded:
            definers = self._respelling.definers(pinned.scope, pinned.views, pinned.allowed, folded)
            parts.append(definers[:MAX_DEFINERS])
        return np.unique(np.concatenate(parts))

    def rank(self, token: int, replies: Sequence[RecallReply]) -> Ranked:
        """Order what recall found for a plan. Raises Busy when the plan is no longer known."""
        pinned = self._pinned.pop(token, None)
        if pinned is None:
            raise Busy("too many searches at once; try again")
        if pinned.callers is not None:
            hits = caller_hits(pinned.callers, pinned.scope, pinned.views, self._results)
            return Ranked(hits, (*pinned.notes, pinned.callers.note), pinned.callers.files)
        extra, usual = pinned.extra, replies
        if pinned.further:
            usual, likewise = replies[: -pinned.further], replies[-pinned.further :]
            extra = np.union1d(extra, versions_of(likewise))
        candidates = gather(usual, extra, RECALL_LIMIT)
        files, owners = shown_files(pinned, candidates.versions)
        places, records = self._shelf.lay(files.versions.tolist())
        kept = files if len(places) == len(files) else files.take(places)
        if not len(kept):
            return Ranked((), pinned.notes, 0)
        features = compute_features(pinned, candidates, kept, records)
        certain = self._certain(pinned, kept, records, features)
        winners = self._winners(pinned, candidates, kept, records, features, owners, certain)
        # A filter by history lets chunks through: a part of one may have nothing to do with it.
        shown = unfocused if pinned.scope.limited else focus
        hits = self._results.hits(winners, _sought(pinned, features), shown)
        advice = confidence.advice([hit.confidence for hit in hits])
        said = certain.note if certain.alone else advice
        return Ranked(hits, (*pinned.notes, *((said,) if said else ())), len(kept))

    def _certain(
        self, pinned: Pinned, files: Files, records: Records, features: FeatureTable
    ) -> Certain:
        """Return what answers a question of a special kind for certain."""
        if pinned.query.only_place:
            return certain_place(pinned, files, records)
        if pinned.query.kind:
            return certain_kind(pinned, files, features, self._shelf)
        needles = needles_of(pinned.request.query)
        if needles:
            return verbatim(needles, files, features, self._shelf)
        return certain_definition(pinned.query, files, features)

    def _winners(
        self,
        pinned: Pinned,
        candidates: Candidates,
        files: Files,
        records: Records,
        features: FeatureTable,
        owners: dict[int, tuple[int, ...]],
        certain: Certain = NOTHING_CERTAIN,
    ) -> list[Winner]:
        """Choose the chunks to show."""
        by_words, single = pinned.static is None, pinned.query.single
        lines = asked_lines(pinned, files) | certain.lines
        weights = self._ranker.weights(by_words=by_words, single=single)
        scores = self._ranker.score(features.values, by_words=by_words, single=single)
        scores = kind_first(pinned, files, features, scores, certain)
        choice = choose_chunks(
            pinned.query,
            candidates,
            files,
            records,
            features,
            wanted_chunks(pinned.scope, files, records, frozenset(pinned.request.kinds)),
            lines,
        )
        order = _best_first(scores, files)
        groups = group_copies(certain.order(order), files, records, owners)
        judge = confidence.Judge(
            pinned,
            candidates,
            features,
            scores,
            [at for at in order if at in groups],
            self._levels,
            embedder=self._model,
            certain=certain,
        )
        chunks = choice.of_files(judge.plausible(groups), pinned.request.limit)
        spans = {at: records.open(at).chunk_lines for at in chunks}
        picks = pick_chunks(list(chunks), chunks, spans, pinned.request.limit)
        winners = []
        for pick in picks:
            file = files[pick.file]
            winner = Winner(
                project=pinned.scope.projects[file.view].name,
                path=file.path,
                language=_language(pinned.views[file.view], file.row),
                version=file.version,
                ordinal=pick.ordinal,
                score=judge.shown(pick.file),
                confidence=judge.label(pick.file),
                also_in=tuple(pinned.scope.projects[at].name for at in groups[pick.file]),
                lines=lines.get(pick.file, ()),
                certain=pick.file in certain.leads,
                **_reasons(weights, features, judge, pick.file, asked=pinned.request.explain),
            )
            winners.append(winner)
        return winners

    def warm(self, scope: Scope) -> int:
        """Load the views of a scope; returns the number of files they show."""
        views, _ = self._views.corpus(scope)
        return sum(len(view.paths) for view in views)

    def show(self, address: str, radius: int, scope: Scope) -> ChunkView:
        """Return the chunk at an address; see `Results.show`."""
        views = {
            project.name: self._views.view(project.project_id, project.generation)
            for project in scope.projects
        }
        return self._results.show(scope, views, address, radius)


def _reasons(
    weights: Mapping[str, float],
    features: FeatureTable,
    judge: confidence.Judge,
    file: int,
    *,
    asked: bool,
) -> dict[str, dict[str, float]]:
    """Return what explains a hit, by the members of `Winner`; nothing unless asked for."""
    if not asked:
        return {}
    signals = explain(weights, features, file)
    values = {name: round(float(features.values[name][file]), 4) for name in signals}
    return {"signals": signals, "values": values, "grounds": judge.grounds(file)}


def _best_first(scores: NDArray[np.float64], files: Files) -> list[int]:
    """Return the files by their scores; equally good ones by view, path and version."""
    order = np.argsort(-scores)
    ranked = scores[order]
    if np.all(ranked[1:] < ranked[:-1]):
        best: list[int] = order.tolist()
        return best
    keys = [
        (-score, file.view, file.path, file.version)
        for score, file in zip(scores.tolist(), files, strict=True)
    ]
    return sorted(range(len(files)), key=keys.__getitem__)


def _sought(pinned: Pinned, features: FeatureTable) -> Sought:
    query = pinned.query
    texts = (term.text for term in query.terms)
    worth = {
        text: value for text, value in zip(texts, features.worth.tolist(), strict=True) if value
    }
    return Sought(worth, frozenset(query.names), frozenset(pinned.request.kinds))


def _language(view: ProjectView, row: int) -> str:
    return view.language_names[int(view.languages[row])]

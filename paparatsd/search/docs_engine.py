"""The search process's part of documents: plan a question, rank what recall found, read one whole.

Synchronous, beside the engine of code search, whose records and texts it shares.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from paparatsd.docs_model import DocsKind, DocumentText
from paparatsd.errors import Busy, UnknownDocument
from paparatsd.search.docs_asked import DocsFound, DocsPlan
from paparatsd.search.docs_features import Told, docs_features
from paparatsd.search.docs_hits import DocumentRows, Floors, document_of, hits_of, titled
from paparatsd.search.docs_places import gather_places, shortlist
from paparatsd.search.docs_question import RECALL_LIMIT, read_docs_question
from paparatsd.search.docs_rank import Mode, docs_score, judge, load_docs_weights
from paparatsd.search.docs_sense import (
    DEEP,
    likeliest,
    sense_features,
    understood,
    without_sense,
)
from paparatsd.search.docs_text import joined, piece_of, sections
from paparatsd.search.docs_view import DocsReader, DocsViews
from paparatsd.search.filters import version_filter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from paparatsd.model import RecallReply, ShardKey, VersionFilter
    from paparatsd.search.docs_asked import DocsAsked, DocumentAsked
    from paparatsd.search.docs_places import Places
    from paparatsd.search.docs_question import DocsQuestion, Encode, IsWord
    from paparatsd.search.docs_rank import DocsWeights, Judged
    from paparatsd.search.docs_sense import Sense
    from paparatsd.search.docs_view import Shown
    from paparatsd.search.scope import Scope
    from paparatsd.search.shelf import Shelf

    Filters = tuple[tuple[ShardKey, VersionFilter], ...]

LIKELIEST = 32
"""Documents that are looked into, besides those called like the question."""
MAX_TITLE_CHARS = 120
"""Of a title in a note."""
MAX_FILTERS = 32
MAX_PINNED = 64
"""Plans waiting for their replies."""


class Source(DocsReader, Protocol):
    """What is read of the catalog beside records and texts."""

    def shard_versions(self, shard: ShardKey) -> NDArray[np.int64]:
        """Return all versions that have points in the shard."""
        ...

    def lexical_only(self, shard: ShardKey) -> Sequence[int]:
        """Return the versions in a shard whose chunks have no vectors yet."""
        ...


@dataclass(frozen=True, slots=True)
class Looked:
    """The places that may answer a question; `told` and each of `values` are parallel to them."""

    places: Places
    rows: DocumentRows
    told: list[Told]
    mode: Mode
    values: dict[str, NDArray[np.float64]]


class DocsEngine:
    """Answers from the documents of the catalog."""

    def __init__(
        self,
        source: Source,
        shelf: Shelf,
        encode: Encode,
        weights: DocsWeights | None = None,
        *,
        is_word: IsWord | None = None,
        sense: Sense | None = None,
    ) -> None:
        """`encode` makes a question's vector by the built-in model, None without one.

        `is_word`: as for `read_docs_question`. `sense`: a model of prose, asked about the likeliest
        places of questions that our embedder answers.
        """
        self._source = source
        self._shelf = shelf
        self._encode = encode
        self._is_word = is_word
        self._sense = sense
        self._weights = weights or load_docs_weights()
        self._views = DocsViews(source)
        self._filters: OrderedDict[tuple[object, ...], Filters] = OrderedDict()
        self._pinned: OrderedDict[int, DocsQuestion] = OrderedDict()
        self._ahead: dict[int, int] = {}
        self._tokens = itertools.count(1)

    def plan(self, asked: DocsAsked) -> DocsPlan:
        """Read a question and say what to ask the stores. Raises BadQuery."""
        shown = self._views.shown(asked.scope)
        corpus = self._views.corpus(shown)
        shards = self._shards(shown)
        # Vectors may come after the words: by an endpoint, or for documents alone.
        late = [self._source.lexical_only(shard) for shard, _ in shards]
        unembedded = np.array([one for some in late for one in some], np.int64)
        question = read_docs_question(
            asked, shown, corpus, shards, unembedded, self._encode, self._is_word
        )
        token = next(self._tokens)
        self._pinned[token] = question
        while len(self._pinned) > MAX_PINNED:
            self._pinned.popitem(last=False)
        return DocsPlan(token, question.requests)

    def _shards(self, shown: Sequence[Shown]) -> Filters:
        """Return one filter for each shard that may have an answer; the last ones are kept."""
        key = tuple(
            (one.project.scope.shard, one.view.project_id, one.view.generation, one.permitted)
            for one in shown
        )
        found = self._filters.get(key)
        if found is None:
            parts: dict[ShardKey, list[NDArray[np.int64]]] = {}
            for one in shown:
                parts.setdefault(one.project.scope.shard, []).append(one.versions)
            filters = [
                (shard, version_filter(self._source.shard_versions(shard), np.concatenate(some)))
                for shard, some in parts.items()
            ]
            found = tuple((shard, chosen) for shard, chosen in filters if chosen is not None)
            self._filters[key] = found
        self._filters.move_to_end(key)
        while len(self._filters) > MAX_FILTERS:
            self._filters.popitem(last=False)
        return found

    def want(self, scope: Scope) -> None:
        """Note what to count ahead of the first question."""
        self._ahead |= {one.project_id: one.generation for one in scope.projects}

    def idle(self) -> bool:
        """Count a little ahead; say whether there is more to do."""
        for project_id, generation in list(self._ahead.items()):
            if self._views.count_ahead(project_id, generation):
                return True
            del self._ahead[project_id]
        return False

    def rank(self, token: int, replies: Sequence[RecallReply]) -> DocsFound:
        """Return the hits of a plan. Raises Busy when it is no longer known."""
        question = self.planned(token)
        projects = frozenset(one.project.scope.name for one in question.shown if one.mask.any())
        found = self.look(question, replies)
        if not found.told:
            return DocsFound((), projects, question.notes)
        places, rows, mode, values = found.places, found.rows, found.mode, found.values
        judged = judge(values, places.cosines, mode, self._weights)
        floors = _floors(question.asked, self._weights, mode)
        hits = hits_of(places, rows, judged, floors, question.asked.limit, self._shelf)
        notes = () if hits else _too_far(judged, places, rows, floors.of_kind)
        return DocsFound(hits, projects, (*question.notes, *notes))

    def planned(self, token: int) -> DocsQuestion:
        """Return the question of a plan, once. Raises Busy when it is no longer known."""
        question = self._pinned.pop(token, None)
        if question is None:
            raise Busy("too many searches at once; try again")
        return question

    def look(self, question: DocsQuestion, replies: Sequence[RecallReply]) -> Looked:
        """Return the places that may answer, and their features."""
        places = gather_places(question, replies, RECALL_LIMIT, self._shelf)
        rows = DocumentRows.of(question.shown, places.records)
        most = max(LIKELIEST, 2 * question.asked.limit)
        places, told = self._told(shortlist(question, places, most), rows)
        mode = _mode(question, replies)
        values = docs_features(question, places, told) | without_sense(len(told))
        asked = question.asked.query
        if mode is not Mode.MEANING or not told:
            return Looked(places, rows, told, mode, values)
        if self._sense is None or not understood(asked, self._sense):
            return Looked(places, rows, told, Mode.PLAIN, values)
        before = docs_score(values, self._weights.score[Mode.PLAIN])
        deep = likeliest(before, places.documents, max(DEEP, 2 * question.asked.limit))
        places, told = places.only(deep), [told[at] for at in np.flatnonzero(deep).tolist()]
        values = {name: value[deep] for name, value in values.items()}
        values |= sense_features(asked, told, places.documents, self._sense)
        return Looked(places, rows, told, mode, values)

    def _told(self, places: Places, rows: DocumentRows) -> tuple[Places, list[Told]]:
        """Return the places whose text is there, and what is known of each."""
        told: list[Told] = []
        kept = np.zeros(len(places), np.bool_)
        pairs = zip(places.documents.tolist(), places.ordinals.tolist(), strict=True)
        for at, (document, ordinal) in enumerate(pairs):
            chunks = self._shelf.chunks(places.records.versions[document])
            if ordinal < len(chunks):
                told.append(Told(rows.row(document), chunks[ordinal]))
                kept[at] = True
        return places.only(kept), told

    def document(self, asked: DocumentAsked) -> DocumentText:
        """Return a piece of a document; raises UnknownDocument for what may not be seen, too."""
        for shown in self._views.shown(asked.scope):
            row = shown.view.row_of(asked.path)
            if row < 0 or not shown.mask[row]:
                continue
            found = shown.view.rows[row]
            chunks = sections(self._shelf.chunks(found.version))
            piece = piece_of(joined(chunks, found.language), asked.offset, asked.max_chars)
            return DocumentText(
                document=document_of(shown, row, len(chunks)),
                content=piece.content,
                offset=piece.offset,
                next_offset=piece.next_offset,
                total_chars=piece.total,
            )
        raise UnknownDocument(asked.path)


def _mode(question: DocsQuestion, replies: Sequence[RecallReply]) -> Mode:
    if all(reply.dense is None for reply in replies):
        return Mode.WORDS
    return Mode.MEANING if question.asked.built_in else Mode.OTHER


def _too_far(
    judged: Judged, places: Places, rows: DocumentRows, floors: Mapping[DocsKind, float]
) -> tuple[str, ...]:
    """Say which of the documents, none of which is near enough, is the nearest one."""
    nearest = int(judged.relevance.argmax())
    document = int(places.documents[nearest])
    kind = DocsKind.CODE if rows.is_code(document) else DocsKind.PROSE
    relevance, floor = float(judged.relevance[nearest]), floors[kind]
    if relevance >= floor:  # it is near enough, but there is no section of it to show
        return ()
    title = titled(rows.row(document))[:MAX_TITLE_CHARS]
    option = "min_score_code" if kind is DocsKind.CODE else "min_score"
    return (
        f"No document is near enough to this question; the nearest is {title!r}, with a relevance "
        f"of {relevance:.2f} where {floor:.2f} is needed. {option}=0 shows it.",
    )


def _floors(asked: DocsAsked, weights: DocsWeights, mode: Mode) -> Floors:
    """Return the floors: those that were asked for hold for every hit."""
    said = {DocsKind.PROSE: asked.min_score, DocsKind.CODE: asked.min_score_code}
    calibrated = weights.floors[mode]
    floors = {k: calibrated[k] if (floor := said[k]) is None else floor for k in DocsKind}
    untouched = all(floor is None for floor in said.values())
    return Floors(floors, weights.follow[mode] if untouched else 1.0)

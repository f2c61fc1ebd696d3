"""The search process's part of documents: plan a question, rank what recall found, read one whole.

Synchronous, beside the engine of code search, whose records and texts it shares.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from typing import TYPE_CHECKING, Protocol

import numpy as np

from paparatsd.errors import Busy, UnknownDocument
from paparatsd.knowledge_model import DocsKind, DocumentText
from paparatsd.search.docs_asked import DocsFound, DocsPlan
from paparatsd.search.docs_features import Told, docs_features
from paparatsd.search.docs_hits import DocumentRows, document_of, hits_of
from paparatsd.search.docs_places import gather_places
from paparatsd.search.docs_question import RECALL_LIMIT, read_docs_question
from paparatsd.search.docs_rank import Mode, judge, load_docs_weights
from paparatsd.search.docs_text import joined, piece_of, sections
from paparatsd.search.docs_view import DocsReader, DocsViews

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from paparatsd.model import RecallReply, ShardKey
    from paparatsd.search.docs_asked import DocsAsked, DocumentAsked
    from paparatsd.search.docs_places import Places
    from paparatsd.search.docs_question import DocsQuestion, Encode
    from paparatsd.search.docs_rank import DocsWeights
    from paparatsd.search.shelf import Shelf

MAX_PINNED = 64
"""Plans waiting for their replies."""


class Source(DocsReader, Protocol):
    """What is read of the catalog beside records and texts."""

    def shard_versions(self, shard: ShardKey) -> NDArray[np.int64]:
        """Return all versions that have points in the shard."""
        ...


class DocsEngine:
    """Answers from the documents of the catalog."""

    def __init__(
        self,
        source: Source,
        shelf: Shelf,
        encode: Encode,
        weights: DocsWeights | None = None,
    ) -> None:
        """`encode` makes a question's vector by the built-in model, None without one."""
        self._source = source
        self._shelf = shelf
        self._encode = encode
        self._weights = weights or load_docs_weights()
        self._views = DocsViews(source)
        self._pinned: OrderedDict[int, DocsQuestion] = OrderedDict()
        self._tokens = itertools.count(1)

    def plan(self, asked: DocsAsked) -> DocsPlan:
        """Read a question and say what to ask the stores. Raises BadQuery."""
        shown = self._views.shown(asked.scope)
        corpus = self._views.corpus(shown)
        question = read_docs_question(
            asked, shown, corpus, self._source.shard_versions, self._encode
        )
        token = next(self._tokens)
        self._pinned[token] = question
        while len(self._pinned) > MAX_PINNED:
            self._pinned.popitem(last=False)
        return DocsPlan(token, question.requests)

    def rank(self, token: int, replies: Sequence[RecallReply]) -> DocsFound:
        """Return the hits of a plan. Raises Busy when it is no longer known."""
        question = self._pinned.pop(token, None)
        if question is None:
            raise Busy("too many searches at once; try again")
        projects = frozenset(one.project.scope.name for one in question.shown if one.mask.any())
        places = gather_places(question, replies, RECALL_LIMIT, self._shelf)
        rows = DocumentRows.of(question.shown, places.records)
        places, told = self._told(places, rows)
        if not told:
            return DocsFound((), projects, question.notes)
        mode = _mode(question, replies)
        values = docs_features(question, places, told)
        judged = judge(values, places.cosines, mode, self._weights)
        floors = _floors(question.asked, self._weights.floors[mode])
        hits = hits_of(places, rows, judged, floors, question.asked.limit, self._shelf)
        return DocsFound(hits, projects, question.notes)

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


def _floors(asked: DocsAsked, calibrated: Mapping[DocsKind, float]) -> Mapping[DocsKind, float]:
    said = {DocsKind.PROSE: asked.min_score, DocsKind.CODE: asked.min_score_code}
    return {kind: calibrated[kind] if (floor := said[kind]) is None else floor for kind in DocsKind}

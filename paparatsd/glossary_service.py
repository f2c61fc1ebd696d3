"""The use cases about the glossary: who asks sees what they may, and writes where it exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery
from paparatsd.knowledge.deleting import delete_notes
from paparatsd.knowledge.glossary import Glossary
from paparatsd.knowledge.reach import sight_of
from paparatsd.knowledge.terms import TERM
from paparatsd.knowledge_limits import (
    MAX_IDS,
    MAX_QUESTION_CHARS,
    MAX_TERMS_FOUND,
    MAX_TERMS_LISTED,
)
from paparatsd.knowledge_model import TermsAnswer
from paparatsd.plain_text import clean_text

if TYPE_CHECKING:
    from paparatsd.answerable import Answerable
    from paparatsd.clock import Clock
    from paparatsd.knowledge.notes import Notes
    from paparatsd.knowledge.reach import Sight
    from paparatsd.knowledge_model import (
        Deleted,
        Reach,
        Recorded,
        TermDraft,
        TermsRequest,
    )

BESIDE_DOCS = 3
"""Terms of each group that are shown beside documents."""


async def sight(reach: Reach, answerable: Answerable, notes: Notes) -> Sight:
    """Return what whoever asks may see of groups and notes."""
    registered: dict[str, set[str]] = {}
    for session in answerable.select((), ()):
        registered.setdefault(session.entry.group, set()).add(session.name)
    return sight_of(reach, registered, await notes.projects(), answerable.allowed())


class GlossaryService:
    """Implements interfaces.api.GlossaryApi over the notes."""

    def __init__(self, notes: Notes, answerable: Answerable, clock: Clock) -> None:
        self._notes = notes
        self._answerable = answerable
        self._glossary = Glossary(notes, clock)

    async def search(self, request: TermsRequest) -> TermsAnswer:
        """Return the terms of this name or alias, else those that are like the question."""
        query = _checked_query(request.query)
        _check_limit(request.limit, MAX_TERMS_FOUND)
        floor = self._notes.thresholds.term_floor
        if request.min_score is not None:
            floor = _checked_floor(request.min_score)
        seen = await self._sight(request.reach)
        found = await self._glossary.search(
            query,
            seen.asked(request.reach),
            seen.chosen(request.reach),
            request.limit,
            floor,
        )
        return TermsAnswer(found.hits, len(found.hits), found.notes)

    async def beside_docs(self, query: str, reach: Reach) -> TermsAnswer:
        """Return what the glossary says of a question to documents: a few terms of each group."""
        query = _checked_query(query)
        if not reach.notes:
            return TermsAnswer((), 0)
        seen = await self._sight(reach)
        accept, floor = seen.chosen(reach), self._notes.thresholds.term_docs_floor
        found = [
            await self._glossary.search(query, [group], accept, BESIDE_DOCS, floor)
            for group in seen.asked(reach)
        ]
        hits = tuple(hit for one in found for hit in one.hits)
        notes = dict.fromkeys(note for one in found for note in one.notes)
        return TermsAnswer(hits, len(hits), tuple(notes))

    async def list(self, reach: Reach, limit: int, ids: tuple[str, ...] = ()) -> TermsAnswer:
        """Return terms by name, at most `limit` of each group; `total` counts all there are.

        With `ids` only these, in this order; one that is out of reach is missing like one that does
        not exist.
        """
        _check_limit(limit, MAX_TERMS_LISTED)
        if len(ids) > MAX_IDS:
            raise BadQuery(f"{len(ids)} ids; at most {MAX_IDS} at once")
        seen = await self._sight(reach)
        groups, accept = seen.asked(reach), seen.chosen(reach)
        if ids:
            hits, missing = await self._glossary.of_ids(ids, groups, accept)
            return TermsAnswer(hits, len(hits), missing=missing)
        hits, total = await self._glossary.listed(groups, accept, limit)
        return TermsAnswer(hits, total)

    async def record(self, draft: TermDraft, reach: Reach) -> Recorded:
        """Write a term, unless another one says the same. Raises StateUnwritable."""
        seen = await self._sight(reach)
        seen.check_place(draft.group, draft.project)
        return await self._glossary.record(draft)

    async def delete(self, ids: tuple[str, ...], reach: Reach) -> Deleted:
        """Delete terms; what is out of reach is missing like what does not exist."""
        seen = await self._sight(reach)
        return await delete_notes(self._notes, ids, (TERM,), seen.told(reach))

    async def _sight(self, reach: Reach) -> Sight:
        return await sight(reach, self._answerable, self._notes)


def _checked_query(query: str) -> str:
    said = clean_text(query).strip()
    if not said:
        raise BadQuery("query is empty; ask for a term, or what something is called")
    if len(said) > MAX_QUESTION_CHARS:
        raise BadQuery(f"query has {len(said)} characters; at most {MAX_QUESTION_CHARS}")
    return said


def _checked_floor(floor: float) -> float:
    if not 0 <= floor <= 1:
        raise BadQuery(f"min_score is {floor:g}; it must be between 0 and 1")
    return floor


def _check_limit(limit: int, most: int) -> None:
    if not 1 <= limit <= most:
        raise BadQuery(f"limit is {limit}; it must be between 1 and {most}")

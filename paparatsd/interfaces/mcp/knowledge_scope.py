"""Documents, terms and cards of some projects only: the rest is neither asked about nor told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from paparatsd.chunks.address import parse_address
from paparatsd.docs_model import DocsAnswer
from paparatsd.errors import BadQuery, UnknownDocument, UnknownProject
from paparatsd.knowledge.recall import missing_of
from paparatsd.knowledge_model import (
    AnchorCheck,
    AnchorState,
    CardsAnswer,
    ContextAnswer,
    Deleted,
    SuggestionsAnswer,
    TermsAnswer,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paparatsd.docs_model import (
        DocHit,
        DocsRequest,
        DocumentRequest,
        DocumentText,
    )
    from paparatsd.interfaces.api import DocsApi, GlossaryApi, MemoryApi
    from paparatsd.knowledge_model import (
        Card,
        CardDraft,
        CardHit,
        CardsRequest,
        ContextRequest,
        Imported,
        MemoryStats,
        NoteFile,
        Reach,
        Recorded,
        Term,
        TermDraft,
        TermHit,
        TermsRequest,
    )
    from paparatsd.model import ProjectName
    from paparatsd.status_model import ProjectStatus

Names = tuple["ProjectName", ...]
Narrow = Callable[[Names, tuple[str, ...]], Awaitable[Names]]
Ours = Callable[[], Awaitable[tuple["ProjectStatus", ...]]]
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Bounds:
    """Whose documents and notes may be told.

    `narrow` raises UnknownProject for projects and groups that are not ours; `ours` returns the
    registered projects that are.
    """

    allowed: frozenset[str]
    narrow: Narrow
    ours: Ours

    async def reach(self, reach: Reach) -> Reach | None:
        """Return what may be reached, None for nothing. Raises UnknownProject."""
        await self.narrow(reach.projects, reach.groups)
        visible = reach.visible & self.allowed if reach.visible else self.allowed
        return replace(reach, visible=visible) if visible else None

    async def for_writing(self, draft: TermDraft | CardDraft, reach: Reach) -> Reach:
        """Return what may be reached when this is written. Raises UnknownProject."""
        await self.narrow((draft.project,) if draft.project else (), (draft.group,))
        homes = {one.group for one in await self.ours() if one.name == draft.project}
        if draft.project and draft.group not in homes:
            raise _not_in_its_group(draft)
        narrowed = await self.reach(reach)
        if narrowed is None:
            raise UnknownProject("none of the projects that are answered about is registered")
        return narrowed

    async def groups(self) -> frozenset[str]:
        """Return the groups that have a project of ours."""
        return frozenset(one.group for one in await self.ours())

    def tells(self, note: Term | Card, groups: frozenset[str]) -> bool:
        """Say whether a note may be told: of a project of ours, or of a whole group of ours."""
        return note.project in self.allowed if note.project else note.group in groups

    def checks(self, checks: Iterable[AnchorCheck]) -> tuple[AnchorCheck, ...]:
        """Return checks that say of other projects only that nothing can be said."""
        return tuple(
            one
            if self._is_ours(one.at) and self._is_ours(one.address)
            else AnchorCheck(one.at, AnchorState.UNCLEAR)
            for one in checks
        )

    def _is_ours(self, place: str) -> bool:
        try:
            return parse_address(place).project in self.allowed
        except BadQuery:  # a path or a name, which are looked for in the project of the card
            return True


async def _in_our_words(answer: Awaitable[Answer]) -> Answer:
    """Await an answer; that a project is unknown is not told in words that may name others."""
    try:
        return await answer
    except UnknownProject:
        raise UnknownProject("what was asked about is not registered here") from None


def _not_in_its_group(draft: TermDraft | CardDraft) -> UnknownProject:
    return UnknownProject(f"no project named {draft.project!r} in group {draft.group!r}")


class ScopedDocs:
    """Documents of our projects."""

    def __init__(self, docs: DocsApi, bounds: Bounds) -> None:
        self._docs = docs
        self._bounds = bounds

    async def search(self, request: DocsRequest) -> DocsAnswer:
        """Return the documents of ours that answer a question."""
        reach = await self._bounds.reach(request.reach)
        if reach is None or not await self._bounds.ours():
            return DocsAnswer(request.query, ())
        answer = await _in_our_words(self._docs.search(replace(request, reach=reach)))
        groups = await self._bounds.groups()
        allowed = reach.visible
        return replace(
            answer,
            hits=tuple(
                _without_others(one, allowed)
                for one in answer.hits
                if one.document.project in allowed
            ),
            terms=tuple(one for one in answer.terms if self._bounds.tells(one.term, groups)),
            freshness=tuple(one for one in answer.freshness if one.project in allowed),
        )

    async def get(self, request: DocumentRequest) -> DocumentText:
        """Return a document of ours."""
        missing = UnknownDocument(f"no document {request.path!r} in project {request.project!r}")
        try:
            await self._bounds.narrow((request.project,), ())
            reach = await self._bounds.reach(request.reach)
            if reach is None or request.project not in reach.visible:
                raise missing
            text = await self._docs.get(replace(request, reach=reach))
        except (UnknownDocument, UnknownProject):
            raise missing from None
        if text.document.project not in reach.visible:
            raise missing
        fresh = tuple(one for one in text.freshness if one.project in reach.visible)
        return replace(text, freshness=fresh)


def _without_others(hit: DocHit, allowed: frozenset[str]) -> DocHit:
    return replace(hit, also_in=tuple(one for one in hit.also_in if one in allowed))


class ScopedGlossary:
    """Terms of our projects, and of the groups they are in."""

    def __init__(self, glossary: GlossaryApi, bounds: Bounds) -> None:
        self._glossary = glossary
        self._bounds = bounds

    async def search(self, request: TermsRequest) -> TermsAnswer:
        """Return terms like a question."""
        reach = await self._bounds.reach(request.reach)
        if reach is None:
            return TermsAnswer((), 0)
        answer = await _in_our_words(self._glossary.search(replace(request, reach=reach)))
        return await self._told(answer)

    async def list(self, reach: Reach, limit: int, ids: tuple[str, ...] = ()) -> TermsAnswer:
        """Return terms by name, or those of these ids."""
        narrowed = await self._bounds.reach(reach)
        if narrowed is None:
            return TermsAnswer((), 0, missing=missing_of(ids, ()))
        told = await self._told(await _in_our_words(self._glossary.list(narrowed, limit, ids)))
        return replace(told, missing=missing_of(ids, {one.term.id for one in told.terms}))

    async def _told(self, answer: TermsAnswer) -> TermsAnswer:
        groups = await self._bounds.groups()
        terms: tuple[TermHit, ...] = tuple(
            one for one in answer.terms if self._bounds.tells(one.term, groups)
        )
        total = answer.total - (len(answer.terms) - len(terms))
        return replace(answer, terms=terms, total=total)

    async def record(self, draft: TermDraft, reach: Reach) -> Recorded:
        """Write a term of a project of ours, or of a whole group of ours."""
        narrowed = await self._bounds.for_writing(draft, reach)
        return await _in_our_words(self._glossary.record(draft, narrowed))

    async def delete(self, ids: tuple[str, ...], reach: Reach) -> Deleted:
        """Delete terms that may be told."""
        narrowed = await self._bounds.reach(reach)
        if narrowed is None:
            return Deleted((), ids)
        return await _in_our_words(self._glossary.delete(ids, narrowed))


class ScopedMemory:
    """Cards of our projects, and of the groups they are in."""

    def __init__(self, memory: MemoryApi, bounds: Bounds) -> None:
        self._memory = memory
        self._bounds = bounds

    async def context(self, request: ContextRequest) -> ContextAnswer:
        """Return what the memory of our projects says."""
        reach = await self._bounds.reach(request.reach)
        if reach is None:
            return ContextAnswer(request.question, (), {})
        answer = await _in_our_words(self._memory.context(replace(request, reach=reach)))
        hits = await self._told(answer.hits)
        known = await self._bounds.groups() | {one.card.group for one in hits}
        counts = {name: number for name, number in answer.counts.items() if name in known}
        return replace(answer, hits=hits, counts=counts)

    async def _told(self, hits: Iterable[CardHit]) -> tuple[CardHit, ...]:
        groups = await self._bounds.groups()
        return tuple(
            replace(one, checks=self._bounds.checks(one.checks))
            for one in hits
            if self._bounds.tells(one.card, groups)
        )

    async def record(self, draft: CardDraft, reach: Reach) -> Recorded:
        """Write a card of a project of ours, or of a whole group of ours."""
        narrowed = await self._bounds.for_writing(draft, reach)
        return await _in_our_words(self._memory.record(draft, narrowed))

    async def list(self, request: CardsRequest) -> CardsAnswer:
        """Return cards of ours."""
        reach = await self._bounds.reach(request.reach)
        if reach is None:
            return CardsAnswer((), "", missing=missing_of(request.ids, ()))
        answer = await _in_our_words(self._memory.list(replace(request, reach=reach)))
        cards = await self._told(answer.cards)
        missing = missing_of(request.ids, {one.card.id for one in cards})
        return replace(answer, cards=cards, missing=missing)

    async def delete(self, ids: tuple[str, ...], reach: Reach) -> Deleted:
        """Delete cards that may be told."""
        narrowed = await self._bounds.reach(reach)
        if narrowed is None:
            return Deleted((), ids)
        return await _in_our_words(self._memory.delete(ids, narrowed))

    async def suggest(self, reach: Reach, limit: int) -> SuggestionsAnswer:
        """Return places of ours that deserve a card."""
        narrowed = await self._bounds.reach(reach)
        if narrowed is None:
            return SuggestionsAnswer(())
        answer = await _in_our_words(self._memory.suggest(narrowed, limit))
        kept = tuple(one for one in answer.suggestions if one.project in self._bounds.allowed)
        return replace(answer, suggestions=kept)

    async def stats(self, reach: Reach) -> tuple[MemoryStats, ...]:
        """Return what the memory of each group of ours holds."""
        narrowed = await self._bounds.reach(reach)
        if narrowed is None:
            return ()
        groups = await self._bounds.groups()
        every = await _in_our_words(self._memory.stats(narrowed))
        return tuple(one for one in every if one.group in groups)

    async def export_files(self, reach: Reach) -> tuple[NoteFile, ...]:
        """Return the notes that may be told as files."""
        narrowed = await self._bounds.reach(reach)
        return () if narrowed is None else await _in_our_words(self._memory.export_files(narrowed))

    async def import_files(
        self, files: tuple[NoteFile, ...], reach: Reach, *, dry_run: bool = False
    ) -> tuple[Imported, ...]:
        """Write what the files say of our projects and groups."""
        narrowed = await self._bounds.reach(reach)
        if narrowed is None:
            raise UnknownProject("none of the projects that are answered about is registered")
        return await _in_our_words(self._memory.import_files(files, narrowed, dry_run=dry_run))

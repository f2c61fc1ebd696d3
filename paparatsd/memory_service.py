"""The use cases about the architectural memory: who asks sees what they may, and what is there."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from paparatsd.anchor_checks import AnchorChecks
from paparatsd.component_suggestions import suggestions
from paparatsd.errors import BadQuery
from paparatsd.glossary_service import sight
from paparatsd.knowledge.card_files import files_of
from paparatsd.knowledge.card_import import ImportParts, import_all, value_of
from paparatsd.knowledge.cards import card_of, checked
from paparatsd.knowledge.deleting import delete_notes
from paparatsd.knowledge.glossary import Glossary
from paparatsd.knowledge.memory import CARD_KINDS, Memory, Taken
from paparatsd.knowledge.recall import figures, files_in, is_about, look, of_ids, page, path_in
from paparatsd.knowledge.succession import joined_anew
from paparatsd.knowledge_limits import MAX_FILES, MAX_SUGGESTIONS
from paparatsd.knowledge_model import (
    Card,
    CardHit,
    CardKind,
    CardsAnswer,
    CardStatus,
    ContextAnswer,
    Decision,
    Outcome,
    SuggestionsAnswer,
)
from paparatsd.model import GroupName

if TYPE_CHECKING:
    import builtins
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from paparatsd.answerable import Answerable
    from paparatsd.clock import Clock
    from paparatsd.graph_service import GraphService
    from paparatsd.history_service import HistoryService
    from paparatsd.knowledge.notes import Notes
    from paparatsd.knowledge.reach import Sight
    from paparatsd.knowledge_model import (
        CardDraft,
        CardsRequest,
        ContextRequest,
        Deleted,
        Imported,
        MemoryStats,
        NoteFile,
        Reach,
        Recorded,
    )
    from paparatsd.store.notes import Note


class MemoryService:
    """Implements interfaces.api.MemoryApi over the notes, the catalog, the graph and history."""

    def __init__(
        self,
        notes: Notes,
        answerable: Answerable,
        clock: Clock,
        graph: GraphService,
        history: HistoryService,
        catalog: Path,
    ) -> None:
        self._notes = notes
        self._answerable = answerable
        self._clock = clock
        self._graph = graph
        self._memory = Memory(notes, clock)
        self._checks = AnchorChecks(catalog, answerable, history)

    async def _sight(self, reach: Reach) -> Sight:
        return await sight(reach, self._answerable, self._notes)

    # ------------------------------------------------------------------ reading

    async def context(self, request: ContextRequest) -> ContextAnswer:
        """Return what memory says of a question or of files."""
        seen = await self._sight(request.reach)
        projects = frozenset(request.reach.projects)
        hits: list[CardHit] = []
        counts: dict[GroupName, int] = {}
        told: dict[str, None] = {}
        moved = await self._moved(request, seen)
        for group in map(GroupName, seen.asked(request.reach)):
            found = await look(self._notes, group, request, projects, seen.sees, moved)
            hits += found.hits
            counts[group] = found.cards
            told.update(dict.fromkeys(found.notes))
        hits = await self._without_hidden(hits, seen)
        shown, notes = await self._with_checks(hits, seen, wanted=request.checked)
        return ContextAnswer(request.question, shown, counts, (*told, *notes))

    async def _moved(self, request: ContextRequest, seen: Sight) -> Mapping[str, frozenset[str]]:
        """Return where what cards name is now; looked up only when files are asked about."""
        if not (request.checked and files_in(request.question)):
            return {}
        notes = await self._told(request.reach, seen, CARD_KINDS)
        went = await self._checks.moved([card_of(note) for note in notes], seen.visible)
        return {ident: frozenset(map(path_in, places)) for ident, places in went.items()}

    async def _with_checks(
        self, hits: builtins.list[CardHit], seen: Sight, *, wanted: bool
    ) -> tuple[tuple[CardHit, ...], tuple[str, ...]]:
        if not wanted:
            return tuple(hits), ()
        return await self._checks.checked(hits, seen.visible)

    async def _without_hidden(
        self, hits: builtins.list[CardHit], seen: Sight
    ) -> builtins.list[CardHit]:
        """Return the hits; they name no card that whoever asks may not hear of."""
        if seen.visible is None:
            return hits
        named = {one for hit in hits for one in _names_cards(hit.card)}
        there = {note.id for note in await self._notes.get(named) if seen.sees(note)}
        return [replace(hit, card=_naming_only(hit.card, there)) for hit in hits]

    async def list(self, request: CardsRequest) -> CardsAnswer:
        """Return cards, oldest first; with `checked` also what became of what they name.

        An id of `ids` that is out of reach is missing like one that does not exist.
        """
        if request.ids and request.cursor:
            raise BadQuery("a list of ids has no cursor; ask for other ids instead")
        seen = await self._sight(request.reach)
        notes = await self._told(request.reach, seen, CARD_KINDS)
        missing: tuple[str, ...] = ()
        if request.ids:
            (shown, missing), cursor = of_ids(notes, request.kinds, request.ids), ""
        else:
            shown, cursor = page(
                notes,
                request.kinds,
                history=request.history,
                limit=request.limit,
                cursor=request.cursor,
            )
        hits = await self._without_hidden([CardHit(card_of(note), 0.0) for note in shown], seen)
        cards, told = await self._with_checks(hits, seen, wanted=request.checked)
        return CardsAnswer(cards, cursor, told, missing)

    async def _told(
        self, reach: Reach, seen: Sight, kinds: tuple[str, ...] = ()
    ) -> builtins.list[Note]:
        """Return the notes that are asked about and may be told, by group."""
        projects = frozenset(reach.projects)
        return [
            note
            for group in seen.asked(reach)
            for note in await self._notes.all_of(group, kinds)
            if seen.sees(note) and is_about(note, projects)
        ]

    async def stats(self, reach: Reach) -> tuple[MemoryStats, ...]:
        """Return what the memory of each group holds."""
        seen = await self._sight(reach)
        notes = await self._told(reach, seen)
        return tuple(
            figures(GroupName(group), [note for note in notes if note.group == group])
            for group in seen.asked(reach)
        )

    async def embed(self, reach: Reach) -> int:
        """Embed what has no vector of the model in use; return how many cards are within reach."""
        await self._sight(reach)
        await self._notes.refill()
        return sum(one.cards for one in await self.stats(reach))

    async def suggest(self, reach: Reach, limit: int) -> SuggestionsAnswer:
        """Return places that much is built on and that no component card is about."""
        if not 1 <= limit <= MAX_SUGGESTIONS:
            raise BadQuery(f"limit is {limit}; it must be between 1 and {MAX_SUGGESTIONS}")
        seen = await self._sight(reach)
        groups = seen.asked(reach)
        projects = [
            project
            for project in self._answerable.everything().projects
            if project.group in groups and (not reach.projects or project.name in reach.projects)
            if seen.visible is None or project.name in seen.visible
        ]
        cards = [
            card_of(note)
            for group in groups
            for note in await self._notes.all_of(group, (CardKind.COMPONENT.value,))
            if seen.sees(note) and note.status == CardStatus.ACCEPTED.value
        ]
        moved = await self._checks.moved(cards, seen.visible)
        return await suggestions(self._graph, projects, cards, limit, moved)

    # ------------------------------------------------------------------ writing

    async def record(self, draft: CardDraft, reach: Reach) -> Recorded:
        """Write a card, unless another one says the same, or nearly. Raises StateUnwritable."""
        seen = await self._sight(reach)
        seen.check_place(draft.group, draft.project)
        draft = checked(draft)
        taken, problems = await self._checks.taken(
            draft.group, draft.project, Taken.of(draft), seen.visible
        )
        answer = await self._memory.record(draft, taken, seen.sees)
        if answer.outcome in (Outcome.CREATED, Outcome.UPDATED):
            answer = replace(answer, notes=(*answer.notes, *problems))
        return answer

    async def delete(self, ids: tuple[str, ...], reach: Reach) -> Deleted:
        """Delete cards; what is out of reach is missing like what does not exist.

        A decision that a deleted one superseded holds again.
        """
        seen = await self._sight(reach)

        def mend(gone: Sequence[Note], beside: Iterable[Note]) -> list[Note]:
            return joined_anew(gone, beside, self._clock.now())

        return await delete_notes(self._notes, ids, CARD_KINDS, seen.told(reach), mend)

    # ------------------------------------------------------------------ files

    async def export_files(self, reach: Reach) -> tuple[NoteFile, ...]:
        """Return cards and terms as markdown files, by name; those that do not hold as well."""
        seen = await self._sight(reach)
        notes = [value_of(note) for note in await self._told(reach, seen)]
        return await asyncio.to_thread(files_of, notes)

    async def import_files(
        self, files: tuple[NoteFile, ...], reach: Reach, *, dry_run: bool = False
    ) -> tuple[Imported, ...]:
        """Write what the files say; one that cannot be used changes nothing and says why."""
        if len(files) > MAX_FILES:
            raise BadQuery(f"{len(files)} files; at most {MAX_FILES} at once")
        seen = await self._sight(reach)

        async def take(card: Card) -> Taken:
            held = Taken(card.file_anchors, card.anchors)
            taken, _ = await self._checks.taken(
                card.group, card.project, held, seen.visible, only_new=True
            )
            return taken

        glossary = Glossary(self._notes, self._clock)
        parts = ImportParts(self._notes, self._memory, glossary, self._clock, take)
        return await import_all(parts, files, seen, dry=dry_run)


def _names_cards(card: Card) -> tuple[str, ...]:
    """Return the ids of the cards that a card names."""
    older = card.body.supersedes if isinstance(card.body, Decision) else None
    return tuple(one for one in (older, card.superseded_by) if one)


def _naming_only(card: Card, ids: set[str]) -> Card:
    """Return a card that names none but these cards."""
    if all(one in ids for one in _names_cards(card)) or not isinstance(card.body, Decision):
        return card
    older, newer = card.body.supersedes, card.superseded_by
    body = replace(card.body, supersedes=older if older in ids else None)
    return replace(card, body=body, superseded_by=newer if newer in ids else None)

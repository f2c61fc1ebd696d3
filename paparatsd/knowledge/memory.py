"""Writing to the architectural memory: what is new is kept, what is there already is not repeated.

A card is compared with those of its kind that hold and that whoever reads it sees as well: one of a
project with its project's and the group's, one of the group with the group's alone. Another
project's card never stands in the way. Looking and writing are one step per group.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery, Conflict
from paparatsd.knowledge.cards import HOLDING, MAX_NAMED, card_of, note_of
from paparatsd.knowledge_model import (
    KIND_OF,
    Card,
    CardKind,
    CardStatus,
    Component,
    Decision,
    Deleted,
    Outcome,
    Recorded,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from paparatsd.clock import Clock
    from paparatsd.knowledge.notes import Nearest, Notes
    from paparatsd.knowledge_model import Anchor, CardDraft
    from paparatsd.store.notes import Note

CARD_KINDS = tuple(kind.value for kind in CardKind)
"""Kinds of notes that are cards."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What a draft names, with the digests of what is there now."""

    files: tuple[Anchor, ...] = ()
    anchors: tuple[Anchor, ...] = ()


class Memory:
    """Writes cards. `sees` of its calls says which notes whoever asks may hear of."""

    def __init__(
        self,
        notes: Notes,
        clock: Clock,
        new_id: Callable[[], str],
    ) -> None:
        self._notes = notes
        self._clock = clock
        self._new_id = new_id

    async def record(
        self, draft: CardDraft, taken: Taken, sees: Callable[[Note], bool]
    ) -> Recorded:
        """Write a checked draft unless its like is there.

        Raises BadQuery and Conflict for a decision to supersede that cannot be, StateUnwritable.
        """
        async with self._notes.lock(draft.group):
            if isinstance(draft.body, Component):
                return await self._component(draft, draft.body, taken)
            if isinstance(draft.body, Decision) and draft.body.supersedes:
                return await self._supersede(draft, draft.body.supersedes, taken, sees)
            return await self._gated(draft, taken)

    async def _gated(self, draft: CardDraft, taken: Taken) -> Recorded:
        near, limits = await self._nearest(draft), self._notes.thresholds
        if not near.hits or near.hits[0][1] < limits.card_similar:
            made = await self._create(draft, taken)
            label, similarity = (near.hits[0][0].label, near.hits[0][1]) if near.hits else ("", None)
            return replace(made, label=label, similarity=similarity, notes=near.notes)
        note, similarity = near.hits[0]
        if similarity < limits.card_duplicate:
            return Recorded(Outcome.SIMILAR, note.id, note.label, similarity, near.notes)
        if isinstance(draft.body, Decision):
            return Recorded(Outcome.DUPLICATE, note.id, note.label, similarity, near.notes)
        return replace(await self._confirm(note, taken, similarity), notes=near.notes)

    async def _nearest(self, draft: CardDraft) -> Nearest:
        """Return what is nearest to a draft among what it could repeat."""
        kind, project = KIND_OF[type(draft.body)].value, draft.project
        holding = {status.value for status in HOLDING}

        def may_repeat(note: Note) -> bool:
            return note.status in holding and note.project in (project, None)

        said = note_of(self._card(draft, Taken(), ""))
        return await self._notes.nearest(
            said.text, draft.group, (kind,), may_repeat, 1, query=False, label=said.label
        )

    def _card(self, draft: CardDraft, taken: Taken, ident: str) -> Card:
        now = self._clock.now()
        return Card(
            id=ident,
            group=draft.group,
            project=draft.project,
            body=draft.body,
            status=CardStatus.ACCEPTED,
            created=now,
            updated=now,
            files=draft.files,
            anchors=taken.anchors,
            file_anchors=taken.files,
        )

    async def _create(self, draft: CardDraft, taken: Taken) -> Recorded:
        card = self._card(draft, taken, self._new_id())
        await self._notes.write([note_of(card)])
        return Recorded(Outcome.CREATED, card.id)

    async def _component(self, draft: CardDraft, body: Component, taken: Taken) -> Recorded:
        """Write a component in the place of the one of its name in its project, if any."""
        there = [
            note
            for note in await self._notes.all_of(draft.group, (CardKind.COMPONENT.value,))
            if note.project == draft.project and note.payload.get("name") == body.name
        ]
        if not there:
            return await self._create(draft, taken)
        old = there[0]
        card = replace(self._card(draft, taken, old.id), created=old.created)
        await self._notes.write([note_of(card)], expected={old.id: old.updated})
        return Recorded(Outcome.UPDATED, card.id, body.name)

    async def _confirm(self, note: Note, taken: Taken, similarity: float) -> Recorded:
        """Count a lesson once more: who learns it again confirms it, where it applies now, too."""
        card = card_of(note)
        files = _joined(card.file_anchors, taken.files)
        again = replace(
            card,
            updated=self._clock.now(),
            confirmations=card.confirmations + 1,
            files=tuple(one.at for one in files),
            file_anchors=files,
            anchors=_joined(card.anchors, taken.anchors),
        )
        await self._notes.write([note_of(again)], expected={note.id: note.updated})
        return Recorded(Outcome.UPDATED, note.id, note.label, similarity)

    async def _supersede(
        self, draft: CardDraft, ident: str, taken: Taken, sees: Callable[[Note], bool]
    ) -> Recorded:
        """Write a decision and mark the one whose place it takes, both or neither."""
        old = await self._superseded(draft, ident, sees)
        card = self._card(draft, taken, self._new_id())
        gone = replace(
            card_of(old),
            status=CardStatus.SUPERSEDED,
            superseded_by=card.id,
            updated=self._clock.now(),
        )
        await self._notes.write([note_of(card), note_of(gone)], expected={old.id: old.updated})
        return Recorded(Outcome.CREATED, card.id, notes=(f"It supersedes {old.label!r}.",))

    async def _superseded(
        self, draft: CardDraft, ident: str, sees: Callable[[Note], bool]
    ) -> Note:
        found = [
            note
            for note in await self._notes.get([ident])
            if note.group == draft.group and note.kind in CARD_KINDS and sees(note)
        ]
        if not found:
            raise BadQuery(f"supersedes: no decision {ident!r} in the group {draft.group!r}")
        (note,) = found
        if note.kind != CardKind.DECISION.value:
            raise BadQuery(f"supersedes: {ident} is a {note.kind}, not a decision: {note.label!r}")
        by = card_of(note).superseded_by
        if note.status == CardStatus.SUPERSEDED.value:
            newer = [one for one in await self._notes.get([by] if by else []) if sees(one)]
            said = f" by {newer[0].id} ({newer[0].label!r})" if newer else ""
            raise Conflict(
                f"the decision {ident} ({note.label!r}) is superseded{said} already; supersede "
                "the one that holds"
            )
        return note

    async def delete(
        self, ids: Collection[str], kinds: Collection[str], sees: Callable[[Note], bool]
    ) -> Deleted:
        """Delete what there is of these ids; the rest is missing."""
        asked = list(dict.fromkeys(ids))
        found = [one for one in await self._notes.get(asked) if one.kind in kinds and sees(one)]
        async with AsyncExitStack() as held:
            for group in sorted({note.group for note in found}):
                await held.enter_async_context(self._notes.lock(group))
            found = [one for one in await self._notes.get([one.id for one in found])]
            gone = {note.id for note in found}
            if gone:
                await self._notes.delete([note.id for note in found])
        return Deleted(
            tuple(one for one in asked if one in gone),
            tuple(one for one in asked if one not in gone),
        )


def _joined(old: tuple[Anchor, ...], new: tuple[Anchor, ...]) -> tuple[Anchor, ...]:
    """Return what a card names with what was named again or besides, at most as much as fits."""
    found = {one.at: one for one in old}
    found |= {one.at: one for one in new if one.digest or one.at not in found}
    return tuple(found.values())[:MAX_NAMED]

"""Writing to the architectural memory: what is new is kept, what is there already is not repeated.

A card is compared with those of its kind that hold and that whoever reads it sees as well: one of a
project with its project's and the group's, one of the group with the group's alone. Another
project's card never stands in the way. Looking and writing are one step per group.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery, Conflict
from paparatsd.knowledge.cards import HOLDING, card_of, note_of
from paparatsd.knowledge_limits import MAX_NAMED
from paparatsd.knowledge_model import (
    KIND_OF,
    Anchor,
    Card,
    CardKind,
    CardStatus,
    Component,
    Decision,
    Outcome,
    Recorded,
)
from paparatsd.store.ids import note_id

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paparatsd.clock import Clock
    from paparatsd.knowledge.notes import Nearest, Notes
    from paparatsd.knowledge_model import CardDraft
    from paparatsd.store.notes import Note

CARD_KINDS = tuple(kind.value for kind in CardKind)
"""Kinds of notes that are cards."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What a draft names, with the digests of what is there now."""

    files: tuple[Anchor, ...] = ()
    anchors: tuple[Anchor, ...] = ()

    @classmethod
    def of(cls, draft: CardDraft) -> Taken:
        """Return what a draft names, nothing of it looked at."""
        return cls(tuple(map(Anchor, draft.files)), tuple(map(Anchor, draft.anchors)))


@dataclass(frozen=True, slots=True)
class _Written:
    """What is to be written, and as what must still be there (`Notes.write`)."""

    notes: tuple[Note, ...] = ()
    expected: Mapping[str, float] = field(default_factory=dict)
    new: str = ""
    """The id of what is not there yet."""


class Memory:
    """Writes cards. `sees` of its calls says which notes whoever asks may hear of."""

    def __init__(self, notes: Notes, clock: Clock) -> None:
        self._notes = notes
        self._clock = clock

    async def record(
        self,
        draft: CardDraft,
        taken: Taken,
        sees: Callable[[Note], bool],
        *,
        status: CardStatus = CardStatus.ACCEPTED,
        dry: bool = False,
        confirms: bool = True,
    ) -> Recorded:
        """Write a checked draft unless its like is there; `dry`: only say what would be done.

        A lesson that is there already is confirmed, or a duplicate like any other card when the
        draft does not say that it was learned once more (`confirms`).
        Raises BadQuery and Conflict for a decision to supersede that cannot be, StateUnwritable.
        """
        async with self._notes.lock(draft.group):
            if isinstance(draft.body, Component):
                answer, written = await self._component(draft, draft.body, taken)
            elif isinstance(draft.body, Decision) and draft.body.supersedes:
                answer, written = await self._supersede(draft, draft.body.supersedes, taken, sees)
            else:
                answer, written = await self._gated(draft, taken, confirms=confirms)
            if written.notes and not dry:
                notes = [
                    replace(note, status=status.value) if note.id == written.new else note
                    for note in written.notes
                ]
                await self._notes.write(notes, expected=written.expected)
        return answer

    async def _gated(
        self, draft: CardDraft, taken: Taken, *, confirms: bool
    ) -> tuple[Recorded, _Written]:
        near, limits = await self._nearest(draft), self._notes.thresholds
        if not near.hits:
            made, written = self._create(draft, taken)
            return replace(made, notes=near.notes), written
        note, similarity = near.hits[0]
        told = Recorded(Outcome.SIMILAR, note.id, note.label, similarity, near.notes)
        if similarity < limits.card_similar:
            made, written = self._create(draft, taken)
            return replace(told, outcome=made.outcome, id=made.id), written
        if similarity < limits.card_duplicate:
            return told, _Written()
        if isinstance(draft.body, Decision) or not confirms:
            return replace(told, outcome=Outcome.DUPLICATE), _Written()
        return replace(told, outcome=Outcome.UPDATED), self._confirm(note, taken)

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

    def _create(self, draft: CardDraft, taken: Taken) -> tuple[Recorded, _Written]:
        card = self._card(draft, taken, note_id(self._clock.now()))
        return Recorded(Outcome.CREATED, card.id), _Written((note_of(card),), new=card.id)

    async def _component(
        self, draft: CardDraft, body: Component, taken: Taken
    ) -> tuple[Recorded, _Written]:
        """Write a component in the place of the one of its name in its project, if any."""
        there = [
            note
            for note in await self._notes.all_of(draft.group, (CardKind.COMPONENT.value,))
            if note.project == draft.project and note.payload.get("name") == body.name
        ]
        if not there:
            return self._create(draft, taken)
        old = there[0]
        card = replace(self._card(draft, taken, old.id), created=old.created)
        answer = Recorded(Outcome.UPDATED, card.id, body.name)
        return answer, _Written((note_of(card),), {old.id: old.updated})

    def _confirm(self, note: Note, taken: Taken) -> _Written:
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
        return _Written((note_of(again),), {note.id: note.updated})

    async def _supersede(
        self, draft: CardDraft, ident: str, taken: Taken, sees: Callable[[Note], bool]
    ) -> tuple[Recorded, _Written]:
        """Write a decision and mark the one whose place it takes, both or neither."""
        old = await self._superseded(draft, ident, sees)
        card = self._card(draft, taken, note_id(self._clock.now()))
        gone = replace(
            card_of(old),
            status=CardStatus.SUPERSEDED,
            superseded_by=card.id,
            updated=self._clock.now(),
        )
        answer = Recorded(Outcome.CREATED, card.id, notes=(f"It supersedes {old.label!r}.",))
        return answer, _Written((note_of(card), note_of(gone)), {old.id: old.updated}, card.id)

    async def _superseded(self, draft: CardDraft, ident: str, sees: Callable[[Note], bool]) -> Note:
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


def _joined(old: tuple[Anchor, ...], new: tuple[Anchor, ...]) -> tuple[Anchor, ...]:
    """Return what a card names with what was named again or besides, at most as much as fits."""
    found = {one.at: one for one in old}
    found |= {one.at: one for one in new if one.digest or one.at not in found}
    return tuple(found.values())[:MAX_NAMED]

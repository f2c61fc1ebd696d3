"""What becomes of decisions when one that took the place of another is deleted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from paparatsd.knowledge.cards import card_of, note_of
from paparatsd.knowledge_model import CardKind, CardStatus, Decision

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paparatsd.knowledge_model import Card
    from paparatsd.store.notes import Note


def joined_anew(gone: Sequence[Note], all_notes: Iterable[Note], now: float) -> list[Note]:
    """Return the notes that change when `gone` go: neighbours in a line of decisions.

    What is deleted was never true, so what it superseded holds again, or is superseded by what
    came after. `all_notes` are those of the groups concerned, with or without `gone`.
    """
    out = {one.id: card_of(one) for one in gone if one.kind == CardKind.DECISION.value}
    if not out:
        return []
    changed = []
    for note in all_notes:
        if note.kind != CardKind.DECISION.value or note.id in out:
            continue
        card = card_of(note)
        fixed = _without(card, out)
        if fixed != card:
            changed.append(note_of(replace(fixed, updated=now)))
    return changed


def _without(card: Card, out: dict[str, Card]) -> Card:
    """Return a decision that names none of `out`."""
    newer = card.superseded_by
    if newer in out:
        while newer is not None and newer in out:
            newer = out[newer].superseded_by
        status = CardStatus.SUPERSEDED if newer else CardStatus.ACCEPTED
        card = replace(card, superseded_by=newer, status=status)
    older = _older(card)
    if older in out:
        while older is not None and older in out:
            older = _older(out[older])
        body = card.body
        if isinstance(body, Decision):
            card = replace(card, body=replace(body, supersedes=older))
    return card


def _older(card: Card) -> str | None:
    return card.body.supersedes if isinstance(card.body, Decision) else None

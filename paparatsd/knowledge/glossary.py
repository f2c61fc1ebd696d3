"""The glossary: terms written once, found by their names first and by likeness else.

A term belongs to a project or to the whole group; its name there names it. A term is compared only
with those that whoever reads it sees as well: one of a project with its project's and the group's,
one of the group with the group's alone. What goes wrong is raised and never reads as "nothing".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from paparatsd.knowledge.folding import bare, name_key, names_in, text_key
from paparatsd.knowledge.terms import TERM, checked, note_of, term_of
from paparatsd.knowledge_model import (
    Outcome,
    Recorded,
    Term,
    TermHit,
)
from paparatsd.store.ids import note_id

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from paparatsd.clock import Clock
    from paparatsd.knowledge.notes import Notes
    from paparatsd.knowledge.shelf import Named
    from paparatsd.knowledge_model import TermDraft
    from paparatsd.store.notes import Note

    Accept = Callable[[Note], bool]


class FoundTerms(NamedTuple):
    """Terms best first, and sentences on how they were found."""

    hits: tuple[TermHit, ...]
    notes: tuple[str, ...] = ()


class Glossary:
    """Reads and writes terms. `accept` of its calls says which may be told."""

    def __init__(self, notes: Notes, clock: Clock) -> None:
        self._notes = notes
        self._clock = clock

    # ------------------------------------------------------------------ writing

    async def record(self, draft: TermDraft) -> Recorded:
        """Write a term in the place of the one of its name there, or a new one unless repeated.

        Raises BadQuery for a draft that cannot be written, StateUnwritable.
        """
        draft = checked(draft)
        async with self._notes.lock(draft.group):
            same = [
                one.note
                for one in await self._notes.named(draft.term, draft.group, (TERM,))
                if one.by_label and one.note.project == draft.project
            ]
            exact = [one for one in same if one.label == draft.term]
            if exact:
                return await self._replace(draft, exact[0])
            if same:
                told = (
                    "It differs from the term that is there by its spelling only: record that "
                    "spelling to change its definition, or delete it first."
                )
                return Recorded(Outcome.DUPLICATE, same[0].id, same[0].label, 1.0, (told,))
            return await self._add(draft)

    async def _replace(self, draft: TermDraft, old: Note) -> Recorded:
        term = replace(self._term(draft, old.id), created=old.created)
        await self._notes.write([note_of(term)], expected={old.id: old.updated})
        return Recorded(Outcome.UPDATED, term.id, notes=await self._clashes(term))

    async def _add(self, draft: TermDraft) -> Recorded:
        term = self._term(draft, note_id(self._clock.now()))
        note = note_of(term)
        same = await self._of_this_definition(term)
        if same is not None:
            return Recorded(Outcome.DUPLICATE, same.id, same.label, 1.0)
        near = await self._notes.nearest(
            note.text, note.group, (TERM,), _seen_beside(term), 1, query=False, label=note.label
        )
        label, similarity = "", None
        if near.hits:
            found, similarity = near.hits[0]
            label = found.label
            if similarity >= self._notes.thresholds.term_duplicate:
                return Recorded(Outcome.DUPLICATE, found.id, label, similarity, near.notes)
        await self._notes.write([note])
        told = (*near.notes, *await self._clashes(term))
        return Recorded(Outcome.CREATED, term.id, label, similarity, told)

    async def _of_this_definition(self, term: Term) -> Note | None:
        """Return a note seen beside the term that means the same word for word, if any.

        Likeness looks at names as well, so that a long one could hide that.
        """
        seen, said = _seen_beside(term), text_key(term.definition)
        for one in await self._notes.all_of(term.group, (TERM,)):
            if seen(one) and text_key(term_of(one).definition) == said:
                return one
        return None

    def _term(self, draft: TermDraft, ident: str) -> Term:
        now = self._clock.now()
        return Term(
            id=ident,
            group=draft.group,
            project=draft.project,
            term=draft.term,
            definition=draft.definition,
            aliases=draft.aliases,
            created=now,
            updated=now,
        )

    async def _clashes(self, term: Term) -> tuple[str, ...]:
        """Say which names of a term lead to others that are seen beside it, too."""
        seen, names = _seen_beside(term), (term.term, *term.aliases)
        found = await self._notes.all_named(names, term.group, (TERM,))
        return tuple(
            _clash(name, one)
            for name, others in zip(names, found, strict=True)
            for one in others
            if one.note.id != term.id and seen(one.note)
        )

    # ------------------------------------------------------------------ reading

    async def search(
        self, query: str, groups: Sequence[str], accept: Accept, limit: int, floor: float
    ) -> FoundTerms:
        """Return the terms of this name or alias; else those named in the question or like it.

        A name beats an alias, and all that share an alias are found. `limit` holds for all groups
        together, `floor` for likeness.
        """
        for names in ([query], [bare(query)]):
            exact = [hit for group in groups for hit in await self._of_names(names, group, accept)]
            if exact:
                return FoundTerms(tuple(exact[:limit]))
        names = names_in(query)
        named = [hit for group in groups for hit in await self._of_names(names, group, accept)]
        hits = {hit.term.id: hit for hit in named}
        told: dict[str, None] = {}
        for group in groups:
            near = await self._notes.nearest(query, group, (TERM,), accept, limit, query=True)
            told.update(dict.fromkeys(near.notes))
            for note, score in near.hits:
                if score >= floor:
                    hits.setdefault(note.id, TermHit(term_of(note), score, exact=False))
        best = sorted(hits.values(), key=lambda hit: (not hit.exact, -hit.score))
        return FoundTerms(tuple(best[:limit]), tuple(told))

    async def _of_names(self, names: Sequence[str], group: str, accept: Accept) -> list[TermHit]:
        """Return the terms of each of the names in turn; where there is one, no aliases."""
        hits: dict[str, TermHit] = {}
        for holders in await self._notes.all_named(names, group, (TERM,)):
            found = [one for one in holders if accept(one.note)]
            chosen = [one for one in found if one.by_label] or found
            for one in sorted(chosen, key=_own_first):
                hits.setdefault(one.note.id, _exact_hit(one.note))
        return list(hits.values())

    async def listed(
        self, groups: Sequence[str], accept: Accept, limit: int
    ) -> tuple[tuple[TermHit, ...], int]:
        """Return terms by name, at most `limit` of each group, and how many there are in all."""
        hits: list[TermHit] = []
        total = 0
        for group in groups:
            notes = [one for one in await self._notes.all_of(group, (TERM,)) if accept(one)]
            total += len(notes)
            notes.sort(key=lambda one: (name_key(one.label), one.label, one.project or ""))
            hits += map(_exact_hit, notes[:limit])
        return tuple(hits), total

    async def of_ids(
        self, ids: Sequence[str], groups: Collection[str], accept: Accept
    ) -> tuple[tuple[TermHit, ...], tuple[str, ...]]:
        """Return the terms of these ids in their order, and the ids of none that may be told."""
        asked = list(dict.fromkeys(ids))
        there = {
            one.id: _exact_hit(one)
            for one in await self._notes.get(asked)
            if one.kind == TERM and one.group in groups and accept(one)
        }
        found = tuple(there[one] for one in asked if one in there)
        return found, tuple(one for one in asked if one not in there)


def _seen_beside(term: Term) -> Accept:
    """Return what says which notes are seen by whoever sees this term."""
    return lambda note: note.project in (term.project, None)


def _own_first(one: Named) -> tuple[bool, float, str]:
    return one.note.project is None, one.note.created, one.note.id


def _exact_hit(note: Note) -> TermHit:
    return TermHit(term_of(note), 1.0, exact=True)


def _clash(name: str, other: Named) -> str:
    what = "the name" if other.by_label else "an alias"
    where = "of the whole group" if other.note.project is None else f"of {other.note.project}"
    return f"{name!r} is {what} of the term {other.note.label!r} {where} as well ({other.note.id})."

"""Taking in what files say of cards and terms, one by one; nothing newer is lost to them.

A file with an id is that note: one that is not here yet is written as it stands, one that is here
is changed when the file says something else and is not older. A file without an id is a new note
and is compared with what is there like any other (`memory`, `glossary`); but to take it in again
changes nothing, and confirms no lesson, so that an import may follow each pull.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery, Conflict, UnknownProject
from paparatsd.knowledge import terms
from paparatsd.knowledge.card_files import text_of_file
from paparatsd.knowledge.card_reading import CardFileError, note_of_text
from paparatsd.knowledge.cards import card_of, check_home, note_of
from paparatsd.knowledge_model import (
    Anchor,
    Card,
    CardDraft,
    CardKind,
    CardStatus,
    Component,
    Imported,
    Outcome,
    Term,
    TermDraft,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from paparatsd.clock import Clock
    from paparatsd.knowledge.glossary import Glossary
    from paparatsd.knowledge.memory import Memory, Taken
    from paparatsd.knowledge.notes import Notes
    from paparatsd.knowledge.reach import Sight
    from paparatsd.knowledge_model import NoteFile, Recorded
    from paparatsd.store.notes import Note

CREATED, UPDATED, UNCHANGED, REFUSED = "created", "updated", "unchanged", "refused"


@dataclass(frozen=True, slots=True)
class ImportParts:
    """What an import writes with. `take` gives what a card names the digests that it lacks."""

    notes: Notes
    memory: Memory
    glossary: Glossary
    clock: Clock
    take: Callable[[Card], Awaitable[Taken]]


async def import_all(
    parts: ImportParts, files: Iterable[NoteFile], seen: Sight, *, dry: bool
) -> tuple[Imported, ...]:
    """Take in files in their order; `dry`: only say what would become of each.

    Raises StateUnwritable; what was taken in until then stays.
    """
    told: list[Imported] = []
    ids: dict[str, str] = {}
    for file, read in await asyncio.to_thread(_read, list(files)):
        if isinstance(read, CardFileError):
            told.append(Imported(file.name, REFUSED, problem=str(read)))
            continue
        try:
            _check_once(read.id, file.name, ids)
            seen.check_place(read.group, read.project)
            result = await _import_one(parts, file.name, read, seen, dry=dry)
        except (CardFileError, BadQuery, Conflict, UnknownProject) as error:
            result = Imported(file.name, REFUSED, problem=str(error))
        told.append(result)
    return tuple(told)


def _read(files: Iterable[NoteFile]) -> list[tuple[NoteFile, Card | Term | CardFileError]]:
    """Return the files with what each says, or why it cannot be used. Takes milliseconds each."""
    read: list[tuple[NoteFile, Card | Term | CardFileError]] = []
    for file in files:
        try:
            read.append((file, note_of_text(file.text)))
        except CardFileError as error:
            read.append((file, error))
    return read


def _check_once(ident: str, name: str, ids: dict[str, str]) -> None:
    """Refuse an id that another file of this import has; `ids` tells which has which."""
    if ident and ids.setdefault(ident, name) != name:
        raise CardFileError(f"its id is that of {ids[ident]}, too; leave it out for a new note")


async def _import_one(
    parts: ImportParts, name: str, note: Card | Term, seen: Sight, *, dry: bool
) -> Imported:
    if not note.id:
        return await _add(parts, name, note, seen, dry=dry)
    async with parts.notes.lock(note.group):
        found = await parts.notes.get([note.id])
        if found:
            return await _change(parts, name, note, found[0], seen, dry=dry)
        await _check_free(parts, note)
        now = parts.clock.now()
        created = min(note.created or note.updated or now, now)
        whole = replace(note, created=created, updated=max(created, min(note.updated or now, now)))
        await _write(parts, whole, {}, dry=dry)
        return Imported(name, CREATED, note.id)


# --------------------------------------------------------------------------- with an id


async def _change(
    parts: ImportParts, name: str, note: Card | Term, old: Note, seen: Sight, *, dry: bool
) -> Imported:
    """Change the note that is here to what the file says, unless that is older."""
    if not seen.sees(old) or old.group != note.group:
        raise Conflict(f"the id {note.id} cannot be used in the group {note.group!r}")
    if old.kind != _kind(note):
        raise Conflict(f"the id {note.id} is that of a {old.kind}: {old.label!r}")
    here = value_of(old)
    note = _filled(note, here)
    if _says_the_same(note, here):
        return Imported(name, UNCHANGED, note.id)
    # Files know moments to the microsecond.
    if note.updated and round(old.updated, 6) > note.updated + 5e-7:
        raise Conflict(
            f"newer here: {old.label!r} was changed on {_moment(old.updated)}, after the file of "
            f"{_moment(note.updated)}; export it, bring both together, and import it again"
        )
    await _check_free(parts, note)
    now = parts.clock.now()
    later = note.updated if old.updated < note.updated <= now else now
    changed = replace(note, created=old.created, updated=later)
    await _write(parts, changed, {old.id: old.updated}, dry=dry)
    return Imported(name, UPDATED, note.id)


def _filled(note: Card | Term, here: Card | Term) -> Card | Term:
    """Return a note whose anchors have the digests that are kept here, where it gives none."""
    if isinstance(note, Term) or isinstance(here, Term):
        return note
    known = {one.at: one for one in (*here.file_anchors, *here.anchors)}

    def fill(anchors: tuple[Anchor, ...]) -> tuple[Anchor, ...]:
        return tuple(one if one.digest else known.get(one.at, one) for one in anchors)

    return replace(note, file_anchors=fill(note.file_anchors), anchors=fill(note.anchors))


def _says_the_same(note: Card | Term, here: Card | Term) -> bool:
    """Say whether two notes differ by their moments at most, as files tell them."""
    if replace(note, created=here.created, updated=here.updated) == here:
        return True
    return _said(note) == _said(here)


def _said(note: Card | Term) -> str:
    """Return all that a file says of a note but for its moments, as it would be read again."""
    again = note_of_text(text_of_file(note))
    return text_of_file(replace(again, created=0.0, updated=0.0))


async def _check_free(parts: ImportParts, note: Card | Term) -> None:
    """Refuse a second note of a name that one alone may have. Raises BadQuery, Conflict."""
    if isinstance(note, Card):
        if not isinstance(note.body, Component):
            return
        check_home(note.body, note.project)
    label, kind = (note.term, terms.TERM) if isinstance(note, Term) else (note.label, _kind(note))
    for one, _ in await parts.notes.named(label, note.group, (kind,)):
        if (one.project, one.label) == (note.project, label) and one.id != note.id:
            raise Conflict(f"the {kind} {label!r} is here already, with the id {one.id}")


async def _write(
    parts: ImportParts, note: Card | Term, expected: dict[str, float], *, dry: bool
) -> None:
    if dry:
        return
    if isinstance(note, Term):
        await parts.notes.write([terms.note_of(note)], expected=expected)
        return
    taken = await parts.take(note)
    whole = replace(note, file_anchors=taken.files, anchors=taken.anchors)
    await parts.notes.write([note_of(whole)], expected=expected)


# --------------------------------------------------------------------------- without one


async def _add(
    parts: ImportParts, name: str, note: Card | Term, seen: Sight, *, dry: bool
) -> Imported:
    there = await _already(parts, note, seen)
    if there:
        return Imported(name, UNCHANGED, there)
    if isinstance(note, Term):
        return await _add_term(parts, name, note, dry=dry)
    draft = CardDraft(
        note.group, note.body, note.project, note.files, tuple(one.at for one in note.anchors)
    )
    check_home(note.body, note.project)
    taken = await parts.take(note)
    found = await parts.memory.record(
        draft, taken, seen.sees, status=note.status, dry=dry, confirms=False
    )
    return _told(name, found)


async def _already(parts: ImportParts, note: Card | Term, seen: Sight) -> str:
    """Return the id of a note that says all that this one says, "" when there is none."""
    label = note.term if isinstance(note, Term) else note.label
    for one in await parts.notes.named(label, note.group, (_kind(note),)):
        here = one.note
        if here.project == note.project and seen.sees(here) and _has_all(value_of(here), note):
            return here.id
    return ""


def _has_all(here: Card | Term, note: Card | Term) -> bool:
    if isinstance(here, Term) or isinstance(note, Term):
        mine = replace(here, id="", created=0.0, updated=0.0)
        return mine == replace(note, created=0.0, updated=0.0)
    held = {one.at for one in (*here.file_anchors, *here.anchors)}
    named = {one.at for one in (*note.file_anchors, *note.anchors)}
    # A decision that was superseded since comes back by its id alone, not with the next pull.
    holds = here.status is note.status or here.status is CardStatus.SUPERSEDED
    return here.body == note.body and named <= held and holds


async def _add_term(parts: ImportParts, name: str, note: Term, *, dry: bool) -> Imported:
    if not dry:
        draft = TermDraft(note.group, note.term, note.definition, note.aliases, note.project)
        return _told(name, await parts.glossary.record(draft))
    there = [
        one.note
        for one in await parts.notes.named(note.term, note.group, (terms.TERM,))
        if one.by_label and (one.note.project, one.note.label) == (note.project, note.term)
    ]
    return Imported(name, UPDATED, there[0].id) if there else Imported(name, CREATED)


def _told(name: str, found: Recorded) -> Imported:
    if found.outcome in (Outcome.CREATED, Outcome.UPDATED):
        return Imported(name, found.outcome.value, found.id)
    alike = "" if found.similarity is None else f", likeness {found.similarity:.2f}"
    what = "says what is here already" if found.outcome is Outcome.DUPLICATE else "is near one here"
    problem = (
        f"{found.outcome.value}: it {what}: {found.label!r} ({found.id}{alike}); to change that "
        "one, give the file its id"
    )
    return Imported(name, REFUSED, found.id, problem)


# --------------------------------------------------------------------------- values


def value_of(note: Note) -> Card | Term:
    """Return the term or the card that a note keeps."""
    return terms.term_of(note) if note.kind == terms.TERM else card_of(note)


def _kind(note: Card | Term) -> str:
    return terms.TERM if isinstance(note, Term) else CardKind(note.kind).value


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")

"""Terms of the glossary as notes, and back; what a draft of one may say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.knowledge.folding import name_key
from paparatsd.knowledge.plain import checked_block, checked_line, checked_lines
from paparatsd.knowledge_limits import MAX_ALIASES, MAX_DEFINITION_CHARS, MAX_TERM_CHARS
from paparatsd.knowledge_model import Term, TermDraft
from paparatsd.model import GroupName, ProjectName
from paparatsd.store.notes import Note

if TYPE_CHECKING:
    from collections.abc import Iterable

TERM = "term"
"""The kind of a note that is a term."""
ACCEPTED = "accepted"


def checked(draft: TermDraft) -> TermDraft:
    """Return a draft as it is written: cleaned, no alias twice or equal to the term.

    Raises BadQuery for what is empty or too long.
    """
    term = checked_line("term", draft.term, MAX_TERM_CHARS)
    definition = checked_block("definition", draft.definition, MAX_DEFINITION_CHARS)
    aliases = checked_lines("aliases", draft.aliases, MAX_ALIASES, MAX_TERM_CHARS)
    taken = {name_key(term)}
    kept = []
    for alias in aliases:
        key = name_key(alias)
        if key not in taken:
            taken.add(key)
            kept.append(alias)
    return TermDraft(draft.group, term, definition, tuple(kept), draft.project)


def text_of(term: str, definition: str, aliases: Iterable[str]) -> str:
    """Return what is embedded of a term."""
    also = ", ".join(aliases)
    return f"{term}\n\n{definition}" + (f"\nAlso: {also}" if also else "")


def note_of(term: Term) -> Note:
    """Return a term as a note."""
    return Note(
        id=term.id,
        kind=TERM,
        group=term.group,
        project=term.project,
        label=term.term,
        status=ACCEPTED,
        created=term.created,
        updated=term.updated,
        payload={"definition": term.definition, "aliases": list(term.aliases)},
        text=text_of(term.term, term.definition, term.aliases),
    )


def term_of(note: Note) -> Term:
    """Return the term that a note is."""
    return Term(
        id=note.id,
        group=GroupName(note.group),
        project=None if note.project is None else ProjectName(note.project),
        term=note.label,
        definition=str(note.payload["definition"]),
        aliases=tuple(map(str, note.payload["aliases"])),
        created=note.created,
        updated=note.updated,
    )

"""Cards and terms as markdown files that people review, one each: written and read.

In front are the facts as YAML, then the name as a heading, then one section (`## Context`) per
text. A line of a text that would read as the heading of a section gets a backslash in front. What
is written is read back as the same value, and that written again gives the same bytes.

Such a file is a document of the project that it lies in, too. It says itself that it is an internal
one, so that publishing a project's documents does not publish what was noted about its code; and
what it is called among them, when its heading would not say it (`title`, not read back).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from paparatsd.knowledge.terms import TERM
from paparatsd.knowledge_model import (
    Anchor,
    Card,
    CardKind,
    CardStatus,
    Component,
    Decision,
    Lesson,
    NoteFile,
    Term,
)
from paparatsd.naming import UNLABELLED
from paparatsd.plain_text import one_line
from paparatsd.plain_yaml import dump_plain_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_SLUG_CHARS = 48
MAX_TITLE_CHARS = 100

SECTIONS: Mapping[str, tuple[tuple[str, str], ...]] = {
    CardKind.COMPONENT.value: (("Summary", "summary"),),
    CardKind.DECISION.value: (
        ("Context", "context"),
        ("Decision", "decision"),
        ("Consequences", "consequences"),
        ("Rejected alternatives", "alternatives_rejected"),
    ),
    CardKind.LESSON.value: (
        ("Rule", "rule"),
        ("Why", "why"),
        ("When", "when"),
        ("Evidence", "evidence"),
    ),
    TERM: (("Definition", "definition"),),
}
"""By kind the sections in order: heading and field."""

TITLES: Mapping[str, str] = {
    CardKind.COMPONENT.value: "name",
    CardKind.DECISION.value: "title",
    TERM: "term",
}
"""The field that is the heading of the whole file; a lesson has a title among its facts instead."""

_NOT_SLUG = re.compile(r"[^a-z0-9]+")


# --------------------------------------------------------------------------- writing


def file_of(note: Card | Term) -> NoteFile:
    """Return the file of a note."""
    return NoteFile(_name(note), text_of_file(note))


def files_of(notes: Iterable[Card | Term]) -> tuple[NoteFile, ...]:
    """Return the files of notes by name; no two have the same."""
    files: dict[str, NoteFile] = {}
    for note in sorted(notes, key=lambda one: one.id):
        file = file_of(note)
        if file.name in files:  # two ids that end alike, of notes that are called alike
            file = replace(file, name=f"{file.name.removesuffix('.md')}-{note.id}.md")
        files[file.name] = file
    return tuple(files[name] for name in sorted(files))


def text_of_file(note: Card | Term) -> str:
    """Return the text of a note's file."""
    kind = TERM if isinstance(note, Term) else note.kind.value
    said = note if isinstance(note, Term) else note.body
    parts = ["---\n" + dump_plain_yaml(_facts(note, kind)) + "---\n"]
    if kind in TITLES:
        parts.append(f"# {getattr(said, TITLES[kind])}\n")
    for heading, field in SECTIONS[kind]:
        text = getattr(said, field)
        if text:
            parts.append(f"## {heading}\n\n{_escaped(text, kind)}\n")
    return "\n".join(parts)


def _facts(note: Card | Term, kind: str) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "id": note.id,
        "kind": kind,
        "title": "" if isinstance(note, Term) else _title(note),
        "group": str(note.group),
        "project": note.project and str(note.project),
        "audience": UNLABELLED,
    }
    moments = {"created": _moment(note.created), "updated": _moment(note.updated)}
    if isinstance(note, Term):
        facts |= moments | {"aliases": list(note.aliases)}
    else:
        facts |= {"status": note.status.value, **moments, **_card_facts(note)}
    return {key: value for key, value in facts.items() if value not in (None, [], "")}


def _title(card: Card) -> str:
    """Return what documents search is to show of a card, "" when its heading says all."""
    kind = card.kind.value
    if card.status is CardStatus.ACCEPTED and kind in TITLES:
        return ""
    what = kind if card.status is CardStatus.ACCEPTED else f"{card.status.value} {kind}"
    label = " ".join(one_line(card.label).split())
    if len(label) > MAX_TITLE_CHARS:
        label = label[: MAX_TITLE_CHARS - 1].rsplit(" ", 1)[0].rstrip(" ,;:.") + "\u2026"
    return f"{what.capitalize()}: {label}"


def _card_facts(card: Card) -> dict[str, Any]:
    body = card.body
    facts: dict[str, Any] = {}
    if isinstance(body, Component):
        facts["neighbours"] = list(body.neighbours)
    else:
        facts["scope"] = body.scope.value
    if isinstance(body, Lesson):
        facts |= {"severity": body.severity.value, "confirmations": card.confirmations or None}
    if isinstance(body, Decision):
        facts |= {"supersedes": body.supersedes, "superseded_by": card.superseded_by}
    facts["files"] = [_named(one) for one in card.file_anchors]
    facts["anchors"] = [_named(one) for one in card.anchors]
    return facts


def _named(anchor: Anchor) -> dict[str, str]:
    told = {"at": anchor.at, "address": anchor.address, "digest": anchor.digest}
    return {key: value for key, value in told.items() if value}


def _moment(seconds: float) -> str:
    moment = datetime.fromtimestamp(round(seconds, 6), UTC)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _name(note: Card | Term) -> str:
    """Return a file name: what it is, what it is called, and the end of its id."""
    kind = TERM if isinstance(note, Term) else note.kind.value
    label = note.term if isinstance(note, Term) else note.label
    folded = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode().lower()
    words = [word for word in _NOT_SLUG.split(folded) if word]
    slug = ""
    for word in words:
        longer = f"{slug}-{word}" if slug else word[:MAX_SLUG_CHARS]
        if len(longer) > MAX_SLUG_CHARS:
            break
        slug = longer
    tail = _NOT_SLUG.sub("", note.id.lower())[-6:]
    return "-".join(part for part in (kind, slug, tail) if part) + ".md"


def _escaped(text: str, kind: str) -> str:
    heading = heading_of(kind)
    return "\n".join("\\" + line if heading.fullmatch(line) else line for line in text.split("\n"))


def heading_of(kind: str) -> re.Pattern[str]:
    """Return what the heading of a section of this kind of note looks like.

    Its group `escape` holds the backslashes in front, `name` the heading.
    """
    names = "|".join(re.escape(heading) for heading, _ in SECTIONS[kind])
    return re.compile(rf"(?P<escape>\\*)##[ \t]+(?P<name>{names})[ \t]*")

"""Reading the files of cards and terms, as `card_files` writes them or a person does."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from paparatsd.chunks.address import MAX_ADDRESS_CHARS
from paparatsd.errors import BadQuery
from paparatsd.knowledge.card_files import SECTIONS, TITLES, heading_of
from paparatsd.knowledge.cards import checked_anchors, checked_body, checked_files
from paparatsd.knowledge.terms import TERM
from paparatsd.knowledge.terms import checked as checked_term
from paparatsd.knowledge_limits import MAX_FILE_CHARS
from paparatsd.knowledge_model import (
    Anchor,
    Card,
    CardBody,
    CardKind,
    CardScope,
    CardStatus,
    Component,
    Decision,
    Lesson,
    Severity,
    Term,
    TermDraft,
)
from paparatsd.model import GroupName, ProjectName
from paparatsd.plain_text import one_line
from paparatsd.plain_yaml import PlainYamlError, load_plain_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from enum import StrEnum

_FACTS = frozenset({
    "id", "kind", "group", "project", "status", "created", "updated", "scope", "severity",
    "audience", "title", "confirmations", "supersedes", "superseded_by", "neighbours", "aliases",
    "files", "anchors",
})  # fmt: skip
"""What may stand in front. `audience` and `title` are for who reads the file as a document."""


class CardFileError(ValueError):
    """A file that cannot be used; the message says where (`line 3: ...`) and why."""


def note_of_text(text: str) -> Card | Term:
    """Read a file; its id is "" for a new note, moments that it does not give are 0.

    Raises CardFileError.
    """
    if len(text) > MAX_FILE_CHARS:
        raise CardFileError(f"it has {len(text)} characters; at most {MAX_FILE_CHARS} are read")
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    facts, first = _front(lines)
    where = {line.partition(":")[0]: at for at, line in enumerate(lines[:first], 1)}
    try:
        return _note(lines, facts, first, where)
    except (BadQuery, CardFileError) as error:
        raise CardFileError(_placed(str(error), where)) from None


def _placed(problem: str, where: Mapping[str, int]) -> str:
    """Return what is wrong with the line that it is about, if it says no line itself.

    Problems begin with the name of the field that they are about.
    """
    match = re.match(r"\w+", problem)
    line = where.get(match[0], 0) if match is not None else 0
    return f"line {line}: {problem}" if line else problem


def _note(
    lines: Sequence[str], facts: Mapping[str, Any], first: int, where: dict[str, int]
) -> Card | Term:
    """Return what a file says; `where` is told the lines of its sections."""
    kind = _word(facts, "kind", tuple(SECTIONS))
    said = _said(lines, first, kind, where)
    group, named = GroupName(_needed(facts, "group")), _text(facts, "project")
    project = ProjectName(named) if named else None
    common: dict[str, Any] = {
        "id": _ident(facts, "id"),
        "group": group,
        "project": project,
        "created": _seconds(facts, "created"),
        "updated": _seconds(facts, "updated"),
    }
    if kind == TERM:
        aliases = tuple(_texts(facts, "aliases"))
        draft = checked_term(TermDraft(group, said["term"], said["definition"], aliases, project))
        return Term(term=draft.term, definition=draft.definition, aliases=draft.aliases, **common)
    files, anchors = _anchors(facts, "files"), _anchors(facts, "anchors")
    card = Card(
        body=checked_body(_body(CardKind(kind), facts, said)),
        status=CardStatus(_word(facts, "status", _values(CardStatus), CardStatus.ACCEPTED.value)),
        files=tuple(one.at for one in files),
        file_anchors=files,
        anchors=anchors,
        confirmations=_number(facts, "confirmations"),
        superseded_by=_ident(facts, "superseded_by") or None,
        **common,
    )
    return _with_tidy_names(card)


def _with_tidy_names(card: Card) -> Card:
    """Return a card whose files and anchors are as they would be written by a draft."""
    files = checked_files(card.files)
    anchors = checked_anchors([one.at for one in card.anchors])
    by_file = dict(zip(card.files, card.file_anchors, strict=True))
    file_anchors = {
        new: replace(by_file[old], at=new) for old, new in files.items()
    }  # two spellings of one path are one
    old_anchors = {one.at: one for one in card.anchors}
    new_anchors = {new: replace(old_anchors[old], at=new) for old, new in anchors.items()}
    return replace(
        card,
        files=tuple(file_anchors),
        file_anchors=tuple(file_anchors.values()),
        anchors=tuple(new_anchors.values()),
    )


def _front(lines: Sequence[str]) -> tuple[dict[str, Any], int]:
    """Return the facts in front, and the number (from 0) of the first line after them."""
    if not lines or lines[0].rstrip() != "---":
        raise CardFileError("line 1: the facts of the note come first, between two lines `---`")
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)
    if not end:
        raise CardFileError("line 1: the line `---` that ends the facts is missing")
    try:
        # With an empty line for the first `---`, lines are counted as in the file.
        facts = load_plain_yaml("\n" + "\n".join(lines[1:end]) + "\n", max_nodes=5_000)
    except PlainYamlError as error:
        raise CardFileError(str(error)) from None
    if not isinstance(facts, dict):
        raise CardFileError("line 2: the facts must be lines like `kind: decision`")
    unknown = sorted(set(facts) - _FACTS)
    if unknown:
        at = next(at for at, line in enumerate(lines, 1) if line.startswith(unknown[0]))
        raise CardFileError(f"line {at}: nothing is known as {unknown[0]!r}")
    return facts, end + 1


def _said(lines: Sequence[str], first: int, kind: str, where: dict[str, int]) -> dict[str, str]:
    """Return the texts by field: the heading of the file, and its sections."""
    heading, fields = heading_of(kind), dict(SECTIONS[kind])
    title = TITLES.get(kind, "")
    texts: dict[str, list[str]] = {}
    field = ""
    for number, line in enumerate(lines[first:], first + 1):
        match = heading.fullmatch(line)
        if match is not None and not match["escape"]:
            field = fields[match["name"]]
            if field in texts:
                raise CardFileError(
                    f"line {number}: the section `## {match['name']}` is there twice; put a "
                    "backslash in front of a line that is not the heading of one"
                )
            texts[field], where[field] = [], number
        elif field:
            texts[field].append(line[1:] if match is not None else line)
        elif line.startswith("# ") and title and title not in texts:
            texts[title], where[title] = [line[2:]], number
        elif line.strip():
            raise CardFileError(f"line {number}: this is in no section: {line.strip()[:60]!r}")
    if title and title not in texts:
        raise CardFileError(f"line {first + 1}: the {title} is missing, as a heading: `# ...`")
    return {"definition": "", **{key: "\n".join(value) for key, value in texts.items()}}


def _body(kind: CardKind, facts: Mapping[str, Any], said: Mapping[str, str]) -> CardBody:
    if kind is CardKind.COMPONENT:
        near = tuple(_texts(facts, "neighbours"))
        return Component(said["name"], said.get("summary", ""), near)
    scope = CardScope(_word(facts, "scope", _values(CardScope), CardScope.GLOBAL.value))
    if kind is CardKind.DECISION:
        return Decision(
            title=said["title"],
            context=said.get("context", ""),
            decision=said.get("decision", ""),
            consequences=said.get("consequences", ""),
            alternatives_rejected=said.get("alternatives_rejected", ""),
            scope=scope,
            supersedes=_ident(facts, "supersedes") or None,
        )
    return Lesson(
        rule=said.get("rule", ""),
        why=said.get("why", ""),
        when=said.get("when", ""),
        scope=scope,
        severity=Severity(_word(facts, "severity", _values(Severity), Severity.INFO.value)),
        evidence=said.get("evidence", "") or None,
    )


# --------------------------------------------------------------------------- facts


def _text(facts: Mapping[str, Any], key: str) -> str:
    value = facts.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise CardFileError(f"{key} must be text; put it into quotes")
    return value.strip()


def _needed(facts: Mapping[str, Any], key: str) -> str:
    value = _text(facts, key)
    if not value:
        raise CardFileError(f"{key} is missing among the facts in front")
    return value


def _word(
    facts: Mapping[str, Any], key: str, allowed: Sequence[str], default: str | None = None
) -> str:
    value = _text(facts, key) or default or _needed(facts, key)
    if value not in allowed:
        raise CardFileError(f"{key} is {value!r}; it must be one of {', '.join(allowed)}")
    return value


def _values(enum: type[StrEnum]) -> tuple[str, ...]:
    return tuple(one.value for one in enum)


def _texts(facts: Mapping[str, Any], key: str) -> Iterable[str]:
    values = facts.get(key) or []
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise CardFileError(f"{key} must be a list of texts")
    return values


def _number(facts: Mapping[str, Any], key: str) -> int:
    value = facts.get(key) or 0
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 1_000_000:
        raise CardFileError(f"{key} must be a number of times")
    return value


def _ident(facts: Mapping[str, Any], key: str) -> str:
    value = _text(facts, key)
    try:
        return str(UUID(value)) if value else ""
    except ValueError:
        raise CardFileError(f"{key} is {value[:60]!r}, which is no id of a note") from None


def _seconds(facts: Mapping[str, Any], key: str) -> float:
    value = _text(facts, key)
    if not value:
        return 0.0
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise CardFileError(f"{key} is {value[:60]!r}; write 2026-11-30T12:00:00Z") from None


def _anchors(facts: Mapping[str, Any], key: str) -> tuple[Anchor, ...]:
    values = facts.get(key) or []
    if not isinstance(values, list):
        raise CardFileError(f"{key} must be a list")
    return tuple(_anchor(one, key) for one in values)


def _anchor(value: object, key: str) -> Anchor:
    if isinstance(value, str):
        return Anchor(value)
    if not isinstance(value, dict) or not set(value) <= {"at", "address", "digest"}:
        raise CardFileError(f"each of {key} must be a text, or have `at`, `address` and `digest`")
    if not all(isinstance(one, str) for one in value.values()):
        raise CardFileError(f"{key}: `at`, `address` and `digest` must be texts; use quotes")
    at, address, digest = (_text(value, name) for name in ("at", "address", "digest"))
    if digest and re.fullmatch(r"[0-9a-f]{32}", digest) is None:
        raise CardFileError(f"{key}: the digest of {at!r} is not one of ours; leave it out")
    if len(address) > MAX_ADDRESS_CHARS:
        raise CardFileError(f"{key}: the address of {at!r} is too long; leave it out")
    return Anchor(at, digest, one_line(address))

"""Cards of the memory: what one may say, how it is kept as a note, and what of it is compared."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadQuery
from paparatsd.knowledge.named import Named, read_anchor, read_file, read_kept
from paparatsd.knowledge.plain import checked_block, checked_line, checked_lines, tidy
from paparatsd.knowledge_limits import MAX_LABEL_CHARS, MAX_NAMED, MAX_RULE_CHARS, MAX_TEXT_CHARS
from paparatsd.knowledge_model import (
    Anchor,
    Card,
    CardBody,
    CardDraft,
    CardKind,
    CardScope,
    CardStatus,
    Component,
    Decision,
    Lesson,
    Severity,
)
from paparatsd.model import GroupName, ProjectName
from paparatsd.store.notes import Note

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


HOLDING = frozenset({CardStatus.ACCEPTED, CardStatus.PROPOSED})
"""What is told without history, and what stands in the way of a repetition."""


# --------------------------------------------------------------------------- what may be said


def checked(draft: CardDraft) -> CardDraft:
    """Return a draft with its texts tidied up.

    Names and titles are on one line, files and anchors each once. Raises BadQuery, which names the
    field.
    """
    body = checked_body(draft.body)
    check_home(body, draft.project)
    return replace(
        draft,
        body=body,
        files=tuple(dict.fromkeys(checked_files(draft.files).values())),
        anchors=tuple(dict.fromkeys(checked_anchors(draft.anchors).values())),
    )


def check_home(body: CardBody, project: ProjectName | None) -> None:
    """Refuse a component of a whole group. Raises BadQuery."""
    if isinstance(body, Component) and not project:
        raise BadQuery("a component belongs to a project: say which")


def checked_files(files: Sequence[str]) -> dict[str, str]:
    """Return by each path how it is kept. Raises BadQuery."""
    return {one: read_file(one).at for one in _few(files, "files")}


def checked_anchors(anchors: Sequence[str]) -> dict[str, str]:
    """Return by each anchor how it is kept. Raises BadQuery."""
    return {one: read_anchor(one).at for one in _few(anchors, "anchors")}


def checked_body(body: CardBody) -> CardBody:
    """Return what a card says with its texts tidied up. Raises BadQuery."""
    if isinstance(body, Component):
        return Component(
            name=checked_line("name", body.name, MAX_LABEL_CHARS),
            summary=_text("summary", body.summary),
            neighbours=checked_lines("neighbours", body.neighbours, MAX_NAMED, MAX_LABEL_CHARS),
        )
    if isinstance(body, Decision):
        return Decision(
            title=checked_line("title", body.title, MAX_LABEL_CHARS),
            context=_text("context", body.context),
            decision=_text("decision", body.decision),
            consequences=_text("consequences", body.consequences),
            alternatives_rejected=_text(
                "alternatives_rejected", body.alternatives_rejected, empty=True
            ),
            scope=body.scope,
            supersedes=tidy(body.supersedes or "") or None,
        )
    return Lesson(
        rule=checked_block("rule", body.rule, MAX_RULE_CHARS),
        why=_text("why", body.why),
        when=_text("when", body.when),
        scope=body.scope,
        severity=body.severity,
        evidence=_text("evidence", body.evidence or "", empty=True) or None,
    )


def _text(name: str, value: str, *, empty: bool = False) -> str:
    return checked_block(name, value, MAX_TEXT_CHARS, empty=empty)


def _few(values: Sequence[str], field: str) -> Sequence[str]:
    if len(values) > MAX_NAMED:
        raise BadQuery(f"{field} has {len(values)} entries; at most {MAX_NAMED} are kept")
    return values


# --------------------------------------------------------------------------- card <-> note


def note_of(card: Card) -> Note:
    """Return a card as the note that keeps it; `card_of` undoes it."""
    payload = {**_payload(card.body), **_kept(card)}
    return Note(
        id=card.id,
        kind=card.kind.value,
        group=card.group,
        project=card.project,
        label=" ".join(card.label.split()),
        status=card.status.value,
        created=card.created,
        updated=card.updated,
        payload=payload,
        text=text_of(card.kind, payload),
    )


def _kept(card: Card) -> dict[str, Any]:
    return {
        "files": [_plain(one) for one in card.file_anchors],
        "anchors": [_plain(one) for one in card.anchors],
        "confirmations": card.confirmations,
        "superseded_by": card.superseded_by,
    }


def _plain(anchor: Anchor) -> dict[str, str]:
    return {"at": anchor.at, "digest": anchor.digest, "address": anchor.address}


def _payload(body: CardBody) -> dict[str, Any]:
    if isinstance(body, Component):
        return {
            "name": body.name,
            "summary": body.summary,
            "neighbours": list(body.neighbours),
        }
    if isinstance(body, Decision):
        return {
            "title": body.title,
            "context": body.context,
            "decision": body.decision,
            "consequences": body.consequences,
            "alternatives_rejected": body.alternatives_rejected,
            "scope": body.scope.value,
            "supersedes": body.supersedes,
        }
    return {
        "rule": body.rule,
        "why": body.why,
        "when": body.when,
        "scope": body.scope.value,
        "severity": body.severity.value,
        "evidence": body.evidence,
    }


def card_of(note: Note) -> Card:
    """Return the card that a note keeps."""
    payload = note.payload
    files = tuple(map(_anchor, payload.get("files", ())))
    return Card(
        id=note.id,
        group=GroupName(note.group),
        project=None if note.project is None else ProjectName(note.project),
        body=_body(CardKind(note.kind), payload),
        status=CardStatus(note.status),
        created=note.created,
        updated=note.updated,
        files=tuple(one.at for one in files),
        anchors=tuple(map(_anchor, payload.get("anchors", ()))),
        confirmations=int(payload.get("confirmations", 0)),
        superseded_by=payload.get("superseded_by"),
        file_anchors=files,
    )


def _anchor(plain: Mapping[str, str]) -> Anchor:
    return Anchor(plain["at"], plain.get("digest", ""), plain.get("address", ""))


def _body(kind: CardKind, payload: Mapping[str, Any]) -> CardBody:
    if kind is CardKind.COMPONENT:
        return Component(payload["name"], payload["summary"], tuple(payload.get("neighbours", ())))
    scope = CardScope(payload.get("scope", CardScope.GLOBAL))
    if kind is CardKind.DECISION:
        return Decision(
            title=payload["title"],
            context=payload["context"],
            decision=payload["decision"],
            consequences=payload["consequences"],
            alternatives_rejected=payload.get("alternatives_rejected", ""),
            scope=scope,
            supersedes=payload.get("supersedes"),
        )
    return Lesson(
        rule=payload["rule"],
        why=payload["why"],
        when=payload["when"],
        scope=scope,
        severity=Severity(payload.get("severity", Severity.INFO)),
        evidence=payload.get("evidence"),
    )


# --------------------------------------------------------------------------- what is compared


def text_of(kind: CardKind, payload: Mapping[str, Any]) -> str:
    """Return the text by which cards are compared and found; a function of what is kept."""
    if kind is CardKind.COMPONENT:
        files = ", ".join(one["at"] for one in payload.get("files", ()))
        near = ", ".join(payload.get("neighbours", ()))
        parts = [payload["name"], payload["summary"]]
        parts += [f"files: {files}"] if files else []
        parts += [f"neighbours: {near}"] if near else []
    elif kind is CardKind.DECISION:
        told = ("title", "context", "decision", "alternatives_rejected", "consequences")
        parts = [payload.get(name, "") for name in told]
    else:
        parts = [payload[name] for name in ("rule", "why", "when")]
    return "\n\n".join(part for part in parts if part)


def places_of(card: Card) -> tuple[Named, ...]:
    """Return what a card names of the code: its files, then its anchors."""
    return (
        *(read_kept(one.at, read_file) for one in card.file_anchors),
        *(read_kept(one.at, read_anchor) for one in card.anchors),
    )

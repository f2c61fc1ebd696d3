"""Documents, terms and cards as JSON: the one place that fixes their outside spelling.

A moment is there twice: in epoch seconds, and as `<name>_at` in ISO 8601, UTC.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from paparatsd.commits import Moment
from paparatsd.interfaces.history_shapes import last_change_json, moment_iso
from paparatsd.interfaces.shapes import freshness_json

if TYPE_CHECKING:
    from paparatsd.docs_model import (
        DocHit,
        DocsAnswer,
        Document,
        DocumentText,
    )
    from paparatsd.knowledge_model import (
        AnchorCheck,
        Card,
        CardHit,
        CardsAnswer,
        ContextAnswer,
        Deleted,
        Imported,
        MemoryStats,
        NoteFile,
        Recorded,
        Suggestion,
        SuggestionsAnswer,
        Term,
        TermHit,
        TermsAnswer,
    )


def moment_json(name: str, seconds: float | None) -> dict[str, Any]:
    """Return a moment under its name, and written out under `<name>_at`.

    >>> moment_json("created", 1_772_353_800.5)
    {'created': 1772353800.5, 'created_at': '2026-03-01T08:30:00+00:00'}
    """
    written = None if seconds is None else moment_iso(Moment(int(seconds), 0))
    return {name: seconds, f"{name}_at": written}


# --------------------------------------------------------------------------- documents


def document_json(document: Document) -> dict[str, Any]:
    """Return what is known of a document; `link` and `modified` are null when nobody says them."""
    return {
        "project": document.project,
        "path": document.path,
        "title": document.title,
        "audience": document.audience,
        "kind": document.kind.value,
        "language": document.language,
        "sections": document.sections,
        "link": document.link,
        **moment_json("modified", document.modified),
        "dated_by": document.dated_by,
    }


def doc_hit_json(hit: DocHit) -> dict[str, Any]:
    """Return one place; its document's members stand beside its own.

    `excerpt` says which sections these are. `last_change` is there only when it was asked for.
    """
    shape = {
        **document_json(hit.document),
        "address": hit.address,
        "breadcrumb": list(hit.breadcrumb),
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "place_line": hit.place_line,
        "excerpt": {"first": hit.first, "last": hit.last, "total": hit.document.sections},
        "content": hit.content,
        "score": round(hit.score, 4),
        "relevance": round(hit.relevance, 4),
        "also_in": list(hit.also_in),
    }
    if hit.last_change is not None:
        shape["last_change"] = last_change_json(hit.last_change)
    if hit.reranked is not None:
        shape["reranked"] = {"score": round(hit.reranked.score, 4), "place": hit.reranked.place}
    return shape


def docs_json(answer: DocsAnswer) -> dict[str, Any]:
    """Return the places that answer a question, and what the glossary says of it."""
    reranked = {"reranked_by": answer.reranked_by} if answer.reranked_by else {}
    return {
        **reranked,
        "query": answer.query,
        "terms": [term_hit_json(one) for one in answer.terms],
        "results": [doc_hit_json(one) for one in answer.hits],
        "freshness": [freshness_json(one) for one in answer.freshness],
        "notes": list(answer.notes),
        "took_ms": round(answer.took_ms, 3),
    }


def document_text_json(text: DocumentText) -> dict[str, Any]:
    """Return a piece of a document; `next_offset` is null at its end."""
    return {
        "document": document_json(text.document),
        "content": text.content,
        "offset": text.offset,
        "next_offset": text.next_offset,
        "total_chars": text.total_chars,
        "freshness": [freshness_json(one) for one in text.freshness],
    }


# --------------------------------------------------------------------------- notes in general


def recorded_json(recorded: Recorded) -> dict[str, Any]:
    """Return what became of a note; `similarity` is null when none was near."""
    similarity = recorded.similarity
    return {
        "outcome": recorded.outcome.value,
        "id": recorded.id,
        "label": recorded.label,
        "similarity": None if similarity is None else round(similarity, 4),
        "notes": list(recorded.notes),
    }


def deleted_json(deleted: Deleted) -> dict[str, Any]:
    """Return which ids are gone, which named nothing, and which decisions hold again."""
    return {
        "deleted": list(deleted.deleted),
        "missing": list(deleted.missing),
        "restored": list(deleted.restored),
    }


# --------------------------------------------------------------------------- the glossary


def term_json(term: Term) -> dict[str, Any]:
    """Return a term; `project` is null when it holds in the whole group."""
    return {
        "id": term.id,
        "group": term.group,
        "project": term.project,
        "term": term.term,
        "definition": term.definition,
        "aliases": list(term.aliases),
        **moment_json("created", term.created),
        **moment_json("updated", term.updated),
    }


def term_hit_json(hit: TermHit) -> dict[str, Any]:
    """Return a term that was found, and how."""
    return {**term_json(hit.term), "score": round(hit.score, 4), "exact": hit.exact}


def terms_json(answer: TermsAnswer) -> dict[str, Any]:
    """Return terms; `total` counts those that were left out, too."""
    return {
        "terms": [term_hit_json(one) for one in answer.terms],
        "total": answer.total,
        "notes": list(answer.notes),
    }


def listed_terms_json(answer: TermsAnswer) -> dict[str, Any]:
    """Return a list of terms; `missing`: ids that were asked for and name none here."""
    return {**terms_json(answer), "missing": list(answer.missing)}


# --------------------------------------------------------------------------- architectural memory


def card_json(card: Card) -> dict[str, Any]:
    """Return a card; the members of what it says stand beside those of every card.

    `project` is null when it is about the whole group. Anchors are as they were written.
    """
    body = asdict(card.body)
    return {
        "id": card.id,
        "kind": card.kind.value,
        "group": card.group,
        "project": card.project,
        "label": card.label,
        "status": card.status.value,
        **{name: list(one) if isinstance(one, tuple) else one for name, one in body.items()},
        "files": list(card.files),
        "anchors": [one.at for one in card.anchors],
        "confirmations": card.confirmations,
        "superseded_by": card.superseded_by,
        **moment_json("created", card.created),
        **moment_json("updated", card.updated),
    }


def check_json(check: AnchorCheck) -> dict[str, Any]:
    """Return an anchor as it is now."""
    return {
        "at": check.at,
        "state": check.state.value,
        "address": check.address,
        "detail": check.detail,
    }


def card_hit_json(hit: CardHit) -> dict[str, Any]:
    """Return a card that was found, and what became of what it names."""
    checks = [check_json(one) for one in hit.checks]
    return {**card_json(hit.card), "score": round(hit.score, 4), "checks": checks}


def context_json(answer: ContextAnswer) -> dict[str, Any]:
    """Return what memory says of a question; `counts` are the cards that a group has in all."""
    return {
        "question": answer.question,
        "cards": [card_hit_json(one) for one in answer.hits],
        "counts": dict(answer.counts),
        "notes": list(answer.notes),
    }


def cards_json(answer: CardsAnswer) -> dict[str, Any]:
    """Return a list of cards; `next_cursor` is null at its end, `missing` names nothing here."""
    return {
        "cards": [card_hit_json(one) for one in answer.cards],
        "next_cursor": answer.next_cursor or None,
        "notes": list(answer.notes),
        "missing": list(answer.missing),
    }


def suggestion_json(suggestion: Suggestion) -> dict[str, Any]:
    """Return a place that deserves a component card."""
    return {
        "project": suggestion.project,
        "path": suggestion.path,
        "symbol": suggestion.symbol,
        "users": suggestion.users,
        "address": suggestion.address,
    }


def suggestions_json(answer: SuggestionsAnswer) -> dict[str, Any]:
    """Return such places, most used first."""
    return {
        "suggestions": [suggestion_json(one) for one in answer.suggestions],
        "notes": list(answer.notes),
    }


def stats_json(stats: MemoryStats) -> dict[str, Any]:
    """Return what the memory of a group holds."""
    return {
        "group": stats.group,
        "cards": stats.cards,
        "by_kind": {kind.value: number for kind, number in stats.by_kind.items()},
        "by_status": {status.value: number for status, number in stats.by_status.items()},
        "terms": stats.terms,
        **moment_json("oldest", stats.oldest),
        **moment_json("newest", stats.newest),
    }


def note_file_json(file: NoteFile) -> dict[str, Any]:
    """Return a note as a file."""
    return {"name": file.name, "text": file.text}


def imported_json(imported: Imported) -> dict[str, Any]:
    """Return what became of one file."""
    return {
        "name": imported.name,
        "outcome": imported.outcome,
        "id": imported.id,
        "problem": imported.problem,
    }

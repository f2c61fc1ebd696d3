"""Documents and terms in words, from the shapes of `knowledge_shapes.py`.

For agents and for the command line. What strangers wrote (titles, terms, cards, contents) is
cleaned of control characters here, kept on its line where it is a label, and indented where it has
several lines, so that it cannot pass for what we say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.interfaces.history_words import change_line, day_of
from paparatsd.interfaces.knowledge_phrases import (
    AGENT,
    Voice,
    breadcrumb_of,
    indented,
    inline,
    listed_names,
    nearness_of,
    old_as,
    place_of,
)
from paparatsd.knowledge.folding import name_key
from paparatsd.plain_text import clean_text, one_line
from paparatsd.search.render import fenced

if TYPE_CHECKING:
    from collections.abc import Mapping

    Shape = Mapping[str, Any]

VERIFY = "Similar is not the same: verify a meaning before you rely on it."
GLOSSARY = "Glossary on these words (context, not the answer):"
COMPARE = (
    "The first one is not always the right one: compare headings and dates before you rely on it."
)
# --------------------------------------------------------------------------- documents


def document_lines(hit: Shape, number: int, now: float) -> list[str]:
    """Return what an agent is told of a hit above its content: heading, place, link, doubts."""
    where = f"{hit['project']}:{one_line(hit['path'])}:{hit['start_line']}-{hit['end_line']}"
    lines = [
        f"## {number}. {breadcrumb_of(hit)} · score {hit['score']:.3f}",
        f"{where} · address: {one_line(hit['address'])}",
    ]
    if hit["link"]:
        lines.append(f"source: {inline(hit['link'], 500)}")
    excerpt = hit["excerpt"]
    if excerpt["total"] > excerpt["last"] - excerpt["first"] + 1:
        shown = (
            f"section {excerpt['first']}"
            if excerpt["first"] == excerpt["last"]
            else f"sections {excerpt['first']}-{excerpt['last']}"
        )
        whole = AGENT.call("get_document")
        lines.append(f"excerpt: {shown} of {excerpt['total']}; {whole} has the rest")
    lines += stale_lines_of(hit, now)
    if hit["also_in"]:
        lines.append("identical in: " + ", ".join(hit["also_in"]))
    if hit.get("last_change") is not None:
        lines.append(inline(change_line(hit["last_change"]), 260))
    return lines


def document_block(hit: Shape, number: int, now: float) -> str:
    """Return a hit with its content in a fence, for an agent."""
    content = fenced(clean_text(hit["content"]), "markdown")
    return "\n".join(["", *document_lines(hit, number, now), content])


def stale_lines_of(document: Shape, now: float) -> list[str]:
    """Say of a document that was not touched for more than a year how old it is."""
    age = old_as(document["modified"], now)
    return [f"not updated for {age}: it may be out of date"] if age else []


def document_head(shape: Shape, now: float) -> list[str]:
    """Return what is said of a document above its text."""
    document = shape["document"]
    lines = [f"{inline(document['title'])} · {document['project']}:{one_line(document['path'])}"]
    if document["link"]:
        lines.append(f"source: {inline(document['link'], 500)}")
    if document["modified_at"]:
        said = {"document": " as it says itself", "commit": " by its last commit"}
        dated = said.get(document["dated_by"], "")
        lines.append(f"last modified {day_of(document['modified_at'])}{dated}")
    return [*lines, *stale_lines_of(document, now)]


def nothing_in_documents(query: str, voice: Voice | None = AGENT) -> str:
    """Say that no document answers a question; to one of us also what that means."""
    said = f"Nothing found about {inline(query)!r} in the documents."
    if voice is None:
        return said
    return (
        f"{said} That no document says it does not mean that it is not so: documents lag behind. "
        f"{voice.call('search_code')} knows what the code does."
    )


def no_document(project: str, path: str) -> str:
    """Say to an agent that there is no such document, or none that may be seen: the same."""
    return (
        f"Nothing found: no document {inline(path)!r} in {inline(project)!r}. It may have been "
        f"moved or removed; {AGENT.call('search_docs')} finds where it is now."
    )


def piece_line(shape: Shape) -> str:
    """Say which piece of a document this is, and how to go on; "" when it is the whole."""
    end = shape["next_offset"]
    if end is None and shape["offset"] == 0:
        return ""
    if shape["offset"] >= shape["total_chars"]:
        return (
            f"it has {shape['total_chars']} characters: nothing is left from {shape['offset']} on"
        )
    last = shape["total_chars"] if end is None else end
    said = f"characters {shape['offset']}-{last} of {shape['total_chars']}"
    return f"{said}; this is its end" if end is None else f"{said}; continue with offset={end}"


# --------------------------------------------------------------------------- the glossary


def term_block(hit: Shape, *, found: bool = True) -> str:
    """Return a term: how it was found, what it means, its aliases, where it holds, its id."""
    how = ("exact" if hit["exact"] else f"similar {hit['score']:.2f}") if found else ""
    name = f"- {inline(hit['term'])}{f' ({how})' if how else ''}: "
    also = f" Also: {listed_names(hit['aliases'])}." if hit["aliases"] else ""
    return f"{name}{indented(hit['definition'])}{also} · {place_of(hit)} · id {hit['id']}"


def no_term_line(query: str) -> str:
    """Say to an agent that the glossary does not know something, and what that means."""
    return (
        f"The glossary has nothing on {inline(query)!r}. It is incomplete, so this says nothing of "
        "the word: look for it in documents and code, or ask the user. Do not make a meaning up; "
        f"{AGENT.call('term_record')} keeps one that is confirmed."
    )


def no_terms_line(voice: Voice = AGENT) -> str:
    """Say that a list of terms is empty."""
    return f"No terms are recorded here yet; {voice.call('term_record')} writes one."


def term_outcome(recorded: Shape, term: str, where: str, voice: Voice = AGENT) -> str:
    """Say what became of a term, and what to do when it was not written."""
    name, number = inline(term), recorded["id"]
    if recorded["outcome"] == "created":
        return f"Recorded {name!r} in {where}. id {number}"
    if recorded["outcome"] == "updated":
        return f"Updated {name!r} in {where}: it says this now instead of what it said. id {number}"
    there = inline(recorded["label"])
    if name_key(there) == name_key(name):
        return f"Not recorded: {name!r} is there already, written {there!r}, id {number}."
    near = f"{there!r} says {nearness_of(recorded)}, id {number}"
    return (
        f"Not recorded: {near}. Read it with {voice.call('term_search', query=there)}. If it is "
        f"the same thing, record {there!r} again with {name!r} among its aliases; if it is not, "
        "say in the definition what sets them apart and record it again."
    )

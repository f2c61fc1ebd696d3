"""`paparats term`: the glossary."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from paparatsd.interfaces import knowledge_words as words
from paparatsd.interfaces.cli import notes
from paparatsd.interfaces.cli.answers import ask
from paparatsd.interfaces.cli.prose import print_prose
from paparatsd.interfaces.knowledge_phrases import PERSON, age_of, inline, listed_names, place_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from paparatsd.interfaces.cli.answers import Answer
    from paparatsd.interfaces.cli.context import Context
    from paparatsd.interfaces.cli.output import Output

MAX_FOUND, MAX_LISTED = 30, 500
SHOW_S = 10.0


def search(context: Context) -> int:
    """Print the terms of a name, else those that are like the question."""
    arguments = context.arguments
    return ask(
        context,
        "terms/search",
        _show_found,
        query=" ".join(arguments.query),
        limit=arguments.limit,
        min_score=arguments.min_score,
    )


def _show_found(context: Context, answer: Answer) -> Iterator[str]:
    for term in answer["terms"]:
        _print_term(context.output, term, "" if term["exact"] else f"similar {term['score']:.2f}")
    if not answer["terms"]:
        asked = " ".join(context.arguments.query)
        context.output.paragraph(
            f"the glossary has nothing on {asked!r}; see all of it with: paparats term list"
        )
    yield from _left(answer, MAX_FOUND)


def list_terms(context: Context) -> int:
    """Print all terms by name."""
    return ask(context, "terms/list", _show_list, limit=context.arguments.limit)


def _show_list(context: Context, answer: Answer) -> Iterator[str]:
    for term in answer["terms"]:
        _print_term(context.output, term)
    if not answer["terms"]:
        context.output.paragraph(words.no_terms_line(PERSON))
    yield from _left(answer, MAX_LISTED)


def _left(answer: Answer, most: int) -> Iterator[str]:
    left = answer["total"] - len(answer["terms"])
    if left > 0:
        all_of_them = min(answer["total"], most)
        more = all_of_them > len(answer["terms"])
        how = f"show them with -n {all_of_them}" if more else "ask for one by its name"
        yield f"{left:,} more; {how}"


def _print_term(output: Output, term: Mapping[str, Any], found: str = "") -> None:
    about = ", ".join(filter(None, (place_of(term), found)))
    output.paragraph(f"{inline(term['term'])}  [{about}]", style="bold")
    print_prose(output, term["definition"], notes.INDENT)
    if term["aliases"]:
        output.paragraph(f"{notes.INDENT}also: {listed_names(term['aliases'])}")
    age = age_of(term["updated"], time.time())
    written = age if age == "just now" else f"{age} ago"
    output.line(f"{notes.INDENT}{term['id']}  written {written}", style="dim")


def print_short(output: Output, term: Mapping[str, Any]) -> None:
    """Print what a term means, as the glossary above an answer has it."""
    names = ", ".join(map(inline, (term["term"], *term["aliases"])))
    print_prose(output, f"{names}: {term['definition']}", notes.INDENT)


def show(context: Context) -> int:
    """Print terms by their ids."""
    output = context.output
    return notes.show(context, notes.TERMS, lambda term: _print_term(output, term), SHOW_S)


def record(context: Context) -> int:
    """Write a term, unless another one says the same."""
    arguments = context.arguments
    return notes.record(
        context,
        "terms/record",
        lambda answer, where: words.term_outcome(answer, arguments.term, where, PERSON),
        term=arguments.term,
        definition=arguments.definition,
        aliases=arguments.alias,
    )


def delete(context: Context) -> int:
    """Delete terms."""
    return notes.delete(context, notes.TERMS)

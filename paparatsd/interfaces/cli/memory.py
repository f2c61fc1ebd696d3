"""`paparats arch`: components, decisions and lessons."""

from __future__ import annotations

import time
from itertools import groupby
from typing import TYPE_CHECKING, Any

from paparatsd.interfaces import card_words as words
from paparatsd.interfaces.cli import notes
from paparatsd.interfaces.cli.answers import ask, print_answer
from paparatsd.interfaces.cli.output import counted, pasteable
from paparatsd.interfaces.cli.prose import print_block
from paparatsd.interfaces.knowledge_phrases import PERSON, inline

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator, Mapping

    from paparatsd.interfaces.cli.answers import Answer
    from paparatsd.interfaces.cli.context import Context

KINDS = ("component", "decision", "lesson")
PAGE = 200
CHECK_S = 120.0


def context(context: Context) -> int:
    """Print what memory says of a question or of files, and what became of what cards name."""
    arguments = context.arguments
    limits = {kind: getattr(arguments, f"{kind}s") for kind in KINDS}
    return ask(
        context,
        "cards/context",
        _show_context,
        question=" ".join(arguments.question),
        limits={kind: limit for kind, limit in limits.items() if limit is not None},
        min_score=arguments.min_score,
        checked=not arguments.unchecked,
    )


def _show_context(context: Context, answer: Answer) -> Iterable[str]:
    output, now = context.output, time.time()
    for group, cards in groupby(answer["cards"], lambda card: card["group"]):
        for kind, same in groupby(cards, lambda card: card["kind"]):
            output.line(f"{group}: {kind}s", style="cyan")
            for card in same:
                print_block(output, words.card_block(card, now))
            output.line()
    if not answer["cards"]:
        output.paragraph(words.nothing_remembered(answer, PERSON))
    return ()


def list_cards(context: Context) -> int:
    """Print cards, oldest first."""
    arguments = context.arguments
    return ask(
        context,
        "cards/list",
        _show_list,
        kinds=arguments.kind,
        include_history=arguments.history,
        checked=arguments.checked,
        limit=arguments.limit,
        cursor=arguments.cursor,
    )


def _show_list(context: Context, answer: Answer) -> Iterator[str]:
    now = time.time()
    for card in answer["cards"]:
        print_block(context.output, words.card_row(card, now), style="")
    if not answer["cards"]:
        context.output.paragraph(_no_cards(context))
    if answer["next_cursor"]:
        yield f"more with --cursor {pasteable(answer['next_cursor'])}"


def show(context: Context) -> int:
    """Print cards by their ids, and what became of what they name."""
    now = time.time()
    return notes.show(
        context,
        notes.CARDS,
        lambda card: print_block(context.output, words.card_block(card, now)),
        CHECK_S,
    )


def check(context: Context) -> int:
    """Print the cards that name what is not as it was when they were written."""
    answer = _checked(context)
    return print_answer(context, answer, _show_check)


def _checked(context: Context) -> dict[str, Any]:
    """Return the cards that need a look, and how many there are."""
    arguments, client = context.arguments, context.client(CHECK_S)
    found: list[Mapping[str, Any]] = []
    said: dict[str, None] = {}
    number, cursor = 0, None
    while True:
        page = client.ask(
            "cards/list",
            kinds=arguments.kind,
            checked=True,
            limit=PAGE,
            cursor=cursor,
            projects=arguments.project,
            groups=arguments.group,
        )
        number += len(page["cards"])
        found += [card for card in page["cards"] if words.is_not_as_it_was(card)]
        said |= dict.fromkeys(page["notes"])
        if not page["next_cursor"] or page["next_cursor"] == cursor:
            return {"cards": found, "total": number, "notes": list(said)}
        cursor = page["next_cursor"]


def _show_check(context: Context, answer: Answer) -> Iterable[str]:
    output, now = context.output, time.time()
    for card in answer["cards"]:
        print_block(output, words.card_row(card, now))
        output.paragraph(f"{notes.INDENT}{words.next_call(card, PERSON)}", style="dim")
    total = counted(answer["total"], "card")
    if not answer["cards"]:
        output.paragraph(
            f"{total}: nothing that they name was changed, moved or deleted since"
            if answer["total"]
            else _no_cards(context)
        )
        return ()
    return (f"{len(answer['cards'])} of {total} name what was changed, moved or deleted since",)


def component(context: Context) -> int:
    """Write what a part of a system is for."""
    arguments = context.arguments
    return _record(
        context,
        "component",
        arguments.name,
        name=arguments.name,
        summary=arguments.summary,
        neighbours=arguments.neighbour,
    )


def decision(context: Context) -> int:
    """Write a choice that was made."""
    arguments = context.arguments
    return _record(
        context,
        "decision",
        arguments.title,
        title=arguments.title,
        context=arguments.context,
        decision=arguments.decision,
        consequences=arguments.consequences,
        alternatives_rejected=arguments.rejected,
        scope=arguments.scope,
        supersedes=arguments.supersedes,
    )


def lesson(context: Context) -> int:
    """Write a rule that was learned."""
    arguments = context.arguments
    return _record(
        context,
        "lesson",
        arguments.rule,
        rule=arguments.rule,
        why=arguments.why,
        when=arguments.when,
        scope=arguments.scope,
        severity=arguments.severity,
        evidence=arguments.evidence,
    )


def _record(context: Context, kind: str, label: str, /, **texts: Any) -> int:  # noqa: ANN401 - JSON values
    arguments: Namespace = context.arguments
    return notes.record(
        context,
        "cards/record",
        lambda answer, where: words.card_outcome(answer, kind, label, where, PERSON),
        kind=kind,
        **texts,
        files=arguments.file,
        anchors=arguments.anchor,
    )


def delete(context: Context) -> int:
    """Delete cards."""
    return notes.delete(context, notes.CARDS)


def suggest(context: Context) -> int:
    """Print places that much is built on and that no component card is about."""
    return ask(context, "cards/suggest", _show_suggestions, limit=context.arguments.limit)


def _show_suggestions(context: Context, answer: Answer) -> Iterable[str]:
    for one in answer["suggestions"]:
        print_block(context.output, words.suggestion_line(one), style="")
    if not answer["suggestions"]:
        context.output.paragraph(words.no_suggestions_line())
    return ()


def stats(context: Context) -> int:
    """Print how many cards and terms each group has."""
    return ask(context, "cards/stats", _show_stats)


def _show_stats(context: Context, answer: Answer) -> Iterable[str]:
    for one in answer["groups"]:
        kinds = [counted(number, kind) for kind, number in one["by_kind"].items() if number]
        apart = [
            f"{number} {status}"
            for status, number in one["by_status"].items()
            if number and status != "accepted"
        ]
        parts = [*kinds, *apart, counted(one["terms"], "term")]
        between = [day for name in ("oldest_at", "newest_at") if (day := (one[name] or "")[:10])]
        written = f"; written {' to '.join(dict.fromkeys(between))}" if between else ""
        context.output.paragraph(f"{inline(one['group'])}: {', '.join(parts)}{written}")
    if not answer["groups"]:
        context.output.paragraph(_no_cards(context))
    return ()


def _no_cards(context: Context) -> str:
    """Say that there are no cards, or none of those that were asked for."""
    asked = context.arguments
    chosen = bool(asked.project or asked.group or getattr(asked, "kind", ()))
    return words.no_cards_line(PERSON, chosen=chosen)

"""What `term` and `arch` share: writing a note, deleting notes, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paparatsd.exits import NOT_TAKEN
from paparatsd.interfaces.cli.answers import print_answer
from paparatsd.interfaces.cli.consent import agreed, is_asked
from paparatsd.interfaces.cli.output import counted
from paparatsd.interfaces.knowledge_phrases import PERSON, deleted_lines, inline, missing_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from paparatsd.interfaces.cli.answers import Answer
    from paparatsd.interfaces.cli.context import Context

INDENT = "  "
WRITTEN = ("created", "updated")
MAX_IDS = 100
"""Ids of one request."""
MAX_LABELS = 5
LABELS_S = 10.0


def record(
    context: Context,
    call: str,
    say: Callable[[Answer, str], str],
    /,
    **draft: Any,  # noqa: ANN401 - JSON values
) -> int:
    """Write a note; `say` tells what became of it, and gets where it was to be.

    Returns the exit code: another one than 0 when nothing was written.
    """
    arguments = context.arguments
    answer = context.client().ask(call, **draft, project=arguments.project, group=arguments.group)
    written = answer["outcome"] in WRITTEN
    where = arguments.project or arguments.group or "the whole group"

    def show(context: Context, answer: Answer) -> Iterable[str]:
        context.output.paragraph(say(answer, where), style="" if written else "yellow")
        return ()

    print_answer(context, answer, show)
    return 0 if written else NOT_TAKEN


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of notes: its calls of the control API, and how it is spoken of.

    `members`: what a list of them is called; `label`: the member by which a person knows one;
    `listing`: the tool that shows ids.
    """

    calls: str
    noun: str
    members: str
    label: str
    listing: str


CARDS = Kind("cards", "card", "cards", "label", "arch_list")
TERMS = Kind("terms", "term", "terms", "term", "term_list")


def show(
    context: Context, kind: Kind, print_note: Callable[[Mapping[str, Any]], None], timeout: float
) -> int:
    """Print notes by their ids; another exit code than 0 when an id names none."""
    answer = _of_ids(context, kind, timeout)

    def print_all(context: Context, answer: Answer) -> Iterable[str]:
        for note in answer[kind.members]:
            print_note(note)
        for line in missing_lines(answer, kind.noun, kind.listing, PERSON):
            context.output.paragraph(line, style="yellow")
        return ()

    print_answer(context, answer, print_all)
    return NOT_TAKEN if answer["missing"] else 0


def _of_ids(context: Context, kind: Kind, timeout: float, **more: bool) -> dict[str, Any]:
    """Return the notes of the ids on the command line, the ids of none, and what is said of it."""
    arguments, client = context.arguments, context.client(timeout)
    ids = list(dict.fromkeys(arguments.id))
    found: dict[str, list[Any]] = {kind.members: [], "missing": [], "notes": []}
    for start in range(0, len(ids), MAX_IDS):
        page = client.ask(
            f"{kind.calls}/list",
            ids=ids[start : start + MAX_IDS],
            projects=arguments.project,
            groups=arguments.group,
            **more,
        )
        for name, there in found.items():
            there += page[name]
    return {**found, "notes": list(dict.fromkeys(found["notes"]))}


def delete(context: Context, kind: Kind) -> int:
    """Delete notes by their ids; a person who is there is asked first, with what would go.

    Returns the exit code: another one than 0 when an id names none.
    """
    arguments = context.arguments
    if is_asked(context) and not _agreed(context, kind):
        context.output.line("nothing was deleted")
        return 0
    answer = context.client().ask(
        f"{kind.calls}/delete", ids=arguments.id, projects=arguments.project, groups=arguments.group
    )

    def told(context: Context, answer: Answer) -> Iterable[str]:
        for line in deleted_lines(answer, kind.noun, kind.listing, PERSON):
            context.output.paragraph(line)
        return ()

    print_answer(context, answer, told)
    return NOT_TAKEN if answer["missing"] else 0


def _agreed(context: Context, kind: Kind) -> bool:
    """Ask whether the notes are to go, by their labels; where there are none, nothing is asked."""
    unchecked = {"checked": False} if kind is CARDS else {}
    there = _of_ids(context, kind, LABELS_S, **unchecked)[kind.members]
    if not there:
        return True
    labels = [repr(inline(note[kind.label])) for note in there[:MAX_LABELS]]
    more = f" and {len(there) - MAX_LABELS} more" if len(there) > MAX_LABELS else ""
    return agreed(context, f"Delete {counted(len(there), kind.noun)}: {', '.join(labels)}{more}?")

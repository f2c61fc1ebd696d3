"""What `term` and `arch` share: writing a note, deleting notes, and what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.exits import NOT_TAKEN
from paparatsd.interfaces.cli.answers import print_answer
from paparatsd.interfaces.cli.consent import agreed
from paparatsd.interfaces.cli.output import counted
from paparatsd.interfaces.knowledge_phrases import PERSON, deleted_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from paparatsd.interfaces.cli.answers import Answer
    from paparatsd.interfaces.cli.context import Context

INDENT = "  "
WRITTEN = ("created", "updated")


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


def delete(context: Context, call: str, noun: str, listing: str) -> int:
    """Delete notes by their ids; asks first when a person is there to answer."""
    arguments = context.arguments
    if not agreed(context, f"Delete {counted(len(arguments.id), noun)}?"):
        context.output.line("nothing was deleted")
        return 0
    answer = context.client().ask(
        call, ids=arguments.id, projects=arguments.project, groups=arguments.group
    )

    def show(context: Context, answer: Answer) -> Iterable[str]:
        for line in deleted_lines(answer, noun, listing, PERSON):
            context.output.paragraph(line)
        return ()

    return print_answer(context, answer, show)

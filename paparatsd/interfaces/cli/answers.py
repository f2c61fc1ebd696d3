"""Answers of the daemon: as JSON, or in lines with what is to know of them and how to go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.interfaces.cli.output import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from paparatsd.interfaces.cli.context import Context
    from paparatsd.interfaces.cli.output import Output

    Answer = Mapping[str, Any]
    Show = Callable[[Context, Answer], Iterable[str]]
    """Prints an answer, and returns the lines that say how to see more of it."""

ANSWER_S = 60.0
"""How long a question about large projects is waited for."""


def ask(context: Context, call: str, show: Show, /, **wanted: Any) -> int:  # noqa: ANN401 - JSON values
    """Make a call about the projects and groups that were given, and print its answer."""
    arguments = context.arguments
    answer = context.client(ANSWER_S).ask(
        call, **wanted, projects=arguments.project, groups=arguments.group
    )
    return print_answer(context, answer, show)


def print_answer(context: Context, answer: Answer, show: Show) -> int:
    """Print an answer as the person or the script wants it; returns the exit code."""
    output = context.output
    if context.as_json:
        output.json(answer)
        return 0
    further = list(show(context, answer))
    print_notes(output, answer)
    for line in further:
        output.paragraph(line, style="dim")
    return 0


def print_notes(output: Output, answer: Answer) -> None:
    """Print what is to know of an answer, and which projects are behind the disk."""
    for note in answer.get("notes", ()):
        output.paragraph(f"note: {note}", style="yellow")
    for line in stale_lines(answer.get("freshness", ())):
        output.paragraph(line, style="yellow")


def stale_lines(freshness: Sequence[Answer]) -> list[str]:
    """Return a sentence for each project whose index is known to be behind the disk."""
    lines = []
    for one in freshness:
        if one["state"] == "stale":
            count = f"{counted(one['pending'], 'file')} pending" if one["pending"] else ""
            why = "; ".join(filter(None, (one["reason"], count)))
            lines.append(f"stale: {one['project']}" + (f": {why}" if why else ""))
    return lines

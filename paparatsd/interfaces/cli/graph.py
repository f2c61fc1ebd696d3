"""`paparats usages`, `def`, `outline`, `calls`, `impact`, `changed`, `unused`, `hubs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadQuery
from paparatsd.interfaces import graph_words as words
from paparatsd.interfaces.cli.answers import ask
from paparatsd.interfaces.cli.output import clean, cut, measure_of, pasteable
from paparatsd.interfaces.graph_phrases import Voice, legend

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from paparatsd.interfaces.cli.answers import Answer, Show
    from paparatsd.interfaces.cli.context import Context
    from paparatsd.interfaces.cli.output import Output
    from paparatsd.interfaces.graph_phrases import Section

VOICE = Voice(bullet="  ", under="    ", pad=11, show=pasteable)
MAX_AFFECTED = 1_000
"""The most that `impact` takes for -n."""


def usages(context: Context) -> int:
    """Print who uses a symbol, what it uses, or both."""
    arguments = context.arguments
    return _answer(
        context,
        "usages",
        _show_usages,
        address=arguments.symbol,
        direction=arguments.direction,
        relations=arguments.relation,
        limit=arguments.limit,
        offset=arguments.offset,
        include_tests=not arguments.no_tests,
        include_hubs=not arguments.no_hubs,
    )


def _show_usages(context: Context, answer: Answer) -> Iterator[str]:
    print_sections(context.output, words.usages_sections(answer, VOICE))
    for side, offset, left in words.usages_more(answer):
        which = f" --direction {side}" if context.arguments.direction == "both" else ""
        yield f"{left:,} more with{which} --offset {offset}"
    if words.goes_on_elsewhere(answer):
        yield "more users of some of these: ask with the address of one"


def definition(context: Context) -> int:
    """Print where something is defined."""
    arguments = context.arguments
    return _answer(
        context, "definition", _show_definition, address=arguments.symbol, limit=arguments.limit
    )


def _show_definition(context: Context, answer: Answer) -> Iterable[str]:
    print_sections(context.output, words.definition_sections(answer, VOICE))
    return ()


def outline(context: Context) -> int:
    """Print the symbols of a file, or of every file below a directory."""
    arguments = context.arguments
    return _answer(
        context,
        "outline",
        _show_outline,
        address=arguments.place,
        depth=arguments.depth,
        include_private=not arguments.public,
        max_tokens=arguments.max_tokens,
        offset=arguments.offset,
    )


def _show_outline(context: Context, answer: Answer) -> Iterator[str]:
    output = context.output
    output.line(words.outline_title(answer), style="bold")
    if line := words.folders_line(answer):
        output.paragraph(line, style="dim")
    for run in words.outline_runs(answer["files"]):
        file, *more = run
        if more:
            output.paragraph(words.bare_line(run), style="cyan")
            continue
        head, remarks, lines = words.outline_lines(file)
        output.line(head, style="cyan")
        for remark in remarks:
            _fitting(output, remark, style="dim")
        for line in lines:
            _fitting(output, line)
        if file["hidden"]:
            _dim(output, words.hidden_line(file["hidden"]))
    yield from _next_page(answer, answer["total_files"], "files ")


def calls(context: Context) -> int:
    """Print how one symbol comes to call another."""
    arguments = context.arguments
    return _answer(
        context,
        "calls",
        _show_calls,
        source=arguments.source,
        target=arguments.target,
        max_hops=arguments.hops,
        limit=arguments.limit,
    )


def _show_calls(context: Context, answer: Answer) -> Iterable[str]:
    print_sections(context.output, words.path_sections(answer, VOICE))
    if not answer["paths"]:
        context.output.paragraph(words.ends_line(answer))
        context.output.paragraph(words.no_path_line(context.arguments.hops))
    return ()


def impact(context: Context) -> int:
    """Print what breaks if something changes, which tests tell, and who changed it last."""
    arguments = context.arguments
    if bool(arguments.symbol) == bool(arguments.question):
        raise BadQuery("give one or more SYMBOLs, or words that find them with --question")
    return _answer(
        context,
        "impact",
        _show_impact,
        address=arguments.symbol,
        question=arguments.question,
        max_hops=arguments.hops,
        max_symbols=arguments.limit,
    )


def _show_impact(context: Context, answer: Answer) -> Iterator[str]:
    sections = [one for one in words.impact_sections(answer, VOICE) if one.items]
    print_sections(context.output, sections)
    context.output.paragraph(words.impact_line(answer))
    shown = len(answer["affected"]) + len(answer["tests"])
    if shown < answer["total"] > context.arguments.limit:
        yield f"show more of them with -n {min(answer['total'], MAX_AFFECTED)}"


def changed(context: Context) -> int:
    """Print which symbols a change touches, who uses them, and which tests are likely to tell."""
    arguments = context.arguments
    return _answer(
        context,
        "changed",
        _show_changed,
        against=arguments.against,
        limit=arguments.limit,
        callers=arguments.callers,
    )


def _show_changed(context: Context, answer: Answer) -> Iterator[str]:
    context.output.paragraph(words.changed_line(answer), style="bold")
    print_sections(context.output, words.changed_sections(answer, VOICE), whole=True)
    left = answer["total"] - len(answer["symbols"])
    if left > 0:
        yield f"{left:,} more; show them with -n {answer['total']}"


def unused(context: Context) -> int:
    """Print definitions that nothing seems to use."""

    def show(context: Context, answer: Answer) -> Iterator[str]:
        none = "nothing is unused, as far as can be seen"
        return _show_survey(context, answer, words.unused_sections(answer, VOICE), none)

    return _survey(context, "unused", show)


def hubs(context: Context) -> int:
    """Print what most files are built on, and where programs begin."""

    def show(context: Context, answer: Answer) -> Iterator[str]:
        sections = words.hub_sections(answer, VOICE)
        return _show_survey(context, answer, sections, "nothing stands out")

    return _survey(context, "hubs", show)


def _survey(context: Context, question: str, show: Show) -> int:
    arguments = context.arguments
    return _answer(
        context,
        question,
        show,
        kinds=arguments.kind,
        limit=arguments.limit,
        offset=arguments.offset,
    )


def _show_survey(
    context: Context, answer: Answer, sections: Iterable[Section], none: str
) -> Iterator[str]:
    print_sections(context.output, sections)
    if not answer["found"]:
        context.output.line(none)
    yield from _next_page(answer, answer["total"])


def _next_page(answer: Answer, total: int, what: str = "") -> Iterator[str]:
    following = answer["next_offset"]
    if following is not None:
        yield f"{total - following:,} more {what}with --offset {following}"


def _answer(context: Context, call: str, show: Show, /, **wanted: Any) -> int:  # noqa: ANN401 - JSON values
    """Ask, and print the answer with the meaning of the marks in it."""
    arguments = context.arguments

    def show_with_marks(context: Context, answer: Answer) -> list[str]:
        further = list(show(context, answer))
        for line in legend(answer):
            _dim(context.output, line)
        return further

    return ask(
        context, call, show_with_marks, **wanted, paths=arguments.path, fresh=arguments.fresh
    )


def print_sections(output: Output, sections: Iterable[Section], *, whole: bool = False) -> None:
    """Print sections; what is said below an item is cut at a terminal's width unless `whole`."""
    for at, section in enumerate(sections):
        if at and len(section.head) > 1:
            output.line()
        for number, line in enumerate(section.head):
            output.line(line, style="bold" if number == 0 else "dim")
        for item in section.items:
            if item.file:
                output.line(f"  {item.file}", style="cyan")
            first, *rest = item.lines
            output.line("  " + first if item.inside else first)
            for line in rest:
                if whole:
                    _dim(output, line)
                else:
                    _fitting(output, line, style="dim")


def _fitting(output: Output, line: str, style: str = "") -> None:
    """Print a line, cut where a terminal's line ends."""
    line = clean(line)
    if output.width is not None:
        line = cut(line, output.width, measure_of(output))
    output.line(line, style)


def _dim(output: Output, line: str) -> None:
    output.paragraph(line, style="dim")

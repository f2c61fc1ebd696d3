"""`paparats usages`, `def`, `outline`, `calls`, `impact`, `changed`, `unused`, `hubs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadQuery
from paparatsd.interfaces import graph_words as words
from paparatsd.interfaces.cli.output import clean, cut, measure_of, pasteable
from paparatsd.interfaces.cli.search import stale_lines
from paparatsd.interfaces.graph_phrases import Voice, legend

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Mapping

    from paparatsd.interfaces.cli.context import Context
    from paparatsd.interfaces.cli.output import Output
    from paparatsd.interfaces.graph_phrases import Section

VOICE = Voice(bullet="  ", under="    ", pad=11, show=pasteable)
MAX_AFFECTED = 1_000
"""The most that `impact` takes for -n."""
ANSWER_S = 60.0
"""How long a survey of large projects is waited for."""


def usages(context: Context) -> int:
    """Print who uses a symbol, what it uses, or both."""
    arguments = context.arguments
    answer = _ask(
        context,
        "usages",
        address=arguments.symbol,
        direction=arguments.direction,
        relations=arguments.relation,
        limit=arguments.limit,
        offset=arguments.offset,
        include_tests=not arguments.no_tests,
        include_hubs=not arguments.no_hubs,
    )
    if answer is None:
        return 0
    print_sections(context.output, words.usages_sections(answer, VOICE))
    _print_end(context.output, answer)
    for side, offset, left in words.usages_more(answer):
        which = f" --direction {side}" if arguments.direction == "both" else ""
        _dim(context.output, f"{left:,} more with{which} --offset {offset}")
    if words.goes_on_elsewhere(answer):
        _dim(context.output, "more users of some of these: ask with the address of one")
    return 0


def definition(context: Context) -> int:
    """Print where something is defined."""
    arguments = context.arguments
    answer = _ask(context, "definition", address=arguments.symbol, limit=arguments.limit)
    if answer is not None:
        print_sections(context.output, words.definition_sections(answer, VOICE))
        _print_end(context.output, answer)
    return 0


def outline(context: Context) -> int:
    """Print the symbols of a file, or of every file below a directory."""
    arguments, output = context.arguments, context.output
    answer = _ask(
        context,
        "outline",
        address=arguments.place,
        depth=arguments.depth,
        include_private=not arguments.public,
        max_tokens=arguments.max_tokens,
        offset=arguments.offset,
    )
    if answer is None:
        return 0
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
    _print_end(output, answer)
    if answer["next_offset"] is not None:
        left = answer["total_files"] - answer["next_offset"]
        _dim(output, f"{left:,} more files with --offset {answer['next_offset']}")
    return 0


def calls(context: Context) -> int:
    """Print how one symbol comes to call another."""
    arguments, output = context.arguments, context.output
    answer = _ask(
        context,
        "calls",
        source=arguments.source,
        target=arguments.target,
        max_hops=arguments.hops,
        limit=arguments.limit,
    )
    if answer is None:
        return 0
    print_sections(output, words.path_sections(answer, VOICE))
    if not answer["paths"]:
        output.paragraph(words.ends_line(answer))
        output.paragraph(words.no_path_line(arguments.hops))
    _print_end(output, answer)
    return 0


def impact(context: Context) -> int:
    """Print what breaks if something changes, which tests tell, and who changed it last."""
    arguments, output = context.arguments, context.output
    if bool(arguments.symbol) == bool(arguments.question):
        raise BadQuery("give one or more SYMBOLs, or words that find them with --question")
    answer = _ask(
        context,
        "impact",
        address=arguments.symbol,
        question=arguments.question,
        max_hops=arguments.hops,
        max_symbols=arguments.limit,
    )
    if answer is None:
        return 0
    sections = [one for one in words.impact_sections(answer, VOICE) if one.items]
    print_sections(output, sections)
    output.paragraph(words.impact_line(answer))
    _print_end(output, answer)
    if len(answer["affected"]) + len(answer["tests"]) < answer["total"] > arguments.limit:
        _dim(output, f"show more of them with -n {min(answer['total'], MAX_AFFECTED)}")
    return 0


def changed(context: Context) -> int:
    """Print which symbols a change touches, who uses them, and which tests are likely to tell."""
    arguments, output = context.arguments, context.output
    answer = _ask(
        context,
        "changed",
        against=arguments.against,
        limit=arguments.limit,
        callers=arguments.callers,
    )
    if answer is None:
        return 0
    output.paragraph(words.changed_line(answer), style="bold")
    print_sections(output, words.changed_sections(answer, VOICE), whole=True)
    _print_end(output, answer)
    left = answer["total"] - len(answer["symbols"])
    if left > 0:
        _dim(output, f"{left:,} more; show them with -n {answer['total']}")
    return 0


def unused(context: Context) -> int:
    """Print definitions that nothing seems to use."""
    return _survey(context, "unused", "nothing is unused, as far as can be seen")


def hubs(context: Context) -> int:
    """Print what most files are built on, and where programs begin."""
    return _survey(context, "hubs", "nothing stands out")


def _survey(context: Context, question: str, none: str) -> int:
    arguments, output = context.arguments, context.output
    answer = _ask(
        context, question, kinds=arguments.kind, limit=arguments.limit, offset=arguments.offset
    )
    if answer is None:
        return 0
    tell = words.unused_sections if question == "unused" else words.hub_sections
    print_sections(output, tell(answer, VOICE))
    if not answer["found"]:
        output.line(none)
    _print_end(output, answer)
    if answer["next_offset"] is not None:
        left = answer["total"] - answer["next_offset"]
        _dim(output, f"{left:,} more with --offset {answer['next_offset']}")
    return 0


def _ask(context: Context, call: str, /, **wanted: Any) -> Mapping[str, Any] | None:  # noqa: ANN401 - JSON values
    """Return the answer; None when it was printed as JSON already."""
    answer = context.client(ANSWER_S).graph(
        call, **wanted, **_where(context.arguments), fresh=context.arguments.fresh
    )
    if not context.as_json:
        return answer
    context.output.json(answer)
    return None


def _where(arguments: Namespace) -> dict[str, Any]:
    return {"projects": arguments.project, "groups": arguments.group, "paths": arguments.path}


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


def _print_end(output: Output, answer: Mapping[str, Any]) -> None:
    for line in legend(answer):
        _dim(output, line)
    for note in answer["notes"]:
        output.paragraph(f"note: {note}", style="yellow")
    for line in stale_lines(answer["freshness"]):
        output.paragraph(line, style="yellow")


def _fitting(output: Output, line: str, style: str = "") -> None:
    """Print a line, cut where a terminal's line ends."""
    line = clean(line)
    if output.width is not None:
        line = cut(line, output.width, measure_of(output))
    output.line(line, style)


def _dim(output: Output, line: str) -> None:
    output.paragraph(line, style="dim")

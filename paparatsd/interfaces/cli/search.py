"""`paparats search` and `show`: code with its address and line numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.interfaces.cli.answers import print_notes, stale_lines
from paparatsd.interfaces.cli.filters import changed_of, empty_lines, where_of
from paparatsd.interfaces.cli.output import (
    clean,
    clean_code,
    counted,
    cut,
    measure_of,
    pasteable,
    state_style,
)
from paparatsd.interfaces.hints import unknown_languages
from paparatsd.interfaces.history_words import change_line, labels_line
from paparatsd.search.explanation import explanation_lines

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from paparatsd.interfaces.cli.context import Context
    from paparatsd.interfaces.cli.output import Output

INDENT = "  "
GRACE_S = 5.0
"""How much longer than its own deadline a search is waited for."""
LOW = "low"
LOW_LINES = 3
"""So much of a hit is shown that is hardly what was meant."""
MAX_BLANK = 2
"""Chunks leave out blank lines between them; more than these are not shown one by one."""
LEXERS = {"tsx": "tsx", "hcl": "terraform", "text": "text", "csharp": "csharp"}
"""Names of languages that the highlighter spells differently, or that must not be guessed."""


def search(context: Context) -> int:
    """Print the hits of a search, best first."""
    arguments = context.arguments
    client = context.client(arguments.timeout + GRACE_S)
    answer = client.search(
        " ".join(arguments.query),
        languages=arguments.lang,
        kinds=arguments.kind,
        fresh=arguments.fresh,
        deadline_s=arguments.timeout,
        **where_of(arguments),
        **_wishes(arguments),
    )
    if arguments.lang and not answer["results"]:
        answer["notes"] += _language_notes(context)
    if context.as_json:
        context.output.json(answer)
        return 0
    doubtful = all(hit["confidence"] == LOW for hit in answer["results"])
    if not answer["results"]:
        for line in empty_lines(arguments, answer, "results", " ".join(arguments.query)):
            context.output.paragraph(line)
    if doubtful:
        # What may be wrong with the question is not to be looked for below what it found.
        print_notes(context.output, answer)
    for hit in answer["results"]:
        _print_hit(context, hit)
        context.output.line()
    if not doubtful:
        print_notes(context.output, answer)
    if answer["results"]:
        context.output.line(_summary(answer), style="dim")
    return 0


def _wishes(arguments: Namespace) -> dict[str, Any]:
    """Return what is asked for beyond the usual answer: nothing is sent that was not given."""
    wishes = {
        "explain": arguments.explain,
        "related": arguments.related,
        "max_tokens": arguments.max_tokens,
        "offset": arguments.offset,
        "history": arguments.history,
        **changed_of(arguments),
    }
    return {name: value for name, value in wishes.items() if value}


def _summary(answer: Mapping[str, Any]) -> str:
    """Return the last line: how much there is, what it costs to read, how to go on."""
    line = f"{counted(len(answer['results']), 'result')}, about {answer['tokens']:,} tokens"
    following = answer["next_offset"]
    return line if following is None else f"{line}; more with --offset {following}"


def _language_notes(context: Context) -> list[str]:
    """Say so when nothing could be found, because no file that was searched is in a language."""
    arguments = context.arguments
    languages = [
        language
        for project in context.client().projects()
        if (not arguments.project or project["name"] in arguments.project)
        and (not arguments.group or project["group"] in arguments.group)
        for language in project["languages"]
    ]
    note = unknown_languages(arguments.lang, languages)
    return [note] if note else []


def show(context: Context) -> int:
    """Print a chunk and, within the radius, its neighbours in line order."""
    arguments = context.arguments
    answer = context.client().show(arguments.address, arguments.radius)
    if context.as_json:
        context.output.json(answer)
        return 0
    target = answer["target"]
    hits = sorted([target, *answer["neighbours"]], key=lambda hit: hit["start_line"])
    print_header(context, target, with_confidence=False)
    last_line = 0
    for hit in hits:
        text, first = _unseen(hit, last_line)
        if text:
            gap = first - last_line - 1 if last_line else 0
            if gap > MAX_BLANK:
                context.output.line("...", style="dim")
            elif gap > 0:
                text, first = "\n" * gap + text, first - gap
            _print_code(context, text, first, hit["language"])
        last_line = max(last_line, hit["end_line"])
    for line in stale_lines([answer["freshness"]]):
        context.output.line(line, style="yellow")
    return 0


def _unseen(hit: Mapping[str, Any], last_line: int) -> tuple[str, int]:
    """Return the part of a chunk below `last_line` and its first line; chunks may overlap."""
    first = max(hit["start_line"], last_line + 1)
    lines = hit["text"].split("\n")[first - hit["start_line"] :]
    return "\n".join(lines), first


def _print_hit(context: Context, hit: Mapping[str, Any]) -> None:
    print_header(context, hit, with_confidence=True)
    if "last_change" in hit:
        print_change(context.output, hit["last_change"])
    for one in hit.get("related", ()):
        print_neighbour(context, one)
    if "explanation" in hit:
        width = None if context.output.width is None else context.output.width - len(INDENT)
        for line in explanation_lines(hit["explanation"], width):
            context.output.line(INDENT + line, style="dim")
    text, left = hit["text"], 0
    if hit["confidence"] == LOW and not context.arguments.full:
        text, left = _beginning(text)
    _print_code(context, text, hit["start_line"], hit["language"])
    if left:
        context.output.line(f"{INDENT}and {counted(left, 'more line')} (--full)", style="dim")


def _beginning(text: str) -> tuple[str, int]:
    """Return the first lines of a hit that is hardly what was meant, and how many are left."""
    lines = text.rstrip("\n").split("\n")
    left = len(lines) - LOW_LINES
    return ("\n".join(lines[:LOW_LINES]), left) if left > 1 else (text, 0)


def print_change(output: Output, change: Mapping[str, Any], indent: str = INDENT) -> None:
    """Print the line of history of a hit; a terminal cuts it where the line ends."""
    line = indent + clean(change_line(change))
    if output.width is not None:
        line = cut(line, output.width, measure_of(output))
    output.line(line, style="magenta")


def print_neighbour(context: Context, one: Mapping[str, Any]) -> None:
    """Print what stands in a relation to a hit."""
    relation = one["relation"].replace("_", " ") + ("?" if one["certainty"] == "inferred" else "")
    where = f"  line {one['line']}" if "#" in one["address"] else ""
    line = f"{INDENT}{relation:<12} {pasteable(one['address'])}{where}"
    context.output.line(line, style="cyan")


def print_header(context: Context, hit: Mapping[str, Any], *, with_confidence: bool) -> None:
    """Print where a hit is and what it is, and below its address."""
    where = f"{hit['project']} {hit['path']}:{hit['start_line']}-{hit['end_line']}"
    address = pasteable(hit["address"])
    # The address says the symbol already, as a rule.
    said = hit["symbol"] is None or hit["address"].endswith(f"#{hit['symbol']}")
    about = [hit["kind"] if said else f"{hit['kind']} {hit['symbol']}"]
    if hit["symbol_end"] is not None:
        about.append(f"goes on to line {hit['symbol_end']}")
    if hit["also_in"]:
        about.append("also in " + ", ".join(hit["also_in"]))
    if line := labels_line(hit):
        about.append(line)
    if with_confidence:
        about.insert(0, f"{hit['confidence']} {hit['score']:.2f}")
    if not context.output.terminal:
        context.output.line(f"{where}  [{'; '.join(about)}]")
        context.output.line(f"  {address}")
        return
    from rich.text import Text

    style = state_style(hit["confidence"]) if with_confidence else "dim"
    title, rest = Text(clean(where), "bold"), Text(clean("; ".join(about)), style)
    width = context.output.width or 0
    if title.cell_len + len(INDENT) + rest.cell_len <= width:
        context.output.console.print(Text.assemble(title, INDENT, rest))
    else:
        context.output.console.print(title)
        context.output.console.print(Text.assemble(INDENT, rest))
    context.output.line(f"  {address}", style="dim")


def _print_code(context: Context, text: str, first_line: int, language: str) -> None:
    code = clean_code(text.rstrip("\n"))
    if not context.output.terminal:
        lines = code.split("\n")
        width = len(str(first_line + len(lines) - 1))
        for number, line in enumerate(lines, start=first_line):
            print(f"{number:>{width}} | {line}".rstrip())
        return
    from rich.syntax import Syntax

    syntax = Syntax(
        code,
        LEXERS.get(language, language),
        theme="ansi_dark",
        line_numbers=True,
        start_line=first_line,
        background_color="default",
        word_wrap=True,
    )
    context.output.console.print(syntax, soft_wrap=False)

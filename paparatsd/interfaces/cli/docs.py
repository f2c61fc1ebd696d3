"""`paparats docs` and `doc`: what the documents of projects say."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadQuery, Conflict, UserError
from paparatsd.interfaces import knowledge_words as words
from paparatsd.interfaces.cli.answers import ask, stale_lines
from paparatsd.interfaces.cli.filters import empty_lines
from paparatsd.interfaces.cli.output import clean_code, counted, cut, measure_of, pasteable
from paparatsd.interfaces.cli.prose import print_lines, prose_lines
from paparatsd.interfaces.cli.search import print_change
from paparatsd.interfaces.cli.terms import print_short
from paparatsd.interfaces.history_words import day_of
from paparatsd.interfaces.knowledge_phrases import breadcrumb_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from paparatsd.interfaces.cli.answers import Answer
    from paparatsd.interfaces.cli.context import Context
    from paparatsd.interfaces.cli.output import Output

INDENT = "   "
MAX_LINES = 10
"""So much of an excerpt is shown without --full, blank lines not counted."""
PIECE_CHARS = 100_000


def search(context: Context) -> int:
    """Print the documents that answer a question, and what the glossary says of its words."""
    arguments = context.arguments
    return ask(
        context,
        "docs",
        _show_hits,
        query=" ".join(arguments.query),
        audience=arguments.audience,
        limit=arguments.limit,
        min_score=arguments.min_score,
        min_score_code=arguments.min_score_code,
        history=arguments.history,
        fresh=arguments.fresh,
    )


def _show_hits(context: Context, answer: Answer) -> Iterator[str]:
    output = context.output
    if answer["terms"]:
        output.line("glossary", style="bold")
        for term in answer["terms"]:
            print_short(output, term)
        output.line()
    for number, hit in enumerate(answer["results"], start=1):
        _print_hit(context, number, hit)
        output.line()
    if not answer["results"]:
        asked = " ".join(context.arguments.query)
        for line in empty_lines(context.arguments, answer, "documents", asked):
            output.paragraph(line)
        return
    first = answer["results"][0]
    where = pasteable(f"{first['project']}:{first['path']}")
    yield f"{counted(len(answer['results']), 'document')}; the whole of one: paparats doc {where}"


def _print_hit(context: Context, number: int, hit: Mapping[str, Any]) -> None:
    output = context.output
    output.paragraph(f"{number}. {breadcrumb_of(hit)}", style="bold")
    lines = f"lines {hit['start_line']}-{hit['end_line']}"
    output.line(f"{INDENT}{pasteable(hit['address'])}  {lines}", style="cyan")
    output.paragraph(f"{INDENT}{', '.join(_about(hit))}", style="dim")
    if hit["link"]:
        output.line(f"{INDENT}{hit['link']}", style="cyan")
    for line in words.stale_lines_of(hit, time.time()):
        output.paragraph(INDENT + line, style="yellow")
    if "last_change" in hit:
        print_change(output, hit["last_change"], INDENT)
    _print_excerpt(context, hit)


def _cut_row(output: Output, line: str) -> str:
    """Return a row of a table as it fits a terminal, since nothing else breaks it."""
    if output.width is None or not line.lstrip().startswith("|"):
        return line
    return cut(line, output.width, measure_of(output))


def _print_excerpt(context: Context, hit: Mapping[str, Any]) -> None:
    """Print the place that was found, or with --full its neighbours as well."""
    output, text = context.output, hit["content"]
    above = max(0, hit["place_line"] - hit["start_line"])
    lines = text.strip("\n").split("\n")
    if context.arguments.full or above >= len(lines):
        above = 0
    shown = prose_lines("\n".join(lines[above:]), output.width, INDENT)
    if not context.arguments.full:
        shown = [_cut_row(output, line) for line in shown]
    told = [at for at, line in enumerate(shown, 1) if line.strip()]
    below = 0
    if len(told) > MAX_LINES + 1 and not context.arguments.full:
        below = len(shown) - told[MAX_LINES - 1]
    print_lines(shown[: len(shown) - below])
    left = [f"{number} {where}" for number, where in ((above, "above"), (below, "below")) if number]
    if left:
        output.line(f"{INDENT}lines left out: {', '.join(left)} (--full)", style="dim")


def _about(hit: Mapping[str, Any]) -> list[str]:
    """Return what is to know of a hit beside its place."""
    first, last, total = (hit["excerpt"][name] for name in ("first", "last", "total"))
    about = [f"relevance {hit['relevance']:.2f}"]
    if total > last - first + 1:
        shown = f"section {first}" if first == last else f"sections {first}-{last}"
        about.append(f"{shown} of {total}")
    about += _dated(hit)
    if hit["also_in"]:
        about.append(f"also in {', '.join(hit['also_in'])}")
    return about


def _dated(document: Mapping[str, Any]) -> list[str]:
    """Return for whom a document is, and when it was changed."""
    dated = [f"for {document['audience']}"]
    if document["modified_at"]:
        said = " (it says)" if document["dated_by"] == "document" else ""
        dated.append(f"changed {day_of(document['modified_at'])}{said}")
    return dated


def doc(context: Context) -> int:
    """Print a document, or a piece of a long one; what is to know of it is beside the output."""
    arguments, output = context.arguments, context.output
    answer = _read(context)
    if context.as_json:
        output.json(answer)
        return 0
    document, shown = answer["document"], clean_code(answer["content"])
    if output.terminal:
        about = [*_dated(document), *filter(None, (document["link"],))]
        where = pasteable(f"{document['project']}:{document['path']}")
        output.paragraph(f"{where}  [{', '.join(about)}]", style="dim")
    print(shown, end="" if shown.endswith("\n") else "\n")
    for line in (*words.stale_lines_of(document, time.time()), *stale_lines(answer["freshness"])):
        output.note(f"paparats: {line}")
    if answer["next_offset"] is not None:
        output.note(
            f"paparats: characters {arguments.offset:,} to {answer['next_offset']:,} of "
            f"{answer['total_chars']:,}; go on with --offset {answer['next_offset']}, or --all"
        )
    return 0


def _read(context: Context) -> dict[str, Any]:
    """Return a document from the offset on: one piece of it, or all."""
    arguments = context.arguments
    project, colon, path = arguments.document.partition(":")
    if not (project and colon and path):
        raise BadQuery(
            f"{arguments.document!r} is no document; write PROJECT:PATH, such as shop:README.md"
        )
    wanted: dict[str, Any] = {"project": project, "path": path}
    if arguments.all:
        wanted["max_chars"] = PIECE_CHARS
    client = context.client()
    try:
        answer = client.ask("document", **wanted, offset=arguments.offset)
    except UserError:
        # The address of a result names a place in a document; but a file may be called so, too.
        wanted["path"] = _path_in_address(arguments.document)
        if not wanted["path"]:
            raise
        answer = client.ask("document", **wanted, offset=arguments.offset)
    pieces, following = [answer["content"]], answer["next_offset"]
    while arguments.all and following is not None:
        piece = client.ask("document", **wanted, offset=following)
        if piece["total_chars"] != answer["total_chars"]:
            raise Conflict(f"{arguments.document} was changed while it was read; ask again")
        pieces.append(piece["content"])
        following = piece["next_offset"]
    return answer | {"content": "".join(pieces), "next_offset": following}


def _path_in_address(text: str) -> str:
    """Return the path of an address that names a place in a file, "" of anything else."""
    from paparatsd.chunks.address import parse_address

    try:
        return parse_address(text).path if "#" in text else ""
    except BadQuery:
        return ""

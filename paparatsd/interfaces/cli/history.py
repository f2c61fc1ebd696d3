"""`paparats log`, `changes`, `explain`: who changed what, when and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.interfaces.cli.answers import print_notes, stale_lines
from paparatsd.interfaces.cli.filters import changed_of, empty_lines, given_filters, where_of
from paparatsd.interfaces.cli.output import clean, cut, measure_of, pasteable
from paparatsd.interfaces.cli.search import print_change, print_header, print_neighbour
from paparatsd.interfaces.history_words import (
    by_day,
    counted,
    day_of,
    gist_of,
    labels_line,
    log_remarks,
    name_of,
    owner_line,
    remarks_on,
    unnamed_tickets,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.interfaces.cli.context import Context
    from paparatsd.interfaces.cli.output import Output

INDENT = "  "
GAP = "  "
MAX_AUTHOR, NARROW_AUTHOR = 24, 14
WIDE = 100
"""Columns of a terminal from which on names are shown longer."""
MIN_SUBJECT = 12
MAX_FILES = 6
MAX_GIST = 200
MAX_LINKED = 3
"""So many tickets of a place are each shown with their page."""
MAX_TICKETS = 10
MAX_LOG = 200
LETTERS = {"add": "A", "modify": "M", "delete": "D", "rename": "R", "copy": "C"}
SCANNING = "scanning"
MERGED = ("carrier", "resolution")
"""Roles whose word says that the commit is a merge."""


def log(context: Context) -> int:
    """Print the history of one place, newest commit first, and whom to ask about it."""
    arguments, output = context.arguments, context.output
    answer = context.client().log(arguments.address, arguments.limit)
    if context.as_json:
        output.json(answer)
        return 0
    _print_place(output, answer)
    for line in commit_rows(answer["commits"], output):
        output.line(line)
    if not answer["commits"]:
        output.line("no commit of it is known")
    left = answer["total"] - len(answer["commits"])
    if left > 0:
        more = f"{counted(left, 'more commit')}; show them with -n {min(answer['total'], MAX_LOG)}"
        output.line(more, style="dim")
    began = answer.get("began")
    if began is not None and not any(one["born"] for one in answer["commits"]):
        output.line(_commit_line(began, "began with ", output, day=True))
    _print_tickets(output, answer)
    _print_owners(output, answer)
    to_go = _commits_to_go(context, answer["project"]) if answer["pending"] else None
    for line in [*log_remarks(answer, to_go), *stale_lines([answer["freshness"]])]:
        output.paragraph(line, style="yellow")
    return 0


def _print_place(output: Output, answer: Mapping[str, Any]) -> None:
    where = f"{answer['project']} {answer['path']}:{answer['start_line']}-{answer['end_line']}"
    about = [f"{answer['kind']} {answer['symbol']}" if answer["symbol"] else answer["kind"]]
    if answer["branch"]:
        about.append(f"branch {answer['branch']}")
    if line := labels_line(answer):
        about.append(line)
    output.line(f"{where}  [{'; '.join(about)}]", style="bold")
    output.line(f"{INDENT}{pasteable(answer['address'])}", style="dim")


def _print_owners(output: Output, answer: Mapping[str, Any]) -> None:
    if answer.get("owners"):
        output.line("who to ask:")
        for owner in answer["owners"]:
            output.paragraph(INDENT + owner_line(owner))


def _print_tickets(output: Output, answer: Mapping[str, Any]) -> None:
    """Print a few tickets with their pages, many as one list, those of the newest commits first."""
    newest = [ticket for one in answer["commits"] for ticket in one["commit"]["tickets"]]
    known = {ticket["key"]: ticket for ticket in answer["tickets"]}
    keys = [key for key in dict.fromkeys(ticket["key"] for ticket in newest) if key in known]
    keys = list(dict.fromkeys([*keys, *known]))
    if not keys:
        return
    if len(keys) > MAX_LINKED:
        left = len(keys) - MAX_TICKETS
        more = f" and {left} more (all with --json)" if left > 0 else ""
        output.paragraph(f"tickets: {', '.join(keys[:MAX_TICKETS])}{more}")
        return
    output.line("tickets:")
    width = max(map(len, keys))
    for key in keys:
        output.line(f"{INDENT}{key:<{width}}  {known[key]['url'] or ''}".rstrip())


def _commits_to_go(context: Context, name: str) -> int | None:
    """Return how many commits of a project are still to be read, if that is known."""
    for project in context.client().projects():
        history = project.get("history") or {}
        if project["name"] == name and history.get("state") == SCANNING:
            return int(history["pending"])
    return None


def commit_rows(entries: Sequence[Mapping[str, Any]], output: Output) -> list[str]:
    """Return an aligned line for each commit of a place: day, id, author, part, subject.

    On a terminal the subject is cut to what is left of the line, never its tickets.
    """
    measure = measure_of(output)
    narrow = output.width is not None and output.width < WIDE
    names = [clean(name_of(one["commit"]["author"])) for one in entries]
    authors = [cut(name, NARROW_AUTHOR if narrow else MAX_AUTHOR, measure) for name in names]
    parts = [part_word(one) for one in entries]
    author_width = max(map(measure, authors), default=0)
    part_width = max(map(len, parts), default=0)
    lines = []
    for entry, author, part in zip(entries, authors, parts, strict=True):
        commit = entry["commit"]
        padded = author + " " * (author_width - measure(author))
        begin = GAP.join(
            (day_of(commit["committed"]), commit["short"], padded, f"{part:<{part_width}}")
        )
        named = entry["role"] in MERGED
        lines.append(f"{begin}{GAP}{_subject(commit, begin + GAP, output, merge=not named)}")
    return lines


def part_word(entry: Mapping[str, Any]) -> str:
    """Return what a commit is to a place in a word or two; `+` marks where it begins."""
    lines = f"{entry['lines']} lines" if entry["lines"] != 1 else "1 line"
    said = {"carrier": "merge", "resolution": f"merge, {lines}"}.get(entry["role"], lines)
    if entry["role"] == "author" and not entry["lines"]:
        said = "-"
    return f"{said} +" if entry["born"] else said


def _subject(commit: Mapping[str, Any], begin: str, output: Output, *, merge: bool = True) -> str:
    """Return what a commit says, its tickets and remarks, as it fits behind `begin`.

    Without `merge` it is not said that the commit is one: that stands before already.
    """
    measure = measure_of(output)
    subject = clean(commit["subject"]) or "(no message)"
    tickets = clean(unnamed_tickets(commit))
    remarks = clean(remarks_on(commit, merge=merge))
    whole = " ".join(filter(None, (subject, tickets, remarks)))
    if output.width is None or measure(begin + whole) <= output.width:
        return whole
    room = output.width - measure(begin) - (measure(tickets) + 1 if tickets else 0)
    return " ".join(filter(None, (cut(subject, max(room, MIN_SUBJECT), measure), tickets)))


def _commit_line(commit: Mapping[str, Any], indent: str, output: Output, *, day: bool) -> str:
    """Return a commit in one line that fits; of a merge and the like it may leave out remarks."""
    when = f"{day_of(commit['committed'])} " if day else ""
    author = clean(name_of(commit["author"]))
    begin = f"{indent}{commit['project']} {when}{commit['short']} {author}: "
    return begin + _subject(commit, begin, output)


def changes(context: Context) -> int:
    """Print commits with their files and what they touched, as it is now."""
    arguments, output = context.arguments, context.output
    words = " ".join(arguments.query)
    answer = context.client().commits(
        words, merges=arguments.merges, **where_of(arguments), **changed_of(arguments)
    )
    if context.as_json:
        output.json(answer)
        return 0
    for found in answer["commits"]:
        _print_commit(output, found)
        output.line()
    _print_end(context, answer, "commits", words)
    if answer["commits"]:
        output.line(_summary(answer, filtered=bool(given_filters(arguments))), style="dim")
    return 0


def _summary(answer: Mapping[str, Any], *, filtered: bool) -> str:
    said = counted(len(answer["commits"]), "commit")
    left = answer["total"] - len(answer["commits"])
    if left <= 0:
        return said
    return f"{said}, {left:,} more" + (" pass the filters" if filtered else "")


def _print_commit(output: Output, found: Mapping[str, Any]) -> None:
    commit = found["commit"]
    output.line(_commit_line(commit, "", output, day=True), style="bold")
    gist = clean(gist_of(commit["body"]))
    if gist:
        width = output.width or MAX_GIST
        output.line(cut(INDENT + gist, min(width, MAX_GIST), measure_of(output)), style="dim")
    if commit["url"]:
        output.line(f"{INDENT}{commit['url']}", style="dim")
    for file in found["files"][:MAX_FILES]:
        old = f"{file['old_path']} -> " if file["old_path"] else ""
        output.line(f"{INDENT}{LETTERS.get(file['change'], '?')} {old}{file['path']}")
    left = found["files_total"] - len(found["files"][:MAX_FILES])
    if left > 0:
        output.line(f"{INDENT}and {counted(left, 'more file')}", style="dim")
    for place in found["places"]:
        output.line(f"{INDENT}now {pasteable(place['address'])}  {place['kind']}", style="cyan")
    left = found["places_total"] - len(found["places"])
    if left > 0:
        output.line(f"{INDENT}and {counted(left, 'more place')}", style="dim")


def _print_end(context: Context, answer: Mapping[str, Any], nouns: str, words: str) -> None:
    """Print what is to know of an answer; of an empty one why it has no `nouns` for these words."""
    output = context.output
    if not answer[nouns]:
        for line in empty_lines(context.arguments, answer, nouns, words):
            output.paragraph(line)
    print_notes(output, answer)


def explain(context: Context) -> int:
    """Print where something is, what changed there by day, and what belongs to it; no code."""
    arguments, output = context.arguments, context.output
    words = " ".join(arguments.question)
    answer = context.client().explain(
        words, commits=arguments.commits, **where_of(arguments), **changed_of(arguments)
    )
    if context.as_json:
        output.json(answer)
        return 0
    for hit in answer["results"]:
        print_header(context, hit, with_confidence=True)
        if "last_change" in hit:
            print_change(output, hit["last_change"])
        for one in hit.get("related", ()):
            print_neighbour(context, one)
        output.line()
    _print_timeline(output, answer)
    _print_owners(output, answer)
    _print_end(context, answer, "results", words)
    return 0


def _print_timeline(output: Output, answer: Mapping[str, Any]) -> None:
    for day, entries in by_day(answer["timeline"]):
        output.line(day, style="bold")
        for entry in entries:
            commit = entry["commit"]
            output.line(_commit_line(commit, INDENT, output, day=False))
            for number in entry["hits"]:
                address = answer["results"][number]["address"]
                output.line(f"{INDENT * 2}{pasteable(address)}", style="dim")
    if answer["timeline"]:
        output.line()

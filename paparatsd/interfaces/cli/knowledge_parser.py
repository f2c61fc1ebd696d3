"""The command line of the commands about documents, glossary and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.interfaces.cli.options import (
    REPEATED,
    Parser,
    Subparsers,
    add_command,
    add_number,
    add_verbs,
    between,
    passage,
    share,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

CARD_KINDS = ("component", "decision", "lesson")
SCOPES = ("global", "component", "file")
SEVERITIES = ("info", "warning", "critical")
"""The words of `knowledge_model.py`, which is not imported for them: a shell waits for this."""
MAX_OFFSET = 1_000_000_000
LONG = "is the text itself, @FILE for a file that has it, or - for standard input."


def add_knowledge_commands(commands: Subparsers) -> None:
    """Add docs, doc, term and arch."""
    _add_docs(commands)
    _add_terms(commands)
    verbs = add_verbs(commands, "arch", "The architectural memory: components, decisions, lessons.")
    _add_questions(verbs)
    _add_record(verbs)
    _add_files(verbs)


def _add_docs(commands: Subparsers) -> None:
    docs = add_command(commands, "docs", "docs:search", "Find documents that answer a question.")
    docs.add_argument("query", metavar="QUERY", nargs="+", help="words; no quotes needed")
    _add_where(docs)
    docs.add_argument(
        "--audience", **REPEATED, metavar="LABEL", help="only documents for them; may be repeated"
    )
    add_number(docs, "documents", 8, 30)
    for name, whose in (("--min-score", "prose"), ("--min-score-code", "projects with code")):
        docs.add_argument(
            name, type=share, metavar="X", help=f"floor for {whose}: 0 (none) to 1, else calibrated"
        )
    docs.add_argument("--history", action="store_true", help="say when each place changed last")
    docs.add_argument("--fresh", action="store_true", help="compare with the disk first")
    docs.add_argument("--full", action="store_true", help="show all lines of each excerpt")

    doc = add_command(commands, "doc", "docs:doc", "Print a document as it is in the index.")
    doc.add_argument("document", type=text, metavar="PROJECT:PATH")
    doc.add_argument(
        "--offset",
        type=between(0, MAX_OFFSET),
        default=0,
        metavar="N",
        help="begin behind so many characters",
    )
    doc.add_argument("--all", action="store_true", help="to its end, however long it is")


def _add_terms(commands: Subparsers) -> None:
    verbs = add_verbs(commands, "term", "The glossary.")
    search = add_command(verbs, "search", "terms:search", "Look a word up.")
    search.add_argument("query", metavar="QUERY", nargs="+", help="words; no quotes needed")
    _add_where(search)
    add_number(search, "terms", 8, 30)
    search.add_argument(
        "--min-score", type=share, metavar="X", help="floor of likeness: 0 to 1, else calibrated"
    )

    listing = add_command(verbs, "list", "terms:list_terms", "List the terms by name.")
    _add_where(listing)
    add_number(listing, "terms of each group", 200, 500)
    _add_show(verbs, "terms:show", "terms")

    record = add_command(
        verbs, "record", "terms:record", "Write a term, or write it anew: its name says which."
    )
    record.add_argument("term", type=text, metavar="TERM")
    record.add_argument("definition", type=passage, metavar="DEFINITION")
    record.epilog = f"DEFINITION {LONG}"
    _add_owner(record)
    record.add_argument("--alias", **REPEATED, help="another name; may be repeated")
    _add_delete(verbs, "terms:delete", "terms")


def _add_questions(verbs: Subparsers) -> None:
    context = add_command(
        verbs, "context", "memory:context", "Show what memory says of a question, or of files."
    )
    context.add_argument(
        "question", metavar="QUESTION", nargs="+", help="words, or paths such as src/a.py,src/b.py"
    )
    _add_where(context)
    context.add_argument(
        "--min-score", type=share, metavar="X", help="floor of likeness: 0 to 1, else calibrated"
    )
    for kind in CARD_KINDS:
        context.add_argument(
            f"--{kind}s",
            type=between(0, 50),
            metavar="N",
            help=f"at most so many {kind}s: 0 to 50, default: 5",
        )
    context.add_argument(
        "--unchecked", action="store_true", help="do not look what became of what cards name"
    )

    listing = add_command(verbs, "list", "memory:list_cards", "List cards, oldest first.")
    _add_where(listing)
    _add_kinds(listing)
    listing.add_argument(
        "--history", action="store_true", help="also those that are superseded or deprecated"
    )
    listing.add_argument(
        "--checked", action="store_true", help="say what became of what each card names"
    )
    add_number(listing, "cards", 50, 200)
    listing.add_argument("--cursor", type=text, metavar="C", help="go on where a list ended")

    _add_show(verbs, "memory:show", "whole cards, with their anchors as they are now")
    check = add_command(
        verbs, "check", "memory:check", "List cards whose files or code changed since, and how."
    )
    _add_where(check)
    _add_kinds(check)
    suggest = add_command(
        verbs, "suggest", "memory:suggest", "Name places that much is built on, without a card."
    )
    _add_where(suggest)
    add_number(suggest, "places", 10, 50)
    stats = add_command(verbs, "stats", "memory:stats", "Count what the memory holds.")
    _add_where(stats)
    _add_delete(verbs, "memory:delete", "cards")


def _add_record(verbs: Subparsers) -> None:
    kinds = add_verbs(verbs, "record", "Write a card.")
    component = add_command(
        kinds, "component", "memory:component", "Write what a part of a system is for, or anew."
    )
    component.add_argument("name", type=text, metavar="NAME")
    _add_texts(component, (("summary", True, "what it does, owns, does not do, when touched"),))
    component.add_argument(
        "--neighbour", **REPEATED, metavar="NAME", help="what it works with; may be repeated"
    )
    _add_card(component)

    decision = add_command(kinds, "decision", "memory:decision", "Write a choice that was made.")
    decision.add_argument("title", type=text, metavar="TITLE")
    _add_texts(
        decision,
        (
            ("context", True, "what made it necessary"),
            ("decision", True, "what was chosen"),
            ("consequences", True, "what follows from it"),
            ("rejected", False, "what was not chosen, and why"),
        ),
    )
    decision.add_argument("--supersedes", type=text, metavar="ID", help="the one it replaces")
    decision.add_argument("--scope", choices=SCOPES, default=SCOPES[0], help="default: global")
    _add_card(decision)

    lesson = add_command(kinds, "lesson", "memory:lesson", "Write a rule that was learned.")
    lesson.add_argument("rule", type=text, metavar="RULE")
    _add_texts(
        lesson,
        (
            ("why", True, "why it holds"),
            ("when", True, "when to think of it"),
            ("evidence", False, "where it was learned"),
        ),
    )
    lesson.add_argument(
        "--severity", choices=SEVERITIES, default=SEVERITIES[0], help="default: info"
    )
    lesson.add_argument("--scope", choices=SCOPES, default=SCOPES[0], help="default: global")
    _add_card(lesson)


def _add_files(verbs: Subparsers) -> None:
    export = add_command(
        verbs, "export", "note_files:export", "Write cards and terms as Markdown files into DIR."
    )
    export.add_argument("directory", type=text, metavar="DIR")
    _add_where(export)
    export.add_argument(
        "--prune", action="store_true", help="delete files of notes in DIR that were not written"
    )
    taking = add_command(
        verbs, "import", "note_files:take", "Read cards and terms from the Markdown files in DIR."
    )
    taking.add_argument("directory", type=text, metavar="DIR")
    _add_where(taking)
    taking.add_argument("--dry-run", action="store_true", help="say what would change, only")


def _add_texts(command: Parser, texts: Sequence[tuple[str, bool, str]]) -> None:
    """Add long texts: each with its name, whether it has to be given, and what it is."""
    for name, required, about in texts:
        command.add_argument(
            f"--{name}", type=passage, required=required, metavar="TEXT", help=about
        )
    command.epilog = f"TEXT {LONG}"


def _add_card(command: Parser) -> None:
    _add_owner(command)
    command.add_argument(
        "--file", **REPEATED, metavar="PATH", help="a file it is about; may be repeated"
    )
    command.add_argument(
        "--anchor",
        **REPEATED,
        metavar="PLACE",
        help="code it names: a path, src/cart.py#Cart.total, or Cart.total; may be repeated",
    )


def _add_owner(command: Parser) -> None:
    """Add to whom a note is to belong."""
    command.add_argument(
        "-p", "--project", type=text, help="its project; default: none, it holds in the whole group"
    )
    command.add_argument(
        "-g", "--group", type=text, help="default: that of the project, or the only one there is"
    )


def _add_where(command: Parser) -> None:
    command.add_argument("-p", "--project", **REPEATED, help="may be repeated")
    command.add_argument("-g", "--group", **REPEATED, help="may be repeated")


def _add_kinds(command: Parser) -> None:
    command.add_argument(
        "--kind", choices=CARD_KINDS, action="append", default=[], help="may be repeated"
    )


def _add_show(verbs: Subparsers, run: str, what: str) -> None:
    show = add_command(verbs, "show", run, f"Show {what}, by their ids.")
    show.add_argument("id", type=text, metavar="ID", nargs="+")
    _add_where(show)


def _add_delete(verbs: Subparsers, run: str, what: str) -> None:
    delete = add_command(verbs, "delete", run, f"Delete {what}, by their ids.")
    delete.add_argument("id", type=text, metavar="ID", nargs="+")
    _add_where(delete)
    delete.add_argument("--yes", action="store_true", help="do not ask (asked on a terminal only)")

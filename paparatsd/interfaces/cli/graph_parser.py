"""The command line of the commands about the symbol graph."""

from __future__ import annotations

from paparatsd.interfaces.cli.options import (
    REPEATED,
    Parser,
    Subparsers,
    add_command,
    add_number,
    add_scope,
    between,
    text,
)

SYMBOL = "shop:src/cart.py#Cart.total, shop:src/cart.py:12[:8], or a name such as Cart.total"
DIRECTIONS = ("incoming", "outgoing", "both")
RELATIONS = ("calls", "references", "inherits", "overrides", "imports", "tests", "requests")
"""The words of `graph_model.py`, which is not imported for them: a shell waits for this."""
MAX_OFFSET = 1_000_000


def add_graph_commands(commands: Subparsers) -> None:
    """Add usages, def, outline, calls, impact, changed, unused and hubs."""
    _add_names(commands)
    _add_outline(commands)
    _add_changes(commands)
    for name, about in (
        ("unused", "List definitions that nothing seems to use, and the doubts about it."),
        ("hubs", "List what most files are built on, and where programs begin."),
    ):
        survey = add_command(commands, name, f"graph:{name}", about)
        add_scope(survey)
        survey.add_argument("--kind", **REPEATED, help="such as function or class")
        add_number(survey, "symbols", 50, 500)
        _add_offset(survey)
        _add_fresh(survey)


def _add_names(commands: Subparsers) -> None:
    usages = add_command(commands, "usages", "graph:usages", "Show who uses a symbol.")
    usages.add_argument("symbol", type=text, metavar="SYMBOL", help=SYMBOL)
    add_scope(usages)
    usages.add_argument(
        "--direction", choices=DIRECTIONS, default=DIRECTIONS[0], help="default: incoming"
    )
    usages.add_argument(
        "--relation", choices=RELATIONS, action="append", default=[], help="may be repeated"
    )
    usages.add_argument("--no-tests", action="store_true", help="leave out users in tests")
    usages.add_argument("--no-hubs", action="store_true", help="leave out what is used everywhere")
    add_number(usages, "users", 20, 200)
    _add_offset(usages)
    _add_fresh(usages)

    definition = add_command(commands, "def", "graph:definition", "Show where a name is defined.")
    definition.add_argument("symbol", type=text, metavar="SYMBOL", help=SYMBOL)
    add_scope(definition)
    add_number(definition, "definitions", 10, 50)
    _add_fresh(definition)

    calls = add_command(
        commands, "calls", "graph:calls", "Show how one symbol comes to call another."
    )
    calls.add_argument("source", type=text, metavar="FROM", help=SYMBOL)
    calls.add_argument("target", type=text, metavar="TO", help="written as FROM")
    add_scope(calls)
    _add_hops(calls, 12, 6)
    add_number(calls, "chains", 3, 20)
    _add_fresh(calls)


def _add_outline(commands: Subparsers) -> None:
    outline = add_command(
        commands, "outline", "graph:outline", "List the symbols of a file or a directory."
    )
    outline.add_argument(
        "place", type=text, metavar="PLACE", help="such as shop:src/cart.py, shop:src or shop"
    )
    add_scope(outline)
    outline.add_argument(
        "--depth",
        type=between(1, 10),
        default=3,
        metavar="N",
        help="levels of nested symbols: 1 to 10, default: 3",
    )
    outline.add_argument("--public", action="store_true", help="only what is exported")
    outline.add_argument(
        "--max-tokens",
        type=between(200, 100_000),
        default=20_000,
        metavar="N",
        help="so much at most, default: 20000",
    )
    _add_offset(outline, "files")
    _add_fresh(outline)


def _add_changes(commands: Subparsers) -> None:
    impact = add_command(commands, "impact", "graph:impact", "Show what breaks if it changes.")
    impact.add_argument("symbol", type=text, metavar="SYMBOL", nargs="*", help=SYMBOL)
    impact.add_argument(
        "-q", "--question", type=text, metavar="TEXT", help="words that find it, instead"
    )
    add_scope(impact)
    _add_hops(impact, 4, 2)
    add_number(impact, "users", 100, 1_000)
    _add_fresh(impact)

    changed = add_command(
        commands, "changed", "graph:changed", "Show which symbols a change touches."
    )
    changed.add_argument(
        "against",
        type=text,
        metavar="AGAINST",
        nargs="?",
        default="working",
        help="working (default), staged, a commit, or a range A..B",
    )
    add_scope(changed)
    add_number(changed, "symbols", 50, 500)
    changed.add_argument(
        "--callers",
        type=between(0, 50),
        default=5,
        metavar="N",
        help="users of each: 0 to 50, default: 5",
    )
    _add_fresh(changed)


def _add_hops(command: Parser, most: int, default: int) -> None:
    command.add_argument(
        "--hops",
        type=between(1, most),
        default=default,
        metavar="N",
        help=f"uses from one end to the other: 1 to {most}, default: {default}",
    )


def _add_offset(command: Parser, what: str = "") -> None:
    said = f"skip so many {what}".strip()
    command.add_argument("--offset", type=between(0, MAX_OFFSET), default=0, metavar="N", help=said)


def _add_fresh(command: Parser) -> None:
    command.add_argument("--fresh", action="store_true", help="compare with the disk first")

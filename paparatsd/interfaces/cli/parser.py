"""The command line of `paparats`: every command, its arguments and where it is implemented."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NoReturn

from paparatsd import __version__
from paparatsd.errors import UserError
from paparatsd.exits import exit_code_of
from paparatsd.interfaces.hints import unknown_kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

Subparsers = Any  # argparse keeps the class of add_subparsers() to itself

TOOLSETS = ("coding", "support")
"""The names in `mcp/identity.py`, which is not imported for them: a shell waits for this."""
LISTS = {
    "names": "only names",
    "roots": "only names and, after a tab, directories",
    "groups": "only groups",
    "languages": "only languages",
}
PLACES = ("config", "state", "cache", "runtime")


class Parser(argparse.ArgumentParser):
    """Exits with the code of our own table on a wrong command line."""

    def error(self, message: str) -> NoReturn:
        """Say in one line what is wrong and where the options are explained."""
        said = f"{self.prog}: {message}; see {self.prog} --help\n"
        self.exit(exit_code_of(UserError(message)), said)


def build_parser() -> Parser:
    """Return the parser; `run` of the parsed arguments is "module:function"."""
    parser = Parser(
        prog="paparats",
        description="Search your repositories and manage the daemon that indexes them.",
        epilog="Exit codes: 0 done, 64 wrong usage, 69 the daemon does not answer, 70 broken, "
        "75 try later, 76 bad reply, 77 not allowed, 78 bad settings, 130 interrupted.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"paparats {__version__}")
    for kind in PLACES:
        parser.add_argument(
            f"--{kind}-dir",
            type=_text,
            metavar="DIR",
            help=f"{kind} directory of the daemon to talk to",
        )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_project_commands(commands)
    _add_status_commands(commands)
    _add_search_commands(commands)
    _add_history_commands(commands)
    _add_installation_commands(commands)
    _add_daemon_commands(commands)
    return parser


def _command(commands: Subparsers, name: str, run: str, about: str) -> Parser:
    command: Parser = commands.add_parser(name, help=about, description=about, allow_abbrev=False)
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(run=run)
    return command


def _add_project_commands(commands: Subparsers) -> None:
    add = _command(
        commands, "add", "projects:add", "Index a directory from now on; starts the daemon."
    )
    add.add_argument("path", type=_text, metavar="PATH")
    add.add_argument("--name", type=_text, help="default: the last part of the path")
    add.add_argument(
        "--group", type=_text, help="default: the group in .paparats.yml, else 'default'"
    )
    add.add_argument("--no-hooks", action="store_true", help="do not install git hooks")
    waiting = add.add_mutually_exclusive_group()
    waiting.add_argument("--wait", action="store_true", help="return when the index is ready")
    waiting.add_argument("--no-wait", action="store_true", help="return at once")

    remove = _command(commands, "remove", "projects:remove", "Forget a project and its index.")
    remove.add_argument("project", type=_text, metavar="PROJECT")
    remove.add_argument("--yes", action="store_true", help="do not ask (asked on a terminal only)")

    listing = _command(commands, "list", "projects:list_projects", "List the projects.")
    listing.add_argument("-g", "--group", type=_text, help="only this group")
    only = listing.add_mutually_exclusive_group()
    for what, said in LISTS.items():
        only.add_argument(
            f"--{what}", action="store_const", dest="only", const=what, help=f"{said}, one a line"
        )

    reindex = _command(commands, "reindex", "projects:reindex", "Compare projects with the disk.")
    reindex.add_argument("project", type=_text, metavar="PROJECT", nargs="?", help="default: all")
    reindex.add_argument("--force", action="store_true", help="read every file again")
    reindex.add_argument("--wait", action="store_true", help="return when nothing is pending")

    skipped = _command(commands, "skipped", "projects:skipped", "List files that are not indexed.")
    skipped.add_argument("project", type=_text, metavar="PROJECT", nargs="?", help="default: all")


def _add_status_commands(commands: Subparsers) -> None:
    status = _command(commands, "status", "status:status", "Show the daemon and its projects.")
    status.add_argument("--watch", action="store_true", help="keep showing until interrupted")
    status.add_argument("--timeout", type=_seconds, default=5.0, metavar="S", help="default: 5")


def _add_search_commands(commands: Subparsers) -> None:
    search = _command(commands, "search", "search:search", "Find code by words or by meaning.")
    search.add_argument("query", metavar="QUERY", nargs="+", help="words; no quotes needed")
    _add_scope(search)
    _add_number(search, "results", _limit, 5, 100)
    search.add_argument("--lang", **REPEATED, help="language, such as python")
    search.add_argument("--kind", **{**REPEATED, "type": _kind}, help="such as function or class")
    search.add_argument("--fresh", action="store_true", help="compare with the disk first")
    search.add_argument(
        "--related", action="store_true", help="also name callers, callees, class and tests"
    )
    search.add_argument(
        "--explain", action="store_true", help="show where each score and confidence comes from"
    )
    search.add_argument(
        "--history", action="store_true", help="say when each hit changed last, by whom, for what"
    )
    _add_changed(search)
    search.add_argument(
        "--full", action="store_true", help="show all lines of results of low confidence too"
    )
    search.add_argument(
        "--max-tokens", type=_tokens, metavar="N", help="only results whose code fits"
    )
    search.add_argument("--offset", type=_offset, default=0, metavar="N", help="skip so many")
    search.add_argument("--timeout", type=_seconds, default=10.0, metavar="S", help="default: 10")

    show = _command(commands, "show", "search:show", "Show the code at an address.")
    show.add_argument(
        "address", type=_text, metavar="ADDRESS", help="such as shop:src/cart.py#Cart.total"
    )
    show.add_argument(
        "--radius",
        type=_radius,
        default=0,
        metavar="N",
        help="also the chunks up to so many lines above and below: 0 to 1000, default: 0",
    )


def _add_history_commands(commands: Subparsers) -> None:
    log = _command(commands, "log", "history:log", "Show who changed a place, when and why.")
    log.add_argument(
        "address", type=_text, metavar="ADDRESS", help="such as shop:src/cart.py#Cart.total"
    )
    _add_number(log, "commits", _commits, 10, 200)

    changes = _command(
        commands, "changes", "history:changes", "Find commits, and what is left of them."
    )
    changes.add_argument(
        "query", metavar="QUERY", nargs="*", help="what they did, in words; default: the newest"
    )
    _add_scope(changes)
    _add_changed(changes)
    _add_number(changes, "commits", _commits, 10, 200)
    changes.add_argument("--merges", action="store_true", help="also list merges")

    explain = _command(
        commands, "explain", "history:explain", "Say where something is and what changed there."
    )
    explain.add_argument("question", metavar="QUESTION", nargs="+", help="words; no quotes needed")
    _add_scope(explain)
    _add_changed(explain)
    _add_number(explain, "places", _limit, 5, 100)
    explain.add_argument(
        "--commits",
        type=_commits_per_hit,
        default=5,
        metavar="N",
        help="at most so many commits per place: 1 to 50, default: 5",
    )


def _add_number(command: Parser, what: str, kind: Any, default: int, most: int) -> None:  # noqa: ANN401 - as argparse has it
    command.add_argument(
        "-n",
        "--limit",
        type=kind,
        default=default,
        metavar="N",
        help=f"at most so many {what}: 1 to {most}, default: {default}",
    )


def _add_scope(command: Parser) -> None:
    command.add_argument("-p", "--project", **REPEATED, help="may be repeated")
    command.add_argument("-g", "--group", **REPEATED, help="may be repeated")
    command.add_argument("--path", **REPEATED, metavar="GLOB")


def _add_changed(command: Parser) -> None:
    command.add_argument("--author", type=_text, help="only what they changed: part of a name")
    command.add_argument(
        "--since", type=_text, metavar="TIME", help="such as 2026-03-01 or '7 days ago'"
    )
    command.add_argument("--until", type=_text, metavar="TIME", help="written as --since")
    command.add_argument("--ticket", type=_text, metavar="KEY", help="such as PAY-12, '#12', '!12'")


def _add_installation_commands(commands: Subparsers) -> None:
    hooks = _command(commands, "hooks", "installation:hooks", "Git hooks of a checkout.")
    hooks.add_argument("verb", choices=("install", "uninstall", "status"))
    hooks.add_argument(
        "path",
        type=_text,
        metavar="PATH",
        nargs="?",
        default=".",
        help="or a project's name; default: .",
    )
    hooks.add_argument("--all", action="store_true", help="of every project (with status)")
    service = _command(commands, "service", "installation:service", "The systemd user service.")
    service.add_argument("verb", choices=("install", "uninstall", "status"))
    completions = _command(
        commands, "completions", "installation:completions", "Print completions for a shell."
    )
    completions.add_argument("shell", choices=("bash", "zsh", "fish"))


def _add_daemon_commands(commands: Subparsers) -> None:
    _command(commands, "up", "background:up", "Start the daemon in the background.")
    _command(commands, "down", "background:down", "Stop the daemon.")
    mcp = _command(commands, "mcp", "background:mcp", "Speak MCP on stdin and stdout.")
    mcp.add_argument(
        "--toolset",
        type=_toolset,
        metavar="|".join(TOOLSETS),
        default=TOOLSETS[0],
        help="which tools, default: coding",
    )


def _text(text: str) -> str:
    """Take any text but an empty one, which is most often a variable that is not set."""
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty")
    return text


def _kind(text: str) -> str:
    kind = text.strip().lower()
    problem = unknown_kinds([kind])
    if problem:
        raise argparse.ArgumentTypeError(problem)
    return kind


def _toolset(text: str) -> str:
    if text not in TOOLSETS:
        raise argparse.ArgumentTypeError(
            f"there is no toolset {text!r}; toolsets: {', '.join(TOOLSETS)}"
        )
    return text


def _number_between(text: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdigit() and low <= int(text[:9]) <= high):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {low} to {high}")
    return int(text)


def _limit(text: str) -> int:
    return _number_between(text, 1, 100)


def _commits(text: str) -> int:
    return _number_between(text, 1, 200)


def _commits_per_hit(text: str) -> int:
    return _number_between(text, 1, 50)


def _tokens(text: str) -> int:
    return _number_between(text, 100, 1_000_000)


def _offset(text: str) -> int:
    return _number_between(text, 0, 100)


def _radius(text: str) -> int:
    return _number_between(text, 0, 1_000)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.05 <= seconds <= 60:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0.05 to 60")
    return seconds


REPEATED: Any = {"type": _text, "action": "append", "default": []}


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line; leaves the process for --help, --version and mistakes."""
    return build_parser().parse_args(argv)

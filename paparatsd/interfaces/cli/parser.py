"""The command line of `paparats`: every command, its arguments and where it is implemented."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from paparatsd import __version__
from paparatsd.interfaces.cli.graph_parser import add_graph_commands
from paparatsd.interfaces.cli.knowledge_parser import add_knowledge_commands
from paparatsd.interfaces.cli.options import (
    REPEATED,
    Parser,
    Subparsers,
    add_command,
    add_number,
    add_scope,
    between,
    kind,
    seconds,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

TOOLSETS = ("coding", "support", "projects", "codebase")
FORMER_FLAGS = {
    "ollama-url": ("URL", "as OLLAMA_URL in its environment, if this command starts it"),
    "qdrant-url": ("URL", "as QDRANT_URL"),
    "embed-model": ("NAME", "as EMBED_MODEL"),
    "index-root": ("DIR", "as INDEX_ROOT"),
}
"""Flags of a system before that clients have in their settings; each is named like a variable."""
"""The names in `mcp/identity.py`, which is not imported for them: a shell waits for this."""
LISTS = {
    "names": "only names",
    "roots": "only names and, after a tab, directories",
    "groups": "only groups",
    "languages": "only languages",
}
PLACES = ("config", "state", "cache", "runtime", "data")


def build_parser() -> Parser:
    """Return the parser; `run` of the parsed arguments is "module:function"."""
    parser = Parser(
        prog="paparats",
        description="Search your repositories and manage the daemon that indexes them.",
        epilog="Exit codes: 0 done, 64 wrong usage, 65 not written, 69 the daemon does not answer, "
        "70 broken, 75 try later, 76 bad reply, 77 not allowed, 78 bad settings, 130 interrupted.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"paparats {__version__}")
    for place in PLACES:
        parser.add_argument(
            f"--{place}-dir",
            type=text,
            metavar="DIR",
            help=f"{place} directory of the daemon to talk to",
        )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_project_commands(commands)
    _add_status_commands(commands)
    _add_search_commands(commands)
    _add_history_commands(commands)
    add_graph_commands(commands)
    add_knowledge_commands(commands)
    _add_installation_commands(commands)
    _add_daemon_commands(commands)
    _add_store_commands(commands)
    return parser


def _add_project_commands(commands: Subparsers) -> None:
    add = add_command(
        commands,
        "add",
        "projects:add",
        "Index a directory or a URL from now on; starts the daemon.",
    )
    add.add_argument(
        "path", type=text, metavar="PATH|URL", help="or owner/repo on GitHub, user@host:path"
    )
    add.add_argument("--name", type=text, help="default: the last part of the path")
    add.add_argument(
        "-g", "--group", type=text, help="default: the group in .paparats.yml, else 'default'"
    )
    add.add_argument("--no-hooks", action="store_true", help="do not install git hooks")
    followed = add.add_mutually_exclusive_group()
    followed.add_argument(
        "--branch", type=text, help="of a URL; default: the remote's default branch"
    )
    followed.add_argument("--ref", type=text, help="of a URL: a tag or a commit to stay at")
    add.add_argument(
        "--depth",
        type=between(1, 1_000_000),
        metavar="N",
        help="of a URL: only so many commits; default: all",
    )
    waiting = add.add_mutually_exclusive_group()
    waiting.add_argument("--wait", action="store_true", help="return when the index is ready")
    waiting.add_argument("--no-wait", action="store_true", help="return at once")

    remove = add_command(commands, "remove", "projects:remove", "Forget a project and its index.")
    remove.add_argument("project", type=text, metavar="PROJECT")
    remove.add_argument("--yes", action="store_true", help="do not ask (asked on a terminal only)")

    listing = add_command(commands, "list", "projects:list_projects", "List the projects.")
    listing.add_argument("-g", "--group", type=text, help="only this group")
    only = listing.add_mutually_exclusive_group()
    for what, said in LISTS.items():
        only.add_argument(
            f"--{what}", action="store_const", dest="only", const=what, help=f"{said}, one a line"
        )

    fetch = add_command(
        commands, "fetch", "remotes:fetch", "Fetch repositories that are followed by URL, now."
    )
    fetch.add_argument("project", type=text, metavar="PROJECT", nargs="?", help="default: all")
    fetch.add_argument("--wait", action="store_true", help="return when the index is up to date")

    reindex = add_command(
        commands, "reindex", "projects:reindex", "Compare projects with the disk."
    )
    reindex.add_argument("project", type=text, metavar="PROJECT", nargs="?", help="default: all")
    reindex.add_argument(
        "--force", action="store_true", help="build everything anew, while what is there answers"
    )
    reindex.add_argument("--wait", action="store_true", help="return when nothing is pending")

    skipped = add_command(
        commands, "skipped", "projects:skipped", "List files that are not indexed."
    )
    skipped.add_argument("project", type=text, metavar="PROJECT", nargs="?", help="default: all")


def _add_status_commands(commands: Subparsers) -> None:
    status = add_command(commands, "status", "status:status", "Show the daemon and its projects.")
    status.add_argument("--watch", action="store_true", help="keep showing until interrupted")
    status.add_argument("--timeout", type=seconds, default=5.0, metavar="S", help="default: 5")


def _add_search_commands(commands: Subparsers) -> None:
    search = add_command(commands, "search", "search:search", "Find code by words or by meaning.")
    search.add_argument("query", metavar="QUERY", nargs="+", help="words; no quotes needed")
    add_scope(search)
    add_number(search, "results", 5, 100)
    search.add_argument("--lang", **REPEATED, help="language, such as python")
    search.add_argument("--kind", **{**REPEATED, "type": kind}, help="such as function or class")
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
        "--max-tokens",
        type=between(100, 1_000_000),
        metavar="N",
        help="only results whose code fits",
    )
    search.add_argument(
        "--offset", type=between(0, 100), default=0, metavar="N", help="skip so many"
    )
    search.add_argument("--timeout", type=seconds, default=10.0, metavar="S", help="default: 10")

    show = add_command(commands, "show", "search:show", "Show the code at an address.")
    show.add_argument(
        "address", type=text, metavar="ADDRESS", help="such as shop:src/cart.py#Cart.total"
    )
    show.add_argument(
        "--radius",
        type=between(0, 1_000),
        default=0,
        metavar="N",
        help="also the chunks up to so many lines above and below: 0 to 1000, default: 0",
    )


def _add_history_commands(commands: Subparsers) -> None:
    log = add_command(commands, "log", "history:log", "Show who changed a place, when and why.")
    log.add_argument(
        "address", type=text, metavar="ADDRESS", help="such as shop:src/cart.py#Cart.total"
    )
    add_number(log, "commits", 10, 200)

    changes = add_command(
        commands, "changes", "history:changes", "Find commits, and what is left of them."
    )
    changes.add_argument(
        "query", metavar="QUERY", nargs="*", help="what they did, in words; default: the newest"
    )
    add_scope(changes)
    _add_changed(changes)
    add_number(changes, "commits", 10, 200)
    changes.add_argument("--merges", action="store_true", help="also list merges")

    explain = add_command(
        commands, "explain", "history:explain", "Say where something is and what changed there."
    )
    explain.add_argument("question", metavar="QUESTION", nargs="+", help="words; no quotes needed")
    add_scope(explain)
    _add_changed(explain)
    add_number(explain, "places", 5, 100)
    explain.add_argument(
        "--commits",
        type=between(1, 50),
        default=5,
        metavar="N",
        help="at most so many commits per place: 1 to 50, default: 5",
    )


def _add_changed(command: Parser) -> None:
    command.add_argument("--author", type=text, help="only what they changed: part of a name")
    command.add_argument(
        "--since", type=text, metavar="TIME", help="such as 2026-03-01 or '7 days ago'"
    )
    command.add_argument("--until", type=text, metavar="TIME", help="written as --since")
    command.add_argument("--ticket", type=text, metavar="KEY", help="such as PAY-12, '#12', '!12'")


def _add_installation_commands(commands: Subparsers) -> None:
    hooks = add_command(commands, "hooks", "installation:hooks", "Git hooks of a checkout.")
    hooks.add_argument("verb", choices=("install", "uninstall", "status"))
    hooks.add_argument(
        "path",
        type=text,
        metavar="PATH",
        nargs="?",
        default=".",
        help="or a project's name; default: .",
    )
    hooks.add_argument("--all", action="store_true", help="of every project (with status)")
    service = add_command(commands, "service", "installation:service", "The systemd user service.")
    service.add_argument("verb", choices=("install", "uninstall", "status"))
    completions = add_command(
        commands, "completions", "installation:completions", "Print completions for a shell."
    )
    completions.add_argument(
        "shell",
        choices=("bash", "zsh", "fish"),
        help="the first lines of what is printed say where to put it",
    )


def _add_daemon_commands(commands: Subparsers) -> None:
    add_command(commands, "up", "background:up", "Start the daemon in the background.")
    add_command(commands, "down", "background:down", "Stop the daemon.")
    mcp = add_command(commands, "mcp", "background:mcp", "Speak MCP on stdin and stdout.")
    mcp.add_argument(
        "--toolset",
        type=_toolset,
        metavar="|".join(TOOLSETS),
        default=TOOLSETS[0],
        help="which tools, default: coding",
    )
    for flag, (value, what) in FORMER_FLAGS.items():
        mcp.add_argument(f"--{flag}", type=text, metavar=value, help=f"for the daemon: {what}")


def _add_store_commands(commands: Subparsers) -> None:
    migrate = add_command(
        commands, "migrate", "migrate:migrate", "Move the vectors to a server, or back."
    )
    migrate.add_argument(
        "--to",
        choices=("server", "edge", "layout"),
        required=True,
        help="the Qdrant server of the settings; the embedded engine; collections in the layout "
        "of the settings, beside the old ones, which they replace when all is there",
    )
    migrate.add_argument("--dry-run", action="store_true", help="only say what would be copied")
    migrate.add_argument(
        "--delete-source", action="store_true", help="empty the other side when all has arrived"
    )


def _toolset(text: str) -> str:
    if text not in TOOLSETS:
        raise argparse.ArgumentTypeError(
            f"there is no toolset {text!r}; toolsets: {', '.join(TOOLSETS)}"
        )
    return text


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line; leaves the process for --help, --version and mistakes."""
    return build_parser().parse_args(argv)

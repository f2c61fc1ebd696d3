"""Entry of `paparatsd`: the daemon in the foreground."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from paparatsd import __version__
from paparatsd.errors import PaparatsError, UserError
from paparatsd.exits import INTERRUPTED, exit_code_of
from paparatsd.loading import load_settings, reload_settings
from paparatsd.locations import KINDS, prepare_places, resolve_places
from paparatsd.private_file import create_token
from paparatsd.settings import pin_import_path, process_environment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.settings import Settings

FLAGS = {
    "host": ("http.host", "loopback address to listen on, default: 127.0.0.1"),
    "port": ("http.port", "TCP port, default: 9876; 0 picks a free one"),
    "workers": ("index.workers", "worker processes, default: one a processor"),
    "log-level": ("log.level", "debug, info, warning or error"),
    "log-format": ("log.format", "auto, human or json"),
}
"""Flags with a name of their own, and the setting each one stands for."""


class Parser(argparse.ArgumentParser):
    """Exits with the code of our own table on a wrong command line."""

    def error(self, message: str) -> NoReturn:
        """Say in one line what is wrong and where the options are explained."""
        said = f"{self.prog}: {message}; see {self.prog} --help\n"
        self.exit(exit_code_of(UserError(message)), said)


def build_parser() -> Parser:
    """Return the parser of the daemon's command line."""
    parser = Parser(
        prog="paparatsd",
        description="Keep a searchable index of your git repositories equal to what is on disk. "
        "Runs in the foreground; `paparats up` starts it in the background.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"paparatsd {__version__}")
    for kind in KINDS:
        parser.add_argument(f"--{kind}-dir", metavar="DIR", help=f"{kind} directory")
    for name, (_, about) in FLAGS.items():
        parser.add_argument(f"--{name}", help=about)
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="SECTION.KEY=VALUE",
        help="any setting of config.toml but secrets; may be repeated",
    )
    parser.add_argument("--check", action="store_true", help="check the settings and end")
    parser.add_argument(
        "--create-token", action="store_true", help="make TCP clients need a token, and end"
    )
    return parser


def flags_of(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the settings that the command line sets, by `section.key`."""
    flags = {}
    for pair in arguments.set:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UserError(f"--set {pair!r}: write it as section.key=value")
        flags[key.strip()] = value
    for name, (key, _) in FLAGS.items():
        value = getattr(arguments, name.replace("-", "_"))
        if value is not None:
            flags[key] = value
    return flags


def main(argv: Sequence[str] | None = None) -> int:
    """Run the daemon until it is told to stop; return the exit code."""
    arguments = build_parser().parse_args(argv)
    try:
        return _run(arguments)
    except PaparatsError as error:
        asked = arguments.check or arguments.create_token
        sys.stderr.write(_last_words(error, plain=asked or sys.stderr.isatty()))
        return exit_code_of(error)
    except KeyboardInterrupt:
        return INTERRUPTED


def _last_words(error: PaparatsError, *, plain: bool) -> str:
    """Return why the daemon cannot run, as its log has it; what the log is may not be known."""
    if plain:
        return f"paparatsd: {error}\n"
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    event = {"time": now, "level": "error", "event": "cannot_run", "error": str(error)}
    return json.dumps(event) + "\n"


def _run(arguments: argparse.Namespace) -> int:
    directories = {kind: value for kind in KINDS if (value := getattr(arguments, f"{kind}_dir"))}
    environment = process_environment()
    places = resolve_places(environment, directories)
    settings = load_settings(places, environment, flags_of(arguments))
    if arguments.check:
        sys.stdout.write("the settings can be used\n")
        return 0
    # All that the daemon and its children write is for this user alone.
    os.umask(0o077)
    prepare_places(places)
    if arguments.create_token:
        create_token(places.token_file)
        sys.stdout.write(f"wrote {places.token_file}\n")
        return 0
    return _serve(settings)


def _serve(settings: Settings) -> int:
    # Children are started with -m: without this they would import from a working directory that
    # may be somebody's repository, and keep its file system busy.
    pin_import_path(Path(__file__).resolve().parents[1])
    os.chdir("/")

    # Until the event loop handles it: a stop this early is as orderly as any.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))

    import structlog

    from paparatsd.daemon import run_daemon
    from paparatsd.logs import configure_logging

    configure_logging(settings.log.level, settings.log.format)
    for note in settings.notes:
        structlog.get_logger().warning("setting_without_effect", note=note)
    return run_daemon(settings, process_environment(), lambda: reload_settings(settings))


if __name__ == "__main__":
    sys.exit(main())

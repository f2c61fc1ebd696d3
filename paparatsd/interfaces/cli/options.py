"""What the arguments of commands are made of: their types, and options that several share."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from paparatsd.errors import UserError
from paparatsd.exits import exit_code_of
from paparatsd.interfaces.hints import unknown_kinds
from paparatsd.small_file import UnreadableFileError, read_small_file

if TYPE_CHECKING:
    from collections.abc import Callable

Subparsers = Any  # argparse keeps the class of add_subparsers() to itself

MAX_PASSAGE_BYTES = 100_000


class Parser(argparse.ArgumentParser):
    """Exits with the code of our own table on a wrong command line."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:  # noqa: ANN401 - as above
        """Refuse an unknown command with the one that was meant, not with all there are."""
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            from difflib import get_close_matches

            near = get_close_matches(str(value), list(action.choices), n=1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            raise argparse.ArgumentError(None, f"there is no command {str(value)[:80]!r}{meant}")
        super()._check_value(action, value)

    def error(self, message: str) -> NoReturn:
        """Say in one line what is wrong and where the options are explained."""
        said = f"{self.prog}: {message}; see {self.prog} --help\n"
        self.exit(exit_code_of(UserError(message)), said)


def add_command(commands: Subparsers, name: str, run: str, about: str) -> Parser:
    """Add a command; `run` is "module:function" below `interfaces/cli`."""
    command: Parser = commands.add_parser(name, help=about, description=about, allow_abbrev=False)
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(run=run)
    return command


def add_verbs(commands: Subparsers, name: str, about: str) -> Subparsers:
    """Add a command that consists of others; returns where to add those."""
    command: Parser = commands.add_parser(name, help=about, description=about, allow_abbrev=False)
    return command.add_subparsers(dest="verb", metavar="VERB", required=True)


def add_number(command: Parser, what: str, default: int, most: int) -> None:
    """Add how many of something are wanted."""
    command.add_argument(
        "-n",
        "--limit",
        type=between(1, most),
        default=default,
        metavar="N",
        help=f"at most so many {what}: 1 to {most}, default: {default}",
    )


def add_scope(command: Parser) -> None:
    """Add where to look."""
    command.add_argument("-p", "--project", **REPEATED, help="may be repeated")
    command.add_argument("-g", "--group", **REPEATED, help="may be repeated")
    command.add_argument("--path", **REPEATED, metavar="GLOB")


def text(text: str) -> str:
    """Take any text but an empty one, which is most often a variable that is not set."""
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty")
    return text


def kind(text: str) -> str:
    """Take a kind that a chunk may have."""
    chosen = text.strip().lower()
    problem = unknown_kinds([chosen])
    if problem:
        raise argparse.ArgumentTypeError(problem)
    return chosen


def between(low: int, high: int) -> Callable[[str], int]:
    """Return what takes a whole number from `low` to `high`."""

    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text[:9]) <= high):
            said = f"{text!r} is not a whole number from {low} to {high}"
            raise argparse.ArgumentTypeError(said)
        return int(text)

    return number


def seconds(text: str) -> float:
    """Take how long to wait."""
    try:
        given = float(text)
    except ValueError:
        given = 0.0
    if not 0.05 <= given <= 60:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0.05 to 60")
    return given


def share(text: str) -> float:
    """Take a number from 0 to 1."""
    try:
        given = float(text)
    except ValueError:
        given = -1.0
    if not 0 <= given <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return given


def passage(given: str) -> str:
    """Take a text of any length: as it is, `@FILE` from a file, `-` from standard input.

    A text that begins with `@` is written with a second one before it.
    """
    if given == "-":
        return text(_decoded(sys.stdin.buffer.read(MAX_PASSAGE_BYTES + 1), "standard input"))
    if not given.startswith("@") or given.startswith("@@"):
        return text(given.removeprefix("@") if given.startswith("@@") else given)
    path = given[1:]
    try:
        data, _ = read_small_file(Path(path), max_bytes=MAX_PASSAGE_BYTES, follow=True)
    except (UnreadableFileError, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise argparse.ArgumentTypeError(f"the file {path!r}: {why}") from None
    return text(_decoded(data, f"the file {path!r}"))


def _decoded(data: bytes, whence: str) -> str:
    if len(data) > MAX_PASSAGE_BYTES:
        raise argparse.ArgumentTypeError(f"{whence} is larger than {MAX_PASSAGE_BYTES} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise argparse.ArgumentTypeError(f"{whence} is not UTF-8 text") from None


REPEATED: Any = {"type": text, "action": "append", "default": []}

"""Texts that people wrote, as a command prints them: indented, broken at words on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.interfaces.cli.output import clean, clean_code, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paparatsd.interfaces.cli.output import Output

FENCES = ("```", "~~~")
VERBATIM = ("|", "    ", "\t")
"""How lines of tables and of code begin: they are not broken."""
BULLETS = ("- ", "* ", "+ ")


def prose_lines(text: str, width: int | None, indent: str) -> list[str]:
    """Return the lines of a Markdown text; what is too wide is broken, but for code and tables."""
    lines = []
    fenced = False
    for line in clean_code(text).strip("\n").split("\n"):
        bare = line.strip()
        fence = bare.startswith(FENCES)
        if fenced or fence or line.startswith(VERBATIM):
            lines.append((indent + line).rstrip())
        else:
            lines += wrapped((indent + line).rstrip(), width, indent + _hanging(line))
        fenced ^= fence
    return lines


def print_prose(output: Output, text: str, indent: str) -> None:
    """Print the whole of a text."""
    print_lines(prose_lines(text, output.width, indent))


def print_block(output: Output, block: str, *, style: str = "bold") -> None:
    """Print what is said of one thing: its first line in a style, the others broken at words."""
    for number, line in enumerate(block.split("\n")):
        for piece in wrapped(clean(line), output.width, _hanging(line)):
            output.line(piece, "" if number else style)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines that are clean already; tabs stay."""
    for line in lines:
        print(line)


def _hanging(line: str) -> str:
    """Return what the further lines of a broken one begin with, so that they stand below it."""
    bare = line.lstrip()
    own = " " * (len(line) - len(bare))
    return own + (" " * 2 if bare.startswith(BULLETS) else "")

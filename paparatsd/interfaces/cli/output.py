"""Printing: plain lines into pipes, colours and tables (rich) on a terminal only.

What comes from repositories is cleaned of control characters, so that no file name and no source
line can move the cursor or forge a line. JSON is printed as it is: it escapes them itself.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

UNITS = ("B", "KB", "MB", "GB", "TB")
_CONTROLS: Mapping[int, str] = {
    code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))
} | {
    code: f"\\u{code:04x}"
    for code in (0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}
_CODE_CONTROLS: Mapping[int, str] = {
    code: text for code, text in _CONTROLS.items() if code not in (9, 10)
}


def clean(text: str) -> str:
    """Return one line of text with control characters shown, not sent."""
    return text.translate(_CONTROLS)


def clean_code(text: str) -> str:
    """Return lines of text; tabs and line ends stay."""
    return text.replace("\r\n", "\n").translate(_CODE_CONTROLS)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    title: str
    right: bool = False
    style: str = ""


class Output:
    """Where a command prints. `terminal`: colours and live displays are welcome."""

    def __init__(self, *, terminal: bool) -> None:
        self.terminal = terminal
        self._console: Console | None = None

    @classmethod
    def of_process(cls, environment: Mapping[str, str]) -> Output:
        """Return the output of this process; a dumb terminal counts as a pipe."""
        for stream in (sys.stdout, sys.stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="backslashreplace")
        capable = environment.get("TERM", "") not in ("", "dumb", "unknown")
        return cls(terminal=capable and sys.stdout.isatty())

    @property
    def console(self) -> Console:
        """The rich console, imported on first use: it costs more than most commands."""
        if self._console is None:
            from rich.console import Console

            self._console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
        return self._console

    def line(self, text: str = "", style: str = "") -> None:
        """Print one line."""
        if self.terminal and style:
            self.console.print(clean(text), style=style)
        else:
            print(clean(text))

    def json(self, value: object) -> None:
        """Print a value as JSON: indented and harmless for a terminal, in one line for a pipe."""
        ascii_only = self.terminal or sys.stdout.encoding.lower().replace("-", "") != "utf8"
        print(json.dumps(value, ensure_ascii=ascii_only, indent=2 if self.terminal else None))

    def note(self, text: str) -> None:
        """Print a line for the person, beside the output."""
        print(clean(text), file=sys.stderr)

    def table(self, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
        """Print rows under titles."""
        cells = [[clean(cell) for cell in row] for row in rows]
        if self.terminal:
            self.console.print(rich_table(columns, cells), soft_wrap=False)
        else:
            for line in plain_table(columns, cells):
                print(line)


def rich_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> Any:  # noqa: ANN401 - lazy
    """Return a rich table of clean cells."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(
            column.title,
            justify="right" if column.right else "left",
            style=column.style or None,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(cell, style=state_style(cell)) for cell in row))
    return table


def plain_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table, aligned with spaces."""
    titles = [column.title for column in columns]
    widths = [max(len(row[i]) for row in (titles, *rows)) for i in range(len(columns))]
    lines = []
    for row in (titles, *rows):
        cells = [
            cell.rjust(width) if column.right else cell.ljust(width)
            for cell, width, column in zip(row, widths, columns, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def state_style(word: str) -> str:
    """Return the colour of a state or a confidence; "" for any other word."""
    return {
        "ready": "green",
        "high": "green",
        "indexing": "cyan",
        "partial": "yellow",
        "degraded": "yellow",
        "paused": "yellow",
        "stale": "yellow",
        "missing": "red",
        "error": "red",
    }.get(word, "")


def size(count: float) -> str:
    """Return bytes for a person."""
    for unit in UNITS:
        if count < 1_024 or unit == UNITS[-1]:
            return f"{count:.0f} {unit}"
        count /= 1_024
    return ""


def span(seconds: float) -> str:
    """Return a duration for a person."""
    total = round(seconds)
    if total < 60:
        return f"{total} s"
    if total < 3_600:
        return f"{total // 60} min {total % 60:02d} s"
    return f"{total // 3_600} h {total % 3_600 // 60:02d} min"


def silence_closed_pipe() -> None:
    """Let the interpreter end without a message when nobody reads any more."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())

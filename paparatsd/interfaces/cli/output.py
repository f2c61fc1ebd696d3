"""Printing: plain lines into pipes, colours and tables (rich) on a terminal only.

What comes from repositories is cleaned of control characters, so that no file name and no source
line can move the cursor or forge a line. JSON is printed as it is: it escapes them itself.
"""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rich.console import Console
    from rich.text import Text

DEFAULT_WIDTH = 80
GAP = "  "
UNITS = ("B", "KB", "MB", "GB", "TB")
_PLAIN_WORD = re.compile(r"[\w@%+=:,./-][\w@%+=:,./#-]*", re.ASCII)
_BREAKS = re.compile(r" (?=[^`]*(?:`[^`]*`[^`]*)*$)")
"""Spaces that are not between backticks, in a text whose backticks come in pairs."""
_CONTROLS: Mapping[int, str] = {
    code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))
} | {
    code: f"\\u{code:04x}"
    for code in (0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
}
_CODE_CONTROLS: Mapping[int, str] = {
    code: text for code, text in _CONTROLS.items() if code not in (9, 10)
}


def clean(text: str) -> str:
    """Return one line of text with control characters shown, not sent."""
    return text.translate(_CONTROLS)


def clean_code(text: str) -> str:
    """Return lines of text; tabs and line ends stay, of whatever system they are."""
    return text.replace("\r\n", "\n").removesuffix("\r").translate(_CODE_CONTROLS)


def pasteable(text: str) -> str:
    """Return an argument as it can be typed into a shell: quoted where it has to be."""
    text = clean(text)
    if _PLAIN_WORD.fullmatch(text):
        return text
    import shlex

    return shlex.quote(text)


def cut(text: str, width: int, measure: Callable[[str], int]) -> str:
    """Return text that is no wider than `width`; what was cut ends in an ellipsis."""
    if measure(text) <= width:
        return text
    text = text[: max(0, width)]
    while text and measure(text) > width - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def wrapped(text: str, width: int | None, indent: str = GAP) -> list[str]:
    """Return the lines of a text broken between words, with `indent` before all but the first.

    Neither words nor what stands between backticks is broken, so that paths and commands can be
    copied; without a width, one line.
    """
    if width is None or len(text) <= width:
        return [text]
    lines: list[str] = []
    for word in _BREAKS.split(text) if text.count("`") % 2 == 0 else text.split(" "):
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(indent + word if lines else word)
    return lines


def measure_of(output: Output) -> Callable[[str], int]:
    """Return what says how wide a text is: on a terminal some characters take two columns."""
    if not output.terminal:
        return len
    from rich.cells import cell_len

    return cell_len


def counted(number: int, noun: str) -> str:
    """Return "1 file", "2 files"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    `drop`: on a narrow terminal the columns with the highest number go first, those with 0 never.
    `loose`: when the table does not fit, its cells run on unbroken, and what follows them moves.
    """

    title: str
    right: bool = False
    style: str = ""
    drop: int = 0
    loose: bool = False


class Output:
    """Where a command prints.

    `terminal`: colours and live displays are welcome. `width`: columns, None for a pipe.
    """

    def __init__(self, *, terminal: bool, width: int | None = None) -> None:
        self.terminal = terminal
        self.width = width
        self._console: Console | None = None

    @classmethod
    def of_process(cls, environment: Mapping[str, str]) -> Output:
        """Return the output of this process; a dumb terminal counts as a pipe with a width."""
        for stream in (sys.stdout, sys.stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="backslashreplace")
        if not sys.stdout.isatty():
            return cls(terminal=False)
        capable = environment.get("TERM", "") not in ("", "dumb", "unknown")
        return cls(terminal=capable, width=_width(environment.get("COLUMNS", "")))

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

    def paragraph(self, text: str, style: str = "") -> None:
        """Print a sentence, broken between words where a terminal's line ends."""
        text = clean(text)
        begin = " " * (len(text) - len(text.lstrip()))
        for line in wrapped(text, self.width, begin + GAP):
            self.line(line, style)

    def json(self, value: object) -> None:
        """Print a value as JSON: indented and harmless for a terminal, in one line for a pipe."""
        ascii_only = self.terminal or sys.stdout.encoding.lower().replace("-", "") != "utf8"
        print(json.dumps(value, ensure_ascii=ascii_only, indent=2 if self.terminal else None))

    def note(self, text: str) -> None:
        """Print a line for the person, beside the output."""
        sys.stderr.write(f"{clean(text)}\n")  # at once: standard output goes to the same place

    def table(self, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
        """Print rows under titles, without columns that a narrow terminal has no room for."""
        cells = [[clean(cell) for cell in row] for row in rows]
        if self.terminal:
            for line in rich_lines(columns, cells, self.width or DEFAULT_WIDTH):
                self.console.print(line)
        else:
            for words in table_cells(columns, cells, self.width, len):
                print("".join(word for word, _ in words).rstrip())


def _width(columns: str) -> int:
    """Return the width of the terminal; COLUMNS wins over what the terminal says."""
    if columns.isascii() and columns.isdigit() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or DEFAULT_WIDTH
    except OSError:
        return DEFAULT_WIDTH


def rich_lines(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> list[Text]:
    """Return the lines of a table of clean cells, in colours."""
    from rich.cells import cell_len
    from rich.text import Text

    lines = []
    for number, words in enumerate(table_cells(columns, rows, width, cell_len)):
        styled = [
            (word, "bold" if number == 0 else state_style(word.strip()) or column.style)
            for word, column in words
        ]
        line = Text.assemble(*styled, no_wrap=True, overflow="ellipsis")
        line.rstrip()
        lines.append(line)
    return lines


def table_cells(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    width: int | None,
    measure: Callable[[str], int],
) -> list[list[tuple[str, Column]]]:
    """Return the padded cells of each line, titles first, each with its column.

    Nothing is broken: what a `width` has no room for is dropped or runs on.
    """
    titles = [column.title for column in columns]
    widths = [max(measure(row[i]) for row in (titles, *rows)) for i in range(len(columns))]
    shown, fits = _fitting(columns, widths, width)

    def padded(row: Sequence[str], index: int) -> str:
        cell = row[index]
        loose = columns[index].loose and not fits
        space = "" if loose else " " * (widths[index] - measure(cell))
        return space + cell if columns[index].right else cell + space

    return [
        [
            (padded(row, index) + ("" if index == shown[-1] else GAP), columns[index])
            for index in shown
        ]
        for row in (titles, *rows)
    ]


def _fitting(
    columns: Sequence[Column], widths: Sequence[int], width: int | None
) -> tuple[list[int], bool]:
    """Return which columns to show, and whether they fit."""
    shown = list(range(len(columns)))

    def fits() -> bool:
        needed = sum(widths[index] for index in shown) + len(GAP) * (len(shown) - 1)
        return width is None or needed <= width

    for index in sorted(shown, key=lambda index: columns[index].drop, reverse=True):
        if fits() or not columns[index].drop:
            break
        shown.remove(index)
    return shown, fits()


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

"""Pieces of what is said of the symbol graph: places, lines, signatures, one use in one line.

Nothing here is cleaned of control characters: who prints it does that.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Shape = Mapping[str, Any]

FILE = "file"
MARKS = {"exact": "", "inferred": "?", "ambiguous": "??"}
LEGEND = (
    ("inferred", "? inferred: the name, or the route, fits nothing else here"),
    ("ambiguous", "?? one of several that may be meant"),
)
MAX_RANGES = 8
MAX_SIGNATURE_CHARS = 160


@dataclass(frozen=True, slots=True)
class Voice:
    """How it is said: an item begins with `bullet`, its other lines with `under`.

    Relations are padded to `pad` columns; `show` writes an address.
    """

    bullet: str = "- "
    under: str = "  "
    pad: int = 0
    show: Callable[[str], str] = str


AGENT = Voice()


@dataclass(frozen=True, slots=True)
class Item:
    """Lines about one thing.

    `file`: what is to be written above it, because it and the next ones are there. `inside`: it is
    below such a line.
    """

    lines: tuple[str, ...]
    file: str = ""
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """Items under a head; they tell the list at `part` of the shape, in its order.

    `weight`: how much of the room it is worth, beside the other sections.
    """

    head: tuple[str, ...]
    items: tuple[Item, ...]
    part: tuple[str | int, ...]
    weight: int = 1


def place_of(symbol: Shape, show: Callable[[str], str] = str) -> str:
    """Return the address of a symbol; of a file's top level its path."""
    if symbol["kind"] == FILE:
        return f"top level of {show(_plain(symbol))}"
    return show(symbol["address"])


def items_in_files(
    ends: Sequence[Shape], say: Callable[[Shape, str], str], voice: Voice
) -> tuple[Item, ...]:
    """Return an item for each end of an edge; `say` gets how its symbol is named.

    Neighbours in one file are named by what is behind its path, which is written above them.
    """
    items: list[Item] = []
    for _, run in groupby(ends, key=lambda one: _file_of(one["symbol"])):
        some = list(run)
        if len(some) == 1:
            (one,) = some
            items.append(Item((voice.bullet + say(one, place_of(one["symbol"], voice.show)),)))
            continue
        for number, one in enumerate(some):
            file = "" if number else voice.show(_file_of(one["symbol"]))
            said = voice.bullet + say(one, _inside(one["symbol"], voice))
            items.append(Item((said,), file, inside=True))
    return tuple(items)


def places_in_files(symbols: Sequence[Shape], voice: Voice) -> str:
    """Return the places of symbols on one line; the path of neighbours in one file once."""
    said = []
    for file, run in groupby(symbols, key=_file_of):
        first, *rest = run
        if rest and "#" not in first["address"]:
            said.append(f"{voice.show(file)} {_inside(first, voice)}")
        else:
            said.append(place_of(first, voice.show))
        said += [_inside(one, voice) for one in rest]
    return ", ".join(said)


def _file_of(symbol: Shape) -> str:
    return str(symbol["address"].partition("#")[0] if "#" in symbol["address"] else _plain(symbol))


def _plain(symbol: Shape) -> str:
    return f"{symbol['project']}:{symbol['path']}"


def _inside(symbol: Shape, voice: Voice) -> str:
    fragment = symbol["address"].partition("#")[2]
    if fragment:
        return f"#{fragment}"
    return "top level" if symbol["kind"] == FILE else place_of(symbol, voice.show)


def line_ranges(lines: Sequence[int]) -> str:
    """Return lines, neighbours together: "line 4", "lines 4-6, 9"; "" for none."""
    ranges: list[list[int]] = []
    for line in lines:
        if ranges and line == ranges[-1][1] + 1:
            ranges[-1][1] = line
        else:
            ranges.append([line, line])
    if not ranges:
        return ""
    said = [f"{a}" if a == b else f"{a}-{b}" for a, b in ranges[:MAX_RANGES]]
    more = f" and {len(ranges) - MAX_RANGES} more" if len(ranges) > MAX_RANGES else ""
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(said)}{more}"


def signature_of(symbol: Shape) -> str:
    """Return how a symbol is declared, on one line; its kind and name when that is not known."""
    text = " ".join(symbol["signature"].split()) or f"{symbol['kind']} {symbol['name']}"
    return text if len(text) <= MAX_SIGNATURE_CHARS else text[: MAX_SIGNATURE_CHARS - 1] + "…"


def first_line(doc: str) -> str:
    """Return the beginning of what is written about a symbol."""
    return doc.strip().partition("\n")[0].strip()[:MAX_SIGNATURE_CHARS]


def symbol_line(symbol: Shape, voice: Voice = AGENT) -> str:
    """Return what a symbol is and where."""
    tags = tags_of(("hub", symbol["hub"]), ("test", symbol["test"]))
    lines = span_of(symbol)
    return joined(symbol["kind"], f"{place_of(symbol, voice.show)}  {lines}", tags)


def span_of(symbol: Shape) -> str:
    """Return the lines of a symbol in words."""
    rows = rows_of(symbol)
    return f"lines {rows}" if "-" in rows else f"line {rows}"


def rows_of(symbol: Shape) -> str:
    """Return the lines of a symbol."""
    start, end = symbol["start_line"], symbol["end_line"]
    return f"{start}" if start == end else f"{start}-{end}"


def edge_line(edge: Shape, used: str, voice: Voice = AGENT, place: str = "") -> str:
    """Return one use: relation, the other end, lines, and what is special about it.

    `used` is the name of the used symbol: how it is written is said when that is another one.
    `place` names the other end, by its address as a rule.
    """
    symbol, written = edge["symbol"], edge["written"]
    tags = tags_of(("hub", symbol["hub"]), ("other project", edge["cross"]))
    alias = written and written != used.rpartition(".")[2] and written not in edge["note"]
    remarks = "; ".join(filter(None, (f"as {written}" if alias else "", edge["note"])))
    return joined(
        f"{relation_of(edge):<{voice.pad}}",
        f"{place or place_of(symbol, voice.show)}  {line_ranges(edge['lines'])}".rstrip(),
        tags,
        f"({remarks})" if remarks else "",
    )


def relation_of(edge: Shape) -> str:
    """Return the relation, marked with how sure it is."""
    return f"{edge['relation']}{MARKS[edge['certainty']]}"


def legend(shape: object) -> list[str]:
    """Return what the marks mean that an answer has."""
    there = set(_certainties(shape))
    return ["; ".join(text for word, text in LEGEND if word in there)] if there - {"exact"} else []


def _certainties(shape: object) -> Iterator[str]:
    if isinstance(shape, dict):
        if "certainty" in shape and "relation" in shape:
            yield shape["certainty"]
        for value in shape.values():
            yield from _certainties(value)
    elif isinstance(shape, list):
        for value in shape:
            yield from _certainties(value)


def tags_of(*tags: tuple[str, bool]) -> str:
    """Return the names of what is so, in brackets."""
    said = [name for name, is_so in tags if is_so]
    return f"[{', '.join(said)}]" if said else ""


def joined(*parts: str) -> str:
    """Return the parts that are not empty, with blanks between them."""
    return " ".join(filter(None, parts))

"""Addresses: how a chunk is named to the outside.

`project:path#fragment` names a chunk, `project:path:line` and `project:path:start-end` name
lines. The characters `% : # @` in a path, and those and `/` in a symbol's name, are
percent-encoded, so that an address reads in one way only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from paparatsd.errors import BadQuery

MAX_ADDRESS_CHARS = 8_192

_FORMS = "project:path#Name, project:path:line or project:path:start-end"
_IN_NAME = re.compile(r"[%:#@/\x00-\x1f\x7f]")
_IN_PATH = re.compile(r"[%:#@\x00-\x1f\x7f]")
_PROJECT = re.compile(r"[A-Za-z0-9._-]+")
_LINES = re.compile(r"(?P<start>\d{1,9})(?:-(?P<end>\d{1,9}))?")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class NamedAddress:
    """One chunk by its fragment; the fragment stays encoded, as chunks carry it."""

    project: str
    path: str
    fragment: str


@dataclass(frozen=True, slots=True)
class LineAddress:
    """One line of a file, counted from 1."""

    project: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class RangeAddress:
    """Lines `start` to `end` of a file, both included."""

    project: str
    path: str
    start: int
    end: int


Address = NamedAddress | LineAddress | RangeAddress


def encode_part(name: str) -> str:
    """Percent-encode a symbol's name for use in a fragment."""
    encoded = _IN_NAME.sub(_escape, name)
    return "%7E" + encoded[1:] if encoded.startswith("~") else encoded


def decode_part(fragment: str) -> str:
    """Undo `encode_part`."""
    return _decode(fragment)


def format_address(project: str, path: str, fragment: str) -> str:
    """Write the address of a chunk; `fragment` is encoded already, as `Chunk.fragment` is."""
    return f"{project}:{_IN_PATH.sub(_escape, path)}#{fragment}"


def format_path(project: str, path: str) -> str:
    """Write what names a file or a folder; "" is the project itself."""
    return f"{project}:{_IN_PATH.sub(_escape, path)}"


def format_lines(project: str, path: str, start: int, end: int | None = None) -> str:
    """Write the address of one line, or of the lines `start` to `end`."""
    lines = str(start) if end is None else f"{start}-{end}"
    return f"{project}:{_IN_PATH.sub(_escape, path)}:{lines}"


def parse_address(text: str) -> Address:
    """Read an address in any of its three forms; raises BadQuery with the reason."""
    text = text.strip()
    if len(text) > MAX_ADDRESS_CHARS:
        raise BadQuery(f"the address is longer than {MAX_ADDRESS_CHARS} characters")
    project, colon, rest = text.partition(":")
    if not colon or _PROJECT.fullmatch(project) is None:
        raise BadQuery(f"an address begins with a project's name and a colon: {_FORMS}")
    before, hashmark, fragment = rest.partition("#")
    if hashmark:
        return _named(project, before, fragment)
    path, colon, lines = rest.rpartition(":")
    if not colon:
        raise BadQuery(f"the address names a file but no chunk or line in it: {_FORMS}")
    return _lines(project, _path(path), lines)


def _named(project: str, path: str, fragment: str) -> NamedAddress:
    if not fragment:
        raise BadQuery(f"there is nothing after # in the address: {_FORMS}")
    if "#" in fragment:
        raise BadQuery("the address has more than one #; write %23 for one in a name")
    return NamedAddress(project, _path(path), fragment)


def _lines(project: str, path: str, lines: str) -> LineAddress | RangeAddress:
    match = _LINES.fullmatch(lines)
    if match is None:
        raise BadQuery(f"after the last colon there must be a line or start-end: {_FORMS}")
    start = int(match["start"])
    if match["end"] is None:
        if start < 1:
            raise BadQuery("lines are counted from 1")
        return LineAddress(project, path, start)
    end = int(match["end"])
    if not 1 <= start <= end:
        raise BadQuery("a range of lines counts from 1 and its start is not after its end")
    return RangeAddress(project, path, start, end)


def _path(encoded: str) -> str:
    if not encoded:
        raise BadQuery(f"there is no path in the address: {_FORMS}")
    if _BAD_ESCAPE.search(encoded) is not None:
        raise BadQuery("a % in a path must be followed by two hex digits; write %25 for % itself")
    if ":" in encoded:
        raise BadQuery("a colon in a path is written %3A")
    try:
        return _decode(encoded)
    except UnicodeDecodeError as error:
        raise BadQuery("the percent-encoded path is not UTF-8") from error


def _decode(text: str) -> str:
    return unquote_to_bytes(text).decode("utf-8")


def _escape(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"

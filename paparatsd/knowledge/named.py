"""How cards name places in the code: paths, addresses, names.

`src/cart.py` (a file or a folder), `src/cart.py#Cart.total`, `src/cart.py:10-20`, `Cart.total`,
`Cart::total`; each with `project:` in front when it is another project's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from paparatsd.errors import BadQuery
from paparatsd.plain_text import INVISIBLE

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_CHARS = 1_000

_PROJECT = re.compile(r"(?P<project>[A-Za-z0-9._-]+):(?!:)(?P<rest>.*)", re.DOTALL)
_LINES = re.compile(r"(?P<path>.+?):(?P<start>[1-9]\d{0,8})(?:-(?P<end>[1-9]\d{0,8}))?")
_CONTROL = re.compile(rf"[\x00-\x1f\x7f-\x9f{INVISIBLE}]")


@dataclass(frozen=True, slots=True)
class Named:
    """A place as a card names it; `at` is how it was written, tidied up.

    `project` is "" for the card's own. Either `path` is set, perhaps with a `fragment` (still
    encoded, as in addresses) or with lines from `start` to `end`, or only `name`. A single word
    may be either: then both are, and `path` goes first.
    """

    at: str
    project: str = ""
    path: str = ""
    fragment: str = ""
    start: int = 0
    end: int = 0
    name: str = ""


def read_kept(at: str, read: Callable[[str], Named]) -> Named:
    """Read what a card names already; what cannot be read names nothing, and nothing fails."""
    try:
        return read(at)
    except BadQuery:
        return Named(at)


def read_file(at: str) -> Named:
    """Read a path of a card: a file's or a folder's. Raises BadQuery."""
    at = _tidied(at, "files")
    project, rest = _parted(at)
    path = _path(rest, at, "files")
    return Named(_prefixed(project, path), project, path)


def read_anchor(at: str) -> Named:
    """Read an anchor of a card. Raises BadQuery."""
    at = _tidied(at, "anchors")
    project, rest = _parted(at)
    before, mark, fragment = rest.partition("#")
    if mark:
        if not fragment or "#" in fragment:
            raise BadQuery(f"anchors: after the # of {at!r} the name of a symbol must follow")
        if "::" in before:  # as Ruby is written: Shop::Cart#total
            return Named(at, project, name=rest)
        path = _path(unquote(before), at, "anchors")
        name = "" if "/" in before or "." in before else rest
        return Named(at, project, path, fragment=fragment, name=name)
    lines = _LINES.fullmatch(rest)
    if lines is not None:
        start = int(lines["start"])
        end = int(lines["end"] or start)
        if end < start:
            raise BadQuery(f"anchors: the lines of {at!r} end before they begin")
        path = _path(unquote(lines["path"]), at, "anchors")
        return Named(at, project, path, start=start, end=end)
    if "/" not in rest and ("::" in rest or "\\" in rest):
        return Named(at, project, name=rest)
    path = _path(rest, at, "anchors")
    if "/" in rest.rstrip("/"):
        return Named(_prefixed(project, path), project, path)
    return Named(_prefixed(project, path), project, path, name=path)


def _tidied(at: str, field: str) -> str:
    at = at.strip()
    if not at:
        raise BadQuery(f"{field} has an empty entry")
    if len(at) > MAX_CHARS:
        raise BadQuery(f"{field} has an entry of {len(at)} characters; at most {MAX_CHARS}")
    if _CONTROL.search(at) or any("\ud800" <= one <= "\udfff" for one in at):
        raise BadQuery(f"{field} has an entry with invisible characters: {at!r}")
    return at


def _parted(at: str) -> tuple[str, str]:
    """Return the project in front, "" for none, and the rest."""
    match = _PROJECT.fullmatch(at)
    if match is None or not match["rest"] or match["rest"].isdigit():
        return "", at
    if re.fullmatch(r"\d+-\d+", match["rest"]):  # lines of a file at the root
        return "", at
    return match["project"], match["rest"]


def _prefixed(project: str, rest: str) -> str:
    return f"{project}:{rest}" if project else rest


def _path(path: str, at: str, field: str) -> str:
    """Return a path as views have it: relative to the project's root, with `/`."""
    if path.startswith(("/", "~")) or "\\" in path:
        raise BadQuery(
            f"{field}: {at!r} must be relative to the project's root, with / between folders"
        )
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise BadQuery(f"{field}: {at!r} leads out of its folder (..)")
    if not parts:
        raise BadQuery(f"{field}: {at!r} names no file")
    return "/".join(parts)

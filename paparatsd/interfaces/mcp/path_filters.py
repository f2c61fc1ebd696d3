"""Path filters as the systems before took them, as globs of a search.

With `*`, `?` or `[` in it a filter is a glob over the whole path, in which a star crosses folders
and which may begin at any folder. Without, it is a part of the path in any case. Brackets alone
are read in both ways: folders are called so, too.
"""

from __future__ import annotations

import re
from itertools import product

MAX_FILTER_CHARS = 400
MAX_CROSSING = 4
"""Stars inside a glob that are read as crossing folders: each doubles the number of patterns."""

_GLOB = re.compile(r"[*?\[]")
_SPECIAL = re.compile(r"[\\*?\[\]!#]")
_BRACKETS = re.compile(r"\[[!^]?\]?[^\]]*\]")


def path_patterns(text: str, root: str = "", folder: str = "") -> tuple[str, ...]:
    """Return the globs of `SearchRequest.paths` that a filter means; none for no filter.

    `root` is the absolute directory that paths are relative to: a filter may begin with it.
    `folder`, relative to it, limits what may match to what lies below.

    >>> path_patterns("*.go")
    ('/**/*.go',)
    >>> path_patterns("", folder="src")
    ('/src/',)
    """
    text = text.strip().replace("\\", "/")
    below = f"/{literal(folder)}/" if folder else "/"
    if root and (text == root or text.startswith(root.rstrip("/") + "/")):
        text = text[len(root.rstrip("/")) :]
        if text in ("", "/"):
            return (below,) if folder else ()
        if not _GLOB.search(text):
            return (f"/{literal(text.strip('/'))}",)
        return tuple(f"/{one}" for one in _crossings(text.lstrip("/")))
    if not text:
        return (below,) if folder else ()
    wanted = [] if "*" in text or "?" in text else _containing(text)
    if _GLOB.search(text):
        # The root stands before every path, so what begins with "*/" fits its own folders too.
        wanted += _crossings(text.removeprefix("*/").lstrip("/"))
    return tuple(f"{below}{one if one.startswith('**/') else '**/' + one}" for one in wanted)


def literal(path: str) -> str:
    r"""Return a glob that a path and nothing else matches.

    >>> literal("a[1].py")
    'a\\[1\\].py'
    """
    return _SPECIAL.sub(r"\\\g<0>", path)


def _any_case(text: str) -> str:
    return "".join(
        f"[{one.lower()}{one.upper()}]" if one.isalpha() and len(one.upper()) == 1 else literal(one)
        for one in text
    )


def _containing(text: str) -> list[str]:
    """Return the globs of the paths that have `text` in them."""
    first, *rest = text.split("/")
    if not rest:
        return [f"*{_any_case(first)}*"]
    *middle, last = rest
    begin = f"*{_any_case(first)}" if first else ""
    end = f"{_any_case(last)}*" if last else ""
    return ["/".join(filter(None, (begin, *map(_any_case, middle), end))) + ("" if last else "/")]


def _crossings(glob: str) -> list[str]:
    """Return globs in which a star stays in its folder for one in which it does not.

    A star at the end crosses by itself: a folder that matches lets through what lies below.
    """
    glob = re.sub(r"\*{3,}", "**", glob)
    pieces = _split_at_inner_stars(glob)
    if len(pieces) - 1 > MAX_CROSSING:
        return [glob]
    ways = product(("*", "*/**/*"), repeat=len(pieces) - 1)
    return [
        "".join(piece + star for piece, star in zip(pieces, (*way, ""), strict=True))
        for way in ways
    ]


def _split_at_inner_stars(glob: str) -> list[str]:
    """Return what stands between single stars that are neither first nor last nor in brackets."""
    held = [match.span() for match in _BRACKETS.finditer(glob)]
    pieces, begin = [], 0
    for match in re.finditer(r"(?<!\*)\*(?!\*)", glob):
        at = match.start()
        inner = 0 < at < len(glob) - 1
        if inner and not any(start <= at < end for start, end in held):
            pieces.append(glob[begin:at])
            begin = at + 1
    return [*pieces, glob[begin:]]

"""What names of people mean among definitions, and titles among the headings of a text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from paparatsd.chunks.headings import read_outline
from paparatsd.chunks.priors import Prior, path_priors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PROSE = frozenset({"markdown", "mdx", "rst", "asciidoc", "org"})
"""Languages whose addresses may name a heading."""

_JOINTS = re.compile(r"::|->|[.#/\\:]")
_NOT_SLUG = re.compile(r"[\W_]+")
_NTH = re.compile(r"@\d+$")
_HEADER = re.compile(r"\.(?:h|hh|hpp|hxx|h\+\+|inl)$", re.IGNORECASE)
_ASIDE = Prior.TEST | Prior.EXAMPLE | Prior.DOCS | Prior.VENDORED | Prior.STUB


def parts_of_name(name: str) -> tuple[str, ...]:
    """Return the parts of a qualified name, however they are joined: `Cart::total()`."""
    return tuple(part for part in _JOINTS.split(name.removesuffix("()")) if part)


def ends_in(qualified: str, wanted: Sequence[str]) -> bool:
    """Say whether a qualified name ends in these parts."""
    parts = parts_of_name(qualified)
    return bool(wanted) and parts[-len(wanted) :] == tuple(wanted)


def is_inside(owners: Sequence[str], path: str, packages: Iterable[str]) -> bool:
    """Say whether a file belongs to what stands before a name: a package, a folder, a module."""
    if not owners:
        return True
    if any(ends_in(package, owners) for package in packages):
        return True
    *folders, file = path.casefold().split("/")
    modules, wanted = [*folders, file.partition(".")[0]], [one.casefold() for one in owners]
    return wanted in (folders[-len(wanted) :], modules[-len(wanted) :])


def is_aside(path: str) -> bool:
    """Say whether what a file defines is seldom what a name means: tests, stubs, headers."""
    return bool(path_priors(path) & _ASIDE) or _HEADER.search(path) is not None


def plain_fragment(fragment: str) -> str:
    """Return a fragment without the number that tells several bearers of a name apart."""
    return _NTH.sub("", fragment)


def section_lines(language: str, lines: Sequence[str], title: str) -> tuple[int, int] | None:
    """Return first and last line of the section of a title, written as such or as in links."""
    if language not in PROSE:
        return None
    wanted = _slug(unquote(title))
    headings = read_outline(language, lines).headings
    found = [at for at, one in enumerate(headings) if _slug(one.title) == wanted]
    if not wanted or len(found) != 1:
        return None
    own = headings[found[0]]
    later = (one.row for one in headings[found[0] + 1 :] if one.level <= own.level)
    return own.row + 1, next(later, len(lines))


def _slug(title: str) -> str:
    return _NOT_SLUG.sub("-", title.casefold()).strip("-")

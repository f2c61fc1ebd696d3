"""Which routes a file answers, and which requests it makes, by the frameworks of its language.

The text is read, not the tree: a route is a call or a decorator with a path in it, and the few
characters around tell the rest. Comments are left out.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import structlog

from paparatsd.chunks.routing import dotnet, ecma, go, jvm, php, python, ruby, rust
from paparatsd.chunks.routing.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from paparatsd.model import Fact, Symbol

log = structlog.get_logger()

MAX_CHARS = 1_000_000
"""Longer files are written by machines."""

_READERS: Mapping[str, tuple[tuple[str, ...], Callable[[Page], None]]] = MappingProxyType(
    {
        "python": (python.MARKS, python.read),
        **dict.fromkeys(
            ("javascript", "jsx", "typescript", "tsx", "vue", "svelte"), (ecma.MARKS, ecma.read)
        ),
        "java": (jvm.MARKS, jvm.read),
        "kotlin": (jvm.MARKS, jvm.read),
        "go": (go.MARKS, go.read),
        "ruby": (ruby.MARKS, ruby.read),
        "php": (php.MARKS, php.read),
        "rust": (rust.MARKS, rust.read),
        "csharp": (dotnet.MARKS, dotnet.read),
    }
)


def find_routes(
    language: str,
    path: str,
    text: str,
    symbols: Sequence[Symbol],
    comments: Iterable[tuple[int, int, str]],
) -> tuple[Fact, ...]:
    """Return the routes and requests of a file; none for a language whose frameworks are unknown.

    `comments` are those of `ParsedFile`. Lines and scopes of the facts are as in `Fact`.
    """
    known = _READERS.get(language)
    if known is None or len(text) > MAX_CHARS or not any(mark in text for mark in known[0]):
        return ()
    page = Page(path, text, symbols, comments)
    try:
        known[1](page)
    except (ValueError, RecursionError) as error:
        log.warning("routes_not_read", path=path, error=repr(error)[:200])
    return page.facts

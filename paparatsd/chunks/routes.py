"""Which routes a file answers, and which requests it makes, by the frameworks of its language.

The text is read, not the tree: a route is a call or a decorator with a path in it, and the few
characters around tell the rest. Comments are left out. What is searched for begins with a mark
("." or "@") or is known to be called in the file: anything else would take longer than parsing.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import structlog

from paparatsd.chunks.routing import dotnet, ecma, go, jvm, php, python, ruby, rust
from paparatsd.chunks.routing.page import Page, PageFull

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paparatsd.chunks.tree import Deadline
    from paparatsd.model import Fact, ParsedFile

log = structlog.get_logger()

MAX_CHARS = 1_000_000
"""Longer files are written by machines."""

_READERS: Mapping[str, Callable[[Page], None]] = MappingProxyType(
    {
        "python": python.read,
        **dict.fromkeys(("javascript", "jsx", "typescript", "tsx", "vue", "svelte"), ecma.read),
        "java": jvm.read,
        "kotlin": jvm.read,
        "go": go.read,
        "ruby": ruby.read,
        "php": php.read,
        "rust": rust.read,
        "csharp": dotnet.read,
    }
)


def find_routes(
    path: str, text: str, parsed: ParsedFile, deadline: Deadline | None = None
) -> tuple[Fact, ...]:
    """Return the routes and requests of a file; none for a language whose frameworks are unknown.

    `parsed` is what else is known of the text; after the deadline nothing more is found.
    Lines and scopes of the facts are as in `Fact`.
    """
    read = _READERS.get(parsed.language)
    if read is None or len(text) > MAX_CHARS:
        return ()
    page = Page(path, text, parsed, deadline)
    try:
        read(page)
    except PageFull:
        log.debug("routes_left_out", path=path)
    except (ValueError, RecursionError) as error:
        log.warning("routes_not_read", path=path, error=repr(error)[:200])
    return page.facts

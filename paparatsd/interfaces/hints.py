"""What to say of a filter that names nothing: a misspelt word must not pass for "not there"."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CHUNK_KINDS = (
    "block", "cell", "class", "constant", "enum", "field", "function", "impl", "interface", "key",
    "macro", "method", "module", "property", "resource", "route", "section", "struct", "test",
    "trait", "type", "variable", "window",
)  # fmt: skip
"""Every kind a chunk may have."""
MAX_NAMED = 40


def unknown_kinds(wanted: Sequence[str]) -> str:
    """Return a sentence on the kinds no chunk can have, "" when there are none."""
    unknown = [kind for kind in wanted if kind not in CHUNK_KINDS]
    if not unknown:
        return ""
    return f"no chunk is of the kind {_quoted(unknown)}; kinds: {', '.join(CHUNK_KINDS)}"


def unknown_languages(wanted: Sequence[str], indexed: Iterable[str]) -> str:
    """Return a sentence on the languages no indexed file is in, "" when there are none."""
    if not wanted:
        return ""
    from paparatsd.search.filters import language_names  # slow, and seldom needed

    known = sorted(set(indexed))
    unknown = [one for one in wanted if not language_names([one]).intersection(known)]
    if not unknown:
        return ""
    listed = ", ".join(known[:MAX_NAMED]) or "none yet"
    return f"no indexed file is in {_quoted(unknown)}; languages: {listed}"


def _quoted(words: Sequence[str]) -> str:
    return " or ".join(repr(word) for word in words)

"""What somebody may have meant who named something that is not there."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paparatsd.graph.source import Tree

MAX_NEAR = 5
MAX_COMPARED = 4_000
_CUTOFF = 0.7
_PARTS = re.compile(r"::|[.#/\\:$]|->")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def near_names(names: Sequence[str], asked: str) -> list[str]:
    """Return the names that are spelled most like one, the nearest first."""
    parts = [part for part in _PARTS.split(asked) if part]
    last = (parts[-1] if parts else asked).casefold()
    words = {word.casefold() for word in _WORDS.findall(last)} | {last}
    by_form: dict[str, str] = {}
    for name in names:
        form = _PARTS.split(name)[-1].casefold()
        if abs(len(form) - len(last)) <= max(3, len(last) // 2) and _alike(form, last, words):
            by_form.setdefault(form, name)
        if len(by_form) >= MAX_COMPARED:
            break
    return [by_form[one] for one in get_close_matches(last, by_form, MAX_NEAR, _CUTOFF)]


def _alike(form: str, last: str, words: Iterable[str]) -> bool:
    """Say whether two names are worth comparing: the same beginning, end, or word."""
    return (
        form[:2] == last[:2]
        or form[-3:] == last[-3:]
        or form.replace("_", "") == last.replace("_", "")
        or any(len(word) > 3 and word in form for word in words)
    )


def near_paths(trees: Iterable[Tree], path: str) -> list[str]:
    """Return the addresses of files that are called like one, or nearly so."""
    base = path.rpartition("/")[2]
    found: list[str] = []
    for tree in trees:
        names: dict[str, str] = {}
        for one in tree.paths:
            names.setdefault(one.rpartition("/")[2], one)
        near = get_close_matches(base, names, 3, _CUTOFF) if base else []
        found += [f"{tree.name}:{names[one]}" for one in near]
    return found[:MAX_NEAR]

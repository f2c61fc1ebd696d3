"""What somebody may have meant who named something that is not there."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import partial
from heapq import nlargest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paparatsd.graph.source import Tree

MAX_NEAR = 5
MAX_COMPARED = 150
"""Spellings that are compared letter by letter: those that share most pairs of letters."""
MAX_CHARS = 100
"""Longer names are compared by their beginning."""
_CUTOFF = 0.7
_PARTS = re.compile(r"::|[.#/\\:$]|->")

Forms = dict[int, list[tuple[str, str]]]
"""By length: folded last parts of names, each once, with a name that has it."""


def forms_of(names: Iterable[str]) -> Forms:
    """Return the spellings of names, to be compared with many others."""
    found: Forms = {}
    seen: set[str] = set()
    for name in names:
        form = _PARTS.split(name)[-1].casefold()[:MAX_CHARS]
        if form and form not in seen:
            seen.add(form)
            found.setdefault(len(form), []).append((form, name))
    return found


def near_names(forms: Mapping[int, Sequence[tuple[str, str]]], asked: str) -> list[str]:
    """Return the names that are spelled most like one, the nearest first."""
    parts = parts_of(asked)
    last = (parts[-1] if parts else asked).casefold()[:MAX_CHARS]
    return near_forms(forms, last)


def near_forms(forms: Mapping[int, Sequence[tuple[str, str]]], last: str) -> list[str]:
    """Return the names whose last part is spelled most like a folded one, the nearest first."""
    pairs = _pairs(last)
    # More letters than the shorter one has cannot be the same: 2 * m / (m + n) bounds the ratio.
    low, high = int(len(last) * _CUTOFF / (2 - _CUTOFF)), int(len(last) * (2 - _CUTOFF) / _CUTOFF)
    scored = (
        (len(pairs & _pairs(form)) / (len(form) + len(last)), form, name)
        for length in range(max(low, 1), high + 2)
        for form, name in forms.get(length, ())
    )
    best = {form: name for _, form, name in nlargest(MAX_COMPARED, scored)}
    return [best[one] for one in get_close_matches(last, best, MAX_NEAR, _CUTOFF)]


def parts_of(name: str) -> list[str]:
    """Return the parts of a name in any spelling: `a::b.C->d()` has four."""
    return [part for part in _PARTS.split(name.strip().removesuffix("()")) if part]


def _pairs(form: str) -> set[str]:
    """Return the pairs of letters of a word, its beginning and end marked."""
    marked = f"^{form}$"
    return {marked[at : at + 2] for at in range(len(marked) - 1)}


def near_paths(trees: Iterable[Tree], path: str) -> list[str]:
    """Return the addresses of files that are called like one, or nearly so."""
    base = path.rpartition("/")[2].casefold()[:MAX_CHARS]
    found: list[str] = []
    for tree in trees if base else ():
        near = near_forms(tree.keep("forms of paths", partial(_bases, tree.paths)), base)
        found += [f"{tree.name}:{one}" for one in near[:3]]
    return found[:MAX_NEAR]


def _bases(paths: Iterable[str]) -> Forms:
    """Return the names of files, each once, with the first path that has it."""
    found: Forms = {}
    seen: set[str] = set()
    for path in paths:
        form = path.rpartition("/")[2].casefold()[:MAX_CHARS]
        if form not in seen:
            seen.add(form)
            found.setdefault(len(form), []).append((form, path))
    return found

"""Lists that are each in the right order, made one without losing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

T = TypeVar("T")


def merged(
    lists: Sequence[Sequence[T]], key: Callable[[T], Any], identity: Callable[[T], Hashable]
) -> list[T]:
    """Return all items, those with larger keys first as far as the order of each list allows.

    Of items with the same identity the first one counts. The commits of one branch are listed
    children first whatever their clocks said; those of several stand as their clocks say.
    """
    places = [0] * len(lists)
    found: dict[Hashable, T] = {}
    while True:
        heads = [number for number, place in enumerate(places) if place < len(lists[number])]
        if not heads:
            return list(found.values())
        best = max(heads, key=lambda number: (key(lists[number][places[number]]), -number))
        item = lists[best][places[best]]
        places[best] += 1
        found.setdefault(identity(item), item)

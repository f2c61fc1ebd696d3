"""The commits that a head reaches."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.history.dag import Dag


_WANTED, _UNWANTED = 1, 2


def reachable_from(dag: Dag, head: int) -> NDArray[np.int64]:
    """Return the numbers of a commit and all its ancestors that are here, ascending."""
    seen = {head} if head in dag else set()
    waiting = list(seen)
    while waiting:
        for parent in dag.parents(waiting.pop()):
            if parent not in seen and parent in dag:
                seen.add(parent)
                waiting.append(parent)
    return np.array(sorted(seen), np.int64)


def reached_apart(dag: Dag, heads: Sequence[int], without: int, most: int) -> set[int]:
    """Return what `heads` reach and `without` does not; empty when it is more than `most`.

    Both sides are walked from the newest down, so that little beside the answer is looked at.
    """
    sides: dict[int, int] = dict.fromkeys(heads, _WANTED)
    sides[without] = sides.get(without, 0) | _UNWANTED
    waiting = [(-dag.order(one), one) for one in sides]
    heapify(waiting)
    found: set[int] = set()
    open_heads = {one for one, side in sides.items() if side == _WANTED}
    while waiting and open_heads:
        _, commit = heappop(waiting)
        side = sides[commit]
        open_heads.discard(commit)
        if side == _WANTED:
            found.add(commit)
            if len(found) > most:
                return set()
        for parent in dag.parents(commit):
            if parent not in dag:
                continue
            before = sides.get(parent, 0)
            if before | side == before:
                continue
            sides[parent] = before | side
            if before == 0:
                heappush(waiting, (-dag.order(parent), parent))
            if sides[parent] == _WANTED:
                open_heads.add(parent)
            else:
                open_heads.discard(parent)
                found.discard(parent)
    return found

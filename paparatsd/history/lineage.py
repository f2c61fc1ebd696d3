"""Which paths have another newest commit at one head than at another."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paparatsd.history.dag import Dag

MAX_APART = 20_000
"""Commits; heads further apart are compared path by path."""


def first_parents_apart(dag: Dag, old: int, new: int) -> list[int] | None:
    """Return the commits on the way down first parents from either head to where both meet.

    What made a path what it is at a head is found on that way alone (`trail.last_touch`), so only
    paths touched by these commits can have another one. None when the ways are too long.
    """
    apart: list[int] = []
    left, right = old, new
    while left != right:
        here = [commit for commit in (left, right) if commit in dag]
        if not here:
            break
        later = max(here, key=lambda commit: (dag.order(commit), commit))
        apart.append(later)
        if len(apart) > MAX_APART:
            return None
        if later == left:
            left = dag.first_parent(left)
        else:
            right = dag.first_parent(right)
    return apart

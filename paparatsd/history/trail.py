"""Where a path was touched, as places in the chains of the graph, found by bisection."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paparatsd.commits import Touch
    from paparatsd.history.dag import Dag

_NUMBER_BITS = 32
_NUMBERS = (1 << _NUMBER_BITS) - 1


class PathFacts(Protocol):
    """What is known of the commits of one repository, asked by path."""

    def commits(self, path: str) -> Iterable[int]:
        """Return the commits that differ from parent 0 at the path, in any order."""
        ...

    def touches_at(self, path: str, commit: int) -> list[Touch]:
        """Return what a commit did to that `Touch.path`, against each parent, in their order."""
        ...


class Trail:
    """The commits of one path that differ from their first parent."""

    __slots__ = ("_by_chain", "_dag")

    def __init__(self, dag: Dag, commits: Iterable[int]) -> None:
        self._dag = dag
        self._by_chain: dict[int, list[int]] = {}
        for chain, position, number in dag.places(commits):
            key = position << _NUMBER_BITS | number
            self._by_chain.setdefault(chain, []).append(key)
        for keys in self._by_chain.values():
            keys.sort()

    def find(self, commit: int) -> int | None:
        """Return the first commit of the trail from `commit` on down first parents, or None.

        The commit itself counts. None also where history ends without one: at a commit that is
        not here, whatever lies below it.
        """
        while commit in self._dag:
            chain = self._dag.chain(commit)
            keys = self._by_chain.get(chain)
            if keys is not None:
                limit = self._dag.position(commit) << _NUMBER_BITS | _NUMBERS
                index = bisect_right(keys, limit)
                if index:
                    return keys[index - 1] & _NUMBERS
            commit = self._dag.base(chain)
        return None


def last_touch(facts: PathFacts, dag: Dag, head: int, path: str) -> int | None:
    """Return the commit that made the path what it is at `head`, as first parents tell it.

    Heads that agree in it (and in nothing else, perhaps) agree in the whole past of the path, so
    it is what a cache is keyed by. None if the path is in no commit that is known.
    """
    return Trail(dag, facts.commits(path)).find(head)

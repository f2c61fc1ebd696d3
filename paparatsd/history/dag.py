"""The graph of commits, cut into chains along first parents, in flat arrays.

A chain is a run of commits each of which is the first parent of the next. A walk along first
parents goes down a chain by position, then on at the chain's base, a place in another chain. Which
child continues a chain is decided as in heavy paths (Sleator and Tarjan, "A data structure for
dynamic trees", 1983): the one with most descendants, so that a walk meets few chains.

Commits are numbers. Memory is proportional to the highest one, about 32 bytes each.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

UNKNOWN = -1
"""A parent that git names and does not have (a shallow clone), or that has no number yet."""
ROOT = -2
"""Stands where a commit has no parent."""
_UNPLACED = -1


class CommitRow(NamedTuple):
    """A commit to add: its number (0 or more), its parents' in git's order, when it was made."""

    number: int
    parents: tuple[int, ...]
    instant: int = 0
    """Committer's seconds since the epoch."""


class Dag:
    """Commits by number: chains, parents, and an order with children after their parents."""

    def __init__(self, rows: Iterable[CommitRow] = ()) -> None:
        self._chains = array("i")
        self._positions = array("i")
        self._firsts = array("i")
        self._others_at = array("i")
        self._instants = array("q")
        self._orders = array("q")
        # Runs of (length, parent 1, parent 2, ...); place 0 is the run of length 0.
        self._others = array("i", [0])
        self._bases = array("i")
        self._tips = array("i")
        self._awaited: set[int] = set()
        self._is_order_stale = False
        self._count = 0
        self.extend(rows)

    def __len__(self) -> int:
        return self._count

    def __contains__(self, number: int) -> bool:
        return 0 <= number < len(self._chains) and self._chains[number] != _UNPLACED

    def chain(self, number: int) -> int:
        """Return the chain of a commit that is here."""
        return self._chains[number]

    def position(self, number: int) -> int:
        """Return the place of a commit in its chain, from 0 at the base."""
        return self._positions[number]

    def base(self, chain: int) -> int:
        """Return the first parent of a chain's oldest commit: a number, ROOT or UNKNOWN."""
        return self._bases[chain]

    def first_parent(self, number: int) -> int:
        """Return the number of the first parent, ROOT or UNKNOWN; it need not be here."""
        return self._firsts[number]

    def parents(self, number: int) -> tuple[int, ...]:
        """Return all parents in git's order, UNKNOWN among them; they need not be here."""
        first = self._firsts[number]
        if first == ROOT:
            return ()
        at = self._others_at[number]
        return (first, *self._others[at + 1 : at + 1 + self._others[at]])

    def parent_count(self, number: int) -> int:
        """Return how many parents a commit has, known or not."""
        return 0 if self._firsts[number] == ROOT else 1 + self._others[self._others_at[number]]

    def order(self, number: int) -> int:
        """Return the commit's place in time: above that of each parent, else its own instant.

        This is git's corrected commit date: commits of branches that do not know each other
        stand as their committers' clocks say, and no wrong clock puts a child below its parent.
        """
        if self._is_order_stale:
            self._set_orders(self._sort(self._all()))
            self._is_order_stale = False
        return self._orders[number]

    def extend(self, rows: Iterable[CommitRow]) -> None:
        """Add commits: on top, beside, or below ones that waited for them; in any order.

        A row whose number is here already replaces its parents, for what was UNKNOWN then.
        Raises ValueError if a commit would be its own ancestor; nothing is placed then.
        """
        fresh: list[int] = []
        for row in rows:
            if row.number in self:
                self._is_order_stale = True
            else:
                fresh.append(row.number)
            self._write(row)
        numbers = self._sort(dict.fromkeys(fresh))
        self._place(numbers, _heirs(numbers, self._firsts))
        if not self._awaited.isdisjoint(numbers):
            self._is_order_stale = True
        self._awaited.difference_update(numbers)
        if not self._is_order_stale:
            self._set_orders(numbers)

    def _all(self) -> dict[int, None]:
        return {n: None for n, chain in enumerate(self._chains) if chain != _UNPLACED}

    def _write(self, row: CommitRow) -> None:
        missing = row.number + 1 - len(self._chains)
        if missing > 0:
            self._chains.extend([_UNPLACED] * missing)
            self._firsts.extend([ROOT] * missing)
            for column in (self._positions, self._others_at, self._instants, self._orders):
                column.extend([0] * missing)
        self._firsts[row.number] = row.parents[0] if row.parents else ROOT
        self._instants[row.number] = row.instant
        if len(row.parents) > 1:
            self._others_at[row.number] = len(self._others)
            self._others.extend([len(row.parents) - 1, *row.parents[1:]])
        if row.number in self:
            if self._positions[row.number] == 0:
                self._bases[self._chains[row.number]] = self._firsts[row.number]
            self._await_parents(row.number)

    def _sort(self, numbers: Mapping[int, None]) -> list[int]:
        """Return the numbers with parents first (Kahn's algorithm)."""
        waiting: dict[int, int] = {}
        children: dict[int, list[int]] = {}
        ready: list[int] = []
        for number in numbers:
            parents = [parent for parent in set(self.parents(number)) if parent in numbers]
            for parent in parents:
                children.setdefault(parent, []).append(number)
            if parents:
                waiting[number] = len(parents)
            else:
                ready.append(number)
        for number in ready:  # grows while it is read
            for child in children.get(number, ()):
                waiting[child] -= 1
                if not waiting[child]:
                    ready.append(child)
        if len(ready) < len(numbers):
            raise ValueError(f"commit {next(n for n in waiting if waiting[n])} is its own ancestor")
        return ready

    def _place(self, numbers: Iterable[int], heirs: Mapping[int, int]) -> None:
        for number in numbers:
            first = self._firsts[number]
            chain = self._chains[first] if first in self else _UNPLACED
            if chain != _UNPLACED and self._tips[chain] == first and heirs[first] == number:
                self._positions[number] = self._positions[first] + 1
                self._tips[chain] = number
            else:
                chain = len(self._bases)
                self._bases.append(first)
                self._tips.append(number)
            self._chains[number] = chain
            self._count += 1
            self._await_parents(number)

    def _await_parents(self, number: int) -> None:
        self._awaited.update(p for p in self.parents(number) if p >= 0 and p not in self)

    def _set_orders(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            above = max((self._orders[p] for p in self._known_parents(number)), default=None)
            instant = self._instants[number]
            self._orders[number] = instant if above is None else max(instant, above + 1)

    def _known_parents(self, number: int) -> Iterator[int]:
        return (parent for parent in self.parents(number) if parent in self)


def _heirs(numbers: list[int], firsts: array[int]) -> dict[int, int]:
    """Return for each first parent which of these children has most descendants among them."""
    sizes = dict.fromkeys(numbers, 1)
    heirs: dict[int, int] = {}
    for number in reversed(numbers):
        first = firsts[number]
        if first in sizes:
            sizes[first] += sizes[number]
        if first not in heirs or sizes[number] > sizes[heirs[first]]:
            heirs[first] = number
    return heirs

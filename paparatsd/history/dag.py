"""The graph of commits, cut into chains along first parents, in flat arrays.

A chain is a run of commits each of which is the first parent of the next. A walk along first
parents goes down a chain by position, then on at the chain's base, a place in another chain. Which
child continues a chain is decided as in heavy paths (Sleator and Tarjan, "A data structure for
dynamic trees", 1983): the one with most descendants, so that a walk meets few chains.

Commits are numbers, of 32 bits. About 40 bytes are kept of each; numbers may be spread over a
wide range as long as they come in runs, for room is made for 256 neighbours at a time.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

UNKNOWN = -1
"""A parent that has no number."""
ROOT = -2
"""Stands where a commit has no parent."""

_PAGE_BITS = 8
_PAGE = 1 << _PAGE_BITS
_NOWHERE = -1


class CommitRow(NamedTuple):
    """A commit to add: its number (0 or more), its parents' in git's order, when it was made."""

    number: int
    parents: tuple[int, ...]
    instant: int = 0
    """Committer's seconds since the epoch."""


class Dag:
    """Commits by number: chains, parents, and an order with children after their parents.

    A parent need not be here: history ends there, for good (a shallow clone) or until it comes.
    """

    def __init__(self, rows: Iterable[CommitRow] = ()) -> None:
        self._pages: dict[int, int] = {}
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
        self._awaiting: dict[int, list[int]] = {}
        self._is_order_stale = False
        self._count = 0
        self.extend(rows)

    def __len__(self) -> int:
        """Return how many commits are here."""
        return self._count

    def __contains__(self, number: int) -> bool:
        """Say whether a commit is here."""
        page = self._pages.get(number >> _PAGE_BITS)
        return page is not None and self._chains[page | number & _PAGE - 1] != _NOWHERE

    def chain(self, number: int) -> int:
        """Return the chain of a commit that is here."""
        return self._chains[self._slot(number)]

    def position(self, number: int) -> int:
        """Return the place of a commit in its chain, from 0 at the base."""
        return self._positions[self._slot(number)]

    def places(self, numbers: Iterable[int]) -> Iterator[tuple[int, int, int]]:
        """Yield (chain, position, number) of those commits that are here."""
        pages, chains, positions = self._pages, self._chains, self._positions
        for number in numbers:
            page = pages.get(number >> _PAGE_BITS)
            if page is not None and chains[slot := page | number & _PAGE - 1] != _NOWHERE:
                yield chains[slot], positions[slot], number

    def base(self, chain: int) -> int:
        """Return the first parent of a chain's oldest commit: a number, ROOT or UNKNOWN."""
        return self._bases[chain]

    def first_parent(self, number: int) -> int:
        """Return the number of the first parent, ROOT or UNKNOWN; it need not be here."""
        return self._firsts[self._slot(number)]

    def parents(self, number: int) -> tuple[int, ...]:
        """Return all parents in git's order, UNKNOWN among them; they need not be here."""
        slot = self._slot(number)
        first = self._firsts[slot]
        if first == ROOT:
            return ()
        at = self._others_at[slot]
        return (first, *self._others[at + 1 : at + 1 + self._others[at]])

    def parent_count(self, number: int) -> int:
        """Return how many parents a commit has, here or not."""
        slot = self._slot(number)
        return 0 if self._firsts[slot] == ROOT else 1 + self._others[self._others_at[slot]]

    def order(self, number: int) -> int:
        """Return the commit's place in time: above that of each parent, else its own instant.

        This is git's corrected commit date: commits of branches that do not know each other
        stand as their committers' clocks say, and no wrong clock puts a child below its parent.
        """
        if self._is_order_stale:
            self._set_orders(self._sort(self._all()))
            self._is_order_stale = False
        return self._orders[self._slot(number)]

    def extend(self, rows: Iterable[CommitRow]) -> None:
        """Add commits: on top, beside, or below ones that wait for them; in any order.

        Those that are here already are left alone. Raises ValueError, and adds nothing, if a
        commit would be its own ancestor.
        """
        fresh = {row.number: row for row in rows if row.number not in self}
        numbers = self._sort({number: row.parents for number, row in fresh.items()})
        for number in numbers:
            self._write(fresh[number])
        self._place(numbers)
        if not self._is_order_stale:
            self._set_orders(numbers)
        waited = [child for n in numbers for child in self._awaiting.pop(n, ())]
        # Where clocks are right nothing above changes by what comes below.
        self._is_order_stale |= any(self._orders[self._slot(c)] < self._least(c) for c in waited)

    def _slot(self, number: int) -> int:
        return self._pages[number >> _PAGE_BITS] | number & _PAGE - 1

    def _all(self) -> dict[int, tuple[int, ...]]:
        numbers = (
            (key << _PAGE_BITS) + offset
            for key, page in self._pages.items()
            for offset in range(_PAGE)
            if self._chains[page + offset] != _NOWHERE
        )
        return {number: self.parents(number) for number in numbers}

    def _sort(self, parents_of: Mapping[int, tuple[int, ...]]) -> list[int]:
        """Return the numbers with parents first (Kahn's algorithm)."""
        waiting: dict[int, int] = {}
        children: dict[int, list[int]] = {}
        ready: list[int] = []
        for number, all_parents in parents_of.items():
            parents = {parent for parent in all_parents if parent in parents_of}
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
        if len(ready) < len(parents_of):
            raise ValueError(f"commit {next(n for n in waiting if waiting[n])} is its own ancestor")
        return ready

    def _write(self, row: CommitRow) -> None:
        if row.number >> _PAGE_BITS not in self._pages:
            self._pages[row.number >> _PAGE_BITS] = len(self._chains)
            self._chains.extend([_NOWHERE] * _PAGE)
            for column in (
                self._positions, self._firsts, self._others_at, self._instants, self._orders,
            ):  # fmt: skip
                column.frombytes(bytes(_PAGE * column.itemsize))
        slot = self._slot(row.number)
        self._firsts[slot] = row.parents[0] if row.parents else ROOT
        self._instants[slot] = row.instant
        if len(row.parents) > 1:
            self._others_at[slot] = len(self._others)
            self._others.extend([len(row.parents) - 1, *row.parents[1:]])

    def _place(self, numbers: Collection[int]) -> None:
        heirs = self._heirs(list(numbers))
        for number in numbers:
            slot = self._slot(number)
            first = self._firsts[slot]
            chain = self.chain(first) if first in self else _NOWHERE
            if chain != _NOWHERE and self._tips[chain] == first and heirs[first] == number:
                self._positions[slot] = self.position(first) + 1
                self._tips[chain] = number
            else:
                chain = len(self._bases)
                self._bases.append(first)
                self._tips.append(number)
            self._chains[slot] = chain
            self._count += 1
            for parent in self.parents(number):
                if parent >= 0 and parent not in self:
                    self._awaiting.setdefault(parent, []).append(number)

    def _heirs(self, numbers: list[int]) -> dict[int, int]:
        """Return for each first parent which of these children has most descendants."""
        sizes = dict.fromkeys(numbers, 1)
        heirs: dict[int, int] = {}
        for number in reversed(numbers):
            first = self.first_parent(number)
            if first in sizes:
                sizes[first] += sizes[number]
            if first not in heirs or sizes[number] > sizes[heirs[first]]:
                heirs[first] = number
        return heirs

    def _set_orders(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._orders[self._slot(number)] = self._least(number)

    def _least(self, number: int) -> int:
        """Return the order that a commit has by its own instant and the orders of its parents."""
        least = self._instants[self._slot(number)]
        for parent in self.parents(number):
            if parent in self:
                least = max(least, self._orders[self._slot(parent)] + 1)
        return least

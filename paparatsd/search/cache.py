"""Answers of the last minutes, so that a repeated question costs nothing.

The projects' generations and shards are part of the key: a commit, or another embedding model,
makes old answers unreachable at once.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.clock import SystemClock
from paparatsd.status_model import CacheFigures

if TYPE_CHECKING:
    from paparatsd.clock import Clock
    from paparatsd.model import ShardKey
    from paparatsd.search.frames import Ranked
    from paparatsd.search.scope import Scope
    from paparatsd.search_model import SearchRequest

TTL_S = 300.0


@dataclass(frozen=True, slots=True)
class CacheKey:
    """Equal keys mean equal hits."""

    query: str
    limit: int
    paths: tuple[str, ...]
    languages: tuple[str, ...]
    kinds: tuple[str, ...]
    explain: bool
    widen: bool
    generations: tuple[tuple[int, int, ShardKey], ...]


def cache_key(request: SearchRequest, scope: Scope) -> CacheKey:
    """Return the key of a request in a scope; how fresh it must be does not change the hits."""
    return CacheKey(
        query=request.query.strip(),
        limit=request.limit,
        paths=request.paths,
        languages=request.languages,
        kinds=request.kinds,
        explain=request.explain,
        widen=request.widen,
        generations=scope.key,
    )


class QueryCache:
    """Least recently used answers go first; none is older than `ttl_s`."""

    def __init__(self, entries: int, clock: Clock | None = None, ttl_s: float = TTL_S) -> None:
        self._entries = entries
        self._clock: Clock = clock or SystemClock()
        self._ttl_s = ttl_s
        self._answers: OrderedDict[CacheKey, tuple[float, frozenset[str], Ranked]] = OrderedDict()
        self._asked = self._answered = 0

    def __len__(self) -> int:
        """Return the number of answers kept."""
        return len(self._answers)

    def figures(self) -> CacheFigures:
        """Return how the cache does."""
        return CacheFigures(len(self._answers), self._asked, self._answered, self._entries)

    def get(self, key: CacheKey) -> Ranked | None:
        """Return the answer if it is known and young enough."""
        self._asked += 1
        found = self._answers.get(key)
        if found is None:
            return None
        if self._clock.monotonic() - found[0] > self._ttl_s:
            del self._answers[key]
            return None
        self._answers.move_to_end(key)
        self._answered += 1
        return found[2]

    def put(self, key: CacheKey, scope: Scope, answer: Ranked) -> None:
        """Keep an answer."""
        groups = frozenset(project.group for project in scope.projects)
        self._answers[key] = (self._clock.monotonic(), groups, answer)
        self._answers.move_to_end(key)
        while len(self._answers) > self._entries:
            self._answers.popitem(last=False)

    def drop_group(self, group: str) -> None:
        """Forget all answers that a group took part in."""
        for key in [key for key, entry in self._answers.items() if group in entry[1]]:
            del self._answers[key]

    def clear(self) -> None:
        """Forget everything."""
        self._answers.clear()

from __future__ import annotations

from dataclasses import dataclass, replace

import anyio

from paparatsd.model import (
    Fingerprint,
    Freshness,
    FreshnessState,
    GroupName,
    ProjectName,
    RepoId,
    ShardKey,
)
from paparatsd.search.cache import QueryCache, cache_key
from paparatsd.search.frames import Ranked
from paparatsd.search.scope import ProjectScope, Scope
from paparatsd.search_model import SearchRequest

ANSWER = Ranked((), ("a note",), 3)


@dataclass
class HandClock:
    """Time that moves by hand."""

    at: float = 0.0

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.at += seconds
        await anyio.lowlevel.checkpoint()


def scope(generation: int = 1, group: str = "all") -> Scope:
    fresh = Freshness(ProjectName("a"), generation, None, FreshnessState.CURRENT)
    shard = ShardKey(RepoId("r"), "code", Fingerprint("f"), 2)
    return Scope(
        (
            ProjectScope(
                1, ProjectName("a"), GroupName(group), RepoId("r"), shard, generation, fresh
            ),
        )
    )


def test_repeated_question_is_answered_from_memory() -> None:
    cache = QueryCache(5)
    cache.put(cache_key(SearchRequest("q"), scope()), scope(), ANSWER)
    assert cache.get(cache_key(SearchRequest(" q "), scope())) is ANSWER


def test_any_other_filter_limit_or_generation_is_another_question() -> None:
    cache = QueryCache(5)
    request = SearchRequest("q")
    cache.put(cache_key(request, scope()), scope(), ANSWER)
    assert cache.get(cache_key(replace(request, limit=9), scope())) is None
    assert cache.get(cache_key(replace(request, paths=("src/",)), scope())) is None
    assert cache.get(cache_key(replace(request, kinds=("class",)), scope())) is None
    assert cache.get(cache_key(request, scope(generation=2))) is None


def test_asking_for_freshness_does_not_change_the_key() -> None:
    fresh = replace(SearchRequest("q"), fresh=True, deadline_s=1.0)
    assert cache_key(SearchRequest("q"), scope()) == cache_key(fresh, scope())


def test_answer_expires() -> None:
    clock = HandClock()
    cache = QueryCache(5, clock, ttl_s=10)
    key = cache_key(SearchRequest("q"), scope())
    cache.put(key, scope(), ANSWER)
    clock.at = 10
    assert cache.get(key) is ANSWER
    clock.at = 10.1
    assert cache.get(key) is None
    assert len(cache) == 0


def test_answer_used_longest_ago_goes_first() -> None:
    cache = QueryCache(2)
    keys = [cache_key(SearchRequest(text), scope()) for text in ("a", "b", "c")]
    cache.put(keys[0], scope(), ANSWER)
    cache.put(keys[1], scope(), ANSWER)
    cache.get(keys[0])
    cache.put(keys[2], scope(), ANSWER)
    assert [cache.get(key) is not None for key in keys] == [True, False, True]


def test_group_is_dropped_as_a_whole_and_no_other() -> None:
    cache = QueryCache(5)
    here, there = scope(group="here"), scope(generation=7, group="there")
    cache.put(cache_key(SearchRequest("q"), here), here, ANSWER)
    cache.put(cache_key(SearchRequest("q"), there), there, ANSWER)
    cache.drop_group("here")
    assert cache.get(cache_key(SearchRequest("q"), here)) is None
    assert cache.get(cache_key(SearchRequest("q"), there)) is ANSWER


def test_cache_of_no_entries_keeps_nothing() -> None:
    cache = QueryCache(0)
    cache.put(cache_key(SearchRequest("q"), scope()), scope(), ANSWER)
    assert len(cache) == 0

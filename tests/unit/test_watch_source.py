"""Which directories a moved one takes with it."""

from __future__ import annotations

import pytest

from paparatsd.sources.watch_source import Lost, News, is_at_or_below, with_all_below

PATHS = {"/p", "/p/lib", "/p/lib/deep", "/p/library", "/q"}


@pytest.mark.parametrize("more", [0, 100])
def test_a_moved_directory_takes_all_below_it_and_nothing_beside_it(more: int) -> None:
    tops = {"/p/lib", *(f"/elsewhere/{number}" for number in range(more))}
    assert with_all_below(tops, PATHS) == {"/p/lib", "/p/lib/deep"}


def test_a_path_is_below_any_directory_above_it() -> None:
    assert is_at_or_below("/p/lib/deep", {"/p"})
    assert not is_at_or_below("/pp", {"/p"})


def test_news_are_events_losses_or_doubt() -> None:
    assert not News(more=True)
    assert News({(1, "/a")})
    assert News(lost=[Lost(frozenset(), "")])
    assert News(doubt="overflow")

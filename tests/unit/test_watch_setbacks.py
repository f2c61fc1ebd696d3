"""Failures of sources add up only in a row, and limits are tried again."""

from __future__ import annotations

import pytest

from paparatsd.sources.watch_setbacks import (
    BACKOFF_S,
    HEALTHY_S,
    RETRY_S,
    RETRY_UNKNOWN_S,
    Setbacks,
)


def test_each_failure_in_a_row_is_left_alone_longer_and_a_healthy_time_ends_the_row() -> None:
    setbacks = Setbacks()
    assert setbacks.wait_s(0.0) == 0
    waits = []
    for now in (1.0, 2.0, 3.0):
        setbacks.note_failure(now)
        waits.append(setbacks.wait_s(now))
    assert waits == pytest.approx(BACKOFF_S[1:4])
    assert [setbacks.is_first, setbacks.note_failure(3.1 + HEALTHY_S), setbacks.is_first] == [
        False,
        True,
        True,
    ]
    assert setbacks.restarts == 4


def test_a_limit_is_tried_again_after_a_while_the_unknown_one_sooner() -> None:
    setbacks = Setbacks()
    assert not setbacks.is_retry_due(1e9)
    setbacks.note_limit(0.0)
    assert not setbacks.is_retry_due(RETRY_S - 1)
    assert setbacks.is_retry_due(RETRY_S)
    setbacks.note_limit(0.0, known=False)
    assert setbacks.is_retry_due(RETRY_UNKNOWN_S)
    setbacks.lift()
    assert not setbacks.is_retry_due(1e9)

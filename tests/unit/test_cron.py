"""Cron expressions: what they say, when they come true, what is none."""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadQuery
from paparatsd.remotes.cron import parse_cron

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Be in a place with summer time."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def at(text: str, fold: int = 0) -> float:
    return datetime.fromisoformat(text).replace(fold=fold).timestamp()


@pytest.mark.parametrize(
    ("expression", "after", "due"),
    [
        ("* * * * *", "2026-03-10T10:20:30", "2026-03-10T10:21"),
        ("*/10 * * * *", "2026-03-10T10:20", "2026-03-10T10:30"),
        ("5/20 * * * *", "2026-03-10T10:26", "2026-03-10T10:45"),
        ("0 */3 * * *", "2026-03-10T22:00", "2026-03-11T00:00"),
        ("30 6 * * mon-fri", "2026-03-13T07:00", "2026-03-16T06:30"),
        ("30 6 * * 1-5", "2026-03-13T06:29:59", "2026-03-13T06:30"),
        ("0 0 * * 7", "2026-03-10T00:00", "2026-03-15T00:00"),
        ("0 0 * * sat-sun", "2026-03-15T00:00", "2026-03-21T00:00"),
        ("0 12 1,15 jan-mar/2 *", "2026-01-15T12:00", "2026-03-01T12:00"),
        ("0 0 13 * fri", "2026-03-10T00:00", "2026-03-13T00:00"),
        ("0 0 14 * fri", "2026-03-13T00:00", "2026-03-14T00:00"),
        ("0 0 29 2 *", "2026-03-10T00:00", "2028-02-29T00:00"),
        ("0 0 ? * MON", "2026-03-10T00:00", "2026-03-16T00:00"),
        ("@hourly", "2026-03-10T10:00", "2026-03-10T11:00"),
        ("@WEEKLY", "2026-03-10T10:00", "2026-03-15T00:00"),
        ("@yearly", "2026-03-10T10:00", "2027-01-01T00:00"),
        ("59 23 31 12 *", "2026-12-31T23:59", "2027-12-31T23:59"),
    ],
)
def test_a_schedule_is_due_next(expression: str, after: str, due: str) -> None:
    assert parse_cron(expression).after(at(after)) == at(due)


def test_an_hour_that_summer_time_leaves_out_costs_no_day(zone: None) -> None:
    due = parse_cron("30 2 * * *").after(at("2026-03-28T12:00"))
    assert datetime.fromtimestamp(due) == datetime(2026, 3, 29, 3, 30)


def test_an_hour_that_comes_twice_is_due_both_times(zone: None) -> None:
    cron = parse_cron("30 * * * *")
    first = cron.after(at("2026-10-25T01:45"))
    second = cron.after(first)
    assert (second - first, datetime.fromtimestamp(second).hour) == (3_600, 2)


@pytest.mark.parametrize(
    "text",
    [
        "", "*", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *",
        "* * * 13 *", "* * * * 8", "*/0 * * * *", "*/ * * * *", "5-1 * * * *", "a * * * *",
        "1, * * * *", "-1 * * * *", "0 0 31 2 *", "0 0 30 feb *", "@reboot", "@hourly *",
        "* * * * monday", "1-2-3 * * * *", "٣ * * * *", "*" * 300,
    ],
)  # fmt: skip
def test_what_is_no_schedule_is_refused_with_the_forms_that_are(text: str) -> None:
    with pytest.raises(BadQuery, match="allowed: five fields"):
        parse_cron(text)

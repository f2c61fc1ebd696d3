from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paparatsd.commits import Moment
from paparatsd.errors import BadQuery
from paparatsd.history.moments import (
    MAX_SECONDS,
    MIN_SECONDS,
    parse_moment,
)

NOW = datetime(2026, 3, 11, 15, 30, 20, tzinfo=UTC).timestamp() + 0.75
"""A Wednesday."""
BERLIN = ZoneInfo("Europe/Berlin")
INDIA = timezone(timedelta(hours=5, minutes=30))
ODD = timezone(-timedelta(hours=12, minutes=34))
SAO_PAULO = ZoneInfo("America/Sao_Paulo")


def iso(moment: Moment) -> str:
    """Write a moment in its own zone."""
    zone = timezone(timedelta(minutes=moment.zone_minutes))
    instant = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=moment.seconds)
    return instant.astimezone(zone).isoformat(timespec="seconds")


def read(text: str, *, end: bool = False, zone: ZoneInfo | timezone = UTC, now: float = NOW) -> str:
    return iso(parse_moment(text, now, zone, end=end))


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-01-05", "2026-01-05T00:00:00", "2026-01-05T23:59:59"),
        ("2024-02-29", "2024-02-29T00:00:00", "2024-02-29T23:59:59"),
        ("2026-02", "2026-02-01T00:00:00", "2026-02-28T23:59:59"),
        ("2024-02", "2024-02-01T00:00:00", "2024-02-29T23:59:59"),
        ("2025-12", "2025-12-01T00:00:00", "2025-12-31T23:59:59"),
        ("2025", "2025-01-01T00:00:00", "2025-12-31T23:59:59"),
        ("0001-01-01", "0001-01-01T00:00:00", "0001-01-01T23:59:59"),
        ("9999-12-31", "9999-12-31T00:00:00", "9999-12-31T23:59:59"),
        ("9999", "9999-01-01T00:00:00", "9999-12-31T23:59:59"),
        ("today", "2026-03-11T00:00:00", "2026-03-11T23:59:59"),
        ("Yesterday", "2026-03-10T00:00:00", "2026-03-10T23:59:59"),
        ("monday", "2026-03-09T00:00:00", "2026-03-09T23:59:59"),
        ("wednesday", "2026-03-11T00:00:00", "2026-03-11T23:59:59"),
        ("last wednesday", "2026-03-04T00:00:00", "2026-03-04T23:59:59"),
        ("on thursday", "2026-03-05T00:00:00", "2026-03-05T23:59:59"),
        ("this week", "2026-03-09T00:00:00", "2026-03-15T23:59:59"),
        ("last week", "2026-03-02T00:00:00", "2026-03-08T23:59:59"),
        ("this month", "2026-03-01T00:00:00", "2026-03-31T23:59:59"),
        ("last  month", "2026-02-01T00:00:00", "2026-02-28T23:59:59"),
        ("this year", "2026-01-01T00:00:00", "2026-12-31T23:59:59"),
        ("last year", "2025-01-01T00:00:00", "2025-12-31T23:59:59"),
    ],
)
def test_a_span_of_days_begins_with_its_first_second_and_ends_with_its_last(
    text: str, first: str, last: str
) -> None:
    assert (read(text), read(text, end=True)) == (f"{first}+00:00", f"{last}+00:00")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("now", "2026-03-11T15:30:20"),
        ("7 days ago", "2026-03-04T15:30:20"),
        ("7 days", "2026-03-04T15:30:20"),
        ("90d", "2025-12-11T15:30:20"),
        ("2 weeks", "2026-02-25T15:30:20"),
        ("a week ago", "2026-03-04T15:30:20"),
        ("3mo", "2025-12-11T15:30:20"),
        ("1 month ago", "2026-02-11T15:30:20"),
        ("12 months ago", "2025-03-11T15:30:20"),
        ("1 year ago", "2025-03-11T15:30:20"),
        ("two years ago", "2024-03-11T15:30:20"),
        ("1y2mo", "2025-01-11T15:30:20"),
        ("1 day, 2 hours ago", "2026-03-10T13:30:20"),
        ("1 day and 2 hours ago", "2026-03-10T13:30:20"),
        ("an hour ago", "2026-03-11T14:30:20"),
        ("90 min", "2026-03-11T14:00:20"),
        ("20s", "2026-03-11T15:30:00"),
        ("0 days", "2026-03-11T15:30:20"),
        ("2026-01-05T10:00", "2026-01-05T10:00:00"),
        ("2026-01-05 10:00:07", "2026-01-05T10:00:07"),
        ("2026-01-05T10:00:07.999Z", "2026-01-05T10:00:07"),
        ("2026-01-05t10:00:07,5z", "2026-01-05T10:00:07"),
        ("@1700000000", "2023-11-14T22:13:20"),
        ("@0", "1970-01-01T00:00:00"),
        ("@-1", "1969-12-31T23:59:59"),
    ],
)
def test_an_instant_is_the_same_at_both_ends_of_a_range(text: str, expected: str) -> None:
    assert read(text) == read(text, end=True) == f"{expected}+00:00"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-05T10:00+05:30", "2026-01-05T10:00:00+05:30"),
        ("2026-01-05 10:00 +0530", "2026-01-05T10:00:00+05:30"),
        ("2026-01-05 10:00:01 -12:34", "2026-01-05T10:00:01-12:34"),
        ("2026-01-05T10:00+02", "2026-01-05T10:00:00+02:00"),
        ("2026-01-05T10:00Z", "2026-01-05T10:00:00+00:00"),
        ("2026-01-05 10:00 UTC", "2026-01-05T10:00:00+00:00"),
        ("@1700000000 -1234", "2023-11-14T09:39:20-12:34"),
        ("@1700000000 +0530", "2023-11-15T03:43:20+05:30"),
    ],
)
def test_a_written_zone_wins_over_the_callers(text: str, expected: str) -> None:
    assert read(text, zone=BERLIN) == expected


@pytest.mark.parametrize(
    ("text", "zone", "first", "last"),
    [
        ("2026-01-05", INDIA, "2026-01-05T00:00:00+05:30", "2026-01-05T23:59:59+05:30"),
        ("2026-01-05", ODD, "2026-01-05T00:00:00-12:34", "2026-01-05T23:59:59-12:34"),
        ("today", ODD, "2026-03-11T00:00:00-12:34", "2026-03-11T23:59:59-12:34"),
        # The day on which the clocks go forward, and the one on which they go back.
        ("2026-03-29", BERLIN, "2026-03-29T00:00:00+01:00", "2026-03-29T23:59:59+02:00"),
        ("2026-10-25", BERLIN, "2026-10-25T00:00:00+02:00", "2026-10-25T23:59:59+01:00"),
        # Midnight did not exist: the day began at one o'clock.
        ("2018-11-04", SAO_PAULO, "2018-11-04T01:00:00-02:00", "2018-11-04T23:59:59-02:00"),
        # The last hour came twice.
        ("2018-02-17", SAO_PAULO, "2018-02-17T00:00:00-02:00", "2018-02-17T23:59:59-03:00"),
    ],
)
def test_days_are_those_of_the_callers_zone(
    text: str, zone: ZoneInfo | timezone, first: str, last: str
) -> None:
    first_moment = parse_moment(text, NOW, zone)
    shown = datetime.fromtimestamp(first_moment.seconds, zone).isoformat()
    assert shown == first
    assert read(text, zone=zone, end=True) == last


def test_days_ago_keep_the_hour_on_the_clock_and_hours_are_real_ones() -> None:
    after_the_change = datetime(2026, 3, 29, 12, tzinfo=BERLIN).timestamp()

    assert read("1 day ago", zone=BERLIN, now=after_the_change) == "2026-03-28T12:00:00+01:00"
    assert read("24 hours ago", zone=BERLIN, now=after_the_change) == "2026-03-28T11:00:00+01:00"


@pytest.mark.parametrize(
    ("day", "text", "expected"),
    [
        ((2026, 3, 31), "1 month", "2026-02-28"),
        ((2024, 3, 31), "1mo", "2024-02-29"),
        ((2024, 2, 29), "1 year", "2023-02-28"),
        ((2024, 2, 29), "4 years", "2020-02-29"),
        ((2026, 1, 15), "1 month ago", "2025-12-15"),
        ((2026, 1, 15), "last month", "2025-12-01"),
    ],
)
def test_months_are_counted_by_the_calendar(
    day: tuple[int, int, int], text: str, expected: str
) -> None:
    now = datetime(*day, 12, tzinfo=UTC).timestamp()

    assert iso(parse_moment(text, now, UTC))[:10] == expected


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "soon", "7", "7 moons ago", "ago", "days ago", "-3 days", "+2d", "in 2 days",
        "tomorrow", "2026-13-01", "2026-02-30", "2023-02-29", "2026-1-5", "20260105", "05.01.2026",
        "1/5/2026", "2026-01-05T25:00", "2026-01-05T10", "2026-01-05T10:00+25:00", "2026-W01",
        "2026-01-05T10:00:60", "1700000000", "@", "@1e9", "@9999999999999999", "@99999999999999",
        "9999 years ago", "999999 weeks", "last", "last fortnight", "2026-01-05\x00", "٧ days ago",
        "0000-01-01", "x" * 10_000, "1.5 days ago", "last day", "1d " * 30,
    ],
)  # fmt: skip
def test_garbage_is_refused_with_what_is_accepted(text: str) -> None:
    with pytest.raises(BadQuery) as caught:
        parse_moment(text, NOW, UTC)

    message = str(caught.value)
    assert message.startswith(repr(text)[:20])
    assert "7 days ago" in message
    assert "2026-01-05" in message
    assert len(message) < 500


def test_a_unit_that_may_be_two_things_is_asked_about() -> None:
    with pytest.raises(BadQuery, match="write min or mo"):
        parse_moment("3m", NOW, UTC)


def test_the_edges_of_the_calendar_are_refused_where_they_leave_it() -> None:
    with pytest.raises(BadQuery, match="years 1 to 9999"):
        parse_moment("0001-01-01", NOW, INDIA)
    assert read("0001-01-01", zone=ODD) == "0001-01-01T00:00:00-12:34"
    assert read("9999-12-31", end=True, zone=INDIA) == "9999-12-31T23:59:59+05:30"


moments = st.builds(
    Moment,
    st.integers(MIN_SECONDS + 86_400, MAX_SECONDS - 86_400),
    st.integers(-23 * 60 - 59, 23 * 60 + 59),
)


@given(moments)
def test_what_is_shown_is_read_back_as_the_same(moment: Moment) -> None:
    assert parse_moment(iso(moment), NOW, BERLIN) == moment


@given(moments, st.sampled_from([UTC, BERLIN, INDIA, ODD, SAO_PAULO]))
def test_an_instant_in_seconds_is_that_instant(moment: Moment, zone: ZoneInfo | timezone) -> None:
    assert parse_moment(f"@{moment.seconds}", NOW, zone).seconds == moment.seconds


@given(st.dates(), st.sampled_from([UTC, BERLIN, SAO_PAULO]))
def test_the_last_second_of_a_day_is_followed_by_the_next_day(
    day: object, zone: ZoneInfo | timezone
) -> None:
    text = str(day)
    if text in ("0001-01-01", "9999-12-31"):
        return
    following = (datetime.fromisoformat(text) + timedelta(days=1)).date().isoformat()
    last = parse_moment(text, NOW, zone, end=True)

    assert last.seconds + 1 == parse_moment(following, NOW, zone).seconds


@given(st.text("0123456789-:.tTzZ@+ adgomnhsyewkrui\n", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse_moment(text, NOW, BERLIN)
    except BadQuery:
        return
    assert MIN_SECONDS <= found.seconds <= MAX_SECONDS

"""Instants as people write them, and as they are shown.

Two kinds of text are told apart. A *day, month, year or calendar word* ("2026-01-05", "2026-01",
"yesterday", "last month") is a span of local time: as the beginning of a range it is its first
second, as the end its last one. Everything else ("7 days ago", "2026-01-05T10:00Z", "@1700000000")
is one instant for both. Days, weeks, months and years ago keep the hour on the clock; hours,
minutes and seconds are real ones. A week begins on Monday; the 31st of a shorter month is its last
day. A time that a change of the clocks skips is read with the offset before it, one that comes
twice is the first.
"""

from __future__ import annotations

import calendar
import math
import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING

from paparatsd.commits import Moment
from paparatsd.errors import BadQuery

if TYPE_CHECKING:
    from collections.abc import Mapping

ACCEPTED = (
    "write a day (2026-01-05), an instant (2026-01-05T10:00, with Z or +02:00 for another zone), "
    "an age (7 days ago, 2 weeks, 3mo, 1 year ago), now, today, yesterday, monday, this or last "
    "week, month or year, or @ and seconds since 1970"
)
MAX_TEXT_CHARS = 100
MIN_SECONDS = -62_135_596_800
MAX_SECONDS = 253_402_300_799
"""The years 1 to 9999."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ZONE = r"(?P<zone>Z|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?)"
_DAY = re.compile(r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2}))?)?")
_INSTANT = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})(?:T| +)(?P<hour>[0-9]{2}):"
    rf"(?P<minute>[0-9]{{2}})(?::(?P<second>[0-9]{{2}})(?:[.,][0-9]{{1,9}})?)? *{_ZONE}?",
    re.IGNORECASE,
)
_UNIX = re.compile(rf"@(?P<seconds>-?[0-9]{{1,15}})(?: +{_ZONE})?", re.IGNORECASE)
_AGE = re.compile(
    r"(?:(?:[0-9]{1,6} *|(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve) +)[a-z]+"
    r"(?: *,? *(?:and +)?)){1,7}?(?:ago)?"
)
_PART = re.compile(
    r"([0-9]{1,6}|\b(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve)\b) *([a-z]+)"
)
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
}  # fmt: skip
_UNITS: Mapping[str, str] = {
    name: unit
    for unit, names in {
        "seconds": "s sec secs second seconds",
        "minutes": "min mins minute minutes",
        "hours": "h hr hrs hour hours",
        "days": "d day days",
        "weeks": "w wk wks week weeks",
        "months": "mo mon mos mth month months",
        "years": "y yr yrs year years",
    }.items()
    for name in names.split()
}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def parse_moment(text: str, now: float, zone: tzinfo, *, end: bool = False) -> Moment:
    """Read a time that a person gave; `end` takes the last second of a span, not the first.

    `now` is in seconds since the epoch, `zone` is the caller's. The zone of the answer is the one
    that was written, else the caller's at that instant. Raises BadQuery with what was given and
    what is accepted.
    """
    words = " ".join(text.lower().split()) if len(text) <= MAX_TEXT_CHARS else ""
    try:
        found = _fixed(words, zone)
        if found is None:
            found = _relative(words, _local(now, zone), end=end)
        if found is None:
            found = _span(words, _local(now, zone), zone, end=end)
    except (ValueError, OverflowError) as error:
        raise BadQuery(f"{_shown(text)} is not a time ({error}); {ACCEPTED}") from None
    if found is None:
        hint = "m is a minute or a month: write min or mo; " if re.search(r"\d ?m\b", words) else ""
        raise BadQuery(f"{_shown(text)} is not a time; {hint}{ACCEPTED}")
    return found


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _local(now: float, zone: tzinfo) -> datetime:
    return (_EPOCH + timedelta(seconds=math.floor(now))).astimezone(zone)


def _moment(when: datetime) -> Moment:
    """Return the instant of an aware time; raises ValueError outside of the years 1 to 9999."""
    offset = when.utcoffset() or timedelta()
    seconds = (when.replace(tzinfo=None) - _EPOCH.replace(tzinfo=None) - offset) // timedelta(
        seconds=1
    )
    if not MIN_SECONDS <= seconds <= MAX_SECONDS:
        raise ValueError("it is outside of the years 1 to 9999")
    return Moment(seconds, offset // timedelta(minutes=1))


def _fixed(text: str, zone: tzinfo) -> Moment | None:
    """Read an ISO instant, or seconds since the epoch."""
    match = _UNIX.fullmatch(text)
    if match:
        seconds = int(match["seconds"])
        if not MIN_SECONDS <= seconds <= MAX_SECONDS:
            raise ValueError("it is outside of the years 1 to 9999")
        offset = _offset(match["zone"])
        if offset is not None:
            return Moment(seconds, offset // timedelta(minutes=1))
        return Moment(seconds, _moment(_local(seconds, zone)).zone_minutes)
    match = _INSTANT.fullmatch(text)
    if match is None:
        return None
    parts = [int(match[name] or 0) for name in ("year", "month", "day", "hour", "minute", "second")]
    offset = _offset(match["zone"])
    written = datetime(*parts, tzinfo=zone)  # type: ignore[misc, arg-type]  # six numbers
    return _moment(written if offset is None else written.replace(tzinfo=timezone(offset)))


def _offset(text: str | None) -> timedelta | None:
    if not text:
        return None
    if text[0] not in "+-":
        return timedelta()
    digits = text[1:].replace(":", "").ljust(4, "0")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if hours > 23 or minutes > 59:
        raise ValueError(f"there is no zone {text}")
    return timedelta(hours=hours, minutes=minutes) * (-1 if text[0] == "-" else 1)


def _relative(text: str, now: datetime, *, end: bool) -> Moment | None:
    """Read `now`, or an age in one or several units."""
    if text == "now":
        return _moment(now)
    if not _AGE.fullmatch(text):
        return None
    parts = _PART.findall(text.removesuffix("ago"))
    if not parts or any(name not in _UNITS for _, name in parts):
        return None
    counts = dict.fromkeys(_UNITS.values(), 0)
    for number, name in parts:
        counts[_UNITS[name]] += _NUMBERS.get(number) or int(number)
    day = _months_before(now, counts["months"] + 12 * counts["years"])
    day -= timedelta(days=counts["days"] + 7 * counts["weeks"])
    # Below a day the clock on the wall is left alone: an hour ago is 3600 seconds.
    seconds, zone_minutes = _moment(day)
    seconds -= counts["seconds"] + 60 * counts["minutes"] + 3_600 * counts["hours"]
    if now.tzinfo is not None and seconds >= MIN_SECONDS:
        zone_minutes = _moment(_local(seconds, now.tzinfo)).zone_minutes
    return Moment(seconds, zone_minutes)


def _months_before(when: datetime, months: int) -> datetime:
    if not months:
        return when
    year, month = divmod(when.year * 12 + when.month - 1 - months, 12)
    if year < 1:
        raise ValueError("it is outside of the years 1 to 9999")
    last = calendar.monthrange(year, month + 1)[1]
    return when.replace(year=year, month=month + 1, day=min(when.day, last), fold=0)


def _span(text: str, now: datetime, zone: tzinfo, *, end: bool) -> Moment | None:
    """Read a span of local days and return its first or its last second."""
    days = _written_days(text) or _calendar_days(text, now.date())
    if days is None:
        return None
    first, after = days
    if not end:
        return _moment(datetime(first.year, first.month, first.day, tzinfo=zone))
    if after is None:
        return _moment(datetime(9999, 12, 31, 23, 59, 59, tzinfo=zone))
    seconds = _moment(datetime(after.year, after.month, after.day, tzinfo=zone)).seconds - 1
    return Moment(seconds, _moment(_local(seconds, zone)).zone_minutes)


_Days = tuple[date, date | None]
"""The first day, and the first one after; None where the calendar ends."""


def _written_days(text: str) -> _Days | None:
    match = _DAY.fullmatch(text)
    if match is None:
        return None
    year = int(match["year"])
    if match["day"]:
        return _one_day(date(year, int(match["month"]), int(match["day"])))
    if match["month"]:
        return _months(date(year, int(match["month"]), 1), 1)
    return _months(date(year, 1, 1), 12)


def _one_day(day: date) -> _Days:
    return day, None if day == date.max else day + timedelta(days=1)


def _months(first: date, count: int) -> _Days:
    year, month = divmod(first.year * 12 + first.month - 1 + count, 12)
    return first, None if year > date.max.year else date(year, month + 1, 1)


def _calendar_days(text: str, today: date) -> _Days | None:
    if text == "today":
        return _one_day(today)
    if text == "yesterday":
        return _one_day(today - timedelta(days=1))
    which, _, name = text.rpartition(" ")
    if name in _WEEKDAYS and which in ("", "last", "on"):
        # The latest one; "last monday" said on a Monday is a week ago.
        back = (today.weekday() - _WEEKDAYS.index(name)) % 7
        return _one_day(today - timedelta(days=back or (7 if which == "last" else 0)))
    if which not in ("this", "last"):
        return None
    ago = 1 if which == "last" else 0
    if name == "week":
        monday = today - timedelta(days=today.weekday() + 7 * ago)
        return monday, monday + timedelta(days=7)
    if name == "month":
        year, month = divmod(today.year * 12 + today.month - 1 - ago, 12)
        return _months(date(year, month + 1, 1), 1)
    return _months(date(today.year - ago, 1, 1), 12) if name == "year" else None

"""Dates as people write them into documents."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

FIRST_YEAR, LAST_YEAR = 1970, 2199

_CLOCK = (
    r"(?:(?:[T ][ ]?|[ ]+\w{2,4}\.?[ ]+)(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?"
    r"(?:[.,]\d+)?[ ]*(?P<zone>Z\b|UTC\b|GMT\b|[+-]\d\d:?\d\d\b)?)?"
)
_NUMBERS = re.compile(
    rf"(?<!\d)(?P<year>\d{{4}})(?P<mark>[-/.]?)(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)(?!\d){_CLOCK}"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY_FIRST = re.compile(
    rf"(?<!\d)(?P<day>\d\d?)(?:st|nd|rd|th)?[ -]{_NAME},?[ -](?P<year>\d{{4}})(?!\d){_CLOCK}",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"\b{_NAME}[ ](?P<day>\d\d?)(?:st|nd|rd|th)?,?[ ](?P<year>\d{{4}})(?!\d){_CLOCK}",
    re.IGNORECASE,
)


def read_date(text: str) -> float | None:
    """Return the epoch second of a date, in its zone or else in UTC; None when there is none.

    Of what two countries read as two dates (03/04/2020) nothing is told.
    """
    for form in (_NUMBERS, _DAY_FIRST, _MONTH_FIRST):
        found = form.search(text[:200])
        if found is not None:
            return _moment(found)
    return None


def _moment(found: re.Match[str]) -> float | None:
    month = found["month"].lower()
    number = int(month) if month.isdecimal() else _MONTHS.index(month) + 1
    year = int(found["year"])
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return None
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    try:
        day = int(found["day"])
        moment = datetime(year, number, day, hour, minute, second, tzinfo=_zone(found["zone"]))
    except ValueError:
        return None
    return moment.timestamp()


def _zone(text: str | None) -> timezone:
    if text is None or text[0] not in "+-":
        return UTC
    digits = text[1:].replace(":", "")
    shift = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-shift if text[0] == "-" else shift)

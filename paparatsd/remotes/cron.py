"""Cron expressions: five fields, or a name such as `@hourly`, and when they come true next.

Minute, hour, day of the month, month, day of the week, in the local time of the machine. A field is
`*`, a number, a name (`jan`, `mon`), a range (`1-5`), any of these with a step (`*/10`, `8-18/2`),
or several with commas. 0 and 7 are both Sunday. When days of the month and of the week are both
restricted, either is enough, as in every cron since Unix V7.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from paparatsd.errors import BadQuery

MAX_CHARS = 200
HORIZON_DAYS = 366 * 9
"""A leap day may be eight years away (1896 to 1904, 2096 to 2104); what is further never comes."""

NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_ALLOWED = (
    "allowed: five fields (minute hour day month weekday) such as '*/10 * * * *' or "
    f"'30 6 * * mon-fri', or one of {', '.join(NICKNAMES)}"
)


@dataclass(frozen=True, slots=True)
class Cron:
    """When something is due. `weekdays` count from Sunday, 0; `any_day`: no day is restricted.

    `either_day`: days of the month and of the week are both restricted, so one of them is enough.
    """

    text: str
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either_day: bool

    def falls_on(self, day: datetime) -> bool:
        """Whether any minute of a day is due."""
        if day.month not in self.months:
            return False
        by_date, by_weekday = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return by_date or by_weekday if self.either_day else by_date and by_weekday

    def after(self, moment: float) -> float:
        """Return the first due moment later than `moment`, both in epoch seconds.

        What falls into the hour that a change to summer time leaves out is due when that hour would
        have begun to count, so that no day is without it.
        """
        start = datetime.fromtimestamp(moment).replace(second=0, microsecond=0)
        day = start.replace(hour=0, minute=0)
        for _ in range(HORIZON_DAYS):
            if self.falls_on(day):
                for hour in sorted(self.hours):
                    for minute in sorted(self.minutes):
                        due = day.replace(hour=hour, minute=minute)
                        # An hour that comes twice is tried both times: only a later one counts.
                        for fold in (0, 1):
                            found = due.replace(fold=fold).timestamp()
                            if found > moment:
                                return found
            day = (day + timedelta(days=1)).replace(fold=0)
        raise BadQuery(f"the schedule {self.text!r} never comes true; {_ALLOWED}")


def parse_cron(text: str) -> Cron:
    """Return what a cron expression says. Raises BadQuery for one that is none or never due."""
    fields = NICKNAMES.get(text.strip().lower(), text).lower().split()
    if len(text) > MAX_CHARS or len(fields) != 5:
        raise BadQuery(f"{text[:MAX_CHARS]!r} is no schedule; {_ALLOWED}")
    try:
        minutes = _field(fields[0], 0, 59)
        hours = _field(fields[1], 0, 23)
        days = _field(fields[2], 1, 31)
        months = _field(fields[3], 1, 12, _MONTHS, first=1)
        weekdays = frozenset(day % 7 for day in _field(fields[4], 0, 7, _DAYS))
    except ValueError as error:
        raise BadQuery(f"{text!r} is no schedule: {error}; {_ALLOWED}") from None
    either = not _is_any(fields[2]) and not _is_any(fields[4])
    cron = Cron(" ".join(text.split()), minutes, hours, days, months, weekdays, either)
    cron.after(0.0)
    return cron


def _is_any(field: str) -> bool:
    return field.startswith(("*", "?"))


def _field(
    text: str, low: int, high: int, names: tuple[str, ...] = (), first: int = 0
) -> frozenset[int]:
    values: set[int] = set()
    for part in text.split(","):
        span, slash, step = part.partition("/")
        if slash and (not step.isascii() or not step.isdigit() or not 1 <= int(step) <= high):
            raise ValueError(f"{part!r} has no usable step")
        if span in ("*", "?"):
            begin, end = low, high
        else:
            left, dash, right = span.partition("-")
            begin = _number(left, low, high, names, first)
            # `5/15` means from 5 on, as it does everywhere.
            end = _number(right, low, high, names, first) if dash else high if slash else begin
            if names == _DAYS and end == 0 < begin:
                end = 7  # mon-sun
        if end < begin:
            raise ValueError(f"{part!r} ends before it begins")
        values.update(range(begin, end + 1, int(step) if slash else 1))
    return frozenset(values)


def _number(text: str, low: int, high: int, names: tuple[str, ...], first: int) -> int:
    if text in names:
        return names.index(text) + first
    if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
        raise ValueError(f"{text!r} is not from {low} to {high}")
    return int(text)

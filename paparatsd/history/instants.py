"""Seconds since the epoch as git gives them, brought into a range that one can reckon with."""

from __future__ import annotations

LARGEST_INSTANT = 1 << 60
_WRAP = 1 << 64


def as_instant(seconds: int) -> int:
    """Return the seconds, at most `LARGEST_INSTANT` away from the epoch.

    Git keeps them unsigned: what was before the epoch comes as a number above 2^63.
    """
    if seconds >= _WRAP >> 1:
        seconds -= _WRAP
    return max(-LARGEST_INSTANT, min(seconds, LARGEST_INSTANT))

"""Ids of notes: UUIDs of version 7 (RFC 9562), which begin with the moment they were made."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Callable


def note_id(now: float, random_bits: Callable[[int], int] = secrets.randbits) -> str:
    """Return a new id; `now` is in epoch seconds.

    >>> note_id(1.5, lambda bits: 0)
    '00000000-05dc-7000-8000-000000000000'
    """
    moment = max(0, int(now * 1000)) & ((1 << 48) - 1)
    number = moment << 80 | 7 << 76 | random_bits(12) << 64 | 2 << 62 | random_bits(62)
    return str(UUID(int=number))

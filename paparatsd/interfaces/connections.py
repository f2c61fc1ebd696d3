"""How many connections may be open, and who has to go when there are too many."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

GRACE_S = 1.0
"""A client on this machine that means well has sent its request long before."""
BURST = 4


class Droppable(Protocol):
    """A connection, as far as the caps are concerned."""

    @property
    def idle(self) -> bool:
        """Whether no request is under way."""
        ...

    def drop(self) -> None:
        """Close at once."""
        ...


class Connections:
    """The open connections of one listener.

    A connection is half-open until its first request has passed the guard. Full of half-open
    ones, the oldest of them goes once it had `GRACE_S` to speak: a flood pushes out itself, not
    clients that all come at once. Beyond `BURST` times the limit the oldest goes in any case. Full
    of established ones, the longest idle goes; when all are busy the newcomer is refused.
    """

    def __init__(
        self,
        max_half_open: int,
        max_established: int,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_half_open = max_half_open
        self._max_established = max_established
        self._monotonic = monotonic
        self._half_open: dict[Droppable, float] = {}
        self._established: dict[Droppable, None] = {}

    def __len__(self) -> int:
        """Return how many are open."""
        return len(self._half_open) + len(self._established)

    def all(self) -> list[Droppable]:
        """Return every open connection."""
        return [*self._half_open, *self._established]

    def opened(self, connection: Droppable) -> None:
        """Count a new connection; may drop an older half-open one."""
        now = self._half_open[connection] = self._monotonic()
        if len(self._half_open) <= self._max_half_open:
            return
        oldest, since = next(iter(self._half_open.items()))
        crowded = len(self._half_open) > BURST * self._max_half_open
        if crowded or now - since > GRACE_S:
            self.closed(oldest)
            oldest.drop()

    def admit(self, connection: Droppable) -> bool:
        """Count a connection as established, most recently used; False when there is no room."""
        if self._established.pop(connection, connection) is None:
            self._established[connection] = None
            return True
        if len(self._established) >= self._max_established and not self._drop_idle():
            return False
        self._half_open.pop(connection, None)
        self._established[connection] = None
        return True

    def _drop_idle(self) -> bool:
        idle = next((one for one in self._established if one.idle), None)
        if idle is None:
            return False
        self.closed(idle)
        idle.drop()
        return True

    def closed(self, connection: Droppable) -> None:
        """Forget a connection."""
        self._half_open.pop(connection, None)
        self._established.pop(connection, None)

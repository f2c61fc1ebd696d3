"""How many connections may be open, and who has to go when there are too many."""

from __future__ import annotations

from typing import Protocol


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
    ones, the oldest of them goes: a flood pushes out itself, not those who speak in time. Full
    of established ones, the longest idle goes; when all are busy the newcomer is refused.
    """

    def __init__(self, max_half_open: int, max_established: int) -> None:
        self._max_half_open = max_half_open
        self._max_established = max_established
        self._half_open: dict[Droppable, None] = {}
        self._established: dict[Droppable, None] = {}

    def __len__(self) -> int:
        """Return how many are open."""
        return len(self._half_open) + len(self._established)

    def all(self) -> list[Droppable]:
        """Return every open connection."""
        return [*self._half_open, *self._established]

    def opened(self, connection: Droppable) -> None:
        """Count a new connection; may drop an older half-open one."""
        self._half_open[connection] = None
        if len(self._half_open) > self._max_half_open:
            oldest = next(iter(self._half_open))
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

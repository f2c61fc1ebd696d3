"""Asks the graph process: the daemon's side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import structlog

from paparatsd.errors import ChildDied
from paparatsd.graph.slices import Unfinished
from paparatsd.supervise import RemoteError, local_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.clock import Clock
    from paparatsd.graph.asked import GraphProject
    from paparatsd.supervise import Child

log = structlog.get_logger()

ASK_TIMEOUT_S = 30.0
"""For an answer, or a slice of work on it."""
IDLE_S = 900.0
"""After so long without a question the process ends: it is there again within half a second."""


class GraphKeeper:
    """One per daemon. The process is started by the first question."""

    def __init__(self, child: Child, clock: Clock) -> None:
        self._child = child
        self._clock = clock
        self._asked_at = clock.monotonic()

    async def ask(self, operation: str, projects: Sequence[GraphProject], request: object) -> Any:  # noqa: ANN401 - each operation has an answer of its own
        """Have a question answered; raises what the process raises, as our own class."""
        self._asked_at = began = self._clock.monotonic()
        try:
            return await self._work(operation, projects, request)
        except ChildDied as error:
            if self._clock.monotonic() - began >= ASK_TIMEOUT_S:
                raise  # it would hold up everybody else once more
            log.warning("graph_asked_again", error=str(error))
        return await self._work(operation, projects, request)

    async def _work(self, operation: str, projects: Sequence[GraphProject], request: object) -> Any:  # noqa: ANN401 - see `ask`
        """Ask, and go on asking while the answer is worked on: who waits already goes first.

        In turn, not at low urgency: else a busy hour would keep a long question from its end.
        """
        answer = await self._call(operation, (tuple(projects), request))
        while isinstance(answer, Unfinished):
            answer = await self._call("go on", answer.ticket)
        return answer

    async def _call(self, operation: str, argument: object) -> Any:  # noqa: ANN401 - see `ask`
        try:
            return await self._child.call(operation, argument, timeout_s=ASK_TIMEOUT_S)
        except RemoteError as error:
            raise local_error(error, self._child.name) from error

    async def rest_when_idle(self) -> None:
        """End the process when nobody has asked for `IDLE_S`; call now and then."""
        idle = self._clock.monotonic() - self._asked_at >= IDLE_S
        if idle and self._child.is_running() and not self._child.busy:
            await self._child.rest()

"""Asking a reranker so that it can only help: one deadline, and a dead one costs one short wait.

After a failure nobody waits for the reranker any more. When it has been left alone for a while, the
next question has a harmless request sent behind it, and waits for that for a moment only.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections import OrderedDict
from typing import TYPE_CHECKING, Protocol

import structlog

from paparatsd.endpoints.breaker import FIRST_S, Breaker
from paparatsd.endpoints.refusals import LeftAlone, Rejected, TryLater
from paparatsd.errors import BadReply, Unavailable
from paparatsd.search_model import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.clock import Clock
    from paparatsd.endpoints.posting import Sent
    from paparatsd.rerank.scores import RerankerSpec

log = structlog.get_logger()

MAX_QUERY_CHARS = 2_000
HEAL_S = 0.3
"""How long a question waits for a reranker that failed before to show that it is back."""
PROBE_S = 20.0
"""A server may have to load its model first."""
PROBE = ("How is a file read?", ("reader.py::read_file\ndef read_file(path): ...",))
MAX_KEPT = 64
"""Answers kept, by question and texts: for the next page, and for who asks again."""


class Backend(Protocol):
    """What scores texts."""

    @property
    def spec(self) -> RerankerSpec:
        """What names it."""
        ...

    @property
    def sent(self) -> Sent:
        """What was sent since the start."""
        ...

    async def scores(
        self, query: str, texts: Sequence[str], deadline_s: float
    ) -> tuple[float, ...]:
        """Return the scores of texts in their order, all of them finite.

        Raises Unavailable and BadReply.
        """
        ...

    async def close(self) -> None:
        """Let go of what it holds."""
        ...


class Reranking:
    """Judges texts by a backend, and never raises for it. Close it with `close`."""

    def __init__(
        self,
        backend: Backend,
        *,
        clock: Clock,
        timeout_s: float,
        floor: float | None = None,
        pause_s: float = FIRST_S,
    ) -> None:
        """`floor`: the score below which a text is unrelated, if that is known of the backend.

        `pause_s`: how long it is left alone after a first failure.
        """
        self._backend = backend
        self._timeout_s = timeout_s
        self._floor = floor
        self._breaker = Breaker(clock, pause_s)
        self._probing: asyncio.Task[None] | None = None
        self._kept: OrderedDict[bytes, tuple[float, ...]] = OrderedDict()

    @property
    def sent(self) -> Sent:
        """What was sent since the start."""
        return self._backend.sent

    @property
    def problem(self) -> str:
        """Why the reranker is not used now, "" while it is."""
        return self._breaker.reason

    async def close(self) -> None:
        """Stop what is under way and let go of the backend."""
        if self._probing is not None:
            self._probing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._probing
        await self._backend.close()

    def silence(self) -> Verdict | None:
        """Return the verdict on any question while the backend is left alone, None otherwise."""
        if not self._breaker.is_open or not self._is_resting():
            return None
        return Verdict(self._backend.spec.name, problem=self._breaker.reason)

    def _is_resting(self) -> bool:
        """Whether it is too early for a probe, or one is under way, which may hang."""
        return self._breaker.left_s() > 0 or bool(self._probing and not self._probing.done())

    async def judge(self, query: str, texts: Sequence[str], deadline_s: float) -> Verdict:
        """Return what the backend says of texts, or why it says nothing, within the deadline."""
        name, query = self._backend.spec.name, query[:MAX_QUERY_CHARS]
        key = _key(query, texts)
        scores = self._kept.get(key)
        if scores is None:
            if self._breaker.is_open and not await self._has_healed():
                return Verdict(name, problem=self._breaker.reason)
            limit_s = min(self._timeout_s, deadline_s)
            try:
                scores = await self._backend.scores(query, texts, limit_s)
            except LeftAlone as error:
                return Verdict(name, problem=str(error))
            except (Unavailable, BadReply) as error:
                self._failed(error)
                return Verdict(name, problem=str(error))
            self._breaker.succeeded()
            self._keep(key, scores)
        return Verdict(name, scores, floor=self._floor)

    def _keep(self, key: bytes, scores: tuple[float, ...]) -> None:
        self._kept[key] = scores
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)

    def _failed(self, error: Unavailable | BadReply) -> None:
        after_s = error.after_s if isinstance(error, TryLater) else None
        self._breaker.failed(
            str(error), for_good=isinstance(error, Rejected), after_s=after_s or 0.0
        )
        log.warning("reranker_failed", error=str(error), asked_again_in_s=self._breaker.left_s())

    async def _has_healed(self) -> bool:
        """Have the backend tried when it is time, and say whether it works again.

        The question that begins with that waits for a moment; others do not, a probe may hang.
        """
        if self._is_resting():
            return False
        self._probing = asyncio.create_task(self._probe())
        await asyncio.wait({self._probing}, timeout=HEAL_S)
        return not self._breaker.is_open

    async def _probe(self) -> None:
        try:
            await self._backend.scores(*PROBE, PROBE_S)
        except LeftAlone as error:
            log.debug("reranker_not_probed", reason=str(error))
        except (Unavailable, BadReply) as error:
            self._failed(error)
        else:
            self._breaker.succeeded()
            log.info("reranker_healed", reranker=self._backend.spec.name)


def _key(query: str, texts: Sequence[str]) -> bytes:
    return hashlib.blake2b(json.dumps([query, *texts]).encode(), digest_size=16).digest()

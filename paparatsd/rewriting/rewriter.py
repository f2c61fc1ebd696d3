"""Questions rewritten by a chat model: each once, so many a minute, and never waited for long."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import TYPE_CHECKING

import structlog

from paparatsd.endpoints.breaker import Breaker
from paparatsd.endpoints.refusals import Rejected, TryLater
from paparatsd.errors import BadReply, Unavailable
from paparatsd.rewriting.reading import messages_of, read_reply
from paparatsd.search_model import Rewritten

if TYPE_CHECKING:
    from paparatsd.clock import Clock
    from paparatsd.endpoints.posting import Sent
    from paparatsd.rewriting.chat import Chat

log = structlog.get_logger()

MAX_KEPT = 256
MINUTE_S = 60.0


class Rewriter:
    """Rewrites questions, and never raises for it. Close it with `close`."""

    def __init__(
        self, chat: Chat, *, clock: Clock, mode: str, timeout_s: float, per_minute: int
    ) -> None:
        """`mode`: expand (words), hyde (code) or both; `per_minute`: questions asked at most."""
        self._chat = chat
        self._clock = clock
        self._words, self._code = mode in {"expand", "both"}, mode in {"hyde", "both"}
        self._timeout_s = timeout_s
        self._per_minute = per_minute
        self._breaker = Breaker(clock)
        self._asked: deque[float] = deque()
        self._kept: OrderedDict[str, Rewritten] = OrderedDict()

    @property
    def sent(self) -> Sent:
        """What was sent since the start."""
        return self._chat.sent

    async def close(self) -> None:
        """Close the connections."""
        await self._chat.close()

    async def rewrite(self, question: str, deadline_s: float) -> Rewritten:
        """Return what the model makes of a question, or why nothing, within the deadline."""
        key, by = " ".join(question.split()), self._chat.model
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
            return kept
        if self._breaker.left_s() > 0:
            return Rewritten(by, problem=self._breaker.reason)
        if not self._may_ask():
            return Rewritten(by, problem=f"it is asked {self._per_minute} times a minute at most")
        try:
            messages = messages_of(question, words=self._words, code=self._code)
            content = await self._chat.reply(messages, min(self._timeout_s, deadline_s))
            words, code = read_reply(content, words=self._words, code=self._code)
        except (Unavailable, BadReply) as error:
            self._failed(error)
            return Rewritten(by, problem=str(error))
        self._breaker.succeeded()
        rewritten = self._kept[key] = Rewritten(by, words, code)
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return rewritten

    def _may_ask(self) -> bool:
        now = self._clock.monotonic()
        while self._asked and now - self._asked[0] >= MINUTE_S:
            self._asked.popleft()
        if len(self._asked) >= self._per_minute:
            return False
        self._asked.append(now)
        return True

    def _failed(self, error: Unavailable | BadReply) -> None:
        log.warning("question_not_rewritten", error=str(error))
        if isinstance(error, Unavailable):  # what one reply says is no sign of a dead endpoint
            after_s = error.after_s if isinstance(error, TryLater) else None
            refused = isinstance(error, Rejected)
            self._breaker.failed(str(error), for_good=refused, after_s=after_s or 0.0)

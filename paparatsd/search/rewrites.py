"""Questions that a chat model has rewritten, as searches use them and tell of them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple, Protocol

import structlog

from paparatsd.errors import BadReply, EmbedderUnavailable
from paparatsd.search.further import NOTHING_FURTHER, Further
from paparatsd.search.query import is_worded

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.search_model import Rewritten

    EmbedCode = Callable[[str], Awaitable[NDArray[np.float32]]]

log = structlog.get_logger()

EMBED_S = 3.0


class RewritesQuestions(Protocol):
    """What rewrites a question."""

    async def rewrite(self, question: str, deadline_s: float) -> Rewritten:
        """Return what it makes of a question, or why nothing; never raises for it."""
        ...


class Rewrite(NamedTuple):
    """What is searched for besides, what to tell of it, and whether the answer may be kept."""

    further: Further = NOTHING_FURTHER
    notes: tuple[str, ...] = ()
    complete: bool = True


class Rewrites:
    """Has questions in words rewritten; others say what they look for themselves."""

    def __init__(self, rewriter: RewritesQuestions, embed_code: EmbedCode | None) -> None:
        """`embed_code` is None for the built-in embedder, which the search process applies."""
        self._rewriter = rewriter
        self._embed_code = embed_code

    async def of(self, question: str, deadline_s: float) -> Rewrite:
        """Return what a rewritten question adds, within the deadline."""
        if not is_worded(question):
            return Rewrite()
        said = await self._rewriter.rewrite(question, deadline_s)
        if said.problem:
            note = (
                f"The question was searched for as it is, not rewritten: {said.by}: {said.problem}."
            )
            return Rewrite(notes=(note,), complete=False)
        vector, complete = None, True
        if said.code and self._embed_code is not None:
            try:
                async with asyncio.timeout(EMBED_S):
                    vector = await self._embed_code(said.code)
            except (EmbedderUnavailable, BadReply, TimeoutError) as error:
                log.warning("made_up_code_not_embedded", error=str(error))
                complete = False
        code = "" if self._embed_code is not None and vector is None else said.code
        notes = (_note(said.by, said.words, code),) if said.words or code else ()
        return Rewrite(Further(said.words, code, vector), notes, complete)


def _note(by: str, words: tuple[str, ...], code: str) -> str:
    """Say what was searched for besides the question."""
    parts = [", ".join(words)] if words else []
    if code:
        lines = code.count("\n") + 1
        parts.append(f"code like {lines} made-up line{'' if lines == 1 else 's'}")
    return f"Also searched for, as {by} suggests: {' and '.join(parts)}."

"""Questions that a chat model has rewritten, as searches use them and tell of them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple, Protocol

import structlog

from paparatsd.errors import BadReply, EmbedderUnavailable
from paparatsd.search.further import NOTHING_FURTHER, Further
from paparatsd.search.query import is_worded

if TYPE_CHECKING:
    from paparatsd.search.asked_by import AskedBy
    from paparatsd.search_model import Rewritten

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

    def __init__(self, rewriter: RewritesQuestions) -> None:
        self._rewriter = rewriter

    async def of(self, question: str, deadline_s: float, by: AskedBy) -> Rewrite:
        """Return what a rewritten question adds, within the deadline; `by` embeds it."""
        if not is_worded(question):
            return Rewrite()
        said = await self._rewriter.rewrite(question, deadline_s)
        if said.problem:
            note = (
                f"The question was searched for as it is, not rewritten: {said.by}: {said.problem}."
            )
            return Rewrite(notes=(note,), complete=False)
        vector, complete = None, True
        if said.code and by.embed_document is not None:
            try:
                async with asyncio.timeout(EMBED_S):
                    vector = await by.embed_document(said.code)
            except (EmbedderUnavailable, BadReply, TimeoutError) as error:
                log.warning("made_up_code_not_embedded", error=str(error))
                complete = False
        code = said.code if by.built_in or vector is not None else ""
        notes = (_note(said.by, said.words, code),) if said.words or code else ()
        return Rewrite(Further(said.words, code, vector), notes, complete)


def _note(by: str, words: tuple[str, ...], code: str) -> str:
    """Say what was searched for besides the question."""
    parts = [", ".join(words)] if words else []
    if code:
        lines = code.count("\n") + 1
        parts.append(f"code like {lines} made-up line{'' if lines == 1 else 's'}")
    return f"Also searched for, as {by} suggests: {' and '.join(parts)}."

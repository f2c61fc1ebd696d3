"""What a reranker's word changes about hits: their order, and their label where a floor is known.

What is certain stays first, and what it was not asked about stays last. Without its word everything
is as if it was not there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from paparatsd.docs_model import DocHit
from paparatsd.search.certain import POSSIBLE, WORTH_READING
from paparatsd.search.confidence import advice
from paparatsd.search_model import Confidence, Hit, Reranked, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.search.frames import Ranked

H = TypeVar("H", bound=Hit | DocHit)


class Reranker(Protocol):
    """What judges texts."""

    def silence(self) -> Verdict | None:
        """Return the verdict without scores that every question would get now, if that is known."""
        ...

    async def judge(self, query: str, texts: Sequence[str], deadline_s: float) -> Verdict:
        """Return scores of texts in their order, or why there are none; never raises for it."""
        ...


@dataclass(frozen=True, slots=True)
class Reordering:
    """A reranker, and what it is asked: the first `candidates` hits, `max_chars` of each."""

    reranker: Reranker
    candidates: int
    max_chars: int

    def wanted(self, limit: int) -> int:
        """Return how many hits to look for when `limit` are to be shown."""
        return max(limit, self.candidates)

    async def opinion(
        self, query: str, hits: Sequence[Hit | DocHit], deadline_s: float
    ) -> Verdict | None:
        """Ask about the hits that are not certain; None when there is nothing to order."""
        asked = hits[certain_hits(hits) : self.candidates]
        if len(asked) < 2:
            return None
        texts = [text_of(hit)[: self.max_chars] for hit in asked]
        return await self.reranker.judge(query, texts, deadline_s)


def certain_hits(hits: Sequence[Hit | DocHit]) -> int:
    """Return how many hits at the head are certain."""
    for at, hit in enumerate(hits):
        if isinstance(hit, DocHit) or not hit.certain:
            return at
    return len(hits)


def text_of(hit: Hit | DocHit) -> str:
    """Return what a reranker reads of a hit: where it is, what it is called, its text."""
    if isinstance(hit, DocHit):
        called = " > ".join((hit.document.title, *hit.breadcrumb))
        return f"{hit.document.path}::{called}\n{hit.content}"
    name = f"::{hit.symbol}" if hit.symbol else ""
    return f"{hit.path}{name}\n{hit.text}"


def reordered(hits: Sequence[H], verdict: Verdict) -> tuple[H, ...]:
    """Return hits by the scores of a verdict that was given on them; equal ones in their order."""
    scores = verdict.scores or ()
    first = certain_hits(hits)
    asked = hits[first : first + len(scores)]
    judged: list[tuple[float, int, H]] = []
    for at, (hit, score) in enumerate(zip(asked, scores, strict=True)):
        reranked = Reranked(score, first + at + 1, verdict.floor)
        judged.append((-score, at, replace(hit, reranked=reranked, **_label(hit, reranked))))
    judged.sort(key=lambda one: one[:2])
    return (*hits[:first], *(hit for _, _, hit in judged), *hits[first + len(scores) :])


def _label(hit: Hit | DocHit, said: Reranked) -> dict[str, Any]:
    """Return what the reranker's own floor changes of a hit's label; documents have none."""
    if isinstance(hit, DocHit) or said.floor is None:
        return {}
    if said.score < said.floor:
        return {"score": min(hit.score, POSSIBLE), "confidence": Confidence.LOW}
    if hit.confidence is Confidence.LOW:
        return {"score": max(hit.score, WORTH_READING), "confidence": Confidence.PARTIAL}
    return {}


def with_verdict(ranked: Ranked, verdict: Verdict, limit: int) -> Ranked:
    """Return what was found in the order of a verdict, cut, with the advice that then holds."""
    hits = reordered(ranked.hits, verdict)[:limit]
    before, now = (advice([hit.confidence for hit in some]) for some in (ranked.hits, hits))
    notes = [note for note in ranked.notes if note != before]
    if len(notes) < len(ranked.notes) and now:
        notes.append(now)
    told = (*notes, order_note(verdict))
    return replace(ranked, hits=hits, notes=told, reranked_by=verdict.by)


def order_note(verdict: Verdict) -> str:
    """Say whose order an answer is in, or why it is ours."""
    if verdict.scores is None:
        return f"Not reranked, the order is our own: {verdict.by}: {verdict.problem}."
    return f"Reranked by {verdict.by}."

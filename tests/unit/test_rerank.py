"""What a reranker's word changes, what its scores mean, and what its failures cost."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import anyio.lowlevel
import pytest

from paparatsd.docs_model import DocHit, DocsKind, Document
from paparatsd.endpoints.breaker import FIRST_S, LONGEST_S, Breaker
from paparatsd.endpoints.posting import Sent
from paparatsd.endpoints.refusals import LeftAlone, Rejected, TryLater
from paparatsd.errors import BadReply, Unavailable
from paparatsd.model import ProjectName
from paparatsd.rerank.reranking import HEAL_S, MAX_QUERY_CHARS, PROBE, Reranking
from paparatsd.rerank.scores import RerankerSpec, floor_of
from paparatsd.search.explanation import explanation, explanation_lines
from paparatsd.search.frames import Ranked
from paparatsd.search.reordering import Reordering, order_note, reordered, text_of, with_verdict
from paparatsd.search_model import Confidence, Hit, Reranked, Verdict
from tests.harness.embedding_clock import SkippingClock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.errors import PaparatsError

VOYAGE = RerankerSpec("voyage", "rerank-2.5")


def hit(
    name: str,
    confidence: Confidence = Confidence.PARTIAL,
    *,
    certain: bool = False,
    score: float = 0.3,
) -> Hit:
    return Hit(
        project=ProjectName("p"),
        path=f"{name}.py",
        start_line=1,
        end_line=1,
        address=f"p:{name}.py#{name}",
        language="python",
        kind="function",
        symbol=name,
        text=f"def {name}(): ...",
        score=score,
        confidence=confidence,
        certain=certain,
    )


def names(hits: Sequence[Hit]) -> str:
    return "".join(str(one.symbol) for one in hits)


# ------------------------------------------------------------------ the order


def test_hits_stand_in_the_order_of_the_scores_and_equal_ones_in_ours() -> None:
    verdict = Verdict("r", (0.1, 0.5, 0.9, 0.5))
    found = reordered([hit(name) for name in "abcd"], verdict)
    assert names(found) == "cbda"
    assert [one.reranked for one in found][:2] == [Reranked(0.9, 3), Reranked(0.5, 2)]


def test_what_is_certain_stays_first_and_what_was_not_judged_stays_last() -> None:
    hits = [hit("a", certain=True), hit("b", certain=True), *map(hit, "cdef")]
    found = reordered(hits, Verdict("r", (0.1, 0.9)))
    assert names(found) == "abdcef"
    assert [one.reranked is None for one in found] == [True, True, False, False, True, True]


async def test_only_what_is_not_certain_is_sent_with_its_place_and_no_more_than_is_set() -> None:
    asked: list[str] = []

    class Judge:
        def silence(self) -> Verdict | None:
            return None

        async def judge(self, query: str, texts: Sequence[str], deadline_s: float) -> Verdict:
            asked.extend((query, *texts))
            return Verdict("r", tuple(0.0 for _ in texts))

    reordering = Reordering(Judge(), candidates=3, max_chars=12)
    hits = [hit("a", certain=True), *map(hit, "bcde")]
    assert (await reordering.opinion("q", hits, 1.0)) == Verdict("r", (0.0, 0.0))
    assert asked == ["q", "b.py::b\ndef ", "c.py::c\ndef "]
    assert await reordering.opinion("q", [hit("a")], 1.0) is None
    assert await reordering.opinion("q", [hit("a", certain=True), hit("b")], 1.0) is None


def test_a_document_is_shown_with_its_title_and_headings() -> None:
    document = Document(ProjectName("p"), "a.md", "Guide", "", DocsKind.CODE, "markdown", 2)
    doc = DocHit(document, "p:a.md#A", ("Setup", "Keys"), 1, 2, 1, 1, "Keys are...", 1.0, 1.0)
    assert text_of(doc) == "a.md::Guide > Setup > Keys\nKeys are..."
    found = reordered([doc, replace(doc, address="p:b")], Verdict("r", (0.1, 0.2), floor=0.9))
    assert [one.address for one in found] == ["p:b", "p:a.md#A"]


# ------------------------------------------------------------------ floors


def test_a_floor_holds_for_its_own_backend_and_model_alone() -> None:
    assert floor_of(VOYAGE, ()) == 0.5
    assert floor_of(RerankerSpec("cohere", "rerank-v3.5"), ()) == 0.2
    for other in (
        RerankerSpec("voyage", "rerank-2.5-lite"),
        RerankerSpec("cohere", "rerank-2.5"),
        RerankerSpec("compatible", "rerank-2.5"),
        RerankerSpec("llama", ""),
    ):
        assert floor_of(other, ("voyage/rerank-2.5=0.4", "tei/x=0.1")) is None
    said = ("voyage/rerank-2.5=0.4", "vllm/BAAI/bge-reranker-v2-m3=-1.5")
    assert floor_of(VOYAGE, said) == 0.4
    assert floor_of(RerankerSpec("vllm", "BAAI/bge-reranker-v2-m3"), said) == -1.5


def test_below_its_floor_a_hit_is_unlikely_and_above_no_longer_low() -> None:
    hits = [hit("a", Confidence.HIGH, score=0.9), hit("b", Confidence.LOW, score=0.02), hit("c")]
    found = reordered(hits, Verdict("r", (0.3, 0.7, 0.6), floor=0.5))
    assert [(one.symbol, one.confidence, one.score) for one in found] == [
        ("b", Confidence.PARTIAL, 0.4),
        ("c", Confidence.PARTIAL, 0.3),
        ("a", Confidence.LOW, 0.1),
    ]


def test_without_a_known_floor_labels_are_our_own() -> None:
    hits = [hit("a", Confidence.HIGH, score=0.9), hit("b", Confidence.LOW, score=0.02)]
    found = reordered(hits, Verdict("r", (-8.0, 3.0)))
    assert [(one.symbol, one.confidence, one.score) for one in found] == [
        ("b", Confidence.LOW, 0.02),
        ("a", Confidence.HIGH, 0.9),
    ]


def test_the_advice_is_about_the_hits_that_are_shown() -> None:
    hits = (hit("a", Confidence.HIGH), hit("b", Confidence.LOW), hit("c", Confidence.LOW))
    before = "1 of 3 results are likely, the rest is a guess."
    ranked = Ranked(hits, ("read so", before), 3)
    found = with_verdict(ranked, Verdict("r", (0.9, 0.1, 0.0)), 1)
    assert (names(found.hits), found.notes) == ("a", ("read so", "Reranked by r."))
    found = with_verdict(ranked, Verdict("r", (0.1, 0.9, 0.8)), 2)
    assert names(found.hits) == "bc"
    assert found.notes[0] == "read so"
    assert found.notes[1].startswith("Low confidence")
    assert found.reranked_by == "r"


def test_an_explanation_says_what_the_reranker_said() -> None:
    plain = explanation(hit("a"))
    assert "reranked" not in plain
    one = explanation(replace(hit("a"), reranked=Reranked(0.41234567, 7, 0.5)))
    assert one["reranked"] == {"score": 0.4123, "place": 7, "floor": 0.5}
    assert explanation_lines(one)[-1] == (
        "reranker: score 0.412 (below its floor of 0.5); place 7 in our own order"
    )
    assert explanation_lines(one)[:-1] == explanation_lines(plain)


# ------------------------------------------------------------------ failures


@dataclass
class Backend:
    """Fails with `failure` until it is None; a probe waits for `gate`."""

    failure: PaparatsError | None = None
    spec: RerankerSpec = VOYAGE
    sent: Sent = field(default_factory=Sent)
    asked: list[tuple[str, tuple[str, ...], float]] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    async def scores(
        self, query: str, texts: Sequence[str], deadline_s: float
    ) -> tuple[float, ...]:
        self.asked.append((query, tuple(texts), deadline_s))
        if query == PROBE[0]:
            await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        return tuple(float(len(text)) for text in texts)

    async def close(self) -> None:
        self.asked.clear()


def judging(backend: Backend, clock: SkippingClock) -> Reranking:
    return Reranking(backend, clock=clock, timeout_s=3.0, floor=0.5)


async def test_scores_come_with_the_name_and_the_floor_within_the_shorter_deadline() -> None:
    backend = Backend()
    reranking = judging(backend, SkippingClock())
    verdict = await reranking.judge("q" * 9_000, ["a", "bb"], 1.5)
    assert verdict == Verdict("voyage rerank-2.5", (1.0, 2.0), floor=0.5)
    assert backend.asked == [("q" * MAX_QUERY_CHARS, ("a", "bb"), 1.5)]
    await reranking.judge("q", ["a", "bb"], 60.0)
    assert backend.asked[1][2] == 3.0


async def test_the_same_question_to_the_same_texts_is_not_sent_twice() -> None:
    backend = Backend()
    reranking = judging(backend, SkippingClock())
    first = await reranking.judge("q", ["a", "bb"], 1.0)
    assert await reranking.judge("q", ["a", "bb"], 1.0) == first
    await reranking.judge("q", ["a", "bc"], 1.0)
    assert len(backend.asked) == 2


@pytest.mark.parametrize(
    "failure", [Unavailable("it is gone"), BadReply("it is gone"), TryLater("it is gone")]
)
async def test_after_a_failure_nobody_waits_until_it_is_time(failure: PaparatsError) -> None:
    backend, clock = Backend(failure), SkippingClock()
    reranking = judging(backend, clock)
    assert reranking.silence() is None
    for _ in range(5):
        verdict = await reranking.judge("q", ["a", "b"], 1.0)
        assert verdict == Verdict("voyage rerank-2.5", problem="it is gone")
    assert len(backend.asked) == 1
    assert reranking.problem == "it is gone"
    assert reranking.silence() == Verdict("voyage rerank-2.5", problem="it is gone")


async def test_when_it_is_time_a_harmless_request_is_tried_and_the_question_does_not_wait() -> None:
    backend, clock = Backend(Unavailable("it is gone")), SkippingClock()
    reranking = judging(backend, clock)
    await reranking.judge("q", ["a", "b"], 1.0)
    clock.passed_s += FIRST_S
    assert reranking.silence() is None, "somebody has to find out"
    backend.failure = None
    verdict = await reranking.judge("q", ["a", "b"], 1.0)  # the probe hangs at the gate
    assert verdict.problem == "it is gone"
    async with asyncio.timeout(HEAL_S / 2):  # others do not wait for it at all
        assert (await reranking.judge("q", ["a", "b"], 1.0)).problem == "it is gone"
    assert [asked[0] for asked in backend.asked] == ["q", PROBE[0]]

    backend.gate.set()
    while reranking.problem:
        await anyio.lowlevel.checkpoint()
    verdict = await reranking.judge("q", ["a", "b"], 1.0)
    assert verdict.scores == (1.0, 1.0)
    assert (reranking.problem, reranking.silence()) == ("", None)
    assert [asked[0] for asked in backend.asked] == ["q", PROBE[0], "q"]


async def test_a_probe_that_fails_leaves_it_alone_for_longer() -> None:
    backend, clock = Backend(Unavailable("it is gone")), SkippingClock()
    backend.gate.set()
    reranking = judging(backend, clock)
    await reranking.judge("q", ["a", "b"], 1.0)
    clock.passed_s += FIRST_S
    await reranking.judge("q", ["a", "b"], 1.0)
    clock.passed_s += FIRST_S
    await reranking.judge("q", ["a", "b"], 1.0)
    assert len(backend.asked) == 2
    clock.passed_s += FIRST_S
    await reranking.judge("q", ["a", "b"], 1.0)
    assert len(backend.asked) == 3


async def test_one_that_wants_to_be_left_alone_is_not_called_broken() -> None:
    backend = Backend(LeftAlone("in 20 s"))
    reranking = judging(backend, SkippingClock())
    assert (await reranking.judge("q", ["a", "b"], 1.0)).problem == "in 20 s"
    backend.failure = None
    assert (await reranking.judge("q", ["a", "b"], 1.0)).scores is not None


async def test_closing_ends_a_probe_under_way() -> None:
    backend, clock = Backend(Unavailable("it is gone")), SkippingClock()
    reranking = judging(backend, clock)
    await reranking.judge("q", ["a", "b"], 1.0)
    clock.passed_s += FIRST_S
    await reranking.judge("q", ["a", "b"], 1.0)
    async with asyncio.timeout(1.0):
        await reranking.close()
    assert backend.asked == []


async def test_what_only_a_person_can_mend_is_left_alone_for_longest() -> None:
    backend, clock = Backend(Rejected("check rerank.api_key")), SkippingClock()
    backend.gate.set()
    reranking = judging(backend, clock)
    await reranking.judge("q", ["a", "b"], 1.0)
    clock.passed_s += LONGEST_S - 1
    await reranking.judge("q", ["a", "b"], 1.0)
    assert len(backend.asked) == 1


def test_a_breaker_waits_longer_each_time_to_a_limit_and_forgets_at_a_success() -> None:
    clock = SkippingClock()
    breaker = Breaker(clock)
    waits = []
    for _ in range(7):
        breaker.failed("no")
        waits.append(breaker.left_s())
        clock.passed_s += breaker.left_s()
    assert waits == [15, 30, 60, 120, 240, 300, 300]
    breaker.succeeded()
    assert (breaker.is_open, breaker.reason, breaker.left_s()) == (False, "", 0.0)
    breaker.failed("no", after_s=100)
    assert breaker.left_s() == 100


def test_answers_say_whose_order_they_are_in() -> None:
    assert order_note(Verdict("voyage rerank-2.5", (1.0,))) == "Reranked by voyage rerank-2.5."
    assert order_note(Verdict("tei", problem="it is gone")) == (
        "Not reranked, the order is our own: tei: it is gone."
    )

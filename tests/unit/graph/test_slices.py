"""Long questions are worked on in slices, and the daemon asks until there is an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from paparatsd.errors import ChildDied
from paparatsd.graph import slices
from paparatsd.graph.keeper import ASK_TIMEOUT_S, GraphKeeper
from paparatsd.graph.slices import Slicer, Stopwatch, Unfinished, finished

if TYPE_CHECKING:
    from paparatsd.graph.slices import Steps


def counting(steps: int) -> Steps[str]:
    for _ in range(steps):
        yield
    return f"after {steps}"


@pytest.fixture
def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "SLICE_S", -1.0)


def test_what_is_quick_is_answered_in_one_slice() -> None:
    assert Slicer().begin(counting(3)) == "after 3"
    assert finished(counting(5)) == "after 5"


@pytest.mark.usefixtures("no_time")
def test_questions_under_way_do_not_hear_of_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    slicer = Slicer()
    first, second = slicer.begin(counting(1)), slicer.begin(counting(2))
    assert first != second
    monkeypatch.setattr(slices, "SLICE_S", 5.0)
    assert slicer.go_on(second.ticket) == "after 2"
    assert slicer.go_on(first.ticket) == "after 1"


@pytest.mark.usefixtures("no_time")
def test_the_oldest_of_too_many_questions_is_given_up() -> None:
    slicer = Slicer()
    first = slicer.begin(counting(1))
    for _ in range(slices.MAX_OPEN):
        last = slicer.begin(counting(1))
    with pytest.raises(ChildDied, match="gave up"):
        slicer.go_on(first.ticket)
    assert isinstance(slicer.go_on(last.ticket), Unfinished)


def test_a_stopwatch_counts_only_its_own_pieces_of_work() -> None:
    watch = Stopwatch(1e-9)
    assert not watch.is_over
    with watch:
        sum(range(1_000))
    assert watch.is_over


class Process:
    """Stands for the graph process: answers what the test says, in this order."""

    name = "graph"

    def __init__(self, clock: Clock, *answers: Any, takes_s: float = 0.0) -> None:
        self.clock, self.answers, self.takes_s = clock, list(answers), takes_s
        self.asked: list[tuple[str, Any]] = []

    async def call(self, operation: str, argument: Any, *, timeout_s: float) -> Any:
        assert timeout_s == ASK_TIMEOUT_S
        self.asked.append((operation, argument))
        self.clock.now += self.takes_s
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


class Clock:
    """Goes on when a question takes time."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


def keeper(process: Process) -> GraphKeeper:
    return GraphKeeper(cast("Any", process), cast("Any", process.clock))


async def test_the_daemon_asks_on_until_there_is_an_answer() -> None:
    process = Process(Clock(), Unfinished(7), Unfinished(7), "answer")
    assert await keeper(process).ask("unused", (), "request") == "answer"
    assert process.asked == [("unused", ((), "request")), ("go on", 7), ("go on", 7)]


async def test_a_question_whose_process_ended_is_asked_once_more_from_the_start() -> None:
    process = Process(Clock(), Unfinished(7), ChildDied("ended"), "answer")
    assert await keeper(process).ask("unused", (), "request") == "answer"
    assert [operation for operation, _ in process.asked] == ["unused", "go on", "unused"]


async def test_a_question_that_hung_is_not_asked_again() -> None:
    process = Process(Clock(), ChildDied("did not answer"), "never", takes_s=ASK_TIMEOUT_S)
    with pytest.raises(ChildDied, match="did not answer"):
        await keeper(process).ask("usages", (), "request")
    assert len(process.asked) == 1

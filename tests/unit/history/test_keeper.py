"""The daemon's side of history: work makes way for searches, but not for ever."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from paparatsd.clock import SystemClock
from paparatsd.history import keeper as keeping
from paparatsd.history.followed import Lines, Report
from paparatsd.history.keeper import HistoryKeeper
from paparatsd.history_model import HistoryState

if TYPE_CHECKING:
    import pytest

    from paparatsd.supervise import Child


class FakeChild:
    """A history process that has nothing to do."""

    def __init__(self) -> None:
        self.on_start: Any = None
        self.asked: list[tuple[str, tuple[Any, ...]]] = []
        self.was_asked = asyncio.Event()

    def is_running(self) -> bool:
        return True

    async def ensure_started(self) -> None:
        return None

    async def call(self, operation: str, arguments: tuple[Any, ...], **options: Any) -> Any:
        del options
        self.asked.append((operation, arguments))
        self.was_asked.set()
        return Report(busy=False, status={}) if operation == "work" else None

    def pieces(self) -> list[float]:
        return [arguments[0] for operation, arguments in self.asked if operation == "work"]


async def test_no_piece_is_begun_while_a_search_is_under_way_and_then_a_small_one() -> None:
    child = FakeChild()
    keeper = HistoryKeeper(cast("Child", child), SystemClock())
    async with asyncio.TaskGroup() as tasks:
        with keeper.set_back():
            keeper.keep(())
            running = tasks.create_task(keeper.run())
            await child.was_asked.wait()
            for _ in range(20):
                await asyncio.sleep(0)
            assert child.pieces() == []
        await keeper.settle()
        running.cancel()
    assert child.pieces() == [keeping.SMALL_PIECE_S]


async def test_searches_without_end_do_not_keep_history_from_its_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(keeping, "SET_BACK_S", 0.01)
    child = FakeChild()
    keeper = HistoryKeeper(cast("Child", child), SystemClock())
    async with asyncio.TaskGroup() as tasks:
        with keeper.set_back():
            keeper.keep(())
            running = tasks.create_task(keeper.run())
            await keeper.settle()
        running.cancel()
    assert child.pieces() == [keeping.PIECE_S]


async def test_where_no_project_has_a_history_the_reason_is_said_and_nobody_is_asked() -> None:
    child = FakeChild()
    keeper = HistoryKeeper(
        cast("Child", child), SystemClock(), none_because="history is not published"
    )
    log = await keeper.log(Lines(7, "a.py", 3, 9), 10)
    assert (log.start, log.end, log.commits, log.pending) == (3, 9, (), False)
    assert child.asked == []
    status = keeper.status(7)
    assert status is not None
    assert (status.state, status.reason) == (HistoryState.NONE, "history is not published")

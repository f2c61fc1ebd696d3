"""What is due of a project: reasons, paths, tickets, and the time that goes by."""

from __future__ import annotations

import asyncio

from paparatsd.clock import SystemClock
from paparatsd.due import MAX_PATHS, PERIODIC, Due, Look
from paparatsd.errors import UnknownProject
from paparatsd.model import ChangeBatch


class SetClock(SystemClock):
    """A steady clock that is set by hand."""

    def __init__(self) -> None:
        self.steady = 100.0

    def monotonic(self) -> float:
        return self.steady


def rested() -> tuple[Due, SetClock]:
    """Return what is due after the first look: nothing for an hour."""
    clock = SetClock()
    due = Due(clock)
    due.take()
    due.plan(3_600)
    return due, clock


def changed(*paths: str) -> ChangeBatch:
    return ChangeBatch(paths=frozenset(paths))


def test_at_the_start_everything_is_due_and_once_taken_nothing() -> None:
    due = Due(SetClock())
    assert due
    assert due.take().full == "start"
    assert not due


async def test_what_no_event_tells_of_is_looked_for_when_the_time_has_come() -> None:
    due, clock = rested()
    waiting = asyncio.create_task(due.wait())
    await asyncio.sleep(0)
    assert not waiting.done()
    clock.steady += 3_600
    due.offer(ChangeBatch())  # any word wakes it, and nothing speaks for a look but the time
    await waiting
    look = due.take()
    assert look.full == PERIODIC
    # A look for which only the time speaks makes no answer stale.
    assert not due.is_under_way


async def test_paths_wake_a_session_and_hold_as_a_doubt_until_the_look_has_ended() -> None:
    due, _ = rested()
    waiting = asyncio.create_task(due.wait())
    due.offer(changed("a.py", "b.py"))
    await waiting
    assert due.take() == Look(None, frozenset({"a.py", "b.py"}), False, False, 0)
    assert due.is_under_way
    await due.rest()
    assert not due.is_under_way


def test_very_many_paths_and_files_of_rules_mean_a_look_at_everything() -> None:
    due, _ = rested()
    due.offer(changed(*(f"{n}.py" for n in range(MAX_PATHS + 1))))
    look = due.take()
    assert (look.full, look.paths) == ("many changes", frozenset())
    due.offer(changed("part/.gitignore"))
    assert due.take().full == "ignore rules changed"


def test_a_look_that_failed_is_taken_again_as_one_at_everything() -> None:
    due, _ = rested()
    due.ask("reindex asked for", paranoid=True)
    look = due.take()
    due.give_back(look)
    assert due.take() == look
    due.offer(changed("a.py"))
    due.give_back(due.take())
    assert due.take().full == "the last attempt failed"


def test_a_reason_that_turned_out_to_be_none_is_dropped_and_another_stays() -> None:
    due, _ = rested()
    due.offer(ChangeBatch(doubt="watch_started"))
    due.drop("watch_started")
    assert not due
    due.offer(ChangeBatch(doubt="overflow"))
    due.drop("watch_started")
    assert due.take().full == "overflow"


async def test_who_asks_waits_for_a_look_that_began_after_the_question() -> None:
    due, _ = rested()
    early = due.take()
    asking = asyncio.create_task(due.verified())
    await asyncio.sleep(0)
    due.answer(early.ticket)
    await due.rest()
    await asyncio.sleep(0)
    assert not asking.done()
    late = due.take()
    due.answer(late.ticket)
    await due.rest()
    await asking


async def test_changes_gather_but_not_while_somebody_waits() -> None:
    due, _ = rested()
    folding = asyncio.create_task(due.fold(30))
    await asyncio.sleep(0)
    due.offer(changed("a.py"))
    await asyncio.sleep(0)
    assert not folding.done()
    asking = asyncio.create_task(due.verified())
    await folding
    await due.fold(30)
    due.answer()
    await due.rest()
    await asking


async def test_whoever_waits_is_let_go_with_the_reason_when_nobody_looks_any_more() -> None:
    due, _ = rested()
    due.offer(changed("a.py"))
    waiting = [asyncio.create_task(one()) for one in (due.verified, due.all_done, due.nothing)]
    await asyncio.sleep(0)
    await due.end(UnknownProject("gone"))
    async with asyncio.timeout(1):
        ended = await asyncio.gather(*waiting, due.verified(), return_exceptions=True)
    assert [str(one) for one in ended] == ["gone"] * 4

"""Following remotes: when they are asked, what a failure leads to, and what becomes of clones."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadQuery
from paparatsd.model import GroupName, ProjectEntry, ProjectName, ProjectState, RemoteSpec
from paparatsd.remotes.keeper import Remotes
from paparatsd.remotes.notes import note_path, read_note, write_note
from paparatsd.remotes.sweeper import Sweeper
from paparatsd.settings import RemotesSettings
from tests.harness.git_remote import GitServer, Upstream
from tests.harness.set_clock import SetClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from paparatsd.status_model import RemoteStatus

SHOP = ProjectName("shop")
SETTINGS = RemotesSettings(cron="0 */3 * * *", cron_fast="*/10 * * * *")
HOUR = 3_600.0


class World:
    """The clones of a daemon, one after the other with the same directory and clock."""

    def __init__(self, tmp_path: Path) -> None:
        self.top = tmp_path / "remotes"
        self.clock = SetClock()
        self.changes: list[ProjectName] = []
        self.sweeper = Sweeper((self.top,))

    def entry(self, spec: RemoteSpec) -> ProjectEntry:
        return ProjectEntry(SHOP, str(self.top / "shop-1"), GroupName("web"), remote=spec)

    @contextlib.asynccontextmanager
    async def following(
        self, *specs: RemoteSpec, settings: RemotesSettings = SETTINGS
    ) -> AsyncIterator[Remotes]:
        remotes = Remotes(
            clock=self.clock,
            settings=settings,
            top=self.top,
            on_change=self.changes.append,
            sweep=self.sweeper.wake,
        )
        await remotes.follow([self.entry(spec) for spec in specs], whole=True)
        task = asyncio.create_task(remotes.run())
        try:
            yield remotes
        finally:
            task.cancel()
            await asyncio.wait({task})


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def upstream(tmp_path: Path) -> Upstream:
    made = Upstream(tmp_path)
    made.push({"a.txt": "one\n"})
    return made


async def test_a_schedule_asks_first_and_fetches_only_what_is_new(
    world: World, upstream: Upstream, tmp_path: Path
) -> None:
    with GitServer(tmp_path) as server:
        spec = RemoteSpec(server.url("shop"))

        def fetched() -> int:
            """Return how many packs were asked for, and forget them."""
            packs = [path for path, _ in server.requests if path.endswith("/git-upload-pack")]
            server.requests.clear()
            return len(packs)

        async with world.following(spec) as remotes:
            assert remotes.absence_of(SHOP) == (
                ProjectState.INDEXING, f"being cloned from 127.0.0.1:{server.port}",
            )  # fmt: skip
            await remotes.fetch(SHOP)
            status = state_of(remotes)
        assert status.next_at is not None
        assert world.clock.at < status.next_at <= world.clock.at + 600 + 30
        assert fetched() > 2
        assert world.changes == [SHOP]

        # The daemon was down for a while: it asks at once, and there is nothing new.
        asked_at = world.clock.at = status.next_at + 1
        async with world.following(spec) as remotes:
            await until(lambda: state_of(remotes).checked_at == asked_at)
            await until(lambda: read_note(world.top / "shop-1").checked_at == asked_at)
        assert fetched() == 1, "only what the remote has was asked"
        note = read_note(world.top / "shop-1")
        assert (note.checked_at, note.fetched_at < asked_at) == (asked_at, True)

        # Once in a while everything is made equal, news or not.
        world.clock.at += 4 * HOUR
        async with world.following(spec) as remotes:
            await until(lambda: state_of(remotes).fetched_at == world.clock.at)
        assert world.changes == [SHOP]


def state_of(remotes: Remotes) -> RemoteStatus:
    found = remotes.status_of(SHOP)
    assert found is not None
    return found


async def until(satisfied: Callable[[], bool]) -> None:
    """Wait until a condition holds; other tasks go on meanwhile."""
    async with asyncio.timeout(30):
        while not satisfied():  # noqa: ASYNC110 - nobody tells when
            await asyncio.sleep(0.01)


async def test_a_failure_is_said_and_tried_again_later_and_later(
    world: World, upstream: Upstream
) -> None:
    hidden = upstream.bare.with_name("hidden.git")
    upstream.bare.rename(hidden)
    async with world.following(RemoteSpec(upstream.url)) as remotes:
        waits = []
        for _ in range(7):
            (one,) = await remotes.fetch(SHOP)
            assert "no repository at this address" in one.problem
            await until(lambda: (state_of(remotes).next_at or 0) > world.clock.at)
            waits.append((state_of(remotes).next_at or 0) - world.clock.at)
        assert waits == sorted(waits)
        assert waits[-1] <= 1.2 * HOUR
        absence = remotes.absence_of(SHOP)
        assert absence is not None
        assert absence[0] is ProjectState.MISSING
        assert upstream.url in absence[1]

        hidden.rename(upstream.bare)
        (one,) = await remotes.fetch(None)
        assert one.moved
        assert not one.problem
        assert state_of(remotes).problem == ""


async def test_a_clone_that_was_damaged_or_stopped_half_way_is_made_whole(
    world: World, upstream: Upstream
) -> None:
    root = world.top / "shop-1"
    async with world.following(RemoteSpec(upstream.url)) as remotes:
        await remotes.fetch(SHOP)
        for pack in (root / ".git" / "objects" / "pack").iterdir():
            pack.unlink()
        shutil.rmtree(root / ".git" / "refs")
        (one,) = await remotes.fetch(SHOP)
        assert not one.problem
        assert (root / "a.txt").read_text() == "one\n"
    # Killed between the fetch and the end of the checkout.
    (root / "a.txt").unlink()
    write_note(root, replace(read_note(root), complete=False))
    async with world.following(RemoteSpec(upstream.url)):
        await until((root / "a.txt").exists)


async def test_another_branch_of_the_same_repository_is_checked_out(
    world: World, upstream: Upstream
) -> None:
    upstream.work.branch("side")
    side = upstream.push({"a.txt": "side\n"})
    async with world.following(RemoteSpec(upstream.url)) as remotes:
        await remotes.fetch(SHOP)
        wanted = RemoteSpec(upstream.url, branch="side")
        await remotes.follow([world.entry(wanted)], whole=True)
        (one,) = await remotes.fetch(SHOP)
        assert one.commit == side
        assert (world.top / "shop-1" / "a.txt").read_text() == "side\n"


async def test_what_left_the_list_is_deleted_unless_the_list_was_not_read_whole(
    world: World, upstream: Upstream
) -> None:
    async with world.following(RemoteSpec(upstream.url)) as remotes:
        await remotes.fetch(SHOP)
        await remotes.follow([], whole=False)
        assert (world.top / "shop-1" / "a.txt").exists()
        await remotes.follow([], whole=True)
        assert not (world.top / "shop-1").exists()
        await world.sweeper.sweep()
        assert list(world.top.iterdir()) == []
        with pytest.raises(BadQuery, match="follows no repository elsewhere"):
            await remotes.fetch(SHOP)
        assert await remotes.fetch(None) == ()


async def test_hosts_that_are_asked_are_named(world: World) -> None:
    off = replace(SETTINGS, cron="off", cron_fast="off", timeout_s=1)
    async with world.following(RemoteSpec("http://127.0.0.1:9/shop"), settings=off) as remotes:
        (outlet,) = remotes.outlets()
        assert (outlet.host, outlet.local) == ("127.0.0.1:9", True)
        assert outlet.what == "requests for commits of shop"
        (one,) = await remotes.fetch(SHOP)
        assert "cannot be reached" in one.problem


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"complete": 1}', '{"fetched_at": "x"}', "[" * 5_000, '{"other": 1}']
)
def test_a_note_that_cannot_be_used_is_none(tmp_path: Path, text: str) -> None:
    root = tmp_path / "shop"
    note_path(root).write_text(text)
    assert not read_note(root).complete
    assert Path(note_path(root)).exists()

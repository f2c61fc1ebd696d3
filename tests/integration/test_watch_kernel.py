"""The inotify source under real faults: overflow, moves, odd names, limits, a failing read."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from paparatsd.clock import SystemClock
from paparatsd.sources.watch_inotify import Inotify
from paparatsd.sources.watch_kernel import COVER_AT_ONCE, KernelSource
from paparatsd.sources.watch_source import ADDED, DELETED, MODIFIED, Refusal, WatchRefused
from tests.integration.test_watch import scene, settled

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from paparatsd.sources.watch_source import News, RawEvent

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no inotify")

QUEUE = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())


@pytest.fixture
async def kernel() -> AsyncIterator[KernelSource]:
    there = KernelSource()
    yield there
    there.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path.resolve()


def overflow(directory: Path) -> None:
    """Fill the queue: events of two files in turn, since equal ones in a row are one."""
    pair = (directory / "one", directory / "two")
    for number in range(QUEUE + 100):
        if number < 2:
            pair[number].touch()
        os.utime(pair[number % 2])


def watches_of(source: KernelSource) -> int:
    """Ask the kernel how many watches there are."""
    assert source._instance is not None
    lines = Path(f"/proc/self/fdinfo/{source._instance.fileno()}").read_text().splitlines()
    return sum(line.startswith("inotify") for line in lines)


async def read_all(source: KernelSource) -> set[RawEvent]:
    """Return what is queued now."""
    events: set[RawEvent] = set()
    while (news := source.poll()) or news.more:
        events |= news.events
    return events


async def news_of(source: KernelSource) -> News:
    async with asyncio.timeout(4):
        return await source.wait()


# --------------------------------------------------------------------------- overflow


async def test_an_overflow_is_doubt_at_once_and_everything_is_watched_anew(root: Path) -> None:
    lib, gone = root / "lib", root / "gone"
    lib.mkdir()
    gone.mkdir()
    async with scene() as here:
        await here.started(root, "", "lib", "gone")
        here.batches.clear()
        # The loop reads nothing meanwhile. What comes after the overflow is lost.
        overflow(root)
        lib.rename(root / "elsewhere")
        lib.mkdir()
        shutil.rmtree(gone)
        await here.until(lambda: {"overflow", "watch_started"} <= set(here.doubts()))
        await settled(here, lambda: here.hub.health("p") == "events")
        here.batches.clear()
        (root / "elsewhere" / "stranger").write_text("x")
        (lib / "mine").write_text("x")
        await here.sees("lib/mine")
        assert "lib/stranger" not in here.paths()
        gone.mkdir()
        await here.sees("gone")
        here.batches.clear()
        await here.sees("gone")  # a second time, now that it is watched
        (gone / "back").write_text("x")
        await here.sees("gone/back")
        assert here.hub.restarts == 0


async def test_an_overflow_while_directories_are_added_leaves_them_unwatched(
    root: Path, kernel: KernelSource
) -> None:
    names = [root / f"d{number}" for number in range(50)]
    for name in names:
        name.mkdir()
    await kernel.cover({str(root)})
    adding = asyncio.create_task(kernel.cover({str(name) for name in names}))
    await asyncio.sleep(0)  # let it begin
    overflow(root)
    while kernel.poll().doubt != "overflow":
        pass
    assert await adding == set()
    assert not kernel.watched
    everything = {str(root), *map(str, names)}
    assert await kernel.cover(everything) == everything
    await kernel.release(everything)
    await read_all(kernel)
    (names[0] / "f").touch()
    assert f"{names[0]}/f" in {path for _, path in await read_all(kernel)}


async def test_a_directory_renamed_unseen_is_known_by_its_new_name_only(
    root: Path, kernel: KernelSource
) -> None:
    (root / "old").mkdir()
    await kernel.cover({str(root), f"{root}/old"})
    overflow(root)
    (root / "old").rename(root / "new")
    await read_all(kernel)
    await kernel.cover({str(root), f"{root}/new"})
    await kernel.release({str(root), f"{root}/new"})
    assert watches_of(kernel) == 2
    (root / "new" / "f").touch()
    assert {path for _, path in await read_all(kernel)} == {f"{root}/new/f"}


async def test_a_burst_is_read_whole_and_in_small_parts(root: Path, kernel: KernelSource) -> None:
    await kernel.cover({str(root)})
    for number in range(5_000):
        (root / str(number)).touch()
    found: set[RawEvent] = set()
    longest = 0.0
    while True:
        began = time.thread_time()
        news = kernel.poll()
        longest = max(longest, time.thread_time() - began)
        found |= news.events
        if not news:
            break
    assert {path for _, path in found} == {f"{root}/{number}" for number in range(5_000)}
    assert longest < 0.02


# --------------------------------------------------------------------------- names and moves


async def test_names_that_are_not_utf8_end_nothing(root: Path) -> None:
    (root / "lib").mkdir()
    async with scene() as here:
        await here.started(root, "", "lib")
        here.batches.clear()
        Path(os.fsdecode(os.fsencode(root) + b"/lib/\xff\xfe")).touch()
        await here.sees("lib")
        Path(os.fsdecode(os.fsencode(root) + b"/\xff\xfe")).touch()
        await here.until(lambda: "undecodable_name" in here.doubts())
        for number in range(100):
            Path(os.fsdecode(os.fsencode(root) + b"/lib/\xff%d" % number)).touch()
        (root / "lib" / "good").write_text("x")
        await here.sees("lib/good")
        assert here.hub.restarts == 0
        assert here.hub.health("p") == "events"
        for path in here.paths():
            path.encode()


async def test_a_name_of_255_bytes_with_every_kind_of_character_is_reported(root: Path) -> None:
    name = "a\n\t'\"\x1b\u202e-é"
    name += "x" * (255 - len(name.encode()))
    async with scene() as here:
        await here.started(root)
        (root / name).touch()
        await here.sees(name)


async def test_a_directory_that_leaves_and_comes_back_is_followed_by_name(
    root: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside").resolve()
    (root / "a" / "deep").mkdir(parents=True)
    async with scene() as here:
        await here.started(root, "", "a", "a/deep")
        here.batches.clear()
        (root / "a").rename(outside / "a")
        await here.sees("a")
        here.batches.clear()
        (outside / "a" / "deep" / "stranger").write_text("x")
        (root / "end").write_text("x")
        await here.sees("end")
        assert here.paths() == {"end"}
        (outside / "a").rename(root / "a")
        await here.sees("a/deep")
        (root / "a" / "deep" / "mine").write_text("x")
        await here.sees("a/deep/mine")


async def test_a_renamed_directory_is_watched_under_its_new_name_only(root: Path) -> None:
    (root / "old" / "deep").mkdir(parents=True)
    async with scene() as here:
        await here.started(root, "", "old", "old/deep")
        (root / "old").rename(root / "new")
        await here.sees("new")
        here.batches.clear()
        here.hub.watch("p", root, frozenset({"", "new", "new/deep"}), ())
        await here.sees("new/deep")
        here.batches.clear()
        (root / "new" / "deep" / "f").write_text("x")
        await here.sees("new/deep/f")
        assert here.paths() == {"new/deep/f"}


async def test_two_directories_that_swap_names_are_told_apart(
    root: Path, kernel: KernelSource
) -> None:
    one, two = root / "one", root / "two"
    one.mkdir()
    two.mkdir()
    both = {str(one), str(two)}
    await kernel.cover({str(root), *both})
    one.rename(root / "third")
    two.rename(one)
    (root / "third").rename(two)
    events = await read_all(kernel)
    assert kernel.forget({path for change, path in events if change != MODIFIED}) == both
    assert await kernel.cover(both) == both
    await kernel.release({str(root), *both})
    await read_all(kernel)
    (one / "f").touch()
    assert {path for _, path in await read_all(kernel)} == {f"{one}/f"}


async def test_a_deleted_directory_is_reported_and_its_watch_is_gone(
    root: Path, kernel: KernelSource
) -> None:
    (root / "d").mkdir()
    await kernel.cover({f"{root}/d"})  # its parent is not watched: only the directory itself tells
    (root / "d").rmdir()
    assert (await news_of(kernel)).events == {(DELETED, f"{root}/d")}
    assert kernel.forget({f"{root}/d"}) == {f"{root}/d"}
    (root / "d").mkdir()
    assert await kernel.cover({f"{root}/d"}) == {f"{root}/d"}
    await kernel.release({f"{root}/d"})
    (root / "d" / "f").touch()
    assert (ADDED, f"{root}/d/f") in (await news_of(kernel)).events


class Paused(Inotify):
    """An instance that holds the adding thread back after a directory, once."""

    def __init__(self) -> None:
        super().__init__()
        self.hold = b""
        self.held, self.released = threading.Event(), threading.Event()

    def add(self, path: bytes) -> int:
        watch = super().add(path)
        if path == self.hold:
            self.hold = b""
            self.held.set()
            self.released.wait(4)
        return watch


@pytest.mark.parametrize("fate", ["renamed", "deleted"])
async def test_a_directory_replaced_while_it_is_added_is_added_again(root: Path, fate: str) -> None:
    instance = Paused()
    source = KernelSource(lambda: instance)
    wanted = {f"{root}/d", f"{root}/d/e"}
    (root / "d" / "e").mkdir(parents=True)
    await source.cover({str(root)})
    instance.hold = os.fsencode(root / "d" / "e")
    adding = asyncio.create_task(source.cover(wanted))
    await asyncio.to_thread(instance.held.wait, 4)
    if fate == "renamed":
        (root / "d").rename(root / "other")
    else:
        shutil.rmtree(root / "d" / "e")
        (root / "d").rmdir()
    (root / "d" / "e").mkdir(parents=True)
    moved = {path for change, path in await read_all(source) if change != MODIFIED}
    if fate == "renamed":
        source.forget(moved)  # as the hub does; of a deletion the watch itself tells
    instance.released.set()
    assert await adding == wanted
    await source.release({str(root), *wanted})
    assert watches_of(source) == 3
    await read_all(source)
    (root / "d" / "e" / "f").touch()
    if fate == "renamed":
        (root / "other" / "e" / "stranger").touch()
    assert {path for _, path in await read_all(source)} == {f"{root}/d/e/f"}
    source.close()


async def test_links_to_directories_and_files_are_not_watched(
    root: Path, tmp_path_factory: pytest.TempPathFactory, kernel: KernelSource
) -> None:
    outside = tmp_path_factory.mktemp("outside").resolve()
    (root / "link").symlink_to(outside)
    (root / "file").touch()
    assert await kernel.cover({f"{root}/link", f"{root}/file", f"{root}/absent"}) == set()
    async with scene() as here:
        await here.started(root, "", "link")
        (outside / "secret").write_text("x")
        (root / "end").write_text("x")
        await here.sees("end")
        assert here.paths() == {"end"}


async def test_reading_files_makes_no_event(root: Path, kernel: KernelSource) -> None:
    (root / "f").write_text("x")
    await kernel.cover({str(root)})
    for _ in range(100):
        (root / "f").read_text()
        list(root.iterdir())
    assert await read_all(kernel) == set()


# --------------------------------------------------------------------------- adding and removing


async def test_thousands_of_directories_are_added_while_the_loop_runs(
    root: Path, kernel: KernelSource
) -> None:
    wanted = {str(root / f"d{number}") for number in range(COVER_AT_ONCE + 1_000)}
    for path in wanted:
        Path(path).mkdir()
    turns = 0
    adding = asyncio.create_task(kernel.cover(wanted))
    while not adding.done():
        await asyncio.sleep(0)
        turns += 1
    assert await adding == wanted
    assert turns > 10
    assert kernel.count == 1
    assert watches_of(kernel) == len(wanted)
    await kernel.release(set())
    assert not kernel.watched
    assert watches_of(kernel) == 0
    Path(min(wanted), "f").touch()
    assert await read_all(kernel) == set()


async def test_a_directory_seen_by_two_names_is_reported_under_both(
    root: Path, kernel: KernelSource
) -> None:
    (root / "d").mkdir()
    (root / "again").symlink_to(root)  # stands for a bind mount: one directory, two paths
    both = {f"{root}/d", f"{root}/again/d"}
    assert await kernel.cover(both) == both
    (root / "d" / "f").touch()
    assert {path for _, path in await read_all(kernel)} == {f"{path}/f" for path in both}
    await kernel.release({f"{root}/d"})
    (root / "d" / "g").touch()
    assert {path for _, path in await read_all(kernel)} == {f"{root}/d/g"}


# --------------------------------------------------------------------------- failures


class Faulty(Inotify):
    """An instance whose calls fail when told so."""

    def __init__(self) -> None:
        super().__init__()
        self.read_error = 0
        self.room = 1 << 30

    def read(self) -> bytes:
        if self.read_error:
            raise OSError(self.read_error, os.strerror(self.read_error))
        return super().read()

    def add(self, path: bytes) -> int:
        self.room -= 1
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().add(path)


async def test_an_instance_that_fails_is_reported_lost_and_replaced(root: Path) -> None:
    opened: list[Faulty] = []

    def opener() -> Inotify:
        opened.append(Faulty())
        return opened[-1]

    source = KernelSource(opener)
    await source.cover({str(root)})
    opened[0].read_error = errno.EIO
    (root / "f").touch()
    news = await news_of(source)
    assert [lost.directories for lost in news.lost] == [{str(root)}]
    assert source.count == 0
    assert opened[0].fileno() == -1
    waiting = asyncio.create_task(source.wait())
    await asyncio.sleep(0)
    assert source.count == 0  # it waits for directories to watch
    assert await source.cover({str(root)}) == {str(root)}
    (root / "g").touch()
    async with asyncio.timeout(4):
        assert (ADDED, f"{root}/g") in (await waiting).events
    source.close()


async def test_over_the_watch_limit_what_fits_stays_and_can_be_released(root: Path) -> None:
    instance = Faulty()
    instance.room = 2
    source = KernelSource(lambda: instance)
    wanted = {str(root / name) for name in "abc"}
    for path in wanted:
        Path(path).mkdir()
    with pytest.raises(WatchRefused, match="max_user_watches") as refused:
        await source.cover(wanted)
    assert refused.value.refusal is Refusal.WATCH_LIMIT
    assert source.watched == {str(root / "a"), str(root / "b")}
    await source.release({str(root / "a")})
    assert source.watched == {str(root / "a")}
    source.close()


@pytest.mark.parametrize(
    ("code", "refusal"),
    [
        (errno.EMFILE, Refusal.INSTANCE_LIMIT),
        (errno.ENFILE, Refusal.INSTANCE_LIMIT),
        (errno.ENOMEM, Refusal.OTHER),
    ],
)
async def test_an_instance_that_cannot_be_opened_is_refused_by_its_error(
    root: Path, code: int, refusal: Refusal
) -> None:
    def opener() -> Inotify:
        raise OSError(code, os.strerror(code))

    with pytest.raises(WatchRefused) as refused:
        await KernelSource(opener).cover({str(root)})
    assert refused.value.refusal is refusal


async def test_there_is_nothing_to_test_while_the_kernel_tells_what_it_loses(
    kernel: KernelSource,
) -> None:
    assert await kernel.self_test(SystemClock()) == []

"""The watcher on real directories with both sources, and with streams that fail on purpose."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from paparatsd.clock import SystemClock
from paparatsd.sources import watch_stream
from paparatsd.sources.watch import WatchHub

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from paparatsd.model import ChangeBatch


PORTABLE: dict[str, object] = {"opener": watch_stream.open_notifier}
"""Options of a hub that does without the kernel's inotify."""


@pytest.fixture(params=["kernel", "portable"])
def source(request: pytest.FixtureRequest) -> dict[str, object]:
    """Return the options for a hub with one or the other source."""
    if request.param == "kernel" and sys.platform != "linux":
        pytest.skip("there is no inotify")
    return PORTABLE if request.param == "portable" else {}


class SteppedClock(SystemClock):
    """Sleeps end only when the test says so; wall and monotonic time are set by hand."""

    def __init__(self) -> None:
        self.wall = self.steady = 1_000.0
        self._sleepers: list[tuple[float, asyncio.Event]] = []

    def now(self) -> float:
        return self.wall

    def monotonic(self) -> float:
        return self.steady

    async def sleep(self, seconds: float) -> None:
        event = asyncio.Event()
        self._sleepers.append((self.steady + seconds, event))
        await event.wait()

    def advance(self, seconds: float, *, wall: float | None = None) -> None:
        self.steady += seconds
        self.wall += seconds if wall is None else wall
        due = [entry for entry in self._sleepers if entry[0] <= self.steady]
        self._sleepers = [entry for entry in self._sleepers if entry not in due]
        for _, event in due:
            event.set()


class Scene:
    """A hub with everything it reported."""

    def __init__(self, **options: object) -> None:
        self.clock = SteppedClock()
        self.batches: list[tuple[str, ChangeBatch]] = []
        self._news = asyncio.Event()
        self.hub = WatchHub(
            debounce_ms=60,
            polling_after_s=30,
            clock=self.clock,
            on_batch=self._note,
            **options,  # type: ignore[arg-type] # the hub's own optional arguments
        )

    def _note(self, key: str, batch: ChangeBatch) -> None:
        self.batches.append((key, batch))
        self._news.set()

    async def until(self, true: Callable[[], bool], within_s: float = 4.0) -> None:
        async with asyncio.timeout(within_s):
            while not true():
                self._news.clear()
                await self._news.wait()

    def doubts(self, key: str = "p") -> list[str]:
        return [batch.doubt for name, batch in self.batches if name == key and batch.doubt]

    def paths(self, key: str = "p") -> set[str]:
        return set().union(*(batch.paths for name, batch in self.batches if name == key))

    def heads(self, key: str = "p") -> int:
        return sum(batch.head for name, batch in self.batches if name == key)

    async def started(self, root: Path, *directories: str, key: str = "p") -> None:
        self.hub.watch(key, root, frozenset(directories or {""}), ())
        await self.until(lambda: "watch_started" in self.doubts(key))

    async def sees(self, path: str, key: str = "p") -> None:
        await self.until(lambda: path in self.paths(key))


@asynccontextmanager
async def scene(**options: object) -> AsyncIterator[Scene]:
    there = Scene(**options)
    running = asyncio.create_task(there.hub.run())
    try:
        yield there
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_a_saved_file_is_reported_by_an_event(
    tmp_path: Path, source: dict[str, object]
) -> None:
    async with scene(**source) as here:
        await here.started(tmp_path)
        (tmp_path / "a.py").write_text("x")
        await here.sees("a.py")
        assert here.hub.health("p") == "events"


async def test_directories_that_are_not_declared_are_not_watched(
    tmp_path: Path, source: dict[str, object]
) -> None:
    (tmp_path / "node_modules" / "x").mkdir(parents=True)
    async with scene(**source) as here:
        await here.started(tmp_path)
        (tmp_path / "node_modules" / "x" / "y.js").write_text("x")
        (tmp_path / "after.py").write_text("x")
        await here.sees("after.py")
        assert here.paths() == {"after.py"}


async def test_twenty_projects_share_few_instances(
    tmp_path: Path, source: dict[str, object]
) -> None:
    async with scene(**source) as here:
        for number in range(20):
            root = tmp_path / str(number)
            root.mkdir()
            await here.started(root, key=f"p{number}")
        assert here.hub.instances == 1
        for number in range(20):
            (tmp_path / str(number) / "f").write_text("x")
        for number in range(20):
            await here.sees("f", key=f"p{number}")


async def test_a_new_directory_is_named_again_once_it_is_watched(
    tmp_path: Path, source: dict[str, object]
) -> None:
    async with scene(**source) as here:
        await here.started(tmp_path)
        (tmp_path / "new").mkdir()
        await here.sees("new")
        (tmp_path / "new" / "early.py").write_text("x")
        here.batches.clear()
        here.hub.watch("p", tmp_path, frozenset({"", "new"}), ())
        await here.sees("new")
        (tmp_path / "new" / "late.py").write_text("x")
        await here.sees("new/late.py")


async def test_a_directory_that_returns_is_watched_without_being_declared_again(
    tmp_path: Path, source: dict[str, object]
) -> None:
    (tmp_path / "d" / "e").mkdir(parents=True)
    async with scene(**source) as here:
        await here.started(tmp_path, "", "d", "d/e")
        shutil.rmtree(tmp_path / "d")
        await here.until(lambda: {"d", "d/e"} <= here.paths())
        here.batches.clear()
        (tmp_path / "d" / "e").mkdir(parents=True)
        await here.sees("d/e")
        (tmp_path / "d" / "e" / "f").write_text("x")
        await here.sees("d/e/f")


async def test_a_root_that_is_moved_away_is_doubted_and_served_again_when_back(
    tmp_path: Path, source: dict[str, object]
) -> None:
    root = tmp_path / "p"
    root.mkdir()
    async with scene(**source) as here:
        await here.started(root)
        root.rename(tmp_path / "elsewhere")
        await here.until(lambda: "root_moved" in here.doubts())
        await settled(here, lambda: here.hub.health("p") == "polling: the directory is missing")
        here.batches.clear()
        (tmp_path / "elsewhere").rename(root)
        await here.until(lambda: "watch_started" in here.doubts())
        await sees_a_save(here, root / "f")


async def settled(here: Scene, true: Callable[[], bool]) -> None:
    """Wait for a state that is not announced by a batch."""
    async with asyncio.timeout(4):
        while not true():  # noqa: ASYNC110 - the state has no event to wait for
            await asyncio.sleep(0.005)


async def sees_a_save(here: Scene, path: Path) -> None:
    """Save until it is reported by name: one that comes with news of the root is only doubt."""

    def saved() -> bool:
        path.write_text("x")
        return any(reported.endswith(path.name) for reported in here.paths())

    await settled(here, saved)


async def test_a_directory_above_the_root_that_moves_is_noticed_by_looking(
    tmp_path: Path, source: dict[str, object]
) -> None:
    root = tmp_path / "above" / "p"
    root.mkdir(parents=True)
    async with scene(**source) as here:
        await here.started(root)
        (tmp_path / "above").rename(tmp_path / "elsewhere")
        here.clock.advance(30)
        await here.until(lambda: "root_moved" in here.doubts())
        await settled(here, lambda: here.hub.health("p") == "polling: the directory is missing")
        here.batches.clear()
        (tmp_path / "elsewhere").rename(tmp_path / "above")
        here.clock.advance(30)
        await here.until(lambda: "watch_started" in here.doubts())
        await sees_a_save(here, root / "f")


async def test_a_root_deleted_and_made_again_is_watched_again(
    tmp_path: Path, source: dict[str, object]
) -> None:
    root = tmp_path / "p"
    (root / "lib").mkdir(parents=True)
    async with scene(**source) as here:
        await here.started(root, "", "lib")
        for number in range(5):
            here.batches.clear()
            shutil.rmtree(root)
            (root / "lib").mkdir(parents=True)
            await here.until(lambda: "watch_started" in here.doubts())
            await settled(here, lambda: here.hub.health("p") == "events")
            await sees_a_save(here, root / "lib" / f"f{number}")


async def test_a_root_replaced_by_another_directory_is_noticed(
    tmp_path: Path, source: dict[str, object]
) -> None:
    root, other = tmp_path / "p", tmp_path / "other"
    root.mkdir()
    other.mkdir()
    async with scene(**source) as here:
        await here.started(root)
        root.rename(tmp_path / "old")
        other.rename(root)
        await here.until(lambda: here.doubts().count("watch_started") == 2)
        await sees_a_save(here, root / "f")


def run_git(root: Path, *args: str) -> None:
    subprocess.run(
        ["git", "-C", str(root), "-c", "user.name=n", "-c", "user.email=e", *args],
        check=True,
        capture_output=True,
    )


async def test_commits_and_branches_move_the_head(
    tmp_path: Path, source: dict[str, object]
) -> None:
    git = tmp_path / ".git"
    run_git(tmp_path, "init", "-q")
    async with scene(**source) as here:
        here.hub.watch("p", tmp_path, frozenset({""}), (git, git / "refs"))
        await here.until(lambda: "watch_started" in here.doubts())
        for action in (
            ("commit", "-q", "--allow-empty", "-m", "one"),
            ("branch", "feature/deep/one"),
            ("update-ref", "refs/heads/feature/deep/two", "HEAD"),
        ):
            here.batches.clear()
            run_git(tmp_path, *action)
            await here.until(lambda: here.heads() > 0)
        assert not here.paths()


async def test_reads_of_git_do_not_move_the_head(tmp_path: Path, source: dict[str, object]) -> None:
    run_git(tmp_path, "init", "-q")
    git = tmp_path / ".git"
    async with scene(**source) as here:
        here.hub.watch("p", tmp_path, frozenset({""}), (git, git / "refs"))
        await here.until(lambda: "watch_started" in here.doubts())
        here.batches.clear()
        run_git(tmp_path, "ls-files", "-co", "-z")
        (tmp_path / "end").write_text("x")
        await here.sees("end")
        assert here.heads() == 0


async def test_a_burst_is_doubt(tmp_path: Path, source: dict[str, object]) -> None:
    async with scene(**source) as here:
        await here.started(tmp_path)
        for number in range(2_000):
            (tmp_path / str(number)).touch()
        await here.until(lambda: "many_changes" in here.doubts())


async def test_a_name_that_is_not_utf8_restarts_the_stream_and_loses_nothing(
    tmp_path: Path,
) -> None:
    async with scene(**PORTABLE) as here:
        await here.started(tmp_path)
        here.batches.clear()
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe")).touch()
        await here.until(lambda: here.doubts()[-2:] == ["watch_lost", "watch_started"])
        assert here.hub.restarts == 1
        (tmp_path / "good").write_text("x")
        await here.sees("good")


async def test_a_project_that_keeps_ending_the_stream_is_polled_and_spares_the_others(
    tmp_path: Path,
) -> None:
    bad, good = tmp_path / "bad", tmp_path / "good"
    bad.mkdir()
    good.mkdir()
    async with scene(**PORTABLE) as here:
        await here.started(bad, key="bad")
        await here.started(good, key="good")
        for number in range(3):
            Path(os.fsdecode(os.fsencode(bad) + b"/\xff%d" % number)).touch()
            await here.until(lambda n=number: here.doubts("bad").count("watch_lost") > n)  # type: ignore[misc] # bound default
            await settled(here, lambda: here.hub.health("bad") != "starting")
        assert here.hub.health("bad").startswith("polling: file names that are not UTF-8")
        await settled(here, lambda: here.hub.health("good") == "events")
        (good / "f").write_text("x")
        await here.sees("f", key="good")
        here.clock.advance(30)
        await here.until(lambda: here.doubts("bad")[-1] == "polling")


async def test_a_stream_that_keeps_failing_is_reopened_until_it_works(tmp_path: Path) -> None:
    opened: list[list[str]] = []

    class Dead:
        def watch(self, *_: object) -> str:
            raise RuntimeError("the watching thread is gone")

        def close(self) -> None:
            return

    def opener(directories: list[str]) -> watch_stream.Notifier:
        opened.append(directories)
        return Dead() if len(opened) <= 4 else watch_stream.open_notifier(directories)

    async with scene(opener=opener) as here:
        await here.started(tmp_path)
        await settled(here, lambda: len(opened) == 5)
        await settled(here, lambda: here.hub.health("p") == "events")
        (tmp_path / "f").write_text("x")
        await here.sees("f")
        assert here.hub.restarts == 4


async def test_a_silent_stream_is_found_by_the_self_test(tmp_path: Path) -> None:
    class Silent:
        def watch(self, *_: object) -> str:
            return "stop"

        def close(self) -> None:
            return

    opened: list[list[str]] = []

    def opener(directories: list[str]) -> watch_stream.Notifier:
        opened.append(directories)
        return Silent() if len(opened) == 1 else watch_stream.open_notifier(directories)

    root, sentinel = tmp_path / "p", tmp_path / "sentinel"
    root.mkdir()
    sentinel.mkdir()
    async with scene(opener=opener, sentinel=sentinel) as here:
        await here.started(root)
        here.clock.advance(600)
        await settled(here, (sentinel / "beat").exists)

        def is_found() -> bool:
            here.clock.advance(2)
            return "watch_lost" in here.doubts()

        await settled(here, is_found)
        (root / "f").write_text("x")
        await here.until(lambda: here.doubts().count("watch_started") == 2)
        (root / "g").write_text("x")
        await here.sees("g")


async def test_a_resume_from_suspend_is_doubt(tmp_path: Path, source: dict[str, object]) -> None:
    async with scene(**source) as here:
        await here.started(tmp_path)
        here.clock.advance(30, wall=3_600)
        await here.until(lambda: "clock_jumped" in here.doubts())


async def test_an_unwatched_project_is_reported_no_more(
    tmp_path: Path, source: dict[str, object]
) -> None:
    gone, stays = tmp_path / "gone", tmp_path / "stays"
    gone.mkdir()
    stays.mkdir()
    async with scene(**source) as here:
        await here.started(gone, key="gone")
        await here.started(stays, key="stays")
        here.hub.unwatch("gone")
        here.batches.clear()
        (gone / "f").write_text("x")
        (stays / "f").write_text("x")
        await here.sees("f", key="stays")
        assert here.hub.health("gone") == "starting"
        assert [key for key, _ in here.batches] == ["stays"]


LIMITED = """
import asyncio, sys
from pathlib import Path
from tests.integration.test_watch import PORTABLE, scene, settled

async def main(root):
    small, large = root / "small", root / "large"
    names = [f"d{n}" for n in range(40)]
    small.mkdir()
    for name in names:
        (large / name).mkdir(parents=True)
    async with scene(**(PORTABLE if sys.argv[2] == "portable" else {})) as here:
        here.hub.watch("large", large, frozenset(["", *names]), ())
        here.hub.watch("small", small, frozenset([""]), ())
        await settled(here, lambda: here.hub.health("large").startswith("polling"))
        print("health", here.hub.health("large"))
        await settled(here, lambda: here.hub.health("small") != "starting")
        print("health", here.hub.health("small"))
        here.clock.advance(30)
        await here.until(lambda: here.doubts("large").count("polling") > 1)

asyncio.run(main(Path(sys.argv[1])))
"""


def run_limited(tmp_path: Path, setting: str, value: int, source: dict[str, object]) -> list[str]:
    """Run the scene above in a namespace of its own with a low limit."""
    script = f'echo {value} > /proc/sys/user/{setting} && exec "$0" -c \'{LIMITED}\' "$@"'
    name = "portable" if source else "kernel"
    command = ["unshare", "-Ur", "sh", "-c", script, sys.executable, str(tmp_path), name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except FileNotFoundError:
        pytest.skip("unshare is not installed")
    if "unshare" in done.stderr or "Permission denied" in done.stderr:
        pytest.skip(f"no user namespaces here: {done.stderr.strip()[:200]}")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    return [line.removeprefix("health ") for line in lines if line.startswith("health ")]


def test_the_watch_limit_leads_to_polling_of_the_project_that_does_not_fit(
    tmp_path: Path, source: dict[str, object]
) -> None:
    large, small = run_limited(tmp_path, "max_inotify_watches", 25, source)
    assert "fs.inotify.max_user_watches" in large
    assert small == "events"


def test_the_instance_limit_leads_to_polling(tmp_path: Path, source: dict[str, object]) -> None:
    large, small = run_limited(tmp_path, "max_inotify_instances", 0, source)
    assert "fs.inotify.max_user_instances" in large
    assert small.startswith("polling: ")


FROZEN = """
import asyncio, sys
from pathlib import Path
from tests.integration.test_watch import PORTABLE, scene

async def main(root):
    names = sorted(path.name for path in root.iterdir())
    async with scene(**(PORTABLE if sys.argv[2] == "portable" else {})) as here:
        await here.started(root, "", *names)
        here.batches.clear()
        print("ready", flush=True)
        await here.until(lambda: bool(here.doubts()), within_s=15)
        print("doubt", here.doubts()[0], flush=True)

asyncio.run(main(Path(sys.argv[1])))
"""


def test_an_overflow_while_the_process_was_stopped_is_doubt(
    tmp_path: Path, source: dict[str, object]
) -> None:
    name = "portable" if source else "kernel"
    directories = [tmp_path / f"d{number}" for number in range(100)]
    for directory in directories:
        directory.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", FROZEN, str(tmp_path), name], stdout=subprocess.PIPE, text=True
    ) as watcher:
        assert watcher.stdout is not None
        while watcher.stdout.readline() != "ready\n":
            assert watcher.poll() is None
        os.kill(watcher.pid, signal.SIGSTOP)
        for number in range(8_000):
            (directories[number % 100] / str(number)).touch()
        os.kill(watcher.pid, signal.SIGCONT)
        assert "\ndoubt " in "\n" + watcher.stdout.read()


async def test_rapidly_nested_directories_are_all_reported_once_declared(
    tmp_path: Path, source: dict[str, object]
) -> None:
    """Play the session: scan what is reported, declare what was found, until nothing is new."""
    seen: set[str] = set()
    declared = {""}
    async with scene(**source) as here:
        await here.started(tmp_path)

        def scan() -> bool:
            for path in here.paths() | ({""} if here.doubts() else set()):
                for found in [tmp_path / path, *(tmp_path / path).rglob("*")]:
                    relative = str(found.relative_to(tmp_path)).removeprefix(".")
                    (declared if found.is_dir() else seen).add(relative)
            here.batches.clear()
            here.hub.watch("p", tmp_path, frozenset(declared), ())
            return len(seen) == 200

        for number in range(200):
            deep = tmp_path / f"t{number}" / "b" / "c" / "d" / "e" / "f"
            deep.mkdir(parents=True)
            (deep / "file").write_text("x")
        await settled(here, scan)


# ------------------------------------------------------------------------------ being covered


async def test_what_is_covered_is_watched_so_that_whoever_lists_then_misses_nothing(
    tmp_path: Path, source: dict[str, object]
) -> None:
    (tmp_path / "part").mkdir()
    async with scene(**source) as here:
        here.hub.watch("p", tmp_path, frozenset({"", "part"}), ())
        assert await here.hub.covers("p", 4.0)
        assert here.hub.health("p") == "events"
        (tmp_path / "part" / "late.py").write_text("x")
        await here.sees("part/late.py")


async def test_a_directory_that_is_declared_later_is_waited_for_too(
    tmp_path: Path, source: dict[str, object]
) -> None:
    (tmp_path / "part").mkdir()
    async with scene(**source) as here:
        here.hub.watch("p", tmp_path, frozenset({""}), ())
        assert await here.hub.covers("p", 4.0)
        here.hub.watch("p", tmp_path, frozenset({"", "part"}), ())
        assert await here.hub.covers("p", 4.0)
        (tmp_path / "part" / "late.py").write_text("x")
        await here.sees("part/late.py")


async def test_nobody_waits_for_what_will_never_be_watched(tmp_path: Path) -> None:
    async with scene(events=False) as here:
        here.hub.watch("p", tmp_path, frozenset({""}), ())
        assert not await here.hub.covers("p", 60.0)
        assert not await here.hub.covers("nobody", 60.0)


async def test_a_hub_that_does_not_come_to_it_is_not_waited_for_longer_than_that(
    tmp_path: Path,
) -> None:
    here = Scene()  # nobody runs it
    here.hub.watch("p", tmp_path, frozenset({""}), ())
    assert not await here.hub.covers("p", 0.01)

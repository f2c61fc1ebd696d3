"""Outages of what a daemon depends on, drawn at random from a seed, while clients search.

    world = World(daemon, (embedder,), store, down, seed=7)
    async with searching(world, lambda number: f"question {number}") as clients:
        await clients.more(3)
        await world.round(clients)

Whoever searches checks each answer: it is one, and it says what was away while it was made.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import anyio
import httpx

from tests.harness.fake_embedder import FakeEmbedder, status
from tests.harness.proxy import Fault, FaultProxy, Mode

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from tests.harness.daemon import Daemon
    from tests.harness.qdrant_double import QdrantDouble

Heal: TypeAlias = "Callable[[], Awaitable[None]]"

CLIENTS = 3
SEARCHES = (1, 2, 4, 8, 24)
"""After how many answers the next thing happens: up to that and beyond what is retried quickly."""
LATEST_ANSWER_S = 25.0
"""A search that takes longer hangs: its own deadline is far below."""
NO_ANSWER = "vector_store_unavailable"
"""The code of the 503 without the store, where no name of the question is known either."""


class Down:
    """Which parts cannot answer, by name; a part that was down all the time is down in both."""

    def __init__(self) -> None:
        self._since: dict[str, int] = {}
        self._moves = 0

    def begin(self, part: str) -> None:
        """Say that a part cannot answer from now on."""
        self._moves += 1
        self._since[part] = self._moves

    def end(self, part: str) -> None:
        """Say that it may answer again."""
        self._since.pop(part, None)

    def now(self) -> frozenset[tuple[str, int]]:
        """Return the parts that are down, each with which outage that is."""
        return frozenset(self._since.items())


class Embedder:
    """An embedding endpoint behind a proxy."""

    def __init__(self, name: str, server: FakeEmbedder, proxy: FaultProxy, down: Down) -> None:
        self.name, self.server, self.proxy, self._down = name, server, proxy, down

    def outages(self) -> list[tuple[str, Callable[[random.Random], Awaitable[Heal]]]]:
        """Return what may happen to it."""
        return [
            ("is killed", self._killed),
            ("hangs", self._hangs),
            ("answers with errors", self._fails),
            *_of_network(self.name, self.proxy, self._down),
        ]

    async def _killed(self, _: random.Random) -> Heal:
        await self.server.stop()
        self._down.begin(self.name)
        return self._heal(self.server.start)

    async def _hangs(self, _: random.Random) -> Heal:
        self.server.gate.clear()

        async def go_on() -> None:
            self.server.gate.set()

        return self._heal(go_on)

    async def _fails(self, rng: random.Random) -> Heal:
        reply = status(rng.choice((500, 502, 503, 429)))
        self.server.decide = lambda request: reply
        self._down.begin(self.name)

        async def go_on() -> None:
            self.server.decide = None

        return self._heal(go_on)

    def _heal(self, work: Heal) -> Heal:
        async def heal() -> None:
            self._down.end(self.name)
            await work()

        return heal


class ServedStore:
    """A Qdrant server behind a proxy."""

    name = "store"

    def __init__(self, double: QdrantDouble, proxy: FaultProxy, down: Down) -> None:
        self.double, self.proxy, self._down = double, proxy, down

    def outages(self) -> list[tuple[str, Callable[[random.Random], Awaitable[Heal]]]]:
        """Return what may happen to it."""
        return [
            ("answers with errors", self._fails),
            ("loses replies", self._loses_replies),
            *_of_network(self.name, self.proxy, self._down),
        ]

    async def _fails(self, rng: random.Random) -> Heal:
        self.double.refusals = [(rng.choice((500, 502, 503, 429)), "down")] * rng.randint(1, 30)

        async def heal() -> None:
            self.double.refusals = []

        return heal

    async def _loses_replies(self, rng: random.Random) -> Heal:
        self.double.lost_replies = rng.randint(1, 30)

        async def heal() -> None:
            self.double.lost_replies = 0

        return heal


class EmbeddedStore:
    """The store process of the daemon itself."""

    name = "store"

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon

    def outages(self) -> list[tuple[str, Callable[[random.Random], Awaitable[Heal]]]]:
        """Return what may happen to it; being killed is three times as likely."""
        return [*[("is killed", self._killed)] * 3, ("is stopped", self._stopped)]

    def _pid(self) -> int | None:
        try:
            return self._daemon.child_pid("store.edge_child")
        except AssertionError:
            return None  # killed a moment ago, and not started again yet

    async def _killed(self, _: random.Random) -> Heal:
        self._signal(self._pid(), signal.SIGKILL)

        async def heal() -> None:
            pass  # the daemon starts another one

        return heal

    async def _stopped(self, _: random.Random) -> Heal:
        pid = self._pid()
        self._signal(pid, signal.SIGSTOP)

        async def heal() -> None:
            self._signal(pid, signal.SIGCONT)

        return heal

    def _signal(self, pid: int | None, number: signal.Signals) -> None:
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)


def _of_network(
    name: str, proxy: FaultProxy, down: Down
) -> list[tuple[str, Callable[[random.Random], Awaitable[Heal]]]]:
    """Return what may happen to the proxy in front of a part."""

    async def heal() -> None:
        down.end(name)
        proxy.fault = Fault()
        await proxy.drop()

    async def killed(_: random.Random) -> Heal:
        await proxy.stop()
        down.begin(name)

        async def start() -> None:
            down.end(name)
            await proxy.start()

        return start

    def faulty(mode: Mode) -> Callable[[random.Random], Awaitable[Heal]]:
        async def begin(rng: random.Random) -> Heal:
            proxy.fault = Fault(mode, after_bytes=rng.randint(0, 600))
            await proxy.drop()
            if mode is not Mode.CUT:  # a short reply may get through
                down.begin(name)
            return heal

        return begin

    modes = (Mode.REFUSE, Mode.HANG, Mode.CUT, Mode.RESET_AFTER_REQUEST)
    return [
        ("has no network", killed),
        *((f"has a network that does {mode.value!r}", faulty(mode)) for mode in modes),
    ]


@dataclass
class World:
    """A daemon with what it depends on. `log` tells in words what happened, in order."""

    daemon: Daemon
    embedders: Sequence[Embedder]
    store: ServedStore | EmbeddedStore
    down: Down
    seed: int
    log: list[str] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)
    deaths: int = 0
    kills: bool = True
    """Whether the daemon is killed, too."""
    shown: str = ""
    """The file that each answer must have from now on."""
    is_up: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        """Begin the schedule of the seed."""
        self.rng = random.Random(self.seed)  # noqa: S311 - the same schedule in every run

    def tell(self, what: str) -> None:
        """Note what happened, with the seconds since the beginning."""
        self.log.append(f"{time.monotonic() - self.began:6.2f} {what}")

    async def round(self, clients: Clients, meanwhile: Callable[[], None]) -> None:
        """Let one or two things happen at once, for as long as some searches take, and heal.

        `meanwhile` is called while the first of them is away.
        """
        parts: list[Any] = [self.store, *self.embedders]
        heals: list[Heal] = []
        for part in self.rng.sample(parts, self.rng.randint(1, 2)):
            what, begin = self.rng.choice(part.outages())
            self.tell(f"{part.name} {what}")
            heals.append(await begin(self.rng))
            if len(heals) == 1:
                meanwhile()
            await clients.more(self.rng.choice(SEARCHES))
        if self.kills and self.rng.random() < 0.3:
            await self.kill_daemon()
            await clients.more(self.rng.choice(SEARCHES))
        self.rng.shuffle(heals)
        for heal in heals:
            await heal()
            await clients.more(self.rng.choice(SEARCHES))
        self.tell("all healed")

    async def kill_daemon(self) -> None:
        """End the daemon as `kill -9` does, and start it again."""
        self.tell("the daemon is killed")
        self.is_up.clear()
        self.deaths += 1
        self.daemon.kill()
        await self.daemon.start()
        self.is_up.set()


class Clients:
    """Some that ask over and over; `count` is how often they were answered."""

    def __init__(self, world: World, question: Callable[[int], str]) -> None:
        self._world = world
        self._question = question
        self._number = 0
        self._answered = anyio.Condition()
        self.count = 0
        self.by_words = 0

    async def run(self) -> None:
        """Ask until cancelled; an answer that is none fails the test."""
        while True:
            await self._world.is_up.wait()
            self._number += 1
            await self._ask(self._question(self._number))

    async def more(self, times: int) -> None:
        """Return when so many more questions were answered."""
        wanted = self.count + times
        async with self._answered:
            while self.count < wanted:
                await self._answered.wait()

    async def _ask(self, question: str) -> None:
        world = self._world
        deaths, before, shown = world.deaths, world.down.now(), world.shown
        try:
            async with world.daemon.client(LATEST_ANSWER_S) as client:
                reply = await client.post("/v1/search", json={"query": question})
        except httpx.TransportError as error:
            if world.deaths == deaths:
                raise AssertionError(f"{question!r}: {error!r}\n{self.told()}") from error
            return
        away = {part for part, _ in before & world.down.now()}
        self._check(question, reply, away, shown)
        async with self._answered:
            self.count += 1
            self._answered.notify_all()

    def _check(self, question: str, reply: httpx.Response, away: set[str], shown: str) -> None:
        said = f"{question!r}: {reply.status_code} {reply.text[:500]}\n{self.told()}"
        assert "Traceback" not in reply.text, said
        answer = reply.json()
        if reply.status_code != 200:
            assert (reply.status_code, answer["error"]["code"]) == (503, NO_ANSWER), said
            assert not shown, said
            return
        notes, results = " ".join(answer["notes"]), answer["results"]
        self.by_words += "by words only" in notes
        assert not shown or shown in [hit["path"] for hit in results], said
        if results and {one.name for one in self._world.embedders} <= away:
            assert "by words only" in notes, said
        if results and "store" in away:
            assert "vector store" in notes, said

    def told(self) -> str:
        """Return what happened until now."""
        return "\n".join(self._world.log[-12:])


@contextlib.asynccontextmanager
async def searching(world: World, question: Callable[[int], str]) -> AsyncIterator[Clients]:
    """Have clients search during the block."""
    clients = Clients(world, question)
    world.is_up.set()
    async with anyio.create_task_group() as tasks:
        for _ in range(CLIENTS):
            tasks.start_soon(clients.run)
        yield clients
        tasks.cancel_scope.cancel()

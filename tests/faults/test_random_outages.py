"""F: embedder, store, network and daemon fail at random while an index is built and changed.

A schedule is drawn from a seed: what fails, with what, for how many searches, and what is edited
meanwhile. `PAPARATS_TEST_OUTAGES=30` runs thirty schedules of each kind, `7,9` those of the seeds
7 to 9.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from contextlib import asynccontextmanager, closing
from typing import TYPE_CHECKING

import pytest

from paparatsd.clock import SystemClock
from paparatsd.settings import StoreSettings
from paparatsd.store.edge import EdgeStore
from paparatsd.store.reader import CatalogReader
from paparatsd.store.server import ServerStore
from tests.harness import oracle
from tests.harness.daemon import running_daemon
from tests.harness.fake_embedder import FakeEmbedder
from tests.harness.outages import Down, EmbeddedStore, Embedder, ServedStore, World, searching
from tests.harness.proxy import FaultProxy
from tests.harness.qdrant_double import running_double
from tests.harness.repos import Repo, many_modules, python_module

if TYPE_CHECKING:
    import random
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.harness.daemon import Daemon
    from tests.harness.outages import Clients

pytestmark = [pytest.mark.fault, pytest.mark.timeout(180)]

MODULES = 24
SHOWN = "package/part_0/module_7.py"
"""Never edited: each answer has it, once the first index is there."""
ROUNDS = 2 if "PAPARATS_TEST_OUTAGES" in os.environ else 1
"""Of outages during the first index, as many with edits, and during the change of the model."""
HEALED_S = 120.0
QUICK = {
    "PAPARATS_WATCH_POLL_S": "1",
    "PAPARATS_STORE_TIMEOUT_S": "0.4",
    "PAPARATS_SEARCH_DEADLINE_S": "6",
}


def seeds(few: str) -> range:
    """Return the seeds to run: `few`, or what the environment asks for, as "first,last"."""
    asked = os.environ.get("PAPARATS_TEST_OUTAGES", few)
    first, _, last = asked.rpartition(",")
    return range(int(first or 1), int(last) + 1)


@asynccontextmanager
async def embedder(name: str, dimension: int, down: Down) -> AsyncIterator[Embedder]:
    async with (
        FakeEmbedder.serving(dimension) as server,
        FaultProxy.to("127.0.0.1", server.port) as proxy,
    ):
        yield Embedder(name, server, proxy, down)


def choose(daemon: Daemon, chosen: Embedder) -> None:
    """Write the settings that name an embedder."""
    config = daemon.home / "config" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(
        f'[embedder]\nprovider = "openai"\nurl = "{chosen.proxy.url}"\nmodel = "{chosen.name}"\n'
        f"dimension = {chosen.server.dimension}\ntimeout_s = 0.5\nretries = 0\n"
        "batch_texts = 2\nmin_interval_s = 0.03\n"
    )


def edit(repo: Repo, rng: random.Random) -> str:
    """Change something on the disk; returns what."""
    number = rng.randrange(MODULES)
    path = f"package/part_0/module_{number}.py"
    what = rng.choice(("rewrite", "rewrite", "add", "remove", "rename"))
    if path == SHOWN or not (repo.root / path).exists():
        what = "add"
    if what == "add":
        path = f"added/module_{rng.randrange(10_000)}.py"
    if what == "remove":
        repo.remove(path)
    elif what == "rename":
        repo.rename(path, f"moved/module_{number}_{rng.randrange(100)}.py")
    else:
        repo.write(path, python_module(f"edited_{rng.randrange(10_000)}", rng.randint(1, 4)))
    return f"{what} {path}"


async def live(world: World, repo: Repo, clients: Clients, *, edits: bool) -> None:
    """Let things happen, with edits meanwhile where they are wanted."""

    def edit_some() -> None:
        for _ in range(world.rng.randint(1, 4) if edits else 0):
            world.tell(edit(repo, world.rng))

    for _ in range(ROUNDS):
        await world.round(clients, edit_some)


async def suffer(world: World, repo: Repo) -> int:
    """Index, edit and change the model under outages; returns how many searches were answered."""
    daemon, (old, new) = world.daemon, world.embedders
    world.embedders = (old,)
    choose(daemon, old)
    await daemon.start()
    await daemon.add(repo.root, name="p")

    async with searching(world, lambda n: f"what does module_7_function_0 return, {n}") as clients:
        await live(world, repo, clients, edits=False)
        await daemon.settle("p", within_s=HEALED_S)
        world.tell("settled")
        world.shown = SHOWN
        await live(world, repo, clients, edits=True)
        choose(daemon, new)
        world.embedders = (old, new)
        world.tell("another model is chosen")
        await daemon.call("POST", "/v1/reload")
        await live(world, repo, clients, edits=True)
    return clients.count


def is_tidy(daemon: Daemon) -> bool:
    """Say whether all points and shards were deleted that are to be."""
    path = daemon.state / "catalog.sqlite3"
    with closing(sqlite3.connect(path)) as connection, closing(CatalogReader(path)) as reader:
        [[left]] = connection.execute("SELECT count(*) FROM outbox")
        return not left and all(len(reader.shard_versions(one)) for one in reader.shards())


async def healed(world: World) -> None:
    """Wait until all is as if nothing had been."""
    daemon = world.daemon
    await daemon.settle("p", within_s=HEALED_S)
    await daemon.wait_until(
        lambda status: (
            not status["model_changes"]
            and not status["problems"]
            and status["projects"][0]["state"] == "ready"
            and is_tidy(daemon)
        ),
        HEALED_S,
    )
    world.tell("healed")
    answer = await daemon.answer("what does module_7_function_0 return")
    assert answer["results"][0]["path"] == SHOWN
    assert not any("words only" in note or "store" in note for note in answer["notes"])
    await oracle.assert_equal(daemon, "p")
    assert await daemon.stop(60) == 0
    assert "Traceback" not in daemon.log_text()


@asynccontextmanager
async def told(world: World) -> AsyncIterator[None]:
    """Say what happened, and of a failure also what the daemon says; pytest shows it then."""
    try:
        yield
    except BaseException:
        print(world.daemon.log_tail())  # noqa: T201
        with contextlib.suppress(Exception):
            print(await world.daemon.status())  # noqa: T201
        raise
    finally:
        print(f"seed {world.seed}", *world.log, sep="\n")  # noqa: T201


@pytest.mark.parametrize("seed", seeds("4,4"))
async def test_a_served_index_survives_what_fails_at_random(tmp_path: Path, seed: int) -> None:
    repo, down = Repo.create(tmp_path / "p", many_modules(MODULES)), Down()
    with running_double(tmp_path / "double") as double:
        async with (
            embedder("old", 8, down) as old,
            embedder("new", 12, down) as new,
            FaultProxy.to("127.0.0.1", int(double.url.rpartition(":")[2])) as proxy,
            running_daemon({**QUICK, "QDRANT_URL": proxy.url}, start=False) as daemon,
        ):
            store = ServedStore(double, proxy, down)
            world = World(daemon, (old, new), store, down, seed)
            world.kills = seed % 3 == 0  # deletions wait a minute afterwards: see `Presence`
            async with told(world):
                assert await suffer(world, repo) > 0
                await healed(world)

                owner = (daemon.home / "data" / "installation").read_text().strip()
                points = ServerStore(StoreSettings(qdrant_url=double.url), owner, only_reads=True)
                await points.start()
                try:
                    await oracle.assert_points_in(daemon, points, dense=new.server.dimension)
                finally:
                    await points.stop()


@pytest.mark.parametrize("seed", seeds("20,20"))
async def test_an_embedded_index_survives_what_fails_at_random(tmp_path: Path, seed: int) -> None:
    repo, down = Repo.create(tmp_path / "p", many_modules(MODULES)), Down()
    async with (
        embedder("old", 8, down) as old,
        embedder("new", 12, down) as new,
        running_daemon(QUICK, start=False) as daemon,
    ):
        world = World(daemon, (old, new), EmbeddedStore(daemon), down, seed)
        async with told(world):
            assert await suffer(world, repo) > 0
            await healed(world)

            points = EdgeStore(daemon.state / "vectors", clock=SystemClock())
            await points.start()
            try:
                await oracle.assert_points_in(daemon, points, dense=new.server.dimension)
            finally:
                await points.stop()

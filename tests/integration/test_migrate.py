"""Vectors move between the embedded engine and a server: whole, resumable, the old side kept."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import pytest_asyncio

from paparatsd.errors import BadSettings, Broken, Busy, VectorStoreUnavailable
from paparatsd.lock import StateLock
from paparatsd.model import (
    Fingerprint,
    PointBatch,
    RepoId,
    ShardKey,
    SparseVector,
    VersionId,
)
from paparatsd.settings import Places, Settings, StoreSettings
from paparatsd.sharing.migration import migrate
from paparatsd.store.edge import EdgeStore
from paparatsd.store.migrate import move, plan_move
from paparatsd.store.server import ServerStore
from tests.harness.qdrant_double import QdrantDouble, running_double

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

pytestmark = pytest.mark.asyncio(loop_scope="module")

KEY = ShardKey(RepoId("repo"), "code", Fingerprint("e" * 16), 4)
SIZE = 60
EXPECTED = {VersionId(n): 1 + n % 3 for n in range(1, SIZE + 1)}


def batch(versions: dict[VersionId, int], *, dense: bool = True) -> PointBatch:
    """Make points that tell chunks apart: their vectors are made of version and number."""
    rows = [(version, n) for version, count in versions.items() for n in range(count)]
    vectors = np.array([[v, n + 1, 1, 2] for v, n in rows], np.float32)
    return PointBatch(
        versions=tuple(version for version, _ in rows),
        ordinals=tuple(n for _, n in rows),
        kinds=tuple("class" if n else "function" for _, n in rows),
        languages=("python",) * len(rows),
        sparse=tuple(
            SparseVector(np.array([5, 10 + n], np.uint32), np.array([1, v], np.float32))
            for v, n in rows
        ),
        dense=vectors if dense else None,
    )


def flat(batches: list[PointBatch]) -> dict[tuple[int, int], tuple[object, ...]]:
    found: dict[tuple[int, int], tuple[object, ...]] = {}
    for one in batches:
        for row, (version, n) in enumerate(zip(one.versions, one.ordinals, strict=True)):
            dense = None
            if one.dense is not None:
                unit = one.dense[row] / np.linalg.norm(one.dense[row])
                dense = tuple(np.round(unit, 4).tolist())
            terms = one.sparse[row]
            lexical = (tuple(terms.ids.tolist()), tuple(terms.values.tolist()))
            found[version, n] = (one.kinds[row], one.languages[row], lexical, dense)
    return found


@pytest.fixture(scope="module")
def double(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QdrantDouble]:
    with running_double(tmp_path_factory.mktemp("double")) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def server(double: QdrantDouble) -> AsyncIterator[ServerStore]:
    double.forget()
    double.refusals.clear()
    store = ServerStore(StoreSettings(qdrant_url=double.url, timeout_s=2.0), "a" * 16)
    await store.start()
    yield store
    await store.stop()


@pytest_asyncio.fixture(loop_scope="module")
async def edge(tmp_path: Path) -> AsyncIterator[EdgeStore]:
    store = EdgeStore(tmp_path / "vectors")
    await store.start()
    yield store
    await store.stop()


@pytest.mark.parametrize("to", ["server", "edge"])
async def test_everything_arrives_as_it_was(edge: EdgeStore, server: ServerStore, to: str) -> None:
    source, target = (edge, server) if to == "server" else (server, edge)
    await source.upsert(KEY, batch(EXPECTED))

    plan = await plan_move(KEY, EXPECTED, source, target)
    assert len(plan.todo) == SIZE
    assert plan.points == sum(EXPECTED.values())
    await move(plan, EXPECTED, source, target)

    ids = list(EXPECTED)
    assert flat(await target.read(KEY, ids)) == flat([batch(EXPECTED)])
    assert flat(await source.read(KEY, ids)) == flat([batch(EXPECTED)])
    again = await plan_move(KEY, EXPECTED, source, target)
    assert (again.todo, len(again.there), again.lost) == ((), SIZE, ())


async def test_points_without_a_dense_vector_stay_so(edge: EdgeStore, server: ServerStore) -> None:
    some, rest = {VersionId(1): 2}, {VersionId(2): 2}
    await edge.upsert(KEY, batch(some))
    await edge.upsert(KEY, batch(rest, dense=False))
    expected = some | rest

    await move(await plan_move(KEY, expected, edge, server), expected, edge, server)

    arrived = flat(await server.read(KEY, [1, 2]))
    assert arrived == flat([batch(some), batch(rest, dense=False)])


async def test_what_was_interrupted_goes_on_where_it_was(
    double: QdrantDouble, edge: EdgeStore, server: ServerStore
) -> None:
    await edge.upsert(KEY, batch(EXPECTED))
    writes = 0

    def fail(method: str, path: str) -> None:
        nonlocal writes
        writes += method == "PUT" and path.endswith("/points") and "code" in path
        if writes == 2 and not double.refusals:
            double.refusals += [(503, "away")] * 3

    double.on_request = fail
    with pytest.raises(VectorStoreUnavailable):
        await move(await plan_move(KEY, EXPECTED, edge, server), EXPECTED, edge, server)
    double.on_request = lambda method, path: None

    plan = await plan_move(KEY, EXPECTED, edge, server)
    assert plan.there
    assert plan.todo
    await move(plan, EXPECTED, edge, server)
    assert await server.tally(KEY) == dict(EXPECTED)


async def test_a_version_that_is_half_there_is_copied_again(
    edge: EdgeStore, server: ServerStore
) -> None:
    await edge.upsert(KEY, batch(EXPECTED))
    await server.upsert(KEY, batch({VersionId(2): 1}))

    plan = await plan_move(KEY, EXPECTED, edge, server)

    assert VersionId(2) in plan.todo
    await move(plan, EXPECTED, edge, server)
    assert await server.tally(KEY) == dict(EXPECTED)


async def test_what_neither_side_has_whole_is_named_and_the_rest_is_moved(
    edge: EdgeStore, server: ServerStore
) -> None:
    there = {version: n for version, n in EXPECTED.items() if version != 7}
    await edge.upsert(KEY, batch(there))

    plan = await plan_move(KEY, EXPECTED, edge, server)
    await move(plan, EXPECTED, edge, server)

    assert plan.lost == (VersionId(7),)
    assert await server.tally(KEY) == dict(there)


async def test_a_side_that_loses_what_it_acknowledged_is_found_out(
    double: QdrantDouble, edge: EdgeStore, server: ServerStore
) -> None:
    await edge.upsert(KEY, batch(EXPECTED))

    def lose(method: str, path: str) -> None:
        if path.endswith("/points/scroll") and double.names():
            double.forget()

    plan = await plan_move(KEY, EXPECTED, edge, server)
    double.on_request = lose
    try:
        with pytest.raises(Broken, match="run the same command again"):
            await move(plan, EXPECTED, edge, server)
    finally:
        double.on_request = lambda method, path: None
    assert await edge.tally(KEY) == dict(EXPECTED)


# --------------------------------------------------------------------------- the command


def settings_in(path: Path, url: str) -> Settings:
    names = ("config", "state", "cache", "run", "data")
    for name in names:
        (path / name).mkdir()
    places = Places(*(path / name for name in names))
    return Settings(places, store=StoreSettings(qdrant_url=url))


async def test_without_a_server_or_beside_a_daemon_nothing_is_moved(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, "http://127.0.0.1:1")

    with pytest.raises(BadSettings, match="QDRANT_URL"):
        await migrate(replace(settings, store=StoreSettings()), "server")
    with StateLock(settings.places.state), pytest.raises(Busy, match="paparats down"):
        await migrate(settings, "server")

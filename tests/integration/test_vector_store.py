"""One contract for every vector store: the embedded engine, Qdrant on a double and in local mode.

With PAPARATS_TEST_QDRANT_URL set, the same contract runs against that server (it gets and loses
collections named `paparats_test…`).
"""

from __future__ import annotations

import asyncio
import os
import secrets
from typing import TYPE_CHECKING

import numpy as np
import pytest
import pytest_asyncio

from paparatsd.errors import BadReply, Conflict, VectorStoreUnavailable
from paparatsd.model import (
    Fingerprint,
    PointBatch,
    RecallRequest,
    RepoId,
    ShardKey,
    SparseVector,
    VersionFilter,
    VersionId,
)
from paparatsd.settings import StoreSettings
from paparatsd.store.edge import EdgeStore
from paparatsd.store.server import ServerStore, collection_name
from tests.harness.local_qdrant import LocalQdrant
from tests.harness.proxy import Fault, FaultProxy, Mode
from tests.harness.qdrant_double import QdrantDouble, running_double

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence
    from pathlib import Path

    from paparatsd.model import Recalled
    from paparatsd.store.vectors import VectorStore

# One event loop for the module: one store process serves the whole contract.
pytestmark = pytest.mark.asyncio(loop_scope="module")

SIZE = 8
OWNER, OTHER = "a" * 16, "b" * 16
REAL_URL = os.environ.get("PAPARATS_TEST_QDRANT_URL", "")
ALL = VersionFilter(include=False, versions=np.empty(0, np.int64))


def shard(repo: str = "r1", size: int = SIZE, fingerprint: str = "") -> ShardKey:
    return ShardKey(RepoId(repo), "code", Fingerprint(fingerprint or "f" * 16), size)


def sparse(**terms: float) -> SparseVector:
    pairs = sorted((int(key[1:]), value) for key, value in terms.items())
    return SparseVector(
        np.array([pair[0] for pair in pairs], np.uint32),
        np.array([pair[1] for pair in pairs], np.float32),
    )


def one_hot(*axes: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    rows = np.zeros((len(axes), SIZE), np.float32)
    rows[range(len(axes)), axes] = 1.0
    return rows


def points(
    versions: Sequence[int],
    *,
    axes: Sequence[int] | None = None,
    terms: Sequence[SparseVector] | None = None,
    kinds: Sequence[str] | None = None,
) -> PointBatch:
    """One chunk a version, number 0; its dense vector points along its axis."""
    count = len(versions)
    return PointBatch(
        versions=tuple(VersionId(version) for version in versions),
        ordinals=(0,) * count,
        kinds=tuple(kinds or ("function",) * count),
        languages=("python",) * count,
        sparse=tuple(terms or (sparse(t7=1.0),) * count),
        dense=None if axes is None else one_hot(*axes),
    )


async def ask(
    store: VectorStore,
    key: ShardKey,
    *,
    axis: int | None = None,
    terms: SparseVector | None = None,
    chosen: VersionFilter = ALL,
    kinds: frozenset[str] = frozenset(),
    limit: int = 10,
) -> tuple[Recalled | None, Recalled | None]:
    dense = None if axis is None else one_hot(axis)[0]
    [reply] = await store.recall([RecallRequest(key, chosen, dense, terms, limit, kinds)])
    return reply.dense, reply.lexical


async def dense_versions(store: VectorStore, key: ShardKey, axis: int) -> list[int]:
    dense, _ = await ask(store, key, axis=axis)
    assert dense is not None
    return [int(v) for v, score in zip(dense.versions, dense.scores, strict=True) if score > 0.5]


@pytest.fixture(scope="module")
def double(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QdrantDouble]:
    with running_double(tmp_path_factory.mktemp("double"), api_key="key") as running:
        yield running


@pytest.fixture
def server_settings(double: QdrantDouble) -> StoreSettings:
    double.forget()
    double.requests.clear()
    return StoreSettings(qdrant_url=double.url, qdrant_api_key="key", timeout_s=2.0)


@pytest_asyncio.fixture(loop_scope="module")
async def server(server_settings: StoreSettings) -> AsyncIterator[ServerStore]:
    store = ServerStore(server_settings, OWNER)
    await store.start()
    yield store
    await store.stop()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shared_edge(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EdgeStore]:
    store = EdgeStore(tmp_path_factory.mktemp("shared") / "vectors")
    await store.start()
    yield store
    await store.stop()


@pytest_asyncio.fixture(loop_scope="module")
async def edge(tmp_path: Path) -> AsyncIterator[EdgeStore]:
    store = EdgeStore(tmp_path / "vectors")
    await store.start()
    yield store
    await store.stop()


@pytest_asyncio.fixture(loop_scope="module")
async def local() -> AsyncIterator[ServerStore]:
    settings = StoreSettings(qdrant_url="http://memory:6333")
    store = ServerStore(settings, OWNER, make_client=LocalQdrant)
    await store.start()
    yield store
    await store.stop()


@pytest_asyncio.fixture(loop_scope="module")
async def real() -> AsyncIterator[ServerStore]:
    store = ServerStore(
        StoreSettings(
            qdrant_url=REAL_URL,
            qdrant_api_key=os.environ.get("PAPARATS_TEST_QDRANT_API_KEY"),
            suffix="test",
        ),
        secrets.token_hex(8),
    )
    await store.start()
    yield store
    await store.stop()


@pytest.fixture(
    params=[
        pytest.param("shared_edge", id="edge"),
        "server",
        "local",
        pytest.param(
            "real", marks=pytest.mark.skipif(not REAL_URL, reason="PAPARATS_TEST_QDRANT_URL unset")
        ),
    ]
)
def store(request: pytest.FixtureRequest) -> VectorStore:
    found: VectorStore = request.getfixturevalue(request.param)
    return found


@pytest_asyncio.fixture(loop_scope="module")
async def key(store: VectorStore) -> AsyncIterator[ShardKey]:
    chosen = shard(fingerprint=f"test{secrets.token_hex(6)}")
    yield chosen
    await store.drop(chosen)


# --------------------------------------------------------------------------- the contract


async def test_a_shard_that_was_never_written_is_empty(store: VectorStore, key: ShardKey) -> None:
    dense, lexical = await ask(store, key, axis=0, terms=sparse(t7=1.0))

    assert dense is not None
    assert lexical is not None
    assert len(dense.versions) == len(lexical.versions) == 0
    assert await store.count(key) == 0
    assert await store.versions(key) == set()
    await store.delete(key, [VersionId(1)])
    await store.flush(key)


async def test_both_legs_find_the_nearest_first(store: VectorStore, key: ShardKey) -> None:
    big = (1 << 62) + 3
    lexical = [sparse(t7=0.5), sparse(t7=0.9, t4000000000=0.2), sparse(t8=1.0)]
    await store.upsert(key, points([1, big, 3], axes=[0, 1, 2], terms=lexical))

    dense, found = await ask(store, key, axis=1, terms=sparse(t7=2.0, t4000000000=1.0))

    assert dense is not None
    assert found is not None
    assert dense.versions[0] == big
    assert dense.scores[0] == pytest.approx(1.0, abs=1e-3)
    assert found.versions.tolist() == [big, 1]
    assert found.scores.tolist() == pytest.approx([2.0, 1.0], abs=1e-5)
    assert found.versions.dtype == np.int64
    assert found.ordinals.dtype == np.int32


async def test_a_leg_without_a_vector_is_left_out(store: VectorStore, key: ShardKey) -> None:
    await store.upsert(key, points([1], axes=[0]))

    assert (await ask(store, key, axis=0))[1] is None
    assert (await ask(store, key, terms=sparse(t7=1.0)))[0] is None
    _, nothing = await ask(store, key, terms=SparseVector(np.empty(0, "u4"), np.empty(0, "f4")))
    assert nothing is not None
    assert len(nothing.versions) == 0


async def test_filters_by_version_and_kind_hold_inside_recall(
    store: VectorStore, key: ShardKey
) -> None:
    kinds = ["function", "class", "function", "section"]
    await store.upsert(key, points([1, 2, 3, 4], axes=[0, 0, 0, 0], kinds=kinds))

    async def versions(include: bool, chosen: list[int], *kinds: str) -> list[int]:
        wanted = VersionFilter(include, np.array(chosen, np.int64))
        dense, lexical = await ask(
            store, key, axis=0, terms=sparse(t7=1.0), chosen=wanted, kinds=frozenset(kinds)
        )
        assert dense is not None
        assert lexical is not None
        assert dense.versions.tolist() == lexical.versions.tolist()
        return [int(version) for version in dense.versions]

    assert await versions(True, [2, 4, 99]) == [2, 4]
    assert await versions(False, [2, 4, 99]) == [1, 3]
    assert await versions(True, []) == []
    assert await versions(False, []) == [1, 2, 3, 4]
    assert await versions(False, [1], "function") == [3]
    assert await versions(True, [1, 2, 4], "class", "section") == [2, 4]


async def test_ties_come_in_order_of_version(store: VectorStore, key: ShardKey) -> None:
    versions = [9, 3, 7, 1, 5]
    await store.upsert(key, points(versions, axes=[0] * 5))

    dense, _ = await ask(store, key, axis=0, limit=10)

    assert dense is not None
    assert dense.versions.tolist() == [1, 3, 5, 7, 9]


async def test_a_repeated_write_changes_nothing(store: VectorStore, key: ShardKey) -> None:
    batch = points([1, 2], axes=[0, 1])
    await store.upsert(key, batch)
    await store.upsert(key, batch)

    assert await store.count(key) == 2
    assert await dense_versions(store, key, 0) == [1]


async def test_lexical_points_get_dense_vectors_later_and_keep_them(
    store: VectorStore, key: ShardKey
) -> None:
    await store.upsert(key, points([1]))
    assert await dense_versions(store, key, 0) == []

    await store.upsert(key, points([1], axes=[0]))
    await store.upsert(key, points([1]))

    assert await dense_versions(store, key, 0) == [1]
    assert await store.count(key) == 1


async def test_deleted_versions_are_gone(store: VectorStore, key: ShardKey) -> None:
    await store.upsert(key, points([1, 2, 3], axes=[0, 1, 2]))

    await store.delete(key, [VersionId(1), VersionId(3), VersionId(77)])

    assert await store.versions(key) == {2}
    assert await dense_versions(store, key, 0) == []


async def test_repositories_never_see_each_other(store: VectorStore, key: ShardKey) -> None:
    other = ShardKey(RepoId("r2"), key.kind, key.fingerprint, key.dimension)
    await store.upsert(key, points([1], axes=[0]))
    await store.upsert(other, points([2], axes=[0]))

    assert await dense_versions(store, key, 0) == [1]
    await store.drop(key)
    assert await store.count(key) == 0
    assert await dense_versions(store, other, 0) == [2]
    await store.drop(other)


async def test_many_points_are_all_listed(store: VectorStore, key: ShardKey) -> None:
    versions = list(range(1, 701))
    await store.upsert(key, points(versions, axes=[n % SIZE for n in versions]))

    assert await store.versions(key) == set(versions)
    assert await store.count(key) == 700


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0])
async def test_vectors_that_would_spoil_the_index_are_refused(
    store: VectorStore, key: ShardKey, bad: float
) -> None:
    batch = points([1, 2], axes=[0, 1])
    assert batch.dense is not None
    batch.dense[1] = bad

    with pytest.raises(BadReply):
        await store.upsert(key, batch)

    assert await store.count(key) == 0


async def test_a_vector_of_another_size_is_refused(store: VectorStore, key: ShardKey) -> None:
    with pytest.raises(BadReply):
        await store.upsert(
            ShardKey(key.repo, key.kind, key.fingerprint, SIZE * 2), points([1], axes=[0])
        )
    with pytest.raises(BadReply):
        await store.recall([RecallRequest(key, ALL, np.ones(3, np.float32), None, 5)])


# --------------------------------------------------------------------------- the embedded engine


async def test_acknowledged_points_survive_the_end_of_the_child(edge: EdgeStore) -> None:
    await edge.upsert(shard(), points([1, 2], axes=[0, 1]))

    edge.child.kill()

    assert await edge.versions(shard()) == {1, 2}
    assert edge.child.starts == 2


async def test_shards_are_there_after_a_restart_of_the_store(tmp_path: Path) -> None:
    first = EdgeStore(tmp_path)
    await first.start()
    await first.upsert(shard(), points([1], axes=[3]))
    await first.stop()

    second = EdgeStore(tmp_path)
    await second.start()
    try:
        assert await dense_versions(second, shard(), 3) == [1]
    finally:
        await second.stop()


async def test_a_damaged_shard_is_moved_aside_and_reported(tmp_path: Path) -> None:
    first = EdgeStore(tmp_path)
    await first.start()
    await first.upsert(shard(), points([1], axes=[3]))
    await first.upsert(shard("r2"), points([2], axes=[3]))
    await first.stop()
    for name in tmp_path.glob("*/part0000/edge_config.json"):
        if '"r1"' in (name.parent.parent / "shard.json").read_text():
            name.write_bytes(b"\0" * 40)

    second = EdgeStore(tmp_path)
    await second.start()
    try:
        assert await second.versions(shard()) == set()
        assert await second.versions(shard("r2")) == {2}
        assert len(second.problems) == 1
        await second.upsert(shard(), points([1], axes=[3]))
        assert await dense_versions(second, shard(), 3) == [1]
        await second.drop(shard())
        assert not list(tmp_path.glob("damaged-*"))
    finally:
        await second.stop()


async def test_nothing_of_a_dropped_shard_is_on_the_disk(edge: EdgeStore, tmp_path: Path) -> None:
    await edge.upsert(shard(), points([1], axes=[0]))

    await edge.drop(shard())

    assert list((tmp_path / "vectors").iterdir()) == []


async def test_tidying_keeps_every_point_and_answers_meanwhile(edge: EdgeStore) -> None:
    versions = list(range(1, 1_501))
    await edge.upsert(shard(), points(versions, axes=[n % SIZE for n in versions]))
    await edge.delete(shard(), [VersionId(version) for version in range(1, 301)])

    tidying = asyncio.create_task(edge.optimize())
    during = await dense_versions(edge, shard(), 3)
    await tidying

    assert len(during) == 10
    assert await edge.versions(shard()) == set(range(301, 1_501))


async def test_a_store_process_that_cannot_run_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "vectors").write_text("a file where the directory should be")
    store = EdgeStore(tmp_path / "vectors")

    with pytest.raises(VectorStoreUnavailable):
        await store.count(shard())
    await store.stop()


# --------------------------------------------------------------------------- the server


async def test_a_wrong_key_is_refused_with_the_servers_reason(double: QdrantDouble) -> None:
    store = ServerStore(StoreSettings(qdrant_url=double.url, qdrant_api_key="wrong"), OWNER)

    with pytest.raises(VectorStoreUnavailable, match="401"):
        await store.start()
    await store.stop()
    assert "wrong" not in store.describe()


async def test_a_start_while_the_server_is_away_is_a_problem_until_it_answers(
    double: QdrantDouble,
) -> None:
    port = int(double.url.rpartition(":")[2])
    async with FaultProxy.to("127.0.0.1", port) as proxy:
        proxy.fault = Fault(Mode.REFUSE)
        store = ServerStore(StoreSettings(qdrant_url=proxy.url, qdrant_api_key="key"), OWNER)
        async with asyncio.timeout(4):
            await store.start()
        assert "fails to list collections" in store.problems[0]
        with pytest.raises(VectorStoreUnavailable):
            await store.count(shard())

        proxy.fault = Fault()
        assert await store.count(shard()) == 0
        assert store.problems == ()
        await store.stop()


async def test_a_passing_failure_is_tried_again(double: QdrantDouble, server: ServerStore) -> None:
    double.refusals += [(503, "warming up"), (500, "again")]

    await server.upsert(shard(), points([1], axes=[0]))

    assert await server.count(shard()) == 1


async def test_a_lost_acknowledgement_leaves_one_point(
    double: QdrantDouble, server: ServerStore
) -> None:
    await server.upsert(shard(), points([1], axes=[0]))
    double.lost_replies = 1

    await server.upsert(shard(), points([2], axes=[0]))

    assert await server.count(shard()) == 2


async def test_a_refusal_is_not_repeated_and_carries_the_reason(
    double: QdrantDouble, server: ServerStore
) -> None:
    await server.upsert(shard(), points([1], axes=[0]))
    double.requests.clear()
    double.refusals += [(403, "strict mode: write is forbidden")]

    with pytest.raises(VectorStoreUnavailable, match="strict mode"):
        await server.upsert(shard(), points([2], axes=[0]))

    assert len(double.requests) == 1


async def test_a_collection_of_another_size_is_left_alone(
    double: QdrantDouble, server: ServerStore
) -> None:
    await server.upsert(shard(), points([1], axes=[0]))
    other = ServerStore(StoreSettings(qdrant_url=double.url, qdrant_api_key="key"), OTHER)
    await other.start()
    batch = PointBatch(
        (VersionId(5),), (0,), ("block",), ("text",), (sparse(t1=1.0),), np.ones((1, 3), np.float32)
    )

    with pytest.raises(Conflict, match=collection_name(shard())):
        await other.upsert(shard(size=3), batch)
    await other.stop()

    assert await server.versions(shard()) == {1}


async def test_a_collection_deleted_under_us_is_made_again_and_reported(
    double: QdrantDouble, server: ServerStore
) -> None:
    await server.upsert(shard(), points([1], axes=[0]))
    double.forget()

    await server.upsert(shard(), points([2], axes=[0]))

    assert await server.versions(shard()) == {2}
    assert collection_name(shard()) in server.problems[0]


async def test_the_last_repository_takes_the_collection_along(
    double: QdrantDouble, server: ServerStore
) -> None:
    await server.upsert(shard(), points([1], axes=[0]))

    await server.drop(shard())

    assert ("DELETE", f"/collections/{collection_name(shard())}_1") in double.requests
    assert not [name for name in double.names() if name.startswith(collection_name(shard()))]

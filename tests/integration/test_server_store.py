"""The served store alone: installations that share a cluster, faults on the wire, keys, layout."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import pytest_asyncio
from qdrant_client import models

from paparatsd.errors import BadSettings, VectorStoreUnavailable
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
from paparatsd.store.server import ServerStore
from paparatsd.store.server_link import QdrantLink
from paparatsd.store.server_points import owned_point_id
from paparatsd.store.server_relayout import relayout
from tests.harness.proxy import Fault, FaultProxy, Mode
from tests.harness.qdrant_double import QdrantDouble, running_double
from tests.harness.set_clock import SetClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

pytestmark = pytest.mark.asyncio(loop_scope="module")

A, B = "a" * 16, "b" * 16
KEY = ShardKey(RepoId("repo"), "code", Fingerprint("f" * 16), 4)
ALL = VersionFilter(include=False, versions=np.empty(0, np.int64))


def points(*versions: int) -> PointBatch:
    count = len(versions)
    term = SparseVector(np.array([7], np.uint32), np.ones(1, np.float32))
    return PointBatch(
        versions=tuple(map(VersionId, versions)),
        ordinals=(0,) * count,
        kinds=("function",) * count,
        languages=("python",) * count,
        sparse=(term,) * count,
        dense=np.ones((count, 4), np.float32),
    )


async def found(store: ServerStore, limit: int = 10) -> list[int]:
    request = RecallRequest(KEY, ALL, np.ones(4, np.float32), None, limit)
    [reply] = await store.recall([request])
    assert reply.dense is not None
    return [int(version) for version in reply.dense.versions]


@pytest.fixture(scope="module")
def double(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QdrantDouble]:
    path = tmp_path_factory.mktemp("double")
    with running_double(path, api_key="key", read_key="read") as running:
        yield running


@pytest.fixture
def settings(double: QdrantDouble) -> StoreSettings:
    double.forget()
    double.requests.clear()
    double.refusals.clear()
    double.on_request = lambda method, path: None
    return StoreSettings(qdrant_url=double.url, qdrant_api_key="key", timeout_s=2.0)


@pytest_asyncio.fixture(loop_scope="module")
async def a(settings: StoreSettings) -> AsyncIterator[ServerStore]:
    store = ServerStore(settings, A)
    await store.start()
    yield store
    await store.stop()


@pytest_asyncio.fixture(loop_scope="module")
async def b(settings: StoreSettings) -> AsyncIterator[ServerStore]:
    store = ServerStore(settings, B)
    await store.start()
    yield store
    await store.stop()


# --------------------------------------------------------------------------- sharing a cluster


async def test_no_daemon_deletes_what_another_one_shows(a: ServerStore, b: ServerStore) -> None:
    """The same repository at two branches: versions 1 and 2 are on both, 3 and 4 on one each."""
    await a.upsert(KEY, points(1, 2, 3))
    await b.upsert(KEY, points(1, 2, 4))

    await a.delete(KEY, [VersionId(1), VersionId(4)])

    assert await a.versions(KEY) == {2, 3}
    assert await b.versions(KEY) == {1, 2, 4}
    assert sorted(await found(b)) == [1, 2, 4]
    await a.drop(KEY)
    assert await a.count(KEY) == 0
    assert await b.count(KEY) == 3


async def test_a_drop_leaves_the_collection_to_who_may_write_into_it(
    double: QdrantDouble, a: ServerStore, b: ServerStore
) -> None:
    await a.upsert(KEY, points(1))

    await a.drop(KEY)

    assert "paparats_code_ffffffff_1" in double.names()
    await b.upsert(KEY, points(1))
    assert await b.count(KEY) == 1


async def test_teams_have_collections_of_their_own(
    double: QdrantDouble, settings: StoreSettings, a: ServerStore
) -> None:
    other = ServerStore(replace(settings, suffix="ops"), A)
    await other.start()
    await a.upsert(KEY, points(1))
    await other.upsert(KEY, points(2))

    await other.drop(KEY)

    assert await a.versions(KEY) == {1}
    assert "paparats_code_ffffffff_1" in double.names()
    assert "paparats_ops_code_ffffffff_1" not in double.names()
    await other.stop()


async def test_two_daemons_of_one_name_delete_nothing_until_one_has_gone(
    settings: StoreSettings,
) -> None:
    first, twin = ServerStore(settings, A), ServerStore(settings, A)
    await first.start()
    await first.upsert(KEY, points(1))
    await twin.start()

    with pytest.raises(VectorStoreUnavailable, match="deletions on the server wait"):
        await twin.delete(KEY, [VersionId(1)])
    await first.presence.announce(1.0)
    await twin.presence.announce(2.0)
    for store in (first, twin):
        with pytest.raises(VectorStoreUnavailable, match="another daemon"):
            await store.delete(KEY, [VersionId(1)])
        assert "another daemon" in store.problems[0]
    await twin.stop()
    await first.presence.announce(3.0)
    await first.presence.announce(4.0)
    await first.delete(KEY, [VersionId(1)])
    assert await first.count(KEY) == 0
    await first.stop()


async def test_a_lost_acknowledgement_of_the_start_does_not_end_the_wait_for_a_twin(
    double: QdrantDouble, settings: StoreSettings
) -> None:
    first, twin = ServerStore(settings, A), ServerStore(settings, A)
    await first.start()
    await first.upsert(KEY, points(1))

    def lose(method: str, path: str) -> None:
        double.lost_replies = int(method == "PUT" and path.endswith("/points"))

    double.on_request = lose
    await twin.start()
    assert not twin.presence.registered
    double.on_request = lambda method, path: None
    double.lost_replies = 0

    with pytest.raises(VectorStoreUnavailable, match="deletions on the server wait"):
        await twin.delete(KEY, [VersionId(1)])
    assert await first.count(KEY) == 1
    await twin.stop()
    await first.stop()


async def test_an_orderly_restart_deletes_at_once(settings: StoreSettings) -> None:
    first = ServerStore(settings, A)
    await first.start()
    await first.upsert(KEY, points(1))
    await first.stop()
    second = ServerStore(settings, A)
    await second.start()

    await second.delete(KEY, [VersionId(1)])

    assert await second.count(KEY) == 0
    assert [one.owner for one in await second.presence.list()] == [A]
    await second.stop()


async def test_who_only_searches_finds_each_chunk_once_and_writes_nothing(
    settings: StoreSettings, a: ServerStore, b: ServerStore
) -> None:
    await a.upsert(KEY, points(1, 2))
    await b.upsert(KEY, points(2, 3))
    reader = ServerStore(replace(settings, qdrant_api_key="read"), "c" * 16, only_reads=True)
    reader.sources = {KEY.repo: (A, B)}
    await reader.start()

    assert await found(reader) == [1, 2, 3]
    assert await found(reader, limit=2) == [1, 2]
    await reader.delete(KEY, [VersionId(1)])
    await reader.drop(KEY)
    assert await found(reader) == [1, 2, 3]
    with pytest.raises(VectorStoreUnavailable, match="only searches"):
        await reader.upsert(KEY, points(9))
    await reader.stop()


# --------------------------------------------------------------------------- faults


async def test_a_write_whose_answer_is_lost_is_there_once(
    double: QdrantDouble, settings: StoreSettings
) -> None:
    async with FaultProxy.to("127.0.0.1", int(double.url.rpartition(":")[2])) as proxy:
        store = ServerStore(replace(settings, qdrant_url=proxy.url), A)
        await store.start()
        await store.upsert(KEY, points(1))

        def recover(method: str, path: str) -> None:
            if method == "PUT" and path.endswith("/points"):
                proxy.fault = Fault()

        await proxy.drop()
        proxy.fault = Fault(Mode.RESET_AFTER_REQUEST)
        double.on_request = recover
        await store.upsert(KEY, points(2, 3))

        assert await store.tally(KEY) == {1: 1, 2: 1, 3: 1}
        await store.stop()


async def test_what_of_a_write_arrived_before_a_failure_is_there_once_after_a_repetition(
    double: QdrantDouble, a: ServerStore
) -> None:
    many = points(*range(1, 101))
    await a.upsert(KEY, points(1))
    seen = 0

    def fail_later(method: str, path: str) -> None:
        nonlocal seen
        seen += method == "PUT" and path.endswith("/points")
        if seen == 2 and not double.refusals:
            double.refusals += [(503, "away")] * 3

    double.on_request = fail_later
    with pytest.raises(VectorStoreUnavailable, match="503 away"):
        await a.upsert(KEY, many)
    double.on_request = lambda method, path: None
    assert 0 < await a.count(KEY) < 100

    await a.upsert(KEY, many)

    assert await a.tally(KEY) == dict.fromkeys(range(1, 101), 1)
    assert a.problems == ()


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504])
async def test_what_passes_is_tried_again(
    double: QdrantDouble, a: ServerStore, status: int
) -> None:
    await a.upsert(KEY, points(1))
    double.refusals += [(status, "wait")] * 2

    await a.upsert(KEY, points(2))

    assert await a.versions(KEY) == {1, 2}


@pytest.mark.parametrize("operation", ["count", "versions", "recall", "delete", "drop", "tally"])
async def test_a_server_that_fails_is_never_taken_for_an_empty_one(
    double: QdrantDouble, a: ServerStore, operation: str
) -> None:
    await a.upsert(KEY, points(1))
    double.refusals += [(502, "<html>404 page of a proxy</html>")] * 3
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "count": lambda: a.count(KEY),
        "versions": lambda: a.versions(KEY),
        "tally": lambda: a.tally(KEY),
        "recall": lambda: found(a),
        "delete": lambda: a.delete(KEY, [VersionId(1)]),
        "drop": lambda: a.drop(KEY),
    }

    with pytest.raises(VectorStoreUnavailable, match="502"):
        await calls[operation]()

    double.refusals.clear()
    assert await a.count(KEY) == 1


async def test_a_404_of_a_proxy_is_no_missing_collection(
    double: QdrantDouble, a: ServerStore
) -> None:
    await a.upsert(KEY, points(1))
    double.refusals += [(404, "no such route")]

    with pytest.raises(VectorStoreUnavailable, match="404 no such route"):
        await a.versions(KEY)


async def test_two_daemons_may_make_a_collection_at_once(
    double: QdrantDouble, a: ServerStore, b: ServerStore
) -> None:
    await asyncio.gather(a.upsert(KEY, points(1, 2)), b.upsert(KEY, points(2)))

    assert await a.count(KEY) == 2
    assert await b.count(KEY) == 1
    assert [name for name in double.names() if "code" in name] == ["paparats_code_ffffffff_1"]


async def test_a_hanging_server_costs_no_longer_than_its_deadline(
    double: QdrantDouble, settings: StoreSettings
) -> None:
    async with FaultProxy.to("127.0.0.1", int(double.url.rpartition(":")[2])) as proxy:
        store = ServerStore(replace(settings, qdrant_url=proxy.url, timeout_s=0.2), A)
        await store.start()
        await store.upsert(KEY, points(1))
        await proxy.drop()
        proxy.fault = Fault(Mode.HANG)

        async with asyncio.timeout(3):
            with pytest.raises(VectorStoreUnavailable, match=r"no answer within 0\.2 s"):
                await found(store)

        proxy.fault = Fault()
        await proxy.drop()
        assert await found(store) == [1]
        await store.stop()


# --------------------------------------------------------------------------- keys, TLS, layout


async def test_a_key_that_may_only_read_is_named_with_the_way_out(
    settings: StoreSettings, a: ServerStore
) -> None:
    await a.upsert(KEY, points(1))
    store = ServerStore(replace(settings, qdrant_api_key="read"), B)
    await store.start()

    assert any("may read only" in problem for problem in store.problems)
    with pytest.raises(VectorStoreUnavailable, match=r"index\.enabled = false"):
        await store.upsert(KEY, points(2))
    assert await store.count(KEY) == 0
    await store.stop()


async def trusted_by(settings: StoreSettings) -> object:
    """Return what httpx is given to tell whether the server is the one we mean."""
    link = QdrantLink(replace(settings, timeout_s=0.05), SetClock())
    await link.open()
    try:
        return vars(vars(link.client)["_client"])["_rest_args"]["verify"]
    finally:
        await link.close()


async def test_certificates_are_those_that_the_settings_name(settings: StoreSettings) -> None:
    https = replace(settings, qdrant_url="https://127.0.0.1:1")
    missing = replace(https, ca_file="/nowhere/ca.pem")

    assert await trusted_by(https) is True
    assert await trusted_by(replace(https, verify=False)) is False
    with pytest.raises(BadSettings, match=r"store\.ca_file"):
        await trusted_by(missing)
    known = ssl.get_default_verify_paths().cafile
    if known:
        assert isinstance(await trusted_by(replace(https, ca_file=known)), ssl.SSLContext)


async def test_a_collection_is_made_as_the_settings_say(
    double: QdrantDouble, settings: StoreSettings
) -> None:
    chosen = replace(
        settings,
        shards=6,
        replicas=3,
        write_consistency=2,
        vectors_on_disk=True,
        payload_on_disk=False,
        quantization="binary",
    )
    store = ServerStore(chosen, A)
    await store.start()

    await store.upsert(KEY, points(1))

    made = double.layout("paparats_code_ffffffff_1")
    assert made["shard_number"] == 6
    assert made["replication_factor"] == 3
    assert made["write_consistency_factor"] == 2
    assert made["on_disk_payload"] is False
    assert made["vectors"]["dense"]["on_disk"] is True
    assert made["quantization_config"] == {"binary": {"always_ram": True}}
    assert made["hnsw_config"] == {"m": 0, "payload_m": 16}
    await store.stop()


async def test_readers_and_writers_go_by_the_alias(
    double: QdrantDouble, a: ServerStore, settings: StoreSettings
) -> None:
    """A collection of another layout takes the place of the first in one step."""
    await a.upsert(KEY, points(1))
    body = models.CreateCollection.model_validate(double.layout("paparats_code_ffffffff_1"))
    double.make("paparats_code_ffffffff_2", body)

    await a.layout.point(
        "paparats_code_ffffffff", "paparats_code_ffffffff_2", "paparats_code_ffffffff_1"
    )

    assert await a.layout.behind("paparats_code_ffffffff") == "paparats_code_ffffffff_2"
    assert await a.count(KEY) == 0
    await a.upsert(KEY, points(5))
    assert await found(a) == [5]
    assert all(
        not path.startswith(f"/collections/{name}/")
        for _, path in double.requests
        for name in double.names()
        if "code" in name
    )


async def test_a_collection_is_built_anew_beside_the_old_one_with_everybodys_points(
    double: QdrantDouble, settings: StoreSettings, a: ServerStore, b: ServerStore
) -> None:
    await a.upsert(KEY, points(*range(1, 41)))
    await b.upsert(KEY, points(1, 2))
    other = ServerStore(replace(settings, shards=4, quantization="none"), A)
    await other.start()
    late = False

    def write_meanwhile(method: str, path: str) -> None:
        """Another daemon's write comes just before the alias moves."""
        nonlocal late
        if path == "/collections/aliases" and not late:
            late = True
            double.copy("paparats_code_ffffffff_1", 1, owned_point_id(B, 99, 0))

    double.on_request = write_meanwhile
    count = await relayout(other.link, other.layout, "paparats_code_ffffffff")
    double.on_request = lambda method, path: None

    assert count == 43
    assert [name for name in double.names() if "code" in name] == ["paparats_code_ffffffff_2"]
    assert double.layout("paparats_code_ffffffff_2")["shard_number"] == 4
    assert await a.versions(KEY) == set(range(1, 41))
    assert await b.versions(KEY) == {1, 2, 99}
    assert sorted(await found(b)) == [1, 2, 99]
    await a.upsert(KEY, points(50))
    assert await a.count(KEY) == 41
    await other.stop()


async def test_an_interrupted_building_goes_on_and_nobody_notices(
    double: QdrantDouble, a: ServerStore
) -> None:
    await a.upsert(KEY, points(*range(1, 101)))
    writes = 0

    def fail(method: str, path: str) -> None:
        nonlocal writes
        writes += method == "PUT" and path.endswith("_2/points")
        if writes == 2 and not double.refusals:
            double.refusals += [(503, "away")] * 3

    double.on_request = fail
    with pytest.raises(VectorStoreUnavailable):
        await relayout(a.link, a.layout, "paparats_code_ffffffff")
    double.on_request = lambda method, path: None
    assert await a.count(KEY) == 100
    double.requests.clear()

    assert await relayout(a.link, a.layout, "paparats_code_ffffffff") == 100

    copied = [
        path for method, path in double.requests if path.endswith("_2/points") and method == "PUT"
    ]
    assert len(copied) == 3
    assert await a.count(KEY) == 100

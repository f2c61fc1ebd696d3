from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from paparatsd.model import (
    Fingerprint,
    Recalled,
    RecallReply,
    RecallRequest,
    RepoId,
    ShardKey,
    SparseVector,
    VersionFilter,
)
from paparatsd.store.recall_link import RecallClient, RecallServer, make_link

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator, Sequence

KEY = ShardKey(RepoId("r"), "code", Fingerprint("f"), 2)
REPLY = RecallReply(
    dense=Recalled(
        np.array([1 << 62], np.int64), np.array([3], np.int32), np.array([0.5], np.float32)
    ),
    lexical=None,
)


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    pair = make_link()
    yield pair
    for end in pair:
        end.close()


def request(dense: Sequence[float] = (0.6, 0.8), versions: int = 1) -> RecallRequest:
    return RecallRequest(
        shard=KEY,
        filter=VersionFilter(include=False, versions=np.arange(versions, dtype=np.int64)),
        dense=np.array(dense, np.float32),
        sparse=SparseVector(np.array([7, 9], np.uint32), np.array([1.0, 2.0], np.float32)),
        limit=5,
        kinds=frozenset({"class", "function"}),
    )


def test_requests_and_replies_arrive_as_they_were_sent(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    seen: list[RecallRequest] = []

    def recall(requests: Sequence[RecallRequest]) -> list[RecallReply]:
        seen.extend(requests)
        return [REPLY] * len(requests)

    client, server = RecallClient(ends[0]), RecallServer(ends[1], recall)
    sent = request()
    number = client.ask([sent, sent])
    server.take()
    first, second = seen
    assert (first.shard, first.limit, first.kinds) == (sent.shard, sent.limit, sent.kinds)
    assert first.filter.include is sent.filter.include
    np.testing.assert_array_equal(first.filter.versions, sent.filter.versions)
    np.testing.assert_array_equal(first.dense, sent.dense)
    assert first.sparse is not None
    np.testing.assert_array_equal(first.sparse.ids, [7, 9])
    np.testing.assert_array_equal(first.sparse.values, [1.0, 2.0])
    ((answered, replies),) = client.answers()
    assert answered == number
    assert replies is not None
    assert [reply.lexical for reply in replies] == [None, None]
    assert replies[0].dense is not None
    assert replies[0].dense.versions.tolist() == [1 << 62]
    assert replies[0].dense.ordinals.tolist() == [3]
    assert replies[0].dense.scores.tolist() == [0.5]
    assert second.sparse is not None


def test_failure_of_the_store_arrives_as_one(ends: tuple[socket.socket, socket.socket]) -> None:
    client, server = RecallClient(ends[0]), RecallServer(ends[1], lambda _: None)
    number = client.ask([request()])
    server.take()
    assert list(client.answers()) == [(number, None)]


def test_what_is_too_large_or_nonsense_or_beyond_the_queue_does_not_go(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    client = RecallClient(ends[0])
    assert client.ask([request(versions=1_000_000)]) is None
    assert client.ask([request(dense=(np.nan, 0.0))]) is None
    tries = (client.ask([request(versions=20_000)]) for _ in range(10_000))
    assert None in tries


def test_answers_to_a_process_before_are_not_taken_for_ours(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    server = RecallServer(ends[1], lambda requests: [REPLY] * len(requests))
    old = RecallClient(ends[0]).ask([request()])
    client = RecallClient(ends[0])
    number = client.ask([request()])
    server.take()
    assert [one for one, _ in client.answers()] == [old, number]
    assert old != number

"""Recall without the daemon in between: a pair of sockets from the search process to the store.

A short cut only. Whatever cannot go this way, fails, or is not answered soon goes through the
daemon, which knows how to start processes again and what to tell people. The daemon keeps both
ends as long as it lives, so that either process may end and come back; each message is a datagram,
whole or not there at all, and its number tells answers that nobody waits for any more.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pickle
import socket
from typing import TYPE_CHECKING, Any

import numpy as np

from paparatsd.errors import PaparatsError
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
from paparatsd.store.vectors import check_request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

MAX_BYTES = 1 << 20
"""No datagram is larger; the system's own limit is lower as a rule, and then sending fails."""


def make_link() -> tuple[socket.socket, socket.socket]:
    """Return both ends, of which children inherit one each; neither end ever blocks."""
    ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    for end in ends:
        end.setblocking(False)
        # Where the system caps it, larger messages go through the daemon.
        with contextlib.suppress(OSError):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MAX_BYTES)
    return ends


class RecallClient:
    """The search process's end."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._buffer = memoryview(bytearray(MAX_BYTES))
        # Answers to a process before this one must not be taken for ours.
        self._numbers = itertools.count(int.from_bytes(os.urandom(5), "little") << 20)

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        return self._link.fileno()

    def ask(self, requests: Sequence[RecallRequest]) -> int | None:
        """Send requests and return the number their answer will have, None if they cannot go."""
        number = next(self._numbers)
        try:
            for request in requests:
                check_request(request)
            self._link.send(pickle.dumps((number, [_pack_request(one) for one in requests])))
        except (OSError, PaparatsError):  # too large, a full queue, or what the daemon must refuse
            return None
        return number

    def answers(self) -> Iterator[tuple[int, list[RecallReply] | None]]:
        """Yield (number, replies) of what has arrived; None for replies if the store failed."""
        for number, packed in _arrived(self._link, self._buffer):
            replies = None if packed is None else [_unpack_reply(one) for one in packed]
            yield number, replies


class RecallServer:
    """The store's end: answers each message at once. A `Side` of the child's server."""

    def __init__(
        self,
        link: socket.socket,
        recall: Callable[[Sequence[RecallRequest]], list[RecallReply] | None],
    ) -> None:
        """`recall` returns None when the daemon shall ask instead."""
        self._link = link
        self._buffer = memoryview(bytearray(MAX_BYTES))
        self._recall = recall

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        return self._link.fileno()

    def take(self) -> None:
        """Answer what has arrived."""
        for number, packed in _arrived(self._link, self._buffer):
            replies = self._recall([_unpack_request(one) for one in packed])
            answer = None if replies is None else [_pack_reply(one) for one in replies]
            # Nobody reads: then nobody waits either.
            with contextlib.suppress(OSError):
                self._link.send(pickle.dumps((number, answer)))

    def wait_s(self) -> float | None:
        """Return None: nothing here gets overdue."""
        return None

    def expire(self) -> None:
        """Do nothing."""


def _arrived(link: socket.socket, buffer: memoryview) -> Iterator[tuple[int, Any]]:
    while True:
        try:
            size = link.recv_into(buffer)
        except BlockingIOError:
            return
        if not size:
            return
        yield pickle.loads(buffer[:size])


# Tuples of bytes and numbers: pickling our own classes and arrays takes ten times as long.


def _pack_request(request: RecallRequest) -> tuple[Any, ...]:
    key, sparse = request.shard, request.sparse
    return (
        (key.repo, key.kind, key.fingerprint, key.dimension),
        request.filter.include,
        request.filter.versions.astype(np.int64, copy=False).tobytes(),
        None if request.dense is None else request.dense.astype(np.float32, copy=False).tobytes(),
        None if sparse is None else sparse.ids.astype(np.uint32, copy=False).tobytes(),
        None if sparse is None else sparse.values.astype(np.float32, copy=False).tobytes(),
        request.limit,
        tuple(request.kinds),
    )


def _unpack_request(packed: tuple[Any, ...]) -> RecallRequest:
    (repo, kind, fingerprint, dimension), include, versions, dense, ids, values, limit, kinds = (
        packed
    )
    sparse = None
    if ids is not None:
        sparse = SparseVector(np.frombuffer(ids, np.uint32), np.frombuffer(values, np.float32))
    return RecallRequest(
        shard=ShardKey(RepoId(repo), kind, Fingerprint(fingerprint), dimension),
        filter=VersionFilter(include, np.frombuffer(versions, np.int64)),
        dense=None if dense is None else np.frombuffer(dense, np.float32),
        sparse=sparse,
        limit=limit,
        kinds=frozenset(kinds),
    )


def _pack_reply(reply: RecallReply) -> tuple[Any, ...]:
    return _pack_leg(reply.dense), _pack_leg(reply.lexical)


def _pack_leg(leg: Recalled | None) -> tuple[bytes, bytes, bytes] | None:
    if leg is None:
        return None
    return leg.versions.tobytes(), leg.ordinals.tobytes(), leg.scores.tobytes()


def _unpack_reply(packed: tuple[Any, ...]) -> RecallReply:
    dense, lexical = packed
    return RecallReply(_unpack_leg(dense), _unpack_leg(lexical))


def _unpack_leg(packed: tuple[bytes, bytes, bytes] | None) -> Recalled | None:
    if packed is None:
        return None
    versions, ordinals, scores = packed
    return Recalled(
        np.frombuffer(versions, np.int64),
        np.frombuffer(ordinals, np.int32),
        np.frombuffer(scores, np.float32),
    )

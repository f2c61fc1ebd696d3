"""Request heads before the parser, and who has to go when there are too many connections."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from paparatsd.interfaces.connections import Connections
from paparatsd.interfaces.framing import HeadLimits, find_fault

LIMITS = HeadLimits(max_target_bytes=100, max_head_bytes=400, max_headers=5)
GOOD = b"POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n"


def test_a_plain_head_passes_whatever_its_body_holds() -> None:
    assert find_fault(GOOD + b"\n\0\r" + b"x" * 1000, LIMITS) is None


def test_every_beginning_of_a_good_head_passes() -> None:
    assert [cut for cut in range(len(GOOD)) if find_fault(GOOD[:cut], LIMITS)] == []


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /" + b"a" * 100, 414),
        (b"GET / HTTP/1.1\r\nX: " + b"a" * 500, 431),
        (b"GET / HTTP/1.1\r\n" + b"X: a\r\n" * 7, 431),
        (b"GET / HTTP/1.1\nHost: a\n\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\n", 400),
        (b"GET / HTTP/1.1\r\nA: b\rC: d\r\n", 400),
        (b"GET / HTTP/1.1\r\nA: b\r\n c\r\n", 400),
        (b"GET / HTTP/1.1\r\nA: b\r\n\tc\r\n", 400),
        (b"GET / HTTP/1.1\r\nA: b\0\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: 1\r\ncontent-length: 1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nTRANSFER-ENCODING : chunked\r\nContent-Length: 1\r\n\r\n", 400),
    ],
)
def test_a_head_that_two_readers_could_take_differently_is_refused(
    head: bytes, status: int
) -> None:
    fault = find_fault(head, LIMITS)
    assert fault is not None
    assert fault.status == status


@dataclass(eq=False)
class Connection:
    idle: bool = True
    dropped: list[Connection] = field(default_factory=list)

    def drop(self) -> None:
        self.dropped.append(self)


def test_a_flood_of_half_open_connections_pushes_out_its_own_oldest() -> None:
    now = 0.0
    connections = Connections(max_half_open=2, max_established=9, monotonic=lambda: now)
    good = Connection()
    connections.opened(good)
    assert connections.admit(good)
    flood = [Connection() for _ in range(4)]
    for one in flood:
        now += 2.0
        connections.opened(one)
    assert [bool(one.dropped) for one in flood] == [True, True, False, False]
    assert good.dropped == []
    assert len(connections) == 3


def test_clients_that_come_at_once_all_get_their_turn_until_it_is_far_too_many() -> None:
    connections = Connections(max_half_open=2, max_established=9, monotonic=lambda: 0.0)
    crowd = [Connection() for _ in range(9)]
    for one in crowd:
        connections.opened(one)
    assert [bool(one.dropped) for one in crowd] == [True] + [False] * 8


def test_the_longest_idle_connection_makes_room_and_busy_ones_do_not() -> None:
    connections = Connections(max_half_open=9, max_established=2)
    first, second, third, fourth = (Connection() for _ in range(4))
    for one in (first, second):
        connections.opened(one)
        assert connections.admit(one)
    assert connections.admit(first)  # used again: now the second is the longest idle
    connections.opened(third)
    assert connections.admit(third)
    assert (first.dropped, second.dropped) == ([], [second])
    first.idle = third.idle = False
    connections.opened(fourth)
    assert not connections.admit(fourth)
    connections.closed(first)
    assert connections.admit(fourth)

"""What is said to the service manager and taken from it."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadSettings
from paparatsd.systemd import Notifier, listen_sockets, watchdog_interval

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FIRST = 200


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(1)
        yield listening


def test_each_state_is_one_message(manager: socket.socket) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": manager.getsockname()})
    assert notifier.ready("2 projects")
    assert notifier.status("indexing\nREADY=1  3 of 9")
    assert notifier.ping()
    assert notifier.reloading()
    assert notifier.stopping()
    said = [manager.recv(4096).decode() for _ in range(5)]
    assert said[:3] == [
        "READY=1\nSTATUS=2 projects",
        "STATUS=indexing READY=1 3 of 9",
        "WATCHDOG=1",
    ]
    assert said[3].startswith("RELOADING=1\nMONOTONIC_USEC=")
    assert said[4:] == ["STOPPING=1"]


def test_an_abstract_name_is_understood() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        name = f"paparats-test-{os.getpid()}"
        listening.bind(f"\0{name}")
        listening.settimeout(1)
        assert Notifier({"NOTIFY_SOCKET": f"@{name}"}).ping()
        assert listening.recv(100) == b"WATCHDOG=1"


@pytest.mark.parametrize("environment", [{}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "relative"}])
def test_without_a_manager_there_is_nobody_to_tell(environment: dict[str, str]) -> None:
    assert not Notifier(environment).ready()


def test_a_manager_that_does_not_listen_is_no_error(manager: socket.socket) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": manager.getsockname()})
    # Far more than fits into its queue; none of it may block.
    assert all(notifier.ping() for _ in range(2_000))
    assert Notifier({"NOTIFY_SOCKET": "/nowhere/socket"}).ping()


@pytest.mark.parametrize(
    ("environment", "interval"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "60000000"}, 30.0),
        ({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "7"}, 30.0),
        ({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "8"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
    ],
)
def test_the_watchdog_is_fed_twice_in_its_time(
    environment: dict[str, str], interval: float | None
) -> None:
    assert watchdog_interval(environment, pid=7) == interval


@pytest.fixture
def handed_over(tmp_path: Path) -> Iterator[int]:
    """Leave a TCP and a Unix socket at two descriptors in a row, as a manager does."""
    tcp = socket.socket()
    tcp.bind(("127.0.0.1", 0))
    unix = socket.socket(socket.AF_UNIX)
    unix.bind(str(tmp_path / "control"))
    for offset, one in enumerate((tcp, unix)):
        one.listen()
        os.dup2(one.fileno(), FIRST + offset)
        one.close()
    yield FIRST
    for number in (FIRST, FIRST + 1):
        try:
            os.close(number)
        except OSError:
            continue


def variables(**changed: str) -> dict[str, str]:
    return {"LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "http:control"} | changed


def test_sockets_are_taken_and_told_apart(handed_over: int) -> None:
    found = listen_sockets(variables(), pid=7, first=handed_over)
    assert [(one.name, one.is_unix) for one in found] == [("http", False), ("control", True)]
    assert all(not os.get_inheritable(one.socket.fileno()) for one in found)
    for one in found:
        one.socket.close()


def test_sockets_of_another_process_are_left_alone(handed_over: int) -> None:
    assert listen_sockets(variables(), pid=8, first=handed_over) == []
    assert os.fstat(handed_over)


@pytest.mark.parametrize(
    "changed",
    [
        {"LISTEN_FDS": "3"},
        {"LISTEN_FDS": "x"},
        {"LISTEN_FDS": "100000"},
        {"LISTEN_FDS": "3", "LISTEN_FDNAMES": "a:b:c"},
        {"LISTEN_FDS": "3", "LISTEN_FDNAMES": ""},
    ],
)
def test_what_does_not_add_up_is_refused(handed_over: int, changed: dict[str, str]) -> None:
    with pytest.raises(BadSettings):
        listen_sockets(variables(**changed), pid=7, first=handed_over)


def test_a_socket_that_does_not_listen_is_refused() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        os.dup2(other.fileno(), FIRST)
    environment = variables(LISTEN_FDS="1", LISTEN_FDNAMES="")
    with pytest.raises(BadSettings, match="not a listening stream socket"):
        listen_sockets(environment, pid=7, first=FIRST)


def test_without_activation_there_are_none() -> None:
    assert listen_sockets({}) == []

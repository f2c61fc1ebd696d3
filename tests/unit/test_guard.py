"""What the head of a request alone decides, and in which order."""

from __future__ import annotations

from typing import Any

import pytest

from paparatsd.interfaces.guard import Rules, find_refusal, loopback_hosts

TOKEN = "correct-horse-battery-staple"
RULES = Rules(loopback_hosts(9876), frozenset({b"http://console"}), (TOKEN,), max_body_bytes=100)
HOST = (b"host", b"127.0.0.1:9876")
BEARER = (b"authorization", b"Bearer " + TOKEN.encode())


def scope_of(*headers: tuple[bytes, bytes], method: str = "GET", path: bytes = b"/") -> Any:
    return {"method": method, "raw_path": path, "headers": list(headers)}


def code_of(scope: Any, rules: Rules = RULES) -> str | None:
    fault = find_refusal(scope, rules)
    return fault.code if fault is not None else None


def test_three_hosts_of_our_port_and_bare_names_only_on_port_80() -> None:
    assert loopback_hosts(9876) == {b"127.0.0.1:9876", b"localhost:9876", b"[::1]:9876"}
    assert b"localhost" in loopback_hosts(80)
    assert b"localhost:80" in loopback_hosts(80)


def test_a_proper_request_passes() -> None:
    assert code_of(scope_of(HOST, BEARER, (b"content-length", b"100"), method="POST")) is None
    assert code_of(scope_of(HOST, BEARER, (b"origin", b"http://console"))) is None


def test_the_first_reason_in_order_is_given() -> None:
    everything_wrong = [
        (b"origin", b"http://evil"),
        (b"authorization", b"Bearer no"),
        (b"content-length", b"101"),
    ]
    expected = [
        "wrong_host",
        "wrong_origin",
        "unauthorized",
        "bad_method",
        "bad_target",
        "too_large",
    ]
    repairs: list[tuple[bytes, bytes]] = []
    found = [code_of(scope_of(*everything_wrong, method="PUT", path=b"x"))]
    found.append(code_of(scope_of(HOST, *everything_wrong, method="PUT", path=b"x")))
    found.append(code_of(scope_of(HOST, *everything_wrong[1:], method="PUT", path=b"x")))
    repairs = [HOST, BEARER, everything_wrong[2]]
    found.append(code_of(scope_of(*repairs, method="PUT", path=b"x")))
    found.append(code_of(scope_of(*repairs, method="POST", path=b"x")))
    found.append(code_of(scope_of(*repairs, method="POST")))
    assert found == expected


@pytest.mark.parametrize("hosts", [[], [b"127.0.0.1:9876"] * 2, [b"127.0.0.1:9876 "], [b""]])
def test_exactly_one_exact_host(hosts: list[bytes]) -> None:
    assert code_of(scope_of(*((b"host", host) for host in hosts), BEARER)) == "wrong_host"


def test_the_unix_socket_asks_for_neither_host_nor_token() -> None:
    rules = Rules(max_body_bytes=100)
    assert code_of(scope_of((b"host", b"localhost")), rules) is None
    assert code_of(scope_of(), rules) is None
    assert code_of(scope_of((b"origin", b"http://evil")), rules) == "wrong_origin"


def test_the_token_does_not_show_in_the_rules() -> None:
    assert TOKEN not in repr(RULES)

"""Strangers, slow peers and floods at the two listeners (reliability plan, sections H and I)."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import httpx
import pytest
import structlog

from paparatsd.errors import BadSettings, Busy
from paparatsd.interfaces.listen import bind_control, open_sockets
from paparatsd.settings import HttpSettings
from tests.harness.fake_service import FakeService, served, short_directory

if TYPE_CHECKING:
    from collections.abc import Sequence

EVERYWHERE = "0.0.0.0"  # noqa: S104 - what must be refused
TOKEN = "correct-horse-battery-staple"
QUICK = HttpSettings(port=0, header_deadline_s=0.3, body_deadline_s=0.3, write_deadline_s=0.4)


async def raw(port: int, data: bytes, *, within_s: float = 5.0) -> bytes:
    """Send bytes and return everything until the server closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        await writer.drain()
        async with asyncio.timeout(within_s):
            return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


async def let_pass(seconds: float) -> None:
    """Let a deadline of the server pass; nothing else tells when that is."""
    with anyio.move_on_after(seconds):
        await anyio.Event().wait()


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ")[1]) if answer.startswith(b"HTTP/1.1 ") else 0


def request(
    port: int, *headers: str, method: str = "GET", target: str = "/health", host: bool = True
) -> bytes:
    lines = [f"{method} {target} HTTP/1.1"]
    lines += [f"Host: 127.0.0.1:{port}"] if host else []
    lines += [*headers, "Connection: close", "", ""]
    return "\r\n".join(lines).encode("latin-1")


def foreign_hosts(port: int) -> Sequence[str]:
    return [
        "evil.example", f"evil.example:{port}", "127.0.0.1", "localhost", "[::1]", "::1",
        f"127.0.0.1:{port + 1}", f"localhost:{port}@evil.example", f"127.0.0.1:{port}.evil.example",
        f"LOCALHOST:{port}", f"Localhost:{port}", f"localhost.:{port}", f"0.0.0.0:{port}",
        f"0:{port}", f"127.1:{port}", f"2130706433:{port}", f"0x7f000001:{port}",
        f"017700000001:{port}", f"[::ffff:127.0.0.1]:{port}", f"[0:0:0:0:0:0:0:1]:{port}",
        f"[::]:{port}", f"user@127.0.0.1:{port}", f"user:pass@localhost:{port}",
        f"localhost.evil.example:{port}", f"localhost:0{port}", f"localhost:{port}:{port}",
        f"localhost:{port}/", f"http://localhost:{port}", f"localhost:{port},evil.example",
        f"127.0.0.2:{port}", f"127.0.0.1:{port}#", f"localhost:{port}\xe9", f"xn--localhost:{port}",
        f"localhost :{port}", "", f"*:{port}",
    ]  # fmt: skip


async def test_only_the_three_exact_hosts_are_served() -> None:
    async with served() as up:
        for host in (f"127.0.0.1:{up.port}", f"localhost:{up.port}", f"[::1]:{up.port}"):
            answer = await raw(up.port, request(up.port, f"Host: {host}", host=False))
            assert status_of(answer) == 200, host
        accepted = []
        for host in foreign_hosts(up.port):
            answer = await raw(up.port, request(up.port, f"Host: {host}", host=False))
            if status_of(answer) not in (400, 421):
                accepted.append(host)
        assert len(foreign_hosts(up.port)) >= 30
        assert accepted == []


async def test_a_wrong_host_is_refused_before_the_body_is_sent() -> None:
    async with served() as up:
        head = "POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 1000000\r\n\r\n"
        assert status_of(await raw(up.port, head.encode())) == 421


async def test_no_host_two_hosts_and_http_1_0_without_host_are_refused() -> None:
    async with served() as up:
        good = f"Host: 127.0.0.1:{up.port}"
        for lines in (
            ["GET /health HTTP/1.1"],
            ["GET /health HTTP/1.1", good, good],
            ["GET /health HTTP/1.1", good, "Host: evil.example"],
            ["GET /health HTTP/1.0"],
            ["GET http://evil.example/health HTTP/1.1", "Host: evil.example"],
            [f"GET http://127.0.0.1:{up.port}/health HTTP/1.1", good],
        ):
            answer = await raw(up.port, "\r\n".join([*lines, "", ""]).encode())
            assert status_of(answer) in (400, 421), lines


ORIGINS = (
    "http://evil.example", "null", "http://localhost:6666", "http://127.0.0.1:1", "file://",
    "chrome-extension://abcdef", "HTTP://LOCALHOST", "https://localhost", "", "\x7f",
)  # fmt: skip


async def test_every_origin_is_refused_and_no_cors_header_is_ever_sent() -> None:
    async with served() as up:
        own = (f"http://127.0.0.1:{up.port}", f"http://localhost:{up.port}")
        for origin in (*ORIGINS, *own):
            for method in ("GET", "POST", "OPTIONS"):
                data = request(up.port, f"Origin: {origin}", method=method, target="/mcp")
                answer = await raw(up.port, data)
                assert status_of(answer) in (400, 403), (origin, method)
                assert b"access-control" not in answer.lower()


async def test_a_configured_origin_is_accepted_exactly() -> None:
    settings = HttpSettings(port=0, allowed_origins=("http://console.example",))
    async with served(settings) as up:
        for origin, status in (
            ("http://console.example", 200),
            ("http://console.example.evil", 403),
            ("HTTP://console.example", 403),
        ):
            answer = await raw(up.port, request(up.port, f"Origin: {origin}"))
            assert status_of(answer) == status


async def test_every_wrong_token_gets_the_same_401() -> None:
    async with served(HttpSettings(port=0, token=TOKEN)) as up:
        wrong: list[list[str]] = [
            [], ["Authorization: "], ["Authorization: Bearer"], ["Authorization: Bearer wrong"],
            [f"Authorization: Basic {TOKEN}"], [f"Authorization: {TOKEN}"],
            [f"Authorization: Bearer {TOKEN}x"], [f"Authorization: Bearer {TOKEN[:-1]}"],
            [f"Authorization: Bearer {TOKEN.upper()}"], [f"Authorization: Bearer {TOKEN} x"],
            [f"Authorization: Bearer {TOKEN}"] * 2, [f"X-Token: {TOKEN}"],
            [f"Authorization: Bearer\t{TOKEN}"], ["Authorization: Bearer " + "a" * 16_000],
            [f"Proxy-Authorization: Bearer {TOKEN}"],
        ]  # fmt: skip
        answers = {await raw(up.port, request(up.port, *headers)) for headers in wrong}
        query = request(up.port, target=f"/health?token={TOKEN}&access_token={TOKEN}")
        answers.add(await raw(up.port, query))
        assert len(answers) == 1
        assert status_of(answers.pop()) == 401
        right = request(up.port, f"Authorization: bearer {TOKEN}")
        assert status_of(await raw(up.port, right)) == 200


async def test_a_thousand_guesses_make_one_line_in_the_log_and_none_holds_the_token() -> None:
    async with served(HttpSettings(port=0, token=TOKEN)) as up:
        with structlog.testing.capture_logs() as lines:
            for number in range(1_000):
                guess = request(up.port, f"Authorization: Bearer {TOKEN}{number}")
                assert status_of(await raw(up.port, guess)) == 401
            right = request(up.port, f"Authorization: Bearer {TOKEN}")
            assert status_of(await raw(up.port, right)) == 200
        refused = [line for line in lines if line["event"] == "request_refused"]
        assert len(refused) == 1
        assert TOKEN not in str(lines)


async def test_no_byte_in_a_token_makes_a_500() -> None:
    async with served(HttpSettings(port=0, token=TOKEN)) as up:
        for byte in range(256):
            header = b"Authorization: Bearer abc" + bytes([byte]) + b"def"
            head = f"GET /health HTTP/1.1\r\nHost: localhost:{up.port}\r\nConnection: close\r\n"
            answer = await raw(up.port, head.encode() + header + b"\r\n\r\n")
            assert status_of(answer) in (400, 401), byte


@pytest.mark.parametrize("start", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: a\r\nX: "])
async def test_a_peer_that_does_not_finish_its_head_is_closed_in_time(start: bytes) -> None:
    async with served(QUICK) as up:
        answers = await asyncio.gather(*(raw(up.port, start) for _ in range(30)))
        assert {status_of(answer) for answer in answers} <= {0, 408}
        assert (await _get(up.http)).status_code == 200


async def test_one_byte_at_a_time_does_not_extend_the_deadline() -> None:
    async with served(QUICK) as up:
        reader, writer = await asyncio.open_connection("127.0.0.1", up.port)
        began = asyncio.get_running_loop().time()
        answer = asyncio.ensure_future(reader.read())
        for byte in request(up.port):
            if answer.done():
                break
            writer.write(bytes([byte]))
            await asyncio.wait({answer}, timeout=0.02)
        await answer
        assert asyncio.get_running_loop().time() - began < 1.5
        writer.close()


async def test_the_next_head_on_a_kept_connection_has_the_same_deadline() -> None:
    async with served(QUICK) as up:
        reader, writer = await asyncio.open_connection("127.0.0.1", up.port)
        writer.write(f"GET /health HTTP/1.1\r\nHost: localhost:{up.port}\r\n\r\n".encode())
        await reader.readuntil(b"}")
        await let_pass(0.5)  # longer than the header deadline: idle is not slow
        writer.write(b"GET /health HT")
        async with asyncio.timeout(2):
            rest = await reader.read()
        assert b"408" in rest
        writer.close()


@pytest.mark.parametrize(
    ("framing", "body"),
    [
        ("Content-Length: 50", b'{"query": "x"'),
        ("Transfer-Encoding: chunked", b"5\r\n{}   \r\n"),
        ("Transfer-Encoding: chunked", b"zz\r\n"),
        ("Transfer-Encoding: chunked", b""),
    ],
)
async def test_no_handler_starts_on_a_body_that_does_not_arrive(framing: str, body: bytes) -> None:
    async with served(QUICK) as up:
        reader, writer = await asyncio.open_unix_connection(up.control)
        head = f"POST /v1/reindex HTTP/1.1\r\nHost: localhost\r\n{framing}\r\n\r\n"
        writer.write(head.encode() + body)
        async with asyncio.timeout(3):
            answer = await reader.read()
        assert status_of(answer) in (400, 408)
        assert up.service.calls == []
        writer.close()


async def test_a_reader_that_does_not_read_is_cut_at_the_write_deadline() -> None:
    service = FakeService(skipped_files=200_000)
    async with served(QUICK, service=service) as up:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.connect(up.control)
        sock.sendall(b"GET /v1/skipped HTTP/1.1\r\nHost: localhost\r\n\r\n")
        client = httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(uds=up.control))
        async with client, asyncio.timeout(5):
            while "skipped None" not in service.calls:
                await client.get("http://localhost/v1/health")
            await let_pass(0.9)  # twice the write deadline
            received = 0
            sock.setblocking(False)
            try:
                while data := await asyncio.get_running_loop().sock_recv(sock, 1 << 20):
                    received += len(data)
            except ConnectionResetError:
                pass
        sock.close()
        assert received < 8_000_000  # the whole answer is larger


async def test_a_call_is_cancelled_when_its_caller_leaves() -> None:
    async with served() as up:
        _, writer = await asyncio.open_unix_connection(up.control)
        body = json.dumps({"query": "wait"})
        head = f"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write((head + body).encode())
        await up.service.started.wait()
        writer.close()
        with anyio.fail_after(2):
            await up.service.cancelled.wait()


async def _get(url: str) -> httpx.Response:
    async with httpx.AsyncClient() as client:
        return await client.get(url + "/health", timeout=5)


async def test_a_flood_of_silent_connections_does_not_keep_a_good_client_out() -> None:
    async with served(HttpSettings(port=0, header_deadline_s=30)) as up:
        silent = []
        for _ in range(400):
            _, writer = await asyncio.open_connection("127.0.0.1", up.port)
            silent.append(writer)
            if len(silent) % 80 == 0:
                assert (await _get(up.http)).status_code == 200
        for writer in silent:
            writer.close()


async def test_a_hundred_clients_at_once_are_all_answered() -> None:
    async with served() as up:
        answers = await asyncio.gather(*(raw(up.port, request(up.port)) for _ in range(100)))
        assert [status_of(answer) for answer in answers] == [200] * 100


async def test_busy_connections_at_the_cap_refuse_the_newcomer_and_idle_ones_make_room() -> None:
    async with served(HttpSettings(port=0, max_connections=2)) as up:
        kept = []
        for _ in range(3):
            reader, writer = await asyncio.open_connection("127.0.0.1", up.port)
            writer.write(f"GET /health HTTP/1.1\r\nHost: localhost:{up.port}\r\n\r\n".encode())
            await reader.readuntil(b"}}")
            kept.append((reader, writer))
        assert await kept[0][0].read() == b""
        for _, writer in kept:
            writer.close()


async def test_sizes_have_limits_with_their_own_codes() -> None:
    async with served(HttpSettings(port=0, max_body_bytes=10_000)) as up:
        headers = [f"X-{number}: y" for number in range(120)]
        for data, status in (
            (request(up.port, target="/" + "a" * 9_000), 414),
            (request(up.port, "X-Big: " + "a" * 40_000), 431),
            (request(up.port, *headers), 431),
            (request(up.port, "Content-Length: 10001", method="POST", target="/mcp"), 413),
            (request(up.port, "Content-Length: 99999999999999", method="POST"), 413),
            (request(up.port, "Content-Length: " + "9" * 6_000, method="POST"), 400),
            (request(up.port, "Content-Length: abc", method="POST"), 400),
            (request(up.port, "Content-Length: -1", method="POST"), 400),
        ):
            assert status_of(await raw(up.port, data)) == status, data[:60]
        chunk = b"2000\r\n" + b"a" * 8192 + b"\r\n"
        head = request(up.port, "Transfer-Encoding: chunked", method="POST", target="/mcp")
        assert status_of(await raw(up.port, head + chunk * 3 + b"0\r\n\r\n")) == 413


async def test_a_refused_upload_is_still_told_why() -> None:
    async with served(HttpSettings(port=0, max_body_bytes=10_000)) as up:
        head = request(up.port, "Content-Length: 3000000", method="POST", target="/mcp")
        assert status_of(await raw(up.port, head + b"a" * 3_000_000)) == 413


@pytest.mark.parametrize(
    "lines",
    [
        ["Content-Length: 4", "Transfer-Encoding: chunked"],
        ["Transfer-Encoding: chunked", "Content-Length: 4"],
        ["Content-Length: 4", "Content-Length: 5"],
        ["Content-Length: 4", "Content-Length: 4"],
        ["Content-Length: 4, 5"],
        ["Transfer-Encoding: chunked, gzip"],
        ["Transfer-Encoding: xchunked"],
        ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
        ["Content-Length : 4"],
        ["X: a", " folded: b"],
        ["X: a\nContent-Length: 4"],
        ["X: a\rY: b"],
        ["X: a\0b"],
    ],
)
async def test_a_request_with_two_readings_is_refused_and_closed(lines: list[str]) -> None:
    async with served() as up:
        data = request(up.port, *lines, method="POST", target="/mcp").replace(
            b"Connection: close\r\n", b""
        )
        answer = await raw(up.port, data + b"GET ")
        assert status_of(answer) in (400, 501)
        assert answer.count(b"HTTP/1.1") == 1


async def test_pipelined_requests_are_answered_in_order_one_by_one() -> None:
    async with served() as up:
        one = f"GET /health HTTP/1.1\r\nHost: localhost:{up.port}\r\n\r\n".encode()
        answer = await raw(up.port, one + one + request(up.port, target="/nothing"))
        assert [int(part[:3]) for part in answer.split(b"HTTP/1.1 ")[1:]] == [200, 200, 404]


async def test_methods_and_content_types_a_web_form_can_send_do_nothing() -> None:
    async with served() as up:
        for method in ("OPTIONS", "TRACE", "PUT", "PATCH", "CONNECT", "FOO"):
            answer = await raw(up.port, request(up.port, method=method, target="/mcp"))
            assert status_of(answer) in (400, 405), method
        for kind in ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data"):
            body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_project"'
            body += ',"arguments":{"project":"marmots"}}}'
            data = request(
                up.port,
                f"Content-Type: {kind}",
                f"Content-Length: {len(body)}",
                "Accept: application/json, text/event-stream",
                method="POST",
                target="/mcp",
            )
            assert status_of(await raw(up.port, data + body.encode())) in (400, 415)
        assert up.service.removed == []


@pytest.mark.parametrize(
    "data",
    [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20],
)
async def test_other_protocols_are_refused(data: bytes) -> None:
    async with served() as up:
        assert status_of(await raw(up.port, data)) in (400, 505)


async def test_forwarded_headers_and_upgrade_are_ignored() -> None:
    async with served() as up:
        data = request(
            up.port,
            "X-Forwarded-Host: evil.example",
            "Upgrade: websocket",
            "Forwarded: for=1.2.3.4",
        )
        assert status_of(await raw(up.port, data)) == 200
        answer = await raw(up.port, request(up.port, "X-Forwarded-Host: a", target="/mcp/"))
        assert status_of(answer) == 404
        assert b"location" not in answer.lower()


async def test_the_control_api_is_not_on_tcp() -> None:
    async with served() as up:
        for target in ("/v1/status", "/v1/stop", "/v1/projects", "//v1/status", "/%2e/v1/status"):
            for method in ("GET", "POST", "DELETE"):
                answer = await raw(up.port, request(up.port, method=method, target=target))
                assert status_of(answer) in (404, 405)
        assert up.service.calls == []


# --------------------------------------------------------------------------- the Unix socket


async def test_another_user_is_closed_before_a_byte_is_parsed() -> None:
    async with served(expected_uid=os.geteuid() + 1) as up:
        with structlog.testing.capture_logs() as lines:
            for _ in range(20):
                reader, writer = await asyncio.open_unix_connection(up.control)
                assert await reader.read() == b""  # closed although nothing was sent
                writer.close()
        assert [line["reason"] for line in lines if line["log_level"] == "warning"] == [
            "foreign_user"
        ]
        assert (await _get(up.http)).status_code == 200


async def test_the_socket_is_for_its_owner_from_the_first_instant() -> None:
    before = os.umask(0)
    try:
        async with served() as up:
            path = Path(up.control)
            assert stat.S_IMODE(path.lstat().st_mode) == 0o600
            assert stat.S_IMODE(path.parent.lstat().st_mode) == 0o700
        assert os.umask(0) == 0
    finally:
        os.umask(before)


def test_a_wide_runtime_directory_is_narrowed() -> None:
    with short_directory() as directory:
        directory.chmod(0o755)
        bind_control(directory / "c.sock").close()
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_nothing_foreign_is_removed_from_the_socket_path() -> None:
    with short_directory() as directory:
        file, folder, link = directory / "file", directory / "folder", directory / "link"
        file.write_text("precious")
        folder.mkdir()
        link.symlink_to(file)
        dangling = directory / "dangling"
        dangling.symlink_to(directory / "nowhere")
        os.mkfifo(directory / "fifo")
        for path in (file, folder, link, dangling, directory / "fifo"):
            with pytest.raises(BadSettings, match="not a socket of ours"):
                bind_control(path)
        assert file.read_text() == "precious"
        assert folder.is_dir()
        assert link.is_symlink()
        assert dangling.is_symlink()


def test_a_live_socket_is_left_and_a_dead_one_replaced() -> None:
    with short_directory() as directory:
        path = directory / "c.sock"
        live = bind_control(path)
        with pytest.raises(Busy, match="answers"):
            bind_control(path)
        live.close()  # like kill -9: the file stays
        assert path.exists()
        bind_control(path).close()


async def test_stopping_removes_only_the_socket_we_made() -> None:
    with short_directory() as directory:
        path = directory / "c.sock"
        async with served(control_path=path):
            path.unlink()
            path.write_text("somebody else's")
        assert path.read_text() == "somebody else's"


async def test_a_taken_port_is_busy_with_advice() -> None:
    async with served() as up:
        with short_directory() as directory, pytest.raises(Busy, match="PAPARATS_PORT"):
            open_sockets("127.0.0.1", up.port, directory / "c.sock", ())


@pytest.mark.parametrize("host", [EVERYWHERE, "::", "192.168.1.1", "example.com", ""])
def test_only_loopback_is_bound(host: str) -> None:
    with short_directory() as directory, pytest.raises(BadSettings, match="loopback"):
        open_sockets(host, 0, directory / "c.sock", ())


async def test_inherited_sockets_are_used_and_queued_requests_answered() -> None:
    with short_directory() as directory:
        tcp = socket.create_server(("127.0.0.1", 0))
        unix = socket.socket(socket.AF_UNIX)
        unix.bind(str(directory / "given.sock"))
        unix.listen()
        port = tcp.getsockname()[1]
        early = socket.create_connection(("127.0.0.1", port))
        early.sendall(request(port))
        async with served(inherited=(tcp, unix)) as up:
            assert (up.port, up.control) == (port, str(directory / "given.sock"))
            early.setblocking(False)
            answer = await asyncio.get_running_loop().sock_recv(early, 4096)
            assert status_of(answer) == 200
        early.close()
        assert (directory / "given.sock").exists()  # it is systemd's


def test_an_inherited_socket_that_is_wide_or_does_not_listen_is_refused() -> None:
    with (
        socket.create_server((EVERYWHERE, 0)) as wide,
        socket.socket() as idle,
        short_directory() as directory,
    ):
        with pytest.raises(BadSettings, match="loopback"):
            open_sockets("127.0.0.1", 0, directory / "c.sock", (wide,))
        with pytest.raises(BadSettings, match="listening"):
            open_sockets("127.0.0.1", 0, directory / "c.sock", (idle,))


@pytest.mark.parametrize(
    "data", [b"GET /v1/sta", b"\0\xff garbage\r\n\r\n", b"a" * 100_000, b"{}\r\n{}\r\n\r\n"]
)
async def test_garbage_on_the_socket_is_refused_while_others_are_served(data: bytes) -> None:
    async with served(QUICK) as up:
        reader, writer = await asyncio.open_unix_connection(up.control)
        writer.write(data)
        client = httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(uds=up.control))
        async with client:
            good = await client.get("http://localhost/v1/health")
        async with asyncio.timeout(3):
            answer = await reader.read()
        assert status_of(answer) in (0, 400, 408, 414, 431)
        assert good.status_code == 200
        writer.close()


async def test_stopping_ends_streams_at_once_and_lets_answers_finish() -> None:
    async with served() as up:
        stream, stream_writer = await asyncio.open_unix_connection(up.control)
        stream_writer.write(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await stream.readuntil(b"connected")
        reader, writer = await asyncio.open_unix_connection(up.control)
        body = b'{"query": "wait"}'
        writer.write(
            b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 17\r\n\r\n" + body
        )
        await up.service.started.wait()
        up.stop.set()
        async with asyncio.timeout(1):
            await stream.read()
        up.service.release.set()
        async with asyncio.timeout(2):
            answer = await reader.read()
        assert status_of(answer) == 200
        stream_writer.close()
        writer.close()


def open_descriptors() -> int:
    return len(os.listdir("/dev/fd"))  # noqa: PTH208 - counts, and Path would open one more


async def test_peers_that_leave_in_every_phase_leave_nothing_behind() -> None:
    async with served() as up:
        await _get(up.http)
        # One more: the SDK's stream library starts one watcher a process, which stays.
        descriptors, tasks = open_descriptors(), len(asyncio.all_tasks()) + 1
        wait = json.dumps(call_of("search_code", query="wait")).encode()
        head = request(
            up.port, f"Content-Length: {len(wait)}", "Content-Type: application/json",
            "Accept: application/json, text/event-stream", "Mcp-Protocol-Version: 2025-06-18",
            method="POST", target="/mcp",
        )  # fmt: skip
        sse = request(up.port, target="/sse")
        for data in (b"", b"GET /he", head, head + wait[:10], head + wait, sse, request(up.port)):
            for _ in range(20):
                _, writer = await asyncio.open_connection("127.0.0.1", up.port)
                writer.write(data)
                await writer.drain()
                writer.transport.abort()
        up.service.release.set()
        async with asyncio.timeout(5):
            while (len(asyncio.all_tasks()), open_descriptors()) > (tasks, descriptors):
                await _get(up.http)
        assert open_descriptors() <= descriptors


def call_of(name: str, **arguments: object) -> dict[str, object]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}

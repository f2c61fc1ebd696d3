"""The stdio bridge as a process, and the control client, against the real listeners."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import pytest
from mcp import Client, StdioServerParameters

from paparatsd import __version__
from paparatsd.errors import Conflict, Refused, Unavailable, UnknownProject
from paparatsd.interfaces import client as client_module
from paparatsd.interfaces.client import Client as ControlClient
from paparatsd.interfaces.lines import MAX_LINE_BYTES, read_lines
from paparatsd.interfaces.listen import bind_control
from paparatsd.interfaces.mcp.coding import CODING
from tests.harness.fake_service import FakeService, served, short_directory
from tests.harness.watch_and_cancel import watch_and_cancel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

BRIDGE = (
    "import sys; from pathlib import Path; from paparatsd.interfaces.stdio import run_bridge;"
    "started = Path(sys.argv[2]);"
    "run_bridge(sys.argv[1], sys.stdin.buffer, sys.stdout.buffer,"
    " start=started.touch if len(sys.argv) > 2 and sys.argv[2] != '-' else None)"
)
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}


def arguments(control: str | Path, started: str | Path = "-") -> list[str]:
    return ["-c", BRIDGE, str(control), str(started)]


class Pipe:
    """A bridge process and its two ends."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    def send(self, message: dict[str, Any] | bytes) -> None:
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(data + b"\n")

    async def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        async with asyncio.timeout(10):
            message: dict[str, Any] = json.loads(await self.process.stdout.readline())
        return message

    async def ask(self, request_id: int, method: str, **params: Any) -> dict[str, Any]:
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        return await self.receive()


@asynccontextmanager
async def bridge(control: str | Path, started: str | Path = "-") -> AsyncIterator[Pipe]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments(control, started),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE, limit=1 << 20,
    )  # fmt: skip
    try:
        yield Pipe(process)
    finally:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        async with asyncio.timeout(10):
            await process.wait()
            await process.stdout.read()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_sdk_client_works_over_the_bridge(mode: Any) -> None:
    async with served() as up:
        parameters = StdioServerParameters(command=sys.executable, args=arguments(up.control))
        async with Client(parameters, mode=mode) as client:
            assert len((await client.list_tools()).tools) == len(CODING)
            found = await client.call_tool("search_code", {"query": "dig ü"})
            assert len(found.structured_content["results"]) == 5
            await watch_and_cancel(client, up)


async def test_the_bridge_survives_a_restart_of_the_daemon_unseen() -> None:
    with short_directory() as directory:
        path = directory / "control.sock"
        async with bridge(path) as pipe:
            async with served(control_path=path):
                answer = await pipe.ask(1, "initialize", **HELLO)
                assert answer["result"]["serverInfo"]["version"] == __version__
                pipe.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
                assert len((await pipe.ask(2, "tools/list"))["result"]["tools"]) == len(CODING)
            refused = await pipe.ask(3, "tools/list")
            assert "paparats up" in refused["error"]["message"]
            async with served(control_path=path) as up:
                found = await pipe.ask(
                    4, "tools/call", name="search_code", arguments={"query": "x"}
                )
                assert found["result"]["isError"] is False
                # A new session: so cancelling works again, too.
                pipe.send(
                    {"jsonrpc": "2.0", "id": 5, "method": "tools/call",
                     "params": {"name": "search_code", "arguments": {"query": "wait"}}}
                )  # fmt: skip
                await up.service.started.wait()
                pipe.send(
                    {"jsonrpc": "2.0", "method": "notifications/cancelled",
                     "params": {"requestId": 5}}
                )  # fmt: skip
                with anyio.fail_after(5):
                    await up.service.cancelled.wait()


async def test_initialize_is_answered_within_a_second_while_the_daemon_starts() -> None:
    with short_directory() as directory:
        path, started = directory / "control.sock", directory / "started"
        async with bridge(path, started) as pipe:
            answer = await pipe.ask(1, "initialize", **HELLO)
            assert started.exists()
            assert answer["result"]["protocolVersion"] == "2025-06-18"
            assert "MUST call search_code" in answer["result"]["instructions"]
            pipe.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            pipe.send({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
            async with served(control_path=path):
                assert len((await pipe.receive())["result"]["tools"]) == len(CODING)


async def test_the_own_answer_to_initialize_equals_that_of_the_server() -> None:
    with short_directory() as directory:
        path, started = directory / "control.sock", directory / "started"
        async with bridge(path, started) as early:
            guessed = await early.ask(1, "initialize", **HELLO)
            async with served(control_path=path), bridge(path) as late:
                assert guessed == await late.ask(1, "initialize", **HELLO)


async def test_only_json_rpc_comes_out_whatever_goes_in() -> None:
    async with served() as up, bridge(up.control) as pipe:
        await pipe.ask(1, "initialize", **HELLO)
        for line, code in (
            (b"not json", -32700),
            (b"[]", -32700),
            (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
            (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', None),
            (b'{"jsonrpc":"2.0","id":7,"method":"no/such"}', -32601),
            (b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"nope"}}', -32602),
            (b'{"x":"' + b"a" * (9 << 20) + b'"}', -32600),
        ):
            pipe.send(line)
            answer = await pipe.receive()
            assert answer["jsonrpc"] == "2.0"
            assert code in (None, answer["error"]["code"])
        pipe.send(b"")
        pipe.send({"jsonrpc": "2.0", "id": 9, "method": "ping"})
        assert await pipe.receive() == {"jsonrpc": "2.0", "id": 9, "result": {}}


async def test_a_client_that_never_reads_what_is_said_beside_is_answered() -> None:
    async with served() as up, bridge(up.control) as pipe:
        await pipe.ask(1, "initialize", **HELLO)
        pipe.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        for number in range(2, 42):
            wrong = {"name": "search_code", "arguments": {"surprise": "x" * 3_000}}
            answer = await pipe.ask(number, "tools/call", **wrong)
            assert answer["result"]["isError"]
        assert pipe.process.stderr is not None
        assert pipe.process.stdin is not None
        pipe.process.stdin.close()
        async with asyncio.timeout(10):
            assert await pipe.process.stderr.read() == b""


async def test_requests_piped_in_are_answered_before_the_bridge_ends() -> None:
    async with served() as up:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *arguments(up.control),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        lines = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}]
        lines += [{"jsonrpc": "2.0", "id": n, "method": "tools/list"} for n in range(2, 30)]
        out, err = await process.communicate(
            b"".join(json.dumps(x).encode() + b"\n" for x in lines)
        )
        answers = [json.loads(line) for line in out.splitlines()]
        assert sorted(answer["id"] for answer in answers) == list(range(1, 30))
        assert all("result" in answer for answer in answers)
        assert (process.returncode, err) == (0, b"")


@pytest.mark.parametrize("said", [b"", b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"half'])
async def test_an_interrupt_ends_the_bridge_quietly_while_its_input_is_open(
    said: bytes,
) -> None:
    async with AsyncExitStack() as stack:
        directory = stack.enter_context(short_directory())
        command = ["-m", "paparatsd.interfaces.cli.main", "--runtime-dir", str(directory)]
        await stack.enter_async_context(served(control_path=directory / "control.sock"))
        process = await asyncio.create_subprocess_exec(
            sys.executable, *command, "mcp",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        pipe = Pipe(process)
        # An answer says that the bridge reads, and waits for more, when the signal comes.
        assert (await pipe.ask(0, "ping"))["id"] == 0
        if said:
            assert process.stdin is not None
            process.stdin.write(said)
            assert (await pipe.receive())["id"] == 1
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(10):
            code = await process.wait()
        assert process.stderr is not None
        assert (code, await process.stderr.read()) == (130, b"")


@pytest.mark.parametrize("blocking", [True, False])
def test_lines_are_read_whole_and_an_endless_one_is_cut(blocking: bool) -> None:
    reader, writer = os.pipe()
    os.set_blocking(reader, blocking)
    sent = [b"one\n", b"\n", b"x" * 200_000 + b"\n", b"y" * (MAX_LINE_BYTES * 2) + b"\n", b"end"]

    def write() -> None:
        with os.fdopen(writer, "wb") as out:
            out.writelines(sent)

    thread = threading.Thread(target=write)
    thread.start()
    got = list(read_lines(reader))
    thread.join()
    os.close(reader)
    assert got[:3] == sent[:3]
    assert MAX_LINE_BYTES < len(got[3]) < MAX_LINE_BYTES + 10
    assert got[4:] == [b"end", b""]


# --------------------------------------------------------------------------- the control client


async def call(function: Any, *args: Any, **options: Any) -> Any:
    return await anyio.to_thread.run_sync(lambda: function(*args, **options))


async def test_the_control_client_makes_every_call() -> None:
    async with served() as up:
        client = ControlClient(up.control)
        assert (await call(client.health))["status"] == "ok"
        project = (await call(client.status))["projects"][0]
        assert (project["name"], project["state"], project["files"]) == ("marmots", "ready", 3)
        assert len(await call(client.projects, "alps")) == 1
        assert await call(client.projects, "andes") == []
        added = await call(client.add_project, "/a/ü b", name="yaks", hooks=False)
        assert added["name"] == "yaks"
        assert (await call(client.remove_project, "marmots")) == {"removed": "marmots"}
        assert (await call(client.reindex, depth="full"))["depth"] == "full"
        assert (await call(client.flush, "marmots"))["freshness"][0]["state"] == "verified"
        assert (await call(client.skipped))["marmots"][0]["reason"] == "binary"
        found = await call(client.search, "dig", limit=3, kinds=["method"], fresh=True)
        assert [hit["path"] for hit in found["results"]] == [f"src/burrow{n}.py" for n in range(3)]
        shown = await call(client.show, "marmots:src/burrow3.py#Burrow.dig", 5)
        assert shown["target"]["start_line"] == 31
        past = await call(client.log, "marmots:src/burrow3.py#Burrow.dig", 2)
        assert [one["role"] for one in past["commits"]] == ["author", "carrier"]
        commits = await call(client.commits, "depth", since="2026-01-01", limit=3)
        assert [one["commit"]["subject"] for one in commits["commits"]] == ["Limit the depth"]
        assert len((await call(client.explain, "dig", commits=2))["timeline"]) == 2
        for verb in ("install", "uninstall", "status"):
            assert (await call(client.hooks, verb, "/a b"))["state"] == "installed"
        assert await call(client.reload) == []
        assert (await call(client.stop)) == {"stopping": True}
        assert up.service.calls == [
            "add /a/ü b yaks None False", "reindex None full", "flush marmots", "skipped None",
            "hooks install /a b", "hooks uninstall /a b", "hooks status /a b", "stop",
        ]  # fmt: skip
        assert client.daemon_version == __version__
        assert client.version_note() is None


async def test_refusals_come_back_as_their_own_class() -> None:
    async with served() as up:
        client = ControlClient(up.control)
        with pytest.raises(Conflict, match="taken"):
            await call(client.add_project, "/a", name="marmots")
        with pytest.raises(UnknownProject, match="yaks"):
            await call(client.remove_project, "yaks")


async def test_a_large_reply_arrives_whole() -> None:
    async with served(service=FakeService(skipped_files=30_000)) as up:
        skipped = await call(ControlClient(up.control).skipped)
        assert len(skipped["marmots"]) == 30_000


async def test_events_stream_until_the_daemon_stops() -> None:
    async with served() as up:
        events = ControlClient(up.control).events()
        assert (await call(next, events))["event"] == "progress"
        assert (await call(next, events))["generation"] == 8
        up.stop.set()
        assert await call(next, events, None) is None


def test_a_daemon_that_is_down_is_named_quickly() -> None:
    with short_directory() as directory:
        path = directory / "control.sock"
        with pytest.raises(Unavailable, match="paparats up"):
            ControlClient(path).status()
        bind_control(path).close()  # a socket file without a daemon
        with pytest.raises(Unavailable, match="paparats up"):
            ControlClient(path).status()
        assert not ControlClient(path).is_up()


def test_a_frozen_daemon_is_given_up_at_the_deadline() -> None:
    with short_directory() as directory, bind_control(directory / "control.sock"):
        client = ControlClient(directory / "control.sock", timeout_s=0.2)
        with pytest.raises(Unavailable, match=r"within 0\.2 s"):
            client.status()


async def test_a_daemon_of_another_version_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "__version__", "0.0.1")
    async with served() as up:
        client = ControlClient(up.control)
        await call(client.health)
        assert "paparats down" in (client.version_note() or "")


async def test_a_refused_peer_reads_that_the_connection_was_closed() -> None:
    async with served(expected_uid=1) as up:
        with pytest.raises(Unavailable, match="closed the connection"):
            await call(ControlClient(up.control).status)


def test_a_socket_served_by_another_user_is_not_talked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "peer_uid", lambda _sock: 4242)
    with short_directory() as directory, bind_control(directory / "control.sock"):
        client = ControlClient(directory / "control.sock")
        with pytest.raises(Refused, match="another user"):
            client.status()

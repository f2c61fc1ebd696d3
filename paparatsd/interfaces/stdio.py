"""`paparats mcp`: MCP over standard input and output, carried to the daemon's Unix socket.

Imports no MCP SDK: a client waits for our first answer. The bridge starts the daemon when it is
down, and opens a new session unseen when the daemon was restarted. Standard output carries
JSON-RPC and nothing else.
"""

from __future__ import annotations

import asyncio
import base64
import json
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from paparatsd.errors import PaparatsError, Refused, Unavailable
from paparatsd.interfaces.lines import MAX_LINE_BYTES, feed
from paparatsd.interfaces.mcp.identity import CODING_ID, IDENTITIES, initialize_result
from paparatsd.interfaces.unix_http import UnixRequest, json_object

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from typing import BinaryIO

    from paparatsd.interfaces.mcp.identity import ToolsetIdentity
    from paparatsd.interfaces.unix_http import Reply

Message = dict[str, Any]

MAX_PARALLEL = 16
QUICK_S = 0.6
"""A client gets its answer to `initialize` within a second, also while the daemon starts."""
START_S = 15.0
POLL_S = 0.02
FINISH_S = 2.0
PARSE_ERROR, INVALID_REQUEST, SERVER_ERROR = -32700, -32600, -32000
_ACCEPT = {"Accept": "application/json, text/event-stream"}
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class Daemon:
    """The way to the daemon: connects, and starts it when nobody listens."""

    def __init__(self, control_socket: str, start: Callable[[], object] | None) -> None:
        self.path = control_socket
        self._start = start
        self._starting = asyncio.Lock()

    async def request(self) -> UnixRequest:
        """Return an open connection. Raises Unavailable or Refused."""
        try:
            return await self._open()
        except (FileNotFoundError, ConnectionRefusedError):
            async with self._starting:
                return await self._open_or_start()

    async def _open(self) -> UnixRequest:
        request = UnixRequest(self.path)
        try:
            await request.__aenter__()
        except PermissionError:
            raise Refused(f"no permission to use {self.path}") from None
        return request

    async def _open_or_start(self) -> UnixRequest:
        with suppress(FileNotFoundError, ConnectionRefusedError):
            return await self._open()
        if self._start is None:
            raise Unavailable("the paparats daemon is not running; start it with `paparats up`")
        await asyncio.to_thread(self._start)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + START_S
        while loop.time() < deadline:
            with suppress(FileNotFoundError, ConnectionRefusedError):
                return await self._open()
            await asyncio.sleep(POLL_S)
        raise Unavailable(f"the paparats daemon did not come up within {START_S:g} s")


class Session:
    """The session of the handshake protocol, opened again when the daemon forgot it."""

    def __init__(self, daemon: Daemon, endpoint: str) -> None:
        self._daemon = daemon
        self._endpoint = endpoint
        self._opening = asyncio.Lock()
        self._id: str | None = None
        self._result: Message | None = None
        self.params: Message | None = None
        """What the client sent with `initialize`."""

    async def opened(self) -> Message:
        """Open the session unless it is, and return the result of `initialize`."""
        async with self._opening:
            if self._result is None:
                self._result = await self._open()
            return self._result

    async def _open(self) -> Message:
        hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": self.params or {}}
        request = await self._daemon.request()
        async with request:
            reply = await request.send("POST", self._endpoint, _ACCEPT, hello)
            answer = await _single(request, reply)
        if answer is None or "result" not in answer:
            error = (answer or {}).get("error", {})
            raise Unavailable(str(error.get("message", f"initialize failed ({reply.status})")))
        self._id = reply.headers.get("mcp-session-id")
        self._result = answer["result"]
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        request = await self._daemon.request()
        async with request:
            await request.send("POST", self._endpoint, _ACCEPT | self.headers(), ready)
        return answer["result"]  # type: ignore[no-any-return]

    def headers(self) -> dict[str, str]:
        """Return the headers that name the session."""
        headers = {}
        if self._result is not None:
            headers["Mcp-Protocol-Version"] = str(self._result.get("protocolVersion"))
        if self._id is not None:
            headers["Mcp-Session-Id"] = self._id
        return headers

    def lose(self, headers: dict[str, str]) -> None:
        """Forget the session, unless another one was opened since these headers were made."""
        if headers == self.headers():
            self._id = self._result = None

    async def end(self) -> None:
        """Tell the daemon that we are gone, if it listens."""
        if self._id is None:
            return
        with suppress(OSError, asyncio.IncompleteReadError, PaparatsError, TimeoutError):
            async with asyncio.timeout(0.5), UnixRequest(self._daemon.path) as request:
                await request.send("DELETE", self._endpoint, self.headers())


class Bridge:
    """Carries messages between one client on stdio and the daemon."""

    def __init__(
        self,
        control_socket: str,
        start: Callable[[], object] | None,
        emit: Callable[[bytes], None],
        *,
        toolset: ToolsetIdentity = CODING_ID,
    ) -> None:
        self._daemon = Daemon(control_socket, start)
        self._toolset = toolset
        self._endpoint = toolset.endpoint
        self._session = Session(self._daemon, toolset.endpoint)
        self._emit = emit
        self._slots = asyncio.Semaphore(MAX_PARALLEL)
        self._running: dict[Any, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, lines: asyncio.Queue[bytes]) -> None:
        """Serve until an empty line of bytes says that the client is gone."""
        while line := await lines.get():
            self._receive(line)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=FINISH_S)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._session.end()

    def _write(self, message: Message) -> None:
        self._emit(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def _fail(self, request_id: object, code: int, text: str) -> None:
        error = {"code": code, "message": text}
        self._write({"jsonrpc": "2.0", "id": request_id, "error": error})

    def _receive(self, line: bytes) -> None:
        if not line.strip():
            return
        if len(line) > MAX_LINE_BYTES:
            self._fail(None, INVALID_REQUEST, f"a message is longer than {MAX_LINE_BYTES} bytes")
            return
        message = json_object(line)
        if message is None:
            self._fail(None, PARSE_ERROR, "expected one JSON-RPC message a line")
            return
        request_id = message.get("id")
        if "method" not in message or request_id is None:
            if "id" in message and "method" in message:
                self._fail(None, INVALID_REQUEST, "the id of a request must not be null")
            else:
                self._notice(message)
            return
        task = self._spawn(self._answer(message))
        if isinstance(request_id, str | int):
            self._running[request_id] = task
            task.add_done_callback(lambda _task: self._running.pop(request_id, None))

    def _spawn(self, work: Any) -> asyncio.Task[None]:  # noqa: ANN401 - a coroutine
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _notice(self, message: Message) -> None:
        """Pass on a notification (or an answer to the server)."""
        if message.get("method") == "notifications/initialized" and self._session.params:
            return  # sent when the session was opened
        if message.get("method") == "notifications/cancelled":
            params = message.get("params")
            request_id = params.get("requestId") if isinstance(params, dict) else None
            if self._session.params is None and isinstance(request_id, str | int):
                # Without sessions a request is cancelled by closing its connection.
                task = self._running.get(request_id)
                if task is not None:
                    task.cancel()
                return
        self._spawn(self._pass_on(message))

    async def _pass_on(self, message: Message) -> None:
        with suppress(PaparatsError, OSError, asyncio.IncompleteReadError, TimeoutError):
            headers = await self._headers_of(message)
            async with await self._daemon.request() as request:
                await request.send("POST", self._endpoint, _ACCEPT | headers, message)

    async def _answer(self, message: Message) -> None:
        try:
            async with self._slots:
                if message["method"] == "initialize":
                    await self._initialize(message)
                else:
                    await self._ask_twice(message)
        except PaparatsError as error:
            self._fail(message["id"], SERVER_ERROR, str(error))
        except (OSError, asyncio.IncompleteReadError, TimeoutError, ValueError) as error:
            reason = f"the paparats daemon did not answer ({type(error).__name__})"
            self._fail(message["id"], SERVER_ERROR, reason)

    async def _initialize(self, message: Message) -> None:
        params = message.get("params")
        self._session.params = params if isinstance(params, dict) else {}
        self._session.lose(self._session.headers())
        opening = asyncio.ensure_future(self._session.opened())
        await asyncio.wait({opening}, timeout=QUICK_S)
        if opening.done():
            result = opening.result()
        else:
            # The session opens behind; whatever comes next waits for it.
            opening.add_done_callback(_forget_failure)
            result = initialize_result(self._toolset, self._session.params.get("protocolVersion"))
        self._write({"jsonrpc": "2.0", "id": message["id"], "result": result})

    async def _headers_of(self, message: Message) -> dict[str, str]:
        own = _own_headers(message)
        if own is not None:
            return own
        if self._session.params is not None:
            await self._session.opened()
        return self._session.headers()

    async def _ask_twice(self, message: Message) -> None:
        """Ask, and once more when the daemon went away meanwhile: every tool may be repeated."""
        headers = await self._headers_of(message)
        try:
            await self._ask(message, headers)
        except (OSError, asyncio.IncompleteReadError):
            self._session.lose(headers)
            await self._ask(message, await self._headers_of(message))

    async def _ask(self, message: Message, headers: dict[str, str]) -> None:
        async with await self._daemon.request() as request:
            reply = await request.send("POST", self._endpoint, _ACCEPT | headers, message)
            if reply.status == 404 and "Mcp-Session-Id" in headers:
                raise ConnectionResetError("the session is gone")
            await self._relay(message["id"], request, reply)

    async def _relay(self, request_id: object, request: UnixRequest, reply: Reply) -> None:
        """Write every message of a response; raise IncompleteReadError when it has no answer."""
        if reply.is_stream:
            async for data in request.events():
                message = json_object(data)
                if message is not None:
                    self._write(message)
                    if "id" in message and "method" not in message:
                        return
            raise asyncio.IncompleteReadError(b"", None)
        message = json_object(await request.body())
        if message is None or "jsonrpc" not in message:
            self._fail(request_id, SERVER_ERROR, f"the paparats daemon refused ({reply.status})")
            return
        if message.get("id") is None:
            message["id"] = request_id
        self._write(message)


async def _single(request: UnixRequest, reply: Reply) -> Message | None:
    """Return the one message of a response."""
    if reply.is_stream:
        async for data in request.events():
            message = json_object(data)
            if message is not None and "method" not in message:
                return message
        return None
    return json_object(await request.body())


def _forget_failure(opening: asyncio.Future[Message]) -> None:
    """Take the exception of an opening nobody waits for; the next request meets its own."""
    if not opening.cancelled():
        opening.exception()


def _own_headers(message: Message) -> dict[str, str] | None:
    """Return the headers of a message that says its version itself; None: it needs a session."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    version = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
    if not isinstance(version, str) or not isinstance(params, dict):
        return None
    headers = {"Mcp-Protocol-Version": _header(version), "Mcp-Method": _header(message["method"])}
    name = params.get(_NAMED.get(message["method"], ""))
    if isinstance(name, str):
        headers["Mcp-Name"] = _header(name)
    return headers


def _header(value: object) -> str:
    """Return a text as a header value; what a header cannot hold goes in base64."""
    text = str(value)
    plain = text.isascii() and text.isprintable() and text == text.strip()
    if plain and not text.startswith("=?base64?"):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode('ascii')}?="


def run_bridge(
    control_socket: os.PathLike[str] | str,
    source: BinaryIO,
    sink: BinaryIO,
    *,
    start: Callable[[], object] | None,
    toolset: str = "coding",
) -> None:
    """Serve one client until its input ends.

    `start` starts the daemon (blocking is fine) and may raise a PaparatsError, which the client
    gets to read; None: the daemon must be running. Raises Unavailable for an unknown toolset.
    """
    chosen = IDENTITIES.get(toolset)
    if chosen is None:
        raise Unavailable(f"there is no toolset {toolset!r}; known are: {', '.join(IDENTITIES)}")

    def emit(line: bytes) -> None:
        with suppress(BrokenPipeError):
            sink.write(line)
            sink.flush()

    async def main() -> None:
        lines: asyncio.Queue[bytes] = asyncio.Queue(64)
        loop = asyncio.get_running_loop()
        threading.Thread(target=feed, args=(source.fileno(), loop, lines), daemon=True).start()
        bridge = Bridge(str(control_socket), start, emit, toolset=chosen)
        await bridge.run(lines)

    asyncio.run(main())

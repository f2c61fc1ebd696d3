"""An embedding server for tests: right by default, wrong as scripted.

    async with FakeEmbedder.serving(dimension=8) as server:
        server.script(status(503), status(429, {"Retry-After": "0"}))
        ...
        assert server.texts == [["one", "two"]]

The default vector of a text is a function of the text, so equal texts have equal vectors.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Request:
    """What the client sent."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        """The texts to embed."""
        texts: list[str] = self.body["input"]
        return texts


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server answers. `chunks` (endless allowed) replaces `body` when it is given."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    chunks: Callable[[], AsyncIterator[bytes]] | None = None


Answer = Reply | None
"""None stands for the right answer."""


def status(code: int, headers: Mapping[str, str] | None = None, message: str = "no") -> Reply:
    """Return an error reply as the well-known services write it."""
    return Reply(code, headers or {}, json.dumps({"error": {"message": message}}).encode())


def vectors(rows: Sequence[Any], indexes: Sequence[int] | None = None) -> Reply:
    """Return a reply with exactly these vectors (anything that JSON can hold)."""
    data = [
        {"object": "embedding", "index": index, "embedding": row}
        for index, row in zip(indexes or range(len(rows)), rows, strict=True)
    ]
    return Reply(body=json.dumps({"object": "list", "data": data, "model": "fake"}).encode())


def text_vector(text: str, dimension: int) -> NDArray[np.float32]:
    """Return the unit vector that stands for a text."""
    seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
    row = np.random.default_rng(seed).standard_normal(dimension)
    unit: NDArray[np.float32] = (row / np.linalg.norm(row)).astype(np.float32)
    return unit


class FakeEmbedder:
    """A server on a free loopback port. `decide` overrides the answer by request when set."""

    def __init__(self, dimension: int = 8) -> None:
        self.dimension = dimension
        self.requests: list[Request] = []
        self.decide: Callable[[Request], Answer] | None = None
        self.in_flight = 0
        self.most_in_flight = 0
        self.gate = asyncio.Event()
        """Replies wait for it; it is set unless a test clears it."""
        self.gate.set()
        self.port = 0
        self._scripted: deque[Answer] = deque()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    @contextlib.asynccontextmanager
    async def serving(cls, dimension: int = 8) -> AsyncIterator[FakeEmbedder]:
        """Yield a running server."""
        fake = cls(dimension)
        await fake.start()
        try:
            yield fake
        finally:
            await fake.stop()

    @property
    def url(self) -> str:
        """The base URL, without /v1."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def texts(self) -> list[list[str]]:
        """The texts of each request so far."""
        return [request.texts for request in self.requests]

    def script(self, *answers: Answer) -> None:
        """Answer the next requests with these, in order; afterwards rightly again."""
        self._scripted.extend(answers)

    async def start(self) -> None:
        """Listen; after `stop` on the same port as before."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop listening and drop open connections."""
        if self._server is None:
            return
        self._server.close()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._server.wait_closed()
        self._server = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while (request := await _read_request(reader)) is not None:
                await self._answer(request, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # clients may hang up at any time; that is often the test
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        self.requests.append(request)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await self.gate.wait()
            reply = self._scripted.popleft() if self._scripted else self._decided(request)
            if reply is None:
                reply = vectors(
                    [text_vector(text, self.dimension).tolist() for text in request.texts]
                )
            await _write_reply(reply, writer)
        finally:
            self.in_flight -= 1

    def _decided(self, request: Request) -> Answer:
        return self.decide(request) if self.decide is not None else None


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    first = await reader.readline()
    if not first:
        return None
    headers: dict[str, str] = {}
    while line := (await reader.readline()).strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(first.decode().split()[1], headers, json.loads(body) if body else {})


async def _write_reply(reply: Reply, writer: asyncio.StreamWriter) -> None:
    headers = {"Content-Type": "application/json", **reply.headers}
    if reply.chunks is None:
        headers["Content-Length"] = str(len(reply.body))
    else:
        headers["Connection"] = "close"
    head = [f"HTTP/1.1 {reply.status} Scripted"] + [f"{k}: {v}" for k, v in headers.items()]
    writer.write("\r\n".join([*head, "", ""]).encode() + reply.body)
    await writer.drain()
    if reply.chunks is not None:
        async for chunk in reply.chunks():
            writer.write(chunk)
            await writer.drain()
        writer.close()

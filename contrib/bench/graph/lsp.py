"""A language server as a client sees it: plain calls over its standard streams.

Language Server Protocol 3.17, as far as symbols and references need it.
"""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

STOP_S = 5.0
FUNCTION_KINDS = frozenset({6, 9, 12})
"""SymbolKind: method, constructor, function."""


class ServerFailed(Exception):
    """The server ended or answered with an error."""


class LanguageServer:
    """One server process for one directory."""

    def __init__(self, command: Sequence[str], root: Path, options: dict[str, Any]) -> None:
        """Start the server and shake hands; `options` are its initializationOptions."""
        self.root = root
        self._process = subprocess.Popen(
            command,
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._last = 0
        self._ended: set[str] = set()
        uri = root.as_uri()
        self.call(
            "initialize",
            {
                "processId": None,
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": root.name}],
                "initializationOptions": options,
                "capabilities": {
                    "workspace": {"workspaceFolders": True, "configuration": True},
                    "window": {"workDoneProgress": True},
                    "textDocument": {
                        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
                        "references": {},
                    },
                },
            },
        )
        self.tell("initialized", {})

    # ------------------------------------------------------------------ questions

    def open(self, path: str, language: str) -> None:
        """Show the server a file."""
        text = (self.root / path).read_text(encoding="utf-8", errors="replace")
        document = {"uri": self.uri(path), "languageId": language, "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def close(self, path: str) -> None:
        """Take a file away again."""
        self.tell("textDocument/didClose", {"textDocument": {"uri": self.uri(path)}})

    def functions(self, path: str) -> list[tuple[int, int, str]]:
        """Return (line, column, name) of the functions of an open file, both from 0."""
        answer = self.call("textDocument/documentSymbol", {"textDocument": {"uri": self.uri(path)}})
        found: list[tuple[int, int, str]] = []
        waiting = list(answer or [])
        while waiting:
            symbol = waiting.pop()
            waiting += symbol.get("children", [])
            if symbol["kind"] in FUNCTION_KINDS and "selectionRange" in symbol:
                start = symbol["selectionRange"]["start"]
                found.append((start["line"], start["character"], symbol["name"]))
        return sorted(found)

    def references(self, path: str, line: int, column: int) -> list[tuple[str, int, int, int]]:
        """Return (path, line, column, end column) of what refers to a place; all from 0.

        Places outside of the directory are left out.
        """
        answer = self.call(
            "textDocument/references",
            {
                "textDocument": {"uri": self.uri(path)},
                "position": {"line": line, "character": column},
                "context": {"includeDeclaration": False},
            },
        )
        found = []
        for one in answer or []:
            inside = self._path(one["uri"])
            start, end = one["range"]["start"], one["range"]["end"]
            if inside is not None and start["line"] == end["line"]:
                found.append((inside, start["line"], start["character"], end["character"]))
        return found

    def definitions(self, path: str, line: int, column: int) -> list[tuple[str, int]]:
        """Return (path, line) of what a place means, from 0; path "" outside of the directory."""
        answer = self.call(
            "textDocument/definition",
            {
                "textDocument": {"uri": self.uri(path)},
                "position": {"line": line, "character": column},
            },
        )
        places = answer if isinstance(answer, list) else [answer] if answer else []
        return [(self._path(one["uri"]) or "", one["range"]["start"]["line"]) for one in places]

    def uri(self, path: str) -> str:
        """Return the address of a file."""
        return (self.root / path).as_uri()

    def _path(self, uri: str) -> str | None:
        path, base = unquote(urlsplit(uri).path), f"{self.root}/"
        return path.removeprefix(base) if path.startswith(base) else None

    # ------------------------------------------------------------------ messages

    def call(self, method: str, params: Any) -> Any:  # noqa: ANN401 - frames carry any value
        """Make a request and return its result; raises ServerFailed."""
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == self._last and "method" not in message:
                if "error" in message:
                    raise ServerFailed(f"{method}: {message['error']}")
                return message.get("result")
            self._handle(message)

    def tell(self, method: str, params: Any) -> None:  # noqa: ANN401 - frames carry any value
        """Send a notification."""
        self._send({"method": method, "params": params})

    def wait_for_progress(self, token: str) -> None:
        """Read messages until the work of this name has ended."""
        while token not in self._ended:
            self._handle(self._receive())

    def stop(self) -> None:
        """End the process."""
        self._process.terminate()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _handle(self, message: dict[str, Any]) -> None:
        """Answer what the server asks of a client, note what work has ended."""
        method, params = message.get("method"), message.get("params") or {}
        if method == "$/progress" and params["value"].get("kind") == "end":
            self._ended.add(str(params["token"]))
        if "id" in message and method is not None:
            items = params.get("items", ()) if method == "workspace/configuration" else None
            result = None if items is None else [None for _ in items]
            self._send({"id": message["id"], "result": result})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream = self._process.stdin
        assert stream is not None
        stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        stream.flush()

    def _receive(self) -> dict[str, Any]:
        stream = self._process.stdout
        assert stream is not None
        size = 0
        while (line := stream.readline()).strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                size = int(value)
        if not size:
            raise ServerFailed(f"the server ended with code {self._process.poll()}")
        message: dict[str, Any] = json.loads(stream.read(size))
        return message

"""The independent tools: what they call a function, and where it is referred to."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from contrib.bench.graph.lsp import LanguageServer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SKIPPED = frozenset({"node_modules", ".git", "dist", "build", "coverage", ".venv", "venv"})
STOP_S = 5.0
_NODE = ("node", "--max-old-space-size=6000", "{here}/typescript.mjs", "{installed}/node_modules")
_TYPESCRIPT = (".ts", ".tsx", ".mts", ".cts")
ASKED: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = MappingProxyType(
    {
        "typescript": (_NODE, _TYPESCRIPT),
        "javascript": ((*_NODE, "--js"), (*_TYPESCRIPT, ".js", ".jsx", ".mjs", ".cjs")),
        "go": (("{installed}/gotypes",), (".go",)),
    }
)
"""Kind -> command before the directory, and the suffixes of what it reads."""
TOOLS = ("pyright", "clangd", *ASKED)


@dataclass(frozen=True, slots=True)
class Function:
    """A function as the reference sees it. `line` and `column` count from 1."""

    path: str
    line: int
    column: int
    name: str


@dataclass(frozen=True, slots=True, order=True)
class Reference:
    """A place that refers to a function, and what is written there. `line` counts from 1.

    `strict` is False when it names a relative by inheritance, so that this function may be meant.
    """

    path: str
    line: int
    name: str
    strict: bool = True


class Tool(Protocol):
    """An independent tool over one directory."""

    def files(self) -> Sequence[str]:
        """Return the files that the tool reads; what we find elsewhere does not count."""
        ...

    def functions(self) -> Sequence[Function]:
        """Return all functions with a body."""
        ...

    def references(self, function: Function) -> Sequence[Reference]:
        """Return what refers to a function, the function itself left out."""
        ...

    def definitions(self, path: str, line: int, column: int) -> Sequence[tuple[str, int]]:
        """Return path and line of what a place means; none when the tool cannot tell.

        All count from 1. The path is "" outside of the directory.
        """
        ...


def files_with(root: Path, suffixes: tuple[str, ...]) -> list[str]:
    """Return the paths below a directory with one of these suffixes, ascending."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [one for one in folders if one not in SKIPPED]
        inside = Path(folder).relative_to(root)
        found += [str(inside / one) for one in names if one.endswith(suffixes)]
    return sorted(one for one in found if (root / one).is_file())


class ServerTool:
    """A language server."""

    def __init__(
        self, server: LanguageServer, language: str, read: tuple[str, ...], asked: tuple[str, ...]
    ) -> None:
        """`read` are the suffixes of its files, `asked` of those whose functions are taken."""
        self._server, self._language = server, language
        self._files = files_with(server.root, read)
        self._asked = asked

    def files(self) -> Sequence[str]:
        """Return the files that the server reads."""
        return self._files

    def functions(self) -> Sequence[Function]:
        """Open each file, ask for its symbols, close it."""
        found = []
        for path in self._files:
            if path.endswith(self._asked):
                self._server.open(path, self._language)
                for line, column, name in self._server.functions(path):
                    found.append(Function(path, line + 1, column + 1, name))
                self._server.close(path)
        return found

    def references(self, function: Function) -> Sequence[Reference]:
        """Ask with the file open."""
        self._server.open(function.path, self._language)
        places = self._server.references(function.path, function.line - 1, function.column - 1)
        self._server.close(function.path)
        return references_at(self._server.root, places)

    def definitions(self, path: str, line: int, column: int) -> Sequence[tuple[str, int]]:
        """Ask with the file open."""
        self._server.open(path, self._language)
        found = self._server.definitions(path, line - 1, column - 1)
        self._server.close(path)
        return [(inside, at + 1) for inside, at in found]


class AskedTool:
    """A process that answers lines of JSON: `typescript.mjs`, `gotypes.go`."""

    def __init__(self, command: Sequence[str], root: Path, suffixes: tuple[str, ...]) -> None:
        """`suffixes` are those of the files that it reads."""
        self._root = root
        self._files = files_with(root, suffixes)
        self._process = subprocess.Popen(
            [*command, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def files(self) -> Sequence[str]:
        """Return the files of the program."""
        return self._files

    def functions(self) -> Sequence[Function]:
        """Return functions and methods, in TypeScript also those that a name or property holds."""
        return [
            Function(path, line + 1, column + 1, name)
            for path, line, column, name in self._ask({"ask": "functions"})
        ]

    def references(self, function: Function) -> Sequence[Reference]:
        """Return what refers to a function; of TypeScript's relatives of it as well."""
        at = [function.path, function.line - 1, function.column - 1]
        return references_at(self._root, self._ask({"ask": "references", "at": at}))

    def definitions(self, path: str, line: int, column: int) -> Sequence[tuple[str, int]]:
        """Return where a person would be led."""
        at = [path, line - 1, column - 1]
        return [(inside, row + 1) for inside, row in self._ask({"ask": "definitions", "at": at})]

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait(STOP_S)

    def _ask(self, question: dict[str, object]) -> list[Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps(question)}\n")
        self._process.stdin.flush()
        answer: list[Any] = json.loads(self._process.stdout.readline())
        return answer


def references_at(root: Path, places: Sequence[Sequence[Any]]) -> list[Reference]:
    """Return references with what is written there; columns of UTF-16 are taken for characters."""
    texts: dict[str, list[str]] = {}
    found = set()
    for path, line, column, end, *strict in places:
        if path not in texts:
            text = (root / path).read_text(encoding="utf-8", errors="replace")
            texts[path] = text.split("\n")
        if line < len(texts[path]):
            found.add(Reference(path, line + 1, texts[path][line][column:end], *strict))
    return sorted(found)


@contextlib.contextmanager
def opened(kind: str, installed: Path, root: Path, flags: str) -> Iterator[Tool]:
    """Yield a tool over a directory; `installed` is where install.sh has put it.

    Raises ValueError for an unknown kind.
    """
    bin_of_node = installed / "node_modules" / ".bin"
    if kind in ASKED:
        command = [
            one.format(here=Path(__file__).parent, installed=installed) for one in ASKED[kind][0]
        ]
        tool = AskedTool(command, root, ASKED[kind][1])
        try:
            yield tool
        finally:
            tool.stop()
    elif kind == "pyright":
        command = [str(bin_of_node / "pyright-langserver"), "--stdio"]
        read = (".py", ".pyi")
        with _copied(root, read) as copy, _server(command, copy, {}) as server:
            yield ServerTool(server, "python", read, (".py",))
    elif kind == "clangd":
        with tempfile.TemporaryDirectory(prefix="paparats-bench-") as database:
            asked = (".c", ".cc", ".cpp")
            headers = (".h", ".hpp", ".inl")
            _write_commands(Path(database), root, files_with(root, asked), flags)
            command = [
                str(installed / "py" / "bin" / "clangd"),
                f"--compile-commands-dir={database}",
                "--background-index",
                "--limit-references=0",
                "-j=1",
            ]
            with _server(command, root, {}) as server:
                known = ServerTool(server, "cpp", (*asked, *headers), asked)
                server.open(next(one for one in known.files() if one.endswith(asked)), "cpp")
                server.wait_for_progress("backgroundIndexProgress")
                yield known
    else:
        raise ValueError(f"no tool is called {kind!r}")


@contextlib.contextmanager
def _copied(root: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Yield a copy without the project's own settings for pyright: all files are to be read."""
    with tempfile.TemporaryDirectory(prefix="paparats-bench-") as folder:
        copy = Path(folder).resolve()
        for path in files_with(root, suffixes):
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / path, copy / path)
        settings = {"include": ["."], "exclude": [], "extraPaths": ["src", "lib"]}
        (copy / "pyrightconfig.json").write_text(json.dumps(settings))
        yield copy


@contextlib.contextmanager
def _server(
    command: Sequence[str], root: Path, options: dict[str, object]
) -> Iterator[LanguageServer]:
    server = LanguageServer(command, root, options)
    try:
        yield server
    finally:
        server.stop()


def _write_commands(folder: Path, root: Path, sources: Sequence[str], flags: str) -> None:
    """Write a compilation database: every source with the same flags."""
    entries = [
        {
            "directory": str(root),
            "file": one,
            "arguments": ["cc", *shlex.split(flags), "-c", one],
        }
        for one in sources
    ]
    (folder / "compile_commands.json").write_text(json.dumps(entries))

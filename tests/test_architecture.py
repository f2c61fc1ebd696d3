"""The architecture as tests: layers, fences, names, docstrings, cycles. Reads the source only."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).resolve().parents[1] / "paparatsd"
TESTS = PACKAGE.parent / "tests"

TOP_LEVEL = {
    "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "paparatsd", "hooks", "systemd",
    "tests", "contrib",
}  # fmt: skip

STAGES = ("sources", "chunks", "embeddings", "store")
"""Values flow from left to right; the wiring is done above them."""
WORKINGS = ("indexing", "history", "graph", "knowledge", "search")
"""They wire the stages; each stands alone."""
ABOVE = (
    *WORKINGS, "interfaces", "service", "sessions", "session_parts", "daemon", "parts", "roster",
    "housekeeping", "remotes", "pushes", "model_roles", "sharing", "library",
)  # fmt: skip

VALUES = (
    "model", "search_model", "status_model", "commits", "history_model", "graph_model",
    "docs_model", "knowledge_limits", "knowledge_model", "place_labels",
)  # fmt: skip
"""Frozen values that every stage shares; they may name each other's types."""

BASE = ("errors", "clock")
"""What the lowest packages may import of ours."""

FENCES = {
    "watchfiles": ("sources/watch",),
    "subprocess": ("sources/git.py", "supervise.py", "interfaces/cli/"),
    "h11": ("interfaces/",),
    "tree_sitter": ("chunks/",),
    "tree_sitter_language_pack": ("chunks/",),
    "Stemmer": ("chunks/",),
    "qdrant_client": ("store/",),
    "qdrant_edge": ("store/",),
    "pygit2": ("history/uncommitted.py",),
    "sqlite3": ("store/", "embeddings/cache.py"),
    "httpx": ("endpoints/",),
    "mcp": ("interfaces/mcp/",),
    "starlette": ("interfaces/",),
    "uvicorn": ("interfaces/",),
    "rich": ("interfaces/cli/",),
}
"""Third-party (and two standard) modules, and where alone they may be imported."""

CALL_FENCES = {
    "create_subprocess_exec": FENCES["subprocess"],
    "create_subprocess_shell": (),
    "system": (),
    "popen": (),
    "fork": ("interfaces/cli/",),
    "posix_spawn": ("interfaces/cli/",),
    "posix_spawnp": ("interfaces/cli/",),
    "environ": ("settings.py",),
    "getenv": ("settings.py",),
    "putenv": (),
}
"""Attributes of os and asyncio, and where alone they may be used."""

BAD_NAMES = frozenset(
    {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers"}
)

CONSTANT_CLASSES = frozenset({
    "NewType", "TypeVar", "ParamSpec", "Struct", "ContextVar", "Path", "MappingProxyType",
    "TransportSecuritySettings", "JSONEncoder",
})  # fmt: skip
"""Classes whose instances may live at module level; frozen dataclasses of ours may too."""

ACTING_PREFIXES = ("make_", "create_", "open", "connect", "load", "start", "run", "new_event_loop")
"""Functions called so do something, so nobody calls them by importing."""

FEW_ARGUMENTS = frozenset({"load_grammar"})
"""Functions that may remember every answer: their arguments come from a table of ours."""

HEAVY = frozenset({
    "numpy", "httpx", "rich", "mcp", "starlette", "uvicorn", "qdrant_client", "qdrant_edge",
    "tree_sitter", "pygit2", "pydantic", "watchfiles", "anyio", "asyncio",
})  # fmt: skip
"""What `paparats status` must not import: a shell waits for it."""


@dataclass(frozen=True, slots=True)
class Module:
    """One source file: its path below the package and its syntax tree."""

    path: str
    tree: ast.Module

    @property
    def name(self) -> str:
        """The dotted name."""
        parts = ("paparatsd", *self.path.removesuffix(".py").split("/"))
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def area(self) -> str:
        """The subpackage, or the name of a module that lies beside them."""
        return self.path.split("/")[0].removesuffix(".py")


@cache
def modules() -> tuple[Module, ...]:
    return tuple(
        Module(path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text(encoding="utf-8")))
        for path in sorted(PACKAGE.rglob("*.py"))
        if "_data" not in path.parts
    )


def imports(tree: ast.AST, *, typing_only: bool = True) -> Iterator[tuple[str, int]]:
    """Yield (dotted name, line) of everything imported; `from a import b` yields a.b."""
    for node in walk(tree, typing_only=typing_only):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


def walk(tree: ast.AST, *, typing_only: bool) -> Iterator[ast.AST]:
    """Yield all nodes; without `typing_only` not those under `if TYPE_CHECKING`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test) and not typing_only:
            continue
        yield node
        yield from walk(node, typing_only=typing_only)


def area_of(dotted: str) -> str | None:
    """Return the part of the package that an import names, or None for a foreign module."""
    first, _, rest = dotted.partition(".")
    return rest.split(".")[0] if first == "paparatsd" and rest else None


def offenders(problems: Iterator[str]) -> str:
    return "\n".join(sorted(problems))


def test_the_top_level_holds_what_it_should_and_nothing_else() -> None:
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=PACKAGE.parent, capture_output=True, text=True, check=True
    )
    tracked = {path.partition("/")[0] for path in done.stdout.split("\0") if path}
    assert {name for name in tracked if not name.startswith(".")} == TOP_LEVEL


@pytest.mark.parametrize("group", [STAGES, WORKINGS])
def test_siblings_do_not_import_each_other(group: tuple[str, ...]) -> None:
    assert not offenders(
        f"{module.path}:{line} imports {dotted}"
        for module in modules()
        if module.area in group
        for dotted, line in imports(module.tree)
        if area_of(dotted) in group and area_of(dotted) != module.area
    )


def test_stages_know_nothing_of_what_is_built_on_them() -> None:
    assert not offenders(
        f"{module.path}:{line} imports {dotted}"
        for module in modules()
        if module.area in STAGES
        for dotted, line in imports(module.tree)
        if area_of(dotted) in ABOVE
    )


def test_endpoints_know_nothing_of_who_asks_them_and_search_nothing_of_whom_it_asks() -> None:
    assert not offenders(
        f"{module.path}:{line} imports {dotted}"
        for module in modules()
        for dotted, line in imports(module.tree)
        if (module.area == "endpoints" and area_of(dotted) not in (None, "endpoints", *BASE))
        or (module.area == "search" and area_of(dotted) in ("endpoints", "rerank", "rewriting"))
    )


def test_shared_values_import_nothing_of_ours_but_values() -> None:
    assert not offenders(
        f"{module.path}:{line} imports {dotted}"
        for module in modules()
        if module.area in (*VALUES, "errors", "clock", "settings")
        for dotted, line in imports(module.tree)
        if area_of(dotted) not in (None, *VALUES)
    )


def test_foreign_modules_stay_behind_their_fences() -> None:
    assert not offenders(
        f"{module.path}:{line} imports {dotted}; allowed in {', '.join(allowed)}"
        for module in modules()
        for dotted, line in imports(module.tree)
        if (allowed := FENCES.get(dotted.split(".")[0])) is not None
        and not module.path.startswith(allowed)
    )


def test_processes_and_environment_stay_behind_their_fences() -> None:
    assert not offenders(
        f"{module.path}:{node.lineno} uses {node.attr}; allowed in {', '.join(allowed) or 'none'}"
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name | ast.Attribute)
        and ast.unparse(node.value) in ("os", "asyncio", "asyncio.subprocess", "subprocess")
        and (allowed := CALL_FENCES.get(node.attr)) is not None
        and not module.path.startswith(allowed)
    )


def test_only_the_command_line_prints() -> None:
    assert not offenders(
        f"{module.path}:{node.lineno} prints"
        for module in modules()
        if not module.path.startswith("interfaces/cli/")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id in ("print", "input", "breakpoint")
    )


def test_modules_are_named_by_a_noun_of_the_domain() -> None:
    assert not offenders(
        module.path for module in modules() if BAD_NAMES & {*module.path[:-3].split("/")}
    )


def test_the_code_map_names_every_module_of_the_symbol_graph() -> None:
    told = (PACKAGE.parent / "contrib" / "ARCHITECTURE.md").read_text("utf-8")
    table = told.partition("Inside `graph/`:")[2].partition("## Layers")[0]
    modules = {path.stem for path in (PACKAGE / "graph").glob("[a-z]*.py")}
    assert sorted(one for one in modules if f"`{one}`" not in table) == []
    named = set(re.findall(r"`([a-z]+)`", table)) - {"at"}  # what a question is about
    chunks = {path.stem for path in (PACKAGE / "chunks").glob("*.py")}
    assert sorted(named - modules - chunks) == [], "the map names what is not there"


def test_everything_public_has_a_docstring() -> None:
    assert not offenders(
        f"{module.path}:{node.lineno} {node.name}"
        for module in modules()
        for node in public(module.tree)
        if not ast.get_docstring(node)
    )


def public(
    tree: ast.Module | ast.ClassDef,
) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Yield public functions and classes at module level, and public methods of those classes."""
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if node.name.startswith("_"):
            continue
        decorators = {ast.unparse(decorator).split(".")[-1] for decorator in node.decorator_list}
        if decorators & {"overload", "setter", "override"}:
            continue
        yield node
        if isinstance(node, ast.ClassDef):
            yield from public(node)


def test_nothing_lives_at_module_level_but_constants() -> None:
    frozen = {name for module in modules() for name in constant_classes(module.tree)}
    assert not offenders(
        f"{module.path}:{call.lineno} calls {called_name(call)} when imported"
        for module in modules()
        for statement in module.tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None
        for call in ast.walk(statement.value)
        if isinstance(call, ast.Call)
        if not is_constant(called_name(call), CONSTANT_CLASSES | frozen)
    )


def is_constant(name: str, classes: frozenset[str] | set[str]) -> bool:
    """Say whether a call makes a constant: a listed class, or a function that only computes."""
    if name[:1].isupper() or name.endswith("Lock"):
        return name in classes
    return not name.startswith(ACTING_PREFIXES)


def constant_classes(tree: ast.Module) -> Iterator[str]:
    """Yield the names of frozen dataclasses, named tuples, enumerations and new types."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            decorators = " ".join(ast.unparse(decorator) for decorator in node.decorator_list)
            bases = {ast.unparse(base).split(".")[-1] for base in node.bases}
            if "frozen=True" in decorators or bases & {"NamedTuple", "Enum", "StrEnum", "IntEnum"}:
                yield node.name
        elif isinstance(node, ast.Assign) and "NewType(" in ast.unparse(node.value):
            yield from (ast.unparse(target) for target in node.targets)


def called_name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)


def test_what_a_function_remembers_is_bounded() -> None:
    assert not offenders(
        f"{module.path}:{node.lineno} {node.name} remembers without a bound"
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef) and node.args.args and node.name not in FEW_ARGUMENTS
        for decorator in node.decorator_list
        if ast.unparse(decorator).split(".")[-1] in ("cache", "lru_cache")
        or "maxsize=None" in ast.unparse(decorator)
    )


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    names = {module.name for module in modules()}
    graph = {module.name: set(internal_imports(module, names)) for module in modules()}

    assert find_circle(graph) is None


def internal_imports(module: Module, names: set[str]) -> Iterator[str]:
    """Yield the modules of ours that importing this one imports at once."""
    top = ast.Module([n for n in module.tree.body if not is_definition(n)], [])
    for dotted, _ in imports(top, typing_only=False):
        target = dotted if dotted in names else dotted.rpartition(".")[0]
        if target in names and target not in ("paparatsd", module.name):
            yield target


def is_definition(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def find_circle(graph: dict[str, set[str]]) -> list[str] | None:
    """Return one circle of the graph, or None."""
    done: set[str] = set()

    def visit(name: str, trail: list[str]) -> list[str] | None:
        if name in trail:
            return [*trail[trail.index(name) :], name]
        if name in done:
            return None
        for target in sorted(graph[name]):
            if circle := visit(target, [*trail, name]):
                return circle
        done.add(name)
        return None

    return next((circle for name in sorted(graph) if (circle := visit(name, []))), None)


def test_a_circle_would_be_found() -> None:
    assert find_circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert find_circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) is None


def test_tests_neither_sleep_nor_mock() -> None:
    assert not offenders(
        f"{path.relative_to(TESTS)}:{node.lineno} {found}"
        for path in sorted(TESTS.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (found := forbidden_in_tests(node))
        if isinstance(node, ast.stmt | ast.expr)
    )


def forbidden_in_tests(node: ast.AST) -> str:
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "time.sleep":
        return "waits by time.sleep"
    if isinstance(node, ast.Import | ast.ImportFrom):
        for dotted, _ in imports(ast.Module([node], [])):
            if (
                dotted.startswith(("unittest.mock", "mock.", "pytest_mock"))
                or dotted == "time.sleep"
            ):
                return f"imports {dotted}"
    return ""


def test_status_imports_nothing_heavy(tmp_path: Path) -> None:
    places = {f"PAPARATS_{kind}_DIR": str(tmp_path / kind.lower()) for kind in
              ("STATE", "CONFIG", "CACHE", "RUNTIME", "DATA")}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "paparatsd.interfaces.cli.main", "status"],
        env={"PATH": os.environ.get("PATH", ""), "HOME": str(tmp_path), **places},
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    imported = {
        line.rsplit("|", 1)[1].strip().split(".")[0]
        for line in done.stderr.splitlines()
        if line.startswith("import time:")
    }

    assert done.returncode == 69, done.stderr[-500:]
    assert "paparatsd" in imported
    assert not imported & HEAVY

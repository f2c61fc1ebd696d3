"""Paths of Rust: crates of a workspace, modules in files and inside files, re-exports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.graph.modules.rust import RustModules
from paparatsd.model import Fact
from tests.harness.graph_source import project

if TYPE_CHECKING:
    from paparatsd.graph.modules.base import Imported
    from paparatsd.graph.source import Tree

TEXTS = {
    "Cargo.toml": "[workspace]\n",
    "core/Cargo.toml": "[package]\n",
    "core/src/lib.rs": "pub mod net;\nmod shape;\npub use net::http as web;\n",
    "core/src/shape.rs": "pub struct Shape;\n",
    "core/src/net/mod.rs": "pub mod http;\nuse super::shape::Shape;\nuse self::http::get;\n",
    "core/src/net/http.rs": (
        "use super::super::shape;\nuse crate::net::{self, http};\nuse std::fmt;\nuse fmt::Debug;\n"
        "pub fn get() {}\n#[cfg(test)]\nmod tests {\n    use super::*;\n    use super::get;\n}\n"
    ),
    "core/tests/all.rs": "mod util;\nuse my_core::net::http::get;\nuse util::help;\n",
    "core/tests/util.rs": "pub fn help() {}\n",
    "app/Cargo.toml": "[package]\n",
    "app/src/main.rs": "mod args;\nuse my_core::web::get as g;\nuse args::Args;\nuse serde::De;\n",
    "app/src/args.rs": "use crate::run;\npub enum Mode { On }\nuse self::Mode::*;\n",
}
FACTS = {"core/Cargo.toml": (Fact("provides", "my-core", 1, type="cargo"),)}


@pytest.fixture(scope="module")
def tree() -> Tree:
    return project(TEXTS, FACTS).tree


def leads(tree: Tree, path: str, line: int) -> Imported | None:
    file = tree.file(path)
    assert file is not None
    use = next(one for one in file.uses if one.kind == "import" and one.line == line)
    return RustModules().imported(tree, file, use)


@pytest.mark.parametrize(
    ("path", "line", "found", "member"),
    [
        ("core/src/net/mod.rs", 2, "core/src/shape.rs", "Shape"),
        ("core/src/net/mod.rs", 3, "core/src/net/http.rs", "get"),
        ("core/src/net/http.rs", 1, "core/src/lib.rs", "shape"),
        ("core/src/net/http.rs", 2, "core/src/net/mod.rs", ""),
        ("core/src/net/http.rs", 8, "core/src/net/http.rs", "*"),
        ("core/src/net/http.rs", 9, "core/src/net/http.rs", "get"),
        ("core/tests/all.rs", 2, "core/src/net/http.rs", "get"),
        ("core/tests/all.rs", 3, "core/tests/util.rs", "help"),
        ("app/src/main.rs", 2, "core/src/net/http.rs", "get"),
        ("app/src/main.rs", 3, "app/src/args.rs", "Args"),
        ("app/src/args.rs", 1, "app/src/main.rs", "run"),
    ],
)
def test_a_path_leads_to_the_file_of_its_module(
    tree: Tree, path: str, line: int, found: str, member: str
) -> None:
    imported = leads(tree, path, line)
    assert imported is not None
    assert (imported.paths, imported.member) == ((found,), member)


@pytest.mark.parametrize(("path", "line"), [("core/src/net/http.rs", 3), ("app/src/main.rs", 4)])
def test_the_standard_library_and_other_crates_are_from_outside(
    tree: Tree, path: str, line: int
) -> None:
    assert leads(tree, path, line) is None


def test_what_may_be_a_module_or_a_name_tells_both(tree: Tree) -> None:
    imported = leads(tree, "core/src/net/http.rs", 1)
    assert imported is not None
    assert imported.inner == ("core/src/shape.rs",)


def test_imports_that_chase_each_other_end() -> None:
    tree = project({"src/lib.rs": "use a::x;\nuse b::a;\nuse a::b;\n", "Cargo.toml": ""}).tree
    assert [leads(tree, "src/lib.rs", line) for line in (1, 2, 3)] == [None, None, None]

"""Imports of Go: modules, packages, vendored ones, and the files that share a package."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.graph.modules.go import GoModules
from paparatsd.model import Fact, Use
from tests.harness.graph_source import project

if TYPE_CHECKING:
    from paparatsd.graph.source import Tree

TEXTS = {
    "go.mod": "module example.com/app/v2\n",
    "main.go": "package main\n",
    "internal/store/store.go": "package store\n",
    "internal/store/row.go": "package store\n",
    "internal/store/row_test.go": "package store\n",
    "internal/store/outside_test.go": "package store_test\n",
    "internal/store/gen.go": "package main\n",
    "tools/go.mod": "module example.com/app/v2/tools\n",
    "tools/lint/lint.go": "package lint\n",
    "vendor/github.com/x/y/y.go": "package y\n",
}
FACTS = {
    "go.mod": (Fact("provides", "example.com/app/v2", 1, type="go"),),
    "tools/go.mod": (Fact("provides", "example.com/app/v2/tools", 1, type="go"),),
}


@pytest.fixture(scope="module")
def tree() -> Tree:
    return project(TEXTS, FACTS).tree


def leads(tree: Tree, path: str, target: str, alias: str = "") -> tuple[str, ...] | None:
    file = tree.file(path)
    assert file is not None
    found = GoModules().imported(tree, file, Use("x", "import", 1, "*", target, alias))
    return None if found is None else found.paths


def implicit(tree: Tree, path: str) -> list[str]:
    file = tree.file(path)
    assert file is not None
    return list(GoModules().implicit(tree, file))


def test_a_path_below_a_module_is_the_folder_without_its_tests(tree: Tree) -> None:
    assert leads(tree, "main.go", "example.com/app/v2/internal/store") == (
        "internal/store/gen.go", "internal/store/row.go", "internal/store/store.go",
    )  # fmt: skip
    assert leads(tree, "tools/lint/lint.go", "example.com/app/v2") == ("main.go",)


def test_the_longest_module_of_several_is_meant(tree: Tree) -> None:
    assert leads(tree, "main.go", "example.com/app/v2/tools/lint") == ("tools/lint/lint.go",)


def test_vendored_packages_are_ours_and_others_are_not(tree: Tree) -> None:
    assert leads(tree, "main.go", "github.com/x/y") == ("vendor/github.com/x/y/y.go",)
    assert leads(tree, "main.go", "github.com/x/z") is None
    assert leads(tree, "main.go", "fmt") is None


def test_files_of_a_folder_share_names_when_they_share_the_package(tree: Tree) -> None:
    assert implicit(tree, "internal/store/store.go") == ["internal/store/row.go"]
    assert implicit(tree, "internal/store/row_test.go") == [
        "internal/store/row.go", "internal/store/store.go",
    ]  # fmt: skip
    assert implicit(tree, "internal/store/outside_test.go") == []


def test_a_dot_import_binds_all_names(tree: Tree) -> None:
    file = tree.file("main.go")
    assert file is not None
    use = Use("lint", "import", 1, "*", "example.com/app/v2/tools/lint", "*")
    found = GoModules().imported(tree, file, use)
    assert found is not None
    assert found.member == "*"


@pytest.mark.parametrize(
    ("target", "package"),
    [
        ("github.com/a/b/c/d", "github.com/a/b"),
        ("github.com/a/b/v2/c", "github.com/a/b/v2"),
        ("gopkg.in/yaml.v3", "gopkg.in/yaml.v3"),
        ("encoding/json", ""),
    ],
)
def test_the_module_of_an_import_path_is_told_by_its_host(target: str, package: str) -> None:
    assert GoModules().package(Use("x", "import", 1, "*", target)) == package

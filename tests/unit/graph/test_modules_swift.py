"""Modules of Swift: the folders of a package's targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.graph.modules.swift import SwiftModules
from paparatsd.model import Use
from tests.harness.graph_source import project

if TYPE_CHECKING:
    from paparatsd.graph.source import Tree

TEXTS = {
    "Package.swift": "import PackageDescription\n",
    "Sources/Core/Box.swift": "public struct Box {}\n",
    "Sources/Core/Deep/Shape.swift": "import Foundation\nstruct Shape {}\n",
    "Sources/App/main.swift": "import Core\n",
    "Tests/CoreTests/BoxTests.swift": "@testable import Core\n",
    "Tests/CoreTests/Util.swift": "func help() {}\n",
}


@pytest.fixture(scope="module")
def tree() -> Tree:
    return project(TEXTS).tree


def leads(tree: Tree, path: str, target: str) -> tuple[str, ...] | None:
    file = tree.file(path)
    assert file is not None
    found = SwiftModules().imported(tree, file, Use(target, "import", 1, "*", target, "*"))
    return None if found is None else found.paths


def test_an_import_brings_in_all_files_of_the_target(tree: Tree) -> None:
    core = ("Sources/Core/Box.swift", "Sources/Core/Deep/Shape.swift")
    assert leads(tree, "Sources/App/main.swift", "Core") == core
    assert leads(tree, "Sources/App/main.swift", "Core.Box") == core


def test_modules_without_a_folder_are_from_outside(tree: Tree) -> None:
    assert leads(tree, "Sources/App/main.swift", "Foundation") is None


def test_files_of_a_target_see_each_other_and_no_others(tree: Tree) -> None:
    for path, others in [
        ("Sources/Core/Box.swift", ["Sources/Core/Deep/Shape.swift"]),
        ("Tests/CoreTests/BoxTests.swift", ["Tests/CoreTests/Util.swift"]),
        ("Sources/App/main.swift", []),
    ]:
        file = tree.file(path)
        assert file is not None
        assert list(SwiftModules().implicit(tree, file)) == others


def test_a_project_without_targets_is_one_module_per_top_folder() -> None:
    tree = project({"App/A.swift": "", "App/View/B.swift": "", "Other/C.swift": ""}).tree
    file = tree.file("App/A.swift")
    assert file is not None
    assert list(SwiftModules().implicit(tree, file)) == ["App/View/B.swift"]

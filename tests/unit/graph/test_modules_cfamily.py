"""Includes of C and C++, and the qualified names of C++."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.graph.modules.cfamily import CFamilyModules, find_include
from paparatsd.model import Use
from tests.harness.graph_source import project

if TYPE_CHECKING:
    from paparatsd.graph.modules.base import Imported
    from paparatsd.graph.source import Tree

TEXTS = {
    "src/main.c": '#include "util.h"\n#include <lib/deep.h>\n#include <stdio.h>\n',
    "src/util.h": '#include "../include/lib/types.h"\n#include "util.h"\nint util(void);\n',
    "include/lib/types.h": "typedef int id;\n",
    "include/lib/deep.h": '#include <lib/types.h>\n#include "missing.h"\n',
    "compat/stdio.h": "int printf(void);\n",
    "a/config.h": "int a;\n",
    "b/config.h": "int b;\n",
    "b/sub/use.c": "#include <config.h>\n",
    "include/acme/box.hpp": "namespace acme { class Box { int at(); }; void go(); }\n",
    "src/box.cpp": "using acme::Box;\nusing std::string;\nvoid acme::go() {}\n",
}


@pytest.fixture(scope="module")
def tree() -> Tree:
    return project(TEXTS).tree


def leads(tree: Tree, path: str, line: int) -> Imported | None:
    file = tree.file(path)
    assert file is not None
    use = next(one for one in file.uses if one.kind == "import" and one.line == line)
    return CFamilyModules().imported(tree, file, use)


def test_an_include_brings_in_what_it_includes_in_turn(tree: Tree) -> None:
    found = leads(tree, "src/main.c", 1)
    assert found is not None
    assert (found.paths, found.member) == (("src/util.h", "include/lib/types.h"), "*")


def test_an_include_is_found_by_how_its_path_ends(tree: Tree) -> None:
    found = leads(tree, "src/main.c", 2)
    assert found is not None
    assert found.paths == ("include/lib/deep.h", "include/lib/types.h")


def test_headers_of_the_standard_library_are_ours_only_beside_the_file(tree: Tree) -> None:
    assert leads(tree, "src/main.c", 3) is None
    assert find_include(tree, "compat/x.c", "stdio.h") == "compat/stdio.h"


def test_of_several_headers_the_nearest_is_meant(tree: Tree) -> None:
    assert find_include(tree, "b/sub/use.c", "config.h") == "b/config.h"
    assert find_include(tree, "a/x.c", "config.h") == "a/config.h"


def test_a_using_declaration_leads_to_what_defines_the_name(tree: Tree) -> None:
    found = leads(tree, "src/box.cpp", 1)
    assert found is not None
    assert (found.paths, found.member) == (("include/acme/box.hpp",), "Box")
    assert leads(tree, "src/box.cpp", 2) is None


def test_a_namespace_is_all_files_that_open_it(tree: Tree) -> None:
    file = tree.file("src/box.cpp")
    assert file is not None
    found = CFamilyModules().imported(tree, file, Use("acme", "import", 1, "*", "acme"))
    assert found is not None
    assert (found.paths, found.member) == (("include/acme/box.hpp",), "")

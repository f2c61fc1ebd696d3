"""How languages with packages, namespaces and constants find what is meant in other files."""

from __future__ import annotations

import pytest

from tests.harness.graph_source import project

BOX = "package a.b;\npublic class Box { public static int size() { return 1; } enum Mode { ON } }\n"


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("import a.b.Box;", "void go(Box x) { }"),
        ("import a.b.*;", "void go(Box x) { }"),
        ("", "void go(a.b.Box x) { }"),
    ],
)
def test_a_java_type_is_found_by_its_package_wherever_its_file_lies(
    statement: str, line: str
) -> None:
    app = project(
        {"main/x/Box.java": BOX, "Use.java": f"package c;\n{statement}\nclass Use {{ {line} }}\n"}
    )
    assert app.means("Use.java", 3, "Box") == ["main/x/Box.java:Box"]


def test_java_files_of_one_package_see_each_other_and_no_others() -> None:
    app = project(
        {
            "x/Box.java": BOX,
            "y/Near.java": "package a.b;\nclass Near { Box box; }\n",
            "y/Far.java": "package a.c;\nclass Far { Box box; }\n",
        }
    )
    assert app.means("y/Near.java", 2, "Box") == ["x/Box.java:Box"]
    assert app.means("y/Far.java", 2, "Box") == []


@pytest.mark.parametrize("statement", ["a.b.Box.size", "a.b.Box.*"])
def test_static_members_are_imported_from_a_java_type(statement: str) -> None:
    text = f"import static {statement};\nclass Use {{\n int go() {{ return size(); }} }}\n"
    app = project({"Box.java": BOX, "Use.java": text})
    assert app.means("Use.java", 3, "size") == ["Box.java:Box.size"]


def test_a_type_inside_a_type_is_imported_by_its_full_name() -> None:
    text = "import a.b.Box.Mode;\nclass Use {\n Mode mode; }\n"
    app = project({"Box.java": BOX, "Use.java": text})
    assert app.means("Use.java", 3, "Mode") == ["Box.java:Box.Mode"]


def test_a_java_type_from_outside_is_not_its_namesake() -> None:
    text = "package c;\nimport java.util.Box;\nclass Use { Box x; }\n"
    app = project({"Box.java": BOX, "Use.java": text})
    assert app.means("Use.java", 3, "Box") == []


def test_kotlin_functions_are_imported_by_package_and_under_another_name() -> None:
    app = project(
        {
            "deep/util.kt": "package a.b\n\nfun start() = 1\n",
            "use.kt": "package c\nimport a.b.start as begin\n\nfun go() { begin() }\n",
            "near.kt": "package a.b\n\nfun go() { start() }\n",
        }
    )
    assert app.means("use.kt", 4, "begin") == ["deep/util.kt:start"]
    assert app.means("near.kt", 3, "start") == ["deep/util.kt:start"]


def test_scala_selectors_name_types_of_packages_written_in_steps() -> None:
    app = project(
        {
            "Box.scala": "package a\npackage b\nclass Box { def go(): Int = 1 }\n",
            "Use.scala": "import a.b.{Box => Crate}\n\nclass Use { val x = new Crate() }\n",
        }
    )
    assert app.means("Use.scala", 3, "Crate") == ["Box.scala:Box"]


CRATE = "namespace A.B {\n  public class Crate { public static void Go() { } }\n}\n"


@pytest.mark.parametrize(
    "text",
    [
        "using A.B;\nnamespace C;\nclass Use { Crate x; }\n",
        "namespace A.B.Inner;\n\nclass Use { Crate x; }\n",
        "namespace A { namespace B {\n\nclass Use { Crate x; } } }\n",
    ],
)
def test_csharp_sees_namespaces_that_it_uses_and_those_around(text: str) -> None:
    app = project({"Crate.cs": CRATE, "Use.cs": text})
    assert app.means("Use.cs", 3, "Crate") == ["Crate.cs:Crate"]


def test_csharp_sees_what_is_used_for_all_files() -> None:
    text = "namespace C;\nclass Use { Crate x; }\n"
    app = project({"Crate.cs": CRATE, "All.cs": "global using A.B;\n", "Use.cs": text})
    assert app.means("Use.cs", 2, "Crate") == ["Crate.cs:Crate"]


def test_csharp_types_and_members_are_named_by_alias_and_static_use() -> None:
    text = "using Box = A.B.Crate;\nusing static A.B.Crate;\n"
    text += "class Use {\n Box x;\n void M() { Go(); } }\n"
    app = project({"Crate.cs": CRATE, "Use.cs": text})
    assert app.means("Use.cs", 4, "Box") == ["Crate.cs:Crate"]
    assert app.means("Use.cs", 5, "Go") == ["Crate.cs:Crate.Go"]


def test_csharp_does_not_see_what_a_used_namespace_uses_itself() -> None:
    app = project(
        {
            "Crate.cs": CRATE,
            "Mid.cs": "using A.B;\nnamespace M;\nclass Mid { }\n",
            "Use.cs": "using M;\nusing System;\nclass Use { Crate x; }\n",
        }
    )
    assert app.means("Use.cs", 3, "Crate") == []


PHP = "<?php\nnamespace A\\B;\nclass Box { }\nfunction helper() { }\n"


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("use A\\B\\Box;", "Box"),
        ("use A\\B\\Box as Crate;", "Crate"),
        ("use A\\{B\\Box, Other};", "Box"),
        ("use A\\B;", "B\\Box"),
        ("", "\\A\\B\\Box"),
    ],
)
def test_php_classes_are_found_by_their_namespace(statement: str, name: str) -> None:
    text = f"<?php\nnamespace C;\n{statement}\nfunction go() {{ return new {name}(); }}\n"
    app = project({"src/Box.php": PHP, "use.php": text})
    last = name.rpartition("\\")[2]
    assert app.means("use.php", 4, last) == ["src/Box.php:Box"]


def test_php_files_of_one_namespace_see_each_other_and_functions_are_imported() -> None:
    near = "<?php\nnamespace A\\B;\nfunction go() { return new Box(); }\n"
    far = "<?php\nnamespace C;\nuse function A\\B\\helper as help;\nhelp();\n"
    app = project({"src/Box.php": PHP, "near.php": near, "far.php": far})
    assert app.means("near.php", 3, "Box") == ["src/Box.php:Box"]
    assert app.means("far.php", 4, "help") == ["src/Box.php:helper"]


def test_php_types_are_read_from_the_root_when_they_say_so_and_self_is_the_type_around() -> None:
    tool = "<?php\nnamespace Acme;\nclass Tool {\n  function turn(): %s { return $this; }\n}\n"
    text = (
        "<?php\nnamespace Web;\n"
        "function go(\\Acme\\Tool $far, Acme\\Tool $near, \\Web\\Tool $none) {\n"
        "  $far->turn();\n  $near->turn();\n  $none->turn();\n"
        "  $far->turn()->turn();\n  made()->turn();\n}\nfunction made(): \\Acme\\Tool { }\n"
    )
    files = {
        "far.php": tool % "self",
        "near.php": tool.replace("Acme", "Web\\Acme") % "static",
        "use.php": text,
    }
    app = project(files)
    meant = {line: app.means("use.php", line, "turn") for line in range(4, 9)}
    far = ["far.php:Tool.turn"]
    assert meant == {4: far, 5: ["near.php:Tool.turn"], 6: [], 7: far, 8: far}


def test_ruby_constants_are_found_from_the_modules_around_outwards() -> None:
    app = project(
        {
            "lib/a/box.rb": "module A\n  class Box\n    def self.open; end\n  end\nend\n",
            "lib/box.rb": "class Box\nend\n",
            "lib/a/use.rb": "module A\n class Use\n  def go\n   Box.new\n  end\n end\nend\n",
            "lib/top.rb": "Box.new\n\nA::Box.open\n",
        }
    )
    assert app.means("lib/a/use.rb", 4, "Box") == ["lib/a/box.rb:A.Box"]
    assert app.means("lib/top.rb", 1, "Box") == ["lib/box.rb:Box"]
    assert app.means("lib/top.rb", 3, "open") == ["lib/a/box.rb:A.Box.open"]


def test_ruby_files_are_required_below_lib_and_beside() -> None:
    app = project(
        {
            "lib/a/tools.rb": "def helper; end\n",
            "lib/a/near.rb": "require_relative 'tools'\n\nhelper\n",
            "bin/far.rb": "require 'a/tools'\n\nhelper\n",
        }
    )
    assert app.means("lib/a/near.rb", 3, "helper") == ["lib/a/tools.rb:helper"]
    assert app.means("bin/far.rb", 3, "helper") == ["lib/a/tools.rb:helper"]

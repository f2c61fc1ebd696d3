"""Two projects of a group, one using the other's package: who uses what across them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.graph_model import (
    Certainty,
    Direction,
    GraphScope,
    Relation,
    SurveyRequest,
    UsagesRequest,
)
from tests.harness.graph_asked import unused, usages
from tests.harness.graph_world import GraphWorld

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paparatsd.graph_model import Edge


@pytest.fixture
def world(tmp_path: Path) -> Iterator[GraphWorld]:
    made = GraphWorld(tmp_path)
    yield made
    made.close()


def incoming(world: GraphWorld, at: str) -> list[Edge]:
    request = UsagesRequest(at, GraphScope(), direction=Direction.INCOMING)
    side = usages(world.ground(), request).found[0].incoming
    assert side is not None
    return list(side.edges)


def outgoing(world: GraphWorld, at: str) -> list[Edge]:
    request = UsagesRequest(at, GraphScope(), direction=Direction.OUTGOING)
    side = usages(world.ground(), request).found[0].outgoing
    assert side is not None
    return list(side.edges)


def crossing(edges: list[Edge]) -> list[tuple[str, str, Certainty]]:
    """Return what is across projects, imports left out."""
    return [
        (one.symbol.project, one.symbol.path, one.certainty)
        for one in edges
        if one.cross and one.relation is not Relation.IMPORTS
    ]


def test_python_callers_are_found_through_a_source_root_and_another_import_name(
    world: GraphWorld,
) -> None:
    world.index(
        "kit",
        {
            "pyproject.toml": '[project]\nname = "acme-kit-dist"\n',
            "src/kit/__init__.py": "from .core import connect as connect\n",
            "src/kit/core.py": "def connect(url):\n    return url\n",
        },
    )
    world.index(
        "web",
        {
            "app.py": "import kit\nfrom kit.core import connect\n\n\n"
            "def start():\n    return connect(kit.connect('a'))\n",
            "other.py": "def connect():\n    pass\n\n\ndef go():\n    connect()\n",
        },
    )
    assert crossing(incoming(world, "kit:src/kit/core.py#connect")) == [
        ("web", "app.py", Certainty.EXACT)
    ]
    assert crossing(outgoing(world, "web:app.py#start")) == [
        ("kit", "src/kit/core.py", Certainty.EXACT)
    ]


def test_npm_callers_are_found_through_workspaces_scopes_and_exports(world: GraphWorld) -> None:
    world.index(
        "parts",
        {
            "package.json": '{"private": true, "workspaces": ["packages/*"]}',
            "packages/kit/package.json": '{"name": "@acme/kit", "exports": '
            '{".": "./dist/index.js", "./deep/*": "./dist/deep/*.js"}}',
            "packages/kit/src/index.ts": "export { connect } from './connect'\n",
            "packages/kit/src/connect.ts": "export function connect(url: string) { return url }\n",
            "packages/kit/src/deep/one.ts": "export function one() { return 1 }\n",
        },
    )
    world.index(
        "web",
        {
            "src/app.ts": "import { connect } from '@acme/kit'\n"
            "import { one } from '@acme/kit/deep/one'\n"
            "export function start() {\n  connect(one())\n}\n",
            "src/lone.ts": "function start() {\n  connect('x')\n}\n",
        },
    )
    found = ("web", "src/app.ts", Certainty.EXACT)
    assert crossing(incoming(world, "parts:packages/kit/src/connect.ts#connect")) == [found]
    assert crossing(incoming(world, "parts:packages/kit/src/deep/one.ts#one")) == [found]


def test_go_callers_are_found_through_the_module_path(world: GraphWorld) -> None:
    world.index(
        "kit",
        {
            "go.mod": "module go.acme.dev/kit/v2\n",
            "store/store.go": "package store\n\ntype Store struct{}\n\n"
            "func Open(name string) *Store { return nil }\n\n"
            "func (s *Store) Close() {}\n",
        },
    )
    world.index(
        "web",
        {
            "go.mod": "module go.acme.dev/web\nrequire go.acme.dev/kit/v2 v2.0.0\n",
            "main.go": 'package main\n\nimport "go.acme.dev/kit/v2/store"\n\n'
            'func main() {\n\ts := store.Open("a")\n\ts.Close()\n}\n',
        },
    )
    found = ("web", "main.go", Certainty.EXACT)
    assert crossing(incoming(world, "kit:store/store.go#Open")) == [found]
    assert crossing(incoming(world, "kit:store/store.go#Store.Close")) == [found]


def test_cargo_callers_are_found_though_crates_are_spelled_otherwise(world: GraphWorld) -> None:
    world.index(
        "kit",
        {
            "Cargo.toml": '[package]\nname = "acme-kit"\n',
            "src/lib.rs": "pub mod store;\n\npub fn connect() {}\n",
            "src/store.rs": "pub fn open() {}\n",
        },
    )
    world.index(
        "web",
        {
            "Cargo.toml": '[package]\nname = "web"\n[dependencies]\nacme-kit = "1"\n',
            "src/main.rs": "use acme_kit::store;\n\nfn main() {\n    acme_kit::connect();\n"
            "    store::open();\n}\n",
        },
    )
    found = ("web", "src/main.rs", Certainty.EXACT)
    assert crossing(incoming(world, "kit:src/lib.rs#connect")) == [found]
    assert crossing(incoming(world, "kit:src/store.rs#open")) == [found]


def test_namespaces_lead_across_projects_in_java_csharp_and_php(world: GraphWorld) -> None:
    world.index(
        "kit",
        {
            "Kit.java": "package com.acme.kit;\n\npublic class Kit {\n"
            "  public static void go() {}\n}\n",
            "Box.cs": "namespace Acme.Boxes;\n\npublic class Box {\n  public void Shut() {}\n}\n",
            "src/Tool.php": "<?php\nnamespace Acme\\Tools;\n\nclass Tool {\n"
            "  public static function turn() {}\n}\n",
        },
    )
    world.index(
        "web",
        {
            "Main.java": "package com.web;\n\nimport com.acme.kit.Kit;\n\nclass Main {\n"
            "  void run() {\n    Kit.go();\n  }\n}\n",
            "Main.cs": "using Acme.Boxes;\n\nnamespace Web;\n\nclass Main {\n"
            "  void Run() {\n    var box = new Box();\n    box.Shut();\n  }\n}\n",
            "main.php": "<?php\nuse Acme\\Tools\\Tool;\n\nfunction run() {\n  Tool::turn();\n}\n",
        },
    )
    assert crossing(incoming(world, "kit:Kit.java#Kit.go")) == [
        ("web", "Main.java", Certainty.EXACT)
    ]
    assert crossing(incoming(world, "kit:Box.cs#Box.Shut")) == [("web", "Main.cs", Certainty.EXACT)]
    assert crossing(incoming(world, "kit:src/Tool.php#Tool.turn")) == [
        ("web", "main.php", Certainty.EXACT)
    ]


def test_constants_of_a_gem_are_found_by_who_needs_it(world: GraphWorld) -> None:
    world.index(
        "kit",
        {
            "acme.gemspec": 'Gem::Specification.new do |s|\n  s.name = "acme"\nend\n',
            "lib/acme.rb": "module Acme\n  def self.connect(url)\n    url\n  end\nend\n",
        },
    )
    uses = "class Web\n  def run\n    Acme.connect(1)\n  end\nend\n"
    world.index("web", {"Gemfile": 'gem "acme"\n', "app/web.rb": uses})
    world.index("stranger", {"app/web.rb": uses})
    assert crossing(incoming(world, "kit:lib/acme.rb#Acme.connect")) == [
        ("web", "app/web.rb", Certainty.EXACT)
    ]


def test_projects_of_other_groups_and_namesakes_do_not_meet(world: GraphWorld) -> None:
    library = {
        "pyproject.toml": '[project]\nname = "kit"\n',
        "kit/__init__.py": "def connect(url):\n    return url\n",
        "tests/__init__.py": "def helper():\n    pass\n",
    }
    world.index("kit", library)
    world.index("far", {"app.py": "import kit\n\nkit.connect('a')\n"}, group="else")
    world.index(
        "near",
        {
            "app.py": "def run(thing):\n    thing.connect('a')\n    connect('b')\n",
            "more.py": "from tests import helper\n\nhelper()\n",
        },
    )
    assert crossing(incoming(world, "kit:kit/__init__.py#connect")) == []
    assert crossing(incoming(world, "kit:tests/__init__.py#helper")) == []


def unused_in(world: GraphWorld, *projects: str) -> list[str]:
    """Return what is unused in these projects when they alone are asked about."""
    answer = unused(world.ground(*projects), SurveyRequest(GraphScope()))
    return sorted(f"{one.symbol.project}:{one.symbol.qualified}" for one in answer.found)


def test_what_another_project_of_the_group_uses_is_not_unused_though_one_is_asked_about(
    world: GraphWorld,
) -> None:
    kit = {
        "pyproject.toml": '[project]\nname = "kit"\n',
        "kit/__init__.py": "def connect(url):\n    return url\n\n\n"
        "def lost(url):\n    return url\n\n\n"
        "class Box:\n    def shut(self):\n        return 1\n\n"
        "    def open_up(self):\n        return 2\n",
    }
    app = (
        "from kit import Box, connect\n\n\ndef lost(url):\n    return url\n\n\n"
        "def start():\n    box = Box()\n    box.shut()\n    return connect(lost('a'))\n"
    )
    world.index("kit", kit)
    assert unused_in(world, "kit") == [
        "kit:Box", "kit:Box.open_up", "kit:Box.shut", "kit:connect", "kit:lost",
    ]  # fmt: skip
    world.index("far", {"app.py": app}, group="else")
    assert len(unused_in(world, "kit")) == 5, "no project of another group uses it"
    world.index("web", {"app.py": app})
    assert unused_in(world, "kit") == ["kit:Box.open_up", "kit:lost"]
    assert unused_in(world, "web") == ["web:start"], "the others are not told about"
    assert unused_in(world, "kit", "web") == ["kit:Box.open_up", "kit:lost", "web:start"]


def test_what_a_package_gives_under_another_name_or_extends_is_used_across_projects(
    world: GraphWorld,
) -> None:
    world.index(
        "parts",
        {
            "package.json": '{"name": "@acme/kit", "main": "index.ts"}',
            "index.ts": "export { dial as connect } from './dial'\n",
            "dial.ts": "export function dial(url: string) { return url }\n"
            "export function left(url: string) { return url }\n"
            "export class Base { turn() { return 1 } }\n",
        },
    )
    world.index(
        "web",
        {"app.ts": "import { connect } from '@acme/kit'\nexport const go = () => connect('a')\n"},
    )
    assert unused_in(world, "parts") == ["parts:Base", "parts:Base.turn", "parts:left"]

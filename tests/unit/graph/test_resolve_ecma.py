"""What uses in JavaScript and TypeScript mean, from real text to definitions."""

from __future__ import annotations

import pytest

from paparatsd.model import Fact
from tests.harness.graph_source import project

STORE = """
export class Base {
  save() {}
}
export class Store extends Base {
  constructor(private box: Box, public name = "") { super(); }
  friend = new Box();
  static make(): Store { return new Store(new Box()); }
  open() {
    this.save();
    this.box.lift();
    this.friend.lift();
  }
}
export class Box {
  lift() { return this; }
}
export interface Named { title(): string }
export function start(): Promise<Store> { return null as any; }
export default function main() {}
"""


@pytest.mark.parametrize(
    ("line", "name", "meant"),
    [(10, "save", "Base.save"), (11, "lift", "Box.lift"), (12, "lift", "Box.lift")],
)
def test_members_of_this_are_found_by_inheritance_and_by_fields(
    line: int, name: str, meant: str
) -> None:
    assert project({"store.ts": STORE}).means("store.ts", line, name) == [f"store.ts:{meant}"]


@pytest.mark.parametrize(
    ("text", "name", "meant"),
    [
        ('import { Box } from "./store";\nnew Box().lift();', "lift", "Box.lift"),
        ('import { Store as S } from "./store";\nS.make().save();', "save", "Base.save"),
        ('import * as all from "./store";\nall.start();', "start", "start"),
        ('import begin from "./store";\nbegin();', "begin", "main"),
        ('import { start } from "./store.js";\n(await start()).save();', "save", "Base.save"),
        ('import { Named } from "./store";\nlet n: Named; n.title();', "title", "Named.title"),
        ('import { Box } from "./store";\nfor (const b of boxes as Box[]) {}', "Box", "Box"),
        ('import { Box } from "./store";\n(thing as Box).lift();', "lift", "Box.lift"),
        ('const { start } = require("./store");\nstart();', "start", "start"),
        ('const s = require("./store");\ns.start();', "start", "start"),
        ('import { start } from "src/store";\nstart();', "start", "start"),
        ('import { start } from "@/store";\nstart();', "start", "start"),
        ('import { start } from "@org/kit";\nstart();', "start", "start"),
        ('import { start } from "@org/kit/store";\nstart();', "start", "start"),
        ('import { start } from "./barrel";\nstart();', "start", "start"),
        ('import { begin } from "./barrel";\nbegin();', "begin", "start"),
        ('import { kit } from "./barrel";\nkit.start();', "start", "start"),
    ],
)
def test_an_import_of_any_form_leads_to_the_definition(text: str, name: str, meant: str) -> None:
    app = project(
        {
            "src/store.ts": STORE,
            "src/barrel.ts": 'export * from "./store";\n'
            'export { start as begin } from "./store";\n'
            'export * as kit from "./store";\n',
            "src/index.ts": 'export * from "./store";\n',
            "src/main.ts": text + "\n",
            "tsconfig.json": "{}",
            "package.json": "{}",
        },
        {
            "tsconfig.json": [
                Fact("maps", "@/*", 1, -1, "", "src/*"),
                Fact("maps", "*", 1, -1, "", "./*"),
            ],
            "package.json": [
                Fact("provides", "@org/kit", 1, -1, "npm"),
                Fact("maps", ".", 1, -1, "", "dist/index.js"),
            ],
        },
    )
    assert app.means("src/main.ts", 2, name) == [f"src/store.ts:{meant}"]


@pytest.mark.parametrize(
    ("module", "text", "meant"),
    [
        ("exports.run = function () {};", "const a = require('./a');\na.run();", "run"),
        (
            "function run() {}\nmodule.exports = { run };",
            "const a = require('./a')\na.run();",
            "run",
        ),
        ("function go() {}\nmodule.exports = go;", "const run = require('./a');\nrun();", "go"),
    ],
)
def test_what_a_commonjs_module_gives_away_is_found(module: str, text: str, meant: str) -> None:
    app = project({"a.js": f"{module}\n", "main.js": f"{text}\n"})
    assert [one.rpartition(".")[2] for one in app.means("main.js", 2, "run")] == [f"js:{meant}"]


def test_a_package_from_outside_is_named_and_not_linked_to_a_namesake() -> None:
    app = project(
        {
            "a.ts": "export function debounce() {}\n",
            "b.ts": 'import { debounce } from "lodash/fp";\ndebounce();\n',
        }
    )
    found = app.meaning("b.ts", 2, "debounce")
    assert (found.targets, found.external) == ((), "lodash")


def test_a_callbacks_parameter_hides_a_function_declared_before_it() -> None:
    text = "function next() {}\nrun(\n  (next) => {\n    next();\n  });\n"
    assert project({"a.js": text}).meaning("a.js", 4, "next").targets == ()


def test_functions_put_on_a_prototype_are_members() -> None:
    text = (
        "function View() {}\n"
        "View.prototype.draw = function () { this.clean(); };\n"
        "View.prototype.clean = function () {};\n"
        "const view = new View();\n"
        "view.draw();\n"
    )
    app = project({"a.js": text})
    assert app.means("a.js", 2, "clean") == ["a.js:View.clean"]
    assert app.means("a.js", 5, "draw") == ["a.js:View.draw"]


def test_another_language_s_namesake_is_never_meant() -> None:
    app = project({"a.py": "def unpack_it(): ...\n", "b.js": "x.unpack_it();\n"})
    assert app.meaning("b.js", 1, "unpack_it").targets == ()

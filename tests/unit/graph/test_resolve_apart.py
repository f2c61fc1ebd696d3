"""What belongs together and what does not: names of one kind, of one package, of one block."""

from __future__ import annotations

import pytest

from paparatsd.graph.resolve import symbol_of
from paparatsd.model import Fact
from tests.harness.graph_source import Project, project, spelled


def call_of(app: Project, path: str, name: str) -> set[str]:
    """Return the kinds of what the calls of a name in a file mean."""
    file = app.tree.file(path)
    assert file is not None
    calls = [use for use in file.uses_of(name) if use.kind == "call"]
    found = [one for use in calls for one in app.resolver().resolve(file, use).targets]
    return {symbol.kind for one in found if (symbol := symbol_of(one)) is not None}


def test_values_of_a_c_enum_are_names_of_the_scope_around_it() -> None:
    app = project(
        {
            "a.h": "typedef enum { RED, GREEN } colour;\nenum mode { FAST };\n"
            "typedef enum shape { ROUND } shape;\n",
            "a.c": '#include "a.h"\nint f(int x) { return g(GREEN, FAST, ROUND); }\n',
            "b.hpp": "namespace n { enum Plain { ONE }; enum class Closed { TWO };\n"
            "class K { public: enum T { INNER }; void m() { f(INNER); } }; }\n",
            "b.cpp": '#include "b.hpp"\nvoid go() { f(n::ONE, TWO); }\n',
        }
    )
    assert app.means("a.c", 2, "GREEN") == ["a.h:colour.GREEN"]
    assert app.means("a.c", 2, "FAST") == ["a.h:mode.FAST"]
    assert app.means("a.c", 2, "ROUND") == ["a.h:shape.shape.ROUND"]
    assert app.means("b.hpp", 2, "INNER") == ["b.hpp:n.K.T.INNER"]
    assert app.means("b.cpp", 2, "TWO") == []


def test_a_call_in_c_means_no_struct_of_the_same_name() -> None:
    app = project(
        {
            "a.h": "struct entry { int x; };\nint entry(int x);\n",
            "a.c": '#include "a.h"\nint entry(int x) { return x; }\n',
            "b.c": '#include "a.h"\nint f(struct entry *e) { return entry(1); }\n',
        }
    )
    assert app.means("b.c", 2, "entry") == ["a.h:entry"]
    assert call_of(app, "b.c", "entry") == {"function"}


def test_one_line_bodies_are_definitions_and_static_ones_of_other_files_are_not() -> None:
    app = project(
        {
            "a.h": "int run(int x);\n",
            "a.c": '#include "a.h"\nint run(int x) { return x; }\n',
            "b.c": "static int run(int x) { return 2; }\n",
            "c.c": '#include "a.h"\nint f(void) { return run(1); }\n',
        }
    )
    assert set(app.means("c.c", 2, "run")) == {"a.h:run", "a.c:run"}


def test_all_bodies_of_a_declaration_and_the_declaration_of_a_body_are_meant() -> None:
    body = '#include "os.h"\nint name(int x) { return x; }\n'
    app = project(
        {
            "os.h": "int name(int x);\n",
            "os-a.c": body,
            "os-b.c": body + "int own(void) { return name(1); }\n",
            "use.c": '#include "os.h"\nint f(void) { return name(1) + hidden(2); }\n',
            "far.c": "static int hidden(int x) { return x; }\n",
        }
    )
    assert set(app.means("use.c", 2, "name")) == {"os.h:name", "os-a.c:name", "os-b.c:name"}
    assert app.means("os-b.c", 3, "name") == ["os-b.c:name", "os.h:name"]
    assert app.meaning("use.c", 2, "hidden").targets == ()


def test_methods_defined_apart_see_the_members_of_their_class() -> None:
    app = project(
        {
            "box.hpp": "namespace n {\nclass Base { public: void open(); };\n"
            "class Box : public Base {\n  Box();\n  int size;\n  void grow();\n"
            "  struct Part { int at; };\n};\n}\n",
            "box.cpp": '#include "box.hpp"\nnamespace n {\nvoid Box::grow() {\n'
            "  open();\n  use(size);\n  Part part;\n  Box other;\n}\n}\n",
        }
    )
    assert app.means("box.cpp", 4, "open") == ["box.hpp:n.Base.open"]
    assert app.means("box.cpp", 5, "size") == ["box.hpp:n.Box.size"]
    assert app.means("box.cpp", 6, "Part") == ["box.hpp:n.Box.Part"]
    assert app.means("box.cpp", 7, "Box") == ["box.hpp:n.Box"]


def test_paths_of_the_standard_library_are_from_outside() -> None:
    app = project(
        {
            "a.cpp": "struct S { void swap(S& o); };\nvoid f() { std::swap(a, b); }\n",
            "a.rs": "struct Cell; impl Cell { fn swap(&self) {} }\n"
            "fn f() { std::mem::swap(a, b); Vec::swap(a, b); }\n",
        }
    )
    assert app.meaning("a.cpp", 2, "swap").external == "std"
    assert app.meaning("a.rs", 2, "swap").targets == ()


def test_go_types_of_the_same_name_in_two_packages_stay_apart() -> None:
    app = project(
        {
            "go.mod": "module example.com/app\n",
            "a/a.go": "package a\ntype Match struct{}\nfunc (m Match) Own() {}\n"
            "func use(m Match) { m.Own(); m.Other() }\n",
            "a/more.go": "package a\nfunc (m Match) Other() {}\n",
            "b/b.go": "package b\ntype Match struct{}\nfunc (m Match) Own() {}\n"
            "func (m Match) Other() {}\n",
        },
        {"go.mod": [Fact("provides", "example.com/app", 1, type="go")]},
    )
    assert app.means("a/a.go", 4, "Own") == ["a/a.go:Match.Own"]
    assert app.means("a/a.go", 4, "Other") == ["a/more.go:Match.Other"]


def test_an_extension_alone_defines_no_type() -> None:
    app = project(
        {
            "Sources/App/a.swift": "import Log\nextension Logger { func note() {} }\n"
            'func f() { Logger(label: "x") }\nstruct Own {}\n',
            "Sources/App/b.swift": "extension Own { func more() {} }\n"
            "func g(own: Own) { own.more() }\n",
        }
    )
    assert app.meaning("Sources/App/a.swift", 3, "Logger").targets == ()
    assert app.means("Sources/App/b.swift", 2, "Own") == ["Sources/App/a.swift:Own"]
    assert app.means("Sources/App/b.swift", 2, "more") == ["Sources/App/b.swift:Own.more"]


def test_swift_modules_give_on_what_they_export() -> None:
    app = project(
        {
            "Sources/Core/a.swift": "public struct Request {}\n",
            "Sources/Web/exports.swift": "@_exported import struct Core.Request\n",
            "Sources/Web/b.swift": "func f(r: Request) {}\n",
            "Sources/App/c.swift": "import Web\nfunc f(r: Request) {}\n",
        }
    )
    assert app.means("Sources/Web/b.swift", 1, "Request") == ["Sources/Core/a.swift:Request"]
    assert app.means("Sources/App/c.swift", 2, "Request") == ["Sources/Core/a.swift:Request"]


def test_rust_modules_of_files_macros_and_wrappers() -> None:
    app = project(
        {
            "Cargo.toml": "",
            "src/lib.rs": "mod b;\n#[macro_use] mod macros;\n"
            "fn f() {\n    let t = b::Maker::new().build().unwrap();\n    t.hits();\n"
            "    for one in b::all().iter() { one.clone().hits(); }\n    check!(1);\n}\n",
            "src/macros.rs": "macro_rules! check { () => {} }\n",
            "src/b.rs": "pub struct Maker;\npub struct Hit;\nimpl Clone for Hit {}\n"
            "impl Hit { pub fn hits(&self) {} }\nimpl Maker {\n"
            "    pub fn new() -> Self { Maker }\n"
            "    pub fn build(self) -> Option<Hit> { None }\n}\n"
            "pub fn all() -> Vec<Hit> { vec![] }\n",
        }
    )
    assert app.means("src/lib.rs", 4, "new") == ["src/b.rs:Maker.new"]
    for line in (5, 6):
        assert app.means("src/lib.rs", line, "hits") == ["src/b.rs:Hit.hits"]
    found = app.meaning("src/lib.rs", 7, "check")
    assert (spelled(found), found.certainty) == (["src/macros.rs:check"], "inferred")


@pytest.mark.parametrize(("line", "meant"), [(3, 2), (7, 6)])
def test_of_functions_in_sibling_callbacks_the_nearest_above_is_meant(
    line: int, meant: int
) -> None:
    app = project(
        {
            "a.ts": "it('one', () => {\n  const run = () => 1;\n  run();\n});\n"
            "it('two', () => {\n  const run = () => 2;\n  run();\n});\n"
        }
    )
    (target,) = app.meaning("a.ts", line, "run").targets
    symbol = symbol_of(target)
    assert symbol is not None
    assert symbol.start_line == meant


def test_members_of_an_object_are_no_names_of_the_scope() -> None:
    app = project(
        {
            "oven.js": "exports.bake = (x) => x;\n",
            "a.js": "const { bake } = require('./oven');\nbake(1);\n"
            "module.exports = { bake: () => 1, stop() {} };\nstop();\n",
        }
    )
    assert app.means("a.js", 2, "bake") == ["oven.js:bake"]
    assert app.meaning("a.js", 4, "stop").targets == ()


def test_a_function_declared_in_a_callback_hides_an_import() -> None:
    app = project(
        {
            "b.ts": "export function update() {}\n",
            "a.ts": "import { update } from './b';\nexport const hook = wrap(() => {\n"
            "  const update = () => 1;\n  update();\n});\n",
        }
    )
    assert app.means("a.ts", 4, "update") == ["a.ts:hook.update"]


def test_on_the_right_of_its_own_binding_a_name_is_what_it_was_before() -> None:
    app = project(
        {
            "a.py": "class Request:\n    def prepare(self): ...\n\nclass Session:\n"
            "    def send(self, r) -> 'Answer': ...\n\nclass Answer:\n"
            "    def prepare(self): ...\n\n"
            "def go(s: Session):\n    r = Request()\n    r = s.send(r.prepare())\n    r.prepare()\n"
        }
    )
    assert app.means("a.py", 12, "prepare") == ["a.py:Request.prepare"]
    assert app.means("a.py", 13, "prepare") == ["a.py:Answer.prepare"]


def test_inside_a_class_its_own_name_is_the_class_and_not_the_constructor() -> None:
    app = project(
        {
            "Box.java": "package p;\nclass Box {\n  Box() {}\n  Box grow() { return this; }\n"
            "  void go(Box other) { other.grow().grow(); }\n}\n"
        }
    )
    assert app.means("Box.java", 5, "Box") == ["Box.java:Box"]
    assert app.means("Box.java", 5, "grow") == ["Box.java:Box.grow"]


def test_java_types_inherit_from_types_inside_of_others() -> None:
    app = project(
        {
            "Out.java": "package p;\nclass Out {\n  static class Base<T> { void run() {} }\n"
            "  static class Own extends Out.Base<Out> {}\n  void go(Own own) { own.run(); }\n}\n"
        }
    )
    assert app.means("Out.java", 5, "run") == ["Out.java:Out.Base.run"]

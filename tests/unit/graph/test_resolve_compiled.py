"""What uses in Go, Rust, C, C++ and Swift mean, from real text to definitions."""

from __future__ import annotations

from paparatsd.model import Fact
from tests.harness.graph_source import project


def test_go_methods_are_found_by_receivers_fields_results_and_embedding() -> None:
    app = project(
        {
            "go.mod": "module example.com/app\n",
            "store/store.go": (
                "package store\ntype Base struct{}\nfunc (b *Base) Close() error { return nil }\n"
                "type Store struct {\n\t*Base\n\tname string\n}\n"
                "func Open() (*Store, error) { return &Store{}, nil }\n"
                "func (s *Store) Save() { s.flush() }\n"
            ),
            "store/flush.go": "package store\nfunc (s *Store) flush() {}\n",
            "main.go": (
                'package main\nimport st "example.com/app/store"\n'
                "type App struct { db *st.Store }\n"
                "func (a *App) run() {\n\tdb, err := st.Open()\n\tdb.Save()\n\ta.db.Save()\n"
                "\tdb.Close()\n\tall := []*st.Store{db}\n"
                "\tfor _, one := range all {\n\t\tone.Save()\n\t}\n"
                "\tuse(err, a.run)\n}\n"
            ),
        },
        {"go.mod": [Fact("provides", "example.com/app", 1, type="go")]},
    )
    assert app.means("main.go", 5, "Open") == ["store/store.go:Open"]
    for line in (6, 7, 11):
        assert app.means("main.go", line, "Save") == ["store/store.go:Store.Save"]
    assert app.means("main.go", 8, "Close") == ["store/store.go:Base.Close"]
    assert app.means("main.go", 13, "run") == ["main.go:App.run"]
    assert app.means("store/store.go", 9, "flush") == ["store/flush.go:Store.flush"]


def test_rust_paths_results_and_macros_lead_to_methods() -> None:
    app = project(
        {
            "Cargo.toml": "",
            "src/lib.rs": (
                "mod b;\npub use b::Builder;\npub struct Set { inner: Inner }\nstruct Inner;\n"
                "impl Set { pub fn hits(&self) -> bool { self.inner.go() } }\n"
                "impl Inner { fn go(&self) -> bool { true } }\n"
                "fn run() -> Option<()> {\n    let t = Builder::new().build()?;\n    t.hits();\n"
                "    if let Ok(u) = crate::b::Builder::new().build() { u.hits(); }\n"
                "    assert!(crate::b::make().hits() && t.hits());\n    None\n}\n"
            ),
            "src/b.rs": (
                "use super::Set;\npub struct Builder;\nimpl Builder {\n"
                "    pub fn new() -> Self { Builder }\n"
                "    pub fn build(self) -> Result<Set, Error> { todo!() }\n}\n"
                "pub fn make() -> Set { todo!() }\n"
            ),
        }
    )
    for line in (9, 10, 11):
        assert app.means("src/lib.rs", line, "hits") == ["src/lib.rs:Set.hits"]
    assert app.means("src/lib.rs", 5, "go") == ["src/lib.rs:Inner.go"]
    assert app.means("src/lib.rs", 8, "build") == ["src/b.rs:Builder.build"]
    assert app.means("src/lib.rs", 11, "make") == ["src/b.rs:make"]


def test_c_calls_and_callbacks_lead_to_declarations_and_definitions() -> None:
    app = project(
        {
            "util.h": "int util(int x);\nstruct ops { int (*cb)(int x); };\n",
            "util.c": '#include "util.h"\nint util(int x)\n{ return helper(x); }\n'
            "static int helper(int x) { return x; }\n",
            "main.c": '#include "util.h"\nstatic int helper(int x) { return x; }\n'
            "static struct ops table[] = { { helper }, { .cb = util } };\n"
            "int main(void) { return util(helper(1)); }\n",
        }
    )
    assert set(app.means("main.c", 4, "util")) == {"util.c:util", "util.h:util"}
    assert app.means("main.c", 4, "helper") == ["main.c:helper"]
    assert app.means("main.c", 3, "helper") == ["main.c:helper"]
    assert app.means("util.c", 3, "helper") == ["util.c:helper"]


def test_cpp_methods_are_found_by_declared_and_inferred_types() -> None:
    app = project(
        {
            "box.hpp": "namespace acme {\nclass ACME_API Base { public: void close(); };\n"
            "class ACME_API Box : public Base {\npublic: Box& self(); int at(int i) const; };\n"
            "Box make();\n}\n",
            "box.cpp": '#include "box.hpp"\nnamespace acme {\n'
            "int Box::at(int i) const\n{ return i; }\nBox make() { return Box(); }\n}\n",
            "main.cpp": '#include "box.hpp"\nint main() {\n  acme::Box b;\n  b.at(1);\n'
            "  auto c = acme::make();\n  c.self().at(2);\n  c.close();\n}\n",
        }
    )
    for line in (4, 6):
        assert set(app.means("main.cpp", line, "at")) == {
            "box.cpp:acme.Box.at", "box.hpp:acme.Box.at",
        }  # fmt: skip
    assert app.means("main.cpp", 7, "close") == ["box.hpp:acme.Base.close"]


def test_swift_members_are_found_across_the_files_of_a_module() -> None:
    app = project(
        {
            "Sources/Core/Box.swift": "public struct Box { func at() -> Shape { Shape() } }\n",
            "Sources/Core/Shape.swift": "struct Shape { func area() {} }\n"
            "extension Box { func draw() { self.at().area() } }\n",
            "Sources/App/main.swift": "import Core\nfunc run(box: Box?) {\n"
            "    guard let one = box else { return }\n    one.draw()\n}\n",
        }
    )
    assert app.means("Sources/App/main.swift", 4, "draw") == ["Sources/Core/Shape.swift:Box.draw"]
    assert app.means("Sources/Core/Shape.swift", 2, "area") == [
        "Sources/Core/Shape.swift:Shape.area"
    ]

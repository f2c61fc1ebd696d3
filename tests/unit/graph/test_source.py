"""A project's view and its decoded files: what is looked up, kept, and how much of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.graph.files import Files
from paparatsd.model import Fact, VersionId
from tests.harness.graph_source import MemorySource, project

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from paparatsd.store.rows import FilePacks

TEXT = """import a.b
from c import d as e


class Box:
    size: int = 3

    def open(self, key):
        def inner():
            return key
        self.lid = Lid()
        return inner()


def make(): return Box()
"""


def test_paths_are_found_by_folder() -> None:
    tree = project({"a.py": "", "lib/b.py": "", "lib/sub/c.py": "", "lib0.py": ""}).tree
    assert list(tree.below("lib")) == ["lib/b.py", "lib/sub/c.py"]
    assert list(tree.below("")) == ["a.py", "lib/b.py", "lib/sub/c.py", "lib0.py"]
    assert list(tree.inside("lib")) == ["lib/b.py"]
    assert list(tree.inside("")) == ["a.py", "lib0.py"]
    assert tree.has_folder("lib/sub")
    assert not tree.has_folder("li")


def test_only_what_a_project_shows_has_a_version_and_a_file() -> None:
    tree = project({"a.py": "", "b.py": ""}).tree
    version = tree.version("b.py")
    assert version is not None
    assert tree.version("c.py") is None
    assert tree.file("c.py") is None


def test_names_meet_in_their_exact_spelling() -> None:
    tree = project({"a.py": "def Run(): ...\ndef run(): ...\nrun()\n", "b.py": "Run()\n"}).tree
    assert [one.index for one in tree.defining(["run"])["run"]] == [1]
    assert tree.using(["run", "Run", "no"]) == {"run": ("a.py",), "Run": ("b.py",), "no": ()}


def test_labels_name_the_files_that_have_them() -> None:
    fact = Fact("package", "org.box", 1)
    tree = project({"a.py": "", "b.py": ""}, {"b.py": [fact]}).tree
    assert tree.labelled("package", "org.box") == ("b.py",)
    assert tree.labels("package") == {"org.box": ("b.py",)}
    assert tree.facts("b.py", "package") == [fact]


def test_a_file_tells_what_stands_around_a_line_and_inside_a_symbol() -> None:
    file = project({"a.py": TEXT}).tree.file("a.py")
    assert file is not None
    names = [file.symbols[file.around(line)].name for line in (7, 8, 10, 11)]
    assert names == ["Box", "open", "inner", "open"]
    assert file.around(1) == -1
    assert {*file.members(file.named("Box")[0])} == {"size", "open"}
    assert [file.symbols[at].name for at in file.children(-1)] == ["Box", "make"]


def test_a_file_tells_what_is_bound_and_returned() -> None:
    file = project({"a.py": TEXT}).tree.file("a.py")
    assert file is not None
    [box], [opened], [make] = (file.named(name) for name in ("Box", "open", "make"))
    size = file.binds(box, "size")
    assert size is not None
    assert size.type == "int"
    assert file.binds(opened, "key") is not None
    assert [one.value for one in file.own_fields("lid")] == ["Lid()"]
    assert file.yields(make) == ["Box()"]


def test_an_import_is_found_by_the_name_that_it_binds() -> None:
    file = project({"a.py": TEXT}).tree.file("a.py")
    assert file is not None
    assert {*file.imports} == {"a", "e"}
    assert file.imports["a"][0].target == "a"


def test_a_file_is_decoded_once_and_only_when_asked_for() -> None:
    app = project({"a.py": TEXT, "b.py": ""})
    assert app.source.asked == []
    assert app.tree.file("a.py") is app.tree.file("a.py")
    assert app.source.asked == [app.tree.version("a.py")]


def test_decoded_files_are_kept_within_a_bound() -> None:
    source = project({f"{at}.py": TEXT for at in range(20)}).source
    files = Files(max_bytes=30_000)
    shown = [(path, source.ids[path]) for path in source.paths]
    for file in files.all(source, shown):
        assert file.symbols
        assert file.uses
    files.get(source, shown[-1][1], shown[-1][0])
    assert 0 < files.bytes <= 30_000


def test_many_files_come_in_the_order_they_were_asked_for() -> None:
    app = project({"a.py": "", "b.py": "", "c.py": ""})
    assert [one.path for one in app.tree.files(["c.py", "a.py", "no.py"])] == ["c.py", "a.py"]


def test_a_version_that_is_gone_is_no_file() -> None:
    class Emptied(MemorySource):
        def packs_of(self, ids: Iterable[VersionId]) -> Iterator[tuple[VersionId, FilePacks]]:
            del ids
            return iter(())

    parsed = project({"a.py": ""}).source.parsed
    source = Emptied(parsed)
    assert Files().get(source, source.ids["a.py"], "a.py") is None

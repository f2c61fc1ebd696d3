"""What uses in Python mean, from real text to definitions."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.harness.graph_source import Project, project, spelled


def python(**files: str) -> Project:
    """Make a project; `a__b` is the file a/b.py."""
    return project(
        {f"{name.replace('__', '/')}.py": dedent(text).lstrip() for name, text in files.items()}
    )


def test_a_function_of_the_same_file_is_meant() -> None:
    app = python(a="def run(): ...\nrun()\n")
    assert app.means("a.py", 2, "run") == ["a.py:run"]


def test_an_imported_name_is_followed_through_a_package_and_an_alias() -> None:
    app = project(
        {
            "pkg/__init__.py": "from .deep import start as begin\n",
            "pkg/deep.py": "def start(): ...\n",
            "main.py": "from pkg import begin\n\nbegin()\n",
        }
    )
    assert app.means("main.py", 3, "begin") == ["pkg/deep.py:start"]


def test_a_star_import_gives_what_the_module_defines() -> None:
    app = python(a="def helper(): ...\n", b="from a import *\n\nhelper()\n")
    assert app.means("b.py", 3, "helper") == ["a.py:helper"]


@pytest.mark.parametrize(
    ("statement", "call"),
    [
        ("import pkg.deep", "pkg.deep.start()"),
        ("import pkg.deep as d", "d.start()"),
        ("from pkg import deep", "deep.start()"),
        ("import pkg", "pkg.deep.start()"),
    ],
)
def test_a_function_is_reached_through_its_module(statement: str, call: str) -> None:
    app = project(
        {
            "src/pkg/__init__.py": "",
            "src/pkg/deep.py": "def start(): ...\n",
            "tests/test_it.py": f"{statement}\n\n{call}\n",
            "pyproject.toml": "",
        }
    )
    assert app.means("tests/test_it.py", 3, "start") == ["src/pkg/deep.py:start"]


def test_relative_imports_climb_as_many_packages_as_they_have_dots() -> None:
    app = project(
        {
            "p/__init__.py": "",
            "p/base.py": "class Base: ...\n",
            "p/q/__init__.py": "",
            "p/q/child.py": "from ..base import Base\n\n\nclass Child(Base): ...\n",
        }
    )
    assert app.means("p/q/child.py", 4, "Base") == ["p/base.py:Base"]


def test_a_module_of_the_standard_library_is_not_a_namesake() -> None:
    app = python(tools__json="def loads(): ...\n", main="import json\n\njson.loads()\n")
    found = app.meaning("main.py", 3, "loads")
    assert (found.targets, found.external) == ((), "json")


def test_a_name_from_outside_is_not_linked_to_a_namesake() -> None:
    app = python(a="def fetch_all(): ...\n", b="from requests import fetch_all\n\nfetch_all()\n")
    found = app.meaning("b.py", 3, "fetch_all")
    assert (found.targets, found.external) == ((), "requests")


def test_an_unbound_name_is_built_in_and_not_a_namesake() -> None:
    app = python(a="def sorted(): ...\n", b="sorted()\n")
    assert app.meaning("b.py", 1, "sorted").targets == ()


def test_a_parameter_hides_the_function_of_its_name() -> None:
    app = python(a="def run(): ...\n\n\ndef twice(run):\n    run()\n")
    assert app.meaning("a.py", 5, "run").targets == ()


def test_a_variable_that_is_a_function_means_the_function() -> None:
    app = python(a="def run(): ...\n\n\ndef twice():\n    again = run\n    again()\n")
    assert app.means("a.py", 6, "again") == ["a.py:run"]


MODEL = """
class Base:
    def save(self): ...

    @classmethod
    def make(cls) -> "Self": ...


class User(Base):
    name: "Name"

    def __init__(self, box: "Box | None" = None):
        self.box = box
        self.friend = Name()

    def rename(self):
        self.save()
        self.box.open()
        self.friend.check()
        self.name.check()
        super().save()


class Name:
    def check(self): ...


class Box:
    def open(self): ...
"""


@pytest.mark.parametrize(
    ("line", "name", "meant"),
    [
        (16, "save", "Base.save"),
        (17, "open", "Box.open"),
        (18, "check", "Name.check"),
        (19, "check", "Name.check"),
        (20, "save", "Base.save"),
    ],
)
def test_members_of_self_are_found_by_inheritance_and_by_fields(
    line: int, name: str, meant: str
) -> None:
    assert python(m=MODEL).means("m.py", line, name) == [f"m.py:{meant}"]


@pytest.mark.parametrize(
    "text",
    [
        "from m import User\n\nUser().save()\n",
        "from m import User\n\nUser.make().save()\n",
        "import m\n\nm.User().save()\n",
        "from m import User\n\ndef f(u: User): u.save()\n",
        "from m import User\n\ndef f(us: list[User]): us[0].save()\n",
    ],
)
def test_a_receiver_is_known_by_its_constructor_or_annotation(text: str) -> None:
    assert python(m=MODEL, a=text).means("a.py", 3, "save") == ["m.py:Base.save"]


@pytest.mark.parametrize(
    "body",
    [
        "    return m.User()\n",
        "    user = m.User()\n    return user\n",
    ],
)
def test_a_receiver_is_known_by_what_a_function_returns(body: str) -> None:
    text = f"import m\n\n\ndef get():\n{body}\n\nget().save()\n"
    line = text.count("\n")
    assert python(m=MODEL, a=text).means("a.py", line, "save") == ["m.py:Base.save"]


def test_calling_a_class_means_its_constructor_too() -> None:
    app = python(m=MODEL, a="from m import User\n\nUser()\n")
    assert app.means("a.py", 3, "User") == ["m.py:User", "m.py:User.__init__"]


def test_the_nearest_override_in_method_resolution_order_wins() -> None:
    app = python(
        a="""
        class Top:
            def go(self): ...
        class Left(Top): ...
        class Right(Top):
            def go(self): ...
        class Both(Left, Right): ...
        Both().go()
        """
    )
    assert app.means("a.py", 7, "go") == ["a.py:Right.go"]


def test_a_base_from_outside_may_have_any_member() -> None:
    app = python(
        a="from django import Model\nclass M(Model): ...\nM().refresh()\n",
        b="class Other:\n    def refresh(self): ...\n",
    )
    assert app.meaning("a.py", 3, "refresh").targets == ()


def test_an_unknown_receiver_is_guessed_when_nothing_else_has_the_name() -> None:
    app = python(a="class Box:\n    def unpack_it(self): ...\n", b="def f(x):\n    x.unpack_it()\n")
    found = app.meaning("b.py", 2, "unpack_it")
    assert (found.certainty, spelled(found)) == ("inferred", ["a.py:Box.unpack_it"])


def test_several_definitions_are_ambiguous_and_the_nearest_comes_first() -> None:
    app = project(
        {
            "x/a.py": "class A:\n    def unpack_it(self): ...\n",
            "y/a.py": "class A:\n    def unpack_it(self): ...\n",
            "y/b.py": "def f(x):\n    x.unpack_it()\n",
        }
    )
    found = app.meaning("y/b.py", 2, "unpack_it")
    assert found.certainty == "ambiguous"
    assert spelled(found) == ["y/a.py:A.unpack_it", "x/a.py:A.unpack_it"]


def test_methods_that_everybody_has_are_not_guessed() -> None:
    app = python(a="class Box:\n    def get(self): ...\n", b="def f(x):\n    x.get()\n")
    assert app.meaning("b.py", 2, "get").targets == ()


def test_a_name_defined_in_too_many_places_is_said_to_be() -> None:
    files = {f"m{at}.py": "class A:\n    def unpack_it(self): ...\n" for at in range(51)}
    app = project({**files, "b.py": "def f(x):\n    x.unpack_it()\n"})
    found = app.meaning("b.py", 2, "unpack_it")
    assert (found.targets, found.crowded) == ((), True)


def test_definitions_that_ask_for_each_other_end() -> None:
    app = python(a="a = b.c()\nb = a.d()\nb.run_now()\n")
    assert app.meaning("a.py", 3, "run_now").targets == ()


def test_candidates_are_found_under_aliases_too() -> None:
    app = project(
        {
            "a.py": "def start(): ...\n",
            "b.py": "from a import start as begin\n\nbegin()\n",
            "c.py": "import a\n\na.start()\n",
        }
    )
    [start] = app.resolver().named("start")
    found = [(file.path, use.line, use.kind) for file, use in app.resolver().candidates(start)]
    assert found == [("b.py", 1, "import"), ("b.py", 3, "call"), ("c.py", 3, "call")]


def test_a_package_of_another_project_is_found() -> None:
    from paparatsd.model import Fact

    library = project(
        {"lib/__init__.py": "def start(): ...\n", "pyproject.toml": ""},
        {"pyproject.toml": [Fact("provides", "lib", 1, -1, "pypi")]},
        name="lib",
        project_id=2,
    )
    app = python(main="from lib import start\n\nstart()\n")
    assert app.means("main.py", 3, "start") == []
    assert app.means("main.py", 3, "start", library) == ["lib/__init__.py:start"]


def test_what_a_person_writes_finds_definitions_best_first() -> None:
    app = python(m=MODEL, tests__test_m="def save(): ...\n")
    resolver = app.resolver()
    assert [one.path for one in resolver.named("save")] == ["m.py", "tests/test_m.py"]
    assert len(resolver.named("Base.save")) == 1
    assert resolver.named("m.Base.save") == resolver.named("Base::save")
    assert resolver.named("Box.save") == []


def test_a_method_knows_what_it_overrides() -> None:
    app = python(a="class Top:\n    def go(self): ...\nclass Low(Top):\n    def go(self): ...\n")
    resolver = app.resolver()
    [over] = list(resolver.named("Low.go"))
    assert resolver.overridden(over) == list(resolver.named("Top.go"))
    assert [one.index for one in resolver.bases(resolver.named("Low")[0])] == [0]


def test_modules_that_take_all_names_of_each_other_give_what_a_third_defines() -> None:
    app = python(
        one="from two import *\nfrom three import *\n",
        two="from one import *\n",
        three="def helper(): ...\n",
        main="import one\nimport two\n\none.helper()\ntwo.helper()\n",
    )
    resolver = app.resolver()
    file = app.tree.file("main.py")
    assert file is not None
    for line in (4, 5):
        found = resolver.resolve(file, app.use("main.py", line, "helper"))
        assert spelled(found) == ["three.py:helper"]


def test_a_long_line_of_descent_is_followed_to_its_beginning() -> None:
    classes = ["class Kind0:\n    def origin(self): ...\n"]
    classes += [f"class Kind{at}(Kind{at - 1}): ...\n" for at in range(1, 50)]
    app = python(a="".join(classes) + "Kind49().origin()\n")
    assert app.means("a.py", 52, "origin") == ["a.py:Kind0.origin"]


def test_hostile_chains_and_circles_of_inheritance_end() -> None:
    app = python(
        a="class Egg(Hen): ...\nclass Hen(Egg): ...\n" + "Egg()" + ".next()" * 9 + ".lay_it()\n"
    )
    assert app.meaning("a.py", 3, "lay_it").targets == ()


def test_a_line_of_descent_without_end_is_given_up() -> None:
    classes = [f"class Kind{at}(Kind{at - 1}): ...\n" for at in range(1, 900)]
    app = python(a="class Kind0: ...\n" + "".join(classes) + "Kind899().origin_of_all()\n")
    assert app.meaning("a.py", 901, "origin_of_all").targets == ()


def test_a_tests_parameter_is_what_the_fixture_of_its_name_makes() -> None:
    app = project(
        {
            "box.py": "class Box:\n    def open(self): ...\n",
            "tests/conftest.py": "import pytest\nfrom box import Box\n\n\n"
            "@pytest.fixture\ndef full():\n    return Box()\n\n\n"
            "@pytest.fixture()\ndef lid(full):\n    return full\n",
            "tests/test_box.py": "def test_it(full, lid):\n    full.open()\n    lid.open()\n\n\n"
            "def helper(full):\n    full.open()\n",
        }
    )
    assert app.means("tests/test_box.py", 2, "open") == ["box.py:Box.open"]
    assert app.means("tests/test_box.py", 3, "open") == ["box.py:Box.open"]
    assert app.means("tests/test_box.py", 7, "open") == []


def test_a_function_that_gives_itself_has_no_members() -> None:
    app = python(a="def again():\n    return again\n\n\nagain.twice_over()\nagain().twice_over()\n")
    assert app.meaning("a.py", 5, "twice_over").targets == ()
    assert app.meaning("a.py", 6, "twice_over").targets == ()

"""Expressions and types reduced to what tells which definition they mean."""

from __future__ import annotations

import pytest

from paparatsd.chunks.expressions import reduce_expression, reduce_type


@pytest.mark.parametrize(
    ("text", "chain"),
    [
        ("name", "name"),
        ("await new Client(url, {a: 1}).session('x')", "Client().session()"),
        ('&Foo{name: "}"}', "Foo()"),
        ("Foo::<T>::new(a)", "Foo::new()"),
        ("List<Foo>()", "List()"),
        ("self.db.get(a)[0].name", "self.db.get()[].name"),
        ("x?.y()!!.z", "x.y().z"),
        ('x("it\'s (")', "x()"),
        ("x('\\'(')", "x()"),
        ("given or Client(url)", "Client()"),
        ("options || {}", "options"),
        ("this.#repo.find(a, [b])", "this.#repo.find()"),
        ("$this->repo->find(1)", "$this->repo->find()"),
    ],
)
def test_a_chain_of_names_and_calls_loses_its_arguments(text: str, chain: str) -> None:
    assert reduce_expression(text) == chain


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a + b",
        "a if b else c",
        "3",
        "'text'",
        "'text'.join(x)",
        "f(",
        "x)",
        "[1, 2]",
        "None",
        "function (a) { b() }",
    ],
)
def test_what_is_no_chain_says_nothing(text: str) -> None:
    assert reduce_expression(text) == ""


def test_a_chain_too_long_to_be_followed_says_nothing() -> None:
    assert reduce_expression("a." * 100 + "b") == ""


def test_a_type_loses_its_colon_and_its_line_breaks() -> None:
    assert reduce_type(": Map<\n  string,\n  User>") == "Map< string, User>"
    assert reduce_type("-> int") == "int"
    assert reduce_type("x" * 200) == ""

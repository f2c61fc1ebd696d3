"""How languages differ in what a bare name means."""

from __future__ import annotations

from tests.harness.graph_source import project


def test_a_variable_does_not_hide_the_method_of_its_name_in_java() -> None:
    text = (
        "class Box {\n"
        "  Reader reader(String text) { return null; }\n"
        '  void run() { Reader reader = reader("a"); reader.open(); }\n'
        "}\n"
        "class Reader { void open() {} }\n"
    )
    app = project({"Box.java": text})
    assert app.means("Box.java", 3, "reader") == ["Box.java:Box.reader"]
    assert app.means("Box.java", 3, "open") == ["Box.java:Reader.open"]


def test_members_need_no_receiver_where_this_is_implicit() -> None:
    app = project(
        {
            "a/Base.java": "package a;\npublic class Base { void save() {} }\n",
            "a/Box.java": "package a;\nclass Box extends Base { void run() { save(); } }\n",
        }
    )
    assert app.means("a/Box.java", 2, "save") == ["a/Base.java:Base.save"]


def test_a_field_called_like_its_type_has_that_type() -> None:
    text = (
        "package main\n\n"
        "type Options struct{}\n\n"
        "func (o *Options) Check() {}\n\n"
        "type Command struct {\n\tOptions Options\n}\n\n"
        "func run(c *Command) {\n\tc.Options.Check()\n}\n"
    )
    assert project({"main.go": text}).means("main.go", 12, "Check") == ["main.go:Options.Check"]

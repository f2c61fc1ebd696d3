"""Functions that are called as members of types that they are not written in, and made objects."""

from __future__ import annotations

from paparatsd.graph.resolve import symbol_of
from tests.harness.graph_source import project, spelled


def test_csharp_extension_methods_are_members_of_what_they_extend() -> None:
    app = project(
        {
            "Ext.cs": "namespace N;\npublic static class Ext {\n"
            "  public static Builder AddRetry(this Builder b, int x) => b;\n"
            "  public static T Named<T>(this T b) where T : BuilderBase => b;\n"
            "  public static int AddRetry(this string s) => 1;\n}\n",
            "Builder.cs": "namespace N;\npublic class BuilderBase { }\n"
            "public class Builder : BuilderBase { public void Build() {} }\n",
            "Use.cs": "namespace N;\npublic class Use {\n  void Go(Builder b) {\n"
            "    b.AddRetry(1).Named().Build();\n  }\n}\n",
        }
    )
    assert app.means("Use.cs", 4, "AddRetry") == ["Ext.cs:Ext.AddRetry"]
    (found,) = app.meaning("Use.cs", 4, "AddRetry").targets
    symbol = symbol_of(found)
    assert symbol is not None
    assert symbol.start_line == 3
    assert app.means("Use.cs", 4, "Named") == ["Ext.cs:Ext.Named"]
    assert app.means("Use.cs", 4, "Build") == ["Builder.cs:Builder.Build"]


def test_kotlin_extensions_have_members_of_their_receiver_and_are_members_of_it() -> None:
    app = project(
        {
            "a.kt": "package p\nclass Sink {\n  fun write(): Sink = this\n}\n"
            "fun Sink.both() {\n  write()\n  this.write()\n}\n"
            "fun String.toPath(): Sink = Sink()\n"
            "fun go(sink: Sink, name: String) {\n  sink.both()\n  name.toPath().write()\n"
            '  "x".toPath()\n  both()\n}\n',
        }
    )
    for line in (6, 7, 12):
        assert app.means("a.kt", line, "write") == ["a.kt:Sink.write"]
    assert app.means("a.kt", 11, "both") == ["a.kt:both"]
    for line in (12, 13):
        assert app.means("a.kt", line, "toPath") == ["a.kt:toPath"]
    assert app.meaning("a.kt", 14, "both").certainty == "inferred"


def test_swift_extensions_of_foreign_types_are_found_by_the_types_name() -> None:
    app = project(
        {
            "Sources/App/a.swift": "extension String { func shout() -> String { self } }\n"
            'func f(name: String) { name.shout(); "x".shout() }\nfunc g(x: Int) { x.shout() }\n'
        }
    )
    assert app.means("Sources/App/a.swift", 2, "shout") == ["Sources/App/a.swift:String.shout"]
    assert app.means("Sources/App/a.swift", 3, "shout") == []


def test_values_of_a_type_parameter_have_the_members_of_its_bound() -> None:
    app = project(
        {
            "a.cs": "class Vessel { public void Sail() {} }\nclass Dock {\n"
            "  void Go<T>(T guest) where T : Vessel { guest.Sail(); }\n}\n",
            "B.java": "class Bee { void work() {} }\nclass Hive {\n"
            "  <T extends Bee> void go(T bee) { bee.work(); }\n}\n",
            "c.rs": "trait Thread { fn length(&self) {} }\n"
            "fn go<T: Thread>(one: T) { one.length(); }\n",
        }
    )
    assert app.means("a.cs", 3, "Sail") == ["a.cs:Vessel.Sail"]
    assert app.means("B.java", 3, "work") == ["B.java:Bee.work"]
    assert app.means("c.rs", 2, "length") == ["c.rs:Thread.length"]


def test_csharp_attributes_are_named_without_their_ending_and_types_unseen_are_guessed() -> None:
    app = project(
        {
            "a.cs": "namespace A;\npublic class MarkAttribute { }\n"
            "public static class Guard { public static void NotNull(object o) {} }\n"
            "public static class Math { public static int Max(int a) => a; }\n",
            "b.cs": "using System;\nnamespace B;\n[Mark] public class Use {\n"
            "  void Go() { Guard.NotNull(1); Math.Max(1); Console.Write(1); }\n}\n",
            "c.cs": "namespace A;\n[Mark] class Near { }\n",
        }
    )
    assert app.means("c.cs", 2, "Mark") == ["a.cs:MarkAttribute"]
    found = app.meaning("b.cs", 4, "NotNull")
    assert (spelled(found), found.certainty) == (["a.cs:Guard.NotNull"], "inferred")
    assert app.meaning("b.cs", 4, "Max").targets == ()


def test_ruby_objects_are_what_their_makers_give() -> None:
    app = project(
        {
            "lib/web.rb": "module Web\n  class Link\n    def get; end\n  end\n"
            "  def self.open\n    Link.new\n  end\nend\n",
            "use.rb": "require 'web'\nlink = Web.open\nlink.get\nWeb::Link.new.get\nJSON.open\n",
        }
    )
    for line in (3, 4):
        assert app.means("use.rb", line, "get") == ["lib/web.rb:Web.Link.get"]
    assert app.means("use.rb", 2, "open") == ["lib/web.rb:Web.open"]
    assert app.meaning("use.rb", 3, "link").targets == ()
    assert app.meaning("use.rb", 5, "open").targets == ()

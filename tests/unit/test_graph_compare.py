"""Two texts of a file, compared as symbols: removed, added, renamed, modified."""

from __future__ import annotations

from paparatsd.graph.compare import compare, likeness, read_side
from paparatsd.graph_model import ChangeKind

OLD = '''
LIMIT = 3


class Cart:
    """Holds items."""

    def add(self, item):
        self.items.append(item)
        return self.total() + item.price

    def total(self):
        return sum(item.price for item in self.items if item.price)


def checkout(cart, card, address):
    amount = cart.total()
    card.charge(amount)
    return send(address, amount)


def old_thing():
    return 1
'''


def touched(old: str | None, new: str | None) -> set[tuple[str, str, str, tuple[int, ...]]]:
    return {
        (one.change.value, one.symbol.qualified, one.before, one.lines)
        for one in compare(read_side("a.py", old), read_side("a.py", new))
    }


def test_the_same_text_touches_nothing_and_neither_do_moved_lines() -> None:
    assert touched(OLD, OLD) == set()
    assert touched(OLD, "# a line more\n\n\n" + OLD) == set()
    assert touched(OLD, OLD.replace("\n", "\r\n")) == set()


def test_a_changed_line_touches_the_innermost_symbol_around_it() -> None:
    assert touched(OLD, OLD.replace("if item.price)", "if item.cost)")) == {
        ("modified", "Cart.total", "", (13,))
    }
    assert touched(OLD, OLD.replace("LIMIT = 3", "LIMIT = 4")) == {("modified", "LIMIT", "", (2,))}
    assert touched(OLD, OLD.replace("Holds items", "Holds")) == {("modified", "Cart", "", (6,))}


def test_a_line_that_is_gone_touches_what_it_was_in() -> None:
    assert touched(OLD, OLD.replace("    card.charge(amount)\n", "")) == {
        ("modified", "checkout", "", ())
    }


def test_what_is_gone_and_what_has_come_is_told_once_for_all_inside() -> None:
    class_gone = OLD.replace(OLD[OLD.index("class") : OLD.index("def checkout")], "")
    assert touched(OLD, class_gone) == {("removed", "Cart", "", ())}
    assert {one[:3] for one in touched(class_gone, OLD)} == {("added", "Cart", "")}
    assert {one[:3] for one in touched(OLD, None)} == {
        ("removed", name, "") for name in ("LIMIT", "Cart", "checkout", "old_thing")
    }
    assert {one[:2] for one in touched(None, OLD)} == {
        ("added", name) for name in ("LIMIT", "Cart", "checkout", "old_thing")
    }


def test_another_name_for_nearly_the_same_body_is_a_rename() -> None:
    new = OLD.replace("def checkout(cart, card, address)", "def pay(cart, card, address, now)")
    assert touched(OLD, new) == {("renamed", "pay", "checkout", (16,))}


def test_members_of_a_renamed_type_are_told_only_when_they_changed() -> None:
    new = OLD.replace("class Cart", "class Basket").replace("+ item.price", "+ item.cost")
    assert touched(OLD, new) == {
        ("renamed", "Basket", "Cart", (5,)),
        ("modified", "Basket.add", "", (10,)),
    }


def test_short_bodies_are_no_renames_unless_equal() -> None:
    assert {one[:3] for one in touched("def a():\n    return 1\n", "def b():\n    raise\n")} == {
        ("removed", "a", ""), ("added", "b", ""),
    }  # fmt: skip
    assert ChangeKind.RENAMED in {
        one.change
        for one in compare(
            read_side("a.py", "def a():\n    return 1\n"),
            read_side("a.py", "def b():\n    return 1\n"),
        )
    }


def test_overloads_of_one_name_are_told_apart() -> None:
    old = "class A {\n  void f(int a) { g(); }\n  void f(String a) { h(); }\n}\n"
    new = old.replace("h();", "h(2);")
    found = compare(read_side("A.java", old), read_side("A.java", new))
    assert [(one.symbol.qualified, one.nth, one.lines) for one in found] == [("A.f", 2, (3,))]


def test_likeness_is_the_share_of_words_in_order() -> None:
    words = [f"w{at}" for at in range(20)]
    assert likeness(words, words) == 1.0
    assert likeness(words, words[::-1]) < 0.1
    assert likeness(words, [*words[:18], "x", "y"]) == 0.9


def test_texts_of_lines_that_are_all_alike_are_compared_in_time() -> None:
    old = "".join(f"# {at % 90}\n" for at in range(12_000))
    new = "".join(f"# {at * 7 % 91}\n" for at in range(12_000))
    assert compare(read_side("a.py", old), read_side("a.py", new)) is not None


def test_very_many_functions_that_came_and_went_are_compared_in_time() -> None:
    def module(mark: str) -> str:
        return "".join(
            f"def {mark}{at}(a, b):\n    if a > {at}:\n        return b\n    return a\n\n\n"
            for at in range(300)
        )

    found = compare(read_side("a.py", module("f")), read_side("a.py", module("g")))
    assert {one.change for one in found} <= set(ChangeKind)
    assert len(found) >= 300

"""Who uses what, over a real catalog and the real parser: edges, places, names, bounds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadQuery, UnknownAddress
from paparatsd.graph.definition import definition
from paparatsd.graph_model import (
    Certainty,
    DefinitionRequest,
    Direction,
    GraphScope,
    Relation,
    UsagesRequest,
)
from paparatsd.model import Fact, GroupName
from tests.harness.graph_asked import usages
from tests.harness.graph_world import GraphWorld

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from paparatsd.graph_model import DefinitionAnswer, Edge, UsagesAnswer

SHOP = {
    "shop/__init__.py": "",
    "shop/base.py": (
        "class Gateway:\n"
        "    def __init__(self, key):\n"
        "        self.key = key\n\n"
        "    def charge(self, amount):\n"
        "        raise NotImplementedError\n"
    ),
    "shop/card.py": (
        "from shop.base import Gateway\n"
        "from shop.limits import check as check_limit\n\n\n"
        "class CardGateway(Gateway):\n"
        "    def charge(self, amount):\n"
        "        check_limit(amount)\n"
        "        return self.post(amount)\n\n"
        "    def post(self, amount):\n"
        "        return amount\n"
    ),
    "shop/limits.py": "def check(amount):\n    return amount < 5\n",
    "shop/cart.py": (
        "from shop.base import Gateway\n"
        "from shop.card import CardGateway\n\n\n"
        "def checkout(cart):\n"
        "    gateway = CardGateway('k')\n"
        "    return gateway.charge(cart.sum)\n\n\n"
        "def settle(gateway: Gateway, cart):\n"
        "    return gateway.charge(cart.sum)\n"
    ),
    "tests/test_card.py": (
        "from shop.card import CardGateway\n\n\n"
        "def test_charges_once():\n"
        "    assert CardGateway('k').charge(3)\n"
    ),
}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[GraphWorld]:
    world = GraphWorld(tmp_path)
    world.index("shop", SHOP)
    yield world
    world.close()


def ask(world: GraphWorld, at: str, **more: Any) -> UsagesAnswer:
    return usages(world.ground(), UsagesRequest(at, more.pop("scope", GraphScope()), **more))


def define(world: GraphWorld, at: str) -> DefinitionAnswer:
    return definition(world.ground(), DefinitionRequest(at, GraphScope()))


def incoming(world: GraphWorld, at: str, **more: Any) -> dict[tuple[str, str], Edge]:
    """Return the incoming edges of the only symbol meant, by relation and user."""
    (found,) = ask(world, at, **more).found
    assert found.incoming is not None
    return {(edge.relation.value, edge.symbol.qualified): edge for edge in found.incoming.edges}


def test_users_come_with_relation_certainty_and_lines(world: GraphWorld) -> None:
    edges = incoming(world, "CardGateway.charge")
    assert edges["calls", "checkout"].certainty is Certainty.EXACT
    assert edges["calls", "checkout"].lines == (7,)
    assert edges["tests", "test_charges_once"].symbol.test


def test_a_call_through_the_base_may_mean_the_method_that_takes_its_place(
    world: GraphWorld,
) -> None:
    edges = incoming(world, "CardGateway.charge")
    through = edges["calls", "settle"]
    assert (through.certainty, through.note) == (Certainty.INFERRED, "through Gateway.charge")


def test_what_takes_the_place_of_a_method_is_told_of_it(world: GraphWorld) -> None:
    edges = incoming(world, "Gateway.charge")
    assert ("overrides", "CardGateway.charge") in edges
    assert ("calls", "settle") in edges
    assert ("calls", "checkout") not in edges, "that gateway is known to be another one"


def test_a_constructor_is_used_where_its_class_is_made(world: GraphWorld) -> None:
    world.index("shop", {**SHOP, "a.py": "from shop.base import Gateway\n\nx = Gateway(1)\n"})
    edges = incoming(world, "Gateway.__init__")
    assert edges["calls", "a.py"].lines == (3,)
    assert not any(relation == "inherits" for relation, _ in edges)


def test_a_class_is_inherited_imported_made_and_named(world: GraphWorld) -> None:
    edges = incoming(world, "Gateway")
    assert ("inherits", "CardGateway") in edges
    assert ("references", "settle") in edges
    assert ("imports", "shop/cart.py") in edges


def test_an_alias_is_followed_and_told(world: GraphWorld) -> None:
    edges = incoming(world, "shop/limits.py#check")
    assert edges["calls", "CardGateway.charge"].name == "check_limit"
    assert edges["imports", "shop/card.py"].note == "as check_limit"


def test_what_a_symbol_uses_leaves_out_what_is_inside_of_it(world: GraphWorld) -> None:
    (found,) = ask(world, "CardGateway", direction=Direction.OUTGOING).found
    assert found.incoming is None
    assert found.outgoing is not None
    told = {(edge.relation.value, edge.symbol.qualified) for edge in found.outgoing.edges}
    assert told == {("inherits", "Gateway"), ("calls", "check")}


def test_relations_tests_and_paths_can_be_chosen(world: GraphWorld) -> None:
    assert {key[0] for key in incoming(world, "Gateway", relations=(Relation.INHERITS,))} == {
        "inherits"
    }
    assert not any(
        edge.symbol.test for edge in incoming(world, "CardGateway", tests=False).values()
    )
    scope = GraphScope(paths=("tests/",))
    assert {edge.symbol.path for edge in incoming(world, "CardGateway", scope=scope).values()} == {
        "tests/test_card.py"
    }


def test_pages_follow_each_other(world: GraphWorld) -> None:
    files = {f"u{at:02}.py": "from shop.limits import check\n\ncheck(1)\n" for at in range(12)}
    world.index("shop", {**SHOP, **files})
    whole = ask(world, "shop/limits.py#check", limit=100).found[0].incoming
    assert whole is not None
    seen: list[Edge] = []
    offset = 0
    while True:
        side = ask(world, "shop/limits.py#check", limit=5, offset=offset).found[0].incoming
        assert side is not None
        assert side.total == whole.total
        seen += side.edges
        if side.more is None:
            break
        offset = side.more
    assert tuple(seen) == whole.edges


def test_hubs_are_marked_and_can_be_left_out(world: GraphWorld) -> None:
    files = {f"u{at}.py": "from hub import wide\n\n\ndef f():\n    wide()\n" for at in range(9)}
    hub = {"hub.py": "from low import base\n\n\ndef wide():\n    base()\n"}
    low = {"low.py": "def base():\n    return 1\n\n\ndef other():\n    base()\n"}
    world.index("shop", {**files, **hub, **low})
    edges = incoming(world, "base")
    assert {edge.symbol.qualified for edge in edges.values() if edge.symbol.hub} == {"wide"}
    without = incoming(world, "base", hubs=False)
    assert ("calls", "wide") not in without
    assert ("calls", "other") in without


def test_a_hub_that_is_asked_about_is_answered_and_limits_hold_for_each_direction(
    world: GraphWorld,
) -> None:
    calls = "".join(f"    part_{at}()\n" for at in range(4))
    parts = "".join(f"def part_{at}():\n    return {at}\n\n\n" for at in range(4))
    users = {f"u{at}.py": "from hub import wide\n\n\ndef f():\n    wide()\n" for at in range(9)}
    world.index("shop", {**users, "hub.py": f"{parts}def wide():\n{calls}"})
    (found,) = ask(world, "wide", direction=Direction.BOTH, limit=3, hubs=False).found
    assert found.symbol.hub
    for side, total in ((found.incoming, 18), (found.outgoing, 4)):
        assert side is not None
        assert (len(side.edges), side.total, side.more) == (3, total, 3)


# ---------------------------------------------------------------------- what `at` means


@pytest.mark.parametrize(
    "at",
    [
        "shop:shop/card.py#CardGateway.post", "shop:shop/card.py:10", "shop:shop/card.py:8:21",
        "shop/card.py:10:9", "card.py:10", "CardGateway.post", "CardGateway::post",
        "CardGateway#post", "shop.card.CardGateway.post", "shop/card.py::CardGateway::post",
        "post", "shop:CardGateway.post",
    ],
)  # fmt: skip
def test_a_symbol_is_found_by_address_place_and_name(world: GraphWorld, at: str) -> None:
    answer = define(world, at)
    assert [one.symbol.address for one in answer.found] == ["shop:shop/card.py#CardGateway.post"]


def test_the_name_at_a_column_decides(world: GraphWorld) -> None:
    line = "shop:shop/cart.py:7"
    assert define(world, f"{line}:20").found[0].symbol.qualified == "CardGateway.charge"
    local = define(world, f"{line}:12").found[0].symbol
    assert (local.kind, local.start_line) == ("local", 6)
    with pytest.raises(UnknownAddress, match="no name stands at line 7, column 2"):
        define(world, f"{line}:2")


def test_a_line_in_which_nothing_begins_means_what_it_uses(world: GraphWorld) -> None:
    answer = define(world, "shop/card.py:8")
    assert [one.symbol.qualified for one in answer.found] == ["CardGateway.post"]
    assert ask(world, "shop/card.py:8").found[0].symbol.qualified == "CardGateway.charge"


def test_a_route_names_what_answers_it(world: GraphWorld) -> None:
    app = "def show_user(user):\n    return user\n\n\nadd('/teams', list_teams)\n"
    more = "def list_teams():\n    return []\n"
    routes = (
        Fact("route", "GET /users/:user", 1, scope=0),
        Fact("route", "ANY /teams", 5, value="list_teams"),
    )
    files = {"shop/app.js": app.replace("def", "function"), "shop/app.py": app + more}
    world.index("shop", files, facts={"shop/app.py": routes})
    for at in ("GET /users/7", "GET /users/:user", "get /users/{id}"):
        assert [one.symbol.qualified for one in define(world, at).found] == ["show_user"], at
    teams = [(one.symbol.qualified, one.note) for one in define(world, "PUT /teams").found]
    assert teams == [("list_teams", "ANY /teams in line 5")]
    with pytest.raises(UnknownAddress, match="nothing called"):
        define(world, "POST /users/7")


def test_routes_without_a_named_handler_are_told_by_line_and_those_of_tests_last(
    world: GraphWorld,
) -> None:
    own = [Fact("route", "GET /health", at, scope=-1) for at in range(3, 10)]
    facts = {
        "tests/app.test.js": (Fact("route", "GET /health", 2, scope=-1),),
        "web.js": tuple(own),
    }
    world.index("shop", dict.fromkeys(facts, "one();\n" * 12), facts=facts)
    first, last = define(world, "GET /health").found
    assert (first.symbol.path, last.symbol.path) == ("web.js", "tests/app.test.js")
    assert first.note.startswith("GET /health in line 3, GET /health in line 4, ")
    assert first.note.endswith("GET /health in line 7 and 2 more")
    assert last.note == "GET /health in line 2"
    other = {"any.js": (Fact("route", "GET /{}", 1, scope=-1),)}
    world.index("other", {"any.js": "one();\n"}, facts=other)
    assert len(define(world, "GET /health").found) == 2, "what is spelled out is meant"
    assert [one.symbol.path for one in define(world, "GET /else").found] == ["any.js"]


def test_what_is_from_elsewhere_says_from_where(world: GraphWorld) -> None:
    world.index("shop", {**SHOP, "a.py": "import stripe\n\nstripe.charge(3)\n"})
    answer = define(world, "a.py:3:9")
    assert (answer.found, answer.external, answer.name) == ((), "stripe", "charge")
    with pytest.raises(UnknownAddress, match="comes from 'stripe'"):
        ask(world, "a.py:3:9")


@pytest.mark.parametrize(
    ("at", "says"),
    [
        ("CardGatewy", "did you mean CardGateway"),
        ("shop:shop/crd.py:3", "near it: shop:shop/card.py"),
        ("shop:shop/card.py:99", "which has 11 lines"),
        ("shop:shop/card.py#CardGateway.pots", "CardGateway.post"),
        ("nowhere/x.py#A", "no file"),
        ("Cardgateway.chrage", r"did you mean CardGateway\.charge, Gateway\.charge"),
        ("Cart.post", r"did you mean CardGateway\.post\?"),
        ("x" * 5_000, r"nothing called 'x{200}\.\.\.' is defined here"),
    ],
)
def test_what_is_not_there_says_what_to_ask_instead(world: GraphWorld, at: str, says: str) -> None:
    with pytest.raises(UnknownAddress, match=says):
        ask(world, at)


@pytest.mark.parametrize(
    "at",
    [
        "\x00", "a\x00b", "a:b:c:d", "../../etc/passwd", "shop:../../etc/passwd:1",
        "shop:%2e%2e/x#y", "%ED%A0%80", "(a+)+$", "**/" * 300 + "a", "shop:#x", "shop:", ":", "#",
        "::", "a::b::c" * 500,
        "x.py" + ":1" * 2_000, "shop:shop/card.py" + ":1" * 2_000, "shop:shop/card.py:-1",
        "shop:shop/card.py:0", "shop:shop/card.py:1:999999999", "shop:shop/card.py:99999999999",
        "GET /" + "(((a+)+" * 50, "shop:shop/card.py#x@9", ".".join("abcdefgh" * 500),
    ],
)  # fmt: skip
def test_whatever_is_asked_is_refused_in_words(world: GraphWorld, at: str) -> None:
    with pytest.raises((BadQuery, UnknownAddress)):
        ask(world, at)
    with pytest.raises((BadQuery, UnknownAddress)):
        define(world, at)


def test_halves_of_characters_are_no_text(world: GraphWorld) -> None:
    with pytest.raises(BadQuery, match="surrogates"):
        ask(world, "shop:a\ud800.py#x")


def test_lines_that_are_not_equally_sure_are_told_apart(world: GraphWorld) -> None:
    mixed = (
        "from shop.card import CardGateway\n\n\n"
        "def both(some):\n"
        "    CardGateway('k').post(1)\n"
        "    some.post(2)\n"
    )
    world.index("shop", {**SHOP, "shop/mixed.py": mixed})
    (found,) = ask(world, "CardGateway.post").found
    assert found.incoming is not None
    edges = [(one.certainty.value, one.lines) for one in found.incoming.edges]
    assert ("exact", (5,)) in edges
    assert ("inferred", (6,)) in edges


def test_a_deep_or_circular_hierarchy_is_answered(world: GraphWorld) -> None:
    deep = "class C0:\n    def go(self):\n        return 1\n\n\n" + "".join(
        f"class C{at}(C{at - 1}):\n    def go(self):\n        return super().go()\n\n\n"
        for at in range(1, 300)
    )
    ring = "class One(Three):\n    def m(self): return self.n()\n\n\n"
    ring += "class Two(One): pass\n\n\nclass Three(Two): pass\n"
    world.index("shop", {"deep.py": deep, "ring.py": ring})
    assert ("overrides", "C299.go") in incoming(world, "C298.go")
    assert ("inherits", "Two") in incoming(world, "One")


def test_a_project_that_moved_to_another_group_is_read_anew(world: GraphWorld) -> None:
    world.ground()
    (known,) = world.ground().trees
    assert world.ground().trees == (known,)
    moved = replace(world.projects()[0], group=GroupName("elsewhere"))
    assert world.grounds.of([moved]).trees != (known,)


@pytest.mark.parametrize("more", [{"limit": 0}, {"limit": 999}, {"offset": -1}])
def test_bounds_are_said(world: GraphWorld, more: dict[str, int]) -> None:
    with pytest.raises(BadQuery, match=r"must be between|counts edges"):
        ask(world, "CardGateway", **more)
    with pytest.raises(BadQuery, match="give an address or a name"):
        ask(world, "  ")


def test_two_thousand_of_a_name_make_a_bounded_answer_that_says_so(world: GraphWorld) -> None:
    files = {
        f"p{at % 50}/m{at}.py": "def main():\n    return 1\n\n\nmain()\n" for at in range(2_000)
    }
    world.index("shop", files)
    answer = ask(world, "main")
    assert answer.meant == 2_000
    assert len(answer.found) == 5
    assert "defined in 2000 places" in answer.notes[0]
    (one,) = ask(world, "shop:p1/m1.py#main").found
    assert one.incoming is not None
    assert {edge.symbol.path for edge in one.incoming.edges} == {"p1/m1.py"}


def test_an_edited_file_changes_its_own_edges_and_no_others(world: GraphWorld) -> None:
    before = incoming(world, "CardGateway.charge")
    edited = SHOP["shop/cart.py"].replace("CardGateway('k')", "Gateway('k')")
    world.index("shop", {**SHOP, "shop/cart.py": "# new\n" + edited})
    after = incoming(world, "CardGateway.charge")
    assert after["calls", "checkout"].note == "through Gateway.charge"
    assert after["tests", "test_charges_once"] == before["tests", "test_charges_once"]
    assert incoming(world, "Gateway.charge")["calls", "checkout"].lines == (8,)


def test_a_member_is_found_under_the_name_of_a_type_that_inherits_it(world: GraphWorld) -> None:
    files = {
        "shop/base.py": SHOP["shop/base.py"] + "\n    def refund(self):\n        return self.key\n",
        "shop/deal.py": "from shop.card import CardGateway\n\n\nclass Deal(CardGateway): ...\n",
    }
    world.index("shop", {**SHOP, **files})

    assert ask(world, "Deal.refund").found[0].symbol.qualified == "Gateway.refund"
    assert ask(world, "Deal.charge").found[0].symbol.qualified == "CardGateway.charge"
    with pytest.raises(UnknownAddress, match=r"did you mean Gateway\.refund"):
        ask(world, "checkout.refund")

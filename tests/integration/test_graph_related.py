"""Neighbours of hits over a real catalog: right labels, the right places, not too many."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from paparatsd.graph.asked import Found
from paparatsd.graph.related import MAX_HITS, MAX_RELATED, related
from paparatsd.model import ProjectName
from tests.harness.graph_world import GraphWorld

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from paparatsd.search_model import Neighbour

GATEWAY = '''
from shop.limits import check_limit
from shop.log import Journal


class BaseGateway:
    """Common to all gateways."""


class PaymentGateway(BaseGateway):
    """Charges cards."""

    def charge_card(self, card, amount):
        """Charge a card once."""
        check_limit(amount)
        self.connect_provider()
        Journal.enter_line(card)
        amount.append(card)
        return self.client.post("/charge", card=card)

    def connect_provider(self):
        """Connect to the provider of the day."""
        return unknown_thing()
'''
SHOP = {
    "shop/gateway.py": GATEWAY,
    "shop/limits.py": "def check_limit(amount):\n    return amount < 5\n",
    "shop/other_limits.py": "def check_limit(amount):\n    return True\n",
    "shop/log.py": "class Journal:\n    def enter_line(self, card):\n        return card\n",
    "shop/cart.py": (
        "from shop.gateway import PaymentGateway\n\n\n"
        "def checkout(cart):\n    return PaymentGateway().charge_card(cart.card, cart.sum)\n"
    ),
    "shop/elsewhere.py": (
        "from stripe import PaymentGateway\n\n\ndef pay_abroad():\n    return PaymentGateway()\n"
    ),
    "tests/test_gateway.py": (
        "from shop.gateway import PaymentGateway\n\n\n"
        "def test_charges_once():\n    assert PaymentGateway()\n"
    ),
}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[GraphWorld]:
    world = GraphWorld(tmp_path)
    yield world
    world.close()


def hit_at(path: str, symbol: str, files: Mapping[str, str], project: str = "shop") -> Found:
    """Return a hit that shows the whole of a symbol, as far as its indentation goes."""
    lines = files[path].split("\n")
    name = symbol.rpartition(".")[2]
    first = next(at for at, line in enumerate(lines, 1) if f" {name}" in f" {line.strip()}")
    depth = len(lines[first - 1]) - len(lines[first - 1].lstrip())
    last = first
    for at, line in enumerate(lines[first:], first + 1):
        if line.strip() and len(line) - len(line.lstrip()) <= depth:
            break
        last = at if line.strip() else last
    return Found(ProjectName(project), path, first, last, symbol)


def related_to(world: GraphWorld, *hits: Found) -> list[set[tuple[str, str, str]]]:
    """Return (relation, certainty, address) of each hit's neighbours."""
    return [
        {(one.relation, one.certainty, one.address) for one in some}
        for some in attach(world, *hits)
    ]


def attach(world: GraphWorld, *hits: Found) -> tuple[tuple[Neighbour, ...], ...]:
    return related(world.ground(), hits)


def test_a_method_knows_its_class_what_it_calls_and_what_stays_unsaid(world: GraphWorld) -> None:
    world.index("shop", SHOP)
    hit = hit_at("shop/gateway.py", "PaymentGateway.charge_card", SHOP)
    (found,) = related_to(world, hit)
    assert {
        ("inside", "exact", "shop:shop/gateway.py#PaymentGateway"),
        ("called_by", "exact", "shop:shop/cart.py#checkout"),
        ("calls", "exact", "shop:shop/limits.py#check_limit"),
        ("calls", "exact", "shop:shop/gateway.py#PaymentGateway.connect_provider"),
    } <= found
    addresses = " ".join(address for _, _, address in found)
    assert "other_limits" not in addresses, "the import says which of the two it is"
    assert "append" not in addresses


def test_a_class_knows_who_makes_it_and_tests_it_but_not_its_namesake(world: GraphWorld) -> None:
    world.index("shop", SHOP)
    (found,) = related_to(world, hit_at("shop/gateway.py", "PaymentGateway", SHOP))
    assert found == {
        ("called_by", "exact", "shop:shop/cart.py#checkout"),
        ("calls", "exact", "shop:shop/limits.py#check_limit"),
        ("calls", "exact", "shop:shop/log.py#Journal.enter_line"),
        ("tested_by", "exact", "shop:tests/test_gateway.py#test_charges_once"),
        ("extends", "exact", "shop:shop/gateway.py#BaseGateway"),
    }


def test_a_test_file_is_known_by_its_name_when_it_uses_nothing(world: GraphWorld) -> None:
    files = {
        "src/core/cart.py": "def total(cart):\n    return 1\n",
        "tests/test_cart.py": "def test_nothing():\n    assert 1\n",
        "tests/apps/cart.py": "def unrelated():\n    assert 1\n",
    }
    world.index("shop", files)
    (found,) = related_to(world, hit_at("src/core/cart.py", "total", files))
    assert found == {("tested_by", "inferred", "shop:tests/test_cart.py:1")}


def test_an_import_tells_which_of_many_of_a_name_is_meant(world: GraphWorld) -> None:
    files = {f"m{number}.py": "def run_step():\n    return 1\n" for number in range(60)}
    files["use.py"] = "from m1 import run_step\n\n\ndef use_it():\n    return run_step()\n"
    world.index("shop", files)
    used, namesake, user = related_to(
        world,
        hit_at("m1.py", "run_step", files),
        hit_at("m2.py", "run_step", files),
        hit_at("use.py", "use_it", files),
    )
    assert used == {("called_by", "exact", "shop:use.py#use_it")}
    assert namesake == set()
    assert user == {("calls", "exact", "shop:m1.py#run_step")}


def test_two_of_a_name_without_an_import_are_nobodys_neighbours(world: GraphWorld) -> None:
    files = {
        "a.py": "def build_it():\n    return 1\n",
        "b.py": "def build_it():\n    return 2\n",
        "c.py": "def use_it():\n    return build_it()\n",
    }
    world.index("shop", files)
    assert related_to(world, hit_at("c.py", "use_it", files)) == [set()]


def test_a_declaration_does_not_hide_its_definition(world: GraphWorld) -> None:
    files = {
        "src/loop.c": "int loop_run(int mode) {\n  if (mode)\n    return 1;\n  return 2;\n}\n",
        "include/loop.h": "int loop_run(int mode);\n",
        "src/main.c": ('#include "loop.h"\n\nint start_it(void) {\n  return loop_run(1);\n}\n'),
    }
    world.index("shop", files)
    hit = replace(hit_at("src/main.c", "start_it(void)", files), symbol="start_it", end_line=5)
    assert related_to(world, hit) == [{("calls", "exact", "shop:src/loop.c#loop_run")}]


def test_neighbours_are_of_the_hits_own_project(world: GraphWorld) -> None:
    world.index("shop", SHOP)
    other = {"main.py": "def run_it():\n    return check_limit(3)\n"}
    world.index("other", other)
    assert related_to(world, hit_at("main.py", "run_it", other, "other")) == [set()]


def test_neighbours_are_few_and_only_of_the_first_hits(world: GraphWorld) -> None:
    files = {
        "a.py": "def wanted_one():\n    return 1\n",
        "b.py": "from a import wanted_one\n\n\n"
        + "".join(f"def user_{n}():\n    return wanted_one()\n\n\n" for n in range(20)),
    }
    world.index("shop", files)
    hits = attach(world, *[hit_at("a.py", "wanted_one", files)] * (MAX_HITS + 1))
    assert [len(some) for some in hits] == [MAX_RELATED] * MAX_HITS


def test_a_file_that_is_gone_has_no_neighbours(world: GraphWorld) -> None:
    world.index("shop", SHOP)
    hit = hit_at("shop/limits.py", "check_limit", SHOP)
    world.index("shop", {"shop/log.py": SHOP["shop/log.py"]})
    assert related_to(world, hit) == [set()]

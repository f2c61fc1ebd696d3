"""What an agent and a person at a terminal learn of the symbol graph of a real repository."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client

if TYPE_CHECKING:
    from tests.harness.daemon import Daemon
    from tests.harness.repos import Repo

FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": (
        "class Cart:\n"
        '    """What a customer wants to buy."""\n\n'
        "    def __init__(self) -> None:\n"
        "        self.prices: list[int] = []\n\n\n"
        "def total(cart: Cart) -> int:\n"
        '    """Add up the prices of all goods."""\n'
        "    return sum(cart.prices)\n"
    ),
    "shop/checkout.py": (
        "from shop.cart import Cart, total as add_up\n\n\n"
        "def pay(basket: Cart) -> int:\n"
        "    return add_up(basket)\n\n\n"
        "def checkout() -> int:\n"
        "    return pay(Cart())\n"
    ),
    "shop/unused.py": "def _forgotten() -> None:\n    return None\n",
    "tests/test_cart.py": (
        "from shop.cart import Cart, total\n\n\n"
        "def test_an_empty_cart_costs_nothing():\n"
        "    assert total(Cart()) == 0\n"
    ),
}
TOTAL = "shop:shop/cart.py#total"
PAY = "shop:shop/checkout.py#pay"
TEST = "shop:tests/test_cart.py#test_an_empty_cart_costs_nothing"


@pytest.fixture
async def filled(daemon: Daemon, repo: Repo) -> Daemon:
    """Return a daemon that knows a project with two commits."""
    for path, text in FILES.items():
        repo.write(path, text)
    repo.commit("Sell goods")
    repo.write(
        "shop/cart.py", FILES["shop/cart.py"].replace("sum(cart", "sum(price for price in cart")
    )
    repo.commit("PAY-12: add up prices one by one")
    await daemon.add(repo.root, name="shop")
    await daemon.wait_until(whole, within_s=30)
    return daemon


def whole(status: dict[str, Any]) -> bool:
    return all(
        one["state"] == "ready" and (one["history"] or {}).get("state") == "ready"
        for one in status["projects"]
    )


def text_of(result: Any) -> str:
    assert not result.is_error, result.content
    return "\n".join(block.text for block in result.content)


def addresses(edges: list[dict[str, Any]]) -> list[str]:
    return [edge["symbol"]["address"] for edge in edges]


async def test_four_calls_lead_from_a_question_to_definition_callers_impact_and_last_change(
    filled: Daemon,
) -> None:
    async with Client(await filled.http_url() + "/mcp") as client:
        found = await client.call_tool("search_code", {"query": "who adds up the prices of goods"})
        address = found.structured_content["results"][0]["address"]
        assert address == TOTAL

        defined = await client.call_tool("go_to_definition", {"address": address})
        (definition,) = defined.structured_content["found"]
        assert definition["symbol"]["signature"] == "def total(cart: Cart) -> int"
        assert "Add up the prices of all goods." in text_of(defined)

        used = await client.call_tool("find_usages", {"address": address})
        (usages,) = used.structured_content["found"]
        relations = {
            edge["symbol"]["address"]: (edge["relation"], edge["certainty"])
            for edge in usages["incoming"]["edges"]
            if edge["symbol"]["kind"] != "file"
        }
        assert relations == {PAY: ("calls", "exact"), TEST: ("tests", "exact")}

        broken = await client.call_tool("impact_analysis", {"address": address})
        data = broken.structured_content
        hops = {one["symbol"]["address"]: one["hop"] for one in data["affected"]}
        assert hops == {PAY: 1, "shop:shop/checkout.py#checkout": 2}
        assert addresses(data["tests"]) == [TEST]
        (seed,) = data["seeds"]
        assert seed["last_change"]["commit"]["tickets"][0]["key"] == "PAY-12"
        assert "PAY-12: add up prices one by one" in text_of(broken)


async def test_the_other_tools_answer_too(filled: Daemon, repo: Repo) -> None:
    async with Client(await filled.http_url() + "/mcp") as client:
        here = await client.call_tool("go_to_definition", {"address": "shop:shop/checkout.py:5:12"})
        assert addresses(here.structured_content["found"]) == [TOTAL]
        outline = await client.call_tool("outline", {"address": "shop:shop", "max_tokens": "600"})
        assert "  8-10 def total(cart: Cart) -> int" in text_of(outline)
        paths = await client.call_tool("call_paths", {"source": "checkout", "target": "total"})
        (path,) = paths.structured_content["paths"]
        assert addresses(path["edges"]) == [PAY, TOTAL]
        unused = await client.call_tool("unused_definitions", {})
        assert "shop:shop/unused.py#_forgotten" in addresses(unused.structured_content["found"])
        assert "Hubs and entry points" in text_of(await client.call_tool("hubs", {}))
        repo.write(
            "shop/checkout.py", FILES["shop/checkout.py"] + "\n\ndef refund() -> None: ...\n"
        )
        changed = await client.call_tool("changed_symbols", {})
        (added,) = changed.structured_content["symbols"]
        assert (added["change"], added["symbol"]["name"]) == ("added", "refund")


async def test_an_edit_is_in_the_next_answer(filled: Daemon, repo: Repo) -> None:
    repo.write(
        "shop/late.py", "from shop.cart import Cart, total\n\n\ndef late():\n    total(Cart())\n"
    )
    async with Client(await filled.http_url() + "/support/mcp") as client:
        used = await client.call_tool("find_usages", {"address": TOTAL, "fresh": True})
        (usages,) = used.structured_content["found"]
        assert "shop:shop/late.py#late" in addresses(usages["incoming"]["edges"])


async def test_the_command_line_says_the_same(filled: Daemon) -> None:
    usages = (await filled.cli("usages", "total")).stdout
    assert f"  calls       {PAY}  line 5 (as add_up)\n" in usages
    assert TOTAL in (await filled.cli("def", "shop:shop/checkout.py:5:12")).stdout
    assert "def total(cart: Cart) -> int" in (await filled.cli("outline", "shop/cart.py")).stdout
    assert "line 5 calls" in (await filled.cli("calls", "checkout", "total")).stdout
    impact = (await filled.cli("impact", TOTAL)).stdout
    assert "[PAY-12]" in impact or "PAY-12:" in impact
    assert TEST in impact
    changed = (await filled.cli("changed", "HEAD", "--json")).stdout
    (symbol,) = json.loads(changed)["symbols"]
    assert (symbol["change"], symbol["symbol"]["address"]) == ("modified", TOTAL)
    assert addresses(symbol["callers"]) == [PAY]
    assert "_forgotten" in (await filled.cli("unused")).stdout
    assert (await filled.cli("hubs")).returncode == 0
    missing = await filled.cli("usages", "totl")
    assert missing.returncode == 64
    assert "total" in missing.stderr

"""An agent's work with the memory of a repository, from nothing to an audit."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp import Client

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.harness.daemon import Daemon
    from tests.harness.repos import Repo

CART = (
    "from shop.money import Money\n\n\n"
    "class Cart:\n"
    "    def total(self):\n"
    "        return sum(self.prices, Money(0))\n\n"
    "    def clear(self):\n"
    "        self.prices = []\n"
)
TILL = (
    "from shop.money import Money\n\n\n"
    "class Till:\n"
    "    def pay(self, cart):\n"
    "        return Money(cart.total().cents)\n"
)
MONEY = "class Money:\n    def __init__(self, cents):\n        self.cents = cents\n"
GUIDE = "# How the shop is built\n\nThe cart holds goods, the till takes money for them.\n"
FILES = {
    "shop/__init__.py": "",
    "shop/money.py": MONEY,
    "shop/cart.py": CART,
    "shop/till.py": TILL,
    "docs/guide.md": GUIDE,
    **{
        f"shop/{name}.py": f"from shop.money import Money\n\n\ndef {name}():\n    return Money(1)\n"
        for name in ("tax", "stock", "report", "refund")
    },
}
SUMMARY = "Does: {}. Owns: its rules. Does not: anything else. Touched when: prices change."
COMPONENTS = {
    "Cart": ("holds goods", ["shop/cart.py"], ["shop/cart.py#Cart.total", "Cart.clear"]),
    "Till": ("takes money", ["shop/till.py"], ["shop/till.py#Till.pay"]),
}
DECISION = {
    "title": "Money is counted in cents",
    "context": "Prices were rounded in many places, and sums were wrong by a cent.",
    "decision": "Amounts are integers of the smallest unit.",
    "consequences": "No float in any signature about money.",
    "anchors": ["shop/money.py#Money"],
}
LESSON = {
    "rule": "Round once, at the end",
    "why": "Cents were lost when each price was rounded.",
    "when": "Adding prices up.",
    "files": ["docs/guide.md"],
}
GLOBAL = {"arch_delete"}
"""What takes no project."""
CHANGED = {
    "Cart": {"shop/cart.py": "changed", "shop/cart.py#Cart.total": "changed"},
    "Till": {"shop/till.py": "moved", "shop/till.py#Till.pay": "moved"},
    "Round once, at the end": {"docs/guide.md": "missing"},
}


class Agent:
    """Somebody who calls tools about one project."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, **given: Any) -> tuple[dict[str, Any], str]:
        """Return data and text of an answer."""
        arguments = {"project": "shop", **given} if tool not in GLOBAL else given
        result: Any = await self._client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        return result.structured_content, result.content[0].text

    async def record(self, kind: str, **fields: Any) -> dict[str, Any]:
        return (await self.call(f"arch_record_{kind}", **fields))[0]

    async def component(self, name: str) -> dict[str, Any]:
        does, files, anchors = COMPONENTS[name]
        return await self.record(
            "component", name=name, summary=SUMMARY.format(does), files=files, anchors=anchors
        )

    async def audit(self) -> dict[str, dict[str, str]]:
        """Return by card what is not as it was."""
        told, text = await self.call("arch_check")
        for card in told["cards"]:
            assert card["label"] in text
        return {
            card["label"]: {
                check["at"]: check["state"]
                for check in card["checks"]
                if check["state"] != "unchanged"
            }
            for card in told["cards"]
        }

    async def remembered(self, question: str) -> list[str]:
        told, _ = await self.call("arch_context", question=question)
        return [card["label"] for card in told["cards"]]


@asynccontextmanager
async def agent_of(daemon: Daemon, repo: Repo) -> AsyncIterator[Agent]:
    """Yield somebody beside a project that is indexed and has no memory."""
    repo.write_all(FILES)
    repo.commit("Sell goods")
    await daemon.add(repo.root, name="shop", group="core")
    await daemon.settle("shop", history=True)
    async with Client(await daemon.mcp_url()) as client:
        yield Agent(client)


async def test_memory_is_begun_repeated_superseded_read_back_and_audited(
    daemon: Daemon, repo: Repo
) -> None:
    async with agent_of(daemon, repo) as agent:
        await begin(agent)
        decided, learned = await repeat(agent)
        await supersede(agent, decided)
        assert await agent.audit() == {}

        repo.write("shop/cart.py", CART.replace("Money(0))", "Money(0)).rounded()"))
        repo.rename("shop/till.py", "shop/desk.py")
        repo.remove("docs/guide.md")
        repo.commit("PAY-7: round sums")
        await daemon.settle("shop", history=True)
        assert await agent.audit() == CHANGED
        _, told = await agent.call("arch_context", question="shop/cart.py")
        assert "CHANGED shop/cart.py#Cart.total" in told
        assert "PAY-7: round sums" in told
        assert "Till" in await agent.remembered("shop/desk.py")

        assert (await agent.component("Cart"))["outcome"] == "updated"
        await agent.call("arch_delete", ids=[learned])
        assert await agent.audit() == {"Till": CHANGED["Till"]}


async def begin(agent: Agent) -> None:
    """Look for what deserves a card, and write components."""
    suggested, _ = await agent.call("arch_suggest_components")
    assert "shop:shop/money.py#Money" in [one["address"] for one in suggested["suggestions"]]
    outline, _ = await agent.call("outline", address="shop:shop")
    assert {"shop/cart.py", "shop/till.py"} <= {file["path"] for file in outline["files"]}
    for name in COMPONENTS:
        assert (await agent.component(name))["outcome"] == "created"


async def repeat(agent: Agent) -> tuple[str, str]:
    """Write a decision and a lesson twice; return their ids."""
    decided = await agent.record("decision", **DECISION)
    again = await agent.record("decision", **DECISION)
    assert (decided["outcome"], again["outcome"]) == ("created", "duplicate")
    learned = await agent.record("lesson", **LESSON)
    confirmed = await agent.record("lesson", **LESSON)
    assert (learned["outcome"], confirmed["outcome"]) == ("created", "updated")
    assert (again["id"], confirmed["id"]) == (decided["id"], learned["id"])
    return decided["id"], learned["id"]


async def supersede(agent: Agent, old: str) -> None:
    """Write a decision in the place of another one, and read back what holds."""
    newer = {**DECISION, "title": "Money is a type of its own", "supersedes": old}
    assert (await agent.record("decision", **newer))["outcome"] == "created"
    known = await agent.remembered("how is money counted, in cents or as a float")
    assert newer["title"] in known
    assert DECISION["title"] not in known
    assert "Cart" in await agent.remembered("shop/cart.py")
    whole, _ = await agent.call("arch_list", include_history=True)
    assert {(card["label"], card["status"], card["confirmations"]) for card in whole["cards"]} == {
        ("Cart", "accepted", 0), ("Till", "accepted", 0), (newer["title"], "accepted", 0),
        (DECISION["title"], "superseded", 0), (LESSON["rule"], "accepted", 1),
    }  # fmt: skip

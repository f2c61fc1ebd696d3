"""The architectural memory of a real repository: written, repeated, superseded, audited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client

if TYPE_CHECKING:
    from tests.harness.daemon import Daemon
    from tests.harness.repos import Repo

CART = (
    "class Cart:\n"
    "    def total(self):\n"
    "        return sum(self.prices)\n\n"
    "    def clear(self):\n"
    "        self.prices = []\n"
)
FILES = {
    "shop/cart.py": CART,
    "shop/till.py": "def pay(amount):\n    fee = 1\n    due = amount + fee\n    return due\n",
    "README.md": "# Shop\n\nSells goods.\n",
}


@pytest.fixture
async def shop(daemon: Daemon, repo: Repo) -> Daemon:
    """Return a daemon that knows a project with its history."""
    repo.write_all(FILES)
    repo.commit("Sell goods")
    await daemon.add(repo.root, name="shop", group="core")
    await daemon.wait_ready("shop")
    await daemon.settle("shop", history=True)
    return daemon


async def record(daemon: Daemon, kind: str, **fields: Any) -> dict[str, Any]:
    body = {"kind": kind, "group": "core", "project": "shop", **fields}
    return await daemon.call("POST", "/v1/cards/record", body)


async def follow(daemon: Daemon) -> None:
    """Have index and history brought to what is there now; what comes later may be pending."""
    await daemon.call("POST", "/v1/flush", {"project": "shop", "history": True}, within_s=60)


async def audit(daemon: Daemon) -> dict[str, dict[str, Any]]:
    """Return what became of what the cards name."""
    answer = await daemon.call("POST", "/v1/cards/list", {"checked": True})
    return {check["at"]: check for card in answer["cards"] for check in card["checks"]}


def choice(title: str, **more: str) -> dict[str, str]:
    return {
        "title": title,
        "context": "Prices are stored in many currencies and rounded in each of them.",
        "decision": "Amounts are integers of the smallest unit; they are converted at the till.",
        "consequences": "No float in any signature about money.",
        **more,
    }


async def test_what_is_written_is_there_after_a_restart_and_is_not_written_twice(
    shop: Daemon,
) -> None:
    first = await record(shop, "decision", **choice("Money is counted in integers"))
    again = await record(shop, "decision", **choice("Money is counted in integers"))
    assert (first["outcome"], again["outcome"]) == ("created", "duplicate")
    assert again["id"] == first["id"]
    rule = {"rule": "Round once, at the end", "why": "Cents were lost.", "when": "Adding prices."}
    await record(shop, "lesson", **rule)
    repeated = await record(shop, "lesson", **rule)
    assert repeated["outcome"] == "updated"
    newer = await record(shop, "decision", **choice("Money is a type", supersedes=first["id"]))
    assert newer["outcome"] == "created"
    await shop.restart()
    asked = {"question": "how do we count money?", "min_score": 0}
    told = await shop.call("POST", "/v1/cards/context", asked)
    labels = [card["label"] for card in told["cards"]]
    assert "Money is a type" in labels
    assert "Money is counted in integers" not in labels
    whole = await shop.call("POST", "/v1/cards/list", {"include_history": True})
    assert [(card["label"], card["status"], card["confirmations"]) for card in whole["cards"]] == [
        ("Money is counted in integers", "superseded", 0),
        ("Round once, at the end", "accepted", 1),
        ("Money is a type", "accepted", 0),
    ]


async def test_an_audit_says_what_became_of_the_code_and_who_did_it(
    shop: Daemon, repo: Repo
) -> None:
    summary = "Does: holds goods. Owns: prices. Does not: charge. Touched when: prices change."
    told = await record(
        shop, "component", name="Cart", summary=summary, files=["shop/till.py", "README.md"],
        anchors=["Cart.total", "shop/cart.py#Cart.clear", "Cart.refund"],
    )  # fmt: skip
    assert told["outcome"] == "created"
    assert len(told["notes"]) == 1
    assert "Cart.refund" in told["notes"][0]
    before = await audit(shop)
    assert {at: check["state"] for at, check in before.items()} == {
        "shop/till.py": "unchanged",
        "README.md": "unchanged",
        "Cart.total": "unchanged",
        "shop/cart.py#Cart.clear": "unchanged",
        "Cart.refund": "missing",
    }
    repo.write("shop/cart.py", "import math\n\n\n" + CART.replace("sum(", "math.fsum("))
    repo.rename("shop/till.py", "shop/desk.py")
    repo.remove("README.md")
    repo.commit("PAY-7: add up exactly")
    await follow(shop)
    after = await audit(shop)
    assert {at: check["state"] for at, check in after.items()} == {
        "shop/till.py": "moved",
        "README.md": "missing",
        "Cart.total": "changed",
        "shop/cart.py#Cart.clear": "unchanged",
        "Cart.refund": "missing",
    }
    assert after["shop/till.py"]["address"] == "shop:shop/desk.py"
    assert "PAY-7: add up exactly" in after["Cart.total"]["detail"]
    assert "Removed on" in after["README.md"]["detail"]
    repo.rename("shop/desk.py", "shop/counter.py")
    repo.write("shop/counter.py", FILES["shop/till.py"] + "\n\nOPEN = True\n")
    repo.commit("PAY-8: a counter")
    await follow(shop)
    followed = (await audit(shop))["shop/till.py"]
    assert (followed["state"], followed["address"]) == ("moved", "shop:shop/counter.py")
    assert "PAY-8: a counter" in followed["detail"]
    repo.write("shop/cart.py", CART)
    await follow(shop)
    assert (await audit(shop))["Cart.total"]["state"] == "unchanged"


async def test_deleting_a_project_leaves_the_memory_of_its_group_alone(
    shop: Daemon, repo: Repo
) -> None:
    made = await record(shop, "decision", **choice("Money is counted in integers"), scope="global")
    term = {"term": "till", "definition": "Where money is counted.", "group": "core"}
    await shop.call("POST", "/v1/terms/record", term)
    async with Client(await shop.mcp_url()) as client:
        gone = await client.call_tool("delete_project", {"project": "shop"})
        assert gone.structured_content == {"project": "shop", "deleted": True}
        listed = await client.call_tool("arch_list", {"group": "core"})
        assert [one["id"] for one in listed.structured_content["cards"]] == [made["id"]]
        terms = await client.call_tool("term_list", {"group": "core"})
        assert [one["term"] for one in terms.structured_content["terms"]] == ["till"]
    assert repo.read("README.md")


async def test_files_of_the_memory_go_through_a_review_and_come_back(shop: Daemon) -> None:
    made = await record(shop, "decision", **choice("Money is counted in integers"))
    files = (await shop.call("POST", "/v1/cards/export", {}))["files"]
    assert [file["name"] for file in files] == [
        f"decision-money-is-counted-in-integers-{made['id'][-6:]}.md"
    ]
    reviewed = [dict(file, text=file["text"].replace("No float", "No floats")) for file in files]
    plan = await shop.call("POST", "/v1/cards/import", {"files": reviewed, "dry_run": True})
    assert [one["outcome"] for one in plan["files"]] == ["updated"]
    assert (await shop.call("POST", "/v1/cards/export", {}))["files"] == files
    done = await shop.call("POST", "/v1/cards/import", {"files": reviewed})
    assert [(one["outcome"], one["id"]) for one in done["files"]] == [("updated", made["id"])]
    (card,) = (await shop.call("POST", "/v1/cards/list", {}))["cards"]
    assert card["consequences"] == "No floats in any signature about money."

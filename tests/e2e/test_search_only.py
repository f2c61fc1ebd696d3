"""A daemon that indexes nothing answers as the one that publishes in the server they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.harness.daemon import Refusal, running_daemon
from tests.harness.qdrant_double import running_double
from tests.harness.repos import Repo

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness.daemon import Daemon

FILES: dict[str, str | bytes] = {
    "shop/cart.py": "from shop.price import price_of\n\n\n"
    "class Cart:\n    def total(self):\n        return price_of(self)\n",
    "shop/price.py": "def price_of(cart):\n    '''Add up what everything costs.'''\n    return 1\n",
    "docs/money.md": "# Money\n\nPrices are in cents.\n",
}
QUESTIONS = ("what does everything cost", "price_of", "total of a cart", "cents")


def said(hits: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [
        (one["path"], one["start_line"], one["text"], one["score"], one["confidence"])
        for one in hits
    ]


async def until(daemon: Daemon, name: str, generation_of: str) -> None:
    """Wait until a project shows a commit."""
    await daemon.wait_until(
        lambda status: any(
            one["name"] == name and one["state"] == "ready" and one["head"] == generation_of
            for one in status["projects"]
        )
    )


async def test_it_answers_the_same_follows_along_and_changes_nothing(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "shop", FILES)
    first = repo.commit("Start")
    with running_double(tmp_path / "double", api_key="key", read_key="read") as double:
        server = {"QDRANT_URL": double.url, "PAPARATS_WATCH_POLL_S": "0.3"}
        filling = {**server, "QDRANT_API_KEY": "key", "PAPARATS_STORE_PUBLISH": "true"}
        reading = {**server, "QDRANT_API_KEY": "read", "PAPARATS_INDEX_ENABLED": "false"}
        async with running_daemon(filling) as filler, running_daemon(reading) as reader:
            name = await filler.add(repo.root, group="money")
            await filler.wait_ready(name)
            await until(reader, name, first)

            for question in QUESTIONS:
                mine = await reader.search(question)
                assert mine
                assert said(mine) == said(await filler.search(question)), question
            shown = await reader.show(f"{name}:shop/cart.py#Cart.total")
            assert "price_of(self)" in str(shown)
            users = await reader.call("POST", "/v1/usages", {"address": "price_of"})
            assert "shop/cart.py" in str(users["found"])
            theirs = await filler.call("POST", "/v1/usages", {"address": "price_of"})
            assert users["found"] == theirs["found"]
            assert (await reader.project(name))["freshness"] == "current"
            assert (await reader.project(name))["group"] == "money"

            repo.write("shop/tax.py", "def tax_on(price):\n    return price // 5\n")
            repo.write("shop/cart.py", "def nothing():\n    return 0\n")
            second = repo.commit("Taxes")
            await filler.settle(name)
            await until(reader, name, second)
            assert (await reader.paths("tax on a price"))[0] == "shop/tax.py"
            for question in (*QUESTIONS, "nothing"):
                assert said(await reader.search(question)) == said(await filler.search(question))

            with pytest.raises(Refusal, match="only searches"):
                await reader.add(repo.root)
            with pytest.raises(Refusal, match="indexed elsewhere"):
                await reader.remove(name)
            assert (await reader.status())["problems"] == []

            await filler.stop()
            await reader.wait_until(
                lambda status: status["projects"][0]["freshness"] == "stale", within_s=15
            )
            assert (await reader.paths("tax on a price"))[0] == "shop/tax.py"
            await filler.start()
            await filler.wait_ready(name)
            await filler.remove(name)
            await reader.wait_until(lambda status: status["projects"] == [])


async def test_another_model_is_refused_with_both_sides_named(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "shop", FILES)
    repo.commit("Start")
    with running_double(tmp_path / "double") as double:
        server = {"QDRANT_URL": double.url, "PAPARATS_WATCH_POLL_S": "0.3"}
        filling = {**server, "PAPARATS_STORE_PUBLISH": "true"}
        reading = {
            **server,
            "PAPARATS_INDEX_ENABLED": "false",
            "PAPARATS_INDEX_CHUNK_CHARS": "900",
        }
        async with running_daemon(filling) as filler, running_daemon(reading) as reader:
            await filler.wait_ready(await filler.add(repo.root))
            status = await reader.wait_until(
                lambda now: any(one["state"] == "error" for one in now["projects"])
            )
            assert "cannot be compared" in status["projects"][0]["reason"]
            assert await reader.search("price_of") == []

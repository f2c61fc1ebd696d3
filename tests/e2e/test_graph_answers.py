"""The symbol graph through a real daemon: always as fresh as the index, and nothing stored anew."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from tests.harness.indexed import index

if TYPE_CHECKING:
    from tests.harness.daemon import Daemon
    from tests.harness.repos import Repo

FILES = {
    "core/price.py": "def price(item):\n    return item.cost\n",
    "core/cart.py": (
        "from core.price import price\n\n\n"
        "def total(items):\n    return sum(price(item) for item in items)\n"
    ),
    "core/other.py": "def other_price(item):\n    return item\n",
    "tests/test_cart.py": (
        "from core.cart import total\n\n\ndef test_total():\n    assert total([])\n"
    ),
}
ROWS = {
    "symbol_packs": "SELECT rowid, version, symbols, uses, facts FROM symbol_packs",
    "definitions": "SELECT name, version, ordinal FROM definitions",
    "uses": "SELECT name, version, n FROM uses",
    "labels": "SELECT kind, name, version FROM labels",
}


async def neighbours(daemon: Daemon, query: str, path: str) -> set[tuple[str, str, str]]:
    """Return (relation, certainty, address) of what is related to the hit in a file."""
    answer = await daemon.answer(query, related=True, fresh=True, limit=5)
    (hit,) = [one for one in answer["results"] if one["path"] == path]
    return {(one["relation"], one["certainty"], one["address"]) for one in hit["related"]}


def rows(daemon: Daemon) -> dict[str, set[tuple[object, ...]]]:
    """Return the rows of the catalog that the graph reads."""
    with closing(
        sqlite3.connect(f"file:{daemon.state / 'catalog.sqlite3'}?mode=ro", uri=True)
    ) as db:
        return {table: set(db.execute(sql)) for table, sql in ROWS.items()}


async def test_an_edit_is_in_the_next_answer_and_only_its_own_rows_are_written(
    daemon: Daemon, repo: Repo
) -> None:
    name = await index(daemon, repo, FILES)
    assert ("calls", "exact", f"{name}:core/price.py#price") in await neighbours(
        daemon, "total", "core/cart.py"
    )
    before = rows(daemon)

    repo.write(
        "core/cart.py",
        "from core.other import other_price\n\n\n"
        "def total(items):\n    return sum(other_price(item) for item in items)\n",
    )

    found = await neighbours(daemon, "total", "core/cart.py")
    assert ("calls", "exact", f"{name}:core/other.py#other_price") in found
    assert ("tested_by", "exact", f"{name}:tests/test_cart.py#test_total") in found
    assert not any(address.endswith("#price") for _, _, address in found)
    assert await neighbours(daemon, "other_price", "core/other.py") >= {
        ("called_by", "exact", f"{name}:core/cart.py#total")
    }
    after = rows(daemon)
    for table, kept in before.items():
        assert kept <= after[table], f"{table}: rows of files that nobody edited have changed"
    versions = {row[1] for row in after["symbol_packs"] - before["symbol_packs"]}
    assert len(versions) == 1
    assert {row[1] for row in after["uses"] - before["uses"]} == versions
    assert {row[1] for row in after["definitions"] - before["definitions"]} == versions


async def test_neighbours_come_back_after_the_graph_process_was_killed(
    daemon: Daemon, repo: Repo
) -> None:
    name = await index(daemon, repo, FILES)
    wanted = ("calls", "exact", f"{name}:core/price.py#price")
    assert wanted in await neighbours(daemon, "total", "core/cart.py")

    daemon.kill_child("graph")

    assert wanted in await neighbours(daemon, "total", "core/cart.py")

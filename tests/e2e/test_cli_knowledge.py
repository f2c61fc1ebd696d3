"""Documents, glossary and memory on the command line of a real daemon, from writing to a check."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.e2e.test_cli_daemon import Home, home

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["home"]
CART = "def total(prices):\n    return round(sum(prices), 2)\n"
SESSIONS = """---
audience: public
link: https://docs.example/sessions
---
# Sessions

## How long a session lasts

A customer who does nothing for thirty minutes has to sign in again.

## Where sessions are kept

In Redis, under the number of the customer.
"""
LESSON = (
    "arch", "record", "lesson", "Round once, at the end", "--why", "Cents were lost in sums.",
    "--when", "Adding prices up.", "-p", "shop", "--anchor", "cart.py#total",
)  # fmt: skip


@pytest.fixture
def shop(home: Home) -> Path:
    """Return a project with code and documents, indexed."""
    root = home.directory / "src" / "shop"
    (root / "cart.py").write_text(CART)
    (root / "docs").mkdir()
    (root / "docs" / "sessions.md").write_text(SESSIONS)
    (root / "notes.md").write_text("# Notes\n\nPrices come without tax from the warehouse.\n")
    subprocess.run(("git", "init", "-q", str(root)), env=home.environment, check=True)
    home.run("add", str(root), "--wait")
    return root


def test_documents_are_found_shown_and_kept_from_those_they_are_not_for(
    home: Home,
    shop: Path,
) -> None:
    home.run("term", "record", "session", "The time between signing in and out.", "-p", "shop")
    out = home.run("docs", "how long does a", "session", "of a customer last")
    assert "glossary\n  session: The time between" in out
    assert "1. Sessions > How long a session lasts\n" in out
    assert "   https://docs.example/sessions\n" in out
    assert "thirty minutes" in out
    assert home.run("doc", "shop:docs/sessions.md").startswith("# Sessions\n\n## How long")
    place = home.json("docs", "how long does a session last")["results"][0]["address"]
    assert place.startswith("shop:docs/sessions.md#")
    assert "thirty minutes" in home.run("doc", place)
    prices = ("docs", "do prices come with tax from the warehouse")
    assert [one["path"] for one in home.json(*prices)["results"]] == ["notes.md"]
    assert home.json(*prices, "--audience", "public")["results"] == []
    assert "audience public" in home.run(*prices, "--audience", "public")
    (shop / "docs" / "sessions.md").write_text("# Nothing\n\nMoved to the wiki.\n")
    again = home.run("docs", "must a customer sign in again", "--fresh")
    assert "thirty minutes" not in again


def test_memory_is_written_asked_checked_and_carried_over_as_files(
    home: Home,
    shop: Path,
) -> None:
    assert home.run(*LESSON).startswith("Recorded lesson 'Round once, at the end' in shop. id ")
    assert home.run(*LESSON).startswith("Known already, and confirmed by this")
    assert "Cents were lost" in home.run("arch", "context", "cart.py")
    assert "1 card: nothing that they name was changed" in home.run("arch", "check")
    (shop / "cart.py").write_text(CART.replace("2", "3"))
    home.run("reindex", "shop", "--wait")
    (card,) = home.json("arch", "check")["cards"]
    assert [one["state"] for one in card["checks"]] == ["changed"]

    place = shop / "docs" / "memory"
    assert "1 created" in home.run("arch", "export", str(place))
    (file,) = place.iterdir()
    home.run("arch", "delete", card["id"])
    assert home.json("arch", "list")["cards"] == []
    assert home.run("arch", "import", str(place)).startswith(f"created    {file.name}\n")
    assert [one["id"] for one in home.json("arch", "list")["cards"]] == [card["id"]]
    assert home.run("arch", "export", str(place)) == f"{place}: 1 unchanged\n"
    file.write_text(file.read_text().replace("kind: lesson", "kind: rumour"))
    home.run("arch", "import", str(place), code=65)

"""The lists of contrib/CONFORMANCE.md: every row has a test, and every test is there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "contrib/CONFORMANCE.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[^`]+)`", TEXT)


@cache
def names_in(path: str) -> frozenset[str]:
    """Return the names of the tests in a file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, functions))


def rows(section: str) -> list[list[str]]:
    """Return the cells of the rows of a section."""
    body = TEXT.split(f"\n## {section}\n")[1].split("\n## ")[0]
    lines = [line for line in body.splitlines() if line.startswith("| ")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize("named", sorted({one for one in NAMED if "::" in one}))
def test_every_test_that_is_named_is_there(named: str) -> None:
    path, _, name = named.partition("::")
    assert (ROOT / path).is_file()
    assert name in names_in(path)


@pytest.mark.parametrize("section", re.findall(r"^## (.+)$", TEXT, re.MULTILINE))
def test_every_row_says_what_and_names_a_test(section: str) -> None:
    assert rows(section)
    for row in rows(section):
        assert row[-2].endswith(".")
        assert re.findall(r"`tests/\S+::test_\w+`", row[-1]), row


@pytest.mark.parametrize(("section", "letter"), [("code-indexer", "B"), ("semcode", "C")])
def test_the_rows_are_in_their_order_and_there_once(section: str, letter: str) -> None:
    numbers = [int(row[0].removeprefix(letter)) for row in rows(section)]
    assert numbers == sorted(set(numbers))

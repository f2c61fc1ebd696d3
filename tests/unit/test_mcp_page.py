"""A page never holds more than its budget, whatever is written on it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from paparatsd.interfaces.mcp.page import Page, row, shortened, table_head
from paparatsd.interfaces.mcp.reply import MIN_TOKENS
from paparatsd.tokens import byte_size, estimate_tokens

texts = st.text(max_size=400)


@given(
    budget=st.integers(MIN_TOKENS, 900),
    title=texts,
    remarks=st.lists(texts, max_size=5),
    items=st.lists(st.lists(texts, min_size=1, max_size=4), max_size=12),
    share=st.floats(0.1, 1.0),
)
def test_a_page_keeps_to_its_budget_and_counts_what_is_left_out(
    budget: int, title: str, remarks: list[str], items: list[list[str]], share: float
) -> None:
    page = Page(budget, title)
    page.say(remarks)
    lines = [[shortened(line) for line in item] for item in items]
    shown = page.items(["", "## first"], lines, share=share)
    rows = [[row(*item)] for item in items]
    listed = page.items(table_head("a", "b"), rows)
    text = page.text()
    assert estimate_tokens(text) <= budget
    assert page.left == 2 * len(items) - shown - listed
    assert ("left out" in text.splitlines()[-1]) >= (page.left > 0)


def test_the_first_item_is_written_even_beyond_its_share() -> None:
    page = Page(MIN_TOKENS, "t")
    assert page.items((), [["x" * 200], ["y"]], share=0.1) == 1


def test_a_head_stands_only_above_something() -> None:
    page = Page(MIN_TOKENS, "t")
    assert page.items(["## empty"], []) == 0
    assert page.items(["## full"], [["x" * 5_000]]) == 0
    assert "##" not in page.text()
    assert page.text().endswith("1 more item left out; ask for less, or with a larger max_tokens.")


@given(text=texts, width=st.integers(10, 300))
def test_a_shortened_text_is_one_line_of_no_more_bytes(text: str, width: int) -> None:
    line = shortened(text, width)
    assert byte_size(line) <= width
    assert "\n" not in line
    assert "```" not in line


def test_a_cell_cannot_end_its_row() -> None:
    assert row("a|b", "c\nd") == "| a\\|b | c d |"

"""Names that are spelled nearly like one that is not there."""

from __future__ import annotations

import pytest

from paparatsd.graph.near import forms_of, near_names, parts_of

NAMES = ["total", "Cart.subtotal", "open_rows", "parseHeader", "Session.send", "x"]


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("totl", "total"),
        ("Basket.totla", "total"),
        ("open_row", "open_rows"),
        ("parse_header", "parseHeader"),
        ("Session::snd()", "Session.send"),
    ],
)
def test_the_nearest_spelling_comes_first(asked: str, first: str) -> None:
    assert near_names(forms_of(NAMES), asked)[0] == first


@pytest.mark.parametrize("asked", ["", "quetzalcoatl", "\x00", "*" * 5_000, "." * 9])
def test_nothing_is_near_to_nonsense(asked: str) -> None:
    assert near_names(forms_of(NAMES), asked) == []


def test_a_spelling_is_found_among_very_many() -> None:
    names = [f"handle_{at:06d}_event" for at in range(20_000)] + ["settle_invoice"]
    assert near_names(forms_of(names), "setle_invoice") == ["settle_invoice"]


def test_the_parts_of_a_name_in_any_spelling() -> None:
    assert parts_of(" a::b.C->d() ") == ["a", "b", "C", "d"]

"""Who may see a document: labels that were asked for, and ceilings that nothing passes."""

from __future__ import annotations

import pytest

from paparatsd.naming import UNLABELLED
from paparatsd.search.audience import label_in_force, permitted


@pytest.mark.parametrize("asked", [(), ("",), (" ", "\t")])
def test_nothing_but_blanks_is_no_restriction(asked: tuple[str, ...]) -> None:
    assert permitted(asked) is None
    assert permitted(asked, None, None) is None
    assert permitted(asked, ("public",)) == frozenset({"public"})


def test_labels_are_trimmed_and_there_once() -> None:
    assert permitted((" public", "public ", "", "partners")) == frozenset({"public", "partners"})
    assert permitted((), (" public ", "")) == frozenset({"public"})


def test_a_request_passes_only_what_every_ceiling_passes() -> None:
    assert permitted(("public",), ("public", "partners")) == frozenset({"public"})
    assert permitted(("public", "partners"), None, ("partners", "staff")) == frozenset({"partners"})
    assert permitted(("public", "partners"), ("public", "partners"), ("staff",)) == frozenset()


@pytest.mark.parametrize("empty", [(), frozenset(), ("",)])
def test_an_empty_ceiling_lets_nothing_through(empty: frozenset[str]) -> None:
    assert permitted((), empty) == frozenset()
    assert permitted(("public",), empty) == frozenset()


def test_labels_tell_small_and_capital_letters_apart() -> None:
    assert permitted(("Public",), ("public",)) == frozenset()


def test_a_document_s_own_label_comes_before_that_of_its_project() -> None:
    assert label_in_force("public", "staff") == "public"
    assert label_in_force("", "staff") == "staff"


def test_a_project_of_which_nothing_is_known_yet_shows_no_unlabelled_document() -> None:
    assert label_in_force("", "") not in (permitted((UNLABELLED, "public")) or ())

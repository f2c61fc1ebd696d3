"""What projects and groups may be called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadQuery
from paparatsd.naming import check_group_name, check_project_name, default_project_name

if TYPE_CHECKING:
    from collections.abc import Callable

    Check = Callable[[str], str]

CHECKS: tuple[Check, ...] = (check_project_name, check_group_name)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", ["shop", "7", ".github", "_x", "a-b.c_d", "All", "x" * 100])
def test_plain_names_are_taken(check: Check, name: str) -> None:
    assert check(name) == name


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize(
    "name", ["", "-x", "--help", "-", ".", "..", "a b", "a:b", "a/b", "é", "a\n", "x" * 101]
)
def test_names_that_could_be_taken_for_something_else_are_refused(check: Check, name: str) -> None:
    with pytest.raises(BadQuery, match="allowed: letters, digits"):
        check(name)


@pytest.mark.parametrize("check", CHECKS)
def test_nothing_is_called_like_the_word_for_everything(check: Check) -> None:
    with pytest.raises(BadQuery, match="it stands for every project"):
        check("all")


@pytest.mark.parametrize(
    ("basename", "name"),
    [
        ("all", "all-project"),
        ("-x", "x"),
        ("--", "project"),
        ("_a", "_a"),
        ("-all-", "all-project"),
    ],
)
def test_a_default_name_is_always_allowed(basename: str, name: str) -> None:
    assert check_project_name(default_project_name(basename)) == name

"""A daemon that answers for some projects only."""

from __future__ import annotations

import pytest

from paparatsd.answerable import check_allowed, notes_on_scope
from paparatsd.errors import UnknownProject

EMPTY = ("No project is registered here: ...", "another note")


def test_a_project_outside_is_refused_with_the_names_inside_only() -> None:
    with pytest.raises(UnknownProject, match=r"no project named 'requests' here: .*: flask, wsgi$"):
        check_allowed(["flask", "requests"], ["flask", "wsgi"])
    check_allowed(["flask"], ["flask"])
    check_allowed(["requests"], [])


def test_an_empty_scope_is_no_lack_of_projects() -> None:
    first, second = notes_on_scope(EMPTY, ["flask"], empty=True)
    assert "answers for these projects only" in first
    assert first.endswith(": flask.")
    assert second == "another note"
    assert notes_on_scope(EMPTY, ["flask"], empty=False) == EMPTY
    assert notes_on_scope(EMPTY, [], empty=True) == EMPTY

"""A daemon that answers for some projects only."""

from __future__ import annotations

import pytest

from paparatsd.answerable import check_answerable, notes_on_scope
from paparatsd.errors import UnknownProject

EMPTY = ("No project is registered here: ...", "another note")


REGISTERED = ("requests", "flask")


@pytest.mark.parametrize("name", ["requests", "no-such"])
def test_a_project_outside_is_refused_with_the_names_inside_only(name: str) -> None:
    with pytest.raises(UnknownProject, match=rf"no project named '{name}' here: .*: flask, wsgi$"):
        check_answerable(["flask", name], REGISTERED, ["flask", "wsgi"])
    check_answerable(["flask"], REGISTERED, ["flask"])
    check_answerable(["requests"], REGISTERED, [])


def test_a_project_that_is_not_registered_is_refused_without_naming_one_outside() -> None:
    with pytest.raises(UnknownProject, match=r"no project named 'wsgi' \(projects: flask\)$"):
        check_answerable(["wsgi"], REGISTERED, ["flask", "wsgi"])
    with pytest.raises(UnknownProject, match=r"'wsgi' \(projects: flask, requests\)$"):
        check_answerable(["wsgi"], REGISTERED, [])
    with pytest.raises(UnknownProject, match=r"\(projects: none is registered\)$"):
        check_answerable(["wsgi"], [], [])


def test_an_empty_scope_is_no_lack_of_projects() -> None:
    first, second = notes_on_scope(EMPTY, ["flask"], empty=True)
    assert "answers for these projects only" in first
    assert first.endswith(": flask.")
    assert second == "another note"
    assert notes_on_scope(EMPTY, ["flask"], empty=False) == EMPTY
    assert notes_on_scope(EMPTY, [], empty=True) == EMPTY

"""Who may hear of which notes."""

from __future__ import annotations

import pytest

from paparatsd.errors import UnknownProject
from paparatsd.knowledge.reach import Sight, sight_of
from paparatsd.knowledge_model import Reach
from paparatsd.model import GroupName, ProjectName
from paparatsd.store.notes import Note

REGISTERED = {"shop": ("cart", "till"), "bank": ("vault",)}
NOTED = {"shop": ("cart", "old"), "archive": ("gone",), "empty": ()}


def note(group: str, project: str | None) -> Note:
    return Note("i", "term", group, project, "l", "accepted", 0.0, 0.0, {}, "t")


def sight(*visible: str, allowed: tuple[str, ...] = ()) -> Sight:
    return sight_of(Reach(visible=frozenset(visible)), REGISTERED, NOTED, allowed)


def groups(*names: str) -> tuple[GroupName, ...]:
    return tuple(map(GroupName, names))


def projects(*names: str) -> tuple[ProjectName, ...]:
    return tuple(map(ProjectName, names))


def test_without_a_limit_all_groups_are_there_registered_or_with_notes() -> None:
    seen = sight()
    assert seen.asked(Reach()) == ("archive", "bank", "empty", "shop")
    assert seen.sees(note("shop", "old"))
    assert seen.sees(note("archive", None))


def test_notes_of_hidden_projects_and_of_groups_without_a_visible_one_are_hidden() -> None:
    seen = sight("cart")
    assert seen.asked(Reach()) == ("shop",)
    assert seen.sees(note("shop", "cart"))
    assert seen.sees(note("shop", None))
    assert not seen.sees(note("shop", "till"))
    assert not seen.sees(note("bank", None))
    assert not seen.sees(note("archive", "gone"))


def test_what_the_daemon_does_not_answer_about_is_hidden_as_well() -> None:
    assert sight("cart", allowed=("cart", "vault")).asked(Reach()) == ("shop",)
    assert sight("cart", allowed=("vault",)).asked(Reach()) == ()
    assert sight(allowed=("vault",)).asked(Reach()) == ("bank",)


def test_where_notes_may_not_be_told_there_is_nothing() -> None:
    seen = sight_of(Reach(notes=False), REGISTERED, NOTED)
    assert seen.asked(Reach()) == ()
    assert not seen.sees(note("shop", None))
    with pytest.raises(UnknownProject):
        seen.check_place("shop", None)


def test_a_question_about_a_project_is_told_its_notes_and_those_of_its_group() -> None:
    seen, reach = sight(), Reach(projects=projects("cart"))
    assert seen.asked(reach) == ("shop",)
    accepts = seen.chosen(reach)
    assert accepts(note("shop", "cart"))
    assert accepts(note("shop", None))
    assert not accepts(note("shop", "till"))


def test_hidden_and_missing_groups_and_projects_are_refused_in_the_same_words() -> None:
    seen = sight("cart")
    for name in ("bank", "none"):
        with pytest.raises(UnknownProject) as caught:
            seen.asked(Reach(groups=groups(name)))
        assert str(caught.value) == f"no group named '{name}' (groups: shop)"
    for name in ("till", "none"):
        with pytest.raises(UnknownProject) as caught:
            seen.asked(Reach(projects=projects(name)))
        assert str(caught.value) == f"no project named '{name}' (projects: cart)"


def test_only_groups_and_projects_that_exist_are_written_to() -> None:
    seen = sight()
    seen.check_place("shop", None)
    seen.check_place("shop", "old")
    seen.check_place("archive", "gone")
    with pytest.raises(UnknownProject, match=r"no group named 'shpo' .*archive, bank, empty, shop"):
        seen.check_place("shpo", None)
    with pytest.raises(UnknownProject, match=r"'vault' in the group 'shop' \(projects: cart, old"):
        seen.check_place("shop", "vault")
    with pytest.raises(UnknownProject, match=r"\(projects: cart\)"):
        sight("cart").check_place("shop", "till")

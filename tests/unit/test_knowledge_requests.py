"""Arguments about documents and notes: what is taken, what is refused, which group is meant."""

from __future__ import annotations

import doctest
from typing import Any

import pytest

from paparatsd.errors import BadQuery, UnknownProject
from paparatsd.interfaces import card_words
from paparatsd.interfaces import knowledge_phrases as phrases
from paparatsd.interfaces import knowledge_requests as requests
from paparatsd.interfaces import knowledge_shapes as shapes
from paparatsd.interfaces import knowledge_words as words
from paparatsd.interfaces.arguments import Arguments
from paparatsd.knowledge_model import (
    CardHit,
    MemoryStats,
    Reach,
    TermDraft,
)
from paparatsd.model import GroupName, ProjectName
from tests.harness.fake_knowledge import ALPS, MARMOTS, cards_of
from tests.harness.fake_service import project_of

NOW = 1_780_000_000.0
DAY = phrases.DAY_S


def test_examples_in_the_modules_hold() -> None:
    for module in (phrases, shapes):
        result = doctest.testmod(module)
        assert result.attempted
        assert not result.failed


@pytest.mark.parametrize(
    ("seconds", "age"),
    [
        (-5, "just now"), (59, "just now"), (60, "1m"), (3_599, "59m"), (3_600, "1h"),
        (86_399, "23h"), (DAY, "1d"), (30.9 * DAY, "30d"), (31 * DAY, "1mo"),
        (364 * DAY, "11mo"), (366 * DAY, "1y"), (3_700 * DAY, "10y"),
    ],
)  # fmt: skip
def test_an_age_is_a_number_and_a_unit(seconds: float, age: str) -> None:
    assert phrases.age_of(NOW - seconds, NOW) == age


def test_a_card_is_stale_after_ninety_days_and_a_document_after_a_year() -> None:
    assert not phrases.is_stale(NOW - 90 * DAY, NOW)
    assert phrases.is_stale(NOW - 90.01 * DAY, NOW)
    assert phrases.old_as(NOW - 365 * DAY, NOW) == ""
    assert phrases.old_as(NOW - 366 * DAY, NOW) == "12 months"
    assert phrases.old_as(NOW - 729 * DAY, NOW) == "23 months"
    assert phrases.old_as(NOW - 731 * DAY, NOW) == "2 years"
    assert phrases.old_as(None, NOW) == ""


def test_people_are_told_commands_where_agents_are_told_tools() -> None:
    card = shapes.card_hit_json(CardHit(cards_of(MARMOTS, ALPS, NOW)[1], 0.5))
    assert "arch_delete with ids=" in card_words.next_call(card)
    said = card_words.next_call(card, phrases.PERSON)
    assert f"paparats arch record decision --supersedes {card['id']} --group alps" in said
    assert f"paparats arch delete {card['id']}" in said
    assert "arch_" not in said
    component = card | {"kind": "component", "label": "Cash desk"}
    said = card_words.next_call(component, phrases.PERSON)
    assert "paparats arch record component 'Cash desk' --group alps" in said
    nothing = {"counts": {"alps": 1, "andes": 2, "ural": 0}}
    assert "(of 1 card in alps, 2 cards in andes)" in card_words.nothing_remembered(nothing)
    assert "lower --min-score, or" in card_words.nothing_remembered(nothing, phrases.PERSON)


def test_what_is_refused_for_another_note_says_how_to_read_that_one() -> None:
    refused = {"outcome": "duplicate", "id": "42", "label": "Cash desk", "similarity": 0.9}
    said = words.term_outcome(refused, "till", "shop", phrases.PERSON)
    assert "Read it with paparats term search 'Cash desk'." in said
    assert "record 'Cash desk' again with 'till' among its aliases" in said
    said = card_words.card_outcome(refused, "decision", "x", "shop", phrases.PERSON)
    assert "Read it with paparats arch context 'Cash desk'." in said
    assert "arch_context with question=Cash desk." in card_words.card_outcome(
        refused, "decision", "x", "shop"
    )


def test_a_term_in_another_spelling_is_not_to_be_recorded_as_an_alias() -> None:
    refused = {"outcome": "duplicate", "id": "42", "label": "cash-desk", "similarity": 1.0}
    said = words.term_outcome(refused, "Cash Desk", "shop")
    assert said == "Not recorded: 'Cash Desk' is there already, written 'cash-desk', id 42."


def test_a_label_is_cut_and_a_text_is_indented() -> None:
    assert phrases.inline("a\n\t b" + "c" * 300) == "a b" + "c" * 196 + "…"
    assert phrases.indented("a\r\nb\n\nc\n", 4) == "a\n    b\n\n    c"
    assert "```" not in phrases.indented("a\n```sh\nrm\n```")


def test_every_member_of_a_card_is_in_its_shape() -> None:
    component, decision, lesson = (
        shapes.card_json(cards_of(MARMOTS, ALPS, NOW)[number]) for number in (2, 1, 3)
    )
    for shape, members in (
        (component, {"name", "summary", "neighbours"}),
        (decision, {"title", "context", "decision", "consequences", "supersedes"}),
        (lesson, {"rule", "why", "when", "severity", "evidence"}),
    ):
        assert members <= set(shape)
        assert shape["updated_at"].endswith("+00:00")
    assert component["neighbours"] == ["Burrow"]
    assert decision["anchors"] == ["src/burrow3.py#Burrow.dig", "gone.py"]
    assert lesson["project"] is None


def test_an_empty_memory_has_no_moments() -> None:
    shape = shapes.stats_json(MemoryStats(ALPS, 0, {}, {}, 0, None, None))
    assert shape["oldest"] is None
    assert shape["oldest_at"] is None


# --------------------------------------------------------------------------- which group


def draft(group: str = "", project: str | None = None) -> TermDraft:
    named = None if project is None else ProjectName(project)
    return TermDraft(GroupName(group), "t", "d", project=named)


def test_a_group_that_is_named_is_kept() -> None:
    assert requests.in_its_group(draft("andes"), ()).group == "andes"


def test_a_project_tells_its_group_and_a_single_group_is_meant() -> None:
    two = (project_of(MARMOTS, ALPS), project_of(ProjectName("yaks"), GroupName("andes")))
    assert requests.in_its_group(draft(project="yaks"), two).group == "andes"
    assert requests.in_its_group(draft(), two[:1]).group == "alps"
    with pytest.raises(BadQuery, match="there are several: alps, andes"):
        requests.in_its_group(draft(), two)
    with pytest.raises(
        UnknownProject, match=r"no project named 'oxen' \(projects: marmots, yaks\)"
    ):
        requests.in_its_group(draft(project="oxen"), two)
    for project in (None, "oxen"):
        with pytest.raises(BadQuery, match="no project is registered"):
            requests.in_its_group(draft(project=project), ())


# --------------------------------------------------------------------------- arguments


def test_a_floor_may_be_left_out_and_is_a_share() -> None:
    def floor(value: Any) -> float | None:
        return requests.terms_request(
            Arguments({"query": "x", "min_score": value}), Reach()
        ).min_score

    assert [floor(one) for one in (None, 0, "0.25", 1)] == [None, 0.0, 0.25, 1.0]
    for bad in (1.5, "x", True, -1):
        with pytest.raises(BadQuery, match="min_score must be a number from 0 to 1"):
            floor(bad)


def test_a_mark_may_come_back_as_a_number() -> None:
    def cursor(value: Any) -> str:
        return requests.cards_request(Arguments({"cursor": value}), Reach()).cursor

    assert [cursor(one) for one in (None, 7, "7", '{"a": 1}')] == ["", "7", "7", '{"a": 1}']
    for bad in (True, [1], 1.5):
        with pytest.raises(BadQuery, match="cursor must be a string"):
            cursor(bad)


def test_what_is_unknown_inside_of_limits_is_refused() -> None:
    arguments = Arguments({"question": "x", "limits": {"component": 1, "rule": 2}})
    with pytest.raises(BadQuery, match="unknown argument 'rule'"):
        requests.context_request(arguments, Reach())

"""Answers to questions that ask two things."""

from __future__ import annotations

from paparatsd.model import ProjectName
from paparatsd.search.compound import completed
from paparatsd.search.frames import Ranked
from paparatsd.search_model import Confidence, Hit


def hit(name: str, confidence: Confidence = Confidence.HIGH) -> Hit:
    return Hit(
        project=ProjectName("p"),
        path=f"{name}.py",
        start_line=1,
        end_line=2,
        address=f"p:{name}.py#{name}",
        language="python",
        kind="function",
        symbol=name,
        text="",
        score=1.0,
        confidence=confidence,
    )


def ranked(*hits: Hit) -> Ranked:
    return Ranked(hits, ("a note",), 9)


def names(answer: Ranked) -> list[str | None]:
    return [one.symbol for one in answer.hits]


def test_best_hit_of_a_half_that_the_whole_misses_takes_the_last_place() -> None:
    whole = ranked(hit("a"), hit("b"), hit("c"))

    answer = completed(whole, [ranked(hit("a")), ranked(hit("z"))], limit=3)

    assert names(answer) == ["a", "b", "z"]
    assert (answer.notes, answer.candidates) == (("a note",), 9)


def test_halves_of_one_subject_change_nothing() -> None:
    whole = ranked(hit("a"), hit("b"))

    assert completed(whole, [ranked(hit("b")), ranked(hit("a"))], limit=2) == whole


def test_a_guess_and_an_empty_half_change_nothing() -> None:
    whole = ranked(hit("a"), hit("b"))

    assert completed(whole, [ranked(hit("z", Confidence.LOW)), ranked()], limit=2) == whole


def test_the_first_hit_of_the_whole_always_stays() -> None:
    whole = ranked(hit("a"), hit("b"))

    assert names(completed(whole, [ranked(hit("y")), ranked(hit("z"))], limit=2)) == ["a", "y"]
    assert names(completed(whole, [ranked(hit("y")), ranked(hit("z"))], limit=3)) == ["a", "y", "z"]


def test_both_halves_answer_where_the_whole_finds_nothing() -> None:
    answer = completed(ranked(), [ranked(hit("y")), ranked(hit("y"))], limit=5)

    assert names(answer) == ["y"]

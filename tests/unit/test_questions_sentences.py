"""First sentences, which of them are asked, and how."""

from __future__ import annotations

import random

import pytest

from contrib.train.questions.sentences import (
    base_form,
    content_words,
    first_sentence,
    is_askable,
    without_markup,
    without_name,
    word_question,
)


@pytest.mark.parametrize(
    ("doc", "expected"),
    [
        ("Keeps open connections in a pool. More follows.", "Keeps open connections in a pool"),
        (
            "Keeps open connections\nin a pool\n\nSecond paragraph",
            "Keeps open connections in a pool",
        ),
        ("Reads rows, e.g. of a table. Rest.", "Reads rows, e.g. of a table"),
        ("@brief Reads rows of a table\n@param path where", "Reads rows of a table"),
        ("queue.c - A lock-free queue of jobs.", "A lock-free queue of jobs"),
    ],
)
def test_the_first_sentence_ends_at_a_stop_a_blank_line_or_a_tag(doc: str, expected: str) -> None:
    sentence = first_sentence(doc)
    assert sentence is not None
    assert sentence.plain == expected


@pytest.mark.parametrize("doc", ["", "@param path where it is", "- a list", "x" * 400])
def test_a_comment_without_a_sentence_gives_none(doc: str) -> None:
    assert first_sentence(doc) is None


def test_markup_goes_and_its_words_stay() -> None:
    text = 'Opens a {@link Pool} of :class:`~db.Conn` for <see cref="Row"/> and [`Cell`] `rows`.'
    assert without_markup(text) == "Opens a Pool of db.Conn for Row and Cell rows"


@pytest.mark.parametrize(
    ("plain", "name", "expected"),
    [
        ("Pool keeps connections open", "Pool", "keeps connections open"),
        ("Chunks is an iterator over groups", "Chunks", "an iterator over groups"),
        ("A queue of jobs that wait", "Queue", "A queue of jobs that wait"),
        ("Keeps connections open", "Pool", "Keeps connections open"),
    ],
)
def test_the_name_of_the_thing_is_cut_off_the_front(plain: str, name: str, expected: str) -> None:
    assert without_name(plain, name) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Constructor",
        "Returns the value",
        "Gets or sets the name",
        "Copyright 2020 by the authors of the project",
        "TODO make the reader stream rows of tables",
        "Same as the reader but for tables and rows",
        "A b c d",
        "Reads {rows} => cells of tables quickly",
        "Liest Zeilen aus Tabellen für später",
    ],
)
def test_boilerplate_licences_chores_and_code_are_not_asked(text: str) -> None:
    assert not is_askable(text)


def test_a_plain_description_is_asked() -> None:
    assert is_askable("Keeps idle database connections open for reuse")


def test_content_words_leave_out_what_carries_no_meaning() -> None:
    assert content_words("Returns the rows of a Table, the rows") == ["rows", "table"]


@pytest.mark.parametrize(
    ("verb", "base"), [("parses", "parse"), ("applies", "apply"), ("matches", "match")]
)
def test_third_person_becomes_base_form(verb: str, base: str) -> None:
    assert base_form(verb) == base


def test_wording_cuts_openings_asks_how_and_is_the_same_for_the_same_seed() -> None:
    plain = "This class represents a pool that keeps idle connections"

    def ask(seed: int) -> str:
        return word_question(plain, random.Random(seed))  # noqa: S311 - a seeded choice

    worded = [ask(seed) for seed in range(200)]
    assert worded == [ask(seed) for seed in range(200)]
    assert 90 < sum(not text.lower().startswith("this class") for text in worded) < 180
    assert all("idle" in text for text in worded)


def test_verbs_become_how_to_and_nouns_are_left_alone() -> None:
    def styles(plain: str) -> set[str]:
        seeds = map(random.Random, range(300))
        return {word_question(plain, rng) for rng in seeds}

    assert "how to parse rows of comma separated tables" in styles(
        "Parses rows of comma separated tables"
    )
    assert not any(
        text.startswith("how") for text in styles("Helpers for rows of comma separated tables")
    )

from __future__ import annotations

import pytest

from paparatsd.chunks.terms import STOP, term_id
from paparatsd.errors import BadQuery
from paparatsd.search.query import MAX_CHARS, MAX_TERMS, Intent, analyse


def weights(text: str, own_name: str | None = None) -> dict[str, float]:
    return {term.text: term.weight for term in analyse(text, own_name).terms}


def test_one_word_is_a_symbol_question() -> None:
    query = analyse("Session.refreshToken()")
    assert query.intent is Intent.SYMBOL
    assert query.single
    assert query.names == ("refreshToken",)


@pytest.mark.parametrize("text", ["session", "größe", "日本"])
def test_one_ordinary_word_is_plain(text: str) -> None:
    assert analyse(text).plain


@pytest.mark.parametrize("text", ["Session", "app.session", "session()", "url_for", "two words"])
def test_a_name_as_written_in_code_is_not_plain(text: str) -> None:
    assert not analyse(text).plain


def test_a_sentence_is_language_and_a_snippet_is_code() -> None:
    assert analyse("how are retries delayed").intent is Intent.LANGUAGE
    assert analyse("def connect(self): return 1").intent is Intent.CODE
    assert analyse("let me see the class diagram").intent is Intent.LANGUAGE


def test_stop_words_are_no_terms_unless_there_is_nothing_else() -> None:
    assert not {term.text for term in analyse("where is the cache used").terms} & STOP
    assert analyse("how is it").terms


def test_earlier_words_stand_in_a_better_position() -> None:
    positions = [term.position for term in analyse("delay timeout suspend").terms]
    assert positions == sorted(positions, reverse=True)
    assert positions[0] == 1.0


def test_generic_words_count_less_in_a_longer_question() -> None:
    long = weights("retry logic handling backoff")
    assert long["retri"] == 1.0
    assert long["logic"] < 1.0
    assert weights("logic")["logic"] == 1.0


def test_the_projects_own_name_counts_little_when_it_alone_is_searched() -> None:
    assert weights("flask request context stack", "flask")["flask"] < 0.2
    assert weights("flask request context stack")["flask"] == 1.0
    assert weights("flask app", "flask")["flask"] == 1.0


def test_identifiers_in_prose_are_names_asked_for() -> None:
    names = analyse("Where does HttpClient call retry_policy and sendRequest").names
    assert set(names) == {"HttpClient", "retry_policy", "sendRequest"}


def test_adjacent_words_are_joined_to_possible_names() -> None:
    query = analyse("where is rate limit checked")
    assert "ratelimit" in query.joined
    assert analyse("ratelimit").joined == ()


def test_a_path_is_no_name() -> None:
    assert analyse("src/app/main.py").names == ()


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("tests for the parser", "test"),
        ("where are the unit tests of the router", "test"),
        ("router tests", "test"),
        ("route test", "test"),
        ("how is the retry logic tested", "test"),
        ("test cases for malformed headers", "test"),
        ("benchmarks of the tokenizer", "test"),
        ("readme of the project", "docs"),
        ("changelog", "docs"),
        ("documentation about deployment", "docs"),
        ("sample code that uploads a file", "example"),
        ("ci configuration", "config"),
        ("which settings file sets the port", "config"),
        ("example of streaming", "example"),
        ("pipe handling on windows", "variant"),
    ],
)
def test_a_question_that_asks_for_a_kind_of_file_says_so(text: str, topic: str) -> None:
    assert topic in analyse(text).about


@pytest.mark.parametrize(
    "text",
    [
        "parse the request body",
        "how does the test client simulate requests",
        "how skip aborts a test without marking it as a failure",
        "test runner for commands in isolation",
        "how config defaults are merged",
        "timeout configuration",
        "how plugin specs are parsed and normalized",
        "documentation generation for man pages",
        "example based property search",
    ],
)
def test_a_question_about_the_code_asks_for_no_kind_of_file(text: str) -> None:
    assert analyse(text).about == frozenset()


@pytest.mark.parametrize("text", ["", "   \n\t", "\0"])
def test_empty_question_is_refused(text: str) -> None:
    with pytest.raises(BadQuery):
        analyse(text)


def test_absurdly_long_question_is_refused_and_a_long_one_is_capped() -> None:
    with pytest.raises(BadQuery, match=str(MAX_CHARS)):
        analyse("x" * (MAX_CHARS + 1))
    assert len(analyse(" ".join(f"word{i}" for i in range(700))).terms) <= MAX_TERMS


@pytest.mark.parametrize("text", ["???", "\ud800", "()", "日本語の検索", "___"])
def test_odd_questions_are_analysed_without_error(text: str) -> None:
    for term in analyse(text).terms:
        assert term.id == term_id(term.text)

from __future__ import annotations

import pytest

from paparatsd.search.messages import constant_words, is_message
from paparatsd.search.query import Intent, analyse, halves_of


@pytest.mark.parametrize(
    "text",
    [
        "who calls url_for",
        "callers of url_for",
        "find all usages of `url_for`",
        "where is the function url_for used?",
        "what uses url_for()",
        "what depends on url_for",
        "url_for usages",
        "谁调用了 url_for",
        "url_for 在哪里被调用",
        "url_for を呼び出している箇所",
        "url_for을 호출하는 곳",
        "где используется url_for",
        "де викликається url_for",
        "wo wird url_for aufgerufen",
        "qui appelle url_for ?",
        "¿quién llama a url_for?".strip("¿"),
        "onde url_for é usado",
    ],
)
def test_questions_for_callers_name_what_is_called(text: str) -> None:
    query = analyse(text)
    assert query.callers_of == "url_for"
    assert query.names == ("url_for",)
    assert query.intent is Intent.SYMBOL


@pytest.mark.parametrize(
    "text",
    [
        "where is rate limiting used",
        "how is the cache used to store sessions",
        "what happens when a request times out",
        "who wrote this",
        "use of the word cache in docs and tests",
    ],
)
def test_other_questions_ask_for_no_callers(text: str) -> None:
    assert analyse(text).callers_of is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("definition of view", "view"),
        ("where is Base defined?", "Base"),
        ("class JsonConverter", "JsonConverter"),
        ("JsonConverter class", "JsonConverter"),
        ("where is the function parse_args implemented", "parse_args"),
    ],
)
def test_questions_for_a_definition_are_symbol_questions(text: str, name: str) -> None:
    query = analyse(text)
    assert query.definition_of == name
    assert query.single
    assert query.names == (name,)


@pytest.mark.parametrize("text", ["method chaining", "type inference", "how is state defined"])
def test_two_plain_words_are_no_definition(text: str) -> None:
    assert analyse(text).definition_of is None or text.startswith("how")


def test_compound_questions_have_parts_and_noun_phrases_do_not() -> None:
    assert halves_of("parse the headers then validate the token") == (
        "parse the headers",
        "validate the token",
    )
    assert len(halves_of("where are routes stored and how are requests matched")) == 2
    assert halves_of("before and after request hooks") == ()
    assert halves_of("connection pooling and transport") == ()


def test_code_and_messages_are_no_compound_questions() -> None:
    assert halves_of("const first = call(one, two); const second = call(three, four);") == ()
    assert halves_of("error: cannot open file a.txt; permission was denied here") == ()


@pytest.mark.parametrize(
    "text",
    [
        "TypeError: 'NoneType' object is not callable",
        "cannot open file 'a/b.txt': no such file or directory",
        "error: unexpected token at line 12",
        "failed to connect to {host}:{port}",
    ],
)
def test_pasted_messages_are_recognised(text: str) -> None:
    assert is_message(text)


@pytest.mark.parametrize(
    "text", ["how are invalid tokens rejected", "error handling in the router", "missing values"]
)
def test_questions_about_errors_are_no_messages(text: str) -> None:
    assert not is_message(text)


def test_what_differs_between_messages_is_left_out() -> None:
    text = constant_words("worker 12 at 0x7ffe12 lost 'a/b.txt' after 300ms: %s {reason} 'Pool'")
    assert text.split() == ["worker", "at", "lost", "after", ":", "Pool"]


def test_a_question_for_configuration_says_so() -> None:
    assert "config" in analyse("where is the yaml configuration of linters").about

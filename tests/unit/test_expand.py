from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from paparatsd.chunks.terms import stem, term_id
from paparatsd.search.expand import expand
from paparatsd.search.query import Intent, analyse

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from paparatsd.search.expand import Expanded

    Frequency = Callable[[NDArray[np.uint32]], NDArray[np.float64]]


def corpus(words: str) -> Frequency:
    known = {term_id(stem(word)): 5.0 for word in words.split()}
    return lambda ids: np.array([known.get(int(number), 0.0) for number in ids])


def ask(text: str, words: str) -> Expanded:
    return expand(analyse(text), corpus(words))


def weights(expanded: Expanded) -> dict[str, float]:
    return {term.text: term.weight for term in expanded.query.terms}


def test_a_question_whose_words_are_known_is_left_as_it_is() -> None:
    query = analyse("parse the request header")
    expanded = expand(query, corpus("parse request header"))
    assert expanded.query is query
    assert expanded.notes == ()
    assert expanded.frequency.tolist() == [5.0, 5.0, 5.0]


def test_a_misspelled_word_is_replaced_and_the_reader_told() -> None:
    expanded = ask("how is autentication done", "authentication done")
    assert "authent" in weights(expanded)
    assert expanded.notes == ("No file has 'autentication': searched for 'authentication'.",)
    assert (expanded.frequency > 0).all()


def test_a_misspelled_part_of_a_name_is_replaced_inside_it() -> None:
    assert ask("RendrTemplate", "render template").query.names == ("RenderTemplate",)
    assert ask("rendr_template", "render template").query.names == ("render_template",)


def test_an_unknown_short_form_is_searched_for_by_its_long_one() -> None:
    expanded = ask("ctx propagation", "context propagation")
    assert weights(expanded)["context"] < 1.0
    assert expanded.notes == ()
    assert "context" not in weights(ask("ctx propagation", "ctx context propagation"))


@pytest.mark.parametrize(
    "text",
    ["请求解析错误", "リクエストのエラーを解析", "요청 파싱 오류", "ошибка разбора запроса",
     "Fehler beim Parsen einer Anfrage", "error al analizar la petición"],
)  # fmt: skip
def test_a_question_in_another_language_is_read_in_english(text: str) -> None:
    expanded = ask(text, "request parse error unrelated")
    assert {"request", "pars", "error"} <= set(weights(expanded))
    assert "English" in expanded.notes[0]
    assert set(expanded.query.meaning.split()) >= {"request", "parse", "error"}
    assert expanded.query.text == text
    assert expanded.query.intent is Intent.LANGUAGE


def test_of_several_meanings_those_that_the_code_has_are_taken() -> None:
    only = weights(ask("解析请求", "resolve request"))
    assert only["resolv"] == 1.0
    assert "pars" not in only


def test_foreign_words_that_the_code_has_count_a_little() -> None:
    expanded = ask("请求解析", "request parse 请求")
    assert 0 < weights(expanded)["请求"] < 0.5
    assert "求解" not in weights(expanded)


def test_names_in_a_foreign_question_are_asked_for() -> None:
    expanded = ask("где `HttpAdapter` обрабатывает ошибки", "handle error")
    assert expanded.query.names == ("HttpAdapter",)


def test_tests_asked_for_in_another_language_are_tests() -> None:
    assert "test" in ask("路由的测试", "route test").query.about


def test_pasted_code_is_not_corrected() -> None:
    text = "const reqest = await fetch(url);"
    assert ask(text, "request fetch url").query == analyse(text)


def test_words_that_the_lexicon_lacks_are_told() -> None:
    notes = expand(analyse("行星的缓存"), corpus("cache")).notes
    assert any("行星" in note for note in notes)
    assert len(expand(analyse("缓存在哪里失效"), corpus("cache")).notes) == 1

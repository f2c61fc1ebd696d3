from __future__ import annotations

import pytest

from paparatsd.search.lexicon import Language, find_han, find_hangul, find_inflected, fold
from paparatsd.search.translate import is_foreign, latin_language, translate


def english(text: str) -> set[str]:
    """Return the likeliest English words of a question."""
    return {piece.senses[0][0] for piece in translate(text) if piece.senses}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("请求头在哪里解析", {"header", "parse"}),
        ("錯誤處理中間件", {"error", "handle", "middleware"}),
        ("ルーティングを登録する場所", {"route", "register"}),
        ("テンプレートを読み込む", {"template", "read"}),
        ("요청을 파싱하는 코드는 어디에 있나요", {"request", "parse", "code"}),
        ("값을 읽는 함수", {"value", "read", "function"}),
        ("где обрабатываются ошибки маршрутизации", {"handle", "error", "route"}),
        ("як зберігаються сесії користувачів у базі даних", {"session", "user", "database"}),
        ("Wie wird die Fehlerbehandlung registriert?", {"error", "handle", "register"}),
        ("où sont gérées les erreurs de la base de données", {"handle", "error", "database"}),
        ("¿dónde se guarda la contraseña del usuario?", {"save", "password", "user"}),
        ("onde são criadas as sessões do usuário", {"create", "session", "user"}),
        ("缓存在哪里失效", {"cache", "invalidate"}),
        ("锁在哪里被触发和重置", {"lock", "trigger", "reset"}),
        ("где сбрасывается кэш", {"reset", "cache"}),
        ("Wie werden gelöschte Dateien geprüft", {"delete", "file", "check"}),
    ],
)
def test_words_of_software_are_found_in_other_languages(text: str, expected: set[str]) -> None:
    assert expected <= english(text)


def test_the_longest_word_wins_and_longer_unknown_words_are_not_taken_apart() -> None:
    assert [one.text for one in find_han("请求头")] == ["请求头"]
    assert [(one.text, one.senses is None) for one in find_han("行星")] == [("行星", True)]
    assert find_han("行")[0].senses is not None


def test_a_syllable_is_a_korean_word_only_at_the_beginning_before_a_particle() -> None:
    assert [one.text for one in find_hangul("키를")] == ["키"]
    assert find_hangul("스키장") == []


def test_german_compounds_are_cut_in_two() -> None:
    found = find_inflected([(0, "datenbankverbindung")], Language.GERMAN)
    assert [one.senses[0][0] for one in found if one.senses] == ["database", "connect"]


def test_a_word_of_several_meanings_shares_its_weight() -> None:
    (found,) = find_han(fold("解析"))
    assert found.senses is not None
    assert dict(found.senses)["parse"] < 1.0
    assert {"parse", "resolve"} <= set(dict(found.senses))


def test_names_in_a_foreign_question_stay() -> None:
    pieces = translate("Flask中的`url_for`是如何实现的")
    assert {"Flask", "url_for"} <= {piece.source for piece in pieces if not piece.senses}


@pytest.mark.parametrize(
    "text",
    [
        "how does the app do routing",
        "where is the die hard class",
        "mit license header",
        "des encryption of le data",
        "no default value as a fallback",
        "naïve Bayes classifier",
        "con",
    ],
)
def test_english_questions_are_english(text: str) -> None:
    assert latin_language(text) is None
    assert not is_foreign(text)


def test_folding_keeps_the_length_and_unites_forms() -> None:
    assert fold("錯誤") == fold("错误")
    assert fold("Größe Contraseña Ёлка") == "große contrasena елка"

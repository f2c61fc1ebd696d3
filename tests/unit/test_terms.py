from __future__ import annotations

import pytest

from paparatsd.chunks.terms import (
    MAX_COMPOSED,
    beginnings_of,
    find_tokens,
    parts_of,
    stem,
    term_id,
    text_ids,
    tokens,
    word_tokens,
)


def test_composed_name_yields_itself_and_its_stemmed_parts() -> None:
    assert word_tokens("getUsersById") == ("getusersbyid", "get", "user", "by", "id")


def test_snake_case_and_camel_case_share_their_parts() -> None:
    assert set(word_tokens("rate_limit")) & set(word_tokens("RateLimit")) >= {"rate", "limit"}


def test_acronym_is_kept_together_before_a_word() -> None:
    assert parts_of("HTTPServer") == ["http", "server"]


def test_leading_underscore_does_not_make_another_term() -> None:
    assert "name" in word_tokens("_name")
    assert "name" in word_tokens("name")


def test_underscores_alone_are_no_term() -> None:
    assert tokens("_ __ ___") == []


def test_question_and_code_meet_in_the_same_stem() -> None:
    assert stem("retries") == stem("retry") == stem("retrying")


def test_short_words_and_words_with_digits_keep_their_form() -> None:
    assert stem("bus") == "bus"
    assert "utf8" in word_tokens("utf8")


def test_letters_of_other_scripts_stay_whole() -> None:
    assert tokens("größe") == ["größe"]
    assert "größe" in tokens("maxGröße")
    assert tokens("имяФайла") == ["имяфайла", "имя", "файла"]


def test_composed_and_decomposed_accents_are_the_same_term() -> None:
    assert tokens("cafe\u0301") == tokens("caf\u00e9")


def test_text_without_spaces_yields_overlapping_pairs() -> None:
    assert {"検索", "索機", "機能"} <= set(tokens("検索機能"))
    assert tokens("検") == ["検"]


def test_a_question_in_chinese_finds_a_part_of_a_longer_run() -> None:
    assert set(tokens("用户")) & set(tokens("创建用户接口"))


def test_a_blob_is_one_term_without_parts() -> None:
    assert len(word_tokens("aB" * MAX_COMPOSED)) == 1


@pytest.mark.parametrize("text", ["", "\ud800x", "\0\0", "\U0001f600 ok", "9" * 100_000])
def test_odd_text_never_raises(text: str) -> None:
    assert len(text_ids(text)) == len(tokens(text))


@pytest.mark.parametrize(
    "text",
    [
        "".join(map(chr, range(128))),
        "3d_points = vec3(1e9, 0xFF, 12ab34)  # 007",
        "getUsersById\x0b_x1c\x1cHTTPServer\t__init__\x7f9lives",
        "maxGröße = 3größe, 5x",
    ],
)
def test_numbers_of_a_text_are_those_of_its_terms(text: str) -> None:
    assert text_ids(text) == [term_id(term) for term in tokens(text)]


def test_term_ids_are_fixed_numbers_of_32_bits() -> None:
    # Written into every index: a change here needs another TERMS_VERSION.
    assert term_id("user") == 0x9C02751B
    assert 0 <= term_id("user") < 1 << 32


@pytest.mark.parametrize(
    "text",
    [
        "",
        "def retrying(flies): return HTTPServer._name, rate_limit, 3d, ID, iPhone",
        "ayed dying abilities sensibility hopping hoping relational conflated ties yes",
        f"{'x' * (MAX_COMPOSED + 3)} McDonald A a __ été Größe 設定を読み込む",
    ],
)
def test_finding_some_terms_says_what_reading_them_all_does(text: str) -> None:
    terms = tokens(text)
    for sought in (set(terms), set(terms[::2]), set(terms[1::3]), {"nowhere"}, set()):
        found = [term for term in terms if term in sought]
        assert find_tokens(text, sought, beginnings_of(sought)) == (len(terms), found)

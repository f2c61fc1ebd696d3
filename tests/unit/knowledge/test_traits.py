"""What of a text is compared."""

from __future__ import annotations

import pytest

from paparatsd.knowledge.opposites import are_opposites
from paparatsd.knowledge.traits import pieces_of, stems_of, traits_of


def test_words_are_cut_as_in_code_and_lose_their_endings() -> None:
    assert stems_of("The HTTPServer stores user_ids") == {"http", "serv", "stor", "user", "ids"}
    assert stems_of("reserves") == stems_of("reserved")


def test_characters_of_languages_without_spaces_go_by_twos() -> None:
    assert stems_of("订单编号") == {"订单", "单编", "编号"}
    assert pieces_of("締め日") == {"締め", "め日"}


def test_words_of_one_origin_share_pieces() -> None:
    assert pieces_of("reservation") & pieces_of("reserve")
    assert not pieces_of("reservation") & pieces_of("auction") - {"tion", "ion$"}


@pytest.mark.parametrize("text", ["", "the of and", "— … !"])
def test_a_text_may_say_nothing(text: str) -> None:
    assert not traits_of(text, text).pieces


def test_the_core_of_a_decision_is_its_title_and_decision() -> None:
    told = traits_of("title", "title\n\nscene\n\ndecided\n\nlater")
    assert told.core == stems_of("title decided")
    assert traits_of("rule", "rule\n\nreason\n\nmoment").core == stems_of("rule reason")


def test_an_acronym_meets_its_words() -> None:
    short, long = traits_of("DLQ", "DLQ"), traits_of("Dead letter queue", "Dead letter queue")
    assert short.acronyms & long.initials


@pytest.mark.parametrize(
    ("one", "other", "opposite"),
    [
        ("bids are kept after the end of it", "bids are not kept after the end of it", True),
        ("push metrics to the main server", "pull metrics to the main server", True),
        ("bids are kept after the end of it", "bids are kept after the end of it", False),
        ("never leave a lot open", "always close each lot in time", False),
        ("bids are kept", "whoever wins a lot does not pay for its storage", False),
        ("", "", False),
    ],
)
def test_only_nearly_the_same_words_are_opposites(one: str, other: str, opposite: bool) -> None:
    a, b = traits_of(one, one), traits_of(other, other)
    assert are_opposites(a, b) == are_opposites(b, a) == opposite

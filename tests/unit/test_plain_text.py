from __future__ import annotations

import pytest

from paparatsd.plain_text import clean_piece, clean_text, one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("def pay():\n\treturn 1\n", "def pay():\n\treturn 1\n"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("\x1b[31mred\x1b[0m\x07\x00\x7f", "red"),
        ("é\u202e\u200b\x85 \U000e0041\ufe0f", "é \ufe0f"),
        ("a\ud800b", "ab"),
    ],
)
def test_nothing_invisible_is_left_and_lines_and_tabs_stay(text: str, shown: str) -> None:
    assert clean_piece(text) == shown


@pytest.mark.parametrize("code", [*range(9), *range(11, 32), 127])
def test_every_control_character_goes_from_plain_text(code: int) -> None:
    assert clean_piece(f"a{chr(code)}b") in ("ab", "a\nb")


def test_lines_at_the_end_and_fences_in_a_line_go() -> None:
    assert clean_text("a\n\n") == "a"
    assert one_line("a\n```b\t") == "a '''b "

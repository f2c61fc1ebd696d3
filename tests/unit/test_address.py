"""Addresses are read back as they were written, and bad ones are refused with a reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paparatsd.chunks.address import (
    LineAddress,
    NamedAddress,
    RangeAddress,
    decode_part,
    encode_part,
    format_address,
    format_lines,
    parse_address,
)
from paparatsd.errors import BadQuery

projects = st.from_regex(r"[A-Za-z0-9._-]+", fullmatch=True)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)
paths = names.filter(lambda path: path.strip() == path)
lines = st.integers(min_value=1, max_value=999_999_999)


@given(projects, paths, names.filter(lambda name: name.strip() == name))
def test_a_named_address_survives_the_round_trip(project: str, path: str, name: str) -> None:
    address = parse_address(format_address(project, path, encode_part(name)))

    assert address == NamedAddress(project, path, encode_part(name))
    assert decode_part(address.fragment) == name


@given(projects, paths, lines, lines)
def test_lines_survive_the_round_trip(project: str, path: str, a: int, b: int) -> None:
    start, end = min(a, b), max(a, b)

    assert parse_address(format_lines(project, path, a)) == LineAddress(project, path, a)
    ranged = parse_address(format_lines(project, path, start, end))
    assert ranged == RangeAddress(project, path, start, end)


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    refusal: BadQuery | None = None
    try:
        parse_address(text)
    except BadQuery as raised:
        refusal = raised
    if refusal is not None:
        # As every other error: it goes on behind "paparats: ".
        assert not str(refusal)[0].isupper()
        assert not str(refusal).endswith(".")


def test_the_documented_forms_are_read() -> None:
    assert parse_address("flask:src/app.py#Flask.run") == NamedAddress(
        "flask", "src/app.py", "Flask.run"
    )
    assert parse_address("flask:src/app.py#Flask/2") == NamedAddress(
        "flask", "src/app.py", "Flask/2"
    )
    assert parse_address("flask:a%3Ab%23c.py:7") == LineAddress("flask", "a:b#c.py", 7)
    assert parse_address(" flask:a.py:7-9 ") == RangeAddress("flask", "a.py", 7, 9)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing",
        "bad name:a.py:1",
        "p:a.py",
        "p:#Name",
        "p:a.py#",
        "p:a.py#A#B",
        "p:a.py:0",
        "p:a.py:x",
        "p:a.py:9-7",
        "p:a.py:1-0",
        "p:a%zz.py:1",
        "p:a%ff.py:1",
        "p:a:b:1",
        "p::1",
        "p:" + "a" * 9_000 + ":1",
    ],
)
def test_a_bad_address_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(BadQuery, match=r"^[^A-Z].*[^.]$"):
        parse_address(text)


def test_a_name_cannot_look_like_a_text_hash_part_or_number() -> None:
    assert encode_part("~abc123") == "%7Eabc123"
    assert encode_part("a/2@3#4:5%") == "a%2F2%403%234%3A5%25"

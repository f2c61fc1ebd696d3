"""What a document says of itself: front matter, fields of the format, headings, file name."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from paparatsd.chunks.flat_yaml import read_flat_yaml
from paparatsd.chunks.frontmatter import MAX_CHARS, MAX_ROWS, read_front_matter
from paparatsd.chunks.parse import ChunkLimits, parse_file
from paparatsd.chunks.written_dates import read_date
from paparatsd.model import DocumentHead
from paparatsd.plain_yaml import load_plain_yaml

LIMITS = ChunkLimits()
BODY = "Some words about it, and a sentence that ends.\n"


def head(path: str, text: str) -> DocumentHead:
    found = parse_file(path, text, LIMITS).document
    assert found is not None
    return found


def day(year: int, month: int, number: int) -> float:
    return datetime(year, month, number, tzinfo=UTC).timestamp()


# --------------------------------------------------------------------------- front matter


def test_front_matter_gives_title_link_date_and_audience() -> None:
    text = (
        "---\nTitle: How to *deploy*\nsource_url: https://example.org/deploy\n"
        f"last_modified: 2024-02-03\nAUDIENCE: partner\ntags: [a, b]\n---\n\n# Other\n{BODY}"
    )

    assert head("a.md", text) == DocumentHead(
        "How to deploy", "https://example.org/deploy", day(2024, 2, 3), "partner"
    )


def test_toml_front_matter_is_read_with_its_own_dates() -> None:
    text = f'+++\ntitle = "Deploy"\ndate = 2024-02-03T00:00:00+02:00\n+++\n{BODY}'

    found = head("a.md", text)

    assert found.title == "Deploy"
    assert found.modified == day(2024, 2, 3) - 7200


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: never closed\n",
        "---\n- a\n- list\n---\n",
        "---\ntitle: [broken\n---\n",
        "---\ntitle: a: b\n---\n",
        "---\na: &x y\nb: *x\n---\n",
        "+++\ntitle = broken\n+++\n",
        "---\nJust a sentence between rules.\n---\n",
        "---\n" + "x: 1\n" * (MAX_ROWS + 1) + "---\n",
        "---\ntitle: " + "x" * MAX_CHARS + "\n---\n",
        "---\na: " + "[" * 200 + "\n---\n",
    ],
)
def test_what_is_no_front_matter_is_prose_and_never_an_error(text: str) -> None:
    assert read_front_matter(text.split("\n")).rows == 0

    parsed = parse_file("guide.md", f"{text}\n{BODY}\n- a\n\n> b\n", LIMITS)

    assert parsed.degraded == ""
    assert {chunk.kind for chunk in parsed.chunks} == {"section"}
    assert parsed.document is not None
    assert parsed.document.title == "guide"


def test_the_first_usable_value_of_the_names_for_one_thing_is_taken() -> None:
    text = (
        "---\nurl: /local\ncanonical_url: https://example.org\nupdated_at: soon\ndate: 2020-01-02\n"
    )
    found = head("a.md", f"{text}page_title: T\n---\n{BODY}")

    assert (found.title, found.link, found.modified) == (
        "T",
        "https://example.org",
        day(2020, 1, 2),
    )


@pytest.mark.parametrize(
    "link", ["ftp://e.org/a", "javascript:alert(1)", "https://u:p@e.org", "https:///a", "http://[x"]
)
def test_only_web_addresses_are_links(link: str) -> None:
    assert head("a.md", f'---\nlink: "{link}"\n---\n{BODY}').link == ""


# --------------------------------------------------------------------------- audience


@pytest.mark.parametrize("label", ["public", "team-a", "v1.2_x", "7"])
def test_a_label_is_kept_as_it_is_written(label: str) -> None:
    found = head("a.md", f"---\naudience:  {label}\n---\n{BODY}")
    assert (found.audience, found.refused) == (label, "")


@pytest.mark.parametrize(
    "lines",
    [
        "audience: for everybody",
        "audience: [public, partner]",
        "audience:\n  - public",
        "audience: -public",
        f"audience: {'x' * 65}",
        "audience: public\ntitle: a: b",
        "Audience: public\naudience: partner",
        "audience: public\nunclosed: '",
    ],
)
def test_a_label_that_cannot_be_told_counts_as_internal_and_is_named(lines: str) -> None:
    found = head("a.md", f"---\n{lines}\n---\n{BODY}")

    assert found.audience == "internal"
    assert 0 < len(found.refused) <= 80


@pytest.mark.parametrize(
    "text",
    [
        "\n---\naudience: partner\n---\n",
        "<!-- SPDX: MIT -->\n\n---\naudience: partner\n---\n",
        "<!-- two\nlines -->\n ---\ntitle: x\naudience: partner\n ---\n",
        "\ufeff---\naudience: partner\n---\n",
        "\n+++\naudience = 'partner'\n+++\n",
        "---\n" + "x: 1\n" * MAX_ROWS + "audience: partner\n---\n",
        "---\n{title: x, audience: partner\n---\n",
        "---\n? audience\n: partner\nx: [\n---\n",
    ],
)
def test_a_label_in_a_block_that_is_not_read_never_opens_the_document(text: str) -> None:
    found = head("a.md", f"{text}# Title\n\n{BODY}")

    assert found.audience == "internal"
    assert found.refused


def test_a_label_in_the_wrong_place_is_named_with_its_place() -> None:
    below = head("a.md", f"\n---\naudience: partner\n---\n{BODY}")
    broken = head("a.md", f"---\naudience: partner\ntitle: a: b\n---\n{BODY}")

    assert below.refused == "partner (not at the very top)"
    assert broken.refused == "partner (among what cannot be read)"


def test_an_audience_that_prose_tells_of_is_no_label() -> None:
    assert head("a.md", f"{BODY}\n---\naudience: all\n---\n{BODY}").audience == ""
    assert head("a.md", f"\n---\n{BODY}audience: all\n").audience == ""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.rst", "Title\n=====\n\n:audience: public\n:audience: partner\n\n"),
        ("a.adoc", "= Title\n:audience: public\n:audience: partner\n\n"),
        ("a.org", "#+AUDIENCE: public\n#+AUDIENCE: partner\n* Title\n"),
        ("a.rst", "---\naudience: public\n---\nTitle\n=====\n\n:audience: partner\n\n"),
    ],
)
def test_two_labels_are_none_wherever_they_stand(path: str, text: str) -> None:
    found = head(path, f"{text}{BODY}")

    assert (found.audience, found.refused) == ("internal", "public, partner")


def test_a_document_without_a_label_names_none() -> None:
    assert head("a.md", f"---\ntitle: x\naudience:\n---\n{BODY}").audience == ""
    assert head("a.md", BODY).audience == ""


def test_other_formats_name_their_audience_in_their_own_fields() -> None:
    assert head("a.rst", f"Title\n=====\n\n:audience: public\n\n{BODY}").audience == "public"
    assert head("a.adoc", f"= Title\n:audience: public\n\n{BODY}").audience == "public"
    assert head("a.org", f"#+AUDIENCE: public\n* Title\n{BODY}").audience == "public"
    assert head("a.rst", f"Title\n=====\n\n{BODY}\n:audience: public\n").audience == ""


# --------------------------------------------------------------------------- titles and dates


def test_titles_come_from_the_headings_then_from_the_file_name() -> None:
    assert head("a.md", f"{BODY}\n## Low\n\n# High [link](x)\n").title == "High link"
    assert head("docs/How to.md", BODY).title == "How to"
    assert head("a.md", f"# Guide {'{#guide}'}\n{BODY}").title == "Guide"
    assert head("a.mdx", f"import X from 'y'\n\n# Guide {{/*guide*/}}\n{BODY}").title == "Guide"
    assert head("a.rst", f"=====\n Big\n=====\n\n{BODY}").title == "Big"
    assert head("a.rst", f"The :mod:`os` module\n====================\n\n{BODY}").title == (
        "The os module"
    )
    assert head("a.adoc", f"name(1)\n=======\n\nNAME\n----\n{BODY}").title == "name(1)"
    assert head("a.org", f"#+TITLE: Notes\n* First\n{BODY}").title == "Notes"
    assert head("README.md", f'<h1 align="center">\n <b>Tool</b></h1>\n\n## Use\n{BODY}').title == (
        "Tool"
    )


def test_a_heading_among_equals_is_a_title_only_on_top() -> None:
    sections = f"## Install\n{BODY}\n## Use\n{BODY}"
    assert head("guide.md", sections).title == "Install"
    assert head("guide.md", f"Many words come first here.\n\n{sections}").title == "guide"
    assert (
        head("guide.md", f"<!-- words that nobody reads\nat all -->\n{sections}").title == "Install"
    )
    assert head("CHANGELOG.md", f"## 1.2.0\n{BODY}\n## 1.1.0\n{BODY}").title == "CHANGELOG"


def test_fields_of_a_format_give_the_date() -> None:
    assert head("a.rst", f"T\n===\n\n:Date: $Date: 2020-01-02 $\n\n{BODY}").modified == day(
        2020, 1, 2
    )
    assert head("a.adoc", f"= T\nAnn <a@b.c>\nv1.0, 2020-01-02\n\n{BODY}").modified == day(
        2020, 1, 2
    )
    assert head("a.adoc", f"= T\n:revdate: 2020-01-02\n\n{BODY}").modified == day(2020, 1, 2)
    assert head("a.org", f"#+DATE: <2020-01-02 Thu>\n{BODY}").modified == day(2020, 1, 2)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-02-03", day(2024, 2, 3)),
        ("2024/2/3", day(2024, 2, 3)),
        ("20240203", day(2024, 2, 3)),
        ("2024-02-03T10:00:00Z", day(2024, 2, 3) + 36_000),
        ("2024-02-03 10:00:00 +0200", day(2024, 2, 3) + 28_800),
        ("2024-02-03T10:00:00.123-01:30", day(2024, 2, 3) + 41_400),
        ("3rd February 2024", day(2024, 2, 3)),
        ("Feb 3, 2024", day(2024, 2, 3)),
        ("Sat, 03 Feb 2024 10:00:00 GMT", day(2024, 2, 3) + 36_000),
        ("03/04/2020", None),
        ("2024-13-03", None),
        ("2024-02-31", None),
        ("2024-02-03T25:00", None),
        ("1066-10-14", None),
        ("version 2.0", None),
        ("", None),
    ],
)
def test_dates_are_read_in_their_zone_or_as_a_day_of_utc(text: str, moment: float | None) -> None:
    assert read_date(text) == moment


def test_a_notebook_is_called_by_its_first_heading() -> None:
    cells = [
        {"cell_type": "raw", "source": "---\naudience: public\n---"},
        {"cell_type": "code", "source": "import os"},
        {"cell_type": "markdown", "source": f"# Title\n{BODY * 4}"},
    ]
    found = head("a.ipynb", json.dumps({"cells": cells}))
    assert (found.title, found.audience) == ("Title", "public")


# --------------------------------------------------------------------------- the short way


@pytest.mark.parametrize(
    "text",
    [
        "a: b\nc: 'd e'\nf: \"g\"\nh: [x, 'y', z]\n\n# note\ni:\nj: null\nk: ''",
        "tags:\n- one\n- two words\nnext: 1",
        "tags:\n  - one\n  - 'two'\nlinkTitle: a:b#c",
        "params:\n  nested:\n    deep: x\n    list: [a]\nafter: yes",
        "path: /a/b.md\ntime: 10:30",
        "title: Fußnote — 日本",
    ],
)
def test_simple_yaml_is_read_as_the_parser_reads_it(text: str) -> None:
    quick, parsed = read_flat_yaml(text.split("\n")), load_plain_yaml(text)
    assert quick is not None
    assert quick.keys() == parsed.keys()
    for key, value in parsed.items():
        if isinstance(value, list | dict):
            assert quick[key] == []
        else:
            assert quick[key] == (None if value is None else str(value))


@pytest.mark.parametrize(
    "text",
    ["a: b: c", "a: |\n  text", "a: &x b", "a: b\na: c", "true: x", "a: b\n  more", "a: {b: c}",
     "- a", "a: 'it''s'", "a: \"\\n\"", "a:\n   - b\n - c", "a: b\x07", "", "a: " + "x" * 400],
)  # fmt: skip
def test_yaml_that_is_not_simple_is_left_to_the_parser(text: str) -> None:
    assert read_flat_yaml(text.split("\n")) is None

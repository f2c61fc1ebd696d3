"""Encoded bytes in documents give way to their length; everything else stays as it is."""

from __future__ import annotations

import base64
import hashlib
import json

import pytest

from paparatsd.chunks.elision import elide_data
from paparatsd.chunks.parse import ChunkLimits, parse_file

LIMITS = ChunkLimits()
BYTES = hashlib.shake_256(b"seven").digest(3_000)
BASE64 = base64.b64encode(BYTES).decode()


def elided(text: str) -> str:
    return elide_data(text, text.split("\n"))


def test_a_run_gives_way_to_its_length_and_lines_stay() -> None:
    text = f"before\n![logo](data:image/png;base64,{BASE64}) after\nlast"

    assert elided(text) == (
        "before\n![logo](data:image/png;base64,[4000 characters of base64 left out]) after\nlast"
    )


def test_runs_of_other_alphabets_go_too() -> None:
    urlsafe = base64.urlsafe_b64encode(BYTES).decode()
    assert elided(f"x {urlsafe} y") == "x [4000 characters of base64 left out] y"
    assert elided(f"x {BYTES.hex()} y") == "x [6000 hex digits left out] y"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_wrapped_base64_keeps_its_lines(newline: str) -> None:
    rows = [BASE64[at : at + 64] for at in range(0, 640, 64)]
    text = newline.join(["-----BEGIN-----", *rows, "-----END-----", "after"])

    found = elided(text)

    assert "[640 characters of base64 left out]" in found
    assert BASE64[:20] not in found
    assert BASE64[100:120] not in found
    assert found.count("\n") == text.count("\n")
    assert found.split("\n")[-1] == "after"


@pytest.mark.parametrize(
    "text",
    [
        hashlib.sha512(b"x").hexdigest(),
        "-" * 300,
        "_" * 300,
        "=" * 300 + "\n" + "/" * 300,
        "https://example.org/" + "docs/some/long/path/" * 20,
        "a-very-long-slug-" * 20,
        "word " * 200,
        "\n".join(["some/long/path/to/a/file/without/any/digit/or/capital/letter"] * 6),
    ],
)
def test_what_people_write_stays(text: str) -> None:
    assert elided(text) == text


def test_sections_and_prose_of_notebooks_are_without_them_and_at_their_lines() -> None:
    body = (
        f"A picture of it.\n\n![x](data:image/png;base64,{BASE64})\n\n## Below\n\nThe end of it.\n"
    )
    chunks = parse_file("a.md", f"# Title\n\n{body}", LIMITS).chunks
    assert "".join(c.text for c in chunks).count("4000 characters of base64 left out") == 1
    assert chunks[-1].end_line == 9

    cell = {"cell_type": "markdown", "source": (f"# Title\n{body}" * 2).splitlines(keepends=True)}
    text = json.dumps({"cells": [cell]}, indent=1)
    parsed = parse_file("a.ipynb", text, LIMITS)
    shown = "".join(c.text for c in parsed.chunks)
    assert shown.count("4000 characters of base64 left out") == 2
    assert BASE64[:50] not in shown
    last = text.split("\n")[parsed.chunks[-1].end_line - 1]
    assert "The end of it." in last


def test_code_and_data_keep_theirs() -> None:
    assert BASE64[:500] in "".join(
        c.text for c in parse_file("a.py", f"x = '{BASE64}'\n", LIMITS).chunks
    )

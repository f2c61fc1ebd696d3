"""What counts as a document: prose formats with marks or sentences, plain text with sentences."""

from __future__ import annotations

import json
import time

import pytest

from paparatsd.chunks.parse import ChunkLimits, parse_file

LIMITS = ChunkLimits()
PROSE = (
    "The server reads its settings when it starts, and again when it is told to.\n"
    "What is wrong in them is told at once. Nothing is changed until it is right.\n"
)


def is_document(path: str, text: str) -> bool:
    return parse_file(path, text, LIMITS).document is not None


@pytest.mark.parametrize(
    "text",
    ["# Heading", "Title\n=====\n", "```\ncode\n```",
     "| a | b |\n|---|---|\n", "- a\n\n> b", "1. a\n2. b\n\n---\n",
     "[a](b)\n\n* c", "One sentence is enough for it.",
     "Настройки читаются один раз при запуске.", "设置在启动时读取一次。"],
)  # fmt: skip
def test_marks_of_markdown_or_a_sentence_make_a_document(text: str) -> None:
    assert is_document("a.md", text)


@pytest.mark.parametrize(
    "text",
    ["", "\n\n", "word", "- a\n- b",
     "> a", "@AGENTS.md", "---\ntitle: x\n---\n", "# a\0b", "{{ include }}",
     "---\ntags:\n- x\nlink: '[a](b)'\n---\n\nword"],
)  # fmt: skip
def test_one_weak_mark_or_nothing_to_read_makes_none(text: str) -> None:
    assert not is_document("a.md", text)


@pytest.mark.parametrize(
    "path",
    ["README", "docs/notes.txt", "INSTALL",
     "NEWS.2", "src/module/README.win32", "doc/Design", "guide.txt", "x.rdoc"],
)  # fmt: skip
def test_plain_text_that_reads_as_sentences_is_one(path: str) -> None:
    assert is_document(path, PROSE)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("docs/requirements.txt", "django>=4.2\nrequests==2.31.0\n# Needed for the tests.\n" * 3),
        ("robots.txt", "User-agent: *\nDisallow: /private/\n"),
        ("CMakeLists.txt", PROSE),
        ("words.txt", "apple\npear\nplum\n" * 40),
        ("names.txt", "apple\npear\nplum\n" * 40),
        ("server.log", PROSE),
        ("trace.txt", "2024-01-01 10:00:00 INFO [main] Started server on port 8080\n" * 20),
        ("listing/output.txt", PROSE),
        ("tests/fixtures/story.txt", PROSE),
        ("t/t0001/message", PROSE),
        (".github/notes.txt", PROSE),
        ("data/novel.txt", PROSE),
        ("bin/tool", PROSE),
        (".hidden", PROSE),
        ("poem.patch", PROSE),
        ("table.txt", "a 1 2 3\nb 4 5 6\n" * 50),
        ("book.txt", PROSE * 4000),
    ],
)
def test_text_for_programs_is_none(path: str, text: str) -> None:
    assert not is_document(path, text)


@pytest.mark.parametrize(
    "path",
    ["LICENSE", "LICENSE-MIT", "LICENSE.md",
     "COPYING.txt", "NOTICE", "doc/third-party-licenses.md", "licenses/x.txt"],
)  # fmt: skip
def test_licences_are_none(path: str) -> None:
    assert not is_document(path, f"# Terms\n\n{PROSE}")


def test_a_licence_is_told_by_its_first_words_too() -> None:
    text = "Copyright (c) Me\n\nPermission is hereby granted, free of charge, to any person.\n"
    assert not is_document("mit.txt", text + PROSE * 10)


def test_documents_that_only_tests_read_are_none() -> None:
    assert not is_document("tests/fixtures/a.md", f"# A\n\n{PROSE}")
    assert not is_document("pkg/testdata/a.rst", f"A\n===\n\n{PROSE}")
    assert not is_document("test/command/1.md", "```\n% tool -x\nout\n```\n")
    assert is_document("tests/README.md", f"# How to run them\n\n{PROSE}")


def test_plain_text_is_cut_at_the_titles_it_has() -> None:
    body = PROSE * 6
    underlined = f"======\n Guide\n======\n\n{body}\nUse\n---\n\n{body}\nEnd\n---\n\n{body}"
    marked = f"# Guide\n\n{body}\n## Use\n\n{body}"

    for path, text in (("docs/a.txt", underlined), ("README", marked)):
        parsed = parse_file(path, text, LIMITS)
        assert parsed.language == "text"
        assert [(c.kind, c.name) for c in parsed.chunks][:2] == [
            ("section", "Guide"),
            ("section", "Guide > Use"),
        ]


def test_code_search_keeps_windows_of_text_that_is_no_document() -> None:
    assert {c.kind for c in parse_file("words.txt", "apple\n" * 400, LIMITS).chunks} == {"window"}


@pytest.mark.parametrize("path", ["a.md", "a.rst", "a.adoc", "a.org", "docs/a.txt"])
def test_a_long_line_of_blanks_is_a_text_like_another(path: str) -> None:
    parsed = parse_file(path, " " * 5_000 + "\n" + PROSE, LIMITS)
    assert (parsed.degraded, len(parsed.chunks)) == ("", 1)


@pytest.mark.parametrize(
    "mark",
    ["[", "[](", "`a <", "http://[", "<h1 ", "| ", "* ", ":: ", "> ",
     "# ", "---\n", "[//]: # (title: ",
     "a\n===\n", "a" * 63 + "\n", "+", ":a: ", "`", "[[", "<<a,", "'", "("],
)  # fmt: skip
@pytest.mark.parametrize("path", ["a.md", "a.rst", "a.adoc", "a.org", "docs/a.txt"])
def test_a_hostile_text_takes_no_longer_than_another(path: str, mark: str) -> None:
    begun = time.process_time()
    parse_file(path, mark * (60_000 // len(mark)), LIMITS)
    assert time.process_time() - begun < 0.9


def test_a_notebook_is_one_when_it_has_prose_of_its_own() -> None:
    prose = {"cell_type": "markdown", "source": f"# Title\n\n{PROSE}"}
    code = {"cell_type": "code", "source": "x = 1"}

    assert is_document("a.ipynb", json.dumps({"cells": [prose, code]}))
    assert not is_document("a.ipynb", json.dumps({"cells": [code]}))
    assert not is_document("a.ipynb", json.dumps({"cells": [{**prose, "source": "# T"}, code]}))

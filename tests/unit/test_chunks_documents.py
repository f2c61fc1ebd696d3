"""Prose is cut by headings, notebooks by cells, pages with scripts by both."""

from __future__ import annotations

import json

from paparatsd.chunks.parse import ChunkLimits, parse_file

LIMITS = ChunkLimits()
BODY = "Some words about it, enough to fill a section of its own accord.\n" * 12


def names(path: str, text: str) -> list[str | None]:
    return [chunk.name for chunk in parse_file(path, text, LIMITS).chunks]


def test_markdown_sections_carry_their_breadcrumb() -> None:
    text = f"# Guide\n\n{BODY}\n## Install\n\n{BODY}\nDeep\n----\n\n{BODY}\n# Other #\n{BODY}"

    chunks = parse_file("a.md", text, LIMITS).chunks

    assert [c.name for c in chunks] == ["Guide", "Guide > Install", "Guide > Deep", "Other"]
    assert {c.kind for c in chunks} == {"section"}
    assert chunks[1].text.startswith("## Install")


def test_headings_inside_fences_and_front_matter_are_text() -> None:
    text = f"---\ntitle: x\n# no\n---\n# Guide\n{BODY}\n```sh\n# not a heading\n```\n"

    chunks = parse_file("a.md", text, LIMITS).chunks

    assert [(c.kind, c.name) for c in chunks] == [("block", None), ("section", "Guide")]


def test_a_fenced_block_stays_whole_where_it_fits() -> None:
    fence = "```\n" + "code()\n\n" * 120 + "```\n"
    text = f"# Guide\n\n{BODY}\n{fence}\n{BODY}"

    chunks = parse_file("a.md", text, LIMITS).chunks

    assert any(fence.rstrip() in chunk.text for chunk in chunks)


def test_a_small_section_is_joined_with_its_subsections() -> None:
    assert names("a.md", f"# Guide\n\n## Install\n\n{BODY}") == ["Guide > Install"]


def test_long_sections_are_parts_of_one_name_and_equal_names_are_numbered() -> None:
    text = f"# A\n{BODY}\n\n{BODY}\n\n{BODY}\n# A\n{BODY}"

    fragments = [c.fragment for c in parse_file("a.md", text, LIMITS).chunks]

    assert fragments == ["A", "A/2", "A@2"]


def test_other_prose_formats_are_cut_by_their_headings() -> None:
    rst = f"=====\nGuide\n=====\n\n{BODY}\nInstall\n-------\n\n{BODY}"
    adoc = f"= Guide\n\n{BODY}\n== Install\n\n----\n== no\n----\n{BODY}"
    org = f"* Guide\n{BODY}\n** Install\n#+begin_src\n* no\n#+end_src\n{BODY}"

    for path, text in (("a.rst", rst), ("a.adoc", adoc), ("a.org", org)):
        assert names(path, text) == ["Guide", "Guide > Install"], path


def test_notebook_cells_point_at_the_lines_of_the_file_and_outputs_are_dropped() -> None:
    notebook = {
        "cells": [
            {"cell_type": "markdown", "source": ["# Title\n", "words"]},
            {
                "cell_type": "code",
                "outputs": [{"text": ["secret output"]}],
                "source": ["%matplotlib inline\n", "def area(x):\n", "    return width(x)\n"],
            },
        ],
        "metadata": {"language_info": {"name": "python"}},
    }
    text = json.dumps(notebook, indent=1)
    lines = text.split("\n")

    parsed = parse_file("a.ipynb", text, LIMITS)

    assert {c.kind for c in parsed.chunks} == {"cell"}
    assert "".join(c.text for c in parsed.chunks).count("secret") == 0
    assert "def area(x):" in parsed.chunks[-1].text
    (area,) = parsed.symbols
    assert "def area(x):" in lines[area.start_line - 1]
    assert [(u.name, "width(x)" in lines[u.line - 1]) for u in parsed.uses] == [("width", True)]


def test_prose_of_a_notebook_is_apart_from_its_code_and_both_stand_below_its_headings() -> None:
    words = "Some words about it that a reader of the notebook needs to know.\n" * 4
    sources = [
        ("markdown", f"# Guide\n{words}\n## Load\n"),
        ("code", "data = load()"),
        ("markdown", "Look at it:"),
        ("code", "data.head()"),
        ("markdown", f"{words}\n### Detail\n{words * 6}"),
        ("code", "data.tail()"),
    ]
    cells = [
        {"cell_type": kind, "source": text.splitlines(keepends=True)} for kind, text in sources
    ]

    chunks = parse_file("a.ipynb", json.dumps({"cells": cells}, indent=1), LIMITS).chunks

    assert [(c.kind, c.name) for c in chunks] == [
        ("section", "Guide"),
        ("cell", "Guide > Load"),
        ("cell", "Guide > Load"),
        ("section", "Guide > Load"),
        ("section", "Guide > Load > Detail"),
        ("cell", "Guide > Load > Detail"),
    ]
    assert chunks[1].text == "## Load\ndata = load()"
    assert chunks[2].text == "Look at it:\ndata.head()"
    assert len({c.fragment for c in chunks}) == len(chunks)
    assert [c.ordinal for c in chunks] == list(range(len(chunks)))
    starts = [c.start_line for c in chunks]
    assert starts == sorted(starts)


def test_asciidoc_titles_of_two_lines_are_no_listings() -> None:
    text = f"tool(1)\n=======\n\nNAME\n----\n{BODY}\n----\nNAME\n----\n\nUSE\n~~~\n{BODY}"
    assert names("a.adoc", text) == ["tool(1) > NAME", "tool(1) > NAME > USE"]


def test_a_last_line_is_no_chunk_of_its_own() -> None:
    text = "# A\n" + f"{BODY[:65]}\n\n" * 26 + "</Box>\n"
    chunks = parse_file("a.mdx", text, LIMITS).chunks
    assert chunks[-1].text.endswith("</Box>")
    assert min(len(chunk.text) for chunk in chunks) > 100


def test_an_anchor_above_a_title_belongs_to_it() -> None:
    text = f".. _anchor:\n\nTitle\n=====\n\n{BODY}{BODY}\nSub\n---\n\n{BODY}"
    assert names("a.rst", text) == ["Title", "Title > Sub"]


def test_a_broken_notebook_gets_windows_and_says_so() -> None:
    parsed = parse_file("a.ipynb", '{"cells": [', LIMITS)

    assert {c.kind for c in parsed.chunks} == {"window"}
    assert "not a notebook" in parsed.degraded


def test_scripts_in_pages_are_parsed_at_their_own_lines() -> None:
    text = (
        "<template>\n  <p>é</p>\n</template>\n"
        '<script setup lang="ts">\nconst one: number = 1\nfunction go(): void {}\n</script>\n'
        "<style>\n.a { color: red }\n</style>\n"
    )

    parsed = parse_file("a.vue", text, LIMITS)

    assert [(s.qualified, s.start_line) for s in parsed.symbols] == [("one", 5), ("go", 6)]
    assert [(c.start_line, c.end_line) for c in parsed.chunks] == [(1, 3), (4, 7), (8, 10)]
    assert parsed.chunks[1].name == "go"

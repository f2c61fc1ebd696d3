"""Chunks cover the file, keep together what belongs together and stay under the limit."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paparatsd.chunks.fingerprint import chunker_fingerprint
from paparatsd.chunks.languages import LANGUAGES
from paparatsd.chunks.parse import ChunkLimits, parse_file
from tests.harness.parse_apart import ParserProcess

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paparatsd.model import ParsedFile

LIMITS = ChunkLimits()
SMALL = ChunkLimits(chunk_chars=60, max_chunk_chars=120)
ALL_PATHS = [
    f"x.{row.extensions[0]}" if row.extensions else row.filenames[0] for row in LANGUAGES.values()
]
PIECES = st.sampled_from(
    ["def f(x):", "class A {", "}", "{", "(", ")", "[", "]", "\n", "\n\n", "\r\n", "    ", "# c",
     "/* c */", "// c", '"""', "'", "```", "---", "# T", "<script>", "</script>", "a: 1", "= b",
     "é", "日本", "\x00", "\u2028", "x" * 70, "word " * 30, "fn f() {}", "end", ";", "@d", "$("]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=12), max_size=40).map("".join)


def check_invariants(text: str, parsed: ParsedFile, limits: ChunkLimits) -> None:
    lines = text.split("\n")
    covered: set[int] = set()
    previous = (0, 0)
    for ordinal, chunk in enumerate(parsed.chunks):
        assert chunk.ordinal == ordinal
        assert 1 <= chunk.start_line <= chunk.end_line <= parsed.lines
        assert 0 < len(chunk.text) <= limits.max_chunk_chars
        covered.update(range(chunk.start_line, chunk.end_line + 1))
        if chunk.kind == "cell":
            continue
        if chunk.start_line != chunk.end_line:
            assert chunk.text == "\n".join(lines[chunk.start_line - 1 : chunk.end_line])
        else:
            assert chunk.text in lines[chunk.start_line - 1]
        if chunk.kind != "window":
            one_line = chunk.start_line == chunk.end_line
            assert chunk.start_line > previous[1] or (one_line and chunk.end_line == previous[1])
        assert (chunk.start_line, chunk.end_line) >= previous
        previous = (chunk.start_line, chunk.end_line)
    fragments = [chunk.fragment for chunk in parsed.chunks]
    assert len(set(fragments)) == len(fragments)
    if parsed.language != "notebook":
        assert {n for n, line in enumerate(lines, 1) if line.strip()} <= covered
    for index, symbol in enumerate(parsed.symbols):
        home = parsed.chunks[symbol.chunk]
        assert home.start_line <= symbol.start_line <= home.end_line
        assert -1 <= symbol.parent < index


MAX_DEATHS = 4
"""Of 400 pieces of nonsense: some grammars crash or hang on them, which our code cannot help."""


@pytest.fixture(scope="module")
def parser() -> Iterator[ParserProcess]:
    """Yield a process to parse nonsense in."""
    with ParserProcess() as process:
        yield process


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.sampled_from(ALL_PATHS), TEXTS, st.sampled_from([LIMITS, SMALL]))
def test_any_text_in_any_language_is_covered_in_order(
    parser: ParserProcess, path: str, text: str, limits: ChunkLimits
) -> None:
    parsed = parser.parse(path, text, limits)
    if parsed is None:
        assert parser.deaths <= MAX_DEATHS
        return

    check_invariants(text, parsed, limits)
    assert parser.parse(path, text, limits) in (parsed, None)


def test_doc_comment_and_decorator_stay_with_what_they_document() -> None:
    filler = "step()\n" * 400
    text = f"{filler}# About area.\n# More of it.\n@decorated\ndef area():\n    return 1\n"

    chunks = parse_file("a.py", text, LIMITS).chunks

    (home,) = [chunk for chunk in chunks if chunk.name == "area"]
    assert "# About area.\n# More of it.\n@decorated\ndef area():" in home.text


def test_a_large_class_has_a_header_chunk_and_chunks_named_by_method() -> None:
    methods = "".join(f"    def m{i}(self):\n" + "        step()\n" * 80 for i in range(4))
    text = f'class Box:\n    """{"Doc. " * 100}"""\n    size = 1\n\n{methods}'

    chunks = parse_file("a.py", text, LIMITS).chunks

    assert [(c.name, c.kind) for c in chunks[:2]] == [("Box", "class"), ("Box.m0", "method")]
    assert [c.fragment for c in chunks] == ["Box", "Box.m0", "Box.m1", "Box.m2", "Box.m3"]


def test_a_definition_never_shares_a_chunk_with_the_rest_of_the_one_before() -> None:
    long = "def long():\n" + "    step()\n" * 170 + "\n    rest()\n" * 40
    text = f"{long}\n\n# About area.\n@decorated\ndef area():\n    return 1\n"

    chunks = parse_file("a.py", text, LIMITS).chunks

    assert [c.name for c in chunks] == ["long", "long", "area"]
    assert chunks[-1].text.startswith("# About area.\n@decorated\ndef area():")


def test_what_little_is_left_of_a_definition_stays_with_the_part_before() -> None:
    long = "def long():\n" + "    step()\n" * 140 + "    if last:\n        rest()\n"
    text = f"{long}\n\ndef area():\n    return 1\n"

    first, second = parse_file("a.py", text, LIMITS).chunks

    assert (first.name, second.name) == ("long", "area")
    assert first.text.endswith("rest()")
    assert second.text.startswith("def area")


def test_a_definition_that_will_be_cut_begins_its_own_chunk() -> None:
    small = "def small():\n" + "    step()\n" * 30
    text = f"{small}\n\ndef long():\n" + "    step()\n" * 400

    chunks = parse_file("a.py", text, LIMITS).chunks

    assert [c.fragment for c in chunks] == ["small", "long", "long/2", "long/3"]
    assert chunks[1].text.startswith("def long")


def test_small_definitions_share_a_chunk() -> None:
    text = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(9))

    assert len(parse_file("a.py", text, LIMITS).chunks) == 1


def test_the_plain_name_is_kept_for_where_a_symbol_begins() -> None:
    # `late` begins at the end of a chunk that shows `Early`; what follows is its second part.
    text = "const early = () => {\n" + "  step();\n" * 60 + "};\n"
    text += "var late = {\n" + "".join(f"  key{n}: call({n}),\n" for n in range(200)) + "};\n"

    parsed = parse_file("a.js", text, LIMITS)

    assert [c.fragment for c in parsed.chunks] == ["early", "late/2", "late/3"]
    assert [(s.name, s.chunk) for s in parsed.symbols] == [("early", 0), ("late", 0)]


def test_symbols_know_where_the_comments_above_them_begin() -> None:
    text = "x = 1\n\n# About f.\n@decorated\ndef f():\n    pass\n"

    symbols = parse_file("a.py", text, LIMITS).symbols

    assert [(s.name, s.lead_line, s.start_line) for s in symbols] == [("x", 1, 1), ("f", 3, 5)]


def test_parts_and_equal_names_get_their_own_fragments() -> None:
    long = "def area():\n" + "    step()\n" * 400
    text = f"{long}\n{long}\n\n{'y = call()' + chr(10)}" + "call()\n" * 300

    fragments = [chunk.fragment for chunk in parse_file("a.py", text, LIMITS).chunks]

    assert fragments[:3] == ["area", "area/2", "area/3"]
    assert "area@2" in fragments
    assert "area@2/2" in fragments
    assert fragments[-1].startswith("~")


def test_code_outside_symbols_keeps_its_address_when_code_elsewhere_changes() -> None:
    block = "call()\n" * 300
    before = parse_file("a.py", f"{block}\ndef area():\n    pass\n", LIMITS).chunks
    after = parse_file("a.py", f"{block}\ndef area():\n    return 1\n", LIMITS).chunks

    assert before[0].kind == "block"
    assert before[0].fragment == after[0].fragment


def test_a_long_line_is_cut_by_characters() -> None:
    parsed = parse_file("a.js", "go(" + "a, " * 5_000 + "b)\n", LIMITS)

    assert {(c.start_line, c.end_line) for c in parsed.chunks} == {(1, 1)}
    assert "".join(c.text for c in parsed.chunks) == "go(" + "a, " * 5_000 + "b)"


def test_carriage_returns_stay_and_do_not_shift_lines() -> None:
    chunk = parse_file("a.py", "x = 1\r\ndef f():\r\n    pass\r\n", LIMITS).chunks[0]

    assert chunk.text == "x = 1\r\ndef f():\r\n    pass\r"
    assert chunk.end_line == 3
    assert chunk.name == "f"


def test_symbols_stand_at_their_lines_after_wide_characters() -> None:
    text = "# 日本語 é\nname = '日本'\nclass Box:\n    def área(self): pass\n"

    symbols = parse_file("a.py", text, LIMITS).symbols

    assert [(s.qualified, s.start_line) for s in symbols] == [
        ("name", 2), ("Box", 3), ("Box.área", 4)
    ]  # fmt: skip


@pytest.mark.parametrize("path", ["a.py", "a.js", "a.go", "a.rb", "a.json"])
def test_nested_brackets_end_in_windows_not_in_a_crash(path: str) -> None:
    parsed = parse_file(path, "[" * 50_000, ChunkLimits(deadline_s=1))

    check_invariants("[" * 50_000, parsed, LIMITS)
    assert parsed.degraded


def test_a_chain_of_calls_does_not_take_time_squared() -> None:
    parsed = parse_file("a.py", "a" + ".bcd()" * 50_000, ChunkLimits(deadline_s=5))

    assert parsed.degraded == ""


def test_comments_in_thousands_do_not_take_time_squared() -> None:
    parsed = parse_file("a.py", "# hello\n" * 30_000, ChunkLimits(deadline_s=5))

    assert parsed.degraded == ""
    assert len(parsed.comments) == 30_000


def test_a_passed_deadline_gives_windows_and_says_so() -> None:
    parsed = parse_file("a.py", "def f(): pass\n" * 100, ChunkLimits(deadline_s=0))

    assert {c.kind for c in parsed.chunks} == {"window"}
    assert parsed.degraded == "structure took longer than 0 s"
    assert parsed.language == "python"


def test_text_that_does_not_parse_gives_windows_and_says_so() -> None:
    parsed = parse_file("a.go", "%% ?? )( \x01 ~~ !!\n" * 40, LIMITS)

    assert {c.kind for c in parsed.chunks} == {"window"}
    assert "does not parse as go" in parsed.degraded


def test_a_quarantined_file_gets_windows_only() -> None:
    parsed = parse_file("a.py", "def f(): pass\n", LIMITS, structure=False)

    assert [c.kind for c in parsed.chunks] == ["window"]
    assert parsed.symbols == ()


def test_plain_text_windows_overlap_and_the_last_is_not_tiny() -> None:
    text = "".join(f"line number {n} of the text\n" for n in range(400))

    chunks = parse_file("a.txt", text, LIMITS).chunks

    assert all(b.start_line <= a.end_line for a, b in itertools.pairwise(chunks))
    assert min(len(c.text) for c in chunks) > 400


def test_data_files_are_cut_by_top_level_keys() -> None:
    value = {f"key{n}": n for n in range(60)}
    text = json.dumps({"first": value, "second": value, "third": 1}, indent=1)

    parsed = parse_file("a.json", text, LIMITS)

    assert [c.name for c in parsed.chunks][:2] == ["first", "second"]
    assert {c.kind for c in parsed.chunks} == {"key"}
    assert parsed.symbols == ()


def test_large_data_files_are_windows() -> None:
    parsed = parse_file("a.json", '{"a": "b"}\n' * 40_000, LIMITS)

    assert {c.kind for c in parsed.chunks} == {"window"}
    assert "400000 characters" in parsed.degraded


def test_an_empty_file_has_no_chunks() -> None:
    assert parse_file("a.py", "", LIMITS).chunks == ()
    assert parse_file("a.py", "\n \n", LIMITS).lines == 2


def test_the_fingerprint_follows_the_limits() -> None:
    assert chunker_fingerprint(LIMITS) == chunker_fingerprint(ChunkLimits())
    assert chunker_fingerprint(LIMITS) != chunker_fingerprint(SMALL)


def test_a_final_newline_ends_the_last_line_and_begins_no_other() -> None:
    with_newline = parse_file("a.py", "def one():\n    return 1\n", LIMITS)
    without = parse_file("a.py", "def one():\n    return 1", LIMITS)

    for parsed in (with_newline, without):
        (chunk,) = parsed.chunks
        assert (chunk.start_line, chunk.end_line, parsed.lines) == (1, 2, 2)
        assert chunk.text == "def one():\n    return 1"

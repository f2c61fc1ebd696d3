"""Every language's query compiles, matches all it asks for, and reads a known sample rightly.

`chunk_samples/<language>.txt` is the sample, `<language>.expected` what must be found in it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tree_sitter import Parser, QueryCursor

from paparatsd.chunks.grammar import load_grammar, query_text
from paparatsd.chunks.languages import LANGUAGES
from paparatsd.chunks.parse import ChunkLimits, parse_file

if TYPE_CHECKING:
    from paparatsd.model import ParsedFile

SAMPLES = Path(__file__).parent / "chunk_samples"
QUERIES = Path(__file__).parents[2] / "paparatsd" / "chunks" / "queries"
WITH_GRAMMAR = sorted(row.name for row in LANGUAGES.values() if row.grammar)
WITH_QUERY = [name for name in WITH_GRAMMAR if query_text(name)]
SAMPLED = sorted(path.stem for path in SAMPLES.glob("*.txt"))
REQUIRED = [
    "python", "javascript", "jsx", "typescript", "tsx", "go", "rust", "java", "c", "cpp",
    "csharp", "ruby", "php", "kotlin", "swift", "scala", "lua", "elixir", "haskell", "zig",
    "bash", "dart", "terraform", "sql", "vue", "svelte",
]  # fmt: skip
SHARED_SAMPLES = {
    "jsx": ["javascript"],
    "typescript": ["javascript"],
    "tsx": ["typescript", "javascript"],
    "cpp": ["c"],
    "objc": ["c"],
}
"""Whose samples, besides its own, must together match every pattern of a language's query."""


def sample(language: str) -> str:
    return (SAMPLES / f"{language}.txt").read_text("utf-8")


def parse_sample(language: str) -> ParsedFile:
    row = LANGUAGES[language]
    name = f"sample.{row.extensions[0]}" if row.extensions else row.filenames[0]
    return parse_file(name, sample(language), ChunkLimits())


def describe(parsed: ParsedFile) -> str:
    lines = []
    for s in parsed.symbols:
        hidden = "" if s.exported else " hidden"
        parts = [f"{s.start_line}-{s.end_line} {s.kind} {s.qualified}{hidden}", s.signature, s.doc]
        lines.append(" | ".join(part.replace("\n", " / ") for part in parts).rstrip(" |"))
    for use in parsed.uses:
        member = f"{use.receiver}." if use.receiver else ""
        target = f" from {use.target}" if use.target else ""
        alias = f" as {use.alias}" if use.alias else ""
        lines.append(f"{use.line} uses {use.kind} {member}{use.name}{target}{alias}")
    for fact in parsed.facts:
        typed = f" : {fact.type}" if fact.type else ""
        value = f" = {fact.value}" if fact.value else ""
        inside = f" in {parsed.symbols[fact.scope].qualified}" if fact.scope >= 0 else ""
        name = f" {fact.name}" if fact.name else ""
        lines.append(f"{fact.line} fact {fact.kind}{name}{typed}{value}{inside}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("language", WITH_GRAMMAR)
def test_grammar_loads_and_its_query_compiles(language: str) -> None:
    assert load_grammar(language).language is not None


def test_every_query_file_belongs_to_a_language_or_is_inherited_by_one() -> None:
    texts = [path.read_text("utf-8") for path in QUERIES.glob("*.scm")]
    inherited = {
        name.strip()
        for text in texts
        for found in re.findall(r"^; inherits: *([\w, ]+)$", text, re.MULTILINE)
        for name in found.split(",")
    }

    assert {path.stem for path in QUERIES.glob("*.scm")} <= set(WITH_GRAMMAR) | inherited


def test_every_required_language_has_symbols() -> None:
    assert [name for name in REQUIRED if not parse_sample(name).symbols] == []


@pytest.mark.parametrize("language", WITH_QUERY)
def test_every_pattern_of_a_query_matches_its_samples(language: str) -> None:
    grammar = load_grammar(language)
    assert grammar.query is not None
    matched: set[int] = set()
    for name in [language, *SHARED_SAMPLES.get(language, [])]:
        tree = Parser(grammar.language).parse(sample(name).encode())
        matched |= {index for index, _ in QueryCursor(grammar.query).matches(tree.root_node)}

    source = query_text(language).encode()
    unmatched = [
        source[grammar.query.start_byte_for_pattern(i) : grammar.query.end_byte_for_pattern(i)]
        for i in range(grammar.query.pattern_count)
        if i not in matched
    ]
    assert unmatched == []


@pytest.mark.parametrize("language", SAMPLED)
def test_sample_gives_the_expected_definitions_and_uses(language: str) -> None:
    expected = (SAMPLES / f"{language}.expected").read_text("utf-8")

    parsed = parse_sample(language)

    assert parsed.language == language
    assert parsed.degraded == ""
    assert describe(parsed) == expected


def test_methods_name_their_type_however_the_language_writes_it() -> None:
    def qualified(path: str, text: str) -> list[str]:
        return [s.qualified for s in parse_file(path, text, ChunkLimits()).symbols]

    assert "Box.Area" in qualified("a.go", "func (b *Box) Area() int { return 1 }\n")
    assert "Box.area" in qualified("a.rs", "impl Shape for Box { fn area(&self) {} }\n")
    assert "ns.Box.area" in qualified("a.cpp", "int ns::Box::area() { return 1; }\n")
    assert "Mod.Box.go" in qualified("a.rb", "module Mod\n class Box\n def go; end\n end\nend\n")


def test_local_variables_are_no_symbols_and_nested_functions_are_no_containers() -> None:
    text = "def outer():\n    local = 1\n    def inner():\n        pass\n"

    symbols = parse_file("a.py", text, ChunkLimits()).symbols

    assert [(s.qualified, s.kind, s.container) for s in symbols] == [
        ("outer", "function", False),
        ("outer.inner", "function", False),
    ]


def test_licence_header_is_not_the_doc_of_the_first_symbol() -> None:
    text = "// Copyright 2020 Somebody. All rights reserved.\nfunc Go() {}\n"

    assert parse_file("a.go", text, ChunkLimits()).symbols[0].doc == ""


def test_cpp_header_is_told_from_c_by_its_content() -> None:
    limits = ChunkLimits()

    assert parse_file("a.h", "int area(int x);\n", limits).language == "c"
    assert parse_file("a.h", "namespace ns { class Box; }\n", limits).language == "cpp"
    assert parse_file("a.h", "@interface Box\n@end\n", limits).language == "objc"


def test_uses_and_names_are_capped() -> None:
    text = "def f():\n" + "    go()\n" * 25_000 + "    " + "x" * 300 + "()\n"

    parsed = parse_file("a.py", text, ChunkLimits(deadline_s=30))

    assert len(parsed.uses) == 20_000
    assert max(len(use.name) for use in parsed.uses) <= 200


def test_what_a_callback_binds_and_returns_is_not_the_function_or_class_around_it() -> None:
    text = "class A { @Many((x) => x.y) rows: Row[]; f() { go((z) => k(z)); return mine(); } }\n"

    parsed = parse_file("a.ts", text, ChunkLimits())

    facts = [(f.kind, f.name, f.type, f.value) for f in parsed.facts]
    assert facts == [
        ("bind", "rows", "Row[]", ""),
        ("bind", "z", "", ""),
        ("yields", "", "", "mine()"),
    ]


def test_parameter_that_becomes_a_field_is_bound_twice() -> None:
    text = "class A { constructor(private readonly repo: Repo, readonly x) {} }\n"

    facts = parse_file("a.ts", text, ChunkLimits()).facts

    assert [(f.name, f.type) for f in facts] == [
        ("repo", "Repo"), ("self.repo", "Repo"), ("x", ""), ("self.x", ""),
    ]  # fmt: skip


def test_a_rust_asterisk_in_a_list_imports_all_of_the_path_around_it() -> None:
    parsed = parse_file("src/lib.rs", "use super::{helper, *};\n\nfn run() {}\n", ChunkLimits())

    assert parsed.degraded == ""
    assert [(use.name, use.target) for use in parsed.uses] == [("helper", "super"), ("*", "super")]

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from paparatsd.chunks.fields import BODY, DOC, PATH, SYM, file_fields, lexical_vectors
from paparatsd.chunks.limits import ChunkLimits
from paparatsd.chunks.packing import build_record, definition_weight
from paparatsd.chunks.parse import parse_file
from paparatsd.chunks.record import defined_ids, last_part, read_record, term_counts, used_ids
from paparatsd.chunks.terms import term_id
from paparatsd.errors import StateCorrupt
from paparatsd.model import Chunk, ParsedFile, Symbol, Use

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def encode(texts: Sequence[str]) -> NDArray[np.float32]:
    rows = np.array([[len(text), 1.0, -2.0, 0.5] for text in texts], np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def sample(path: str = "pkg/vault.py") -> tuple[bytes, ParsedFile]:
    file = ParsedFile(
        "python",
        (
            Chunk(0, 1, 10, "class", "Vault", "Vault", "class Vault: pass"),
            Chunk(
                1, 11, 20, "method", "Vault.openDoor", "Vault.openDoor", "def openDoor(): lock()"
            ),
        ),
        (
            Symbol("Vault", "Vault", "class", 1, 20, "class Vault", "", -1, 0, True),
            Symbol(
                "openDoor", "Vault.openDoor", "method", 11, 20, "def openDoor()", "", 0, 1, False
            ),
        ),
        (Use("lock", "call", 12), Use("lock", "call", 13)),
        ((2, 2, "# a comment"),),
        20,
    )
    return build_record(path, file, lexical_vectors(path, file), encode), file


def test_record_gives_back_each_chunks_vector() -> None:
    data, file = sample()
    record = read_record(data)
    for ordinal, vector in enumerate(lexical_vectors("pkg/vault.py", file)):
        rows = np.repeat(np.arange(len(record.terms)), record.term_table["chunks"].astype(int))
        mine = record.postings["chunk"] == ordinal
        assert np.array_equal(record.terms[rows[mine]], vector.ids)
        assert np.allclose(record.postings["value"][mine], vector.values, atol=1e-3)


def test_record_gives_back_the_files_vector() -> None:
    data, file = sample()
    record, whole = read_record(data), file_fields("pkg/vault.py", file).whole
    assert np.array_equal(record.terms, whole.ids)
    assert np.allclose(record.term_table["value"], whole.values, atol=1e-3)


def test_record_gives_back_definitions_with_case_lines_and_parts() -> None:
    record = read_record(sample()[0])
    vault, door = record.definitions
    assert (vault.name, vault.chunk, vault.container, vault.weight) == ("Vault", 0, True, 1.0)
    assert (door.name, door.start_line, door.end_line) == ("openDoor", 11, 20)
    assert record.def_lengths.tolist() == [1, 2]
    assert set(record.def_terms[1:].tolist()) == {term_id("open"), term_id("door")}
    assert record.def_hashes[1] == term_id("openDoor")
    assert record.def_folded[1] == term_id("opendoor")


def test_record_gives_back_chunk_lines_and_kinds() -> None:
    record = read_record(sample()[0])
    assert record.chunk_lines.tolist() == [[1, 10], [11, 20]]
    assert record.kinds == ("class", "method")


def test_record_gives_back_each_definitions_address_kind_and_place() -> None:
    symbols = (
        Symbol("Box", "Box", "class", 3, 9, "class Box", "", -1, 0, True, True, 1),
        Symbol("size", "Box.size", "key", 4, 4, "", "", 0, 0, False),
        Symbol("a/b", "Box.a/b", "method", 5, 6, "def a()", "", 0, 0, False),
        Symbol("Box", "Box", "class", 11, 12, "class Box", "", -1, 0, True, True, 11),
    )
    file = ParsedFile("text", (Chunk(0, 1, 12, "class", "Box", "Box", "x"),), symbols, ())
    record = read_record(build_record("a", file, lexical_vectors("a", file), None))
    first, inner, second = record.definitions
    assert [one.fragment for one in record.definitions] == ["Box", "Box.a%2Fb", "Box@2"]
    assert (first.kind, first.lead_line, first.start_line, first.parent) == ("class", 1, 3, -1)
    assert (inner.kind, inner.lead_line, inner.parent) == ("method", 5, 0)
    assert (second.qualified, second.number) == ("Box", 2)


def test_vectors_come_back_within_a_percent() -> None:
    vectors = read_record(sample()[0]).vectors
    assert vectors is not None
    assert vectors.shape == (5, 4)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=0.01)


def test_record_without_embedder_has_no_vectors() -> None:
    _, file = sample()
    data = build_record("a.py", file, lexical_vectors("a.py", file), None)
    assert read_record(data).vectors is None


def test_term_counts_say_in_how_many_chunks_a_term_stands() -> None:
    counts = term_counts(sample()[0])
    by_id = dict(zip(counts.ids.tolist(), counts.values.tolist(), strict=True))
    assert by_id[term_id("vault")] == 2  # the path is in both chunks
    assert by_id[term_id("lock")] == 1


def test_digest_tells_equal_content_from_other_content_whatever_the_path() -> None:
    here, there = read_record(sample()[0]), read_record(sample("elsewhere/vault.py")[0])
    assert here.digest == there.digest
    other = ParsedFile("python", (Chunk(0, 1, 1, "block", None, "~", "x"),), (), ())
    record = read_record(build_record("a.py", other, lexical_vectors("a.py", other), None))
    assert record.digest != here.digest


def test_empty_file_has_a_readable_record() -> None:
    empty = ParsedFile("text", (), (), ())
    record = read_record(build_record("a.txt", empty, (), None))
    assert record.chunks == 0
    assert record.definitions == ()
    assert len(term_counts(build_record("a.txt", empty, (), None)).ids) == 0


def test_names_with_odd_characters_do_not_break_the_record() -> None:
    symbols = tuple(
        Symbol(name, name, "function", 1, 1, "", "", -1, 0, False)
        for name in ("\0", "a\0b", "\ud800")
    )
    file = ParsedFile("text", (Chunk(0, 1, 1, "block", None, "~", "x"),), symbols, ())
    record = read_record(build_record("a", file, lexical_vectors("a", file), None))
    assert len(record.definitions) == 3


@pytest.mark.parametrize("damage", [b"", b"ppRR", b"nonsense" * 40])
def test_damaged_record_is_reported_as_corrupt(damage: bytes) -> None:
    with pytest.raises(StateCorrupt):
        read_record(damage)


def test_cut_off_record_is_reported_as_corrupt() -> None:
    with pytest.raises(StateCorrupt):
        read_record(sample()[0][:-9])


def test_headings_and_keys_are_not_defined_names() -> None:
    symbols = (Symbol("timeout", "timeout", "key", 1, 1, "", "", -1, 0, False),)
    file = ParsedFile("json", (Chunk(0, 1, 1, "key", "timeout", "timeout", "1"),), symbols, ())
    record = read_record(build_record("a.json", file, lexical_vectors("a.json", file), None))
    assert record.definitions == ()


def test_prototype_weighs_less_than_body_and_class_most() -> None:
    body = Symbol("f", "f", "function", 1, 9, "int f(void)", "", -1, 0, False)
    prototype = Symbol("f", "f", "function", 1, 1, "int f(void);", "", -1, 0, False)
    klass = Symbol("f", "f", "class", 1, 1, "class f", "", -1, 0, True)
    weights = [definition_weight(one, member=False) for one in (klass, body, prototype)]
    assert weights == sorted(weights, reverse=True)
    assert len(set(weights)) == 3


def test_function_weighs_more_than_method() -> None:
    one = Symbol("f", "f", "function", 1, 9, "def f()", "", -1, 0, False)
    assert definition_weight(one, member=False) > definition_weight(one, member=True)


@pytest.mark.parametrize("name", ["a.b.c", "a::b::c", "a->c", "A#c", "A\\B\\c", "c"])
def test_last_part_of_a_qualified_name(name: str) -> None:
    assert last_part(name) == "c"


def test_names_are_counted_apart_from_words_once_per_file() -> None:
    record = read_record(sample()[0])
    counts = term_counts(sample()[0])
    by_id = dict(zip(counts.ids.tolist(), counts.values.tolist(), strict=True))
    defined = np.array([term_id("Vault")], np.uint32)
    used = np.array([term_id("lock")], np.uint32)
    assert by_id[int(defined_ids(defined)[0])] == 1
    assert by_id[int(used_ids(used)[0])] == 1
    assert record.used_names.tolist() == used.tolist()


def test_words_of_the_language_are_used_names_only_when_they_are_imported() -> None:
    text = "import { string } from 'x';\nz.number().email(); console.error(1); z.string();\n"
    parsed = parse_file("a.ts", text, ChunkLimits())
    assert {use.name for use in parsed.uses} >= {"string", "number", "error", "email"}

    record = read_record(build_record("a.ts", parsed, lexical_vectors("a.ts", parsed), encode))

    assert record.used_names.tolist() == sorted(term_id(name) for name in ("string", "email"))


def test_record_says_in_which_fields_a_term_stands_and_how_often_in_the_text() -> None:
    record = read_record(sample()[0])
    at = record.terms.tolist().index(term_id("vault"))
    assert record.term_table["places"][at] & (1 << BODY)
    assert record.term_table["places"][at] & (1 << SYM)
    assert record.term_table["places"][at] & (1 << PATH)
    assert not record.term_table["places"][at] & (1 << DOC)
    assert record.term_table["count"][at] == 1
    assert record.body_length > 0


def test_text_that_a_file_does_not_have_gets_the_zero_vector() -> None:
    chunk = Chunk(0, 1, 1, "block", "", "", "x = 1")
    file = ParsedFile("python", (chunk,), (), ())
    data = build_record("a.py", file, lexical_vectors("a.py", file), encode)
    vectors = read_record(data).vectors
    assert vectors is not None
    assert np.linalg.norm(vectors, axis=1).round(2).tolist() == [1.0, 1.0, 1.0, 0.0, 0.0]

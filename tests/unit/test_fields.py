from __future__ import annotations

import numpy as np

from paparatsd.chunks.fields import (
    SATURATION,
    file_fields,
    file_stem,
    lexical_vectors,
    main_doc,
    path_terms,
)
from paparatsd.chunks.terms import term_id
from paparatsd.model import Chunk, ParsedFile, SparseVector, Symbol


def chunk(ordinal: int, start: int, end: int, text: str, kind: str = "function") -> Chunk:
    return Chunk(ordinal, start, end, kind, None, f"~{ordinal}", text)


def symbol(name: str, at: int, start: int, end: int, *, container: bool = False) -> Symbol:
    kind = "class" if container else "function"
    return Symbol(name, name, kind, start, end, f"{kind} {name}", "", -1, at, container)


def parsed(
    *chunks: Chunk,
    symbols: tuple[Symbol, ...] = (),
    comments: tuple[tuple[int, int, str], ...] = (),
) -> ParsedFile:
    return ParsedFile("python", chunks, symbols, (), comments, chunks[-1].end_line if chunks else 0)


def value(vector: SparseVector, term: str) -> float:
    at = np.flatnonzero(vector.ids == term_id(term))
    return float(vector.values[at[0]]) if len(at) else 0.0


def test_one_vector_per_chunk_with_ascending_ids_and_values_below_one() -> None:
    vectors = lexical_vectors(
        "a/b.py", parsed(chunk(0, 1, 2, "alpha beta"), chunk(1, 3, 4, "beta"))
    )
    assert len(vectors) == 2
    for vector in vectors:
        assert np.all(np.diff(vector.ids.astype(np.int64)) > 0)
        assert vector.ids.dtype == np.uint32
        assert vector.values.dtype == np.float32
        assert np.all((vector.values > 0) & (vector.values < 1))


def test_a_vector_depends_on_its_own_file_only() -> None:
    one = parsed(chunk(0, 1, 2, "alpha beta"))
    first = lexical_vectors("a.py", one)
    lexical_vectors("b.py", parsed(chunk(0, 1, 2, "gamma " * 500)))
    again = lexical_vectors("a.py", parsed(chunk(0, 1, 2, "alpha beta")))
    assert np.array_equal(first[0].ids, again[0].ids)
    assert np.array_equal(first[0].values, again[0].values)


def test_a_defined_name_counts_more_than_a_mention() -> None:
    file = parsed(
        chunk(0, 1, 5, "def connect(): pass"),
        chunk(1, 6, 9, "x = connect()  # pass"),
        symbols=(symbol("connect", 0, 1, 5),),
    )
    first, second = lexical_vectors("a.py", file)
    assert value(first, "connect") > 1.5 * value(second, "connect")


def test_words_of_the_path_are_in_each_chunk() -> None:
    vectors = lexical_vectors(
        "core/auth/session.py", parsed(chunk(0, 1, 1, "x"), chunk(1, 2, 2, "y"))
    )
    assert all(value(vector, "session") > 0.5 for vector in vectors)
    assert all(value(vector, "session") > value(vector, "core") > 0.3 for vector in vectors)


def test_name_of_the_enclosing_class_is_in_the_chunks_inside_it() -> None:
    file = parsed(
        chunk(0, 1, 10, "class Vault"),
        chunk(1, 11, 20, "def opened"),
        chunk(2, 21, 30, "def other"),
        symbols=(symbol("Vault", 0, 1, 20, container=True),),
    )
    vectors = lexical_vectors("a.py", file)
    assert value(vectors[1], "vault") > 0
    assert value(vectors[2], "vault") == 0


def test_a_comment_counts_in_the_chunk_where_it_starts() -> None:
    file = parsed(chunk(0, 1, 3, "a"), chunk(1, 4, 9, "b"), comments=((5, 5, "# zebra"),))
    vectors = lexical_vectors("a.py", file)
    assert value(vectors[0], "zebra") == 0
    assert value(vectors[1], "zebra") > 0


def test_licence_text_is_no_description() -> None:
    text = "Copyright (c) somebody\nPermission is hereby granted\n\nParses dates."
    assert main_doc(text) == "Parses dates."


def test_length_of_a_chunk_lowers_what_a_word_in_it_is_worth() -> None:
    short = lexical_vectors("a.py", parsed(chunk(0, 1, 1, "needle " + "hay " * 10)))[0]
    long = lexical_vectors("a.py", parsed(chunk(0, 1, 1, "needle " + "hay " * 2000)))[0]
    assert value(short, "needl") > value(long, "needl") > 0


def test_file_vector_has_the_union_of_terms_and_the_path_once() -> None:
    file = parsed(*(chunk(i, i + 1, i + 1, f"word{i}") for i in range(30)))
    whole = file_fields("deep/name.py", file).whole
    ids = {number for vector in file_fields("deep/name.py", file).chunks for number in vector.ids}
    assert set(whole.ids) == ids
    single = file_fields("deep/name.py", parsed(chunk(0, 1, 1, "word0"))).whole
    assert np.isclose(value(whole, "name"), value(single, "name"))


def test_saturation_is_where_the_value_is_one_half() -> None:
    assert np.isclose(SATURATION / (SATURATION + SATURATION), 0.5)


def test_file_without_chunks_has_no_vectors() -> None:
    assert lexical_vectors("empty.py", parsed()) == ()


def test_stem_drops_only_the_last_extension_and_trailing_numbers() -> None:
    assert file_stem("src/Reader.Async.cs") == "Reader.Async"
    assert file_stem("types/index.d.ts") == "index"
    assert file_stem("IFoo`1.cs") == "IFoo"
    assert file_stem(".bashrc") == ".bashrc"
    assert file_stem("Makefile") == "Makefile"


def test_gate_files_carry_the_name_of_their_folder() -> None:
    assert path_terms("pkg/router/index.ts").count("router") > path_terms(
        "pkg/router/other.ts"
    ).count("router")

"""The list of sources: what it gives and what it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from contrib.train.questions.places import is_source_path
from contrib.train.questions.sources import read_sources

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "set\tname\torigin\trevision\tlicence\tlanguage\troot\n"


def listed(tmp_path: Path, *rows: str) -> Path:
    path = tmp_path / "sources.tsv"
    path.write_text(HEAD + "".join(row.replace(" ", "\t") + "\n" for row in rows))
    return path


def test_a_set_is_read_and_a_dash_is_no_root(tmp_path: Path) -> None:
    path = listed(
        tmp_path,
        "code pool github:ann/pool c0ffee MIT python src/pool",
        "code well github:bo/well c0ffee MIT go -",
        "ten lake github:cy/lake c0ffee MIT rust -",
    )
    sources = read_sources(path, "code")
    assert [(s.name, s.owner_and_name, s.root) for s in sources] == [
        ("pool", "ann/pool", "src/pool"),
        ("well", "bo/well", ""),
    ]


def test_a_benchmark_repository_is_refused_under_any_name(tmp_path: Path) -> None:
    path = listed(tmp_path, "code pond github:ann/Pool c0ffee MIT python -")
    with pytest.raises(ValueError, match="pond is in the benchmark"):
        read_sources(path, "code", frozenset({"pool"}))


def test_two_repositories_of_one_name_are_refused(tmp_path: Path) -> None:
    path = listed(
        tmp_path,
        "code pool github:ann/pool c0ffee MIT python -",
        "code pool github:bo/pool c0ffee MIT go -",
    )
    with pytest.raises(ValueError, match="two repositories named pool"):
        read_sources(path, "code")


@pytest.mark.parametrize(
    "path",
    [
        "src/pool/reader.py",
        "src/pool/latest/reader.py",
        "src/pool/contest.go",
        "src/pool/attestation.rs",
    ],
)
def test_own_code_is_an_answer(path: str) -> None:
    assert is_source_path(path, "src")


@pytest.mark.parametrize(
    "path",
    [
        "lib/pool.py",
        "src/tests/reader.py",
        "src/pool/test_reader.py",
        "src/pool/reader_test.go",
        "src/PoolTest.java",
        "src/pool/vendor/zlib.c",
        "src/pool/examples/first.rb",
        "src/pool/reader.d.ts",
        "src/pool/caddytest/run.go",
        "src/pool/data.json",
        "src/README.md",
    ],
)
def test_tests_examples_foreign_code_and_data_are_not(path: str) -> None:
    assert not is_source_path(path, "src")

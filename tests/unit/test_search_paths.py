from __future__ import annotations

import numpy as np
import pytest

from paparatsd.chunks.priors import Prior, partner_stem, path_priors
from paparatsd.chunks.terms import stem
from paparatsd.search.paths import (
    PathIndex,
    StemMatches,
    WordMatches,
    WordTable,
    soft,
    stem_parts,
)


@pytest.mark.parametrize(
    ("path", "prior"),
    [
        ("tests/unit/test_app.py", Prior.TEST),
        ("pkg/server_test.go", Prior.TEST),
        ("src/test/java/AppTest.java", Prior.TEST),
        ("web/button.spec.tsx", Prior.TEST),
        ("spec/models/user_spec.rb", Prior.TEST),
        ("zaptest/logger.go", Prior.TEST),  # Go's way of naming what helps with tests
        ("cases/loop.test", Prior.TEST),
        ("integration/adapt/log.systemtest", Prior.TEST),
        ("cases/sum.phpt", Prior.TEST),
        ("examples/hello.py", Prior.EXAMPLE),
        ("docs/guide.md", Prior.DOCS),
        ("README.md", Prior.DOCS),
        ("vendor/lib/a.c", Prior.VENDORED),
        ("dist/app.min.js", Prior.VENDORED),
        ("proto/user_pb2.py", Prior.VENDORED),
        ("src/win/pipe.c", Prior.PLATFORM),
        ("package.json", Prior.CONFIG),
        ("pkg/__init__.py", Prior.BARREL),
    ],
)
def test_path_says_what_kind_of_file_it_is(path: str, prior: Prior) -> None:
    assert path_priors(path) & prior


@pytest.mark.parametrize(
    "path",
    [
        "lib/bats-core/test_functions.bash",  # a test framework's own source
        "src/contest.py",
        "src/latest/attest.go",
        "packages/vitest/run.ts",  # a test framework's own source too
        "src/window.py",
        "app/documents.py",
        "src/builder.ts",
    ],
)
def test_ordinary_source_is_not_mistaken_for_tests_docs_or_copies(path: str) -> None:
    assert not path_priors(path) & (
        Prior.TEST | Prior.DOCS | Prior.EXAMPLE | Prior.VENDORED | Prior.PLATFORM
    )


def test_words_match_softly_by_their_beginning() -> None:
    assert soft("serial", "serial") == 1.0
    assert soft(stem("serialize"), stem("serializer")) >= 0.5
    assert soft("cat", "category") == 0.5
    assert soft("of", "offset") == 0.0
    assert soft("middlewar", "middle") == 0.7
    assert soft("router", "route") == soft("route", "router")


def matching(paths: list[str], terms: list[str]) -> StemMatches:
    index = PathIndex(paths)
    return index.match(index.likeness(terms))


def compared(paths: list[str], terms: list[str], table: str = "stems") -> WordMatches:
    index = PathIndex(paths)
    alike = index.likeness(terms)
    rows = np.arange(len(paths))
    words: WordTable = getattr(index, table)
    return words.compare(getattr(alike, table), rows)


def test_file_name_covering_the_question_best_wins() -> None:
    matches = matching(["src/rate_limiter.py", "src/rate.py", "src/other.py"], ["rate", "limit"])
    coverage = matches.coverage(np.array([1.0, 1.0]))
    by_row = dict(zip(matches.rows.tolist(), coverage.tolist(), strict=True))
    assert by_row[0] > by_row[1] > 0
    assert 2 not in by_row


def test_back_says_how_much_of_the_file_name_was_asked_for() -> None:
    found = compared(["rate_limiter_config_loader.py", "rate.py", "other.py"], ["rate"])
    assert found.back.tolist() == [0.25, 1.0, 0.0]
    assert found.parts.tolist() == [4.0, 1.0, 1.0]


def test_words_that_many_names_have_say_less_of_a_name() -> None:
    paths = ["mail_handler.py", "file_handler.py", "slack_handler.py", "handler.py"]
    found = compared(paths, ["mail"])
    assert found.rare_back[0] > found.back[0] == 0.5
    assert found.rare_back.tolist()[1:] == [0.0, 0.0, 0.0]


def test_folders_are_compared_like_names_and_files_without_any_count_nothing() -> None:
    found = compared(["http/client/retry.py", "main.py"], ["client"], "folders")
    assert found.back.tolist() == [0.5, 0.0]
    assert found.hits.tolist() == [[1.0, 0.0]]


def test_question_without_any_known_word_matches_no_file() -> None:
    matches = matching(["a/b.py"], ["zebra"])
    assert len(matches.rows) == 0
    assert matches.coverage(np.array([1.0])).tolist() == []


def test_index_of_nothing_answers() -> None:
    assert len(matching([], ["rate"]).rows) == 0
    assert len(matching(["a.py"], []).rows) == 0


def test_test_has_a_partner_when_the_file_it_is_named_after_exists() -> None:
    index = PathIndex(["src/Vault.java", "test/VaultTest.java", "test/MailTest.java"])
    assert index.has_partner("test/VaultTest.java")
    assert not index.has_partner("test/MailTest.java")
    assert not index.has_partner("src/Vault.java")


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("tests/test_vault.py", "vault"),
        ("pkg/vault_test.go", "vault"),
        ("web/vault.spec.ts", "vault"),
        ("src/test/java/VaultTests.java", "vault"),
        ("spec/vault_spec.rb", "vault"),
        ("tests/conftest.py", ""),
        ("src/vault.py", ""),
    ],
)
def test_partner_is_what_a_test_is_named_after(path: str, stem: str) -> None:
    assert partner_stem(path) == stem


def test_folder_of_an_older_version_is_outdated_beside_a_newer_one() -> None:
    index = PathIndex(["v3/types.ts", "v4/types.ts", "v4/core/util.ts", "src/v1/only.ts"])
    assert index.outdated == frozenset({0})


def test_names_in_scripts_without_spaces_match() -> None:
    assert len(matching(["用户接口.py"], ["用户"]).rows) == 1


def test_file_that_stands_for_its_folder_has_the_folders_name() -> None:
    assert stem_parts("src/json/__init__.py") == ("json",)
    assert stem_parts("src/router/index.ts") == ("router",)
    assert stem_parts("src/cmd/main.go") == ("main",)
    assert stem_parts("index.ts") == ("index",)

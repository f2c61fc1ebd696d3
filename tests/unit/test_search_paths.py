from __future__ import annotations

import numpy as np
import pytest

from paparatsd.chunks.terms import stem
from paparatsd.search.paths import PathIndex, soft, stem_parts
from paparatsd.search.priors import Prior, path_priors


@pytest.mark.parametrize(
    ("path", "prior"),
    [
        ("tests/unit/test_app.py", Prior.TEST),
        ("pkg/server_test.go", Prior.TEST),
        ("src/test/java/AppTest.java", Prior.TEST),
        ("web/button.spec.tsx", Prior.TEST),
        ("spec/models/user_spec.rb", Prior.TEST),
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


def test_file_name_covering_the_question_best_wins() -> None:
    paths = ["src/rate_limiter.py", "src/rate.py", "src/other.py"]
    matches = PathIndex(paths).match(["rate", "limit"])
    coverage = matches.coverage(np.array([1.0, 1.0]))
    by_row = dict(zip(matches.rows.tolist(), coverage.tolist(), strict=True))
    assert by_row[0] > by_row[1] > 0
    assert 2 not in by_row


def test_back_says_how_much_of_the_file_name_was_asked_for() -> None:
    matches = PathIndex(["rate_limiter_config_loader.py", "rate.py"]).match(["rate"])
    assert matches.back.tolist()[1] > matches.back.tolist()[0] > 0


def test_question_without_any_known_word_matches_no_file() -> None:
    matches = PathIndex(["a/b.py"]).match(["zebra"])
    assert len(matches.rows) == 0
    assert matches.coverage(np.array([1.0])).tolist() == []


def test_index_of_nothing_answers() -> None:
    assert len(PathIndex([]).match(["rate"]).rows) == 0
    assert len(PathIndex(["a.py"]).match([]).rows) == 0


def test_folder_of_an_older_version_is_outdated_beside_a_newer_one() -> None:
    index = PathIndex(["v3/types.ts", "v4/types.ts", "v4/core/util.ts", "src/v1/only.ts"])
    assert index.outdated == frozenset({0})


def test_names_in_scripts_without_spaces_match() -> None:
    assert len(PathIndex(["用户接口.py"]).match(["用户"]).rows) == 1


def test_file_that_stands_for_its_folder_has_the_folders_name() -> None:
    assert stem_parts("src/json/__init__.py") == ("json",)
    assert stem_parts("src/router/index.ts") == ("router",)
    assert stem_parts("src/cmd/main.go") == ("main",)
    assert stem_parts("index.ts") == ("index",)

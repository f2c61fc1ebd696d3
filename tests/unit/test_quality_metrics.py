"""The measures of search quality, on cases that were worked out by hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from contrib.bench.quality.dataset import Repo, Target
from contrib.bench.quality.metrics import Result, ndcg, overlaps, path_matches, score
from contrib.bench.quality.scopes import Scope

if TYPE_CHECKING:
    from pathlib import Path


def test_one_target_gains_by_its_rank() -> None:
    assert ndcg([1], 1) == 1.0
    assert ndcg([2], 1) == pytest.approx(1 / math.log2(3))
    assert ndcg([3], 1) == 0.5
    assert ndcg([11], 1) == 0.0
    assert ndcg([], 1) == 0.0
    assert ndcg([], 0) == 0.0


def test_two_targets_are_measured_against_the_best_order() -> None:
    ideal = 1 + 1 / math.log2(3)

    assert ndcg([1, 2], 2) == 1.0
    assert ndcg([1], 2) == pytest.approx(1 / ideal)
    assert ndcg([1, 3], 2) == pytest.approx(1.5 / ideal)


def test_two_targets_at_one_rank_gain_once() -> None:
    assert ndcg([1, 1], 2) == ndcg([1], 2)


def test_paths_match_when_one_is_the_end_of_the_other() -> None:
    assert path_matches("src/flask/ctx.py", "src/flask/ctx.py")
    assert path_matches("src/flask/ctx.py", "flask/ctx.py")
    assert path_matches("ctx.py", "src/ctx.py")
    assert path_matches("src\\ctx.py", "src/ctx.py")
    assert not path_matches("src/other_ctx.py", "ctx.py")


def test_lines_overlap_up_to_the_last_one() -> None:
    target = Target("a.py", 10, 20)

    assert overlaps(Result("a.py", 20, 30), target)
    assert overlaps(Result("a.py", 1, 10), target)
    assert not overlaps(Result("a.py", 21, 30), target)
    assert not overlaps(Result("a.py", 1, 9), target)
    assert not overlaps(Result("a.py", 9), target)
    assert overlaps(Result("a.py"), target)
    assert overlaps(Result("a.py", 1, 2), Target("a.py"))


def test_file_rule_counts_files_and_chunk_rule_counts_places() -> None:
    results = [Result("a.py", 1, 5), Result("a.py", 6, 9), Result("b.py", 1, 5)]

    found = score(results, [Target("b.py")])

    assert found["ndcg10"] == pytest.approx(1 / math.log2(3))  # the second file
    assert found["ndcg10c"] == 0.5  # the third place
    assert found["mrr"] == 0.5
    assert found["recall5"] == 1.0
    assert found["top1"] == 0.0


def test_chunk_rule_wants_the_lines_and_file_rule_does_not() -> None:
    results = [Result("a.py", 1, 5), Result("a.py", 40, 60)]

    found = score(results, [Target("a.py", 50, 55)])

    assert found["ndcg10"] == 1.0
    assert found["ndcg10c"] == pytest.approx(1 / math.log2(3))


def test_what_comes_after_the_tenth_place_counts_only_as_a_file() -> None:
    results = [Result("a.py", n, n) for n in range(1, 11)] + [Result("b.py")]

    found = score(results, [Target("b.py")])

    assert found["ndcg10"] == pytest.approx(1 / math.log2(3))
    assert found["ndcg10c"] == 0.0


def test_share_of_targets_in_the_first_five_files() -> None:
    results = [Result(f"{letter}.py") for letter in "abcdef"]

    found = score(results, [Target("a.py"), Target("f.py")])

    assert found["recall5"] == 0.5
    assert found["top1"] == 1.0


def test_a_namesake_outside_of_the_root_is_no_answer() -> None:
    results = [Result("tests/ctx.py"), Result("src/ctx.py")]

    assert score(results, [Target("ctx.py")], inside="src")["mrr"] == 0.5
    assert score(results, [Target("ctx.py")])["mrr"] == 1.0


def test_no_results_score_nothing() -> None:
    assert set(score([], [Target("a.py")]).values()) == {0.0}


def test_paths_of_answers_become_paths_of_the_checkout(tmp_path: Path) -> None:
    checkout = tmp_path / "flask"
    (checkout / "src").mkdir(parents=True)
    (checkout / "src" / "ctx.py").touch()
    (checkout / "setup.py").touch()
    repo = Repo("flask", "python", "", "", "src")
    root, full = Scope(repo, checkout, "root"), Scope(repo, checkout, "full")

    told = [Result("ctx.py"), Result("./ctx.py"), Result(str(checkout / "src" / "ctx.py"))]
    assert {one.path for one in root.in_checkout(told)} == {"src/ctx.py"}
    assert root.in_checkout([Result("setup.py")])[0].path == "setup.py"
    assert full.in_checkout([Result("src/ctx.py", 3, 4)]) == [Result("src/ctx.py", 3, 4)]
    assert (root.directory, root.inside) == (checkout / "src", "")
    assert (full.directory, full.inside) == (checkout, "src")

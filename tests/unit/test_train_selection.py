"""Features chosen inside the folds: what goes first, and what must not be looked at."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from contrib.train.ranker.nested import BEST, CHOSEN, Mixed, nested, outer_folds, sets_of
from contrib.train.ranker.selection import Step, best_step, eliminate, kept_step, pairs_by_repo
from contrib.train.ranker.table import REAL, Question, Table
from tests.harness.ranker_table import ASKED, told

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = ("bm25f_rel", "d_path", "p_noise", "p_other")


def question(number: int, telling: Sequence[int] = (0, 1)) -> Question:
    """Return a question of one of twelve repositories; its target is high in `telling` columns."""
    repo = f"r{number % 12}"
    single = number % 5 == 0
    asked = replace(
        ASKED,
        id=f"{repo}:{number:02d}",
        repo=repo,
        scope=("root", "full")[number % 24 // 12],
        single=single,
        by_words=single,
    )
    return told(asked, number, (20, len(NAMES)), telling, noise=1.0, more=0.6)


@pytest.fixture(scope="module")
def table() -> Table:
    return Table(NAMES, tuple(question(number) for number in range(120)), "model-1")


def steps_of(table: Table, questions: Sequence[Question]) -> list[Step]:
    return eliminate(table, questions, pairs_by_repo(questions), NAMES, fewest=1)


def test_features_that_say_nothing_go_first(table: Table) -> None:
    steps = steps_of(table, table.of(REAL))
    assert [len(step.kept) for step in steps] == [4, 3, 2, 1]
    assert steps[2].kept == ("bm25f_rel", "d_path")
    assert steps[2].inner > steps[3].inner + 0.02


def test_quick_weights_are_near_those_of_a_fit_from_scratch(table: Table) -> None:
    questions = table.of(REAL)
    steps = steps_of(table, questions)
    alone = eliminate(table, questions, pairs_by_repo(questions), steps[2].kept, fewest=2)
    assert alone[0].kept == steps[2].kept
    assert steps[2].inner == pytest.approx(alone[0].inner, abs=0.01)


def test_best_step_is_the_smallest_of_the_best() -> None:
    steps = [Step(("a", "b", "c"), 0.9), Step(("a", "b"), 0.95), Step(("a",), 0.95)]
    assert best_step(steps).kept == ("a",)
    assert best_step(steps[:2]).kept == ("a", "b")


def test_kept_is_the_largest_step_that_is_not_told_from_the_best() -> None:
    def step(size: int, *by_repo: float) -> Step:
        return Step(tuple("abcd"[:size]), float(np.mean(by_repo)), by_repo)

    best = step(1, 0.9, 0.9, 0.9)
    clearly_less = step(4, 0.89, 0.9, 0.89)
    hardly_less = step(3, 0.88, 0.9, 0.9)
    much_less = step(2, 0.5, 0.6, 0.5)
    assert kept_step([clearly_less, hardly_less, much_less, best]) is hardly_less
    assert kept_step([clearly_less, much_less, best]) is best


def test_pairs_of_a_repository_do_not_depend_on_the_others(table: Table) -> None:
    every = pairs_by_repo(table.of(REAL))
    own = pairs_by_repo([one for one in table.of(REAL) if one.asked.repo == "r3"])
    assert np.array_equal(every["r3"].differences, own["r3"].differences)


def test_labels_of_an_outer_fold_decide_nothing_that_scores_it(table: Table) -> None:
    def weights_for(questions: Sequence[Question], repo: str) -> dict[str, dict[str, float]]:
        some = Table(NAMES, tuple(questions), "")
        for fold, by_size in outer_folds(some, some.of(REAL), Mixed(), lexical=False, seed=0):
            if repo in fold:
                return {size: dict(one.meaning) for size, one in by_size.items()}
        raise AssertionError(repo)

    # The answers of one repository are those that the noise points at.
    turned = [
        question(number, (2, 3)) if number % 12 == 5 else question(number) for number in range(120)
    ]
    assert weights_for(turned, "r5") == weights_for(table.questions, "r5")
    assert weights_for(turned, "r6") != weights_for(table.questions, "r6")


def test_every_question_is_scored_once_a_seed_at_every_size(table: Table) -> None:
    found, kept = nested(table, Mixed(), lexical=True, seeds=1)
    assert sorted(kept) == sorted({one.asked.repo for one in table.questions})
    assert all("d_path" not in weights.meaning for weights in kept.values())
    for outcome in found.outcomes.values():
        assert [len(values) for values in outcome.values] == [len(table.questions)]
        assert outcome.mean("root") > 0.4


def test_curve_has_the_sizes_that_there_are_and_the_chosen_one() -> None:
    names = tuple(f"f{number}" for number in range(14))
    steps = [
        Step(names[:size], inner, (inner, inner))
        for size in range(14, 7, -1)
        for inner in [0.6 if size == 10 else 0.5]
    ]
    sets = sets_of(steps)
    assert list(sets) == ["8", "12", "14", BEST, CHOSEN]
    assert len(sets[CHOSEN]) == len(sets[BEST]) == 10

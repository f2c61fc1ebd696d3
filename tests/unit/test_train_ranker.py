"""The ranker's training: fitting, folds, scores, files of weights, and the picture."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree as Xml

import numpy as np
import pytest

from contrib.bench.quality.dataset import Dataset, Query, Repo, Target
from contrib.train.ranker.ablate import families, family
from contrib.train.ranker.cases import RISING, Sample
from contrib.train.ranker.collect import foreign_queries
from contrib.train.ranker.crossval import cross_validate, transfer
from contrib.train.ranker.linear import fit_logistic, make_folds, make_pairs
from contrib.train.ranker.model import Weights, choose, fit, write_confidence, write_weights
from contrib.train.ranker.plot import Panel, draw
from contrib.train.ranker.reliability import Bin, auc, bins, brier, calibration_error
from contrib.train.ranker.scores import macro, question_ndcg
from contrib.train.ranker.table import REAL, Question, Table, load_table
from paparatsd.search.ranker import PACKAGED, load_ranker
from tests.harness.ranker_table import ASKED, told

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("bm25f_rel", "d_path", "p_noise")


def question(number: int, repo: str, scope: str = "root", *, by_words: bool = False) -> Question:
    """Return a question with 12 candidates, whose target has the largest first and second value."""
    asked = replace(
        ASKED,
        id=f"{repo}:{number:02d}",
        repo=repo,
        scope=scope,
        by_words=by_words,
        single=by_words,
    )
    return told(asked, number, (12, len(NAMES)), (0, 1), noise=0.6, more=0.5)


@pytest.fixture(scope="module")
def table() -> Table:
    rows = [
        question(number, f"r{number % 6}", scope, by_words=number % 4 == 0)
        for number in range(60)
        for scope in ("root", "full")
    ]
    return Table(NAMES, tuple(rows), "model-1")


def test_weights_reward_what_targets_have_and_ignore_noise(table: Table) -> None:
    weights = fit(table, table.of(REAL), choose(table))
    assert weights.meaning["bm25f_rel"] > 1.0
    assert weights.meaning["d_path"] > 1.0
    assert abs(weights.meaning["p_noise"]) < 0.3 * weights.meaning["d_path"]


def test_words_have_no_vector_features_and_lexical_models_none_at_all(table: Table) -> None:
    assert choose(table).words == ("bm25f_rel", "p_noise")
    lexical = choose(table, lexical=True)
    assert lexical.meaning == lexical.words == ("bm25f_rel", "p_noise")
    assert "bm25f_rel" not in choose(table, ["bm25f_rel"]).meaning


def test_question_by_words_is_scored_without_vectors(table: Table) -> None:
    weights = Weights({"d_path": 1.0}, {"bm25f_rel": 1.0})
    by_words = next(one for one in table.questions if one.asked.by_words)
    assert weights.score(table, by_words) == pytest.approx(by_words.features[:, 0])
    assert weights.score(table, by_words, by_words=False) == pytest.approx(by_words.features[:, 1])


def test_single_identifiers_have_weights_fitted_on_them_alone(table: Table) -> None:
    weights = fit(table, table.of(REAL), choose(table))
    assert weights.name is not None
    others = [one for one in table.of(REAL) if not one.asked.single]
    assert fit(table, others, choose(table)).name is None
    own = Weights({"d_path": 1.0}, {"bm25f_rel": 1.0}, {"bm25f_rel": 3.0})
    single = next(one for one in table.of(REAL) if one.asked.single)
    assert own.score(table, single, by_words=True) == pytest.approx(3.0 * single.features[:, 0])


def test_pairs_of_a_target_count_one_in_sum_and_less_when_it_shares_the_question() -> None:
    one = question(1, "r")
    assert make_pairs([one]).counts.sum() == pytest.approx(1.0)
    two = replace(one, answers=(one.answers[0], one.answers[0]))
    assert make_pairs([two]).counts.sum() == pytest.approx(2.0 / np.sqrt(2.0))
    assert make_pairs([one], share=0.25).counts.sum() == pytest.approx(0.25)


def test_folds_hold_every_repository_once_and_depend_on_the_seed_only() -> None:
    repos = [f"r{number}" for number in range(23)]
    folds = make_folds(repos, seed=3)
    assert sorted(name for fold in folds for name in fold) == sorted(repos)
    assert len(folds) == 10
    assert folds == make_folds(reversed(repos), seed=3)
    assert folds != make_folds(repos, seed=4)


def test_cross_validation_scores_every_question_by_weights_of_other_repositories(
    table: Table,
) -> None:
    outcome = cross_validate(table, choose(table), seeds=2)
    assert len(outcome.values) == 2
    assert outcome.mean("root") > 0.9
    # One repository whose labels are turned round: it must not have taught its own weights.
    turned = tuple(
        replace(one, features=-one.features) if one.asked.repo == "r0" else one
        for one in table.questions
    )
    other = cross_validate(Table(NAMES, turned, ""), choose(table), seeds=1)
    assert other.groups("root", "repo")["r0"] < 0.4


def test_weights_of_one_set_can_be_tried_on_another(table: Table) -> None:
    assert transfer(table, table, choose(table), seeds=1).mean("full") > 0.9


def test_ndcg_is_that_of_the_benchmark() -> None:
    one = question(1, "r")
    scores = np.zeros(12)
    first = np.argsort(one.right)[::-1]
    scores[first] = np.arange(12, 0, -1)
    assert question_ndcg(one, scores) == 1.0
    scores[one.answers[0][0]] = 11.5 - 1.0  # now second
    assert question_ndcg(one, scores) == pytest.approx(1 / np.log2(3))
    assert question_ndcg(replace(one, answers=((),)), scores) == 0.0


def test_macro_mean_counts_repositories_alike() -> None:
    rows = [question(1, "a"), question(2, "a"), question(3, "b")]
    assert macro(rows, [1.0, 0.0, 0.2]) == pytest.approx(0.35)


def test_archive_gives_back_what_was_saved(table: Table, tmp_path: Path) -> None:
    place = tmp_path / "set.npz"
    table.save(place)
    loaded = load_table(place)
    assert loaded.names == NAMES
    assert loaded.embedder == "model-1"
    assert [one.asked for one in loaded.questions] == [one.asked for one in table.questions]
    assert all(
        np.array_equal(one.features, other.features) and one.answers == other.answers
        for one, other in zip(loaded.questions, table.questions, strict=True)
    )


def test_file_of_weights_is_one_that_search_reads_and_keeps_its_confidence(
    table: Table, tmp_path: Path
) -> None:
    place = tmp_path / "ranker.json"
    weights = fit(table, table.of(REAL), choose(table))
    write_weights(place, weights)
    assert load_ranker(place).confidence is None
    packaged = json.loads(PACKAGED.read_text())["confidence"]
    write_confidence(place, packaged)
    write_weights(place, Weights({"d_path": 1.0}, {"bm25f_rel": 2.0}))
    again = load_ranker(place)
    assert again.words == {"bm25f_rel": 2.0}
    assert again.confidence == load_ranker().confidence
    written = list(json.loads(place.read_text()))
    assert written == ["format", "meaning", "words", "name", "confidence"]


def test_logistic_model_finds_the_chances_that_made_the_data() -> None:
    rng = np.random.default_rng(5)
    inputs = rng.normal(size=(4_000, 2)) * [1.0, 10.0]
    chance = 1 / (1 + np.exp(-(0.5 + 1.5 * inputs[:, 0])))
    truth = (rng.random(4_000) < chance).astype(np.float64)
    model = fit_logistic(inputs, truth)
    assert model.bias == pytest.approx(0.5, abs=0.15)
    assert model.weights == pytest.approx([1.5, 0.0], abs=0.15)
    assert np.abs(model.predict(inputs) - chance).mean() < 0.03


def test_input_that_a_fit_turns_round_is_left_out() -> None:
    rng = np.random.default_rng(7)
    rows = [{"unknown": float(a), "share": float(b)} for a, b in rng.random((500, 2))]
    truth = [row["unknown"] + row["share"] > 1.0 for row in rows]
    assert RISING["unknown"] < 0
    assert set(Sample(rows, truth, [1.0] * 500).fit(("unknown", "share")).weights) == {"share"}
    honest = [row["share"] > row["unknown"] for row in rows]
    weights = Sample(rows, honest, [1.0] * 500).fit(("unknown", "share")).weights
    assert weights["unknown"] < 0 < weights["share"]


def test_area_under_the_curve_counts_ties_half() -> None:
    truth = np.array([0.0, 0.0, 1.0, 1.0])
    assert auc(np.array([0.1, 0.2, 0.3, 0.4]), truth) == 1.0
    assert auc(np.array([0.4, 0.3, 0.2, 0.1]), truth) == 0.0
    assert auc(np.array([0.1, 0.2, 0.2, 0.4]), truth) == pytest.approx(0.875)
    assert auc(np.full(4, 0.5), truth) == pytest.approx(0.5)


def test_calibration_error_is_the_distance_between_said_and_true() -> None:
    truth = np.array([1.0, 1.0, 0.0, 0.0])
    assert calibration_error(np.full(4, 0.5), truth) == 0.0
    assert calibration_error(np.full(4, 0.9), truth) == pytest.approx(0.4)
    assert brier(np.full(4, 0.5), truth) == pytest.approx(0.25)
    (counted,) = bins(np.full(4, 0.9), truth, np.array([3.0, 3.0, 1.0, 1.0]))
    assert (counted.predicted, counted.true, counted.count) == pytest.approx((0.9, 0.75, 8.0))


def test_every_question_goes_to_one_other_repository() -> None:
    repos = {name: Repo(name, "python", "", "", "") for name in ("a", "b", "c")}
    queries = {
        name: [
            Query(f"{name}:{n:02d}", name, "python", "semantic", f"q{n}", (Target("x.py"),))
            for n in range(9)
        ]
        for name in repos
    }
    given = foreign_queries(Dataset("d", repos, queries))
    assert sum(len(some) for some in given.values()) == 27
    assert all(query.repo != name for name, some in given.items() for query in some)
    assert given == foreign_queries(Dataset("d", repos, queries))
    assert foreign_queries(Dataset("d", {"a": repos["a"]}, queries)) == {"a": []}


def test_features_belong_to_the_family_with_the_longest_beginning() -> None:
    assert family("fbm25f_rel") == "words of the file"
    assert family("bm25f_rel") == "words of the best chunk"
    assert family("pw_stem_cos") == "file name and folders"
    assert family("p_stemlen") == "file name and folders"
    assert family("p_test") == "standing"
    assert family("zzz") == "other"
    assert families(["d_path", "p_test"]) == {"standing": ["p_test"], "meaning": ["d_path"]}


def test_plot_is_a_picture_with_a_dot_for_each_bin() -> None:
    panel = Panel("a < b", "u", "x", "y", [Bin(0.2, 0.1, 5), Bin(0.9, 1.0, 50)], [(0.5, "half")])
    root = Xml.fromstring(draw([panel, panel], "Calibration & more"))  # noqa: S314 - our own text
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{space}circle")) == 4
    assert [text.text for text in root.iter(f"{space}text")].count("half") == 2
    assert root.findtext(f"{space}title") == "Calibration & more"

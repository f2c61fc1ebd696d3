"""Figures of one system, the comparison of two, and which weights are behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from contrib.bench.quality.baselines.bm25_windows import Bm25
from contrib.bench.quality.baselines.keywords import keywords_of
from contrib.bench.quality.bootstrap import difference, resampled
from contrib.bench.quality.dataset import Query, Target
from contrib.bench.quality.measure import Run
from contrib.bench.quality.metrics import METRICS
from contrib.bench.quality.report import Report, build_report, percentile
from contrib.bench.quality.systems import (
    HELD_OUT,
    PACKAGED,
    SystemUnusable,
    foreign_system,
    our_systems,
)
from contrib.bench.quality.tables import languages_below, print_scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

LANGUAGES = {"flask": "python", "chi": "go"}


def reported(values: Mapping[str, Sequence[float]]) -> Report:
    """Return a report in which every metric of the nth query of a repository has a value."""
    queries = [
        Query(f"{repo}:{n:02d}", repo, LANGUAGES[repo], "semantic", "why", (Target("a"),))
        for repo, some in values.items()
        for n in range(len(some))
    ]
    runs = {repo: Run(repo, index_s=2.0, query_ms=[1.0, 3.0]) for repo in values}
    for query in queries:
        value = values[query.repo][int(query.id.rpartition(":")[2])]
        runs[query.repo].scores[query.id] = dict.fromkeys(METRICS, value)
    return {"name": "some", "weights": PACKAGED, **build_report(queries, runs)}


def test_headline_is_the_mean_over_repositories() -> None:
    overall = reported({"flask": [1.0, 1.0, 1.0], "chi": [0.0]})["overall"]

    assert overall["macro"]["ndcg10"] == 0.5
    assert overall["queries_mean"]["ndcg10"] == 0.75
    assert (overall["repos"], overall["languages"], overall["queries"]) == (2, 2, 4)
    assert (overall["query_p50_ms"], overall["index_s_mean"]) == (2.0, 2.0)


def test_percentiles_lie_between_neighbours() -> None:
    assert percentile([1, 2, 3, 4], 50) == 2.5
    assert percentile([7], 95) == 7
    assert percentile([], 50) == 0.0


def test_equal_draws_for_an_equal_seed() -> None:
    values = [number**0.5 for number in range(31)]

    assert resampled(values) == resampled(values)
    assert resampled(values, seed=1) != resampled(values, seed=2)


def test_interval_holds_the_mean_and_is_a_point_without_spread() -> None:
    spread = resampled([0.0, 1.0] * 20)
    point = resampled([0.25] * 8)

    assert spread.low < spread.mean == 0.5 < spread.high
    assert (point.low, point.mean, point.high) == (0.25, 0.25, 0.25)
    assert point.verdict == "better"


def test_difference_is_paired_by_query_and_by_repository() -> None:
    first = reported({"flask": [0.5, 0.5, 0.5], "chi": [0.5]})
    second = reported({"flask": [1.0, 0.5, 0.5], "chi": [0.0]})

    found = difference(first, second, "ndcg10")

    assert found.by_query.mean == 0.0
    assert found.by_repo.mean == pytest.approx((0.5 / 3 - 0.5) / 2)
    assert (found.better, found.worse, found.same) == (1, 1, 2)
    assert (found.repos_better, found.repos) == (1, 2)


def test_reports_without_a_common_query_are_not_compared() -> None:
    with pytest.raises(ValueError, match="share no query"):
        difference(reported({"flask": [1.0]}), reported({"chi": [1.0]}), "ndcg10")


def test_a_language_below_the_peer_is_named() -> None:
    ours = reported({"flask": [0.9], "chi": [0.4]})
    peer = reported({"flask": [0.8], "chi": [0.5]})

    assert languages_below(ours, peer) == ["go"]


def test_printed_figures_carry_the_weights_and_the_marks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ours = reported({"flask": [0.9], "chi": [0.4]})
    peer = {**reported({"flask": [0.8], "chi": [0.5]}), "weights": "rules"}

    print_scope("root", {"paparatsd": ours, "semble-ranked": peer}, ["flask:03 left out"])

    printed = capsys.readouterr().out
    assert f"paparatsd: {PACKAGED}" in printed
    assert "below semble-ranked by the file rule: go" in printed
    assert "note: flask:03 left out" in printed


def test_held_out_weights_are_chosen_by_repository(tmp_path: Path) -> None:
    (tmp_path / "flask.json").touch()
    ours, lexical = our_systems(folds=tmp_path, ranker=None)

    assert ours.command("flask")[-2:] == ["--ranker", str(tmp_path / "flask.json")]
    assert HELD_OUT in ours.weights
    assert "--lexical" in lexical.command("flask")
    with pytest.raises(SystemUnusable, match=r"chi\.json"):
        ours.command("chi")


def test_packaged_weights_are_said_to_have_seen_the_labels() -> None:
    ours, _ = our_systems(folds=None, ranker=None)

    assert "SEEN" in ours.weights
    assert "--ranker" not in ours.command("flask")


def test_another_system_is_named_with_its_command() -> None:
    assert foreign_system("grep=tool --path 'a b'").words == ("tool", "--path", "a b")
    with pytest.raises(SystemUnusable, match="NAME=COMMAND"):
        foreign_system("grep")


def test_bm25_prefers_the_rare_word_and_the_short_document() -> None:
    index = Bm25()
    for text in ("marmot sleeps", "marmot sleeps in a deep warm burrow", "dog sleeps", "dog"):
        index.add(text.split())

    scores = index.scores(["marmot", "sleeps", "unknown"])

    assert scores[0] > scores[1] > scores[2] > scores[3] == 0.0


def test_keywords_leave_out_what_every_text_holds() -> None:
    assert keywords_of("How is the request context pushed") == ["request", "context", "pushed"]
    assert keywords_of("is it") == ["is", "it"]

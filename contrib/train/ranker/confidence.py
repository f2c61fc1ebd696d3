"""Fit what turns a ranking into confidence, and say how far it can be trusted.

    python -m contrib.train.ranker.confidence TABLE.npz [--out paparatsd/search/ranker.json]
                                              [--plot contrib/bench/quality/calibration.svg]

All figures are out of fold by repository: neither the weights nor the chances have seen the
repository that is asked. Two things are learnt: whether there is an answer at all, from real
questions against the same ones asked of another repository and, with little weight, asked without
the files that answer them; and whether a file is meant, from the margins of its score.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from contrib.bench.quality.scopes import SCOPES
from contrib.train.ranker.cases import (
    ANSWER_INPUTS,
    COUNTS,
    FIRST_INPUTS,
    FURTHER_INPUTS,
    answer_sample,
    collect_cases,
    first_sample,
    further_sample,
)
from contrib.train.ranker.linear import make_folds
from contrib.train.ranker.model import SHARE, load_pairs, write_confidence
from contrib.train.ranker.plot import Panel, draw
from contrib.train.ranker.reliability import auc, bins, brier, calibration_error
from contrib.train.ranker.table import ELSEWHERE, REAL, REMOVED, load_table
from paparatsd.search.calibration import MEANING, NAME, WORDS, Calibration
from paparatsd.search_model import Confidence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from contrib.train.ranker.cases import Case
    from paparatsd.search.calibration import Chance

    Floats = NDArray[np.float64]

LOW_ELSEWHERE = 0.9
"""Share of questions asked of the wrong repository whose first hit is to be called low."""
HIGH_RIGHT = 0.9
"""Share of first hits called high that is to be right."""
PARTIAL = 0.2
"""A hit is worth a look from a chance of one in five."""


@dataclass(frozen=True)
class Thresholds:
    """From where a hit is called what; see `Calibration`."""

    doubt: float
    high: float
    partial: float


NONE = Thresholds(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Cases:
    """All questions twice: ranked with vectors, and by words alone."""

    with_vectors: Sequence[Case]
    by_words: Sequence[Case]

    def without(self, repos: frozenset[str]) -> Cases:
        """Return those that were not asked of some repositories."""
        return Cases(
            [case for case in self.with_vectors if case.repo not in repos],
            [case for case in self.by_words if case.repo not in repos],
        )

    def fit(self, embedder: str, levels: Thresholds = NONE) -> Calibration:
        """Fit every chance."""
        meant = [case for case in self.with_vectors if case.variant == MEANING]
        answers = {
            MEANING: [case for case in meant if case.answer == MEANING],
            WORDS: [case for case in self.by_words if case.answer == WORDS],
            NAME: [case for case in self.by_words if case.answer == NAME],
        }
        margins = {MEANING: meant, WORDS: self.by_words}
        return Calibration(
            embedder=embedder,
            answerable={
                name: answer_sample(cases).fit(ANSWER_INPUTS[name])
                for name, cases in answers.items()
            },
            first={name: first_sample(some).fit(FIRST_INPUTS) for name, some in margins.items()},
            further={
                name: further_sample(some).fit(FURTHER_INPUTS) for name, some in margins.items()
            },
            doubt=levels.doubt,
            high=levels.high,
            partial=levels.partial,
        )


@dataclass(frozen=True)
class Judged:
    """Cases with their chances by models that have not seen their repository."""

    cases: Sequence[Case]
    answerable: Floats
    first: Floats

    @property
    def shown(self) -> Floats:
        """The score that is shown for the first hit."""
        return self.answerable * self.first

    @property
    def right(self) -> Floats:
        """Whether the first hit is right, 0 or 1."""
        return np.array([case.right for case in self.cases], np.float64)

    @property
    def counts(self) -> Floats:
        """What each case counts."""
        return np.array([COUNTS[case.kind] for case in self.cases])

    def of(self, keep: Callable[[Case], bool]) -> Judged:
        """Return some of the cases."""
        rows = [at for at, case in enumerate(self.cases) if keep(case)]
        return Judged([self.cases[at] for at in rows], self.answerable[rows], self.first[rows])

    def kind(self, kind: str) -> Judged:
        """Return the cases of one kind."""
        return self.of(lambda case: case.kind == kind)


def judge(cases: Cases, embedder: str, seed: int = 0) -> tuple[Judged, Judged]:
    """Judge all cases out of fold: with vectors, and by words alone."""
    levels: dict[str, Calibration] = {}
    for fold in make_folds((case.repo for case in cases.by_words), seed):
        levels |= dict.fromkeys(fold, cases.without(fold).fit(embedder))
    return _judged(cases.with_vectors, levels), _judged(cases.by_words, levels)


def _judged(cases: Sequence[Case], levels: Mapping[str, Calibration]) -> Judged:
    answerable = [levels[case.repo].answerable[case.answer].of(case.inputs) for case in cases]
    first = [levels[case.repo].first[case.variant].of(case.inputs) for case in cases]
    return Judged(cases, np.array(answerable), np.array(first))


def thresholds(judged: Judged) -> Thresholds:
    """Return from where hits are called what.

    doubt: what the chance of an answer does not reach for nine in ten questions asked of the wrong
    repository. high: shown scores above it are right in nine of ten.
    """
    reached = np.quantile(judged.kind(ELSEWHERE).answerable, LOW_ELSEWHERE)
    doubt = float(np.ceil(reached * 100) / 100)
    for high in np.arange(0.3, 1.0, 0.01):
        above = (judged.shown >= high) & (judged.answerable >= doubt)
        if not above.any():
            break
        right = np.average(judged.right[above], weights=judged.counts[above])
        if right >= HIGH_RIGHT:
            return Thresholds(doubt, round(float(high), 2), PARTIAL)
    return Thresholds(doubt, 1.0, PARTIAL)


def print_judged(title: str, judged: Judged, levels: Calibration) -> None:
    """Print how well cases are told apart, how far chances hold, and what labels come out."""
    real = judged.kind(REAL)
    print(f"{title}: {len(real.cases)} questions")
    truth = np.array([case.kind == REAL for case in judged.cases], np.float64)
    for kind in (ELSEWHERE, REMOVED):
        rows = np.array([case.kind in {REAL, kind} for case in judged.cases])
        print(
            f"  answerable against {kind:<10} AUC {auc(judged.answerable[rows], truth[rows]):.3f}"
        )
    _print_trust("answerable, all kinds", judged.answerable, truth, judged.counts)
    _print_trust("first hit is right, if answered", real.first, real.right, real.counts)
    _print_trust("shown score, all kinds", judged.shown, judged.right, judged.counts)
    for kind in (REAL, ELSEWHERE, REMOVED):
        some = judged.kind(kind)
        parts = []
        for label in (Confidence.HIGH, Confidence.PARTIAL, Confidence.LOW):
            mine = np.array(
                [
                    levels.label(score, chance) is label
                    for score, chance in zip(some.shown, some.answerable, strict=True)
                ]
            )
            share, right = mine.mean(), some.right[mine].mean() if mine.any() else 0.0
            said = f" ({right:.2f} right)" if kind == REAL else ""
            parts.append(f"{label.value} {share:.3f}{said}")
        print(f"  first hit of {kind:<9} is called  {'  '.join(parts)}")


def _print_trust(what: str, chances: Floats, truth: Floats, counts: Floats) -> None:
    print(
        f"  {what:<32} AUC {auc(chances, truth):.3f}  Brier {brier(chances, truth, counts):.3f}  "
        f"ECE {calibration_error(chances, truth, counts):.3f}"
    )


def print_reliability(judged: Judged) -> None:
    """Print predicted and true shares by tenths of the shown score."""
    print("  shown score of first hits: predicted, right, what the questions count")
    for one in bins(judged.shown, judged.right, judged.counts):
        print(f"    {one.predicted:.2f}  {one.true:.2f}  {one.count:.0f}")


def plot(judged: Judged, levels: Calibration) -> str:
    """Return the calibration as a picture."""
    truth = np.array([case.kind == REAL for case in judged.cases], np.float64)
    panels = [
        Panel(
            "Is there an answer?",
            "one question in five has none here",
            "predicted chance",
            "share that has an answer",
            bins(judged.answerable, truth, judged.counts),
            [(levels.doubt, "low below")],
        ),
        Panel(
            "Is the first hit right?",
            "the same questions, out of fold",
            "shown score of the first hit",
            "share that is right",
            bins(judged.shown, judged.right, judged.counts),
            [(levels.partial, "partial from"), (levels.high, "high from")],
        ),
    ]
    return draw(panels, "Calibration of the shown confidence")


def as_json(levels: Calibration) -> dict[str, Any]:
    """Return a calibration as a file of weights holds it."""

    def chances(some: Mapping[str, Chance]) -> dict[str, dict[str, float]]:
        return {
            variant: {
                name: round(value, 4) for name, value in {"bias": one.bias, **one.weights}.items()
            }
            for variant, one in some.items()
        }

    return {
        "embedder": levels.embedder,
        "answerable": chances(levels.answerable),
        "first": chances(levels.first),
        "further": chances(levels.further),
        "doubt": levels.doubt,
        "high": levels.high,
        "partial": levels.partial,
    }


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--out", type=Path, metavar="FILE", help="file of weights to add it to")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the calibration as SVG")
    parser.add_argument("--mix", type=Path, metavar="TABLE", help="as the weights were fitted")
    parser.add_argument("--share", type=float, default=SHARE)
    arguments = parser.parse_args(argv)
    table = load_table(arguments.table)
    extra = load_pairs(arguments.mix, arguments.share, table) if arguments.mix else None
    cases = Cases(*collect_cases(table, extra=extra))
    judged, by_words = judge(cases, table.embedder)
    levels = cases.fit(table.embedder, thresholds(judged))
    print(f"low under {levels.doubt:.2f}, high from {levels.high:.2f}, else partial")
    print_judged("with the built-in embedder", judged, levels)
    for scope in SCOPES:
        some = judged.of(lambda case, scope=scope: case.scope == scope)  # type: ignore[misc]
        print_judged(f"  of these, scope {scope}", some, levels)
    print_judged("by words alone", by_words, levels)
    print_reliability(judged)
    if arguments.out:
        write_confidence(arguments.out, as_json(levels))
        print(f"confidence: {arguments.out}")
    if arguments.plot:
        arguments.plot.write_text(plot(judged, levels), encoding="utf-8")
        print(f"plot: {arguments.plot}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What each part of the search is worth: whole answers with it and without it, both rules.

    python -m contrib.train.ranker.worth TABLE.npz --data DIR --corpora DIR --cache DIR
                                         [--mix MORE.npz] [--also NAME=FOLDS ...] [--json OUT]

Every answer is ranked by weights that were fitted without its repository (ten folds). A group of
features that is left out is left out of the fit too, so that the others may take its place. A
mechanism that is switched off leaves the weights as they are. `--also` adds weights from files
DIR/REPO.json, such as those of `nested --folds`.

Worth is the mean over repositories of the difference in NDCG@10, with minus without, in
thousandths, and the interval that holds 95 % of 2,000 paired bootstrap draws of repositories.
`changed` counts the questions of both scopes whose score by one of the rules differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from contrib.bench.quality.bootstrap import SAME, resampled
from contrib.bench.quality.dataset import load_dataset
from contrib.bench.quality.scopes import SCOPES
from contrib.train.ranker.ablate import families
from contrib.train.ranker.crossval import held_out_weights
from contrib.train.ranker.mechanisms import MECHANISMS
from contrib.train.ranker.model import SHARE, Choice, Weights, choose, load_pairs
from contrib.train.ranker.replay import ReadingCatalog, Replay, as_ranker, swapped
from contrib.train.ranker.table import REAL, load_table
from contrib.train.ranker.trees import Trees
from paparatsd.embeddings.static import StaticModel
from paparatsd.search.ranker import load_ranker

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from contrib.bench.quality.dataset import Dataset
    from contrib.train.ranker.linear import Pairs
    from contrib.train.ranker.table import Table
    from paparatsd.search.query_vectors import Encoder
    from paparatsd.search.ranker import Ranker

RULES = {"ndcg10": "file", "ndcg10c": "chunk"}
COLUMNS = [f"{scope}, {rule}" for scope in SCOPES for rule in RULES.values()]
WHOLE = "all of it"
WORDS_ONLY = "words only"
PLAIN = "no ranking: BM25F of the best chunk"
CATEGORIES = ("symbol", "semantic", "architecture")

Scores = dict[tuple[str, str], dict[str, float]]
"""(scope, query) -> metrics."""


@dataclass(frozen=True)
class Worth:
    """What a part is worth by scope and rule: mean and ends of the interval; see `changed`."""

    values: Mapping[tuple[str, str], tuple[float, float, float]]
    changed: int


def variants(
    table: Table, extra: Pairs | None, also: Mapping[str, Path]
) -> dict[str, dict[str, Ranker]]:
    """Return rankers by repository and name, none of which has seen its repository."""
    real, choice = table.of(REAL), choose(table)
    out: dict[str, dict[str, Ranker]] = defaultdict(dict)

    def add(name: str, by_repo: Mapping[str, Weights]) -> None:
        for repo, weights in by_repo.items():
            out[repo][name] = as_ranker(weights)

    whole = held_out_weights(table, real, choice, extra=extra)
    add(WHOLE, whole)
    for title, members in families(choice.meaning).items():
        some = choose(table, members)
        kept = Choice(some.meaning, some.words, tuple(n for n in some.name if n not in members))
        add(f"{title} ({len(members)} features)", held_out_weights(table, real, kept, extra=extra))
    if extra is not None:
        add("questions made from code", held_out_weights(table, real, choice))
    add(
        "weights of their own for identifiers",
        {repo: Weights(one.meaning, one.words) for repo, one in whole.items()},
    )
    every = choose(table, left_out=())
    add("features left out of the fit, taken in", held_out_weights(table, real, every, extra=extra))
    alone = {"bm25f_rel": 1.0}
    add(PLAIN, {repo: Weights(alone, alone) for repo in whole})
    for name, place in also.items():
        for repo in whole:
            ranker = load_ranker(place / f"{repo}.json")
            out[repo][name] = as_ranker(Weights(ranker.meaning, ranker.words, ranker.name))
    return out


@dataclass(frozen=True)
class Bench:
    """What is asked, and where it is found."""

    dataset: Dataset
    corpora: Path
    trees: Trees
    encoder: Encoder

    def replays(self, names: Sequence[str]) -> Iterator[Replay]:
        """Yield every repository in both scopes."""
        for repo in self.dataset.select(names):
            checkout = self.corpora / repo.name
            parsed = dict(self.trees.parse(checkout))
            for scope in SCOPES:
                inside = repo.root if scope == "root" else ""
                files = self.trees.build(checkout, inside)
                prefix = f"{inside}/" if inside else ""
                yield Replay(repo, scope, ReadingCatalog(files, parsed, prefix))

    def measure(
        self, rankers: Mapping[str, Mapping[str, Ranker]], names: Sequence[str]
    ) -> dict[str, Scores]:
        """Return the scores by variant: all rankers, words only, and without each mechanism."""
        found: dict[str, Scores] = defaultdict(dict)
        for replay in self.replays(names):
            repo, scope = replay.repo.name, replay.scope
            queries = self.dataset.queries[repo]
            for query, name, metrics in replay.scores(queries, rankers[repo], self.encoder):
                found[name][scope, query] = metrics
            lexical = {
                f"{WORDS_ONLY}{'' if name == WHOLE else ': ' + name}": ranker
                for name, ranker in rankers[repo].items()
            }
            for query, name, metrics in replay.scores(queries, lexical, None):
                found[name][scope, query] = metrics
            for part in MECHANISMS:
                only = {part.title: rankers[repo][WHOLE]}
                with swapped(*part.off):
                    for query, name, metrics in replay.scores(queries, only, self.encoder):
                        found[name][scope, query] = metrics
            print(f"{repo} {scope}", file=sys.stderr, flush=True)
        return found


def macro_of(scores: Scores, scope: str, metric: str) -> float:
    """Return the mean over repositories of a metric."""
    return float(np.mean(list(_by_repo(scores, scope, metric).values())))


def worth_of(whole: Scores, without: Scores) -> Worth:
    """Return what a part is worth, in thousandths of NDCG@10."""
    values = {}
    for scope in SCOPES:
        for metric in RULES:
            with_it, other = (_by_repo(one, scope, metric) for one in (whole, without))
            found = resampled([1e3 * (with_it[repo] - other[repo]) for repo in with_it])
            values[scope, metric] = (found.mean, found.low, found.high)
    changed = sum(
        any(abs(whole[key][metric] - without[key][metric]) > SAME for metric in RULES)
        for key in whole
    )
    return Worth(values, changed)


def _by_repo(scores: Scores, scope: str, metric: str) -> dict[str, float]:
    some: dict[str, list[float]] = defaultdict(list)
    for (where, query), metrics in scores.items():
        if where == scope:
            some[query.rpartition(":")[0]].append(metrics[metric])
    return {repo: float(np.mean(values)) for repo, values in some.items()}


def print_scores(found: Mapping[str, Scores], categories: Mapping[str, str]) -> None:
    """Print the scores of whole systems."""
    columns = [(scope, metric) for scope in SCOPES for metric in RULES]
    print(f"| | {' | '.join(COLUMNS)} |\n| --- |{' --- |' * len(columns)}")
    for name, scores in found.items():
        cells = " | ".join(f"{macro_of(scores, *column):.4f}" for column in columns)
        print(f"| {name} | {cells} |")
    for kind in CATEGORIES:
        some = {key: one for key, one in found[WHOLE].items() if categories[key[1]] == kind}
        means = [
            np.mean([one[metric] for (where, _), one in some.items() if where == scope])
            for scope, metric in columns
        ]
        cells = " | ".join(f"{mean:.4f}" for mean in means)
        print(f"| {WHOLE}: {kind}, by query | {cells} |")


def print_worths(found: Mapping[str, Scores], whole: str, names: Sequence[str]) -> None:
    """Print what parts are worth, beside `whole`."""
    print(f"| without, beside {whole!r} | changed | {' | '.join(COLUMNS)} |")
    print("| --- | --- |" + " --- |" * len(COLUMNS))
    for name in names:
        worth = worth_of(found[whole], found[name])
        cells = " | ".join(
            f"{mean:+.1f} ({low:+.1f} to {high:+.1f})" for mean, low, high in worth.values.values()
        )
        print(f"| {name} | {worth.changed} | {cells} |")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="repos.json and annotations/")
    parser.add_argument("--corpora", type=Path, required=True, help="checkouts, one a repository")
    parser.add_argument("--cache", type=Path, required=True, help="that of collect")
    parser.add_argument("--mix", type=Path, help="fit on this table too")
    parser.add_argument("--share", type=float, default=SHARE, help="what a pair of --mix counts")
    parser.add_argument("--also", action="append", default=[], metavar="NAME=DIR")
    parser.add_argument("--repos", nargs="*", default=[], help="only these repositories")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write every score here")
    arguments = parser.parse_args(argv)
    table = load_table(arguments.table)
    extra = load_pairs(arguments.mix, arguments.share, table) if arguments.mix else None
    also = {name: Path(place) for name, _, place in (one.partition("=") for one in arguments.also)}
    model = StaticModel.load()
    dataset = load_dataset(arguments.data)
    bench = Bench(dataset, arguments.corpora, Trees(arguments.cache, model), model)
    rankers = variants(table, extra, also)
    found = bench.measure(rankers, arguments.repos)
    report(found, dataset, list(also))
    if arguments.json:
        flat = {name: {" ".join(key): one for key, one in scores.items()}
                for name, scores in found.items()}  # fmt: skip
        arguments.json.write_text(json.dumps(flat), encoding="utf-8")
    return 0


def report(found: Mapping[str, Scores], dataset: Dataset, also: Sequence[str]) -> None:
    """Print all tables."""
    categories: dict[str, Any] = {
        query.id: query.category for some in dataset.queries.values() for query in some
    }
    lexical = [f"{WORDS_ONLY}: {name}" for name in also]
    systems = [WHOLE, *also, WORDS_ONLY, *lexical, PLAIN]
    print_scores({name: found[name] for name in systems}, categories)
    print()
    parts = [name for name in found if not name.startswith(WORDS_ONLY) and name not in systems]
    print_worths(found, WHOLE, [WORDS_ONLY, *parts, PLAIN, *also])
    print()
    parts = [name for name in found if name.startswith(f"{WORDS_ONLY}: ")]
    print_worths(found, WORDS_ONLY, parts)


if __name__ == "__main__":
    sys.exit(main())

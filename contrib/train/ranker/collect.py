"""Compute the features of every question's candidate files, by the code that searches.

    python -m contrib.train.ranker.collect --data DIR --corpora DIR --cache DIR [--repos NAME...]

Reads a data set in the form of contrib/bench/quality (DIR/repos.json, DIR/annotations), indexes its
checkouts in memory and asks every question in both scopes, as it is, of another repository, and of
the right one without the files that answer it (see table.py). Writes CACHE/DATASET.npz.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from contrib.bench.quality.dataset import load_dataset
from contrib.bench.quality.metrics import path_matches
from contrib.bench.quality.scopes import SCOPES
from contrib.train.ranker.memory import MemoryCatalog, project_scope
from contrib.train.ranker.table import ELSEWHERE, KINDS, REAL, REMOVED, Asked, Question, Table
from contrib.train.ranker.trees import Trees
from paparatsd.embeddings.static import StaticModel
from paparatsd.search.calibration import Calibration
from paparatsd.search.certain import NOTHING_CERTAIN
from paparatsd.search.engine import Engine
from paparatsd.search.ranker import Ranker
from paparatsd.search_model import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from contrib.bench.quality.dataset import Dataset, Query, Repo
    from paparatsd.search.arena import Records
    from paparatsd.search.candidates import Files
    from paparatsd.search.certain import Certain
    from paparatsd.search.features import FeatureTable
    from paparatsd.search.query_vectors import Encoder
    from paparatsd.search.recall import Candidates, Pinned
    from paparatsd.search.results import Winner

UNFITTED = Ranker({}, {}, Calibration("", {}, {}, {}, doubt=0.0, high=1.0, partial=0.0))
"""Nothing is ranked here, so that nothing depends on what was fitted before."""
LIMIT = 20
"""Hits asked for, which decides how much is recalled; the harness asks for as many."""


@dataclass(frozen=True)
class Seen:
    """What the engine knew when it was about to rank."""

    pinned: Pinned
    candidates: Candidates
    files: Files
    features: FeatureTable


class Recorder(Engine):
    """The engine up to the point where weights would be applied."""

    def __init__(self, catalog: MemoryCatalog, encoder: Encoder) -> None:
        super().__init__(catalog, encoder, ranker=UNFITTED)
        self._catalog = catalog
        self._seen: Seen | None = None

    def look(self, query: str, project: str) -> Seen | None:
        """Ask one question and return what ranking would start from; None without candidates."""
        self._seen = None
        plan = self.plan(SearchRequest(query, limit=LIMIT), project_scope(project), None)
        self.rank(plan.token, self._catalog.recall(plan.requests))
        return self._seen

    def _certain(
        self, pinned: Pinned, files: Files, records: Records, features: FeatureTable
    ) -> Certain:
        """Look for nothing: it would read texts, which are not kept, and changes no feature."""
        del pinned, files, records, features
        return NOTHING_CERTAIN

    def _winners(
        self,
        pinned: Pinned,
        candidates: Candidates,
        files: Files,
        records: Records,
        features: FeatureTable,
        owners: Mapping[int, tuple[int, ...]],
        certain: Certain = NOTHING_CERTAIN,
    ) -> list[Winner]:
        del records, owners, certain
        self._seen = Seen(pinned, candidates, files, features)
        return []


@dataclass(frozen=True)
class Place:
    """One repository in one scope, in memory."""

    repo: Repo
    scope: str
    catalog: MemoryCatalog

    @property
    def prefix(self) -> str:
        """What to put before a path to make it relative to the checkout."""
        return f"{self.repo.root}/" if self.scope == "root" and self.repo.root else ""

    def answering(self, query: Query, paths: Sequence[str]) -> tuple[tuple[int, ...], ...]:
        """Return for each target which of some files (relative to the scope) are it."""
        inside = f"{self.repo.root}/" if self.repo.root else ""
        whole = [self.prefix + path for path in paths]
        return tuple(
            tuple(
                row
                for row, path in enumerate(whole)
                if path.startswith(inside) and path_matches(path, target.path)
            )
            for target in query.targets
        )


class Asking:
    """Asks questions and remembers which features there are."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.names: tuple[str, ...] = ()

    def questions(self, place: Place, asked: Mapping[str, Sequence[Query]]) -> Iterator[Question]:
        """Ask everything of one repository in one scope; `asked` has the queries by kind."""
        engine = Recorder(place.catalog, self._encoder)
        for kind in (REAL, ELSEWHERE):
            for query in asked.get(kind, ()):
                yield from self._ask(place, engine, query, kind)
        paths = place.catalog.paths
        for query in asked.get(REMOVED, ()):
            gone = {paths[row] for rows in place.answering(query, paths) for row in rows}
            if 0 < len(gone) < len(paths):
                engine = Recorder(place.catalog.without(gone), self._encoder)
                yield from self._ask(place, engine, query, REMOVED)

    def _ask(self, place: Place, engine: Recorder, query: Query, kind: str) -> Iterator[Question]:
        seen = engine.look(query.text, place.repo.name)
        if seen is None:
            return
        values = seen.features.values
        self.names = self.names or tuple(sorted(values))
        paths = tuple(file.path for file in seen.files)
        none = tuple(() for _ in query.targets)
        yield Question(
            asked=_about(place, query, kind, seen),
            paths=paths,
            features=np.stack([values[name] for name in self.names], 1).astype(np.float32),
            answers=place.answering(query, paths) if kind == REAL else none,
        )


def _about(place: Place, query: Query, kind: str, seen: Seen) -> Asked:
    pinned = seen.pinned
    weights = np.array([term.weight for term in pinned.query.terms]) * pinned.idf
    candidates = seen.candidates
    known = pinned.known
    return Asked(
        id=query.id,
        kind=kind,
        repo=place.repo.name,
        scope=place.scope,
        language=query.language,
        category=query.category,
        text=query.text,
        targets=len(query.targets),
        single=pinned.query.single,
        by_words=pinned.static is None,
        terms=len(known),
        unknown=float(1 - known.mean()) if len(known) else 1.0,
        unknown_worth=float(weights[~known].sum() / max(1e-9, weights.sum())),
        cosine=candidates.nearest if len(candidates.dense.scores) else None,
    )


def foreign_queries(dataset: Dataset, seed: int = 0) -> dict[str, list[Query]]:
    """Give every question to one other repository, each repository getting its share."""
    names = sorted(dataset.repos)
    others: dict[str, list[Query]] = {name: [] for name in names}
    if len(names) < 2:
        return others
    for name in names:
        for query in dataset.queries[name]:
            rng = random.Random(f"{seed}:{query.id}")  # noqa: S311 - draws, no secrets
            others[rng.choice([other for other in names if other != name])].append(query)
    return others


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="repos.json and annotations/")
    parser.add_argument("--corpora", type=Path, required=True, help="checkouts, one a repository")
    parser.add_argument("--cache", type=Path, required=True, help="what is made is kept here")
    parser.add_argument("--model", type=Path, help="directory of the embedding model, not ours")
    parser.add_argument("--repos", nargs="*", default=[], help="only these repositories")
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=KINDS)
    arguments = parser.parse_args(argv)
    dataset = load_dataset(arguments.data)
    model = StaticModel.load(arguments.model)
    trees = Trees(arguments.cache, model)
    foreign = foreign_queries(dataset)
    asking = Asking(model)
    found: list[Question] = []
    for repo in dataset.select(arguments.repos):
        own = dataset.queries[repo.name]
        every = {REAL: own, ELSEWHERE: foreign[repo.name], REMOVED: own}
        asked = {kind: every[kind] for kind in arguments.kinds}
        for scope in SCOPES:
            began = time.perf_counter()
            files = trees.build(arguments.corpora / repo.name, repo.root if scope == "root" else "")
            place = Place(repo, scope, MemoryCatalog(files))
            before = len(found)
            found += asking.questions(place, asked)
            took = time.perf_counter() - began
            print(f"{repo.name} {scope}: {len(found) - before} questions, {took:.1f} s", flush=True)
    archive = arguments.cache / f"{dataset.name}.npz"
    Table(asking.names, tuple(found), model.spec.fingerprint).save(archive)
    print(f"{len(found)} questions, {len(asking.names)} features: {archive}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

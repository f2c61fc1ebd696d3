"""Whole answers in memory: the engine that searches, over checkouts that are kept parsed.

Answers are those of the daemon, for a tenth of the time, and any part can be changed. In scope root
a project has here the name of its repository, not of the folder; one answer in a hundred shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from contrib.bench.quality.metrics import Result, score
from contrib.train.ranker.memory import MemoryCatalog, project_scope
from paparatsd.search.certain import NOTHING_CERTAIN
from paparatsd.search.compound import completed
from paparatsd.search.engine import Engine, _sought
from paparatsd.search.frames import Ranked
from paparatsd.search.query import halves_of
from paparatsd.search.ranker import Ranker, load_ranker
from paparatsd.search_model import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from contrib.bench.quality.dataset import Query, Repo
    from contrib.train.ranker.model import Weights
    from contrib.train.ranker.trees import IndexedFile
    from paparatsd.model import Chunk, ParsedFile, Use
    from paparatsd.search.arena import Records
    from paparatsd.search.candidates import Files
    from paparatsd.search.certain import Certain
    from paparatsd.search.features import FeatureTable
    from paparatsd.search.query_vectors import Encoder
    from paparatsd.search.recall import Candidates, Pinned
    from paparatsd.search.results import Winner
    from paparatsd.search_model import Hit

LIMIT = 20
"""Hits asked for, as by the adapter."""

Rankers = Mapping[str, Ranker]


class ReadingCatalog(MemoryCatalog):
    """The catalog of a project whose texts are kept too."""

    def __init__(
        self, files: Sequence[IndexedFile], parsed: Mapping[str, ParsedFile], prefix: str
    ) -> None:
        """Take files by path in the project; `parsed` by path in the checkout, `prefix` before."""
        super().__init__(files)
        self._parsed = {version: parsed[prefix + path] for path, version in self._versions.items()}

    def chunks_of(self, version: int) -> tuple[Chunk, ...]:
        """Return the version's chunks with their texts."""
        return self._parsed[version].chunks

    def uses_of(self, version: int) -> tuple[Use, ...]:
        """Return the names the version uses."""
        return self._parsed[version].uses

    def used_names(
        self, version: int, kinds_left_out: Collection[str]
    ) -> tuple[list[int], list[str]]:
        """Return lines and names of the uses in a version, by line, but for some kinds of use."""
        uses = [use for use in self._parsed[version].uses if use.kind not in kinds_left_out]
        uses.sort(key=lambda use: use.line)
        return [use.line for use in uses], [use.name for use in uses]


def as_ranker(weights: Weights) -> Ranker:
    """Return weights as search takes them, with the packaged confidence."""
    return Ranker(weights.meaning, weights.words, load_ranker().confidence, weights.name)


class _Many(Engine):
    """Answers one question by several sets of weights at once; recall and features are shared."""

    def __init__(self, catalog: ReadingCatalog, encoder: Encoder | None, rankers: Rankers) -> None:
        super().__init__(catalog, encoder, ranker=next(iter(rankers.values())))
        self._rankers = rankers
        self.answers: dict[str, tuple[Hit, ...]] = {}

    def _winners(
        self,
        pinned: Pinned,
        candidates: Candidates,
        files: Files,
        records: Records,
        features: FeatureTable,
        owners: dict[int, tuple[int, ...]],
        certain: Certain = NOTHING_CERTAIN,
    ) -> list[Winner]:
        given = pinned, candidates, files, records, features, owners, certain
        for name, ranker in self._rankers.items():
            self._ranker = ranker
            winners = super()._winners(*given)
            self.answers[name] = self._results.hits(winners, _sought(pinned, features))
        return []


@dataclass(frozen=True)
class Replay:
    """One repository in one scope, ready to be asked."""

    repo: Repo
    scope: str
    catalog: ReadingCatalog

    @property
    def _prefix(self) -> str:
        return f"{self.repo.root}/" if self.scope == "root" and self.repo.root else ""

    def scores(
        self, queries: Iterable[Query], rankers: Rankers, encoder: Encoder | None
    ) -> Iterator[tuple[str, str, dict[str, float]]]:
        """Yield (query, ranker, every metric of its answer)."""
        engine = _Many(self.catalog, encoder, rankers)
        inside = self.repo.root if self.scope == "full" else ""
        for query in queries:
            for name, hits in self._answers(engine, query.text, rankers).items():
                results = [
                    Result(self._prefix + hit.path, hit.start_line, hit.end_line) for hit in hits
                ]
                yield query.id, name, score(results, query.targets, inside=inside)

    def _answers(self, engine: _Many, text: str, rankers: Rankers) -> dict[str, tuple[Hit, ...]]:
        """Return the hits by ranker; halves are put together as `Searcher` does it."""
        asked = SearchRequest(text, limit=LIMIT)
        whole = self._one(engine, asked)
        halves = [
            self._one(engine, replace(asked, query=half, limit=1)) for half in halves_of(text)
        ]
        none: tuple[Hit, ...] = ()
        return {
            name: completed(
                Ranked(whole.get(name, none), (), 0),
                [Ranked(half.get(name, none), (), 0) for half in halves],
                LIMIT,
            ).hits
            for name in rankers
        }

    def _one(self, engine: _Many, request: SearchRequest) -> dict[str, tuple[Hit, ...]]:
        engine.answers = {}
        plan = engine.plan(request, project_scope(self.repo.name), None)
        engine.rank(plan.token, self.catalog.recall(plan.requests))
        return engine.answers


@contextmanager
def swapped(*changes: tuple[Any, str, Any]) -> Iterator[None]:
    """Have other values in place of attributes (owner, name, value) for a while."""
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in changes]
    for owner, name, value in changes:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)

"""Runs one system over one repository after the other and keeps what it answered."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from contrib.bench.quality.metrics import DEPTH, Result, score
from contrib.bench.quality.process import AdapterFailed, AdapterProcess
from contrib.bench.quality.scopes import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from contrib.bench.quality.dataset import Dataset, Query
    from contrib.bench.quality.systems import System

INDEX_S = 1800.0
QUERY_S = 60.0


@dataclass(frozen=True)
class Task:
    """A repository in one scope with the queries that can be asked of it."""

    scope: Scope
    queries: Sequence[Query]


@dataclass
class Run:
    """What one system did with one repository."""

    repo: str
    index_s: float | None = None
    """From the start of the process until it said that it is ready."""
    query_ms: list[float] = field(default_factory=list)
    peak_rss_mb: float | None = None
    stats: dict[str, Any] = field(default_factory=dict)
    error: str | None = None
    ending: str | None = None
    """How it ended after all answers, if not by itself with code 0."""
    answers: dict[str, list[Result]] = field(default_factory=dict)
    """Results by query id, paths relative to the checkout; an unanswered query has none."""
    scores: dict[str, dict[str, float]] = field(default_factory=dict)


def plan_tasks(
    dataset: Dataset, corpora: Path, scope: str, names: Sequence[str]
) -> tuple[list[Task], list[str]]:
    """Return what can be asked, and notes on what cannot: absent checkouts and files."""
    tasks, notes = [], []
    for repo in dataset.select(names):
        place = Scope(repo, corpora / repo.name, scope)
        if not place.directory.is_dir():
            notes.append(f"{repo.name} left out: {place.directory} is not there")
            continue
        usable = []
        for query in dataset.queries[repo.name]:
            if gone := place.missing_targets(query):
                notes.append(f"{query.id} left out: no file {', '.join(gone)}")
            else:
                usable.append(query)
        if usable:
            tasks.append(Task(place, usable))
    return tasks, notes


def measure(system: System, task: Task) -> Run:
    """Index one repository with one system, ask every query once, and score the answers."""
    run = Run(task.scope.repo.name)
    with AdapterProcess(system.command(run.repo), task.scope.directory) as adapter:
        try:
            run.stats = adapter.wait_ready(INDEX_S)
            run.index_s = time.perf_counter() - adapter.started
            for query in task.queries:
                results, took_s = adapter.ask(query, DEPTH, QUERY_S)
                run.query_ms.append(took_s * 1e3)
                run.answers[query.id] = task.scope.in_checkout(results)
        except AdapterFailed as error:
            run.error = str(error)
    run.peak_rss_mb = adapter.peak_rss_mb
    if run.error is None and adapter.exit_code != 0:
        code = adapter.exit_code
        run.ending = "had to be killed" if code is None else f"ended with code {code}"
    for query in task.queries:
        found = run.answers.get(query.id, [])
        run.scores[query.id] = score(found, query.targets, inside=task.scope.inside)
    return run


def rows_of(run: Run) -> Iterator[dict[str, Any]]:
    """Yield an object a query for a JSON-lines file: its id and the ranked results."""
    for query_id, results in run.answers.items():
        yield {
            "id": query_id,
            "results": [
                {"path": one.path, "start_line": one.start_line, "end_line": one.end_line}
                for one in results
            ],
        }

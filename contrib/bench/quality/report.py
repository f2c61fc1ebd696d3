"""One system's figures in one scope: by repository, language and category, and over all.

The headline is the mean over repositories of their means ("macro"), as published; the mean over
queries is beside it. A report is plain JSON; the harness of others that reads this shape can read
ours, and `bootstrap.py` compares two of them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from contrib.bench.quality.metrics import METRICS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contrib.bench.quality.dataset import Query
    from contrib.bench.quality.measure import Run

Report = dict[str, Any]


def build_report(queries: Sequence[Query], runs: Mapping[str, Run]) -> Report:
    """Aggregate the scores of these queries; `runs` by repository."""
    scores = {query_id: one for run in runs.values() for query_id, one in run.scores.items()}

    def means(some: Sequence[Query]) -> dict[str, float]:
        return {m: round(mean([scores[query.id][m] for query in some]), 4) for m in METRICS}

    by_repo = {
        name: {
            "language": some[0].language,
            "queries": len(some),
            **means(some),
            **_timing(runs[name]),
        }
        for name, some in _grouped(queries, "repo").items()
    }
    languages = _grouped(queries, "language")
    categories = _grouped(queries, "category")
    return {
        "overall": {
            "repos": len(by_repo),
            "languages": len(languages),
            "queries": len(queries),
            "macro": {m: round(mean([row[m] for row in by_repo.values()]), 4) for m in METRICS},
            "queries_mean": means(queries),
            **_overall_timing(list(runs.values())),
        },
        "by_language": {
            name: {"repos": len({q.repo for q in some}), "queries": len(some), **means(some)}
            for name, some in languages.items()
        },
        "by_category": {
            name: {"queries": len(some), **means(some)} for name, some in categories.items()
        },
        "by_repo": by_repo,
        "queries": {
            query.id: {
                "category": query.category,
                **{m: round(scores[query.id][m], 6) for m in METRICS},
            }
            for query in queries
        },
    }


def mean(values: Sequence[float]) -> float:
    """Return the mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def percentile(values: Sequence[float], percent: float) -> float:
    """Return a percentile, interpolated between neighbours; 0 of nothing."""
    ordered = sorted(values)
    if not ordered:
        return 0.0
    at = (len(ordered) - 1) * percent / 100
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def _grouped(queries: Sequence[Query], key: str) -> dict[str, list[Query]]:
    groups: dict[str, list[Query]] = defaultdict(list)
    for query in queries:
        groups[getattr(query, key)].append(query)
    return dict(sorted(groups.items()))


def _timing(run: Run) -> dict[str, Any]:
    row: dict[str, Any] = {
        "index_s": None if run.index_s is None else round(run.index_s, 3),
        "p50_ms": round(percentile(run.query_ms, 50), 2),
        "p95_ms": round(percentile(run.query_ms, 95), 2),
        "peak_rss_mb": None if run.peak_rss_mb is None else round(run.peak_rss_mb, 1),
    }
    if run.stats:
        row["stats"] = run.stats
    if run.error:
        row["error"] = run.error
    if run.ending:
        row["ending"] = run.ending
    return row


def _overall_timing(runs: Sequence[Run]) -> dict[str, Any]:
    asked_ms = [one for run in runs for one in run.query_ms]
    index_s = [run.index_s for run in runs if run.index_s is not None]
    resident = [run.peak_rss_mb for run in runs if run.peak_rss_mb is not None]
    return {
        "index_s_mean": round(mean(index_s), 3),
        "index_s_max": round(max(index_s, default=0.0), 3),
        **{f"query_p{p}_ms": round(percentile(asked_ms, p), 2) for p in (50, 90, 95, 99)},
        "peak_rss_mb_max": round(max(resident, default=0.0), 1),
    }

"""Prints what was measured in one scope: systems side by side, each labelled with its weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contrib.bench.lab import Table
from contrib.bench.quality.bootstrap import difference
from contrib.bench.quality.metrics import METRICS
from contrib.bench.quality.systems import OURS, PEER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contrib.bench.quality.report import Report

HEADS = {
    "ndcg10": "NDCG@10 file",
    "ndcg10c": "NDCG@10 chunk",
    "mrr": "MRR",
    "recall5": "recall@5",
    "top1": "top1",
}


def print_scope(scope: str, reports: Mapping[str, Report], notes: Sequence[str]) -> None:
    """Print every table of one scope; `reports` by system."""
    first = next(iter(reports.values()))["overall"]
    print(
        f"\n=== scope {scope}: {first['repos']} repositories, {first['languages']} languages, "
        f"{first['queries']} queries ===\n"
    )
    for name, report in reports.items():
        print(f"{name}: {report['weights']}")
    _print_systems(reports)
    _print_categories(reports)
    _print_languages(reports)
    _print_differences(reports)
    _print_failures(reports)
    for note in notes:
        print(f"note: {note}")


def _print_systems(reports: Mapping[str, Report]) -> None:
    print("\nmean over repositories (in brackets: over queries)")
    columns = ("system", *HEADS.values(), "query p50 ms", "p95", "index s mean", "max")
    table = Table(columns)
    for name, report in reports.items():
        overall = report["overall"]
        cells = [f"{overall['macro'][m]:.3f} ({overall['queries_mean'][m]:.3f})" for m in METRICS]
        times = [f"{overall[f'query_p{p}_ms']:.1f}" for p in (50, 95)]
        index = [f"{overall[key]:.1f}" for key in ("index_s_mean", "index_s_max")]
        table.add(name, *cells, *times, *index)
    table.print()


def _print_categories(reports: Mapping[str, Report]) -> None:
    print("\nby category, file rule / chunk rule")
    categories = next(iter(reports.values()))["by_category"]
    table = Table(("system", *(f"{name} ({row['queries']})" for name, row in categories.items())))
    for name, report in reports.items():
        rows = report["by_category"].values()
        table.add(name, *(f"{row['ndcg10']:.3f} / {row['ndcg10c']:.3f}" for row in rows))
    table.print()


def _print_languages(reports: Mapping[str, Report]) -> None:
    """Ours beside the peer; a language in which we are below it is marked."""
    if OURS not in reports:
        return
    ours, peer = reports[OURS], reports.get(PEER)
    others = [name for name in reports if name != OURS]
    print("\nby language, NDCG@10, file rule / chunk rule")
    table = Table(("language", "repos", "queries", *(OURS, *others), f"against {PEER}"))
    for language, row in ours["by_language"].items():
        cells = [reports[name]["by_language"][language] for name in (OURS, *others)]
        told = f"{row['ndcg10'] - peer['by_language'][language]['ndcg10']:+.3f}" if peer else ""
        table.add(
            language,
            str(row["repos"]),
            str(row["queries"]),
            *(f"{cell['ndcg10']:.3f} / {cell['ndcg10c']:.3f}" for cell in cells),
            told + ("  BELOW" if told.startswith("-") else ""),
        )
    table.print()
    if peer:
        below = languages_below(ours, peer)
        print(f"languages below {PEER} by the file rule: {', '.join(below) or 'none'}")


def languages_below(ours: Report, peer: Report) -> list[str]:
    """Return the languages in which the file rule puts us below the peer."""
    theirs = peer["by_language"]
    return [
        name
        for name, row in ours["by_language"].items()
        if name in theirs and row["ndcg10"] < theirs[name]["ndcg10"]
    ]


def _print_differences(reports: Mapping[str, Report]) -> None:
    if OURS not in reports or len(reports) == 1:
        return
    print(f"\n{OURS} minus another system, 95 % of 2,000 paired bootstrap draws")
    table = Table(("minus", "rule", "by query", "by repository", "so we are", "better on"))
    for name, report in reports.items():
        if name == OURS:
            continue
        for metric in ("ndcg10", "ndcg10c"):
            found = difference(report, reports[OURS], metric)
            table.add(
                name,
                HEADS[metric],
                str(found.by_query),
                str(found.by_repo),
                found.by_repo.verdict,
                f"{found.repos_better} of {found.repos} repositories",
            )
    table.print(right_from=len(table.columns))


def _print_failures(reports: Mapping[str, Report]) -> None:
    for name, report in reports.items():
        for repo, row in report["by_repo"].items():
            if row.get("error"):
                print(f"FAILED: {name} on {repo} (unanswered queries score 0): {row['error']}")
            if row.get("ending"):
                print(f"note: {name} on {repo} {row['ending']} after its last answer")

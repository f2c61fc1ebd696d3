"""paparatsd and the baselines over the same repositories in the same run, side by side.

    python compare.py CORPORA [--semble-python PATH] [--scope root|full|both] [--repos A,B]
                      [--folds DIR] [--json OUT]

CORPORA has a checkout a repository, by name; `corpora.py` makes them. Every figure is labelled with
what its weights have seen: without --folds, ours are the packaged ones, which have seen the labels
of the dev half; with --folds DIR each repository is ranked by DIR/NAME.json, weights that were
fitted without it. Only the latter says how good it is.

Exit code 1 when a system failed on a repository, or when a figure is below its --min.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from contrib.bench.lab import load, write_json
from contrib.bench.quality.dataset import DEV, load_dataset
from contrib.bench.quality.measure import Run, Task, measure, plan_tasks, rows_of
from contrib.bench.quality.report import Report, build_report, mean
from contrib.bench.quality.scopes import SCOPES
from contrib.bench.quality.systems import (
    OURS,
    System,
    SystemUnusable,
    baselines,
    foreign_system,
    our_systems,
)
from contrib.bench.quality.tables import print_scope

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    parser = build_parser()
    arguments = parser.parse_args(argv)
    try:
        return run(arguments)
    except (SystemUnusable, KeyError) as error:
        parser.error(str(error.args[0]))


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="run", description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("corpora", type=Path, help="directory of the checkouts, by repository name")
    add("--dataset", type=Path, default=DEV, help="repos.json and annotations/ (default: ours)")
    add("--scope", choices=(*SCOPES, "both"), default="root", help="default root")
    add("--repos", type=_names, default=[], metavar="A,B", help="only these repositories")
    add("--systems", type=_names, default=[], metavar="A,B", help="only these systems")
    add("--semble-python", type=Path, metavar="PATH", help="a Python that has semble installed")
    add("--folds", type=Path, metavar="DIR", help="NAME.json: weights fitted without NAME")
    add("--ranker", type=Path, metavar="FILE", help="weights for all repositories")
    add("--lexical", action="store_true", help="also ours by words and names only")
    add("--set", action="append", default=[], metavar="SECTION.KEY=VALUE", help="for our daemon")
    add("--adapter", action="append", default=[], metavar="NAME=COMMAND", help="another system")
    add("--jobs", type=int, choices=(1, 2), default=1, help="adapters at a time (default 1)")
    add("--json", type=Path, metavar="OUT", help="write all figures here")
    add("--reports", type=Path, metavar="DIR", help="a report and the results of each system")
    add("--min", type=float, metavar="NDCG", help="exit 1 when ours is below (file rule, macro)")
    return parser


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def run(arguments: argparse.Namespace) -> int:
    """Measure and print every scope; return the exit code."""
    systems = chosen_systems(arguments)
    dataset = load_dataset(arguments.dataset)
    corpora = arguments.corpora.resolve()
    whole: dict[str, Any] = {"head": head(arguments, dataset.name), "scopes": {}}
    good = True
    for scope in SCOPES if arguments.scope == "both" else (arguments.scope,):
        tasks, notes = plan_tasks(dataset, corpora, scope, arguments.repos)
        if not tasks:
            raise SystemUnusable(f"no repository of {dataset.name} is in {corpora}; {notes[0]}")
        reports = measure_scope(systems, tasks, arguments)
        print_scope(scope, reports, notes)
        whole["scopes"][scope] = reports
        good = good and acceptable(reports, arguments.min)
    print(f"\n{load()}; at most {arguments.jobs} at a time")
    write_json(arguments.json, whole)
    return 0 if good else 1


def chosen_systems(arguments: argparse.Namespace) -> list[System]:
    """Return the systems that the command line asks for; raises SystemUnusable."""
    ours, lexical = our_systems(
        folds=arguments.folds, ranker=arguments.ranker, settings=tuple(arguments.set)
    )
    known = [ours, *([lexical] if arguments.lexical else []), *baselines(arguments.semble_python)]
    known += [foreign_system(text) for text in arguments.adapter]
    names = arguments.systems or [system.name for system in known]
    for name in set(names) - {system.name for system in known}:
        every = ", ".join(system.name for system in known)
        raise SystemUnusable(f"there is no system {name!r}; there are {every}")
    return [system for system in known if system.name in names]


def head(arguments: argparse.Namespace, dataset: str) -> dict[str, Any]:
    """Return what was measured, on what."""
    return {
        "dataset": dataset,
        "jobs": arguments.jobs,
        "machine": {
            "cpus": os.cpu_count(),
            "platform": platform.machine(),
            "python": platform.python_version(),
        },
    }


def measure_scope(
    systems: Sequence[System], tasks: Sequence[Task], arguments: argparse.Namespace
) -> dict[str, Report]:
    """Run every system over every repository; systems take turns, so that load hits all alike."""
    for system in systems:
        for task in tasks:
            system.command(task.scope.repo.name)  # what is missing is said before hours have gone
    runs: dict[str, dict[str, Run]] = defaultdict(dict)
    pairs = [(system, task) for task in tasks for system in systems]
    with ThreadPoolExecutor(max_workers=arguments.jobs) as pool:
        for (system, task), done in zip(pairs, pool.map(lambda p: measure(*p), pairs), strict=True):
            runs[system.name][done.repo] = done
            _say(system, task, done)
    scope = tasks[0].scope.name
    queries = [query for task in tasks for query in task.queries]
    reports = {}
    for system in systems:
        label = {"name": system.name, "scope": scope, "weights": system.weights}
        report = reports[system.name] = {**label, **build_report(queries, runs[system.name])}
        if arguments.reports is not None:
            write_report(arguments.reports, report, list(runs[system.name].values()))
    return reports


def write_report(directory: Path, report: Report, runs: Sequence[Run]) -> None:
    """Write SCOPE-SYSTEM.json for bootstrap.py and SCOPE-SYSTEM.jsonl, a line a query."""
    directory.mkdir(parents=True, exist_ok=True)
    stem = f"{report['scope']}-{report['name']}"
    write_json(directory / f"{stem}.json", report)
    lines = [json.dumps(row) + "\n" for one in runs for row in rows_of(one)]
    (directory / f"{stem}.jsonl").write_text("".join(lines), encoding="utf-8")


def acceptable(reports: dict[str, Report], least: float | None) -> bool:
    """Say whether nothing failed and ours reaches what was asked for."""
    whole = not any(
        row.get("error") for report in reports.values() for row in report["by_repo"].values()
    )
    if least is None or OURS not in reports:
        return whole
    reached = reports[OURS]["overall"]["macro"]["ndcg10"]
    if reached < least:
        print(f"BELOW: NDCG@10 by the file rule is {reached:.4f}, asked for {least}")
    return whole and reached >= least


def _say(system: System, task: Task, run: Run) -> None:
    figure = mean([one["ndcg10"] for one in run.scores.values()])
    index = "-" if run.index_s is None else f"{run.index_s:.1f}"
    state = f"  FAILED: {run.error}" if run.error else ""
    print(
        f"{task.scope.name} {run.repo:<20} {system.name:<18} {figure:.3f}  index {index} s{state}",
        file=sys.stderr,
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())

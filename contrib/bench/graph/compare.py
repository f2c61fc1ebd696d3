"""Our graph beside independent tools, on real code; and how long it takes.

    python contrib/bench/graph/compare.py callers ROOT --tool pyright --installed DIR [--json OUT]
    python contrib/bench/graph/compare.py times ROOT

DIR is what `install.sh DIR` has filled. ROOT is a checkout or an exported tree; nothing is written
into it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from contrib.bench.graph.ours import OverSocket, calls_of, indexed
from contrib.bench.graph.references import TOOLS, opened
from contrib.bench.graph.sites import CERTAINTIES, Agreement, Lines, Verdict, compare
from contrib.bench.graph.times import ROWS, measure, percentile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contrib.bench.graph.sites import Compared


def main(argv: Sequence[str] | None = None) -> int:
    """Run one of the two measurements and print its table."""
    arguments = build_parser().parse_args(argv)
    arguments.root = arguments.root.resolve()
    load = os.getloadavg()[0]
    print(f"{arguments.root.name}: load {load:.1f}, {os.cpu_count()} processors")
    return callers(arguments) if arguments.what == "callers" else times(arguments)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("callers", "times"))
    parser.add_argument("root", type=Path)
    parser.add_argument("--tool", choices=TOOLS, default=TOOLS[0])
    parser.add_argument("--installed", type=Path, default=Path("references"))
    parser.add_argument("--flags", default="", help="for clangd: flags of all sources")
    parser.add_argument("--functions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="every disagreement, to be read")
    return parser


def callers(arguments: argparse.Namespace) -> int:
    """Compare call sites and print how well they agree."""
    root: Path = arguments.root
    lines, rows = Lines(root), []
    tool_of = opened(arguments.tool, arguments.installed.resolve(), root, arguments.flags)
    with indexed(root) as ours, tool_of as tool:
        asker = OverSocket(ours.service, ours.project)
        total = Agreement(ours.withheld())
        found = compare(
            tool,
            lambda function: calls_of(asker, function, lines),
            lines,
            arguments.functions,
            arguments.seed,
        )
        for one in found:
            total.add(one)
            rows.append(disagreements(one, lines))
    print_agreement(total)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))
    return 0


def disagreements(one: Compared, lines: Lines) -> dict[str, Any]:
    """Return what a person needs to judge a function's disagreements."""
    at = f"{one.function.path}:{one.function.line}:{one.function.column} {one.function.name}"
    told = {
        verdict.value: [
            [one.ours[place].certainty, *place, lines.at(*place).strip()]
            for place in one.judged(verdict)
        ]
        for verdict in (Verdict.WRONG, Verdict.UNKNOWN)
    }
    missed = [[*place, lines.at(*place).strip()] for place in one.missed()]
    return {"at": at, "answered": one.answered, **told, "missed": missed}


def print_agreement(total: Agreement) -> None:
    """Print the table of one repository."""
    print(f"functions {total.functions}, of which we know nothing {total.unanswered}")
    print(f"{'':12}{'right':>8}{'wrong':>8}{'unknown':>9}{'precision':>11}")
    for how in (*CERTAINTIES, "all"):
        chosen = CERTAINTIES if how == "all" else (how,)
        right, wrong, unknown = (total.count(verdict, *chosen) for verdict in Verdict)
        precision = total.precision(*chosen)
        print(f"{how:12}{right:8}{wrong:8}{unknown:9}{precision:11.3f}")
    mean = sum(total.recalls) / max(1, len(total.recalls))
    print(f"recall {total.recall():.3f} ({total.found} of {total.theirs}), by function {mean:.3f}")
    print(f"recall of files that we read {total.recall_of_read():.3f} ({total.withheld} in others)")


def times(arguments: argparse.Namespace) -> int:
    """Measure and print times."""
    taken = measure(arguments.root, arguments.functions, arguments.seed)
    print(f"{'ms':38}{'p50':>8}{'p99':>8}{'max':>8}")
    for row in ROWS:
        values = taken[row]
        p50, p99 = percentile(values, 0.5), percentile(values, 0.99)
        print(f"{row:38}{p50:8.1f}{p99:8.1f}{max(values):8.1f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(taken))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

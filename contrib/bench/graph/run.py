"""Our graph beside independent tools on real code.

    python contrib/bench/graph/run.py truth ROOT --tool pyright|typescript|clangd --installed DIR
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from contrib.bench.graph.ours import InProcess, calls_of, indexed
from contrib.bench.graph.references import opened
from contrib.bench.graph.sites import Agreement, Lines, Verdict, compare


def main() -> int:
    p = argparse.ArgumentParser()
    p.add_argument("root", type=Path)
    p.add_argument("--tool", required=True)
    p.add_argument("--installed", type=Path, required=True)
    p.add_argument("--flags", default="")
    p.add_argument("--functions", type=int, default=200)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--json", type=Path)
    a = p.parse_args()
    root = a.root.resolve()
    lines = Lines(root)
    total = Agreement()
    out = []
    with indexed(root) as (_, catalog, project), opened(a.tool, a.installed.resolve(), root, a.flags) as tool:
        asker = InProcess(catalog, project)
        for one in compare(tool, lambda f: calls_of(asker, f, lines), lines, a.functions, a.seed):
            total.add(one)
            row = {"at": f"{one.function.path}:{one.function.line}:{one.function.column} {one.function.name}", "answered": one.answered}
            for verdict in (Verdict.WRONG, Verdict.UNKNOWN):
                row[verdict.value] = [[one.ours[place].certainty, *place, lines.at(*place).strip()] for place in one.judged(verdict)]
            row["missed"] = [[*place, lines.at(*place).strip()] for place in one.missed()]
            out.append(row)
    print(root.name, "functions", total.functions, "unanswered", total.unanswered, "theirs", total.theirs, {f"{k[0]} {k[1].value}": v for k, v in sorted(total.verdicts.items())})
    print(f"exact {total.precision('exact'):.3f} exact+inferred {total.precision('exact', 'inferred'):.3f} all {total.precision():.3f} recall {total.recall():.3f} mean recall {sum(total.recalls)/max(1,len(total.recalls)):.3f}")
    if a.json:
        a.json.write_text(json.dumps(out, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

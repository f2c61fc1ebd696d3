"""Print what a question set holds: counts by language and kind, and random questions to judge.

python -m contrib.train.questions.show SET_DIR [--examples 40] [--kind KIND] [--seed 0]
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from pathlib import Path


def main() -> None:
    """Print the tables, then the examples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set_dir", type=Path)
    parser.add_argument("--examples", type=int, default=40)
    parser.add_argument("--kind")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    repos = json.loads((args.set_dir / "repos.json").read_text(encoding="utf-8"))
    table: dict[str, Counter[str]] = defaultdict(Counter)
    counts: Counter[str] = Counter()
    rows = []
    for repo in repos:
        counts[repo["language"]] += 1
        path = args.set_dir / "annotations" / f"{repo['name']}.json"
        for item in json.loads(path.read_text(encoding="utf-8")):
            table[repo["language"]][item["kind"]] += 1
            rows.append((repo["name"], item))
    kinds = sorted({kind for some in table.values() for kind in some})
    print(f"{'language':<12} repos  all  " + "  ".join(kinds))
    for language in sorted(table):
        numbers = "  ".join(f"{table[language][kind]:>{len(kind)}}" for kind in kinds)
        print(f"{language:<12} {counts[language]:>5} {table[language].total():>4}  {numbers}")
    total: Counter[str] = sum(table.values(), Counter())
    numbers = "  ".join(f"{total[kind]:>{len(kind)}}" for kind in kinds)
    print(f"{'all':<12} {len(repos):>5} {total.total():>4}  {numbers}")
    print("stem in query:", sum(item["stem_in_query"] for _, item in rows))
    chosen = [pair for pair in rows if args.kind in {None, pair[1]["kind"]}]
    rng = random.Random(args.seed)  # noqa: S311 - a seeded choice
    for name, item in rng.sample(chosen, min(args.examples, len(chosen))):
        where = item["relevant"][0]
        path = where if isinstance(where, str) else f"{where['path']}:{where['start_line']}"
        more = f" +{len(item['secondary'])}" if item["secondary"] else ""
        print(f"{item['kind']:<10} {name}: {item['query']!r} -> {path}{more}")


if __name__ == "__main__":
    main()

"""Asks plain-language questions about three public repositories: is the right file in the top five.

    git clone https://github.com/ansible/ansible.git   DIR/ansible
    git clone https://github.com/gohugoio/hugo.git     DIR/hugo
    git clone https://github.com/vuejs/core.git        DIR/core
    python contrib/bench/questions.py --repos DIR [--json OUT]

Registers the checkouts together in a daemon of its own, waits until all are ready, and checks the
books: every entry of `git ls-files -co --exclude-standard`, and every agent guidance file, is
either indexed or listed by `paparats skipped` with a reason, and nothing else is. Then it asks the
questions of questions.json, each once of its own project and once of all three together, and
prints the rank of the first file that was expected.

Exit code 1 when a question is not answered within the first five results of its project, or when
the books do not balance. Expected files were written down for commits ansible c9ac477e,
hugo b81a457f, core e2bede96; a file that does not exist in your checkout is named.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab import Daemon, Table, git, load, running, scratch, until_ready, write_json

from paparatsd.model import ProjectName
from paparatsd.sources.names import is_guidance
from paparatsd.store.reader import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TOP = 5
DEPTH = 50
"""How far down to look for an answer that is not in the top five, to say where it is."""
SHOWN = 10

Questions = dict[str, list[tuple[str, list[str]]]]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repos", type=Path, required=True, help="directory of the checkouts")
    parser.add_argument(
        "--questions", type=Path, default=Path(__file__).with_name("questions.json")
    )
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write what was found")
    arguments = parser.parse_args()
    questions: Questions = json.loads(arguments.questions.read_text())
    roots = {name: (arguments.repos / name).resolve() for name in questions}
    for name, root in roots.items():
        if not root.is_dir():
            parser.error(f"{root} is missing; see the head of this script for how to get {name}")
    return asyncio.run(run(questions, roots, arguments.json))


async def run(questions: Questions, roots: Mapping[str, Path], json_path: Path | None) -> int:
    with scratch() as home:
        async with running(home) as daemon:
            for name, root in roots.items():
                await daemon.add(root, name=name)
            seconds = await until_ready(daemon)
            print(f"{len(roots)} repositories ready after {seconds:.1f} s; {load()}\n")
            balanced = await check_books(daemon, roots)
            asked = [
                await ask(daemon, name, roots[name], query, expected)
                for name, pairs in questions.items()
                for query, expected in pairs
            ]
    report(asked)
    write_json(json_path, {"balanced": balanced, "questions": asked})
    answered = all(one["rank"] is not None and one["rank"] <= TOP for one in asked)
    return 0 if answered and balanced else 1


# ---------------------------------------------------------------------- the books


def expected_entries(root: Path) -> set[str]:
    """Return what must be accounted for: what git lists, and guidance that git ignores."""
    listed = _entries(root, "-c", "-o", "--exclude-standard")
    ignored = _entries(root, "-o", "-i", "--exclude-standard")
    return listed | {path for path in ignored if is_guidance(path)}


def _entries(root: Path, *options: str) -> set[str]:
    return {path for path in git(root, "ls-files", "-z", *options).split("\0") if path}


async def check_books(daemon: Daemon, roots: Mapping[str, Path]) -> bool:
    """Compare status, skipped and catalog with git; print a row a project and the differences."""
    status = json.loads((await daemon.cli("status", "--json")).stdout)
    told = {one["name"]: one for one in status["projects"]}
    skipped = json.loads((await daemon.cli("skipped", "--json")).stdout)["projects"]
    table = Table(("project", "git lists", "indexed", "skipped", "missing", "unexpected", "books"))
    notes: list[str] = []
    balanced = True
    for name, root in roots.items():
        expected = expected_entries(root)
        indexed = catalog_paths(daemon, name)
        reasons = {one["path"]: one["reason"] for one in skipped[name]}
        missing = expected - indexed - reasons.keys()
        unexpected = (indexed | reasons.keys()) - expected
        both = indexed & reasons.keys()
        told_files, told_skipped = told[name]["files"], told[name]["skipped"]
        good = (
            not (missing or unexpected or both)
            and (told_files, told_skipped) == (len(indexed), len(reasons))
            and all(reasons.values())
        )
        balanced = balanced and good
        table.add(
            name,
            str(len(expected)),
            str(told_files),
            str(told_skipped),
            str(len(missing)),
            str(len(unexpected)),
            "balance" if good else "DIFFER",
        )
        counts = Counter(reasons.values()).most_common()
        notes.append(f"{name} skipped: " + ", ".join(f"{n} {reason}" for reason, n in counts))
        for label, paths in (("missing", missing), ("unexpected", unexpected), ("both", both)):
            notes += [f"  {label}: {path}" for path in sorted(paths)[:SHOWN]]
    table.print()
    print("\n".join(notes) + "\n")
    return balanced


def catalog_paths(daemon: Daemon, name: str) -> set[str]:
    """Return the paths that a project shows, from the daemon's catalog."""
    with closing(CatalogReader(daemon.state / "catalog.sqlite3")) as reader:
        return set(reader.view(reader.project(ProjectName(name)).id))


# ---------------------------------------------------------------------- the questions


async def ask(
    daemon: Daemon, name: str, root: Path, query: str, expected: Sequence[str]
) -> dict[str, Any]:
    """Ask one question of its project and of all projects; say where the expected files are."""
    own = await daemon.search(query, limit=TOP, projects=[name], explain=True)
    every = await daemon.search(query, limit=TOP)
    rank = rank_of(own, name, expected)
    if rank is None:
        deep = await daemon.search(query, limit=DEPTH, projects=[name])
        below = rank_of(deep, name, expected)
        rank = None if below is None else max(below, TOP + 1)
    return {
        "project": name,
        "query": query,
        "rank": rank,
        "rank_everywhere": rank_of(every, name, expected),
        "confidence": own[0]["confidence"] if own else "-",
        "first": own[0]["address"] if own else "",
        "hits": [[hit["address"], hit["score"], hit["explanation"]["features"]] for hit in own],
        "absent": [path for path in expected if not (root / path).is_file()],
    }


def rank_of(hits: Sequence[Mapping[str, Any]], name: str, expected: Sequence[str]) -> int | None:
    """Return the place of the first hit in an expected file, from 1."""
    for place, hit in enumerate(hits, start=1):
        if hit["project"] == name and hit["path"] in expected:
            return place
    return None


def report(asked: Sequence[Mapping[str, Any]]) -> None:
    """Print a row a question and a summary."""
    table = Table(("rank", "of all", "confidence", "project", "question", "first result"))
    for one in asked:
        table.add(
            _place(one["rank"], DEPTH),
            _place(one["rank_everywhere"], TOP),
            one["confidence"],
            one["project"],
            one["query"],
            one["first"] if one["rank"] != 1 else "",
        )
    table.print(right_from=len(table.columns))
    for one in asked:
        for path in one["absent"]:
            print(f"note: {one['project']} has no {path}, which {one['query']!r} expects")
    own = [one["rank"] for one in asked]
    every = [one["rank_everywhere"] for one in asked]
    print(
        f"\n{len(own)} questions, own project: {_within(own, TOP)} in the top five, "
        f"{_within(own, 1)} first, MRR {_reciprocal(own):.3f}; all projects together: "
        f"{_within(every, TOP)} in the top five, {_within(every, 1)} first"
    )


def _place(rank: int | None, looked: int) -> str:
    return f">{looked}" if rank is None else str(rank)


def _within(ranks: Sequence[int | None], top: int) -> int:
    return sum(rank is not None and rank <= top for rank in ranks)


def _reciprocal(ranks: Sequence[int | None]) -> float:
    return sum(1 / rank for rank in ranks if rank) / len(ranks)


if __name__ == "__main__":
    sys.exit(main())

"""Documentation search beside plain searches, on public projects with large documentation.

    python contrib/bench/docs/run.py [--set test|dev|dev_hard] [--sources DIR] [--cache DIR]
                                     [--only NAME] [--misses] [--json OUT]

Registers the projects of a set in a daemon of its own, asks every question over its Unix socket
(`POST /v1/docs`, each of its own project), and prints how often the first document is right, how
often a right one is among the first five, the mean reciprocal rank, and of how many absent topics
nothing is found. `reworded` is the same question in words that the document does not have.
`test.json` is what is reported: nothing is tuned on it. `dev.json` is for tuning, and so
is `dev_hard.json`, whose questions are worded as by somebody who never read the page.

DIR of --sources holds repositories (bare or not) by owner+name, owner/name or name; what is not
there is fetched from GitHub at its pinned commit. --cache keeps what was checked out.

Exit code 1 when a figure of the test set is below what is promised.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from contrib.bench.docs.dataset import SETS, NotAvailable, asked_of, check_out, load_set
from contrib.bench.docs.references import References
from contrib.bench.lab import Table, load, write_json
from contrib.bench.quality.daemon import Service, running
from paparatsd.embeddings.static import StaticModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contrib.bench.docs.dataset import Project, Question

OURS = "paparatsd"
LIMIT = 10
TOP = 5
TINY = 1e-9
PROMISED = (0.87, 0.97, 29 / 30)
"""Right first, right among five, absent topics without a hit: also what the predecessor published
of its own corpus."""


@dataclass
class Figures:
    """What a search made of questions: ranks of the first right document, 0 for none."""

    ranks: list[int] = field(default_factory=list)
    reworded: list[int] = field(default_factory=list)
    silent: list[bool] = field(default_factory=list)

    def add(self, question: Question, found: Sequence[str]) -> None:
        """Take in one answer."""
        if question.paths:
            right = (place for place, path in enumerate(found, 1) if path in question.paths)
            ranks = self.reworded if question.text == question.far else self.ranks
            ranks.append(next(right, 0))
        else:
            self.silent.append(not found)

    def cells(self) -> tuple[str, ...]:
        """Write the figures for a table."""
        return (
            f"{share(self.ranks, 1):.3f}",
            f"{share(self.ranks, TOP):.3f}",
            f"{sum(1 / rank for rank in self.ranks if rank) / max(1, len(self.ranks)):.3f}",
            f"{sum(self.silent)}/{len(self.silent)}",
            *(f"{share(self.reworded, within):.3f}" for within in (1, TOP) if self.reworded),
        )


def share(ranks: Sequence[int], within: int) -> float:
    """Return the share of questions with a right document among the first `within`."""
    return sum(0 < rank <= within for rank in ranks) / max(1, len(ranks))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--set", choices=SETS, default="test", dest="chosen")
    parser.add_argument("--sources", type=Path, help="directory of repositories")
    parser.add_argument("--cache", type=Path, help="where checked out trees stay")
    parser.add_argument("--only", action="append", help="projects, by name")
    parser.add_argument("--misses", action="store_true", help="list what went wrong")
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write every answer")
    arguments = parser.parse_args()
    projects = [
        one
        for one in load_set(arguments.chosen)
        if not arguments.only or one.name in arguments.only
    ]
    with tempfile.TemporaryDirectory(prefix="docs-") as scratch:
        cache = arguments.cache or Path(scratch)
        cache.mkdir(parents=True, exist_ok=True)
        try:
            roots = [check_out(one, arguments.sources, cache.resolve()) for one in projects]
        except NotAvailable as problem:
            parser.error(str(problem))
        answers = ask_all(projects, roots)
    print(f"{arguments.chosen}: {asked_of(projects)} questions; {load()}\n")
    good = report(projects, answers)
    if arguments.misses:
        print_misses(projects, answers)
    write_json(arguments.json, {"set": arguments.chosen, "answers": answers})
    return 0 if good or arguments.chosen != "test" else 1


Answers = dict[str, dict[str, dict[str, Any]]]
"""Project -> question -> system -> found documents, best first; OURS with what each hit says."""


def ask_all(projects: Sequence[Project], roots: Sequence[Path]) -> Answers:
    """Index the projects and ask all questions of the daemon and the references."""
    answers: Answers = {}
    model = StaticModel.load()
    with running() as service:
        states = service.index(roots)
        for project, root, state in zip(projects, roots, states, strict=True):
            references = References(root, project.kind, model)
            answers[project.name] = {
                question.text: {
                    OURS: ours(service, state["name"], question),
                    **references.ask(question.text, LIMIT),
                }
                for question in project.asked
            }
    return answers


def ours(service: Service, name: str, question: Question) -> list[dict[str, Any]]:
    """Ask the daemon; what it says of each hit but its text."""
    body = {"query": question.text, "projects": [name], "limit": LIMIT}
    hits = service.call("POST", "/v1/docs", body)["results"]
    return [{key: value for key, value in hit.items() if key != "content"} for hit in hits]


def paths_of(found: Sequence[Any]) -> list[str]:
    """Return the paths of an answer."""
    return [one if isinstance(one, str) else one["path"] for one in found]


def report(projects: Sequence[Project], answers: Answers) -> bool:
    """Print the table; say whether ours are as good as promised over all projects."""
    table = Table(
        ("search", "project", "right first", "in 5", "MRR", "absent, no hit", "reworded", "in 5")
    )
    together: dict[str, Figures] = defaultdict(Figures)
    for system in (OURS, *References.names):
        for project in projects:
            figures = Figures()
            for question in project.asked:
                found = paths_of(answers[project.name][question.text][system])
                figures.add(question, found)
                together[system].add(question, found)
            table.add(system, project.name, *figures.cells())
        table.add(system, "all", *together[system].cells())
    first, five, silent = PROMISED
    table.add("promised", "", f"{first:.3f}", f"{five:.3f}", "", f"{silent * 30:.0f}/30")
    table.print(right_from=2)
    our = together[OURS]
    blocked = sum(our.silent) / max(1, len(our.silent))
    good = share(our.ranks, 1) >= first and share(our.ranks, TOP) >= five
    return good and blocked >= silent - TINY


def print_misses(projects: Sequence[Project], answers: Answers) -> None:
    """Print the questions whose first document is not right and absent topics with a hit."""
    for project in projects:
        for question in (*project.questions, *project.absent):  # in their everyday words
            found = answers[project.name][question.text][OURS]
            paths = paths_of(found)
            if (paths[:1] and paths[0] in question.paths) or (not paths and not question.paths):
                continue
            print(f"\n{project.name}: {question.text}\n  right: {', '.join(question.paths) or '-'}")
            for hit in found[:TOP]:
                where = " > ".join(hit["breadcrumb"])
                print(f"  {hit['relevance']:.3f} {hit['path']}: {where}")


if __name__ == "__main__":
    sys.exit(main())

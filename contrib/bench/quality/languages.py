"""Questions in five other natural languages against English code: is the file in the top five.

    python languages.py CORPORA [--ranker FILE] [--json OUT]

CORPORA has the checkouts that `languages.json` names, as `corpora.py` makes them. All are
registered in one daemon, whole, and each question is asked of its own project through the service.
The questions were written by reading the code, before the search knew any word of these languages,
and are not changed when one fails.

Exit code 1 when fewer than the target share of the questions finds an expected file.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from contrib.bench.lab import Table, write_json
from contrib.bench.quality.daemon import Service, running
from contrib.bench.quality.systems import PACKAGED

if TYPE_CHECKING:
    from collections.abc import Sequence

TOP = 5
DEPTH = 20
TARGET = 0.70
QUESTIONS = Path(__file__).with_name("languages.json")


@dataclass(frozen=True)
class Question:
    """A question in a natural language, and the files that answer it."""

    language: str
    """ISO 639-1."""
    repo: str
    text: str
    files: tuple[str, ...]


def load_questions(path: Path = QUESTIONS) -> list[Question]:
    """Read the questions: {language: [[repository, text, [file, ...]], ...]}."""
    rows: dict[str, list[tuple[str, str, list[str]]]] = json.loads(path.read_text(encoding="utf-8"))
    return [
        Question(language, repo, text, tuple(files))
        for language, some in rows.items()
        for repo, text, files in some
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpora", type=Path, help="directory of the checkouts, by name")
    parser.add_argument("--ranker", type=Path, metavar="FILE", help="weights instead of ours")
    parser.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE")
    parser.add_argument("--json", type=Path, metavar="OUT", help="also write what was found")
    arguments = parser.parse_args()
    questions = load_questions()
    corpora = arguments.corpora.resolve()
    for question in questions:
        for file in question.files:
            if not (corpora / question.repo / file).is_file():
                parser.error(f"{corpora / question.repo / file} is not there; see corpora.py")
    pairs = list(arguments.set)
    if arguments.ranker is not None:
        pairs.append(f"search.ranker={arguments.ranker.resolve()}")
    flags = [word for pair in pairs for word in ("--set", pair)]
    asked = ask_all(questions, corpora, flags)
    share = report(asked, str(arguments.ranker or PACKAGED))
    write_json(arguments.json, {"share": share, "target": TARGET, "questions": asked})
    return 0 if share >= TARGET else 1


def ask_all(
    questions: Sequence[Question], corpora: Path, flags: Sequence[str]
) -> list[dict[str, Any]]:
    """Index the repositories in one daemon and ask every question of its own."""
    names = sorted({question.repo for question in questions})
    with running(flags) as service:
        indexed = service.index([corpora / name for name in names])
        projects = {name: one["name"] for name, one in zip(names, indexed, strict=True)}
        return [ask(service, projects[question.repo], question) for question in questions]


def ask(service: Service, project: str, question: Question) -> dict[str, Any]:
    """Ask one question; `rank` counts distinct files, None when none of the expected is found."""
    hits = service.search(question.text, project=project, limit=DEPTH)
    files = list(dict.fromkeys(hit["path"] for hit in hits))
    places = [rank for rank, path in enumerate(files, 1) if path in question.files]
    return {
        "language": question.language,
        "repo": question.repo,
        "query": question.text,
        "rank": min(places, default=None),
        "confidence": hits[0]["confidence"] if hits else "-",
        "first": files[0] if files else "",
    }


def share_within(asked: Sequence[dict[str, Any]], top: int) -> float:
    """Return the share of the questions whose file is among the first `top`."""
    found = [one for one in asked if one["rank"] is not None and one["rank"] <= top]
    return len(found) / len(asked)


def report(asked: Sequence[dict[str, Any]], weights: str) -> float:
    """Print a row a question and the shares; return the share in the top five."""
    table = Table(("", "rank", "confidence", "repository", "question", "first file"))
    for one in asked:
        rank = f">{DEPTH}" if one["rank"] is None else str(one["rank"])
        instead = "" if one["rank"] == 1 else one["first"]
        table.add(
            one["language"], rank, one["confidence"], one["repo"], one["query"], instead or "-"
        )
    table.print(right_from=len(table.columns))
    print(f"\nranked by: {weights}")
    for language in dict.fromkeys(one["language"] for one in asked):
        some = [one for one in asked if one["language"] == language]
        top, first = share_within(some, TOP), share_within(some, 1)
        print(f"{language}: {top:.0%} in the top five, {first:.0%} first, of {len(some)}")
    share = share_within(asked, TOP)
    print(f"all {len(asked)}: {share:.0%} in the top five (target {TARGET:.0%})")
    return share


if __name__ == "__main__":
    sys.exit(main())

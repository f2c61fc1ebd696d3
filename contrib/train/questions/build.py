"""Build a question set: exported trees, their questions, and the list of repositories.

    python -m contrib.train.questions.build --set code --mirror DIR --out DIR --exclude NAMES

Writes OUT/corpora/NAME, OUT/annotations/NAME.json and OUT/repos.json in the form of the quality
harness. The same sources and seed give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contrib.train.questions import mine
from contrib.train.questions.commits import (
    CommitQuestion,
    commit_questions,
    read_commits,
    surviving_paths,
)
from contrib.train.questions.deletion import delete_sentence, keeps_structure, normalised
from contrib.train.questions.export import export_tree, git_dir_of, read_text
from contrib.train.questions.places import is_source_path
from contrib.train.questions.sentences import content_words, word_question
from contrib.train.questions.sources import Source, read_sources
from paparatsd.chunks.parse import ChunkLimits, parse_file

SEED = "questions-1"
MAX_PARSED = 1_500
MAX_QUERIES = 25
MIN_QUERIES = 8
WANTED = {
    "code": {"container": 7, "head": 4, "symbol": 5, "commit": 3, "issue": 2, "function": 3},
    "ten": {"container": 6, "head": 2, "symbol": 2, "commit": 7, "issue": 4, "function": 3},
}
FILL = ("container", "head", "commit", "issue", "function")
"""What makes up for kinds a repository has too few of, in this order."""

MAX_DEFINERS = 3
Row = dict[str, Any]
Item = Row | mine.Found | CommitQuestion


@dataclass
class Tree:
    """An exported repository while questions are made: texts of its files and what they define."""

    root: Path
    git_dir: Path
    texts: dict[str, str]
    sources: list[str]
    found: list[mine.Found] = field(default_factory=list)
    definers: dict[str, list[mine.Defined]] = field(default_factory=lambda: defaultdict(list))
    words: dict[str, str] = field(default_factory=dict)


def read_tree(root: Path, git_dir: Path, source_root: str) -> Tree:
    """Read an exported tree and parse its own sources."""
    paths = sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())
    texts = {p: text for p in paths if (text := read_text(root / p)) is not None}
    sources = [
        p for p, text in texts.items() if is_source_path(p, source_root, text.split("\n", 1)[0])
    ]
    tree = Tree(root, git_dir, texts, sources)
    rng = random.Random(f"{SEED}:{root.name}:parsed")  # noqa: S311 - a seeded choice
    for path in sorted(rng.sample(sources, min(len(sources), MAX_PARSED))):
        parsed = parse_file(path, texts[path], ChunkLimits())
        if parsed.degraded:
            continue
        tree.found.extend(mine.documented(path, parsed))
        top = mine.head(path, parsed, texts[path].splitlines())
        if top is not None:
            tree.found.append(top)
        for item in mine.defined(path, parsed):
            tree.definers[item.name].append(item)
    tree.words = {p: normalised(t) for p, t in texts.items()}
    return tree


def symbol_rows(tree: Tree, rng: random.Random) -> list[Row]:
    """Ask for names that few files define, types twice as often as functions."""
    rows: list[Row] = []
    for name in sorted(tree.definers):
        items = tree.definers[name]
        paths = dict.fromkeys(item.path for item in items)
        first = items[0]
        if len(paths) > MAX_DEFINERS or not any(map(mine.is_worth_asking, items)):
            continue
        if not mine.is_type(first) and rng.random() > 0.15:
            continue
        text = name
        if first.qualified != name and rng.random() < 0.3 and len(items) == 1:
            text = first.qualified
        targets = [target(item.path, item.span) for item in _longest(items)]
        rows.append(row("symbol", text, targets[:1], targets[1:], symbol=first.qualified))
    return rows


def _longest(items: list[mine.Defined]) -> list[mine.Defined]:
    best: dict[str, mine.Defined] = {}
    for item in items:
        kept = best.get(item.path)
        if kept is None or item.span[1] - item.span[0] > kept.span[1] - kept.span[0]:
            best[item.path] = item
    return sorted(best.values(), key=lambda i: (i.span[0] - i.span[1], i.path))


def target(path: str, span: tuple[int, int] | None) -> str | Row:
    """Write a target in the harness's form."""
    return {"path": path, "start_line": span[0], "end_line": span[1]} if span else path


def row(kind: str, text: str, relevant: list[Any], secondary: list[Any], **extra: object) -> Row:
    """Write a question in the harness's form, with its kind and where it comes from."""
    category = "semantic"
    if " " not in text:
        category = "symbol"
    elif text.lower().startswith(("how ", "where ", "why ")):
        category = "architecture"
    paths = [t if isinstance(t, str) else t["path"] for t in [*relevant, *secondary]]
    stems = {normalised(p.rsplit("/", 1)[-1].split(".")[0]).replace("_", " ") for p in paths}
    asked = f" {normalised(text).replace('_', ' ')} "
    named = any(f" {stem} " in asked for stem in stems if stem)
    return {
        "query": text,
        "relevant": relevant,
        "secondary": secondary,
        "category": category,
        "kind": kind,
        "stem_in_query": named,
        **extra,
    }


def doc_row(tree: Tree, item: mine.Found, rng: random.Random) -> Row | None:
    """Ask for a documented thing and delete the sentence; None when that cannot be done."""
    text = tree.texts[item.path]
    asked = normalised(item.raw)
    if any(asked in words for path, words in tree.words.items() if path != item.path):
        return None
    after = delete_sentence(text, item.raw, item.first, item.last)
    if after is None or asked in normalised(after) or not keeps_structure(item.path, text, after):
        return None
    others = []
    if item.kind == "container":
        same = tree.definers.get(mine.last_part(item.name), [])
        others = [i for i in _longest([i for i in same if mine.is_type(i)]) if i.path != item.path]
        if len(others) >= MAX_DEFINERS:
            return None
    tree.texts[item.path] = after
    tree.words[item.path] = normalised(after)
    (tree.root / item.path).write_bytes(after.encode())
    secondary = [target(i.path, i.span) for i in others]
    made = word_question(item.text, rng)
    return row(item.kind, made, [target(item.path, item.span)], secondary, symbol=item.name)


def commit_row(tree: Tree, question: CommitQuestion) -> Row | None:
    """Ask what a commit was about; its largest change is relevant, the others secondary.

    None when what it wrote is not in its files any more.
    """
    kept = surviving_paths(tree.git_dir, question, tree.texts)
    if kept[:1] != list(question.paths[:1]):
        return None
    first, *others = kept
    return row(question.kind, question.text, [first], others, commit=question.sha)


class Picker:
    """Takes questions of each kind in a seeded order, no file twice for docs, no question twice."""

    def __init__(self, tree: Tree, commits: list[CommitQuestion], rng: random.Random) -> None:
        self._tree = tree
        self._rng = rng
        self._files: Counter[str] = Counter()
        self._asked: set[str] = set()
        self._left: dict[str, list[Item]] = defaultdict(list)
        for item in tree.found:
            self._left[item.kind].append(item)
        for question in commits:
            self._left[question.kind].append(question)
        self._left["symbol"] = [*symbol_rows(tree, rng)]
        for kind in sorted(self._left):
            rng.shuffle(self._left[kind])

    def take(self, kind: str, count: int) -> list[Row]:
        """Take up to `count` questions of a kind."""
        rows: list[Row] = []
        while self._left[kind] and len(rows) < count:
            made = self._make(self._left[kind].pop())
            if made is not None:
                rows.append(made)
        return rows

    def _make(self, item: Item) -> Row | None:
        paths = _paths_of(item)
        if self._files[paths[0]] >= (1 if isinstance(item, mine.Found) else 2):
            return None
        if isinstance(item, mine.Found):
            made = doc_row(self._tree, item, self._rng)
        else:
            made = commit_row(self._tree, item) if isinstance(item, CommitQuestion) else item
        if made is None:
            return None
        key = " ".join(sorted(content_words(made["query"]))) or made["query"].lower()
        if key in self._asked:
            return None
        self._asked.add(key)
        self._files.update(paths)
        return made


def _paths_of(item: Item) -> list[str]:
    if isinstance(item, mine.Found):
        return [item.path]
    if isinstance(item, CommitQuestion):
        return list(item.paths)
    return [t["path"] for t in [*item["relevant"], *item["secondary"]]]


def questions_of(
    source: Source, git_dir: Path, corpus: Path, share: float, times: int = 1
) -> list[Row]:
    """Export a repository and make its questions; the exported files lose what is asked.

    `times` as many of each kind as WANTED says, for figures of single repositories.
    """
    export_tree(git_dir, source.revision, corpus)
    tree = read_tree(corpus, git_dir, source.root)
    present = set(tree.sources)
    rng = random.Random(f"{SEED}:{source.set_name}:{source.name}")  # noqa: S311 - a seeded choice
    commits = commit_questions(
        read_commits(git_dir, source.revision, share), present.__contains__, rng
    )
    picker = Picker(tree, commits, rng)
    rows: list[Row] = []
    for kind, count in WANTED[source.set_name].items():
        rows += picker.take(kind, count * times)
    total = sum(WANTED[source.set_name].values()) * times
    for kind in FILL:
        rows += picker.take(kind, min(total - len(rows), 5 * times))
    return sorted(rows[: MAX_QUERIES * times], key=lambda r: (r["kind"], r["query"]))


def write_json(path: Path, data: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def repo_entry(source: Source) -> Row:
    """Describe a repository as the harness's repos.json does."""
    return {
        "name": source.name,
        "language": source.language,
        "url": f"https://github.com/{source.owner_and_name}",
        "revision": source.revision,
        "benchmark_root": source.root or None,
        "licence": source.licence,
    }


def main() -> int:
    """Build one set."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--set", required=True, choices=sorted(WANTED))
    parser.add_argument("--mirror", required=True, type=Path, help="fetched repositories")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--exclude", required=True, type=Path, help="names that must not be used")
    parser.add_argument("--sources", type=Path, default=Path(__file__).with_name("sources.tsv"))
    parser.add_argument("--share", type=float, default=0.25, help="newest share of commits asked")
    parser.add_argument("--only", nargs="*", default=[], help="only these repositories")
    parser.add_argument("--times", type=int, default=1, help="so many times the usual number")
    parser.add_argument("--missing", action="store_true", help="keep what is built already")
    args = parser.parse_args()
    excluded = frozenset(args.exclude.read_text(encoding="utf-8").lower().split())
    sources = read_sources(args.sources, args.set, excluded)
    for source in sources:
        annotations = args.out / "annotations" / f"{source.name}.json"
        if (args.only and source.name not in args.only) or (args.missing and annotations.exists()):
            continue
        started = time.monotonic()
        try:
            git_dir = git_dir_of(args.mirror, source.owner_and_name)
        except FileNotFoundError as problem:
            print(problem, file=sys.stderr)
            continue
        rows = questions_of(
            source, git_dir, args.out / "corpora" / source.name, args.share, args.times
        )
        kinds = dict(sorted(Counter(r["kind"] for r in rows).items()))
        took = time.monotonic() - started
        print(
            f"{source.name:<28} {source.language:<11} {len(rows):>3} {kinds} {took:.0f} s",
            flush=True,
        )
        if len(rows) < MIN_QUERIES:
            print(f"{source.name}: too few questions, left out", file=sys.stderr)
            annotations.unlink(missing_ok=True)
            continue
        write_json(annotations, rows)
        built = [s for s in sources if (args.out / "annotations" / f"{s.name}.json").exists()]
        write_json(args.out / "repos.json", [repo_entry(s) for s in built])
    return 0


if __name__ == "__main__":
    sys.exit(main())

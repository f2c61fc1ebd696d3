"""Texts for the teacher: sections of documentation, short texts about them, questions about code.

    python -m contrib.train.prose.texts DOWNLOADS ROWS TEXTS.pkl

DOWNLOADS and ROWS are those of the embedder (`../embedder/README.md`): of its repositories the
documents are read by the daemon's own chunker, of its rows a few questions of each package are
taken. Repositories of any benchmark, and those that documents are measured by, are left out.
"""

from __future__ import annotations

import json
import pickle
import random
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from contrib.bench.docs.dataset import SETS, load_set
from contrib.train.embedder.collect import sources
from paparatsd.chunks.limits import ChunkLimits
from paparatsd.chunks.parse import parse_file
from paparatsd.search.docs_question import HITS
from paparatsd.search.docs_sense import CHUNK_CHARS, HEAD_CHARS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paparatsd.model import Chunk, DocumentHead

EMBEDDER = Path(__file__).parents[1] / "embedder"
ENDINGS = {".md", ".mdx", ".rst", ".adoc", ".asciidoc", ".markdown", ".txt"}
NO_GUIDE = re.compile(
    r"change|licen|history|news|node_modules|vendor|third_party|release|i18n|"
    r"/(zh|ja|ko|fr|de|es|pt|ru)",
    re.IGNORECASE,
)
SENTENCE_ENDS = re.compile(r"(?<=[.!?:])\s+(?=[A-Z`*\[])|\n\s*\n|\n(?=[-*#=.])")
ASKED = ("how to ", "how do i ", "what is ", "can I ", "why does ", "", "", "", "", "")
SEED = 3
FILES, FILE_BYTES, SECTIONS, SHORTEST_SECTION = 500, 200_000, 420, 120
SHORTEST, LONGEST, LETTERS = 30, 260, 0.85
"""A sentence in plain words has so many characters, and that share of them are letters."""
HEADED, THINNED, CUT, THIN = 0.5, 0.3, 0.3, 0.7
CODE_KINDS = ("doc", "section", "commit")
QUESTIONS_OF_EACH, SHORTEST_QUESTION, LONGEST_QUESTION = 40, 15, 220


@dataclass
class Texts:
    """texts: all of them, once; pairs: (short text, section) by number, with their repository."""

    texts: list[str] = field(default_factory=list)
    pairs: list[tuple[int, int, str]] = field(default_factory=list)
    questions: list[int] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def add(self, text: str) -> int:
        """Return the number of a text."""
        text = text.strip()
        if text not in self.numbers:
            self.numbers[text] = len(self.texts)
            self.texts.append(text)
        return self.numbers[text]


def main(downloads: Path, rows: Path, out: Path) -> None:
    chance = random.Random(SEED)  # noqa: S311 - a sample
    found = Texts()
    for name in repositories():
        bare = downloads / "github" / name.replace("/", "+") / "repo"
        every = list(documents(bare)) if bare.exists() else []
        chance.shuffle(every)
        for head, chunk in every[:SECTIONS]:
            add_section(found, name, head.title or "", chunk, chance)
    for file in sorted(rows.glob("*.jsonl")):
        add_questions(found, file, chance)
    content = {"texts": found.texts, "pairs": found.pairs, "questions": found.questions}
    out.write_bytes(pickle.dumps(content, protocol=5))
    print(f"{len(found.texts)} texts, {len(found.pairs)} pairs, {len(found.questions)} questions")


def repositories() -> list[str]:
    """Return the embedder's repositories, without those that anything is measured by."""
    measured = {one.source.lower() for name in SETS for one in load_set(name)}
    names = {one.rpartition("/")[2] for one in measured}
    names |= set((EMBEDDER / "benchmark_names.txt").read_text().lower().split())
    every = [name for kind, name, _ in sources(EMBEDDER / "sources.tsv") if kind == "github"]
    return [one for one in every if one.lower().rpartition("/")[2] not in names]


def documents(bare: Path) -> Iterator[tuple[DocumentHead, Chunk]]:
    """Yield the sections of a repository's documents."""
    git = ["git", "-C", str(bare)]
    listed = subprocess.run([*git, "ls-tree", "-r", "HEAD"], capture_output=True, check=True)
    paths = [line.split("\t", 1)[1] for line in listed.stdout.decode().splitlines()]
    chosen = [
        path
        for path in paths
        if (ending := Path(path).suffix.lower()) in ENDINGS
        and not NO_GUIDE.search(path)
        and (ending != ".txt" or "doc" in path.lower())
    ]
    for path in chosen[:FILES]:
        shown = subprocess.run([*git, "show", f"HEAD:{path}"], capture_output=True, check=False)
        if shown.returncode or len(shown.stdout) > FILE_BYTES:
            continue
        parsed = parse_file(path, shown.stdout.decode(errors="replace"), ChunkLimits())
        head = parsed.document
        for chunk in parsed.chunks if head else ():
            if head and chunk.kind in HITS and len(chunk.text) > SHORTEST_SECTION:
                yield head, chunk


def add_section(found: Texts, name: str, title: str, chunk: Chunk, chance: random.Random) -> None:
    """Add a section as the search reads it, with its headings and a sentence as short texts."""
    crumbs = chunk.name or ""
    heads = [one for one in crumbs.split(" > ") if one]
    section = found.add(f"{title}\n{crumbs}\n{chunk.text[:CHUNK_CHARS]}")
    short = []
    if heads:
        short.append(f"{title}: {' - '.join(heads)}"[:HEAD_CHARS])
        if chance.random() < HEADED:
            short.append(chance.choice(ASKED) + heads[-1][:1].lower() + heads[-1][1:])
    plain = [one.strip() for one in SENTENCE_ENDS.split(chunk.text) if is_plain(one.strip())]
    if plain:
        short.append(" ".join(fewer(chance.choice(plain).split(), chance)))
    found.pairs += [(found.add(one), section, name) for one in short]


def is_plain(sentence: str) -> bool:
    """Say whether a sentence is mostly words."""
    letters = sum(one.isalpha() or one == " " for one in sentence)
    return SHORTEST < len(sentence) < LONGEST and letters > LETTERS * len(sentence)


def fewer(words: list[str], chance: random.Random) -> list[str]:
    """Return all of the words, some of them, or a piece of them: questions are short."""
    if chance.random() < THINNED:
        return [one for one in words if chance.random() < THIN]
    if chance.random() < CUT:
        count = chance.randrange(4, 12)
        start = chance.randrange(max(1, len(words) - count))
        return words[start : start + count]
    return words


def add_questions(found: Texts, file: Path, chance: random.Random) -> None:
    """Add a few questions about code, to which no section belongs."""
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    fit = [
        row
        for row in rows
        if row["kind"] in CODE_KINDS and SHORTEST_QUESTION < len(row["query"]) < LONGEST_QUESTION
    ]
    chance.shuffle(fit)
    for row in fit[:QUESTIONS_OF_EACH]:
        long = row["long"][:HEAD_CHARS]
        found.questions.append(
            found.add(long if long and chance.random() < HEADED else row["query"])
        )


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))

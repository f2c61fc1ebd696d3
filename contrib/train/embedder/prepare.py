"""Turn mined rows into training arrays: drop overlaps, choose the vocabulary, count the pieces.

    prepare.py ROWS OUT [SIZE]

Writes OUT/vocab.txt (unless it exists) and OUT/bags.npz. Rows of held-out packages go to
OUT/heldout.jsonl, and no row with their questions or code is trained on.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from contrib.train.embedder import pairs, vocabulary
from contrib.train.embedder.check_overlap import HELD_OUT, is_reserved
from paparatsd.chunks.embedtext import path_text
from paparatsd.embeddings.tokenizer import Vocabulary, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

VOCABULARY_SIZE = 45_000
ROWS_A_LANGUAGE = 100_000
SHARES = {"doc": 3_000, "name": 350, "comment": 500, "file": 250, "path": 120, "section": 400,
          "commit": 700}  # fmt: skip
"""Rows of one kind taken from one package."""
MOST_CHARS = 4_000
PROCESSES = 2
MOST_PIECES = 600
FORMS = ("short", "long", "full", "masked", "head")
"""Of each row: question (short and long); document as embedded, with its name hidden, path and
name alone."""
PHRASES = (
    "how", "how the is", "how does work", "how is implemented", "how are handled", "how to",
    "how it handles", "where is", "where are defined", "what happens when", "which decides",
)  # fmt: skip
"""What people put around a question about code; training adds one to some questions."""
KINDS = ("doc", "name", "comment", "file", "path", "section", "commit")
Row = dict[str, Any]


def read_rows(directory: Path) -> Iterator[Row]:
    """Yield all rows but those that the overlap check marked, each with its package's name."""
    marks = directory / "overlap.json"
    dropped = json.loads(marks.read_text()) if marks.exists() else {}
    for path in sorted(directory.glob("*.jsonl")):
        package = path.name.partition("__")[2].removesuffix(".jsonl").replace("+", "/")
        skip = set(dropped.get(path.name, ()))
        with path.open() as lines:
            taken: Counter[str] = Counter()
            for number, line in enumerate(lines):
                kind = line[10 : line.index('"', 10)]
                taken[kind] += 1
                if number not in skip and taken[kind] <= SHARES[kind]:
                    row = json.loads(line)
                    row["package"] = package
                    yield row


def split_rows(rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """Return (rows to train on, rows to measure with); no code or question is in both."""
    train, test = [], []
    for row in rows:
        if row["package"] in HELD_OUT:
            test.append(row)
        elif not is_reserved(re.split(r"[-_]v?\d", row["package"])[0].replace("_", "-")):
            train.append(row)
    codes = {digest(row["code"]) for row in test}
    questions = {row["query"].lower() for row in test if len(row["query"].split()) > 3}
    chance = random.Random(5)  # noqa: S311 - a sample, not a secret
    languages: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    kept: list[Row] = []
    seen: set[bytes] = set()
    chance.shuffle(train)
    for row in train:
        key = digest(row["kind"] + row["query"] + row["code"])
        question = row["query"].lower()
        asked[question] += 1
        if key in seen or asked[question] > 6 or question in questions:
            continue
        if digest(row["code"]) in codes or languages[row["language"]] >= ROWS_A_LANGUAGE:
            continue
        seen.add(key)
        languages[row["language"]] += 1
        kept.append(row)
    return kept, test


def digest(text: str) -> bytes:
    """Hash a text without spaces and punctuation."""
    return hashlib.blake2b(re.sub(r"\W+", "", text).encode(), digest_size=12).digest()


def clean(question: str) -> str:
    """Take markup out of a question: readers do not ask in tags."""
    return re.sub(r"</?\w[^>]{0,80}>|\{@\w+\s*|[@\\](param|returns?|throws?)\b.*", " ", question)


def forms(row: Row) -> tuple[str, str, str, str, str]:
    """Return the texts of a row in the order of `FORMS`."""
    kind, code, name = row["kind"], row["code"][:MOST_CHARS], row["name"]
    where = path_text(row["path"])
    short, long = clean(row["query"]), clean(row["long"])
    if kind == "path":  # the path is the question
        return short, "", code, code, name
    if kind == "section":
        # A title that is the question is hidden, or it would be found by being the same.
        title = name.replace(row["query"], " ") if row["query"] in name else name
        return short, long, f"{where} {title}\n{code}", f"{where}\n{code}", f"{where} {name}"
    own = own_name(row)
    masked = re.sub(rf"\b{re.escape(own)}\b", " ", code) if own else code
    scope = name[: -len(own)] if own else ""
    if kind == "name":
        short = " ".join(words_of(own))
    return short, long, f"{where} {name}\n{code}", f"{where} {scope}\n{masked}", f"{where} {name}"


def own_name(row: Row) -> str:
    """Return the last part of a definition's qualified name ("" for other rows)."""
    return re.split(r"[.:#/]", row["name"])[-1] if row["kind"] in {"doc", "name"} else ""


def count_forms(row: Row, pieces: Vocabulary) -> list[Counter[int]]:
    """Return the counts of the texts of `forms`, the long text counted only once."""
    short, long, full, masked, head = forms(row)
    if row["kind"] == "path":
        whole = pieces.count(full)
        return [pieces.count(short), Counter(), whole, whole, pieces.count(head)]
    hidden = pieces.count(masked)
    top = pieces.count(full.partition("\n")[0])
    if own := own_name(row):
        again = len(re.findall(rf"\b{re.escape(own)}\b", row["code"][:MOST_CHARS]))
        for piece, count in pieces.count(own).items():
            top[piece] += count * again
    shown: Counter[int] = Counter(hidden)
    shown.update(top)
    shown.subtract(pieces.count(masked.partition("\n")[0]))
    return [pieces.count(short), pieces.count(long), +shown, hidden, pieces.count(head)]


def count_shard(rows: list[Row], entries: list[str]) -> list[tuple[NDArray[Any], ...]]:
    """Return per form the piece ids, their counts and the number of each row."""
    pieces = Vocabulary(entries)
    ids: list[list[NDArray[np.uint16]]] = [[] for _ in FORMS]
    counts: list[list[NDArray[np.uint8]]] = [[] for _ in FORMS]
    for row in rows:
        for form, found in enumerate(count_forms(row, pieces)):
            size = min(len(found), MOST_PIECES)
            ids[form].append(np.fromiter(found.keys(), np.uint16, size))
            many = np.fromiter(found.values(), np.int64, size)
            counts[form].append(np.minimum(many, 255).astype(np.uint8))
    return [
        (np.concatenate(i), np.concatenate(c), np.array(list(map(len, i))))
        for i, c in zip(ids, counts, strict=True)
    ]


def count_pieces(rows: list[Row], entries: list[str], processes: int) -> dict[str, NDArray[Any]]:
    """Return per form the piece ids, their counts and where each row's begin."""
    size = -(-len(rows) // (2 * processes))
    shards = [rows[n : n + size] for n in range(0, len(rows), size)]
    with ProcessPoolExecutor(processes) as pool:
        counted = list(pool.map(count_shard, shards, [entries] * len(shards)))
    arrays: dict[str, NDArray[Any]] = {}
    for form, name in enumerate(FORMS):
        parts = [shard[form] for shard in counted]
        arrays[f"{name}_ids"] = np.concatenate([part[0] for part in parts])
        arrays[f"{name}_counts"] = np.concatenate([part[1] for part in parts])
        sizes = np.concatenate([part[2] for part in parts])
        arrays[f"{name}_starts"] = np.concatenate([[0], np.cumsum(sizes)])
    return arrays


def number(values: Iterable[Any]) -> NDArray[np.int32]:
    """Give each distinct value a number, in order of appearance."""
    known: dict[Any, int] = {}
    return np.array([known.setdefault(value, len(known)) for value in values], np.int32)


def write_vocabulary(rows: list[Row], path: Path, size: int) -> None:
    """Choose the entries from the words of the rows and write them, one a line."""
    texts = (
        (
            row["package"],
            row["language"],
            f"{row['query']} {row['long']}",
            f"{row['path']} {row['name']} {row['code'][:MOST_CHARS]}",
        )
        for row in rows
    )
    counts = vocabulary.count_words(texts)
    entries = vocabulary.choose(counts, size)
    path.write_text("\n".join(entries))
    print(len(counts), "words,", len(entries), "entries", flush=True)


def main(source: Path, target: Path, size: int) -> None:
    target.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    rows, test = split_rows(read_rows(source))
    print(len(rows), "rows", Counter(row["kind"] for row in rows).most_common(), flush=True)
    print(Counter(row["language"] for row in rows).most_common(45))
    with (target / "heldout.jsonl").open("w") as out:
        out.writelines(json.dumps(row) + "\n" for row in test)
    words = target / "vocab.txt"
    if not words.exists():
        write_vocabulary(rows, words, size)
    entries = words.read_text().split("\n")
    arrays = count_pieces(rows, entries, PROCESSES)
    asked = [list(Vocabulary(entries).count(phrase)) for phrase in PHRASES]
    arrays["phrases"] = np.concatenate([np.array(ids, np.int64) for ids in asked])
    arrays["phrase_sizes"] = np.array(list(map(len, asked)), np.int64)
    arrays["kind"] = np.array([KINDS.index(row["kind"]) for row in rows], np.int8)
    arrays["kinds"] = np.array(KINDS)
    arrays["package"] = number((row["language"] in pairs.PROSE, row["package"]) for row in rows)
    arrays["source"] = number((row["package"], row["path"]) for row in rows)
    arrays["question"] = number(row["query"].lower() for row in rows)
    np.savez(target / "bags.npz", **arrays)  # type: ignore[arg-type]  # arrays by their names
    print({name: round(arrays[f"{name}_starts"][-1] / len(rows), 1) for name in FORMS})
    print("done,", round(time.monotonic() - started), "s")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]),
         int(sys.argv[3]) if len(sys.argv) > 3 else VOCABULARY_SIZE)  # fmt: skip

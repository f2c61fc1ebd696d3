"""Measure models side by side, on held-out packages and on the benchmark's development half.

    evaluate.py heldout HELDOUT.jsonl MODEL...
    evaluate.py bench DATASET CHECKOUTS CACHE MODEL...
    evaluate.py speed CHECKOUTS MODEL...

MODEL is a directory with model.npz and vocab.txt. Everything is measured on the int8 model, as it
ships. `bench` is a check, not what models are chosen by.
"""

from __future__ import annotations

import json
import math
import pickle
import random
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from contrib.train.embedder.prepare import Row, forms
from paparatsd.chunks.embedtext import embed_text, path_text
from paparatsd.chunks.languages import language_of
from paparatsd.chunks.parse import ChunkLimits, parse_file
from paparatsd.embeddings.static import StaticModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

QUESTIONS = 250
LARGEST_FILE = 1_000_000
BINARY = frozenset({"json", "xml", "csv", "css", "scss", "html"})
TASKS = {
    "doc": ("doc", ("doc", "name")),
    "section": ("section", ("section",)),
    "commit": ("commit", ("commit", "file", "path")),
    "comment": ("comment", ("comment",)),
    "file": ("file", ("file", "path")),
}
"""Task: the kind of row that asks, and the kinds whose documents compete, in one package."""


def reciprocal_rank(scores: NDArray[np.float32], right: int) -> float:
    """Return 1/rank of the right document within ten, else 0; ties count against us."""
    rank = int((scores >= scores[right]).sum())
    return 1 / rank if rank <= 10 else 0.0


def held_out(rows: Sequence[Row], model: StaticModel) -> dict[str, dict[str, float]]:
    """Return per task the mean reciprocal rank at 10 by package, and of all questions."""
    packages: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        packages[row["package"]].append(row)
    answer: dict[str, dict[str, float]] = {}
    for task, (asking, competing) in TASKS.items():
        means: dict[str, float] = {}
        for package, own in sorted(packages.items()):
            pool = _distinct([row for row in own if row["kind"] in competing])
            places = [n for n, row in enumerate(pool) if row["kind"] == asking]
            random.Random(7).shuffle(places)  # noqa: S311 - a sample, not a secret
            places = places[:QUESTIONS]
            if len(places) < 20:
                continue
            documents = model.encode([forms(row)[2] for row in pool])
            questions = model.encode_queries([forms(pool[n])[0] for n in places])
            scores = questions @ documents.T
            ranks = [reciprocal_rank(*pair) for pair in zip(scores, places, strict=True)]
            language = max(
                {r["language"] for r in own},
                key=lambda name, own=own: sum(r["language"] == name for r in own),
            )
            means[f"{language} {package}"] = sum(ranks) / len(ranks)
        means["mean"] = sum(means.values()) / max(len(means), 1)
        answer[task] = means
    return answer


def _distinct(rows: list[Row]) -> list[Row]:
    seen: dict[str, Row] = {}
    for row in rows:
        seen.setdefault(row["code"], row)
    return list(seen.values())


def read_checkout(root: Path) -> list[tuple[str, str, str, list[str], list[str]]]:
    """Return per file: path, path words, defined names, and its chunks' texts to embed."""
    files = []
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if not path.is_file() or path.is_symlink() or path.stat().st_size > LARGEST_FILE:
            continue
        data = path.read_bytes()
        language = language_of(name, data[:200].decode("utf8", "replace"))
        if b"\0" in data[:2000] or language in BINARY | {""} or name.startswith(".git/"):
            continue
        text = data.decode("utf8", "replace")
        parsed = parse_file(name, text, ChunkLimits())
        chunks = [embed_text(name, parsed, chunk) for chunk in parsed.chunks]
        names = " ".join(symbol.name for symbol in parsed.symbols)
        files.append((name, path_text(name), names, [names], chunks))
    return files


def ndcg(ranked: Sequence[str], targets: Sequence[str]) -> float:
    """Return NDCG@10 by the file rule: a path matches when one is the end of the other."""
    hits = set()
    for target in targets:
        for place, path in enumerate(ranked[:10]):
            if path == target or path.endswith("/" + target) or target.endswith("/" + path):
                hits.add(place)
                break
    ideal = sum(1 / math.log2(n + 2) for n in range(min(10, len(targets))))
    return sum(1 / math.log2(place + 2) for place in hits) / ideal


def bench(dataset: Path, checkouts: Path, cache: Path, models: list[Path]) -> None:
    repositories = {repo["name"]: repo for repo in json.loads((dataset / "repos.json").read_text())}
    if cache.exists():
        corpus = pickle.loads(cache.read_bytes())
    else:
        corpus = {name: read_checkout(checkouts / name / (repo.get("benchmark_root") or ""))
                  for name, repo in repositories.items()}  # fmt: skip
        cache.write_bytes(pickle.dumps(corpus))
    for directory in models:
        model = StaticModel.load(directory)
        groups: defaultdict[str, list[float]] = defaultdict(list)
        by_repository: defaultdict[str, list[float]] = defaultdict(list)
        for name, files in corpus.items():
            root = repositories[name].get("benchmark_root") or ""
            for view, category, value in _questions(model, dataset, name, root, files):
                groups[view].append(value)
                if view == "chunks":
                    groups[f"category {category}"].append(value)
                    groups[f"language {repositories[name]['language']}"].append(value)
                    by_repository[name].append(value)
        print(directory)
        for group, values in sorted(groups.items()):
            print(f"  {group:24} {sum(values) / len(values):.3f}  ({len(values)})")
        macro = [sum(v) / len(v) for v in by_repository.values()]
        print(f"  macro {sum(macro) / len(macro):.3f}")
        print("  ", {name: round(sum(v) / len(v), 2) for name, v in by_repository.items()})


def _questions(model: StaticModel, dataset: Path, name: str, root: str,
               files: list[Any]) -> list[tuple[str, str, float]]:  # fmt: skip
    chunks = [text for file in files for text in file[4]]
    owner = np.repeat(np.arange(len(files)), [len(file[4]) for file in files])
    views = {
        "chunks": (model.encode(chunks), owner),
        "path": (model.encode([file[1] for file in files]), np.arange(len(files))),
        "names": (model.encode([file[2] for file in files]), np.arange(len(files))),
    }
    prefix = f"{root}/" if root else ""
    found = []
    for item in json.loads((dataset / "annotations" / f"{name}.json").read_text()):
        targets = [t if isinstance(t, str) else t["path"]
                   for t in item["relevant"] + item.get("secondary", [])]  # fmt: skip
        question = model.encode_queries([item["query"]])[0]
        for view, (matrix, owners) in views.items():
            best = np.full(len(files), -2.0, np.float32)
            np.maximum.at(best, owners, matrix @ question)
            order = np.argsort(-best, kind="stable")[:10]
            value = ndcg([prefix + files[n][0] for n in order], targets)
            found.append((view, item.get("category", ""), value))
    return found


def speed(checkouts: Path, models: list[Path]) -> None:
    """Print texts of 1,000 characters a second, each model in turn, three rounds."""
    texts: list[str] = []
    for path in sorted(checkouts.rglob("*.*")):
        if (
            path.suffix in {".py", ".go", ".rs", ".ts", ".java", ".c", ".cs"}
            and len(texts) < 20_000
        ):
            text = path.read_text(errors="replace")
            texts += [text[n : n + 1000] for n in range(0, len(text) - 999, 1000)]
    loaded = [(directory, StaticModel.load(directory)) for directory in models]
    for _ in range(3):
        for directory, model in loaded:
            started = time.process_time()
            model.encode(texts)
            print(directory, round(len(texts) / (time.process_time() - started)), "a CPU second")


def main(command: str, *arguments: str) -> None:
    paths = list(map(Path, arguments))
    if command == "bench":
        bench(*paths[:3], paths[3:])
        return
    if command == "speed":
        speed(paths[0], paths[1:])
        return
    rows = [json.loads(line) for line in paths[0].open()]
    results = [held_out(rows, StaticModel.load(directory)) for directory in paths[1:]]
    for task in TASKS:
        print(task, *(round(result[task]["mean"], 4) for result in results))
        for name in sorted(results[0][task]):
            if name != "mean":
                print(f"   {name:42}", *(f"{result[task][name]:.3f}" for result in results))


if __name__ == "__main__":
    main(*sys.argv[1:])

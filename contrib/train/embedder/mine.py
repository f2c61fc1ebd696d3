"""Read the downloaded packages and write their pairs: one JSON Lines file per package.

    mine.py DOWNLOADS ROWS [REGISTRY]

DOWNLOADS holds pypi/*.whl, npm/*.tgz, debian/*.deb, source/*.orig.tar.* (Debian's sources) and
github/OWNER+NAME/repo (bare). Packages whose licence is not permissive, and those of the
benchmark, are left out; what became of each is written to ROWS/REGISTRY.tsv. A package whose file
exists already is not read again.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from contrib.train.embedder import archives, commits, licences, pairs
from contrib.train.embedder.check_overlap import HELD_OUT, is_benchmark, is_reserved
from paparatsd.chunks.languages import language_of
from paparatsd.chunks.parse import ChunkLimits, parse_file

if TYPE_CHECKING:
    from collections.abc import Iterable

PATTERNS = {"pypi": "*.whl", "npm": "*.tgz", "debian": "*.deb", "source": "*.orig.tar.[gx]z",
            "github": "*/repo"}  # fmt: skip
SECONDS = {"pypi": 0.5, "npm": 0.8, "debian": 1.0, "source": 1.2, "github": 6.0}
"""Processor time to spend on the files of one package at most."""
CAPS = {"doc": 3_000, "name": 900, "comment": 1_000, "file": 500, "path": 500, "section": 600,
        "commit": 1_500}  # fmt: skip
SKIP = re.compile(
    r"(^|/)(_?vendor(ed)?|_vendored|third_?party|3rdparty|extern(al)?s?|deps|dependencies|"
    r"node_modules|bower_components|site-packages|bundled|migrations|locales?|i18n|l10n|fixtures|"
    r"__fixtures__|generated|gen|snapshots|__snapshots__|testdata|test-data|corpus|dist|umd|"
    r"\.git|\.github)/|\.min\.|_pb2|\.pb\.|\.g\.dart|\.freezed\.|\.designer\.cs|zz_generated|"
    r"bundle\.|\.d\.[cm]?ts$|(^|/)(changelog|changes|history|news|license|licence|authors|"
    r"contributors|code_of_conduct|security|release.?notes)[^/]*$",
    re.IGNORECASE,
)
TESTS = re.compile(
    r"(^|/)(tests?|spec|specs|__tests__|testing|testsuite|benchmarks?|examples?|samples?)/|"
    r"(^|/)test_|_test\.|\.test\.|\.spec\.|_spec\.|Tests?\.\w+$",
    re.IGNORECASE,
)
TEST_SHARE = 0.1
LONGEST_MEAN_LINE = 150


def mine_package(package: archives.Package, seconds: float) -> list[pairs.Pair]:
    """Return the pairs of a package, at most `CAPS` of each kind, without repeats."""
    found: dict[str, list[pairs.Pair]] = defaultdict(list)
    chance = random.Random(package.name)  # noqa: S311 - a sample, not a secret
    files = [
        file for file in package.files
        if not SKIP.search(file[0]) and (not TESTS.search(file[0]) or chance.random() < TEST_SHARE)
    ]  # fmt: skip
    chance.shuffle(files)
    started = time.process_time()
    for path, data in files:
        if time.process_time() - started > seconds:
            break
        text = data.decode("utf8", "replace")
        language = language_of(path, text[:200])
        if language in pairs.DATA or language == "" or b"\0" in data[:1000]:
            continue
        if len(text) / (text.count("\n") + 1) > LONGEST_MEAN_LINE and language not in pairs.PROSE:
            continue
        for pair in pairs.from_file(path, text, parse_file(path, text, ChunkLimits())):
            found[pair.kind].append(pair)
    if package.repository:
        found["commit"] += commits.from_log(archives.commit_log(package.repository), SKIP)
    return [pair for kind, rows in found.items() for pair in _sample(rows, CAPS[kind], chance)]


def _sample(rows: Iterable[pairs.Pair], cap: int, chance: random.Random) -> list[pairs.Pair]:
    unique: dict[bytes, pairs.Pair] = {}
    questions: Counter[str] = Counter()
    for row in rows:
        questions[row.query.lower()] += 1
        key = hashlib.blake2b(re.sub(r"\W+", "", row.kind + row.query + row.code).encode(),
                              digest_size=12).digest()  # fmt: skip
        if questions[row.query.lower()] <= 3:
            unique.setdefault(key, row)
    kept = list(unique.values())
    chance.shuffle(kept)
    return kept[:cap]


def main(downloads: Path, target: Path, registries: list[str]) -> None:
    target.mkdir(parents=True, exist_ok=True)
    wanted = github_names()
    for registry in registries:
        report = (target / f"{registry}.tsv").open("a")
        paths = sorted((downloads / registry).glob(PATTERNS[registry]))
        if registry == "github":
            paths = [downloads / registry / name.replace("/", "+") / "repo" for name in wanted]
        for path in filter(Path.exists, paths):
            stem = path.parent.name if registry == "github" else path.name
            output = target / f"{registry}__{stem}.jsonl"
            if output.exists():
                continue
            try:
                rows: list[pairs.Pair] = []
                package = archives.open_package(registry, path)
                if is_benchmark(package.name):
                    verdict = "benchmark"
                elif is_reserved(package.name) and package.name not in HELD_OUT:
                    verdict = "reserved"
                elif not licences.accepted(package.licence):
                    verdict = "licence"
                else:
                    verdict, rows = "taken", mine_package(package, SECONDS[registry])
            except Exception as error:  # noqa: BLE001 - one odd archive must not end the run
                print("unreadable", path, repr(error)[:200], file=sys.stderr)
                continue
            with output.open("w") as out:
                out.writelines(json.dumps(dataclasses.asdict(row)) + "\n" for row in rows)
            licence = re.sub(r"\s+", " ", package.licence)[:60]
            columns = (verdict, registry, package.name, package.version, licence, str(len(rows)))
            report.write("\t".join(columns) + "\n")
            report.flush()


def github_names() -> list[str]:
    """Return the repositories that sources.tsv names; others beside them are not trained on."""
    lines = (Path(__file__).parent / "sources.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    named = [row[1] for row in rows if row[0] == "github"]
    return [name for name in named if name in HELD_OUT or not is_reserved(name)]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:] or list(PATTERNS))

"""Training data of the embedder: what becomes a pair, which licences pass, what is left out."""

from __future__ import annotations

import numpy as np
import pytest

from contrib.train.embedder import check_overlap, commits, licences, pairs, prepare, vocabulary
from contrib.train.embedder.mine import SKIP
from contrib.train.embedder.quantise import quantise
from paparatsd.chunks.parse import ChunkLimits, parse_file
from paparatsd.embeddings.tokenizer import Vocabulary

SOURCE = '''"""Keeps the last answers so that the same question is not asked twice."""


def remember(question: str, answer: str) -> None:
    """Store an answer under its question, dropping the oldest one when full."""
    # the dictionary keeps the order of insertion, so the first key is the oldest
    if len(ANSWERS) >= LIMIT:
        ANSWERS.pop(next(iter(ANSWERS)))
    ANSWERS[question] = answer
    log.debug("remembered", question=question, answer=answer, size=len(ANSWERS))
'''


def pairs_of(path: str, text: str) -> list[pairs.Pair]:
    return list(pairs.from_file(path, text, parse_file(path, text, ChunkLimits())))


def row(**values: str) -> dict[str, str]:
    base = {
        "kind": "doc",
        "language": "python",
        "path": "cache/store.py",
        "name": "Store.remember",
        "query": "Keep an answer",
        "long": "",
        "code": "def remember(a):\n    return remember",
    }
    return {**base, **values}


def test_a_documented_function_is_asked_for_by_its_documentation_which_its_code_then_lacks() -> (
    None
):
    (pair,) = [pair for pair in pairs_of("cache/store.py", SOURCE) if pair.kind == "doc"]

    assert pair.query == "Store an answer under its question, dropping the oldest one when full."
    assert pair.name == "remember"
    assert "ANSWERS.pop" in pair.code
    assert "dropping the oldest" not in pair.code


def test_a_comment_inside_code_asks_for_the_code_around_it() -> None:
    (pair,) = [
        pair for pair in pairs_of("cache/store.py", SOURCE)
        if pair.kind == "comment" and "order of insertion" in pair.query
    ]  # fmt: skip

    assert "ANSWERS.pop" in pair.code
    assert "order of insertion" not in pair.code


def test_a_section_of_prose_is_asked_for_by_its_title() -> None:
    body = "Values live until the limit is reached. " * 60
    text = f"# Cache\n\nIntroduction of a few words.\n\n## Eviction of old values\n\n{body}\n"

    questions = {pair.query for pair in pairs_of("docs/cache.md", text) if pair.kind == "section"}

    assert "Eviction of old values" in questions


def test_a_commit_asks_for_what_it_changed_and_dull_ones_ask_nothing() -> None:
    patch = (
        "diff --git a/src/pool.go b/src/pool.go\n--- a/src/pool.go\n+++ b/src/pool.go\n"
        "@@ -1,3 +1,4 @@ func (p *Pool) Get\n context\n"
        "+\tif p.idle > p.limit { p.closeOldest(); p.idle-- }\n+\treturn p.connections.take()\n"
    )
    subject = "fix(pool): close idle connections over the limit (#12)"
    log = f"\0{subject}\n\n{patch}\0Bump version\n\n{patch}"

    (pair,) = list(commits.from_log(log, SKIP))

    assert pair.query == "close idle connections over the limit"
    assert (pair.path, pair.language) == ("src/pool.go", "go")
    assert "closeOldest" in pair.code


@pytest.mark.parametrize(
    ("licence", "verdict"),
    [
        ("MIT", True), ("Apache-2.0 OR MIT", True), ("BSD-3-Clause", True), ("ISC", True),
        ("GPL-3.0", False), ("MIT OR GPL-3.0-or-later", False), ("MPL-2.0", False), ("", False),
        ("BUSL-1.1", False), ("LGPL-2.1+", False),
    ],
)  # fmt: skip
def test_only_permissive_licences_pass_and_dual_ones_with_copyleft_do_not(
    licence: str, verdict: bool
) -> None:
    assert licences.accepted(licence) is verdict


def test_a_licence_is_read_from_its_text() -> None:
    mit = "Permission is hereby granted, free of charge, to any person"
    gpl = "GNU GENERAL PUBLIC LICENSE Version 3"

    assert licences.accepted(licences.of_texts([mit]))
    assert not licences.accepted(licences.of_texts([mit, gpl]))
    assert licences.of_texts(["All rights reserved"]) == ""


@pytest.mark.parametrize(
    "package",
    ["axios", "expressjs/express", "@trpc/server", "librust-serde-derive-dev", "uvloop",
     "golang-github-spf13-cobra-dev", "kotlinx-coroutines-core", "pydantic"],
)  # fmt: skip
def test_the_benchmark_is_recognised_under_the_names_it_has_in_registries(package: str) -> None:
    assert check_overlap.is_benchmark(package)


def test_other_packages_are_not_taken_for_the_benchmark() -> None:
    assert not any(
        map(check_overlap.is_benchmark, ["square/okhttp", "lodash", "clickhouse", "pip"])
    )


@pytest.mark.parametrize(
    "package",
    ["hyperium/hyper", "librust-hyper-dev", "golang-github-prometheus-client-golang-dev",
     "golang-go.uber-zap-dev", "ruby-devise", "php-doctrine-dbal", "hono"],
)  # fmt: skip
def test_what_the_ranker_learns_from_is_recognised_under_the_names_of_registries(
    package: str,
) -> None:
    assert check_overlap.is_reserved(package)
    assert not check_overlap.is_reserved(f"{package}-elsewhere")


def test_code_of_the_benchmark_is_found_when_it_is_laid_out_differently() -> None:
    lines = [f"value_{n} = compute(value_{n - 1}, {n} * factor)" for n in range(12)]
    known = np.unique(check_overlap.windows("\n".join(lines)))
    copied = "\n\n".join("        " + line.replace(" = ", "=").upper() for line in lines[2:9])
    own = "\n".join(f"other_{n} = measure(table[{n}], start)" for n in range(12))

    assert list(check_overlap.overlapping([copied, own, ""], known)) == [True, False, False]


def test_the_counts_of_a_row_are_those_of_its_texts() -> None:
    pieces = Vocabulary(["cache", "store", "remember", "keep", "answer", "def", "return", "a"])

    for kind in ("doc", "name", "commit", "path", "section"):
        example = row(kind=kind, long="Keep an answer in the store")
        counted = prepare.count_forms(example, pieces)
        assert [dict(c) for c in counted] == [dict(pieces.count(t)) for t in prepare.forms(example)]


def test_the_masked_form_does_not_say_the_name() -> None:
    _, _, full, masked, head = prepare.forms(row())

    assert "remember" in full
    assert "remember" in head
    assert "remember" not in masked


def test_words_of_one_package_alone_do_not_enter_the_vocabulary() -> None:
    rows = [(f"p{n % 5}", "python", "open the file", "def open_file(zorkmid)") for n in range(20)]
    rows += [("p0", "python", "", "qwertzle")] * 20

    entries = vocabulary.choose(vocabulary.count_words(rows), 6_000)

    assert {"open", "file", "zorkmid", "##a", "7"} <= set(entries)
    assert "qwertzle" not in entries
    assert len(set(entries)) == len(entries)


def test_quantised_rows_are_what_they_were_within_a_hundredth() -> None:
    rows = np.random.default_rng(3).normal(size=(50, 64)).astype(np.float32)
    table, scales = quantise(rows)
    again = table * scales.astype(np.float32)[:, None]

    assert table.dtype == np.int8
    assert np.abs(again - rows).max() < 0.01 * np.abs(rows).max()

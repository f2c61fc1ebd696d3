"""Which commits become questions, and in what words."""

from __future__ import annotations

import random

import pytest

from contrib.train.questions.commits import (
    Commit,
    added_lines,
    changed_sources,
    clean_subject,
    commit_questions,
    is_mechanical,
    issue_phrase,
    parse_log,
)


def commit(subject: str, *, body: str = "", author: str = "Ann", **lines: int) -> Commit:
    files = {path.replace("__", "."): n for path, n in (lines or {"a__py": 10}).items()}
    return Commit("c0ffee", author, subject, body, files)


def is_source(path: str) -> bool:
    return path.endswith(".py")


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        (
            "fix(core): reader keeps rows of closed tables (#123)",
            "reader keeps rows of closed tables",
        ),
        ("[ABC-12] Reader keeps rows of closed tables.", "Reader keeps rows of closed tables"),
        ("IO-861: Reader keeps `rows` of tables", "Reader keeps rows of tables"),
        ("Keep rows of closed tables, fixes #12", "Keep rows of closed tables"),
        (":bug: Keep rows of tables", "Keep rows of tables"),
    ],
)
def test_prefixes_and_tickets_are_taken_off(subject: str, expected: str) -> None:
    assert clean_subject(subject) == expected


@pytest.mark.parametrize(
    "subject",
    [
        "Bump lodash from 1 to 2",
        "Merge branch 'main'",
        "Fix typo in the reader of tables",
        "chore: reader of tables and rows",
        "Release 2.1.0",
        "v2.1.0",
        "Reformat the reader of tables",
        "Update changelog for the reader of tables",
        "Rename reader of tables",
        "Add tests for reader of tables",
    ],
)
def test_upkeep_is_left_out(subject: str) -> None:
    assert is_mechanical(commit(subject))


def test_bots_are_left_out() -> None:
    assert is_mechanical(commit("Reader keeps rows of closed tables", author="renovate[bot]"))


def test_work_on_the_code_is_kept() -> None:
    assert not is_mechanical(commit("Keep rows of closed tables in the reader"))


def test_only_small_commits_with_one_to_three_sources_count() -> None:
    assert changed_sources(commit("x", a__py=10, notes__md=4), is_source) == ("a.py",)
    assert changed_sources(commit("x", notes__md=4), is_source) == ()
    assert changed_sources(commit("x", a__py=9, b__py=9, c__py=9, d__py=9), is_source) == ()
    assert changed_sources(commit("x", a__py=5_000), is_source) == ()
    assert changed_sources(commit("x", a__py=1), is_source) == ()


def test_a_file_that_changed_by_the_way_is_no_answer() -> None:
    assert changed_sources(commit("x", a__py=50, b__py=2), is_source) == ("a.py",)


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        (
            "Fix crash when the reader meets an empty table",
            "crash when the reader meets an empty table",
        ),
        ("Fix bug where rows of closed tables are lost", "rows of closed tables are lost"),
        ("Add support for nested tables in reader", "nested tables in reader is not supported"),
        ("Handle empty tables when reading rows", "empty tables is not handled when reading rows"),
        ("Speed up the reader of large tables", ""),
    ],
)
def test_what_was_wrong_is_said_in_the_message_s_words(subject: str, expected: str) -> None:
    assert issue_phrase(commit(subject)) == expected


def test_a_body_that_tells_the_symptom_is_used() -> None:
    body = "The reader returned rows of closed tables when two readers were open. So stop that."
    assert issue_phrase(commit("Reader lifetime", body=body)) == (
        "the reader returned rows of closed tables when two readers were open"
    )


def test_the_same_seed_gives_the_same_questions() -> None:
    commits = [commit(f"Fix crash when reader {n}x meets empty table") for n in "abcdefgh"]
    first, second = (
        commit_questions(commits, is_source, random.Random(3))  # noqa: S311 - a seeded choice
        for _ in range(2)
    )
    assert first == second
    assert {q.kind for q in first} == {"commit", "issue"}
    assert {q.paths for q in first} == {("a.py",)}


def test_a_log_is_read_with_its_numbers() -> None:
    first = "\x1eaaa\x1fAnn\x1fSubject\x1fBody\n\nmore\x1f\n\n3\t1\tsrc/a.py\n-\t-\tpic.png\n"
    log = first + "\x1ebbb\x1fBo\x1fS\x1f\x1f\n"
    one, two = parse_log(log)
    assert one == Commit("aaa", "Ann", "Subject", "Body\n\nmore", {"src/a.py": 4})
    assert two.files == {}


def test_the_lines_a_patch_adds_are_read_without_its_headers() -> None:
    patch = "--- a/x.py\n+++ b/x.py\n@@ -1 +1,3 @@\n-old line here\n+    new line here\n+}\n"
    assert added_lines(patch) == ["new line here"]

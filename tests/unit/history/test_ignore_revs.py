from __future__ import annotations

from paparatsd.history.ignore_revs import MAX_PROBLEMS, IgnoredRevs, parse_ignore_revs

ONE, TWO, LONG = "a" * 40, "0123456789" * 4, "f" * 64


def test_full_ids_are_read_among_comments_and_blank_lines() -> None:
    text = f"# Reformat\n{ONE}\n\n  {TWO.upper()}  # tabs to spaces\r\n\t\n{LONG}\n{ONE}"

    assert parse_ignore_revs(text) == IgnoredRevs(frozenset({ONE, TWO, LONG}))  # type: ignore[arg-type]  # equal texts


def test_an_empty_file_ignores_nothing() -> None:
    assert parse_ignore_revs("") == IgnoredRevs()


def test_a_line_that_cannot_be_used_is_named_and_the_others_count() -> None:
    found = parse_ignore_revs(f"{ONE[:12]}\nHEAD~1\n{ONE} {TWO}\n{TWO}")

    assert found.ids == {TWO}
    assert [problem.partition(" is ")[0] for problem in found.problems] == [
        "line 1: 'aaaaaaaaaaaa'",
        "line 2: 'head~1'",
        f"line 3: '{ONE} {TWO[:36]}...'",
    ]
    assert "all 40" in found.problems[0]


def test_many_bad_lines_give_a_bounded_number_of_problems() -> None:
    problems = parse_ignore_revs("zzz\n" * 1_000).problems

    assert len(problems) == MAX_PROBLEMS + 1
    assert problems[-1] == f"{1_000 - MAX_PROBLEMS} more lines cannot be used either"

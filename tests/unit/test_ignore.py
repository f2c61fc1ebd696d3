from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.sources.ignore import IgnoreStack, built_in_rules, exclusion_rules
from paparatsd.sources.rules import parse_rules

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("line", "path", "directory", "verdict"),
    [
        ("*.log", "a.log", False, True),
        ("*.log", "deep/down/a.log", False, True),
        ("*.log", "a.logs", False, None),
        ("!*.log", "a.log", False, False),
        ("/a", "a", False, True),
        ("/a", "x/a", False, None),
        ("a/b", "a/b", False, True),
        ("a/b", "x/a/b", False, None),
        ("a/", "a", True, True),
        ("a/", "a", False, None),
        ("a/", "x/a", True, True),
        ("a", "a/inside", False, None),
        ("**/a", "x/y/a", False, True),
        ("**/a", "a", False, True),
        ("a/**", "a/x/y", False, True),
        ("a/**", "a", True, None),
        ("a/**/z", "a/z", False, True),
        ("a/**/z", "a/b/c/z", False, True),
        ("**", "anything", False, True),
        ("a*c", "abbc", False, True),
        ("a/*", "a/b/c", False, None),
        ("a?c", "a/c", False, None),
        ("[a-c]x", "bx", False, True),
        ("[!a-c]x", "bx", False, None),
        ("[]x]y", "]y", False, True),
        ("[[:digit:]]x", "7x", False, True),
        ("[z-a]x", "bx", False, None),
        ("[x", "[x", False, None),
        ("\\#a", "#a", False, True),
        ("\\!a", "!a", False, True),
        ("\\*a", "*a", False, True),
        ("\\*a", "xa", False, None),
        ("a\\", "a\\", False, None),
        ("a   ", "a", False, True),
        ("a\\ ", "a ", False, True),
        ("a\r", "a", False, True),
        ("a\tb", "a\tb", False, True),
        ("new*", "new\nline", False, True),
        ("Ünï*", "Ünïcode", False, True),
    ],
)
def test_one_line_means_what_it_means_to_git(
    line: str, path: str, directory: bool, verdict: bool | None
) -> None:
    rules = parse_rules([line])
    found = None if rules is None else rules.verdict(path, directory=directory)
    assert found is verdict


def test_comments_blanks_and_invalid_lines_count_for_nothing() -> None:
    assert parse_rules(["", "   ", "# x", "[", "!", "/", "a\\", "a//b"]) is None
    rules = parse_rules(["[", "*.py"])
    assert rules is not None
    assert rules.verdict("a.py", directory=False)


@pytest.mark.parametrize("pattern", ["*a" * 40 + "b", "**/a/" * 40 + "b", "[a-z]*" * 40 + "!"])
def test_hostile_patterns_come_to_an_end(pattern: str) -> None:
    rules = parse_rules([pattern])
    assert rules is not None
    paths = ("a" * 250, "/".join(["a"] * 1000))
    for path in paths:  # backtracking would take longer than the universe has
        assert rules.verdict(path, directory=False) is None


def test_nearest_file_wins_and_nothing_below_an_ignored_directory_comes_back(
    tmp_path: Path,
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / ".gitignore").write_text("*.log\nout/\n!out/kept.py\n")
    (tmp_path / "sub/.gitignore").write_text("!*.log\n")
    (tmp_path / "out/.gitignore").write_text("!*\n")
    stack = IgnoreStack(tmp_path, (".gitignore",))
    assert stack.ignores_file("a.log")
    assert not stack.ignores_file("sub/a.log")
    assert not stack.ignores_file("sub/deeper/a.log")
    assert stack.ignores_directory("out")
    assert stack.ignores_file("out/kept.py")


def test_an_ignore_file_may_bring_back_what_is_built_in(tmp_path: Path) -> None:
    stack = IgnoreStack(tmp_path, (".gitignore",), built_in_rules())
    assert stack.ignores_directory("x/node_modules")
    (tmp_path / ".gitignore").write_text("!node_modules/\n")
    assert not IgnoreStack(tmp_path, (".gitignore",), built_in_rules()).ignores_directory(
        "node_modules"
    )


def test_an_ignore_file_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("*\n")
    (tmp_path / ".paparatsignore").symlink_to("elsewhere")
    assert not IgnoreStack(tmp_path, (".paparatsignore",)).ignores_file("a.py")


def test_a_thousand_levels_are_no_problem(tmp_path: Path) -> None:
    deep = "/".join(["d"] * 1500)
    assert not IgnoreStack(tmp_path, (".gitignore",)).ignores_file(f"{deep}/a.py")


def test_excluded_names_apply_anywhere_and_paths_from_the_root() -> None:
    rules = exclusion_rules(["vendor", "*.class", "./spec/fixtures", " ", "**/tmp/**"])
    assert rules is not None
    for path in ("vendor", "a/vendor", "spec/fixtures"):
        assert rules.verdict(path, directory=True), path
    for path in ("a/b/X.class", "a/tmp/x"):
        assert rules.verdict(path, directory=False), path
    assert rules.verdict("x/spec/fixtures", directory=True) is None
    assert exclusion_rules(["", " "]) is None

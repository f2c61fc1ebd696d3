"""Commits that attribution passes over: `.git-blame-ignore-revs`, as `git blame` reads it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from paparatsd.model import CommitId

MAX_LINES = 100_000
MAX_PROBLEMS = 20
_FULL = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ABBREVIATED = re.compile(r"[0-9a-f]{4,63}")


@dataclass(frozen=True, slots=True)
class IgnoredRevs:
    """The full ids that a file lists, and a sentence for each line that could not be used."""

    ids: frozenset[CommitId] = frozenset()
    problems: tuple[str, ...] = ()


def parse_ignore_revs(text: str) -> IgnoredRevs:
    """Read the file's text: a full id on each line; `#` begins a comment anywhere in a line.

    Git refuses the whole file for one bad line; here the good ones count. Problems after the
    first `MAX_PROBLEMS` are only numbered.
    """
    ids: set[CommitId] = set()
    problems: list[str] = []
    for number, line in enumerate(text.split("\n", MAX_LINES)[:MAX_LINES], start=1):
        word = line.partition("#")[0].strip().lower()
        if _FULL.fullmatch(word):
            ids.add(CommitId(word))
        elif word:
            problems.append(f"line {number}: {_problem(word)}")
    more = len(problems) - MAX_PROBLEMS
    if more > 0:
        problems = [*problems[:MAX_PROBLEMS], f"{more} more lines cannot be used either"]
    return IgnoredRevs(frozenset(ids), tuple(problems))


def _problem(word: str) -> str:
    shown = repr(word if len(word) <= 80 else word[:77] + "...")
    if _ABBREVIATED.fullmatch(word):
        return f"{shown} is not a full commit id; write all 40 (or 64) digits"
    return f"{shown} is not a commit id; write one full id on each line"

"""An independent reading of a repository's facts, from `git diff-tree` against each parent.

Of text files: binary content seems to have no hunks here.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from paparatsd.commits import Change, Hunk, Touch
from paparatsd.history.dag import CommitRow, Dag

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

ENVIRONMENT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
"""Of whoever runs the tests, git knows nothing."""
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_CHANGES = {
    "A": Change.ADD, "M": Change.MODIFY, "D": Change.DELETE, "R": Change.RENAME, "T": Change.ADD,
}  # fmt: skip


class MemoryFacts:
    """Touches of a repository by path."""

    def __init__(self, touches: Iterable[tuple[int, Touch]]) -> None:
        self._by_path: dict[str, list[tuple[int, Touch]]] = {}
        for number, touch in touches:
            self._by_path.setdefault(touch.path, []).append((number, touch))

    def commits(self, path: str) -> list[int]:
        return [number for number, touch in self.touches(path) if touch.parent == 0]

    def all(self) -> Iterable[tuple[int, Touch]]:
        return (pair for several in self._by_path.values() for pair in several)

    def touches(self, path: str) -> list[tuple[int, Touch]]:
        return self._by_path.get(path, [])

    def touches_at(self, path: str, commit: int) -> list[Touch]:
        found = [touch for number, touch in self.touches(path) if number == commit]
        return sorted(found, key=lambda touch: touch.parent)


class Read(NamedTuple):
    """All that was read of one repository."""

    facts: MemoryFacts
    dag: Dag
    numbers: dict[str, int]
    ids: list[str]


def git(root: Path, *args: str, stdin: str | None = None) -> str:
    done = subprocess.run(
        ["git", "-c", "core.quotePath=off", "-C", str(root), *args],
        input=None if stdin is None else stdin.encode(),
        env=ENVIRONMENT,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode("utf-8", "surrogateescape")


def read_repository(root: Path, *options: str, revisions: str = "--all") -> Read:
    """Read every commit; `options` go to the diffs."""
    listed = [
        line.split(" ")
        for line in git(
            root, "log", "--topo-order", "--reverse", "--format=%H %T %ct %P", revisions
        ).splitlines()
    ]
    numbers = {fields[0]: index for index, fields in enumerate(listed)}
    trees = {fields[0]: fields[1] for fields in listed}
    rows = []
    pairs = []
    for commit, tree, instant, *rest in listed:
        parents = [parent for parent in rest if parent]
        known = tuple(numbers.get(parent, -1) for parent in parents)
        rows.append(CommitRow(numbers[commit], known, int(instant)))
        pairs.append([(trees.get(parent, EMPTY_TREE), tree) for parent in parents or [""]])
    diffs = _read_diffs(root, sorted({pair for several in pairs for pair in several}), options)
    touches = [
        (number, touch)
        for number, several in enumerate(pairs)
        for touch in _touches([diffs.get(pair, []) for pair in several])
    ]
    return Read(MemoryFacts(touches), Dag(rows), numbers, [fields[0] for fields in listed])


def _touches(by_parent: list[list[Touch]]) -> Iterable[Touch]:
    changed = [
        {path for touch in several for path in (touch.path, touch.old_path) if path}
        for several in by_parent
    ]
    for touch in by_parent[0]:
        same = [n for n, paths in enumerate(changed) if n and touch.path not in paths]
        if same:
            yield _against(touch, 0, same[0])
            continue
        yield touch
        for number, several in enumerate(by_parent[1:], start=1):
            yield from (_against(t, number, None) for t in several if t.path == touch.path)


def _against(touch: Touch, parent: int, same_in: int | None) -> Touch:
    return replace(touch, parent=parent, same_in=same_in)


def _read_diffs(
    root: Path, pairs: list[tuple[str, str]], options: tuple[str, ...]
) -> dict[tuple[str, str], list[Touch]]:
    asked = "".join(f"{old} {new}\n" for old, new in pairs)
    text = git(
        root, "diff-tree", "--stdin", "-r", "--raw", "-p", "-U0", "-M", "--full-index",
        "--no-color", "--no-ext-diff", "--no-textconv", *options, stdin=asked,
    )  # fmt: skip
    wanted = set(pairs)
    found: dict[tuple[str, str], _Diff] = {}
    diff = _Diff()
    for line in text.split("\n"):
        if len(line) == 81 and (pair := (line[:40], line[41:])) in wanted:
            diff = found[pair] = _Diff()
        else:
            diff.read(line)
    return {pair: diff.touches() for pair, diff in found.items()}


class _Diff:
    """One comparison, line by line."""

    def __init__(self) -> None:
        self._raw: list[list[str]] = []
        self._hunks: dict[str, list[Hunk]] = {}
        self._path = ""
        self._left = 0

    def read(self, line: str) -> None:
        if self._left and line.startswith(("-", "+")):
            self._left -= 1
        elif match := _HUNK.match(line):
            start, lines, to, to_lines = (1 if g is None else int(g) for g in match.groups())
            self._hunks.setdefault(self._path, []).append(Hunk(start, lines, to, to_lines))
            self._left = lines + to_lines
        elif line.startswith(("--- a/", "+++ b/")):  # the second holds, but of a deletion
            self._path = line[6:].removesuffix("\t")
        elif line.startswith(":"):
            self._raw.append(line[1:].split("\t"))

    def touches(self) -> list[Touch]:
        return [
            Touch(
                path=names[-1],
                parent=0,
                change=_CHANGES[meta.split(" ")[4][0]],
                blob=meta.split(" ")[3].replace("0" * 40, ""),
                hunks=tuple(self._hunks.get(names[-1], ())),
                old_path=names[0] if len(names) > 1 else None,
            )
            for meta, *names in self._raw
        ]

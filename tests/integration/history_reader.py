"""An independent reading of a repository's facts, from `git diff-tree` against each parent."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from paparatsd.commits import Change, Hunk, Touch
from paparatsd.history.dag import CommitRow, Dag

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_CHANGES = {
    "A": Change.ADD, "M": Change.MODIFY, "D": Change.DELETE, "R": Change.RENAME, "C": Change.COPY,
    "T": Change.MODIFY,
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
    return Touch(
        touch.path, parent, touch.change, touch.blob, touch.hunks, touch.old_path, touch.whole,
        same_in,
    )  # fmt: skip


def _read_diffs(
    root: Path, pairs: list[tuple[str, str]], options: tuple[str, ...]
) -> dict[tuple[str, str], list[Touch]]:
    asked = "".join(f"{old} {new}\n" for old, new in pairs)
    text = git(
        root, "diff-tree", "--stdin", "-r", "--raw", "-p", "-U0", "-M", "--full-index",
        "--no-color", "--no-ext-diff", "--no-textconv", *options, stdin=asked,
    )  # fmt: skip
    wanted = set(pairs)
    found: dict[tuple[str, str], list[Touch]] = {}
    raw: list[list[str]] = []
    hunks: dict[str, list[Hunk]] = {}
    whole: set[str] = set()
    pair = ("", "")
    path = ""

    def close() -> None:
        touches = []
        for meta, *names in raw:
            fields = meta.split(" ")
            name = names[-1]
            touches.append(
                Touch(
                    name, 0, _CHANGES[fields[4][0]], fields[3], tuple(hunks.get(name, ())),
                    names[0] if len(names) > 1 else None, name in whole or fields[4] == "T",
                )  # fmt: skip
            )
        found[pair] = touches

    left = (0, 0)
    for line in text.split("\n"):
        if left != (0, 0) and line[:1] in ("-", "+", "\\"):
            left = (left[0] - (line[0] == "-"), left[1] - (line[0] == "+"))
        elif match := _HUNK.match(line):
            a, al, b, bl = (1 if group is None else int(group) for group in match.groups())
            hunks.setdefault(path, []).append(Hunk(a, al, b, bl))
            left = (al, bl)
        elif line.startswith(("--- a/", "+++ b/")):  # the second holds, but of a deletion
            path = line[6:].removesuffix("\t")
        elif line.startswith("Binary files "):
            whole.update(names[-1] for _, *names in raw if line.endswith(f" b/{names[-1]} differ"))
        elif line.startswith(":"):
            raw.append(line[1:].split("\t"))
        elif len(line) == 81 and (key := (line[:40], line[41:])) in wanted:
            if pair[0]:
                close()
            pair, raw, hunks, whole = key, [], {}, set()
    if pair[0]:
        close()
    return found

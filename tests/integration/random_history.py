"""Small random histories made with real git: edits, renames, merges with and without conflicts."""

from __future__ import annotations

import random
import subprocess
from typing import TYPE_CHECKING

from tests.integration.history_reader import ENVIRONMENT, git

if TYPE_CHECKING:
    from pathlib import Path

FIRST_INSTANT = 1_700_000_000


class RandomHistory:
    """A repository that grows by random steps; the same seed makes the same commits."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self._rng = random.Random(seed)  # noqa: S311 - a fixed sequence
        self._instant = FIRST_INSTANT
        self._made = 0
        self.branches = ["main"]
        root.mkdir()
        git(root, "init", "-q", "-b", "main")
        for key, value in (
            ("user.name", "Ada"), ("user.email", "ada@example.org"), ("commit.gpgsign", "false"),
            ("core.autocrlf", "false"), ("gc.auto", "0"), ("core.hooksPath", "/dev/null"),
        ):  # fmt: skip
            git(root, "config", key, value)
        for name in ("one.py", "two.py"):
            self._write(name, [self._new_line() for _ in range(self._rng.randint(12, 30))])
        self._commit()

    @property
    def files(self) -> list[str]:
        """The names of the files of the checkout."""
        return sorted(path.name for path in self.root.glob("*.py"))

    def grow(self, steps: int) -> None:
        """Take random steps, then come back to main and merge what is open, most of it."""
        for _ in range(steps):
            choose = self._rng.random()
            if choose < 0.6:
                self._edit()
            elif choose < 0.7:
                self._rename()
            elif choose < 0.85:
                self._switch()
            else:
                self._merge(self._rng.choice(self.branches))
        git(self.root, "checkout", "-q", "main")
        for branch in self.branches[1:]:
            if self._rng.random() < 0.8:
                self._merge(branch)
                self._edit()

    def merge_all_at_once(self) -> None:
        """Branch twice with edits far apart and merge both in one octopus."""
        name = self.files[0]
        filler = [self._new_line() for _ in range(30)]
        self._write(name, filler)
        self._commit()
        for branch, line in (("left", 3), ("right", 25)):
            git(self.root, "checkout", "-q", "-b", branch, "main")
            text = list(filler)
            text[line] = self._new_line()
            self._write(name, text)
            self._commit()
        git(self.root, "checkout", "-q", "main")
        self._write(name, [*filler[:14], self._new_line(), *filler[14:]])
        self._commit()
        self._run("merge", "-q", "--no-edit", "left", "right")

    def _edit(self) -> None:
        for name in self._rng.sample(self.files, self._rng.randint(1, len(self.files))):
            lines = self._read(name)
            for _ in range(self._rng.randint(1, 3)):
                lines = self._change(lines)
            self._write(name, lines)
        self._commit()

    def _change(self, lines: list[str]) -> list[str]:
        at = self._rng.randint(0, len(lines))
        size = self._rng.randint(1, 3)
        added = [self._new_line() for _ in range(self._rng.randint(1, 3))]
        choose = self._rng.random()
        if choose < 0.4:
            return [*lines[:at], *added, *lines[at:]]
        if choose < 0.6 and len(lines) > 8:
            return [*lines[:at], *lines[at + size :]]
        if choose < 0.7:
            taken = lines[at : at + size]
            rest = [*lines[:at], *lines[at + size :]]
            to = self._rng.randint(0, len(rest))
            return [*rest[:to], *taken, *rest[to:]]
        return [*lines[:at], *added, *lines[at + size :]]

    def _rename(self) -> None:
        name = self._rng.choice(self.files)
        self._made += 1
        git(self.root, "mv", name, f"moved{self._made}.py")
        if self._rng.random() < 0.5:
            self._write(f"moved{self._made}.py", self._change(self._read(f"moved{self._made}.py")))
        self._commit()

    def _switch(self) -> None:
        if len(self.branches) < 4 and self._rng.random() < 0.6:
            branch = f"branch{len(self.branches)}"
            git(self.root, "checkout", "-q", "-b", branch)
            self.branches.append(branch)
        else:
            git(self.root, "checkout", "-q", self._rng.choice(self.branches))

    def _merge(self, branch: str) -> None:
        if self._run("merge", "-q", "--no-edit", "--no-ff", branch) == 0:
            return
        for name in self.files:
            lines = self._read(name)
            if "<<<<<<<" in "".join(line[:7] for line in lines):
                self._write(name, self._resolve(lines))
        self._commit()

    def _resolve(self, lines: list[str]) -> list[str]:
        """Keep one side, or both, or put lines of one's own in their place."""
        kept: list[str] = []
        side = "both"
        wanted = "both"
        for line in lines:
            if line.startswith("<<<<<<<"):
                wanted = self._rng.choice(["ours", "theirs", "both", "own"])
                side = "ours"
                kept += [self._new_line()] if wanted == "own" else []
            elif line.startswith("=======") and side == "ours":
                side = "theirs"
            elif line.startswith(">>>>>>>"):
                side = wanted = "both"
            elif wanted in ("both", side) or side == "both":
                kept.append(line)
        return kept

    def _new_line(self) -> str:
        """Most lines are new to the world, some stand everywhere, as blank ones do."""
        if self._rng.random() < 0.2:
            return self._rng.choice(["", "    return", "}"])
        self._made += 1
        return " " * self._rng.choice([0, 4, 8]) + f"line {self._made}"

    def _read(self, name: str) -> list[str]:
        return (self.root / name).read_text().splitlines()

    def _write(self, name: str, lines: list[str]) -> None:
        (self.root / name).write_text("".join(f"{line}\n" for line in lines))

    def _commit(self) -> None:
        git(self.root, "add", "-A")
        self._run("commit", "-q", "--allow-empty", "-m", f"step {self._made}")

    def _run(self, *args: str) -> int:
        # Some commits share a second, as those of a rebase do.
        self._instant += self._rng.choice([0, 1, 60])
        date = f"{self._instant} +0000"
        return subprocess.run(
            ["git", "-C", str(self.root), *args],
            env={**ENVIRONMENT, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
            capture_output=True,
            check=False,
        ).returncode

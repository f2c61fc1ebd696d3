"""A random walk through what people do with git; the same seed takes the same steps.

    walk = GitWalk(tmp_path / "work", seed=7)
    walk.step()
    print(walk.steps[-1])

Commands may fail, as they do for people: a conflict is resolved, skipped or aborted by chance, and
what is refused (a dirty tree, nothing to do) leaves things as they were.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from typing import TYPE_CHECKING

from tests.harness.repos import EPOCH, git_environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MAX_FILES = 7
MAX_BRANCHES = 4
MAX_WORKTREES = 2
PEOPLE = (("Ada Author", "ada@example.org"), ("Bob Böhm", "bob@example.org"))
_IN_PROGRESS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")


class GitWalk:
    """A repository with linked work trees that changes step by step."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.here = root
        self.steps: list[str] = []
        self._rng = random.Random(seed)  # noqa: S311 - a fixed sequence
        self._environment = git_environment(root.parent)
        self._instant = EPOCH
        self._made = 0
        self.worktrees: list[Path] = []
        root.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "gc.auto", "0")
        for name in ("src/one.py", "src/two.py", "notes.md"):
            self._write(name, self._new_text())
        self._commit_all("begin")

    # ------------------------------------------------------------------ steps

    def step(self) -> str:
        """Do one thing, in the main work tree or in a linked one; returns what it was."""
        self.here = self._rng.choice([self.root, self.root, *self.worktrees])
        known: list[tuple[int, Callable[[], object]]] = [
            (14, self.edit), (4, self.new_file), (3, self.delete), (5, self.rename),
            (14, self.commit), (6, self.amend), (7, self.rebase), (5, self.rebase_interactive),
            (10, self.merge), (2, self.octopus), (5, self.cherry_pick), (4, self.revert),
            (4, self.stash), (5, self.reset), (9, self.switch), (3, self.worktree),
            (2, self.remove_worktree), (2, self.collect), (2, self.update_ref), (2, self.copy),
        ]  # fmt: skip
        (job,) = self._rng.choices([job for _, job in known], [weight for weight, _ in known])
        said = f"{self.here.name}: {getattr(job, '__name__', '?')} {job() or ''}".rstrip()
        self.steps.append(said)
        return said

    def edit(self) -> str:
        """Change a few places of some files."""
        names = self._rng.sample(files := self._files(), min(len(files), self._rng.randint(1, 2)))
        for name in names:
            lines = self._read(name)
            for _ in range(self._rng.randint(1, 3)):
                lines = self._changed(lines)
            self._write(name, lines)
        return " ".join(names)

    def new_file(self) -> str:
        """Write a file that was not there, or one that was there once."""
        if len(self._files()) >= MAX_FILES:
            return ""
        name = f"src/file_{self._rng.randint(1, 5)}.py"
        self._write(name, self._new_text())
        return name

    def delete(self) -> str:
        """Delete a file."""
        if len(self._files()) < 3:
            return ""
        name = self._rng.choice(self._files())
        (self.here / name).unlink()
        return name

    def rename(self) -> str:
        """Move a file, with or without telling git, changed or not."""
        old = self._rng.choice(self._files())
        new = f"src/{self._rng.choice(['a', 'b', 'c/d', 'c/e'])}_{self._rng.randint(1, 2)}.py"
        if (self.here / new).exists():
            return ""
        (self.here / new).parent.mkdir(parents=True, exist_ok=True)
        if self._rng.random() < 0.5:
            self.git("mv", old, new)
        else:
            (self.here / old).rename(self.here / new)
        if self._rng.random() < 0.5 and (self.here / new).exists():
            self._write(new, self._changed(self._read(new)))
        if self._rng.random() < 0.6:
            self._commit_all("move")
        return f"{old} {new}"

    def copy(self) -> str:
        """Copy a file, in a commit of its own.

        Were the original moved by the same commit, `git blame` would follow both, and `git log`
        the one that it takes for the moved file.
        """
        if len(self._files()) >= MAX_FILES:
            return ""
        self._commit_all("before")
        old = self._rng.choice(self._files())
        new = f"src/copy_{self._rng.randint(1, 2)}.py"
        self._write(new, self._read(old))
        self._commit_all("copy")
        return f"{old} {new}"

    def commit(self) -> str:
        """Commit all, or what was staged of one file."""
        if self._rng.random() < 0.2:
            self.git("add", "--", self._rng.choice(self._files()))
            return f"part {self._commit('part')}"
        return str(self._commit_all("change"))

    def amend(self) -> str:
        """Amend the last commit, with all that is there or by its message alone."""
        if self._rng.random() < 0.7:
            self.git("add", "--all")
        self._made += 1
        return str(self.git("commit", "--quiet", "--amend", "-m", f"amended {self._made}"))

    def rebase(self) -> str:
        """Rebase onto another branch."""
        self._clean()
        other = self._rng.choice(self._branches())
        options = self._rng.choice([[], ["--rebase-merges"], ["--no-ff"], ["-x", "true"]])
        return self._resolved(f"{other} {options}", "rebase", *options, other)

    def rebase_interactive(self) -> str:
        """Fix up, drop, reorder or stop at one of the last commits."""
        self._clean()
        count = self._rng.randint(2, 4)
        script = self._rng.choice([
            "sed -i '2s/^pick/fixup/'", "sed -i '2s/^pick/squash/'", "sed -i '1d'",
            "sed -i '1s/^pick/edit/'", "sed -i '1{h;d};2G'", "sed -i '1s/^pick/reword/'",
        ])  # fmt: skip
        self._environment["GIT_SEQUENCE_EDITOR"] = script
        try:
            return self._resolved(f"{count} {script}", "rebase", "-i", f"HEAD~{count}")
        finally:
            self._environment["GIT_SEQUENCE_EDITOR"] = "true"

    def merge(self) -> str:
        """Merge another branch, forward or with a commit."""
        self._clean()
        other = self._rng.choice(self._branches())
        option = self._rng.choice(["--ff", "--no-ff", "--no-ff", "--squash", "-Xours"])
        said = self._resolved(f"{other} {option}", "merge", "--no-edit", option, other)
        if option == "--squash":
            self._commit_all("squashed")
        return said

    def octopus(self) -> str:
        """Merge two branches at once."""
        self._clean()
        others = self._rng.sample(self._branches(), min(2, len(self._branches())))
        code = self.git("merge", "--no-edit", *others)
        if code:
            self.git("reset", "--hard", "--quiet")
        return f"{others} {code}"

    def cherry_pick(self) -> str:
        """Take over a commit of another branch."""
        self._clean()
        other = f"{self._rng.choice(self._branches())}~{self._rng.randint(0, 2)}"
        return self._resolved(other, "cherry-pick", "-x", other)

    def revert(self) -> str:
        """Take back one of the last commits."""
        self._clean()
        back = f"HEAD~{self._rng.randint(0, 3)}"
        return self._resolved(back, "revert", "--no-edit", back)

    def stash(self) -> str:
        """Stash and look at something else, then pop; or leave it for later."""
        self.edit()
        code = self.git("stash", "--quiet", *self._rng.choice([[], ["--include-untracked"]]))
        if self._rng.random() < 0.5:
            self.switch()
        popped = self.git("stash", "pop", "--quiet") if self._rng.random() < 0.8 else ""
        if popped:
            self._resolve_files()
            self.git("add", "--all")
            self.git("stash", "drop", "--quiet")
        return f"{code} {popped}"

    def reset(self) -> str:
        """Move the branch back."""
        how = self._rng.choice(["--hard", "--soft", "--mixed", "--hard"])
        to = self._rng.choice(["HEAD~1", "HEAD~2", "ORIG_HEAD", "HEAD@{1}", "HEAD"])
        return f"{how} {to} {self.git('reset', '--quiet', how, to)}"

    def switch(self) -> str:
        """Check out a branch, a new one, or a commit."""
        if self._rng.random() < 0.6:
            self._clean()
        chance = self._rng.random()
        if chance < 0.35 and len(self._branches()) < MAX_BRANCHES:
            self._made += 1
            name = f"topic/{self._made}"
            return f"-b {name} {self.git('checkout', '--quiet', '-b', name)}"
        if chance < 0.5:
            return f"detached {self.git('checkout', '--quiet', '--detach', 'HEAD~1')}"
        name = self._rng.choice(self._branches())
        return f"{name} {self.git('checkout', '--quiet', name)}"

    def update_ref(self) -> str:
        """Move the branch under the work tree, as a push into it or a script does."""
        return str(self.git("update-ref", "HEAD", self._rng.choice(["HEAD~1", "ORIG_HEAD"])))

    def collect(self) -> str:
        """Pack everything and throw away what nothing names."""
        if self._rng.random() < 0.5:
            self.git("reflog", "expire", "--expire=now", "--all")
        return str(self.git("gc", "--quiet", "--prune=now"))

    def worktree(self) -> str:
        """Add a linked work tree on a new branch or detached."""
        if len(self.worktrees) >= MAX_WORKTREES:
            return ""
        self._made += 1
        place = self.root.parent / f"tree_{self._made}"
        how = self._rng.choice([["--detach"], ["-b", f"tree/{self._made}"]])
        code = self.git("worktree", "add", "--quiet", *how, str(place), "HEAD")
        if code == 0:
            self.worktrees.append(place)
        return f"{place.name} {code}"

    def remove_worktree(self) -> str:
        """Remove a linked work tree, by git or by hand."""
        if not self.worktrees:
            return ""
        place = self.worktrees.pop(self._rng.randrange(len(self.worktrees)))
        self.here = self.root
        if self._rng.random() < 0.5:
            return f"{place.name} {self.git('worktree', 'remove', '--force', str(place))}"
        shutil.rmtree(place)
        return f"{place.name} {self.git('worktree', 'prune')}"

    # ------------------------------------------------------------------ conflicts

    def _resolved(self, said: str, verb: str, *arguments: str) -> str:
        """Run a command that may stop, and go on until it is over in one way or another."""
        codes = [self.git(verb, *arguments)]
        for _ in range(12):
            if not self._in_progress():
                break
            chance = self._rng.random()
            if chance < 0.15:
                codes.append(self.git(verb, "--abort"))
                continue
            if chance < 0.25 and verb != "merge":
                codes.append(self.git(verb, "--skip"))
                continue
            self._resolve_files()
            self.git("add", "--all")
            if verb == "merge":
                codes.append(self._commit("merged"))
            else:
                codes.append(self.git(verb, "--continue"))
                if codes[-1] and not self.git("diff", "--cached", "--quiet"):
                    codes.append(self.git(verb, "--skip"))  # nothing is left of it
        if self._in_progress():
            self.git(verb, "--abort")
        return f"{said} {codes}"

    def _in_progress(self) -> bool:
        asked = self._output("rev-parse", "--absolute-git-dir").strip()
        return any((self.root.__class__(asked) / name).exists() for name in _IN_PROGRESS)

    def _resolve_files(self) -> None:
        """Keep one side of each conflict, or both, or write something else."""
        for name in self._files():
            lines = self._read(name)
            if any(line.startswith("<<<<<<<") for line in lines):
                self._write(name, self._settled(lines))

    def _settled(self, lines: list[str]) -> list[str]:
        kept: list[str] = []
        side, wanted = "both", "both"
        for line in lines:
            if line.startswith("<<<<<<<"):
                wanted, side = self._rng.choice(["ours", "theirs", "both", "own"]), "ours"
                kept += [self._new_line()] if wanted == "own" else []
            elif line.startswith("|||||||") and side == "ours":
                side = "base"
            elif line.startswith("=======") and side in ("ours", "base"):
                side = "theirs"
            elif line.startswith(">>>>>>>"):
                side = wanted = "both"
            elif wanted in ("both", side) or side == "both":
                kept.append(line)
        return kept

    # ------------------------------------------------------------------ small things

    def git(self, *arguments: str) -> int:
        """Run git here and return its exit code."""
        return self._run(*arguments).returncode

    def _output(self, *arguments: str) -> str:
        return self._run(*arguments).stdout

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        # Some share a second, as the commits of a rebase do; some clocks are wrong.
        self._instant += self._rng.choice([0, 1, 60, 60, -30])
        name, email = PEOPLE[self._instant % len(PEOPLE)]
        date = f"{self._instant} +0000"
        author = {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": email}
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        return subprocess.run(
            ["git", *arguments],
            cwd=self.here,
            env={**self._environment, **author, **dates},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def _clean(self) -> None:
        """Have nothing uncommitted, mostly."""
        if self._rng.random() < 0.7:
            self._commit_all("before")
        else:
            self.git("reset", "--hard", "--quiet")
            self.git("clean", "-fdq")

    def _commit_all(self, word: str) -> int:
        self.git("add", "--all")
        return self._commit(word)

    def _commit(self, word: str) -> int:
        self._made += 1
        message = f"{word} {self._made}\n\nThe reason is number {self._made}, see #{self._made}.\n"
        return self.git("commit", "--quiet", "-m", message)

    def _branches(self) -> list[str]:
        found = self._output("for-each-ref", "--format=%(refname:short)", "refs/heads").split()
        return found or ["HEAD"]

    def _files(self) -> list[str]:
        """Return what there is; at least one file, so that everybody has something to do."""
        places = [
            path.relative_to(self.here).as_posix()
            for suffix in ("py", "md")
            for path in self.here.rglob(f"*.{suffix}")
            if ".git" not in path.parts
        ]
        if not places:
            self._write("src/one.py", self._new_text())
            return ["src/one.py"]
        return sorted(places)

    def _new_text(self) -> list[str]:
        lines = []
        for _ in range(self._rng.randint(2, 4)):
            self._made += 1
            lines += [f"def function_{self._made}(argument):"]
            lines += [self._new_line() for _ in range(self._rng.randint(3, 9))]
            lines += ["    return argument", ""]
        return lines

    def _new_line(self) -> str:
        if self._rng.random() < 0.2:
            return self._rng.choice(["", "    return argument", "    argument += 1"])
        self._made += 1
        return f"    argument = step_{self._made}(argument)"

    def _changed(self, lines: list[str]) -> list[str]:
        at, size = self._rng.randint(0, len(lines)), self._rng.randint(1, 4)
        added = [self._new_line() for _ in range(self._rng.randint(1, 4))]
        chance = self._rng.random()
        if chance < 0.3:
            return [*lines[:at], *added, *lines[at:]]
        if chance < 0.5 and len(lines) > 8:
            return [*lines[:at], *lines[at + size :]]
        if chance < 0.6:
            taken, rest = lines[at : at + size], [*lines[:at], *lines[at + size :]]
            to = self._rng.randint(0, len(rest))
            return [*rest[:to], *taken, *rest[to:]]
        if chance < 0.7:
            self._made += 1
            return [*lines[:at], f"def function_{self._made}(argument):", *added, *lines[at:]]
        return [*lines[:at], *added, *lines[at + size :]]

    def _read(self, name: str) -> list[str]:
        return (self.here / name).read_text().splitlines()

    def _write(self, name: str, lines: list[str]) -> None:
        target = self.here / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("".join(f"{line}\n" for line in lines))

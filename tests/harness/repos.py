r"""Real git repositories for tests: fixed author and dates, no configuration of the machine.

    repo = Repo.create(tmp_path / "project", {"a.py": "def marmot(): ...\n"})
    repo.write("b.py", "import a\n")
    commit = repo.commit("Use a")

Equal calls give equal commit ids.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

EPOCH = 1_700_000_000
"""Author and committer time of the first commit; each later one is a minute younger."""
GIT_DEADLINE_S = 60


class GitCommandFailed(AssertionError):
    """A git command of the test itself failed."""


def git_environment(home: Path) -> dict[str, str]:
    """Return an environment in which git reads no configuration but the repository's own."""
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": str(home),
        "LC_ALL": "C",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": "Ada Author",
        "GIT_AUTHOR_EMAIL": "ada@example.org",
        "GIT_COMMITTER_NAME": "Carl Committer",
        "GIT_COMMITTER_EMAIL": "carl@example.org",
        "GIT_EDITOR": "true",
        "GIT_SEQUENCE_EDITOR": "true",
    }


class Repo:
    """A checkout on disk with the git commands that tests need."""

    def __init__(self, root: Path, environment: Mapping[str, str] | None = None) -> None:
        self.root = root
        self.environment = dict(environment or git_environment(root.parent))
        self._commits = 0

    @classmethod
    def create(
        cls,
        root: Path,
        files: Mapping[str, str | bytes] | None = None,
        *,
        object_format: str = "sha1",
    ) -> Repo:
        """Make a repository on branch main; with files, also its first commit."""
        root.mkdir(parents=True, exist_ok=True)
        repo = cls(root)
        repo.git("init", "--quiet", "--initial-branch=main", f"--object-format={object_format}")
        if files:
            repo.write_all(files)
            repo.commit("First commit")
        return repo

    def git(self, *arguments: str, check: bool = True, stdin: str | None = None) -> str:
        """Run git in the checkout and return its output; raises GitCommandFailed."""
        date = f"{EPOCH + 60 * self._commits} +0000"
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env={**self.environment, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=GIT_DEADLINE_S,
            check=False,
        )
        if check and done.returncode != 0:
            raise GitCommandFailed(f"git {' '.join(arguments)}: {done.stderr or done.stdout}")
        return done.stdout

    def write(self, path: str, content: str | bytes) -> Path:
        """Write one file, with its directories; text is written as it is, without translation."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    def write_all(self, files: Mapping[str, str | bytes]) -> None:
        """Write several files."""
        for path, content in files.items():
            self.write(path, content)

    def read(self, path: str) -> str:
        """Return a file's text."""
        return (self.root / path).read_bytes().decode()

    def remove(self, path: str) -> None:
        """Delete a file or a whole directory from the work tree."""
        target = self.root / path
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        else:
            target.unlink()

    def rename(self, old: str, new: str) -> None:
        """Move a file or directory inside the work tree, without telling git."""
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)

    def commit(self, message: str, *paths: str, amend: bool = False) -> str:
        """Commit everything (or only these paths) and return the commit's id."""
        self.git("add", "--all", *(("--", *paths) if paths else ()))
        self._commits += 1
        options = ("--amend",) if amend else ()
        self.git("commit", "--quiet", "--allow-empty", "--message", message, *options)
        return self.head()

    def head(self) -> str:
        """Return the id of the commit that is checked out."""
        return self.git("rev-parse", "HEAD").strip()

    def branch(self, name: str) -> None:
        """Make a branch here and switch to it."""
        self.git("checkout", "--quiet", "-b", name)

    def switch(self, name: str) -> None:
        """Check out a branch or commit."""
        self.git("checkout", "--quiet", name)

    def worktree(self, root: Path, branch: str) -> Repo:
        """Add a linked work tree on a new branch."""
        self.git("worktree", "add", "--quiet", "-b", branch, str(root))
        return Repo(root, self.environment)

    def clone(self, root: Path, *options: str) -> Repo:
        """Clone into another directory, over the file protocol so that options like depth hold."""
        self.git("clone", "--quiet", *options, f"file://{self.root}", str(root))
        return Repo(root, self.environment)

    def files(self) -> set[str]:
        """Return what git lists: tracked files and untracked ones that are not ignored."""
        listed = self.git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        return {path for path in listed.split("\0") if path}


def python_module(name: str, functions: int = 3, body_lines: int = 4) -> str:
    """Return a Python module whose functions have names and texts found nowhere else."""
    lines = [f'"""Module {name}."""', "", f"from collections import {name}_imported", ""]
    for number in range(functions):
        lines += ["", f"def {name}_function_{number}(argument: int) -> int:"]
        lines += [f'    """Return what {name} number {number} makes of the argument."""']
        lines += [f"    argument += {step} * {number + 1}" for step in range(body_lines)]
        lines += ["    return argument", ""]
    return "\n".join(lines)


def many_modules(count: int, directory: str = "package") -> dict[str, str]:
    """Return `count` small modules spread over directories of fifty."""
    return {
        f"{directory}/part_{number // 50}/module_{number}.py": python_module(f"module_{number}", 2)
        for number in range(count)
    }

"""The questions, and the trees they are about.

A set is a JSON file: projects with the commit that their paths were written down for, questions
with the documents that answer them (any of them is right), and topics that no document treats.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HERE = Path(__file__).parent
SETS = ("test", "dev", "dev_hard")
LINK = b"120000"


class NotAvailable(Exception):
    """A repository or its commit cannot be had; says which and how to get it."""


@dataclass(frozen=True)
class Question:
    """A question; `paths` answer it, none if it is about an absent topic.

    `far` asks the same in words that the documents do not use, as somebody new would. `style` is
    how-to, what-is, problem or keywords; of an absent topic it is `near` when it shares words with
    the documents, else `far`.
    """

    text: str
    style: str
    paths: tuple[str, ...] = ()
    heading: str = ""
    far: str = ""

    @property
    def reworded(self) -> Question:
        """The same question in its other words."""
        return replace(self, text=self.far)


@dataclass(frozen=True)
class Project:
    """A repository at a commit; of `under` only these folders, of no `under` everything."""

    name: str
    source: str
    commit: str
    under: tuple[str, ...]
    kind: str
    markup: str
    questions: tuple[Question, ...]
    absent: tuple[Question, ...]

    @property
    def asked(self) -> tuple[Question, ...]:
        """All that is asked, in everyday words, in others, and about absent topics."""
        reworded = (one.reworded for one in self.questions if one.far)
        return *self.questions, *reworded, *self.absent


def load_set(name: str) -> list[Project]:
    """Read one of SETS."""
    told = json.loads((HERE / f"{name}.json").read_text())
    return [
        Project(
            name=one["name"],
            source=one["source"],
            commit=one["commit"],
            under=tuple(one["under"]),
            kind=one["kind"],
            markup=one["markup"],
            questions=tuple(
                Question(
                    text=asked["question"],
                    style=asked["style"],
                    paths=tuple(asked["paths"]),
                    heading=asked["heading"],
                    far=asked["far"],
                )
                for asked in one["questions"]
            ),
            absent=tuple(
                Question(asked["question"], "near" if asked["shares_words"] else "far")
                for asked in one["absent"]
            ),
        )
        for one in told["projects"]
    ]


def check_out(project: Project, sources: Path | None, cache: Path) -> Path:
    """Write the files of a project's commit into the cache, once, and return where they are.

    They become a git repository with that one commit. `sources` is looked at for a repository
    first, else it is fetched from GitHub. Raises NotAvailable.
    """
    root = cache / f"{project.name}-{project.commit[:12]}" / project.name
    if (root / ".git").is_dir():
        return root
    part = root.with_name(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for path, content in _blobs(project, _repository(project, sources, cache)):
        target = part / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    _git(part, "init", "-q")
    _git(part, "add", "-A", "-f")
    _git(part, "-c", "user.name=-", "-c", "user.email=-", "commit", "-q", "-m", project.commit)
    missing = [
        path
        for question in project.questions
        for path in question.paths
        if not (part / path).is_file()
    ]
    if missing:
        raise NotAvailable(f"{project.source}: these documents are not there: {missing}")
    os.replace(part, root)
    return root


def _repository(project: Project, sources: Path | None, cache: Path) -> Path:
    owner, _, name = project.source.partition("/")
    places = (f"{owner}+{name}/repo", f"{owner}+{name}", f"{owner}/{name}", f"{name}.git", name)
    for place in (sources / place for place in places) if sources else ():
        if (place / "HEAD").is_file() or (place / ".git").exists():
            return place
    clone = cache / f"{name}.git"
    if not clone.is_dir():
        _git(cache, "init", "-q", "--bare", str(clone))
    _git(clone, "fetch", "-q", "--depth=1", f"https://github.com/{project.source}", project.commit)
    return clone


def _blobs(project: Project, repository: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the commit but links; what a partial mirror lacks is left out."""
    listed = _git(repository, "ls-tree", "-r", "-z", project.commit, "--", *project.under)
    reader = subprocess.Popen(
        ["git", "-C", str(repository), "cat-file", "--batch"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert reader.stdin is not None
    assert reader.stdout is not None
    for entry in listed.split(b"\0"):
        facts, _, path = entry.partition(b"\t")
        if not entry or facts.split()[1] != b"blob" or facts.startswith(LINK):
            continue
        reader.stdin.write(facts.split()[2] + b"\n")
        reader.stdin.flush()
        head = reader.stdout.readline().split()
        if head[1] == b"missing":
            continue
        yield os.fsdecode(path), reader.stdout.read(int(head[2]))
        reader.stdout.read(1)
    reader.stdin.close()
    reader.wait()


def _git(directory: Path, *arguments: str) -> bytes:
    done = subprocess.run(
        ["git", "-C", str(directory), *arguments], capture_output=True, check=False
    )
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        raise NotAvailable(f"git {' '.join(arguments[:3])} in {directory}: {said}")
    return done.stdout


def asked_of(projects: Sequence[Project]) -> int:
    """Count all that is asked."""
    return sum(len(one.asked) for one in projects)

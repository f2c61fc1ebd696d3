"""Makes the directory of checkouts that the quality measurements read.

    python corpora.py CORPORA                    clones from the network
    python corpora.py --mirror DIR CORPORA       exports from clones that are in DIR already
    python corpora.py --check CORPORA            says what is there and which queries can be asked

CORPORA/NAME becomes the whole tree of the repository NAME at the revision that the annotations were
validated against, without .git. A clone in DIR may be bare or not, and be called NAME, OWNER/NAME
or OWNER+NAME, each with or without .git. What is there already is left alone.

Exit code 1 when a repository is missing in the end.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from contrib.bench.quality.dataset import DEV, Dataset, Repo, load_dataset
from contrib.bench.quality.scopes import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class CorpusMissing(Exception):
    """A repository could not be had."""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpora", type=Path, help="where the checkouts go, or are")
    parser.add_argument("--mirror", type=Path, metavar="DIR", help="clones to export from")
    parser.add_argument("--dataset", type=Path, default=DEV)
    parser.add_argument("--repo", action="append", default=[], help="only this one; repeatable")
    parser.add_argument("--check", action="store_true", help="only say what is there")
    arguments = parser.parse_args(argv)
    dataset = load_dataset(arguments.dataset)
    try:
        repos = dataset.select(arguments.repo)
    except KeyError as error:
        parser.error(str(error.args[0]))
    if not arguments.check:
        for repo in repos:
            obtain(repo, arguments.corpora, arguments.mirror)
    return check(dataset, repos, arguments.corpora)


def obtain(repo: Repo, corpora: Path, mirror: Path | None) -> None:
    """Put one repository in place and say so; a failure is printed and leaves nothing behind."""
    target = corpora / repo.name
    if target.exists():
        return
    corpora.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".corpora-", dir=corpora) as scratch:
        try:
            clone = find_clone(repo, mirror) if mirror else fetch_clone(repo, Path(scratch))
            export(clone, repo.revision, Path(scratch) / "tree")
        except CorpusMissing as error:
            print(f"{repo.name}: {error}", file=sys.stderr)
            return
        (Path(scratch) / "tree").rename(target)
    print(f"{repo.name}: {repo.revision[:12]}", flush=True)


def find_clone(repo: Repo, mirror: Path) -> Path:
    """Return the git directory of a local clone that has the revision; raises CorpusMissing."""
    for place in places_of(repo, mirror):
        for directory in (place / ".git", place, *_subdirectories(place)):
            if _has_commit(directory, repo.revision):
                return directory
    raise CorpusMissing(f"no clone in {mirror} has {repo.revision}; it is {repo.source}")


def places_of(repo: Repo, mirror: Path) -> Iterator[Path]:
    """Yield where a clone may be."""
    owner, _, project = repo.source.removesuffix(".git").rpartition("/")
    owner = owner.rpartition("/")[2]
    for name in (repo.name, project, f"{owner}/{project}", f"{owner}+{project}"):
        yield mirror / name
        yield mirror / f"{name}.git"


def _subdirectories(place: Path) -> list[Path]:
    return sorted(one for one in place.iterdir() if one.is_dir()) if place.is_dir() else []


def fetch_clone(repo: Repo, scratch: Path) -> Path:
    """Clone from the network into the scratch directory; raises CorpusMissing."""
    into = scratch / "clone"
    into.mkdir()
    _git(into, "init", "--quiet", "--bare")
    # One commit is enough; a server that gives none by its id gives all.
    for refs in (("--depth=1", repo.source, repo.revision), (repo.source, "+refs/*:refs/*")):
        if _succeeds(into, "fetch", "--quiet", "--no-tags", *refs):
            break
    if not _has_commit(into, repo.revision):
        raise CorpusMissing(f"{repo.source} did not give {repo.revision}; is the network there?")
    return into


def export(git_directory: Path, revision: str, tree: Path) -> None:
    """Write the whole tree of a commit; raises CorpusMissing.

    Not by `git archive`, which leaves out what the repository's own attributes say.
    """
    tree.mkdir()
    index = {"GIT_INDEX_FILE": str(tree.with_name("index"))}
    _git(git_directory, "read-tree", revision, variables=index)
    _git(git_directory, "checkout-index", "--all", f"--prefix={tree}/", variables=index)


def check(dataset: Dataset, repos: Sequence[Repo], corpora: Path) -> int:
    """Say which repositories are there and which queries can be asked; return the exit code."""
    usable = total = missing = 0
    for repo in repos:
        queries = dataset.queries[repo.name]
        total += len(queries)
        scope = Scope(repo, corpora.resolve() / repo.name, "root")
        if not scope.directory.is_dir():
            missing += 1
            print(f"{repo.name:<22} {repo.language:<11} MISSING; it is {repo.source}")
            continue
        gone = {query.id: paths for query in queries if (paths := scope.missing_targets(query))}
        usable += len(queries) - len(gone)
        print(f"{repo.name:<22} {repo.language:<11} {len(queries) - len(gone)} of {len(queries)}")
        for query_id, paths in gone.items():
            print(f"    {query_id}: no file {', '.join(paths)}")
    print(f"{usable} of {total} queries can be asked, {missing} repositories are missing")
    return 1 if missing else 0


def _has_commit(git_directory: Path, revision: str) -> bool:
    return git_directory.is_dir() and _succeeds(
        git_directory, "cat-file", "-e", f"{revision}^{{commit}}"
    )


def _run(
    git_directory: Path, words: Sequence[str], variables: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", f"--git-dir={git_directory}", *words],
        cwd=git_directory,
        env={**os.environ, "GIT_TERMINAL_PROMPT": "0", **(variables or {})},
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )


def _succeeds(git_directory: Path, *words: str) -> bool:
    return _run(git_directory, words).returncode == 0


def _git(git_directory: Path, *words: str, variables: dict[str, str] | None = None) -> None:
    done = _run(git_directory, words, variables)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()[-1:] or ["without a word"]
        raise CorpusMissing(f"git {words[0]} in {git_directory} failed: {said[0]}")


if __name__ == "__main__":
    if shutil.which("git") is None:
        raise SystemExit("corpora.py: git is needed and was not found")
    sys.exit(main())

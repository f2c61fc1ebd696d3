"""Two judges of a daemon's history: the same code from nothing, and `git blame`.

    await history_oracle.assert_right(daemon, "marmots", tmp_path / "scratch")

Call it when the daemon has settled (`daemon.settle(history=True)`). The first judge reads the
repository into a new file of its own beside the daemon's catalog and asks for every chunk; the
second counts the lines of each chunk by the commit that `git blame` names. The daemon is asked as
anybody asks it, over the control API.
"""

from __future__ import annotations

import sqlite3
import subprocess
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio.to_thread

from paparatsd.chunks.address import format_lines
from paparatsd.history.child import Server
from paparatsd.history.followed import Asked, Followed, Lines
from paparatsd.model import ProjectName
from paparatsd.store.reader import CatalogReader
from tests.harness.daemon import PACKAGE_ROOT
from tests.harness.oracle import from_catalog
from tests.harness.repos import git_environment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.history.followed import PlaceLog
    from paparatsd.history_model import FoundCommit
    from tests.harness.daemon import Daemon

ALL = 200
NOBODY = "0" * 40
Place = tuple[str, int, int]


class Past(NamedTuple):
    """What is said of one place: (commit, role, lines, born) newest first, and the rest."""

    commits: tuple[tuple[str, str, int, bool], ...]
    total: int
    uncommitted: int
    complete: bool

    @property
    def owners(self) -> Counter[str]:
        """Lines by the commit that they are from."""
        return Counter({commit: lines for commit, _, lines, _ in self.commits if lines})


class Blamed(NamedTuple):
    """The commit of each line, "0000..." where there is none, and those at which history ends."""

    commits: list[str]
    ends: frozenset[str]


def _is_on_its_way(status: dict[str, Any], name: str) -> bool:
    project = next(one for one in status["projects"] if one["name"] == name)
    return (project["history"] or {}).get("state") in ("scanning", "mapping")


async def assert_right(
    daemon: Daemon, name: str, scratch: Path, *, blame: bool = True
) -> Mapping[Place, Past]:
    """Fail unless both judges agree with the daemon; returns what all say of each chunk."""
    # A head that moved a moment ago may not have been told to the history process yet.
    await daemon.wait_until(lambda status: not _is_on_its_way(status, name))
    project = await daemon.project(name)
    places = chunks_of(daemon.state / "catalog.sqlite3", name)
    found = {place: await told(daemon, name, place) for place in places}
    listed = await commits_of(daemon, name)
    wanted, expected = await anyio.to_thread.run_sync(
        from_nothing, daemon.state / "catalog.sqlite3", project, scratch, places
    )
    problems = [
        f"{place}\n  should be {wanted[place]}\n  is        {found[place]}"
        for place in places
        if wanted[place] != found[place]
    ]
    problems += [f"listed: {one}" for one in expected if one not in listed]
    problems += [f"listed too much: {one}" for one in listed if one not in expected]
    root = Path(project["root"])
    if blame and project["head"] and not (root / ".git" / "MERGE_HEAD").exists():
        problems += await anyio.to_thread.run_sync(_against_blame, root, found)
    assert not problems, f"history of {name} is wrong:\n" + "\n".join(
        [*problems[:8], *problems[-8:]]
    )
    return found


def chunks_of(catalog: Path, name: str) -> list[Place]:
    """Return every chunk of a project as (path, first line, last line)."""
    files = from_catalog(catalog, name).files
    return sorted(
        {
            (path, one.start_line, one.end_line)
            for path, file in files.items()
            for one in file.pieces
        }
    )


async def told(daemon: Daemon, name: str, place: Place) -> Past:
    """Ask the daemon for the history of a place."""
    path, start, end = place
    answer = await daemon.log(format_lines(name, path, start, end))
    assert not answer["pending"], answer["notes"]
    return Past(
        tuple((c["commit"]["id"], c["role"], c["lines"], c["born"]) for c in answer["commits"]),
        answer["total"],
        answer["uncommitted"],
        answer["complete"],
    )


async def commits_of(daemon: Daemon, name: str) -> list[tuple[Any, ...]]:
    """Return the newest commits of a project with the files and the places of each."""
    body = {"projects": [name], "limit": ALL, "merges": True}
    answer = await daemon.call("POST", "/v1/commits", body)
    return [
        (
            one["commit"]["id"],
            tuple((file["path"], file["change"], file["old_path"]) for file in one["files"]),
            one["files_total"],
            frozenset((place["path"], place["start_line"]) for place in one["places"]),
            one["places_total"],
        )
        for one in answer["commits"]
    ]


def _commit_of(one: FoundCommit) -> tuple[Any, ...]:
    return (
        one.commit.id,
        tuple((file.path, file.change.value, file.old_path) for file in one.files),
        one.files_total,
        frozenset((place.path, place.start_line) for place in one.places),
        one.places_total,
    )


def from_nothing(
    catalog: Path, project: Mapping[str, Any], scratch: Path, places: Sequence[Place]
) -> tuple[dict[Place, Past], list[tuple[Any, ...]]]:
    """Read a project's history into a new file; returns that of each place, and all commits."""
    with closing(CatalogReader(catalog)) as reader:
        row = reader.project(ProjectName(project["name"]))
    for old in scratch.parent.glob(f"{scratch.name}*"):
        old.unlink()
    with closing(Server(scratch, catalog)) as server:
        server.follow(
            Followed(
                project_id=row.id,
                name=row.entry.name,
                repo=row.repo,
                root=project["root"],
                git=project["history"]["reason"] != "not a git repository",
                generation=row.generation,
                head=row.head.commit,
                branch=row.head.branch,
            )
        )
        while server.work(1.0).busy:
            pass
        found = server.find([row.id], "", Asked(), (), ALL, merges=True).commits
        return (
            {place: _past_of(server.log(Lines(row.id, *place), ALL)) for place in places},
            [_commit_of(one) for one in found],
        )


def _past_of(log: PlaceLog) -> Past:
    return Past(
        tuple((c.commit.id, c.role.value, c.lines, c.born) for c in log.commits),
        log.total,
        log.uncommitted,
        log.complete,
    )


# ------------------------------------------------------------------------------ blame


def _against_blame(root: Path, found: Mapping[Place, Past]) -> list[str]:
    problems = []
    blamed = {path: blame(root, path) for path in {place[0] for place in found}}
    for (path, start, end), past in found.items():
        of_file = blamed[path]
        lines = end - start + 1
        commits = of_file.commits[start - 1 : end] if of_file is not None else [NOBODY] * lines
        counted = Counter(commits)
        fresh = counted.pop(NOBODY, 0)
        if of_file is not None:
            for commit in of_file.ends:
                counted.pop(commit, None)
        if (counted, fresh) != (past.owners, past.uncommitted):
            problems.append(
                f"{path}:{start}-{end} git blame {dict(counted)}, {fresh} uncommitted; "
                f"we {dict(past.owners)}, {past.uncommitted} uncommitted"
            )
    return problems


def blame(root: Path, path: str) -> Blamed | None:
    """Return what git blame says of a file as it is on disk; None when it is not at the head."""
    listed = _git(root, "ls-tree", "HEAD", "--", path)
    if not listed:
        return None
    commits: dict[int, str] = {}
    for line in _git(root, "blame", "--porcelain", "--", path).split("\n"):
        words = line.split(" ")
        if len(words[0]) in (40, 64) and len(words) in (3, 4) and not line.startswith("\t"):
            commits[int(words[2])] = NOBODY if set(words[0]) == {"0"} else words[0]
    return Blamed([commits[number] for number in sorted(commits)], _ends(root))


def _ends(root: Path) -> frozenset[str]:
    """Return the commits of a shallow clone that have parents which are not there."""
    place = root / _git(root, "rev-parse", "--git-path", "shallow").rstrip("\n")
    listed = place.read_text().split() if place.exists() else []
    return frozenset(
        name for name in listed if "\nparent " in _git(root, "cat-file", "commit", name)
    )


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-c", "core.quotePath=off", *arguments],
        cwd=root,
        env=git_environment(PACKAGE_ROOT),
        capture_output=True,
        check=True,
    )
    return done.stdout.decode("utf-8", "surrogateescape")


def kept_pasts(state: Path) -> set[tuple[int, int]]:
    """Return (version, commit) of all pasts that the history file keeps."""
    path = state / "history.sqlite3"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return set(connection.execute("SELECT version, base FROM pasts"))

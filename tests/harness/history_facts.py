"""Short ways to make what goes into a history file."""

from __future__ import annotations

from hashlib import sha1

from paparatsd.chunks.terms import STOP, TERMS_VERSION, stem, tokens
from paparatsd.commits import Change, Commit, CommitFacts, Hunk, Moment, Person, Touch
from paparatsd.model import CommitId, RepoId
from paparatsd.store.history_rows import Skeleton, Words

WORDS = Words(TERMS_VERSION, tokens, frozenset(map(stem, STOP)))
REPO = RepoId("a" * 40)
ANN = Person("Ann Lee", "ann@example.org")
BOB = Person("Bob", "bob@example.org")


def cid(name: object) -> CommitId:
    """Make the id of a commit of that name."""
    return CommitId(sha1(str(name).encode(), usedforsecurity=False).hexdigest())


def touch(path: str, *, parent: int = 0, change: Change = Change.MODIFY, line: int = 1) -> Touch:
    """Make a touch that replaces one line by two."""
    return Touch(path, parent, change, cid(path), (Hunk(line, 1, line, 2),))


def facts(
    name: object,
    parents: tuple[object, ...] = (),
    *touches: Touch,
    at: int = 1000,
    author: Person = ANN,
    subject: str = "",
    body: str = "",
) -> CommitFacts:
    """Make a commit of that name with what it touched."""
    commit = Commit(
        id=cid(name),
        parents=tuple(map(cid, parents)),
        author=author,
        authored=Moment(at - 5, 120),
        committer=BOB,
        committed=Moment(at, -330),
        subject=subject or f"Change {name}",
        body=body,
    )
    return CommitFacts(commit, touches)


def skeleton(one: CommitFacts) -> Skeleton:
    """Return the place of a commit in the graph."""
    return Skeleton(one.commit.id, one.commit.parents, one.commit.committed.seconds)

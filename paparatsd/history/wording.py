"""How one project writes its people and tickets, and where its pages are on the web."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import GitFailed
from paparatsd.history.ignore_revs import parse_ignore_revs
from paparatsd.history.links import commit_url, ticket_url
from paparatsd.history.mailmap import Mailmap, parse_mailmap
from paparatsd.history.remotes import parse_remote
from paparatsd.history.tickets import NO_RULES, Relation, TicketRules, find_tickets
from paparatsd.history.trailers import co_authors
from paparatsd.history_model import CommitNote, TicketNote
from paparatsd.small_file import UnreadableFileError, read_small_file
from paparatsd.sources.git import config_value
from paparatsd.store.history_rows import TicketLink
from paparatsd.ticket_patterns import BadPatternError, compile_pattern
from paparatsd.user_paths import expanded

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from paparatsd.commits import Commit, Person
    from paparatsd.history.followed import Followed
    from paparatsd.model import CommitId, ProjectName
    from paparatsd.sources.repo import Checkout

log = structlog.get_logger()

MAX_FILE_BYTES = 16 << 20
TICKETS_VERSION = 1
"""Raised when messages are read for tickets in another way: they are read again."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What a project's own files and its remote say about people, tickets and pages.

    `ignored` are the commits of `.git-blame-ignore-revs`. Equal `digest`s find the same tickets.
    """

    mailmap: Mailmap = field(default_factory=Mailmap)
    rules: TicketRules = NO_RULES
    remote: str = ""
    jira: str = ""
    ignored: frozenset[CommitId] = frozenset()
    digest: str = field(default="", compare=False)

    def person(self, person: Person) -> Person:
        """Return a person as they want to be shown."""
        return self.mailmap.apply(person)

    def tickets_in(self, commit: Commit) -> tuple[TicketLink, ...]:
        """Return the tickets that a commit names, as the store keeps them."""
        return tuple(
            TicketLink(one.key, one.source.value, one.relation.value)
            for one in find_tickets(_message(commit), rules=self.rules)
        )

    def note(self, project: ProjectName, commit: Commit) -> CommitNote:
        """Return a commit as it is shown."""
        message = _message(commit)
        author = self.person(commit.author)
        others = map(self.person, co_authors(message, commit.author))
        return CommitNote(
            project=project,
            id=commit.id,
            author=author,
            authored=commit.authored,
            committer=self.person(commit.committer),
            committed=commit.committed,
            subject=" ".join(commit.subject.split()),
            body=commit.body,
            co_authors=tuple(one for one in dict.fromkeys(others) if one != author),
            tickets=tuple(
                TicketNote(
                    one.key,
                    one.source.value,
                    one.relation is Relation.CLOSES,
                    ticket_url(self.remote, one, jira_url=self.jira or None),
                )
                for one in find_tickets(message, rules=self.rules)
            ),
            merge=len(commit.parents) > 1,
            url=commit_url(self.remote, commit.id),
        )


def wording_sources(followed: Followed, checkout: Checkout) -> tuple[object, ...]:
    """Return a value that changes with what `read_wording` reads, but for included settings."""
    paths = [*_mailmaps(checkout), _ignore_revs(checkout)]
    paths += [place / "config" for place in (checkout.common_dir,) if place is not None]
    paths += [place / "config.worktree" for place in (checkout.git_dir,) if place is not None]
    return (followed.patterns, followed.jira, *map(_stat_of, paths))


def _stat_of(path: Path) -> tuple[int, ...]:
    try:
        found = path.lstat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def _mailmaps(checkout: Checkout) -> list[Path]:
    named = [(checkout.work_tree or checkout.root) / ".mailmap"]
    if checkout.context is not None and checkout.context.mailmap_file:
        named.append(expanded(checkout.context.mailmap_file))
    return named


def _ignore_revs(checkout: Checkout) -> Path:
    return (checkout.work_tree or checkout.root) / ".git-blame-ignore-revs"


async def read_wording(followed: Followed, checkout: Checkout) -> Wording:
    """Read what a project says. What cannot be read says nothing, and is logged."""
    top = checkout.work_tree or checkout.root
    own = (checkout.work_tree or checkout.root) / ".mailmap"
    texts = [
        await asyncio.to_thread(_text_of, path, follow=path != own) for path in _mailmaps(checkout)
    ]
    ignored = parse_ignore_revs(await asyncio.to_thread(_text_of, _ignore_revs(checkout)))
    for problem in ignored.problems:
        log.warning("ignore_revs_problem", root=str(top), problem=problem)
    try:
        remote = await config_value(checkout.root, "remote.origin.url") or ""
    except GitFailed as error:
        log.warning("remote_unknown", root=str(checkout.root), error=str(error))
        remote = ""
    return Wording(
        mailmap=parse_mailmap("\n".join(texts)),
        rules=TicketRules(tuple(_compiled(followed.patterns)), parse_remote(remote)),
        remote=remote,
        jira=followed.jira,
        ignored=ignored.ids,
        digest=_digest((str(TICKETS_VERSION), remote, *followed.patterns)),
    )


def ignored_digest(ids: Iterable[CommitId]) -> str:
    """Return a name of a set of commits; "" for none."""
    listed = sorted(ids)
    return _digest(listed) if listed else ""


def _digest(texts: Iterable[str]) -> str:
    return hashlib.blake2b("\0".join(texts).encode(errors="replace"), digest_size=12).hexdigest()


def _message(commit: Commit) -> str:
    return f"{commit.subject}\n\n{commit.body}" if commit.body else commit.subject


def _compiled(patterns: Iterable[str]) -> Iterator[re.Pattern[str]]:
    for text in patterns:
        try:
            yield compile_pattern(text)
        except BadPatternError as error:
            log.warning("ticket_pattern_unusable", pattern=text, error=str(error))


def _text_of(path: Path, *, follow: bool = False) -> str:
    """Return a file's text; only what the user's own settings name may be a link."""
    try:
        data, _ = read_small_file(path, max_bytes=MAX_FILE_BYTES, follow=follow)
    except FileNotFoundError:
        return ""
    except UnreadableFileError as error:
        log.warning("file_not_read", path=str(path), error=str(error))
        return ""
    return data.decode("utf-8", "replace")

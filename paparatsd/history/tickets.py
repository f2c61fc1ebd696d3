"""Tickets that a commit message names.

`find_tickets` first blanks out what only looks like references (code, addresses, people), each
with as many characters as it had, then finds references by their place in the text, then looks
which of them a closing word stands before. All expressions have bounded repeats or begin where a
word begins, so time is proportional to the message.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from paparatsd.history.remotes import Forge, Remote
from paparatsd.history.ticket_marks import number_marks
from paparatsd.history.ticket_urls import URL, TicketPage, read_ticket_url, trim_url
from paparatsd.history.ticket_words import is_ticket_name
from paparatsd.ticket_patterns import MAX_LINE_CHARS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_OWN_S = 0.1
"""What one pattern of the repository may take of a message; then it finds no more in it."""
MAX_MESSAGE_CHARS = 64 << 10
"""What is looked at of one message."""
MAX_OWN_CHARS = 8 << 10
"""What own patterns are shown of it: the time they take is theirs, and only this bounds it."""
MAX_REFERENCES = 1_000
MAX_TICKETS = 200
MAX_KEY_CHARS = 100


class TicketSource(StrEnum):
    """Who gave a ticket its key, as far as its form tells."""

    JIRA = "jira"
    GITHUB = "github"
    """A number with `#`, as GitHub, Gitea, Bitbucket and Azure have it."""
    GITLAB = "gitlab"
    """A number with `!`, a page of a GitLab, and `#` where the remote is a GitLab."""
    ADVISORY = "advisory"
    """A published weakness: CVE, GHSA, RUSTSEC, PYSEC."""
    CUSTOM = "custom"
    """Found by a pattern of `.paparats.yml`."""


class Relation(StrEnum):
    """What a message says of a ticket."""

    MENTIONS = "mentions"
    CLOSES = "closes"


class Ticket(NamedTuple):
    """One ticket. `url` is its page where the message had one, else "".

    Keys: "ABC-12", "#12", "!12", "owner/repo#12", "group/sub/project!12", "CVE-2021-44228"; with
    the host in front where a page on another host than the remote's was named.
    """

    key: str
    source: TicketSource
    relation: Relation = Relation.MENTIONS
    url: str = ""


@dataclass(frozen=True, slots=True)
class TicketRules:
    """What the repository says: its own compiled patterns, and the remote it belongs to."""

    patterns: tuple[re.Pattern[str], ...] = ()
    home: Remote | None = None


NO_RULES = TicketRules()


class _Found(NamedTuple):
    """A reference and the characters it takes."""

    start: int
    end: int
    ticket: Ticket


_PUBLIC_HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
_SPACE = r"(?:[ \t]|\n(?!\n)){0,20}"
_KINDS = r"(?:issues?|bugs?|tickets?|tasks?|stor(?:y|ies)|prs?|mrs?|(?:pull|merge)[ ]requests?)"
_CLOSING = re.compile(
    r"(?<![\w-])(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)"
    rf"|implement(?:s|ed|ing)?)(?:-bug)?(?:[ \t]{{0,3}}:{_SPACE}|[ \t\n]{_SPACE}|(?=[#!]))"
    rf"(?:(?:the|this)[ ])?(?:(?:github|gitlab|jira)[ ])?(?:{_KINDS}(?:[ ]?:)?{_SPACE})?[\[(]?",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:\b(?:not|never|cannot|partially|partly|partial|without|no longer)|n['’]t)[ ]"
    r"(?:\w{1,20}[ ])?\Z",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    rf"(?:[\])]?[ \t]{{0,3}}(?:,?{_SPACE}(?:\b(?:and|or)\b|&)|[,;/+]){_SPACE}|[ \t]{{1,3}}(?!\())"
    rf"(?:{_KINDS}[ \t]{{1,3}})?[\[(]?",
    re.IGNORECASE,
)
_REVERT = re.compile(r"(?:\[[^\]\n]{0,40}\] ?)?revert(?:s|ed|ing)?\b", re.IGNORECASE)
_MERGE_LINE = re.compile(r"(?m)^(?:Merged?|Pull request)\b[^\n]{0,1000}")

_FENCED = re.compile(r"(?ms)^[ \t]{0,8}(```|~~~)[^\n]*\n.*?(?:^[ \t]{0,8}\1[^\n]*$|\Z)")
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)[^`\n]{1,1000}\1(?!`)")
_PEOPLE = re.compile(r"(?im)^[a-z]{1,30}(?:-[a-z]{1,30}){0,4}-by:[^\n]*$")
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,200}")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")

_JIRA = re.compile(
    r"(?<![\w.@$~+-])([A-Z][A-Z0-9]{1,19})-([1-9][0-9]{0,6})"
    r"(?![^\W_]|_(?![a-z])|[.-][0-9]|\.[A-Za-z]|/(?![A-Z][A-Z0-9]{1,19}-[0-9])\w)"
)
_JIRA_IN_BRANCH = re.compile(
    r"(?<![A-Za-z0-9])([A-Z][A-Z0-9]{1,19})-([1-9][0-9]{0,6})(?![A-Za-z0-9])"
)
_ONE_LESS = re.compile(r"(?:^|[\[\n]|\b(?:fix|clos|resolv|see|refs?|jira)\w{0,5}:? )\Z", re.I)
_ISSUE_IN_BRANCH = re.compile(
    r"(?<![A-Za-z0-9_-])(?:issues?|bug|gh)[-_/#]{0,2}([1-9][0-9]{0,6})(?=[-_/'\"\s]|\Z)", re.I
)
_NUMBERED_BRANCH = re.compile(r"branch '([1-9][0-9]{0,6})-[A-Za-z]")
_ADVISORY = re.compile(
    r"(?<![\w-])(?:CVE-[0-9]{4}-[0-9]{4,7}|RUSTSEC-[0-9]{4}-[0-9]{4}|PYSEC-[0-9]{4}-[0-9]{1,6}"
    r"|GHSA(?:-[23456789cfghjmpqrvwx]{4}){3})(?![\w-])"
)


def find_tickets(message: str, *, rules: TicketRules = NO_RULES) -> tuple[Ticket, ...]:
    """Return the tickets of a message (subject, blank line, body), each once, as they come.

    A ticket is said to be closed if a closing word stands before it anywhere; in a revert all are
    only mentioned. Where a pattern of the repository matches around a reference of the common
    forms, the pattern's key is taken; with equal keys the common form names the source.
    """
    raw = _CONTROL.sub(" ", message[:MAX_MESSAGE_CHARS])
    text = raw
    for noise in (_FENCED, _CODE, _PEOPLE):
        text = noise.sub(_blank, text)
    linked = list(_linked(text, rules.home))
    text = _EMAIL.sub(_blank, URL.sub(_blank, text))
    found = _without_overlaps(
        [*linked, *_advisories(raw), *_numbers(text, rules.home), *_jira(text), *_branches(text)]
    )
    if not _REVERT.match(raw):
        found = _with_closed(text, found)
    return _each_once(_with_custom(raw, found, rules.patterns))


def _blank(match: re.Match[str]) -> str:
    """Replace by as many characters; lines stay where they are."""
    return "".join("\n" if char == "\n" else "\x00" for char in match.group())


def _linked(text: str, home: Remote | None) -> Iterator[_Found]:
    for match in URL.finditer(text):
        url = trim_url(match.group())
        page = read_ticket_url(url)
        if page is not None:
            yield _Found(match.start(), match.start() + len(url), _of_page(page, home))


def _of_page(page: TicketPage, home: Remote | None) -> Ticket:
    if not page.path:
        return Ticket(page.number, TicketSource.JIRA, url=page.url)
    source = TicketSource.GITLAB if page.gitlab else TicketSource.GITHUB
    key = _key(page.path, page.number, home if home and home.host == page.host else None)
    known = page.host == home.host if home else page.host in _PUBLIC_HOSTS
    return Ticket(key if known else f"{page.host}/{key}", source, url=page.url)


def _key(path: str, number: str, home: Remote | None) -> str:
    """Return the key of a number in a repository; without its path if that is the remote's."""
    if home is not None and path.lower() == home.path.lower():
        return number
    return path + number


def _numbers(text: str, home: Remote | None) -> Iterator[_Found]:
    """Yield `#12`, `!12`, `GH-12`, `owner/repo#12` and plain numbers of trailers."""
    plain = (
        TicketSource.GITLAB if home and home.forge is Forge.GITLAB else TicketSource.GITHUB
    )  # what a number with `#` is called here
    names = frozenset(home.path.lower().split("/")) if home else frozenset()
    for mark in number_marks(text, names):
        source = TicketSource.GITLAB if mark.number.startswith("!") else plain
        key = _key(mark.path, mark.number, home) if mark.path else mark.number
        yield _Found(mark.start, mark.end, Ticket(key, source))


def _advisories(text: str) -> Iterator[_Found]:
    """Yield ids of weaknesses, in code and addresses too: nothing else looks like them."""
    for match in _ADVISORY.finditer(text):
        yield _Found(*match.span(), Ticket(match.group(), TicketSource.ADVISORY))


def _jira(text: str) -> Iterator[_Found]:
    for match in _JIRA.finditer(text):
        number = int(match[2])
        if not is_ticket_name(match[1], number):
            continue
        # `LENGTH-1` is arithmetic far more often than a project's first ticket.
        if number == 1 and not _ONE_LESS.search(text[max(0, match.start() - 20) : match.start()]):
            continue
        yield _Found(*match.span(), Ticket(match.group(), TicketSource.JIRA))


def _branches(text: str) -> Iterator[_Found]:
    """Yield what the names of branches say in the lines that merges are begun with."""
    for line in _MERGE_LINE.finditer(text):
        for match in _JIRA_IN_BRANCH.finditer(text, *line.span()):
            if is_ticket_name(match[1], int(match[2])):
                yield _Found(*match.span(), Ticket(match.group(), TicketSource.JIRA))
        for match in _ISSUE_IN_BRANCH.finditer(text, *line.span()):
            yield _Found(*match.span(), Ticket(f"#{match[1]}", TicketSource.GITHUB))
        # GitLab makes branches of issues so, and says what merge request a merge is.
        match_or_none = _NUMBERED_BRANCH.search(text, *line.span())
        if match_or_none and "See merge request" in text:
            ticket = Ticket(f"#{match_or_none[1]}", TicketSource.GITLAB)
            yield _Found(match_or_none.start(1), match_or_none.end(1), ticket)


def _without_overlaps(found: Iterable[_Found]) -> list[_Found]:
    """Keep, in the order of the text, what does not begin inside an earlier reference."""
    kept: list[_Found] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept[:MAX_REFERENCES]


def _with_closed(text: str, found: list[_Found]) -> list[_Found]:
    """Mark what a closing word stands before, and the rest of its list."""
    closing_ends = {
        match.end()
        for match in _CLOSING.finditer(text)
        if not _DENIED.search(text[max(0, match.start() - 40) : match.start()])
    }
    marked: list[_Found] = []
    closed_to = -1
    for one in found:
        in_list = closed_to >= 0 and _BETWEEN.fullmatch(text, closed_to, one.start)
        if one.start in closing_ends or (in_list and one.start > closed_to):
            one = one._replace(ticket=one.ticket._replace(relation=Relation.CLOSES))
            closed_to = one.end
        else:
            closed_to = -1
        marked.append(one)
    return marked


def _with_custom(
    raw: str, found: list[_Found], patterns: tuple[re.Pattern[str], ...]
) -> list[_Found]:
    own = [one for pattern in patterns for one in _custom(raw, pattern)]
    common = [
        one
        for one in found
        if not any(
            mine.start <= one.start and one.end <= mine.end and mine.ticket.key != one.ticket.key
            for mine in own
        )
    ]
    # Sorting keeps the order of equals: with one place, the common form comes first.
    return sorted([*common, *own], key=lambda one: one.start)


def _custom(raw: str, pattern: re.Pattern[str]) -> Iterator[_Found]:
    """Yield at most MAX_TICKETS matches; each line is a text of its own, cut to a length."""
    start = count = 0
    end = time.monotonic() + MAX_OWN_S
    for line in raw[:MAX_OWN_CHARS].split("\n"):
        if time.monotonic() > end:
            return
        for match in pattern.finditer(line[:MAX_LINE_CHARS]):
            key = (match[1] if pattern.groups else match.group()) or ""
            key = key.strip()
            if 0 < len(key) <= MAX_KEY_CHARS and key.isprintable():
                first, last = match.span()
                yield _Found(start + first, start + last, Ticket(key, TicketSource.CUSTOM))
                count += 1
            if count >= MAX_TICKETS:
                return
        start += len(line) + 1


def _each_once(found: Iterable[_Found]) -> tuple[Ticket, ...]:
    """Return one ticket per key: the first source, and what is said of it most strongly."""
    tickets: dict[str, Ticket] = {}
    for _, _, ticket in found:
        known = tickets.get(ticket.key)
        if known is None:
            if len(tickets) < MAX_TICKETS:
                tickets[ticket.key] = ticket
            continue
        tickets[ticket.key] = known._replace(
            relation=max(known.relation, ticket.relation, key=lambda x: x is Relation.CLOSES),
            url=known.url or ticket.url,
        )
    return tuple(tickets.values())

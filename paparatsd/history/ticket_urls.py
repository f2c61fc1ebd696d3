"""Web addresses of issues, pull requests and merge requests, as people paste them."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from paparatsd.history.remotes import clean_segments, is_host

URL = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s<>\"'`\x00]{1,2000}")
_PARTS = re.compile(r"(https?)://([A-Za-z0-9.-]{1,253})(:[0-9]{1,5})?(/[^?#]*)(?:[?#].*)?")
_NUMBER = re.compile(r"[1-9][0-9]{0,9}")
_JIRA_KEY = re.compile(r"[A-Z][A-Z0-9]{1,20}-[1-9][0-9]{0,6}")
_ISSUES = frozenset({"issues", "issue", "work_items", "discussions", "pull", "pulls"})
_MERGES = frozenset({"merge_requests"})
_PULL_REQUESTS = frozenset({"pull-requests", "pullrequests"})
_TRAILING = ".,;:!?)]}>'\"*_"


class TicketPage(NamedTuple):
    """A ticket's page.

    `number` is with its mark ("#12", "!12") and `path` the repository's; or `number` is a Jira key
    and `path` is empty. `url` is the page alone, encoded anew, without query and fragment.
    """

    host: str
    path: str
    number: str
    url: str
    gitlab: bool


def trim_url(url: str) -> str:
    """Take off the punctuation of the sentence that an address stands in."""
    while url and url[-1] in _TRAILING:
        if url[-1] == ")" and url.count("(") >= url.count(")"):
            break
        url = url[:-1]
    return url


def read_ticket_url(url: str) -> TicketPage | None:
    """Tell which ticket a URL shows; None when it shows something else."""
    match = _PARTS.fullmatch(url)
    if match is None or not is_host(match[2].lower()):
        return None
    segments = clean_segments(match[4])
    if segments is None:
        return None
    host = match[2].lower().removeprefix("www.")
    base = f"{match[1]}://{match[2].lower()}{match[3] or ''}"
    return _jira(host, base, segments) or _numbered(host, base, segments)


def _jira(host: str, base: str, segments: list[str]) -> TicketPage | None:
    """Read `/browse/KEY`, below a context path too, and `/issue/KEY` of other trackers."""
    for at, segment in enumerate(segments[:-1]):
        if segment in ("browse", "issue") and _JIRA_KEY.fullmatch(segments[at + 1]):
            page = "/".join((base, *segments[: at + 2]))
            return TicketPage(host, "", segments[at + 1], page, gitlab=False)
    return None


def _numbered(host: str, base: str, segments: list[str]) -> TicketPage | None:
    for at in range(2, len(segments) - 1):
        if not _NUMBER.fullmatch(segments[at + 1]):
            continue
        kind, number = segments[at], segments[at + 1]
        path = segments[:at]
        dashed = path[-1] == "-"
        if dashed:
            path = path[:-1]
        gitlab = dashed or kind in _MERGES or "gitlab" in host
        # Below another forge a repository's path has two parts; more means another page.
        if len(path) < 2 or (len(path) > 2 and not gitlab and kind not in _PULL_REQUESTS):
            return None
        if path[0] == "projects" and "repos" in path and kind in _PULL_REQUESTS:
            path = [path[1], path[-1]]
        if kind in _ISSUES or kind in _PULL_REQUESTS:
            mark = "#"
        elif kind in _MERGES:
            mark = "!"
        else:
            continue
        page = "/".join((base, *segments[: at + 2]))
        return TicketPage(host, unquote("/".join(path)), mark + number, page, gitlab)
    return None

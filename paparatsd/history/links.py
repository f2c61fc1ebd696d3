"""Web pages of commits and tickets, made from the URL of the remote."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paparatsd.history.remotes import Forge, Remote, clean_segments, parse_remote
from paparatsd.history.tickets import Ticket, TicketSource

if TYPE_CHECKING:
    from collections.abc import Mapping

_COMMIT_ID = re.compile(r"[0-9a-f]{7,64}")
_JIRA_KEY = re.compile(r"[A-Z][A-Z0-9]+-[0-9]+")
_NUMBERED = re.compile(r"(?P<path>[^#!]*)(?P<mark>[#!])(?P<number>[1-9][0-9]{0,9})")
_ADVISORY_KEY = re.compile(r"(?:CVE|GHSA|RUSTSEC|PYSEC)-[A-Za-z0-9-]+")

_COMMITS: Mapping[Forge, str] = {
    Forge.GITHUB: "{base}/{path}/commit/{id}",
    Forge.GITLAB: "{base}/{path}/-/commit/{id}",
    Forge.BITBUCKET: "{base}/{path}/commits/{id}",
    Forge.BITBUCKET_SERVER: "{base}/projects/{owner}/repos/{name}/commits/{id}",
    Forge.GITEA: "{base}/{path}/commit/{id}",
    Forge.SOURCEHUT: "{base}/{path}/commit/{id}",
    Forge.AZURE: "{base}/{owner}/_git/{name}/commit/{id}",
}
_TICKETS: Mapping[tuple[Forge, str], str] = {
    # GitHub and Gitea send on from an issue's address when the number is a pull request's.
    (Forge.GITHUB, "#"): "{base}/{path}/issues/{id}",
    (Forge.GITLAB, "#"): "{base}/{path}/-/issues/{id}",
    (Forge.GITLAB, "!"): "{base}/{path}/-/merge_requests/{id}",
    (Forge.BITBUCKET, "#"): "{base}/{path}/issues/{id}",
    # It has no issues of its own, so a number can only be a pull request.
    (Forge.BITBUCKET_SERVER, "#"): "{base}/projects/{owner}/repos/{name}/pull-requests/{id}",
    (Forge.GITEA, "#"): "{base}/{path}/issues/{id}",
    (Forge.GITEA, "!"): "{base}/{path}/pulls/{id}",
    (Forge.AZURE, "#"): "{base}/{owner}/_workitems/edit/{id}",
    (Forge.AZURE, "!"): "{base}/{owner}/_git/{name}/pullrequest/{id}",
}


def commit_url(remote: str, commit_id: str) -> str | None:
    """Return the page of a commit; None when the site is not known or the id is none."""
    place = parse_remote(remote)
    if place is None or place.forge is None or not _COMMIT_ID.fullmatch(commit_id):
        return None
    return _filled(_COMMITS[place.forge], place, place.path, commit_id)


def ticket_url(remote: str, ticket: Ticket, *, jira_url: str | None = None) -> str | None:
    """Return the page of a ticket; None where it cannot be known.

    A ticket that was written as a URL has that one. `jira_url` is the checked `history.jira` of
    `.paparats.yml`; without it a Jira key leads nowhere. What own patterns find leads nowhere.
    """
    if ticket.url:
        return ticket.url
    if ticket.source is TicketSource.ADVISORY:
        return _advisory_url(ticket.key)
    if ticket.source is TicketSource.JIRA:
        if jira_url is None or not _JIRA_KEY.fullmatch(ticket.key):
            return None
        return f"{jira_url.rstrip('/')}/browse/{ticket.key}"
    if ticket.source is TicketSource.CUSTOM:
        return None
    return _numbered_url(parse_remote(remote), ticket.key)


def _numbered_url(place: Remote | None, key: str) -> str | None:
    match = _NUMBERED.fullmatch(key)
    if place is None or place.forge is None or match is None:
        return None
    template = _TICKETS.get((place.forge, match["mark"]))
    path = place.path
    if match["path"]:
        segments = clean_segments(match["path"])
        if segments is None or len(segments) < 2 or place.forge is Forge.AZURE:
            return None
        path = "/".join(segments)
    return _filled(template, place, path, match["number"]) if template else None


def _filled(template: str, place: Remote, path: str, number: str) -> str:
    owner, _, name = path.rpartition("/")
    return template.format(base=place.base, path=path, owner=owner, name=name, id=number)


def _advisory_url(key: str) -> str | None:
    if not _ADVISORY_KEY.fullmatch(key):
        return None
    if key.startswith("CVE-"):
        return f"https://www.cve.org/CVERecord?id={key}"
    if key.startswith("GHSA-"):
        return f"https://github.com/advisories/{key}"
    return f"https://osv.dev/vulnerability/{key}"

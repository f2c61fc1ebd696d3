"""`paparats fetch`, and what the other commands say of repositories elsewhere."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadQuery
from paparatsd.exits import NOT_TAKEN
from paparatsd.interfaces.cli.output import counted, span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from paparatsd.interfaces.cli.context import Context

FETCH_S = 3_600.0


def url_of(text: str) -> str | None:
    """Return what is meant as a repository elsewhere; None for a directory of this disk.

    What is there, or could be, is never taken for `owner/repo`; a bare repository is to be cloned.
    """
    from paparatsd.sources.remote_address import looks_remote

    place = Path(text).expanduser()
    if place.is_dir():
        bare = place.name != ".git" and all(
            (place / n).exists() for n in ("HEAD", "objects", "refs")
        )
        return str(place.resolve()) if bare else None
    if ":" not in text and place.parent.is_dir():
        return None  # `src/gone` where there is a `src`: a path that is not there
    return text if looks_remote(text) else None


def remote_options(context: Context) -> dict[str, Any]:
    """Return what of the command line is about a repository elsewhere."""
    arguments = context.arguments
    given = {key: getattr(arguments, key) for key in ("branch", "ref", "depth")}
    return {key: value for key, value in given.items() if value is not None}


def refuse_remote_options(context: Context) -> None:
    """Raise BadQuery when options were given that a directory of this disk has no use for."""
    odd = sorted(remote_options(context))
    if odd:
        raise BadQuery(
            f"--{odd[0]} is for repositories elsewhere; {context.arguments.path} is a path"
        )


def fetch(context: Context) -> int:
    """Fetch one repository elsewhere now, or all."""
    client = context.client(FETCH_S)
    answer = client.call("POST", "/v1/fetch", {"project": context.arguments.project})
    failed = [one for one in answer["fetched"] if one["problem"]]
    if context.arguments.wait:
        for one in answer["fetched"]:
            if not one["problem"]:
                client.flush(one["project"])
    if context.as_json:
        context.output.json(answer)
        return NOT_TAKEN if failed else 0
    for one in answer["fetched"]:
        if one["problem"]:
            context.output.line(f"{one['project']} was not fetched: {one['problem']}")
        else:
            news = "has new commits, now" if one["moved"] else "has nothing new, still"
            context.output.line(f"{one['project']} {news} at {one['commit'][:10]}")
    if not answer["fetched"]:
        context.output.line("no project follows a repository elsewhere")
    return NOT_TAKEN if failed else 0


def source_of(project: Mapping[str, Any]) -> str:
    """Return where a project comes from, for a list: its URL, or its directory."""
    remote = project.get("remote")
    if remote:
        return str(remote["url"])
    return "(pushed)" if project.get("pushed") else str(project["root"])


def remote_lines(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each project that follows a repository elsewhere."""
    now = time.time()
    for project in answer["projects"]:
        remote = project.get("remote")
        if not remote:
            continue
        what = remote["ref"] or remote["branch"]
        followed = f"{remote['url']}" + (f" ({what})" if what else "")
        yield f"{project['name']} follows {followed}: {', '.join(_times(remote, now))}"


def _times(remote: Mapping[str, Any], now: float) -> Iterator[str]:
    if remote["state"] in ("cloning", "fetching"):
        yield f"{remote['state']} now"
    fetched, checked, following = (remote[key] for key in ("fetched_at", "checked_at", "next_at"))
    if fetched is None:
        yield "not fetched yet"
    else:
        yield f"fetched {span(max(now - fetched, 0))} ago"
        if checked is not None and checked - fetched > 1:
            yield f"asked {span(max(now - checked, 0))} ago"
    if following is None:
        yield "next when told to"
    elif remote["state"] == "waiting":
        yield f"next in {span(max(following - now, 0))}"


def removal_question(context: Context, name: str) -> str:
    """Return what to ask before a project goes: what of it goes, too."""
    found = [one for one in context.client().projects() if one["name"] == name]
    kept = "Its files stay."
    if found and found[0].get("remote"):
        kept = "Its clone is deleted, too."
    elif found and found[0].get("pushed"):
        kept = f"The {counted(found[0]['files'], 'file')} that were pushed are deleted, too."
    return f"Remove {name} and its index? {kept}"

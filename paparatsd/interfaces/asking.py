"""The calls of the control API that ask: search, show, log, commits, explain (contrib/API.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paparatsd.errors import UnknownAddress
from paparatsd.history_model import CommitRequest
from paparatsd.interfaces import shapes
from paparatsd.interfaces.arguments import changed_filter
from paparatsd.interfaces.requests import body_of, parameters_of
from paparatsd.model import GroupName, ProjectName
from paparatsd.search.render import fitting
from paparatsd.search_model import SearchRequest

if TYPE_CHECKING:
    from starlette.requests import Request

    from paparatsd.interfaces.api import ServiceApi
    from paparatsd.interfaces.arguments import Arguments

MAX_RESULTS = 100
MAX_COMMITS = 200
MAX_COMMITS_PER_HIT = 50
MAX_LINE = 9_999_999
"""Beyond the last line of any file."""


async def search(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/search."""
    arguments = await body_of(request)
    offset = arguments.number("offset", default=0, low=0, high=MAX_RESULTS)
    max_tokens = arguments.number("max_tokens", default=0, low=0, high=1_000_000)
    wanted = search_request(arguments)
    wanted = replace(
        wanted,
        limit=min(wanted.limit + offset, MAX_RESULTS),
        related=arguments.flag("related", default=False),
        explain=arguments.flag("explain", default=False),
        history=arguments.flag("history", default=False),
    )
    arguments.finish()
    answer = await service.search(wanted)
    hits, following = fitting(answer.hits, max_tokens or None, offset)
    return shapes.answer_json(replace(answer, hits=hits), following, explain=wanted.explain)


async def show(service: ServiceApi, request: Request) -> dict[str, Any]:
    """GET /v1/show."""
    arguments = parameters_of(request)
    address = arguments.text("address", max_chars=8192)
    radius = arguments.number("radius", default=0, low=0, high=1000)
    arguments.finish()
    await _check_file(service, address)
    return shapes.view_json(await service.show(address, radius))


async def log(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/log."""
    arguments = await body_of(request)
    address = arguments.text("address", max_chars=8192)
    limit = arguments.number("limit", default=10, low=1, high=MAX_COMMITS)
    arguments.finish()
    await _check_file(service, address)
    return shapes.log_json(await service.chunk_log(address, limit))


async def _check_file(service: ServiceApi, address: str) -> None:
    """Say of an address that is a file alone whether the file is there, before how to go on.

    Raises UnknownAddress, UnknownProject; any other address is for the service to judge.
    """
    project, colon, path = address.strip().partition(":")
    if not (project and colon and path) or "#" in path or ":" in path:
        return
    try:
        await service.show(f"{project}:{path}:1-{MAX_LINE}", 0)
    except UnknownAddress:
        raise UnknownAddress(
            f"there is no file {path!r} in the index of {project}; `paparats skipped {project}` "
            "lists what is left out"
        ) from None


async def commits(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/commits."""
    arguments = await body_of(request)
    wanted = CommitRequest(
        query=arguments.optional_text("query", max_chars=10_000) or "",
        changed=changed_filter(arguments),
        projects=tuple(map(ProjectName, arguments.texts("projects"))),
        groups=tuple(map(GroupName, arguments.texts("groups"))),
        paths=arguments.texts("paths"),
        limit=arguments.number("limit", default=10, low=1, high=MAX_COMMITS),
        merges=arguments.flag("merges", default=False),
    )
    arguments.finish()
    return shapes.commits_json(await service.find_commits(wanted))


async def explain(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/explain."""
    arguments = await body_of(request)
    number = arguments.number("commits", default=5, low=1, high=MAX_COMMITS_PER_HIT)
    wanted = search_request(arguments, "query", "question")
    arguments.finish()
    wanted = replace(wanted, related=True, history=True)
    return shapes.explanation_json(await service.explain(wanted, number))


def search_request(arguments: Arguments, *names: str) -> SearchRequest:
    """Take what a search takes; `names`: what the question may be called, "query" as a rule."""
    return SearchRequest(
        query=arguments.text_of(*(names or ("query",)), max_chars=10_000),
        limit=arguments.number("limit", default=5, low=1, high=MAX_RESULTS),
        projects=tuple(map(ProjectName, arguments.texts("projects"))),
        groups=tuple(map(GroupName, arguments.texts("groups"))),
        paths=arguments.texts("paths"),
        languages=arguments.texts("languages"),
        kinds=arguments.texts("kinds"),
        fresh=arguments.flag("fresh", default=False),
        deadline_s=arguments.real("deadline_s", default=10.0, low=0.05, high=60.0),
        changed=changed_filter(arguments),
    )

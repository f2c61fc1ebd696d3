"""The calls of the control API about the symbol graph (contrib/API.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from paparatsd.graph_model import GraphScope
from paparatsd.interfaces import graph_requests as requests
from paparatsd.interfaces import graph_shapes as shapes
from paparatsd.interfaces.requests import body_of
from paparatsd.model import GroupName, ProjectName

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from paparatsd.graph_model import OutlineRequest
    from paparatsd.interfaces.api import ServiceApi
    from paparatsd.interfaces.arguments import Arguments

Wanted = TypeVar("Wanted")


async def usages(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/usages."""
    wanted = await _wanted(request, requests.usages_request)
    return shapes.usages_json(await service.graph.usages(wanted))


async def definition(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/definition."""
    wanted = await _wanted(request, requests.definition_request)
    return shapes.definition_json(await service.graph.definition(wanted))


async def outline(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/outline."""
    wanted = await _wanted(request, _outline_request)
    return shapes.outline_json(await service.graph.outline(wanted))


async def calls(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/calls."""
    wanted = await _wanted(request, requests.paths_request)
    return shapes.paths_json(await service.graph.call_paths(wanted))


async def impact(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/impact."""
    wanted = await _wanted(request, requests.impact_request)
    return shapes.impact_json(await service.graph.impact(wanted))


async def changed(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/changed."""
    wanted = await _wanted(request, requests.changed_request)
    return shapes.changed_json(await service.graph.changed(wanted))


async def unused(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/unused."""
    wanted = await _wanted(request, requests.survey_request)
    return shapes.survey_json(await service.graph.unused(wanted))


async def hubs(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/hubs."""
    wanted = await _wanted(request, requests.survey_request)
    return shapes.survey_json(await service.graph.hubs(wanted))


def _outline_request(arguments: Arguments, scope: GraphScope) -> OutlineRequest:
    max_tokens = arguments.number(
        "max_tokens",
        default=4_000,
        low=requests.MIN_OUTLINE_TOKENS,
        high=requests.MAX_OUTLINE_TOKENS,
    )
    place = arguments.text("address", max_chars=requests.MAX_ADDRESS_CHARS)
    return requests.outline_request(arguments, scope, max_tokens, place)


async def _wanted(request: Request, read: Callable[[Arguments, GraphScope], Wanted]) -> Wanted:
    """Return what a request asks for; raises BadQuery, also for what nobody reads."""
    arguments = await body_of(request)
    wanted = read(arguments, _scope(arguments))
    arguments.finish()
    return wanted


def _scope(arguments: Arguments) -> GraphScope:
    return GraphScope(
        projects=tuple(map(ProjectName, arguments.texts("projects"))),
        groups=tuple(map(GroupName, arguments.texts("groups"))),
        paths=arguments.texts("paths"),
        fresh=arguments.flag("fresh", default=False),
    )

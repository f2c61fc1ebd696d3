"""The calls of the control API about the symbol graph (contrib/API.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.graph_model import GraphScope
from paparatsd.interfaces import graph_requests as requests
from paparatsd.interfaces import graph_shapes as shapes
from paparatsd.interfaces.requests import body_of
from paparatsd.model import GroupName, ProjectName

if TYPE_CHECKING:
    from starlette.requests import Request

    from paparatsd.interfaces.api import ServiceApi
    from paparatsd.interfaces.arguments import Arguments


async def usages(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/usages."""
    arguments = await body_of(request)
    wanted = requests.usages_request(arguments, _scope(arguments))
    arguments.finish()
    return shapes.usages_json(await service.graph.usages(wanted))


async def definition(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/definition."""
    arguments = await body_of(request)
    wanted = requests.definition_request(arguments, _scope(arguments))
    arguments.finish()
    return shapes.definition_json(await service.graph.definition(wanted))


async def outline(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/outline."""
    arguments = await body_of(request)
    max_tokens = arguments.number(
        "max_tokens",
        default=4_000,
        low=requests.MIN_OUTLINE_TOKENS,
        high=requests.MAX_OUTLINE_TOKENS,
    )
    place = arguments.text("address", max_chars=requests.MAX_ADDRESS_CHARS)
    wanted = requests.outline_request(arguments, _scope(arguments), max_tokens, place)
    arguments.finish()
    return shapes.outline_json(await service.graph.outline(wanted))


async def calls(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/calls."""
    arguments = await body_of(request)
    wanted = requests.paths_request(arguments, _scope(arguments))
    arguments.finish()
    return shapes.paths_json(await service.graph.call_paths(wanted))


async def impact(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/impact."""
    arguments = await body_of(request)
    wanted = requests.impact_request(arguments, _scope(arguments))
    arguments.finish()
    return shapes.impact_json(await service.graph.impact(wanted))


async def changed(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/changed."""
    arguments = await body_of(request)
    wanted = requests.changed_request(arguments, _scope(arguments))
    arguments.finish()
    return shapes.changed_json(await service.graph.changed(wanted))


async def unused(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/unused."""
    arguments = await body_of(request)
    wanted = requests.survey_request(arguments, _scope(arguments))
    arguments.finish()
    return shapes.survey_json(await service.graph.unused(wanted))


async def hubs(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/hubs."""
    arguments = await body_of(request)
    wanted = requests.survey_request(arguments, _scope(arguments))
    arguments.finish()
    return shapes.survey_json(await service.graph.hubs(wanted))


def _scope(arguments: Arguments) -> GraphScope:
    return GraphScope(
        projects=tuple(map(ProjectName, arguments.texts("projects"))),
        groups=tuple(map(GroupName, arguments.texts("groups"))),
        paths=arguments.texts("paths"),
        fresh=arguments.flag("fresh", default=False),
    )

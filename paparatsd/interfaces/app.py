"""The routes of each listener: agents over TCP, the owner over the Unix socket."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog
from starlette.responses import JSONResponse
from starlette.routing import Router

from paparatsd.interfaces import pushing
from paparatsd.interfaces.control import JsonRoute, control_routes, json_endpoint
from paparatsd.interfaces.programs import probe, program_routes
from paparatsd.interfaces.shapes import error_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.routing import BaseRoute
    from starlette.types import Receive, Scope, Send

    from paparatsd.interfaces.api import ServiceApi

log = structlog.get_logger()


async def _not_found(scope: Scope, receive: Receive, send: Send) -> None:
    response = JSONResponse(error_json("not_found", "there is nothing at this path"), 404)
    await response(scope, receive, send)


def _health_route(service: ServiceApi) -> JsonRoute:
    async def health(_request: Request) -> JSONResponse:
        return await probe(service)

    return JsonRoute("/health", health, "GET", "GET")


def agents_app(
    service: ServiceApi,
    mcp_routes: Sequence[BaseRoute],
    allowed_projects: Sequence[str] = (),
    *,
    has_token: bool = False,
) -> Router:
    """Return what TCP serves: MCP, health, routes for programs, pushing; nothing that configures.

    Files are taken from who has the token alone, and only for `allowed_projects` if there are any;
    what else changes something is refused without a token, too.
    """
    pushes = [
        JsonRoute(path, json_endpoint(service, call), method, method)
        for method, path, call in pushing.calls_of_strangers(allowed_projects, has_token=has_token)
    ]
    programs = program_routes(service, trusted=has_token)
    routes = [_health_route(service), *pushes, *programs, *mcp_routes]
    return Router(routes, redirect_slashes=False, default=_not_found)


def owner_app(service: ServiceApi, mcp_routes: Sequence[BaseRoute]) -> Router:
    """Return what the Unix socket serves: the control API, programs, MCP for the stdio bridge."""
    own = (*control_routes(service), *program_routes(service, trusted=True))
    routes = [_health_route(service), *own, *mcp_routes]
    return Router(routes, redirect_slashes=False, default=_not_found)

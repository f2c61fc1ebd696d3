"""What a request to the control API brings: its parameters, or the JSON object in its body."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery
from paparatsd.interfaces.arguments import Arguments

if TYPE_CHECKING:
    from starlette.requests import Request


def parameters_of(request: Request) -> Arguments:
    """Return the query string; a name given twice is refused, not guessed."""
    pairs = request.query_params.multi_items()
    if len({name for name, _ in pairs}) != len(pairs):
        raise BadQuery("a parameter is given more than once")
    return Arguments(dict(pairs))


async def body_of(request: Request) -> Arguments:
    """Return the JSON object in the body; no body counts as an empty object."""
    parameters_of(request).finish()
    data = await request.body()
    if not data.strip():
        return Arguments({})
    try:
        members = json.loads(data)
    except (ValueError, RecursionError):
        raise BadQuery("the request body is not valid JSON") from None
    if not isinstance(members, dict):
        raise BadQuery("the request body must be a JSON object")
    return Arguments(members)

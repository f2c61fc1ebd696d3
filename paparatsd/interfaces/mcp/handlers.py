"""What the SDK's server is given to answer about prompts and resources.

Each function returns handlers by the name that the server takes them under, none for a toolset
that has nothing of the kind: the server then does not claim to have any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from paparatsd.errors import BadQuery
from paparatsd.interfaces.mcp.prompts import filled
from paparatsd.interfaces.mcp.resources import read_resource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp.server.context import ServerRequestContext

    from paparatsd.interfaces.mcp.prompts import Prompt
    from paparatsd.interfaces.mcp.reply import ToolsApi
    from paparatsd.interfaces.mcp.resources import Resource, ResourceText


def prompt_handlers(prompts: Sequence[Prompt]) -> Mapping[str, Any]:
    """Return the handlers of prompts/list and prompts/get."""
    if not prompts:
        return {}
    listing = types.ListPromptsResult(prompts=[_listed(one) for one in prompts])
    by_name = {one.name: one for one in prompts}

    async def list_prompts(
        _context: ServerRequestContext[Any], _params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return listing

    async def get_prompt(
        _context: ServerRequestContext[Any], params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        prompt = by_name.get(params.name)
        if prompt is None:
            known = ", ".join(by_name)
            message = f"there is no prompt {params.name[:80]!r}; there are {known}"
            raise MCPError(types.INVALID_PARAMS, message)
        try:
            text = filled(prompt, params.arguments or {})
        except BadQuery as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        said = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=prompt.description, messages=[said])

    return {"on_list_prompts": list_prompts, "on_get_prompt": get_prompt}


def _listed(prompt: Prompt) -> types.Prompt:
    return types.Prompt(
        name=prompt.name,
        title=prompt.title,
        description=prompt.description,
        arguments=[
            types.PromptArgument(name=one.name, description=one.description, required=one.required)
            for one in prompt.arguments
        ],
    )


def resource_handlers(resources: Sequence[Resource], service: ToolsApi) -> Mapping[str, Any]:
    """Return the handlers of resources/list, resources/templates/list and resources/read."""
    if not resources:
        return {}
    plain = [_resource(one) for one in resources if not one.is_template]
    listing = types.ListResourcesResult(resources=plain)
    open_ones = [_template(one) for one in resources if one.is_template]
    templates = types.ListResourceTemplatesResult(resource_templates=open_ones)

    async def list_resources(
        _context: ServerRequestContext[Any], _params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return listing

    async def list_templates(
        _context: ServerRequestContext[Any], _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return templates

    async def read(
        _context: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        found = await _read(resources, service, params.uri)
        contents = types.TextResourceContents(
            uri=params.uri, mime_type=found.media_type, text=found.text
        )
        return types.ReadResourceResult(contents=[contents])

    return {
        "on_list_resources": list_resources,
        "on_list_resource_templates": list_templates,
        "on_read_resource": read,
    }


async def _read(resources: Sequence[Resource], service: ToolsApi, uri: str) -> ResourceText:
    for resource in resources:
        part = resource.part_of(uri)
        if part is not None:
            return await read_resource(resource, service, part)
    known = ", ".join(one.uri for one in resources)
    raise MCPError(types.INVALID_PARAMS, f"there is no resource {uri[:200]!r}; there are {known}")


def _resource(one: Resource) -> types.Resource:
    return types.Resource(
        uri=one.uri,
        name=one.name,
        title=one.title,
        description=one.description,
        mime_type=one.media_type,
    )


def _template(one: Resource) -> types.ResourceTemplate:
    return types.ResourceTemplate(
        uri_template=one.uri,
        name=one.name,
        title=one.title,
        description=one.description,
        mime_type=one.media_type,
    )

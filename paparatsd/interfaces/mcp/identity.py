"""Who we say we are, and where each toolset is found.

No SDK here: the stdio bridge needs it fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paparatsd import __version__
from paparatsd.interfaces.mcp.instructions import (
    CODEBASE_INSTRUCTIONS,
    CODING_INSTRUCTIONS,
    PROJECTS_INSTRUCTIONS,
    SUPPORT_INSTRUCTIONS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

SERVER_NAME = "paparats-mcp"

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Protocol versions that begin with `initialize`, oldest first."""


@dataclass(frozen=True, slots=True)
class ToolsetIdentity:
    """One toolset as a client sees it before it lists the tools.

    `root` is what its paths begin with: `<root>/mcp`, `<root>/sse` and `<root>/messages`. Without
    prompts and resources it has `only_tools`.
    """

    name: str
    title: str
    root: str
    instructions: str
    only_tools: bool = False

    @property
    def endpoint(self) -> str:
        """The path of Streamable HTTP."""
        return f"{self.root}/mcp"

    @property
    def messages(self) -> str:
        """The path to which a client of the legacy event stream sends."""
        return f"{self.root}/messages"


CODING_ID = ToolsetIdentity("coding", "paparats code search", "", CODING_INSTRUCTIONS)
SUPPORT_ID = ToolsetIdentity(
    "support", "paparats code history for support", "/support", SUPPORT_INSTRUCTIONS
)
PROJECTS_ID = ToolsetIdentity(
    "projects", "paparats search by directory", "/projects", PROJECTS_INSTRUCTIONS, only_tools=True
)
CODEBASE_ID = ToolsetIdentity(
    "codebase", "paparats codebase search", "/codebase", CODEBASE_INSTRUCTIONS, only_tools=True
)
KNOWLEDGE_PATH = "/knowledge/mcp"
KNOWLEDGE_TITLE = "paparats documents"
"""The endpoint of strangers: no toolset, since it has neither sessions nor a bridge."""
IDENTITIES = {one.name: one for one in (CODING_ID, SUPPORT_ID, PROJECTS_ID, CODEBASE_ID)}


def instructions_of(toolset: ToolsetIdentity, allowed_projects: Sequence[str]) -> str:
    """Return what an agent is told, with the scope when there is one."""
    if not allowed_projects:
        return toolset.instructions
    names = ", ".join(allowed_projects)
    return f"{toolset.instructions}\n\nThis server answers for these projects only: {names}."


def initialize_result(toolset: ToolsetIdentity, requested_version: object) -> dict[str, Any]:
    """Return what the server answers to `initialize`, for when it is still starting."""
    known = requested_version in HANDSHAKE_VERSIONS
    capabilities: dict[str, Any] = {"tools": {"listChanged": False}}
    if not toolset.only_tools:
        capabilities["prompts"] = {"listChanged": False}
        capabilities["resources"] = {"subscribe": False, "listChanged": False}
    return {
        "protocolVersion": requested_version if known else HANDSHAKE_VERSIONS[-1],
        "capabilities": capabilities,
        "serverInfo": {"name": SERVER_NAME, "title": toolset.title, "version": __version__},
        "instructions": instructions_of(toolset, ()),
    }

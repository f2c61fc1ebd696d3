"""What each toolset has; `identity.py` says where it is found and what it tells agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.interfaces.mcp import code_prompts, note_prompts, support_prompts
from paparatsd.interfaces.mcp.codebase import CODEBASE
from paparatsd.interfaces.mcp.coding import CODING
from paparatsd.interfaces.mcp.identity import CODEBASE_ID, CODING_ID, PROJECTS_ID, SUPPORT_ID
from paparatsd.interfaces.mcp.indexer import PROJECTS
from paparatsd.interfaces.mcp.resources import CODING_RESOURCES, SUPPORT_RESOURCES
from paparatsd.interfaces.mcp.support import SUPPORT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paparatsd.interfaces.mcp.prompts import Prompt
    from paparatsd.interfaces.mcp.reply import AnyTool
    from paparatsd.interfaces.mcp.resources import Resource

TOOLS: Mapping[str, tuple[AnyTool, ...]] = {
    CODING_ID.name: CODING,
    SUPPORT_ID.name: SUPPORT,
    PROJECTS_ID.name: PROJECTS,
    CODEBASE_ID.name: CODEBASE,
}

PROMPTS: Mapping[str, tuple[Prompt, ...]] = {
    CODING_ID.name: (
        code_prompts.FIND_IMPLEMENTATION,
        code_prompts.TRACE_CALLERS,
        code_prompts.ONBOARD_TO_PROJECT,
        note_prompts.INIT_ARCH_MEMORY,
        note_prompts.AUDIT_ARCHITECTURE,
        note_prompts.RECORD_LESSON,
        note_prompts.EXTRACT_TERMINOLOGY,
    ),
    SUPPORT_ID.name: (
        support_prompts.ONBOARD_TO_PROJECT,
        support_prompts.TRIAGE_INCIDENT,
        support_prompts.PREPARE_RELEASE_NOTES,
        support_prompts.ASSESS_CHANGE_IMPACT,
        note_prompts.EXTRACT_TERMINOLOGY,
    ),
}
"""A toolset that is not named has none."""

RESOURCES: Mapping[str, tuple[Resource, ...]] = {
    CODING_ID.name: CODING_RESOURCES,
    SUPPORT_ID.name: SUPPORT_RESOURCES,
}
"""A toolset that is not named has none."""

"""The toolset of agents that write code."""

from __future__ import annotations

from paparatsd.interfaces.mcp.impact import CHANGED_SYMBOLS, IMPACT_ANALYSIS
from paparatsd.interfaces.mcp.outlines import OUTLINE
from paparatsd.interfaces.mcp.projects import DELETE_PROJECT, HEALTH_CHECK, LIST_PROJECTS
from paparatsd.interfaces.mcp.searching import GET_CHUNK, SEARCH_CODE
from paparatsd.interfaces.mcp.surveys import HUBS, UNUSED_DEFINITIONS
from paparatsd.interfaces.mcp.usages import CALL_PATHS, FIND_USAGES, GO_TO_DEFINITION

CODING = (
    SEARCH_CODE,
    GET_CHUNK,
    FIND_USAGES,
    GO_TO_DEFINITION,
    OUTLINE,
    CALL_PATHS,
    IMPACT_ANALYSIS,
    CHANGED_SYMBOLS,
    UNUSED_DEFINITIONS,
    HUBS,
    LIST_PROJECTS,
    HEALTH_CHECK,
    DELETE_PROJECT,
)

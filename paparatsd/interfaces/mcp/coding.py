"""The toolset of agents that write code."""

from __future__ import annotations

from paparatsd.interfaces.mcp.projects import DELETE_PROJECT, HEALTH_CHECK, LIST_PROJECTS
from paparatsd.interfaces.mcp.searching import GET_CHUNK, SEARCH_CODE

CODING = (SEARCH_CODE, GET_CHUNK, LIST_PROJECTS, HEALTH_CHECK, DELETE_PROJECT)

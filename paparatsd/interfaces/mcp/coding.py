"""The toolset of agents that write code."""

from __future__ import annotations

from paparatsd.interfaces.mcp.audit import ARCH_CHECK
from paparatsd.interfaces.mcp.documents import GET_DOCUMENT, SEARCH_DOCS
from paparatsd.interfaces.mcp.impact import CHANGED_SYMBOLS, IMPACT_ANALYSIS
from paparatsd.interfaces.mcp.memory import ARCH_CONTEXT, ARCH_LIST, ARCH_SUGGEST_COMPONENTS
from paparatsd.interfaces.mcp.outlines import OUTLINE
from paparatsd.interfaces.mcp.projects import DELETE_PROJECT, HEALTH_CHECK, LIST_PROJECTS
from paparatsd.interfaces.mcp.recording import (
    ARCH_DELETE,
    ARCH_RECORD_COMPONENT,
    ARCH_RECORD_DECISION,
    ARCH_RECORD_LESSON,
)
from paparatsd.interfaces.mcp.searching import GET_CHUNK, SEARCH_CODE
from paparatsd.interfaces.mcp.surveys import HUBS, UNUSED_DEFINITIONS
from paparatsd.interfaces.mcp.terms import TERM_DELETE, TERM_LIST, TERM_RECORD, TERM_SEARCH
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
    SEARCH_DOCS,
    GET_DOCUMENT,
    TERM_SEARCH,
    TERM_LIST,
    TERM_RECORD,
    TERM_DELETE,
    ARCH_CONTEXT,
    ARCH_LIST,
    ARCH_CHECK,
    ARCH_SUGGEST_COMPONENTS,
    ARCH_RECORD_COMPONENT,
    ARCH_RECORD_DECISION,
    ARCH_RECORD_LESSON,
    ARCH_DELETE,
    LIST_PROJECTS,
    HEALTH_CHECK,
    DELETE_PROJECT,
)

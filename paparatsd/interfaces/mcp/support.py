"""The toolset of agents that answer for people who do not see the code."""

from __future__ import annotations

from paparatsd.interfaces.mcp.changes import RECENT_CHANGES, SEARCH_CHANGES
from paparatsd.interfaces.mcp.chunk_meta import GET_CHUNK_META
from paparatsd.interfaces.mcp.commits import SEARCH_COMMITS
from paparatsd.interfaces.mcp.documents import GET_DOCUMENT, SEARCH_DOCS
from paparatsd.interfaces.mcp.features import EXPLAIN_FEATURE
from paparatsd.interfaces.mcp.impact import IMPACT_ANALYSIS
from paparatsd.interfaces.mcp.projects import HEALTH_CHECK, LIST_PROJECTS
from paparatsd.interfaces.mcp.searching import GET_CHUNK, SEARCH_CODE
from paparatsd.interfaces.mcp.terms import TERM_LIST, TERM_RECORD, TERM_SEARCH
from paparatsd.interfaces.mcp.usages import FIND_USAGES

SUPPORT = (
    SEARCH_CODE,
    GET_CHUNK,
    FIND_USAGES,
    HEALTH_CHECK,
    LIST_PROJECTS,
    GET_CHUNK_META,
    SEARCH_CHANGES,
    RECENT_CHANGES,
    EXPLAIN_FEATURE,
    SEARCH_COMMITS,
    IMPACT_ANALYSIS,
    SEARCH_DOCS,
    GET_DOCUMENT,
    TERM_SEARCH,
    TERM_LIST,
    TERM_RECORD,
)

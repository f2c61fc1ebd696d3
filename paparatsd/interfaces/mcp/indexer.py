"""The toolset `projects`: directories are registered by path and searched by it."""

from __future__ import annotations

from paparatsd.interfaces.mcp.directories import (
    ADD_PROJECT,
    INDEX_STATUS,
    LIST_DIRECTORIES,
    LOOKUP_PROJECT,
    REINDEX_PROJECT,
    REMOVE_PROJECT,
)
from paparatsd.interfaces.mcp.reading import GET_CODE_CONTEXT
from paparatsd.interfaces.mcp.semantic import SEMANTIC_SEARCH
from paparatsd.interfaces.mcp.symbols import (
    FILE_OUTLINE,
    FIND_REFERENCES,
    FIND_SYMBOL,
    SKELETON,
)

PROJECTS = (
    SEMANTIC_SEARCH,
    GET_CODE_CONTEXT,
    FIND_SYMBOL,
    FIND_REFERENCES,
    FILE_OUTLINE,
    SKELETON,
    ADD_PROJECT,
    LOOKUP_PROJECT,
    REMOVE_PROJECT,
    LIST_DIRECTORIES,
    INDEX_STATUS,
    REINDEX_PROJECT,
)

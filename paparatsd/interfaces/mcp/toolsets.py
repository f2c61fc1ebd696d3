"""Which tools each toolset has; `identity.py` says where it is found and what it tells agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.interfaces.mcp.coding import CODING
from paparatsd.interfaces.mcp.identity import CODING_ID, SUPPORT_ID
from paparatsd.interfaces.mcp.support import SUPPORT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paparatsd.interfaces.mcp.reply import Tool

TOOLS: Mapping[str, tuple[Tool, ...]] = {CODING_ID.name: CODING, SUPPORT_ID.name: SUPPORT}

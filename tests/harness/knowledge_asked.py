"""A usable call of each tool about documents, terms and cards, and what asks them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.interfaces.mcp.coding import CODING
from paparatsd.interfaces.mcp.scope import scoped
from paparatsd.interfaces.mcp.toolbox import Toolbox
from tests.harness.fake_knowledge import BURROW_ID, GUARD_ID
from tests.harness.fake_service import FakeService

if TYPE_CHECKING:
    from paparatsd.interfaces.mcp.reply import ToolReply

READING: dict[str, dict[str, Any]] = {
    "search_docs": {"query": "burrow"},
    "get_document": {"project": "marmots", "path": "docs/burrows.md"},
    "term_search": {"query": "burrow"},
    "term_list": {},
    "arch_context": {"question": "dig"},
    "arch_list": {},
    "arch_check": {},
    "arch_suggest_components": {},
}
WRITING: dict[str, dict[str, Any]] = {
    "term_record": {"term": "sentinel", "definition": "Who keeps watch."},
    "term_delete": {"id": BURROW_ID},
    "arch_record_component": {"project": "marmots", "name": "Den", "summary": "Does: shelter."},
    "arch_record_decision": {
        "title": "Use straw",
        "context": "It is cold.",
        "decision": "Straw in every den.",
        "consequences": "Fewer places for food.",
    },
    "arch_record_lesson": {"rule": "Look up first", "why": "Eagles.", "when": "Leaving a burrow."},
    "arch_delete": {"ids": [GUARD_ID]},
}
ASKING = {**READING, **WRITING}


async def ask(
    name: str,
    service: FakeService | None = None,
    /,
    *,
    allowed: Any = (),
    tools: Any = CODING,
    **given: Any,
) -> ToolReply:
    """Call one of the tools; `allowed` are the projects it may answer about, empty for all."""

    async def ignore(_progress: float, _message: str, _total: float | None = None) -> None:
        """Take no notice of progress."""

    return await Toolbox(scoped(service or FakeService(), allowed), tools).call(name, given, ignore)


async def data_of(name: str, service: FakeService | None = None, /, **given: Any) -> dict[str, Any]:
    """Return what a tool answers as data."""
    reply = await ask(name, service, **given)
    assert reply.structured is not None, reply.text
    return reply.structured

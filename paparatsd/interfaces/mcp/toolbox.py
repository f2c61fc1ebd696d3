"""Running a tool: its deadline, its progress, and failures as replies a model can act on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import structlog

from paparatsd.errors import BadQuery, PaparatsError
from paparatsd.interfaces.arguments import Arguments
from paparatsd.interfaces.mcp.reply import LongTool, Waiting, failure

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from paparatsd.interfaces.mcp.reply import AnyTool, Report, ToolReply, ToolsApi

log = structlog.get_logger()

DEADLINE_S = 60.0
PROGRESS_EVERY_S = 1.0
PATIENCE_S, SILENT_PATIENCE_S = 900.0, 45.0
"""How long a tool waits for an index: for a client that hears of progress, and for one that does
not. The second gives most calls up after a minute."""


class Toolbox:
    """The tools of one toolset over one service."""

    def __init__(
        self,
        service: ToolsApi,
        tools: Sequence[AnyTool],
        progress_every_s: float = PROGRESS_EVERY_S,
    ) -> None:
        self._service = service
        self._progress_every_s = progress_every_s
        self._tools = {tool.spec.name: tool for tool in tools}

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        report: Report,
        *,
        listens: bool = False,
    ) -> ToolReply:
        """Run one of the tools; every failure is a reply.

        `report` is told now and then that the call is still running; `listens` says that it
        reaches somebody.
        """
        patience_s = PATIENCE_S if listens else SILENT_PATIENCE_S
        tool = self._tools[name]
        deadline_s = DEADLINE_S + (patience_s if isinstance(tool, LongTool) else 0.0)
        try:
            with anyio.fail_after(deadline_s):
                return await self._run(tool, Arguments(arguments), Waiting(report, patience_s))
        except BadQuery as error:
            return failure(f"{name} was not run: {str(error).rstrip('.')}.")
        except PaparatsError as error:
            return failure(self._advice(name, arguments, error))
        except TimeoutError:
            return failure(f"{name} was given up after {deadline_s:g} s. Try a narrower question.")
        except Exception:  # the border: the model learns nothing internal, the log everything
            log.exception("tool_crashed", tool=name)
            health = " health_check says whether the index works." * ("health_check" in self._tools)
            return failure(
                f"{name} failed for an internal reason; the daemon's log has the details.{health}"
            )

    async def _run(self, tool: AnyTool, arguments: Arguments, waiting: Waiting) -> ToolReply:
        if isinstance(tool, LongTool):
            return await tool.run(self._service, arguments, waiting)
        return await _reporting(
            lambda: tool.run(self._service, arguments), waiting.report, self._progress_every_s
        )

    def _advice(self, name: str, arguments: Mapping[str, Any], error: PaparatsError) -> str:
        asked = (arguments.get(key) for key in ("query", "question", "information_request"))
        query = str(next((one for one in asked if one is not None), ""))[:200]
        about = f" for {query!r}" if query else ""
        group = arguments.get("group")
        scope = f" in group {str(group)[:100]}" if group else " in all groups"
        where = scope if "health_check" in self._tools else ""
        checks = [one for one in ("health_check", "list_projects") if one in self._tools]
        verb = "say" if len(checks) > 1 else "says"
        what = "whether the project is indexed"
        return (
            f"{name} failed{about}{where}: {error}.\n"
            "What may help:\n"
            + (f"- {' and '.join(checks)} {verb} {what};\n" if checks else "")
            + ("- a shorter, simpler query;\n" if query else "")
            + ("- one project or group instead of all." if checks else "- the same again later.")
        )


async def _reporting(
    work: Callable[[], Awaitable[ToolReply]], report: Report, every_s: float
) -> ToolReply:
    """Await the work, saying now and then that it is still under way; the value is seconds."""
    failed: Exception | None = None
    reply: ToolReply | None = None
    async with anyio.create_task_group() as tasks:

        async def tick() -> None:
            elapsed = 0.0
            while True:
                await report(elapsed, "searching" if elapsed == 0 else "still working")
                await anyio.sleep(every_s)
                elapsed += every_s

        tasks.start_soon(tick)
        try:
            reply = await work()
        except Exception as error:  # noqa: BLE001 - raised again below, outside the group
            failed = error
        tasks.cancel_scope.cancel()
    if reply is None:
        raise failed if failed is not None else RuntimeError("no reply")
    return reply

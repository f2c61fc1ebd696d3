"""Running a tool: its deadline, its progress, and failures as replies a model can act on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import structlog

from paparatsd.errors import BadQuery, PaparatsError
from paparatsd.interfaces.arguments import Arguments
from paparatsd.interfaces.mcp.reply import failure

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from paparatsd.interfaces.mcp.reply import Tool, ToolReply, ToolsApi

log = structlog.get_logger()

DEADLINE_S = 60.0
PROGRESS_EVERY_S = 1.0


class Toolbox:
    """The tools of one toolset over one service."""

    def __init__(
        self,
        service: ToolsApi,
        tools: Sequence[Tool],
        progress_every_s: float = PROGRESS_EVERY_S,
    ) -> None:
        self._service = service
        self._progress_every_s = progress_every_s
        self._tools = {tool.spec.name: tool for tool in tools}

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        report: Callable[[float, str], Awaitable[None]],
    ) -> ToolReply:
        """Run one of the tools; every failure is a reply.

        `report` is told now and then that the call is still running.
        """
        run = self._tools[name].run
        try:
            with anyio.fail_after(DEADLINE_S):
                return await _reporting(
                    lambda: run(self._service, Arguments(arguments)),
                    report,
                    self._progress_every_s,
                )
        except BadQuery as error:
            return failure(f"{name} was not run: {str(error).rstrip('.')}.")
        except PaparatsError as error:
            return failure(_advice(name, arguments, error))
        except TimeoutError:
            return failure(f"{name} was given up after {DEADLINE_S:g} s. Try a narrower question.")
        except Exception:  # the border: the model learns nothing internal, the log everything
            log.exception("tool_crashed", tool=name)
            return failure(
                f"{name} failed for an internal reason; the daemon's log has the details. "
                "health_check says whether the index works."
            )


def _advice(name: str, arguments: Mapping[str, Any], error: PaparatsError) -> str:
    query = str(arguments.get("query", arguments.get("question", "")))[:200]
    about = f" for {query!r}" if query else ""
    group = arguments.get("group")
    scope = f" in group {str(group)[:100]}" if group else " in all groups"
    return (
        f"{name} failed{about}{scope}: {error}.\n"
        "What may help:\n"
        "- health_check and list_projects say whether the project is indexed;\n"
        + ("- a shorter, simpler query;\n" if query else "")
        + "- one project or group instead of all."
    )


async def _reporting(
    work: Callable[[], Awaitable[ToolReply]],
    report: Callable[[float, str], Awaitable[None]],
    every_s: float,
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

"""`paparats migrate`: the vectors to a Qdrant server, or back into the embedded engine."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING

from paparatsd.errors import Busy
from paparatsd.interfaces.cli.background import is_listening

if TYPE_CHECKING:
    from paparatsd.interfaces.cli.context import Context
    from paparatsd.sharing.migration import Moving

NEXT = {
    "server": "start the daemon with store.qdrant_url (or QDRANT_URL) set: it uses the server then",
    "edge": "unset store.qdrant_url and QDRANT_URL and start the daemon: it uses the embedded "
    "engine then",
}


def migrate(context: Context) -> int:
    """Move all vectors, or say what would be moved."""
    from paparatsd.loading import load_settings
    from paparatsd.logs import configure_logging
    from paparatsd.sharing.migration import lay_out_anew
    from paparatsd.sharing.migration import migrate as move_all

    arguments = context.arguments
    if is_listening(context.places):
        raise Busy("the daemon runs, and would write to one side meanwhile; run: paparats down")
    configure_logging("warning", "human")
    settings = load_settings(context.places, context.environment)
    if arguments.to == "layout":
        points = asyncio.run(lay_out_anew(settings, dry_run=arguments.dry_run))
        return _say_laid_out(context, points)
    moved = asyncio.run(
        move_all(
            settings,
            arguments.to,
            dry_run=arguments.dry_run,
            delete_source=arguments.delete_source,
        )
    )
    if context.as_json:
        context.output.json(asdict(moved))
        return 0
    _say(context, moved, arguments.to)
    return 0


def _say_laid_out(context: Context, points: dict[str, int]) -> int:
    dry_run = context.arguments.dry_run
    if context.as_json:
        context.output.json({"dry_run": dry_run, "collections": points})
        return 0
    for name, count in points.items():
        said = "would be built anew" if dry_run else f"was built anew, {count} vectors"
        context.output.line(f"{name} {said}")
    if not points:
        context.output.line("this installation uses no collection")
    return 0


def _say(context: Context, moved: Moving, to: str) -> None:
    verb = "would be copied" if moved.dry_run else "were copied"
    context.output.line(f"from {moved.source}")
    context.output.line(f"to   {moved.target}")
    context.output.line(f"{moved.copied} files ({moved.points} vectors) {verb}")
    if moved.there:
        context.output.line(f"{moved.there} files were there already")
    if moved.lost:
        context.output.line(f"{moved.lost} files are on neither side whole: they are built again")
    if moved.dry_run:
        return
    kept = "was emptied" if moved.deleted else "is as it was (--delete-source empties it)"
    context.output.line(f"every count was compared; the other side {kept}")
    context.output.line(NEXT[to], style="bold")

"""`paparats hooks`, `service`, `completions`: what is installed outside of the daemon."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from paparatsd.interfaces.cli.output import Column
from paparatsd.interfaces.cli.projects import absolute
from paparatsd.packaged import packaged

if TYPE_CHECKING:
    from paparatsd.interfaces.cli.context import Context

COMPLETION_FILES = {"bash": "paparats.bash", "zsh": "_paparats", "fish": "paparats.fish"}


def hooks(context: Context) -> int:
    """Install, remove or look at the git hooks of a checkout."""
    arguments = context.arguments
    report = context.client(60.0).hooks(arguments.verb, hook_target(arguments.path))
    if context.as_json:
        context.output.json(report)
        return 0
    context.output.line(f"hooks {report['state']} in {report['directory']}")
    if report["hooks"]:
        columns = (Column("HOOK"), Column("STATE"))
        context.output.table(columns, [list(pair) for pair in report["hooks"].items()])
    if report["advice"]:
        context.output.line(report["advice"], style="yellow")
    return 0


def hook_target(text: str) -> str:
    """Return what the daemon takes: a name if it can only be one, else an absolute path."""
    is_name = "/" not in text and text not in (".", "..") and not Path(text).exists()
    return text if is_name else absolute(text)


def completions(context: Context) -> int:
    """Print the completion script for a shell."""
    shell: str = context.arguments.shell
    text = (packaged("completions") / COMPLETION_FILES[shell]).read_text(encoding="utf-8")
    if context.as_json:
        context.output.json({"shell": shell, "script": text})
    else:
        sys.stdout.write(text)
    return 0

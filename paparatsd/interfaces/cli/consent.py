"""Asking a person before something is lost."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from paparatsd.interfaces.cli.output import clean

if TYPE_CHECKING:
    from paparatsd.interfaces.cli.context import Context


def is_asked(context: Context) -> bool:
    """Say whether a person is to be asked: not with --yes, nor when nobody is there to answer."""
    there = context.output.terminal and sys.stdin.isatty() and not context.as_json
    return there and not context.arguments.yes


def agreed(context: Context, question: str) -> bool:
    """Return whether to go on: when nobody is to be asked, without asking."""
    if not is_asked(context):
        return True
    print(f"{clean(question)} [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")

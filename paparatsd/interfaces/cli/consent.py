"""Asking a person before something is lost."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from paparatsd.interfaces.cli.output import clean

if TYPE_CHECKING:
    from paparatsd.interfaces.cli.context import Context


def agreed(context: Context, question: str) -> bool:
    """Return whether to go on: with --yes, or when nobody is there to answer, without asking."""
    asks = context.output.terminal and sys.stdin.isatty() and not context.as_json
    if context.arguments.yes or not asks:
        return True
    print(f"{clean(question)} [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")

"""A child process that logs what it is asked to: the operation names the level."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from paparatsd import ipc

if TYPE_CHECKING:
    from collections.abc import Callable

log = structlog.get_logger()


def speak(operation: str, argument: str, note: Callable[[Any], None]) -> None:
    """Log one event, with a value that is none of the plain ones."""
    try:
        int(argument)
    except ValueError:
        getattr(log, operation)("marmot_heard", path=Path(argument))


if __name__ == "__main__":
    ipc.serve_child(speak)

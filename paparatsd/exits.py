"""Exit codes of both commands: the one table from classes of errors to numbers (sysexits)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd import errors

if TYPE_CHECKING:
    from collections.abc import Mapping

INTERRUPTED = 130
NOT_TAKEN = 65
"""Some of what was given was not taken, or names nothing: the answer says what, and why."""

CODES: Mapping[type[errors.PaparatsError], int] = {
    errors.PaparatsError: 70,
    errors.UserError: 64,
    errors.BadSettings: 78,
    errors.Refused: 77,
    errors.Busy: 75,
    errors.Unavailable: 69,
    errors.BadReply: 76,
    errors.Broken: 70,
    errors.SchemaTooNew: 78,
}
"""A class that is not listed has the code of its nearest base."""


def exit_code_of(error: errors.PaparatsError) -> int:
    """Return the exit code that stands for an error."""
    return next(CODES[base] for base in type(error).__mro__ if base in CODES)

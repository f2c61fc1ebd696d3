"""Which installation this is: a random name, kept beside what cannot be made again.

On a server shared by several daemons it tells whose points are whose.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from typing import TYPE_CHECKING

from paparatsd.errors import BadSettings

if TYPE_CHECKING:
    from pathlib import Path

_FORM = re.compile(r"[0-9a-f]{16}")


def installation_id(path: Path) -> str:
    """Return the 16 hex digits in the file, made when there is none.

    Raises BadSettings when it can be neither read nor written: another name would leave all
    points behind.
    """
    try:
        found = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        found = ""
    except (OSError, UnicodeDecodeError) as error:
        raise BadSettings(f"{path} cannot be read: {error}; mend or delete it") from None
    if _FORM.fullmatch(found):
        return found
    made = secrets.token_hex(8)
    partial = path.with_name(f"{path.name}.partial")
    try:
        with partial.open("w", encoding="ascii") as file:
            file.write(f"{made}\n")
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise BadSettings(f"{path} cannot be written: {error.strerror}") from None
    return made

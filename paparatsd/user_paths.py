"""Paths as people write them: `~` for a home directory."""

from __future__ import annotations

import os
from pathlib import Path


def expanded(text: str | os.PathLike[str]) -> Path:
    """Return the path that is meant; of a user whom nobody knows it stays as it is written.

    `Path.expanduser` raises for those, in the middle of whatever is being done.

    >>> expanded("~nobody-of-this-name/src")
    PosixPath('~nobody-of-this-name/src')
    """
    return Path(os.path.expanduser(text))  # noqa: PTH111 - see above

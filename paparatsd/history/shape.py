"""Where the history of a clone is cut off, and what stands in it for other commits."""

from __future__ import annotations

import contextlib
import hashlib
import os
from typing import TYPE_CHECKING

from paparatsd.small_file import UnreadableFileError, read_small_file

if TYPE_CHECKING:
    from pathlib import Path

    from paparatsd.sources.repo import Checkout

MAX_OWN_FILE_BYTES = 64 << 20
"""Of each file of git that is read."""


def shape_of(checkout: Checkout) -> tuple[str, str]:
    """Return names of where a shallow clone is cut off and of what stands for other commits.

    Each is "" where there is none. Both change what git says of commits that it has told of.
    """
    common = checkout.common_dir
    if common is None:
        return "", ""
    replaced = [_content_of(common / "info" / "grafts")]
    replaced += list(_packed_replacements(common / "packed-refs"))
    with contextlib.suppress(OSError):
        for path in sorted((common / "refs" / "replace").iterdir()):
            replaced.append(os.fsencode(path.name) + b" " + _content_of(path))
    return _name_of([_content_of(common / "shallow")]), _name_of(replaced)


def _packed_replacements(path: Path) -> list[bytes]:
    return [line for line in _content_of(path).split(b"\n") if b" refs/replace/" in line]


def _content_of(path: Path) -> bytes:
    try:
        return read_small_file(path, max_bytes=MAX_OWN_FILE_BYTES, follow=True)[0]
    except (FileNotFoundError, UnreadableFileError):
        return b""


def _name_of(parts: list[bytes]) -> str:
    data = b"\n".join(part for part in parts if part.strip())
    return hashlib.blake2b(data, digest_size=12).hexdigest() if data else ""

"""What of a file on disk is in no commit, from its bytes and the object that git has of it."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.errors import GitFailed
from paparatsd.history.uncommitted import compare
from paparatsd.sources.git import run_git
from paparatsd.sources.read import NotReadable, open_beneath

if TYPE_CHECKING:
    from pathlib import Path

    from paparatsd.commits import Hunk
    from paparatsd.model import ContentId
    from paparatsd.sources.git import GitContext

MAX_BYTES = 32 << 20
_LFS = b"version https://git-lfs.github.com/spec/"
_HASHES = {40: "sha1", 64: "sha256"}


@dataclass(frozen=True, slots=True)
class Difference:
    """The hunks from the committed text to the one on disk.

    `opaque`: git keeps something else than text (a pointer to where the content is), so that
    lines cannot be compared.
    """

    hunks: tuple[Hunk, ...] = ()
    opaque: bool = False


async def difference(
    root: Path, path: str, content: ContentId, blob: str, context: GitContext
) -> Difference | None:
    """Compare the file at `root / path` with git's object `blob` of it.

    None when the file is not the one that was indexed as `content`: it has changed since, and
    will be indexed again. Raises GitFailed when the object cannot be read.
    """
    data = _read(root, path)
    if data is None or hashlib.blake2b(data, digest_size=32).digest() != content:
        return None
    if _is_object(data, blob) or _is_object(data.replace(b"\r\n", b"\n"), blob):
        return Difference()
    committed = await run_git(
        root, ["cat-file", "blob", blob], context=context, max_output_bytes=MAX_BYTES
    )
    if committed.startswith(_LFS):
        return Difference(opaque=True)
    return Difference(compare(committed, data))


def _read(root: Path, path: str) -> bytes | None:
    try:
        with open_beneath(root, path) as (descriptor, status):
            if status.st_size > MAX_BYTES:
                raise GitFailed(f"{path} is too large to be compared with what was committed")
            with os.fdopen(os.dup(descriptor), "rb") as file:
                return file.read(MAX_BYTES)
    except (NotReadable, OSError):
        return None


def _is_object(data: bytes, blob: str) -> bool:
    """Whether git would name these bytes so."""
    name = _HASHES.get(len(blob))
    if name is None:
        return False
    digest = hashlib.new(name, b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest() == blob

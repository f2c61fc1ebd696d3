"""Finds agent guidance inside directories that are ignored as a whole, such as `.cursor/`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from paparatsd.sources.names import GUIDANCE_PLACES, is_guidance

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MAX_FILES = 1_000


def find_guidance(root: Path, directory: str) -> list[str]:
    """Return the guidance files in an ignored directory, when it is one where tools keep them.

    Only the known places are looked at, so that no ignored tree is walked for their sake.
    """
    found: list[str] = []
    for start in _starts(directory):
        for path in _files_below(root, start):
            if is_guidance(path):
                found.append(path)
            if len(found) >= _MAX_FILES:
                return found
    return found


def guidance_place(path: str) -> str | None:
    """Return the directory of known name (`.cursor`, ...) that a guidance file lies in, if any."""
    parts = path.split("/")
    for index, part in enumerate(parts[:-1]):
        if part in GUIDANCE_PLACES:
            return "/".join(parts[: index + 1])
    return None


def _starts(directory: str) -> list[str]:
    parts = directory.split("/")
    for index in range(len(parts) - 1, -1, -1):
        belows = GUIDANCE_PLACES.get(parts[index])
        if belows is None:
            continue
        rest = "/".join(parts[index + 1 :])
        if not rest:
            return [f"{directory}/{below}" if below else directory for below in belows]
        inside = any(not b or rest == b or rest.startswith(b + "/") for b in belows)
        return [directory] if inside else []
    return []


def _files_below(root: Path, start: str) -> Iterator[str]:
    """Yield the files at or below a path, without following links."""
    top = root / start
    if top.is_symlink():
        return
    if top.is_file():
        yield start
        return
    for folder, _, names in os.walk(top):
        relative = os.path.relpath(folder, root)
        for name in sorted(names):
            yield f"{relative}/{name}"

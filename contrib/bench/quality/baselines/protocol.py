"""What the baselines share: which files there are, their words, and the adapter protocol.

Standard library only: semble's side runs in an environment without ours.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

MAX_BYTES = 1_000_000
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")

Row = dict[str, Any]


def list_files(root: Path) -> list[str]:
    """Return sorted paths below `root`: what git tracks, else all outside of dot-folders."""
    done = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--", "."], capture_output=True, check=False
    )
    if done.returncode == 0 and done.stdout:
        names = [name for name in done.stdout.decode("utf-8", "replace").split("\0") if name]
    else:
        names = _walk(root)
    return sorted(
        name for name in names if (root / name).is_file() and not (root / name).is_symlink()
    )


def _walk(root: Path) -> list[str]:
    names = []
    for folder, folders, files in os.walk(root):
        folders[:] = [one for one in folders if not one.startswith(".") and one != "node_modules"]
        names += [os.path.relpath(os.path.join(folder, file), root) for file in files]
    return names


def read_text(path: Path) -> str | None:
    """Return the text of a file, None when it is binary, too large or gone."""
    try:
        if path.stat().st_size > MAX_BYTES:
            return None
        data = path.read_bytes()
    except OSError:
        return None
    return None if b"\0" in data[:8192] else data.decode("utf-8", "replace")


def words_of(text: str) -> list[str]:
    """Return lower-case words; a compound identifier yields itself and its parts."""
    found = []
    for word in _WORD.findall(text):
        found.append(word.lower())
        parts = [part for piece in word.split("_") for part in _PART.findall(piece)]
        if len(parts) > 1:
            found.extend(part.lower() for part in parts)
    return found


def serve(answer: Callable[[str, int], list[Row]], stats: Mapping[str, Any]) -> None:
    """Say that the index is ready, then answer queries until the input closes."""
    print(json.dumps({"ready": True, "stats": stats}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        found = answer(asked["query"], asked["k"])
        print(json.dumps({"id": asked["id"], "results": found}), flush=True)

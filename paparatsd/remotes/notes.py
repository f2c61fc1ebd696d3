"""What is remembered of a clone, beside it: when it was fetched, and whether that was finished."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

from paparatsd.registry import write_atomically
from paparatsd.small_file import UnreadableFileError, read_small_file

if TYPE_CHECKING:
    from pathlib import Path

    from paparatsd.model import RemoteSpec

MAX_BYTES = 16 << 10


@dataclass(frozen=True, slots=True)
class CloneNote:
    """Times are epoch seconds, 0 for never.

    `complete`: the work tree is what `commit` says. `follows` is what was asked for then; `tip` is
    what the remote called it, which for a tag is not the commit.
    """

    commit: str = ""
    tip: str = ""
    branch: str = ""
    follows: str = ""
    complete: bool = False
    fetched_at: float = 0.0
    checked_at: float = 0.0
    full_at: float = 0.0


def follows_of(spec: RemoteSpec) -> str:
    """Return what a specification follows as one text: another one needs a new fetch."""
    return json.dumps([spec.branch, spec.ref, spec.depth])


def note_path(root: Path) -> Path:
    """Return where the note on a clone is."""
    return root.with_name(f"{root.name}.json")


def read_note(root: Path) -> CloneNote:
    """Return the note on a clone; an empty one when there is none that can be used."""
    try:
        data, _ = read_small_file(note_path(root), max_bytes=MAX_BYTES, follow=False)
        found = json.loads(data)
    except (FileNotFoundError, UnreadableFileError, ValueError, RecursionError):
        return CloneNote()
    if not isinstance(found, dict):
        return CloneNote()
    blank = asdict(CloneNote())
    known = {one.name: found[one.name] for one in fields(CloneNote) if one.name in found}
    if any(type(value) is not type(blank[name]) for name, value in known.items()):
        return CloneNote()
    return CloneNote(**known)


def write_note(root: Path, note: CloneNote) -> None:
    """Replace the note on a clone; raises OSError."""
    write_atomically(note_path(root), json.dumps(asdict(note)))

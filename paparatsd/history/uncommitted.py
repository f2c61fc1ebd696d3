"""What of a file on disk is in no commit: the hunks between its committed text and now."""

from __future__ import annotations

import pygit2

from paparatsd.commits import Hunk


def compare(committed: bytes, on_disk: bytes) -> tuple[Hunk, ...]:
    """Return the hunks from the committed text to the one on disk, as `git diff -U0` has them.

    Where one side alone ends its lines in CR LF (a checkout with `core.autocrlf`), line ends are
    no difference. Bytes are compared whatever they are: binary content has lines, too. Give the
    hunks to `replay` with the file: it counts the new lines and goes on from the committed ones.
    """
    if committed == on_disk:
        return ()
    if _has_crlf(committed) != _has_crlf(on_disk):
        committed, on_disk = _with_lf(committed), _with_lf(on_disk)
    patch = pygit2.Patch.create_from(
        committed,
        on_disk,
        context_lines=0,
        interhunk_lines=0,
        flag=pygit2.enums.DiffOption.FORCE_TEXT | pygit2.enums.DiffOption.INDENT_HEURISTIC,
    )
    return tuple(
        Hunk(hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines) for hunk in patch.hunks
    )


def _has_crlf(text: bytes) -> bool:
    return b"\r\n" in text


def _with_lf(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n")

"""Which projects a daemon answers for, when `search.allowed_projects` names some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.errors import UnknownProject

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

NONE_REGISTERED = "No project is registered"
"""How the note begins that an answer has when no project was there to be searched."""


def only_these(allowed: Sequence[str]) -> str:
    """Return the sentence that names the projects which are answered about, and no other."""
    names = ", ".join(allowed)
    return f"this daemon answers for these projects only (search.allowed_projects): {names}"


def check_answerable(
    names: Collection[str], registered: Collection[str], allowed: Sequence[str]
) -> None:
    """Refuse projects that are not answered about, in the same words whether they exist or not.

    Raises UnknownProject, for one that is not registered too; never names a project outside
    `allowed`. An empty `allowed` is all.
    """
    for name in names:
        if allowed and name not in allowed:
            raise UnknownProject(f"no project named {name!r} here: {only_these(allowed)}")
        if name not in registered:
            ours = sorted(one for one in registered if not allowed or one in allowed)
            known = ", ".join(ours) or "none is registered"
            raise UnknownProject(f"no project named {name!r} (projects: {known})")


def notes_on_scope(
    notes: tuple[str, ...], allowed: Sequence[str], *, empty: bool
) -> tuple[str, ...]:
    """Return the notes of an answer; an `empty` scope is said to be one, not a lack of projects."""
    if not (empty and allowed):
        return notes
    others = [note for note in notes if not note.startswith(NONE_REGISTERED)]
    return (f"Nothing was searched: {only_these(allowed)}.", *others)

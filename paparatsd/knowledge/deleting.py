"""Deleting notes, of whatever kind."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery
from paparatsd.knowledge_limits import MAX_IDS
from paparatsd.knowledge_model import Deleted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from paparatsd.knowledge.notes import Notes
    from paparatsd.store.notes import Note


async def delete_notes(
    notes: Notes, ids: Sequence[str], kinds: Collection[str], accept: Callable[[Note], bool]
) -> Deleted:
    """Delete those of the notes that are there, are of these kinds and may be told.

    The others are missing, like what does not exist. Raises BadQuery for more than `MAX_IDS`,
    StateUnwritable.
    """
    if len(ids) > MAX_IDS:
        raise BadQuery(f"{len(ids)} ids; at most {MAX_IDS} at once")
    asked = list(dict.fromkeys(ids))
    found = [one for one in await notes.get(asked) if one.kind in kinds and accept(one)]
    async with AsyncExitStack() as held:
        # Whoever looked at one of them may be about to write it again.
        for group in sorted({one.group for one in found}):
            await held.enter_async_context(notes.lock(group))
        gone = {one.id for one in await notes.get([one.id for one in found])}
        await notes.delete([one for one in asked if one in gone])
    return Deleted(
        tuple(one for one in asked if one in gone),
        tuple(one for one in asked if one not in gone),
    )

"""Deleting notes, of whatever kind."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery
from paparatsd.knowledge_limits import MAX_IDS
from paparatsd.knowledge_model import CardStatus, Deleted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from paparatsd.knowledge.notes import Notes
    from paparatsd.store.notes import Note

HOLDS = CardStatus.ACCEPTED.value


def _nothing(gone: Sequence[Note], all_notes: Iterable[Note]) -> list[Note]:
    return []


async def delete_notes(
    notes: Notes,
    ids: Sequence[str],
    kinds: Collection[str],
    accept: Callable[[Note], bool],
    mend: Callable[[Sequence[Note], Iterable[Note]], list[Note]] = _nothing,
) -> Deleted:
    """Delete those of the notes that are there, are of these kinds and may be told.

    `mend` is given them with all notes of their groups, and returns others as they are to be then.
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
        there = await notes.get([one.id for one in found])
        groups = sorted({one.group for one in there})
        beside = [one for group in groups for one in await notes.all_of(group, kinds)]
        before = {one.id: one.status for one in beside}
        mended = mend(there, beside)
        risen = {one.id for one in mended if one.status == HOLDS and before[one.id] != HOLDS}
        gone = {one.id for one in there}
        await notes.delete([one for one in asked if one in gone], mended)
    return Deleted(
        tuple(one for one in asked if one in gone),
        tuple(one for one in asked if one not in gone),
        tuple(one.id for one in mended if one.id in risen and accept(one)),
    )

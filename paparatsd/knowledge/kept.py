"""The notes file with what is kept of it in memory. Synchronous, for one thread.

This process alone has the file, so what is in memory changes with its own writes only.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import Conflict, PaparatsError, StateCorrupt, StateUnwritable
from paparatsd.knowledge.likeness import measure_of
from paparatsd.knowledge.shelf import Shelf
from paparatsd.store.notes import NotesFile, Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.clock import Clock
    from paparatsd.knowledge.likeness import Noted
    from paparatsd.knowledge.shelf import Named
    from paparatsd.store.notes import Note

    Vectors = Mapping[str, tuple[str, NDArray[np.float32]]]

log = structlog.get_logger()

MAX_NOTES = 20_000
"""Of a group: all of them are looked at by each question."""


class KeptNotes:
    """Opens the file when it is needed, again and again while it cannot be opened.

    Every call raises what is wrong with the file: StateCorrupt, SchemaTooNew, StateUnwritable.
    `problem` says it in words, "" while nothing is wrong.
    """

    def __init__(
        self,
        path: Path,
        clock: Clock,
        *,
        fingerprint: str = "",
        dimension: int = 0,
        on_step: Callable[[str], None] = lambda step: None,
    ) -> None:
        """`fingerprint` and `dimension` of the embedder; "" and 0 for none."""
        self._path = path
        self._clock = clock
        self.fingerprint = fingerprint
        self._dimension = dimension
        self._on_step = on_step
        self._file: NotesFile | None = None
        self._shelves: dict[str, Shelf] = {}
        self.problem = ""

    def use(self, fingerprint: str, dimension: int) -> None:
        """Compare by the vectors of another embedder from now on, as far as there are any."""
        self.fingerprint, self._dimension = fingerprint, dimension
        self._shelves.clear()

    def open(self) -> NotesFile:
        """Return the file, opened; one that was open and failed is opened and checked anew."""
        if self._file is not None:
            return self._file
        try:
            self._file = NotesFile.open(self._path, on_step=self._on_step)
        except PaparatsError as error:
            self._note_problem(str(error))
            raise
        self._note_problem("")
        return self._file

    def close(self) -> None:
        """Close the file; what was written is complete."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._shelves.clear()

    def _note_problem(self, problem: str) -> None:
        if problem and problem != self.problem:
            log.error("notes_unusable", problem=problem)
        self.problem = problem

    def failed(self, error: PaparatsError) -> None:
        """Take note of what a call raised: a damaged file is not trusted again unchecked."""
        if isinstance(error, StateCorrupt):
            self.close()
        if isinstance(error, StateCorrupt | StateUnwritable):
            self._note_problem(str(error))

    # ------------------------------------------------------------------ writing

    def write(
        self,
        notes: Sequence[Note],
        deleted: Sequence[str],
        expected: Mapping[str, float] | None,
        vectors: Vectors,
    ) -> None:
        """Write as `NotesFile.put` does."""
        file = self.open()
        known = {one.id: one.group for one in file.get([*deleted, *(one.id for one in notes)])}
        self._check_room(Counter(one.group for one in notes if one.id not in known))
        rows = Rows(self.fingerprint, vectors) if vectors else None
        try:
            file.put(notes, deleted, expected, rows)
        except BaseException:
            self._shelves.clear()  # whatever was written or not: it is read again
            raise
        self._note_problem("")
        for ident, group in known.items():
            if group in self._shelves and ident in deleted:
                self._shelves[group].remove(ident)
        for note in notes:
            self._replace(note, known.get(note.id), vectors)
        self._keep_copy(file)

    def _check_room(self, new: Mapping[str, int]) -> None:
        for group, count in new.items():
            if len(self.shelf(group)) + count > MAX_NOTES:
                raise Conflict(
                    f"the group {group!r} would have more than {MAX_NOTES} notes, which are the "
                    "most that are kept; delete some first"
                )

    def _replace(self, note: Note, before: str | None, vectors: Vectors) -> None:
        """Show a written note; one without a new vector keeps the one of the same text."""
        if before is not None and before != note.group and before in self._shelves:
            self._shelves[before].remove(note.id)
        shelf = self._shelves.get(note.group)
        if shelf is not None:
            _, vector = vectors.get(note.id, ("", None))
            shelf.put(note, vector if vector is not None else shelf.vector(note.id, note.text))

    def put_vectors(self, vectors: Vectors) -> None:
        """Store vectors of notes whose text is still the one that was embedded."""
        file = self.open()
        file.put_vectors(Rows(self.fingerprint, vectors))
        for ident, (text, vector) in vectors.items():
            for shelf in self._shelves.values():
                shelf.set_vector(ident, text, vector)

    def keep_copy(self) -> None:
        """Copy the file if there is none of today; a failure is told, not raised."""
        self._keep_copy(self.open())

    def _keep_copy(self, file: NotesFile) -> None:
        try:
            file.keep_copy(self._clock.now())
        except PaparatsError as error:
            log.warning("notes_not_copied", reason=str(error))
            self.failed(error)

    # ------------------------------------------------------------------ reading

    def shelf(self, group: str) -> Shelf:
        """Return the notes of a group in memory."""
        shelf = self._shelves.get(group)
        if shelf is None:
            file = self.open()
            vectors = file.vectors(self.fingerprint, group) if self._dimension else {}
            shelf = self._shelves[group] = Shelf(
                file.all_of(group), vectors, self._dimension, measure_of(self.fingerprint)
            )
        return shelf

    def all_of(self, group: str | None, kinds: Collection[str]) -> list[Note]:
        """Return the notes of a group (None: of all), of some kinds, oldest first."""
        return self.open().all_of(None, kinds) if group is None else self.shelf(group).notes(kinds)

    def named(self, names: Sequence[str], group: str, kinds: Collection[str]) -> list[list[Named]]:
        """Return the notes of each name, or with it among their aliases."""
        shelf = self.shelf(group)
        return [shelf.named(name, kinds) for name in names]

    def nearest(
        self,
        asked: Noted,
        group: str,
        kinds: Collection[str],
        accept: Callable[[Note], bool],
        limit: int,
    ) -> tuple[list[tuple[Note, float]], int]:
        """Return accepted notes by likeness, and how many of the accepted ones have no vector."""
        return self.shelf(group).nearest(asked, kinds, accept, limit)

    def without_vector(self) -> list[tuple[str, str]]:
        """Return (id, text) of the notes that the embedder has not embedded."""
        return self.open().without_vector(self.fingerprint)

    def drop_other_vectors(self) -> None:
        """Delete the vectors of other embedders."""
        self.open().drop_other_vectors(self.fingerprint)

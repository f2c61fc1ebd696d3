"""Notes for coroutines: written durably, found by name, by likeness or all of a group.

A thread of its own has the file and what is kept of it in memory. Vectors are made before they
are needed, by the embedder of the daemon; what it could not embed is written all the same, compared
by its words, and embedded later (`run`).
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import structlog

from paparatsd.errors import PaparatsError
from paparatsd.knowledge.kept import KeptNotes
from paparatsd.knowledge.likeness import Noted, thresholds_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.clock import Clock
    from paparatsd.knowledge.embedding import NoteEmbedder
    from paparatsd.knowledge.likeness import Thresholds
    from paparatsd.knowledge.shelf import Named
    from paparatsd.store.notes import Note

    Vector = NDArray[np.float32]

log = structlog.get_logger()

T = TypeVar("T")

EMBED_S = 3.0
"""After this long without a vector, words alone must do."""
SILENT_S = 10.0
"""So long nobody waits again for an embedder that did not answer; one call asks several times."""
BATCH = 64
REMEMBERED = 256
"""Vectors of the last texts: a note is compared before it is written, a question asked again."""
RETRY_S = (5.0, 30.0, 120.0, 600.0)

BY_WORDS = "The embedder did not answer: notes were compared by their words only, not by meaning."


class Nearest(NamedTuple):
    """Notes by likeness, best first, and sentences on how they were compared, if that matters."""

    hits: tuple[tuple[Note, float], ...]
    notes: tuple[str, ...] = ()


class Notes:
    """The notes of all groups. One process has the file (`lock.py`).

    Calls raise StateCorrupt and SchemaTooNew for a file that cannot be used, and those that write
    StateUnwritable. `problem` says what is wrong with the file now, "" for nothing.
    """

    def __init__(
        self,
        path: Path,
        clock: Clock,
        embedder: NoteEmbedder | None = None,
        *,
        dimension: int = 0,
        on_step: Callable[[str], None] = lambda step: None,
    ) -> None:
        """Without an `embedder` notes are compared by words alone."""
        self._clock = clock
        self._embedder = embedder
        self.fingerprint = "" if embedder is None else embedder.fingerprint
        self._kept = KeptNotes(
            path,
            clock,
            fingerprint=self.fingerprint,
            dimension=0 if embedder is None else dimension,
            on_step=on_step,
        )
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="notes")
        self._locks: dict[str, asyncio.Lock] = {}
        self._remembered: OrderedDict[tuple[bool, str], Vector] = OrderedDict()
        self._refused: set[tuple[str, str]] = set()
        self._due = asyncio.Event()
        self._silent_until = 0.0

    @property
    def problem(self) -> str:
        """What is wrong with the file, in words."""
        return self._kept.problem

    @property
    def thresholds(self) -> Thresholds:
        """From which likeness on notes are what; for the embedder in use."""
        return thresholds_of(self.fingerprint)

    def lock(self, group: str) -> asyncio.Lock:
        """Return the lock to hold from looking whether a note may be written to writing it."""
        return self._locks.setdefault(group, asyncio.Lock())

    # ------------------------------------------------------------------ life cycle

    async def start(self) -> None:
        """Open the file. One that cannot be used is a `problem`, and every call raises it."""
        try:
            await self._do(lambda kept: kept.keep_copy())
        except PaparatsError:
            return  # it is told, and logged

    async def use(self, embedder: NoteEmbedder | None, *, dimension: int) -> None:
        """Have another embedder from now on; vectors by the one before are dropped, also late ones.

        Notes are embedded anew behind, and compared by words until then.
        """
        fingerprint = "" if embedder is None else embedder.fingerprint
        self._embedder = embedder
        if fingerprint == self.fingerprint:
            return
        self.fingerprint = fingerprint
        self._remembered.clear()
        self._refused.clear()
        self._silent_until = 0.0
        await self._do(lambda kept: kept.use(fingerprint, dimension if fingerprint else 0))
        self._due.set()

    async def run(self) -> None:
        """Embed what has no vector, now and whenever there is something; never returns."""
        failures = 0
        while True:
            self._due.clear()
            try:
                await self.refill()
                failures = 0
            except Exception as error:  # noqa: BLE001 - the daemon runs on, whatever notes suffer
                log.warning("notes_not_embedded", reason=str(error))
                failures += 1
                await self._clock.sleep(RETRY_S[min(failures, len(RETRY_S)) - 1])
            else:
                await self._due.wait()

    async def stop(self) -> None:
        """Close the file; what was written is complete."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._kept.close)
        self._thread.shutdown(wait=False)

    # ------------------------------------------------------------------ writing

    async def write(
        self,
        notes: Sequence[Note],
        *,
        expected: Mapping[str, float] | None = None,
        deleted: Sequence[str] = (),
    ) -> None:
        """Write notes with their vectors, delete others, all or nothing; it is on the disk then.

        `expected`: the moment of the last change that each of these notes must still have, else
        Conflict. A note that cannot be embedded now is written without a vector.
        """
        made_by = self.fingerprint
        vectors = await self._document_vectors([one.text for one in notes])
        known = {
            one.id: (one.text, vectors[one.text])
            for one in notes
            if vectors.get(one.text) is not None
        }
        await self._do(
            lambda kept: kept.write(
                notes, deleted, expected, known if kept.fingerprint == made_by else {}
            )
        )
        if len(known) < len(notes):
            self._due.set()

    async def delete(self, ids: Sequence[str], mended: Sequence[Note] = ()) -> None:
        """Delete notes and write others, both or neither; what is not there is passed over."""
        if ids:
            await self.write(mended, deleted=ids)

    # ------------------------------------------------------------------ reading

    async def get(self, ids: Iterable[str]) -> list[Note]:
        """Return those of the notes that are there, in the order of the ids."""
        wanted = list(ids)
        return await self._do(lambda kept: kept.open().get(wanted))

    async def all_of(self, group: str | None = None, kinds: Collection[str] = ()) -> list[Note]:
        """Return the notes of a group (None: of all), of some kinds (empty: all), oldest first."""
        return await self._do(lambda kept: kept.all_of(group, kinds))

    async def groups(self) -> dict[str, dict[str, int]]:
        """Return how many notes of each kind each group has."""
        return await self._do(lambda kept: kept.open().groups())

    async def projects(self) -> dict[str, frozenset[str]]:
        """Return, of each group with notes, the projects that have some; maybe none."""
        return await self._do(lambda kept: kept.open().projects())

    async def named(self, name: str, group: str, kinds: Collection[str] = ()) -> list[Named]:
        """Return the notes of this name, or with it among their `aliases`, however written."""
        return (await self.all_named([name], group, kinds))[0]

    async def all_named(
        self, names: Sequence[str], group: str, kinds: Collection[str] = ()
    ) -> list[list[Named]]:
        """Return the notes of each name, as `named` does."""
        return await self._do(lambda kept: kept.named(names, group, kinds))

    async def nearest(
        self,
        text: str,
        group: str,
        kinds: Collection[str],
        accept: Callable[[Note], bool],
        limit: int,
        *,
        query: bool,
        label: str = "",
    ) -> Nearest:
        """Return accepted notes of a group by their likeness to a text.

        `query`: the text is a question, not that of a note with this `label`. `accept` is called
        in another thread.
        """
        made_by = self.fingerprint
        vector = await (self._query_vector(text) if query else self._document_vector(text))

        def look(kept: KeptNotes) -> tuple[list[tuple[Note, float]], int]:
            fitting = vector if kept.fingerprint == made_by else None
            asked = Noted(label or text, text, fitting, question=query)
            return kept.nearest(asked, group, kinds, accept, limit)

        hits, lacking = await self._do(look)
        return Nearest(tuple(hits), self._told(vector, lacking))

    def _told(self, vector: Vector | None, lacking: int) -> tuple[str, ...]:
        if self._embedder is None:
            return ()
        if vector is None:
            return (BY_WORDS,)
        if not lacking:
            return ()
        what = "One note is" if lacking == 1 else f"{lacking} notes are"
        return (f"{what} not embedded yet, and compared by words only until then.",)

    # ------------------------------------------------------------------ vectors

    async def refill(self) -> None:
        """Embed all that has no vector of the embedder in use; then forget those of others.

        Raises what the embedder or the file raises; what was embedded until then is kept.
        """
        if self._embedder is None:
            return
        embedder, made_by = self._embedder, self.fingerprint
        missing = await self._do(lambda kept: kept.without_vector())
        missing = [one for one in missing if one not in self._refused]
        for start in range(0, len(missing), BATCH):
            part = missing[start : start + BATCH]
            vectors = await embedder.documents([text for _, text in part])
            if self.fingerprint != made_by:
                return
            pairs = list(zip(part, vectors, strict=True))
            made = {ident: (text, row) for (ident, text), row in pairs if row is not None}
            self._refused |= {one for one, row in pairs if row is None}
            await self._do(lambda kept, made=made: kept.put_vectors(made))  # type: ignore[misc]
        await self._do(lambda kept: kept.drop_other_vectors())

    async def _document_vector(self, text: str) -> Vector | None:
        return (await self._document_vectors([text])).get(text)

    async def _document_vectors(self, texts: Sequence[str]) -> dict[str, Vector]:
        """Return the vectors of texts; those that cannot be made now are left out."""
        known = {
            text: row for text in texts if (row := self._remembered.get((False, text))) is not None
        }
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if self._embedder is None or not missing:
            return known
        embedder = self._embedder
        rows = await self._in_time(lambda: embedder.documents(missing), "notes_not_embedded")
        for text, row in zip(missing, rows or [None] * len(missing), strict=True):
            if row is not None:
                known[text] = row
                self._remember((False, text), row, embedder)
        return known

    async def _query_vector(self, text: str) -> Vector | None:
        known = self._remembered.get((True, text))
        if known is not None or self._embedder is None:
            return known
        embedder = self._embedder
        vector = await self._in_time(lambda: embedder.query(text), "question_not_embedded")
        if vector is not None:
            self._remember((True, text), vector, embedder)
        return vector

    async def _in_time(self, ask: Callable[[], Awaitable[T]], event: str) -> T | None:
        """Return what the embedder answers, None when it does not, or did not just now."""
        if self._clock.monotonic() < self._silent_until:
            return None
        try:
            async with asyncio.timeout(EMBED_S):
                return await ask()
        except PaparatsError as error:
            log.warning(event, reason=str(error))
        except TimeoutError:
            self._silent_until = self._clock.monotonic() + SILENT_S
            log.warning(event, reason=f"no answer in {EMBED_S:g} s")
        return None

    def _remember(self, key: tuple[bool, str], vector: Vector, embedder: NoteEmbedder) -> None:
        if embedder is not self._embedder:
            return  # another one is in use by now
        self._remembered[key] = vector
        while len(self._remembered) > REMEMBERED:
            self._remembered.popitem(last=False)

    async def _do(self, work: Callable[[KeptNotes], T]) -> T:
        """Do some work in the thread of the file; what is wrong with the file becomes `problem`."""

        def run() -> T:
            try:
                return work(self._kept)
            except PaparatsError as error:
                self._kept.failed(error)
                raise

        return await asyncio.get_running_loop().run_in_executor(self._thread, run)

"""One role of embedding models: which model answers, which is to answer, and the swap.

What the index was made with is kept in the catalog. When the settings name another model, the one
before keeps answering and its shards are kept up to date, while those of the new one are made
behind from stored texts. When these hold all that is shown, and durably, the new model answers from
one moment to the next, and the shards before it are given up.

All repositories change together. A question is asked of all of them with one vector, and its
candidates are compared with one another, so two models at once would mean two vectors a question
and scores that say nothing to each other.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from paparatsd.embedders import OpenEmbedder, kept_settings, kept_spec
from paparatsd.errors import BadReply, EmbedderUnavailable, PaparatsError
from paparatsd.fingerprints import make_model
from paparatsd.indexing.dense import DenseFiller
from paparatsd.indexing.shard_writer import VectorModel
from paparatsd.search.asked_by import BUILT_IN, AskedBy
from paparatsd.status_model import ModelChange
from paparatsd.store.models import ModelRow, Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.broadcast import Broadcaster
    from paparatsd.clock import Clock
    from paparatsd.embedders import Embedders
    from paparatsd.indexing.flusher import Flusher
    from paparatsd.indexing.ledger import Ledger
    from paparatsd.indexing.shard_writer import ShardWriters
    from paparatsd.model import Fingerprint, RepoId, ShardKey, VersionId
    from paparatsd.settings import EmbedderSettings

log = structlog.get_logger()

CODE, TEXT = "code", "text"
RETRY_S = (1.0, 5.0, 15.0, 60.0)
LOOK_AGAIN_S = 2.0
"""After this time it is looked again whether all that is shown has its vectors."""
SILENT_S = 15.0
"""So long a model on its way out is not asked again after it did not answer."""
SLOW_S = 1.0


@dataclass(frozen=True, slots=True)
class Serving:
    """A model with the embedder that makes its vectors, and those of questions."""

    model: VectorModel
    opened: OpenEmbedder


@dataclass(frozen=True, slots=True)
class RoleParts:
    """What roles need of the daemon.

    `current` names how the files of a repository are read, by how often it was built anew;
    `grace_s` is longer than any question takes; `keys` are secrets by base URL.
    """

    ledger: Ledger
    writers: ShardWriters
    flusher: Flusher
    embedders: Embedders
    clock: Clock
    broadcaster: Broadcaster
    current: Callable[[int], Fingerprint]
    keys: Mapping[str, str]
    grace_s: float


class ModelRole:
    """Which model answers in a role.

    `answering` is None in the role "text" while documents are answered by the model for code.
    """

    def __init__(
        self,
        role: str,
        parts: RoleParts,
        *,
        on_swap: Callable[[], None],
        is_settled: Callable[[], bool],
    ) -> None:
        """`on_swap` is called when another model begins to answer; it must not wait.

        `is_settled` says that no project is about to replace what it shows.
        """
        self.role = role
        self.answering: Serving | None = None
        self._parts = parts
        self._on_swap = on_swap
        self._is_settled = is_settled
        self._previous: Serving | None = None
        self._wanted: EmbedderSettings | None = None
        self._coming: Serving | None = None
        self._filler: DenseFiller | None = None
        self._coming_filler: DenseFiller | None = None
        self._wants: dict[ShardKey, Wanted] = {}
        self._problem = ""
        self._silent_until = 0.0
        self._changed = asyncio.Event()
        self._switching = asyncio.Lock()

    # ------------------------------------------------------------------ what is wanted

    async def aim(self, chosen: EmbedderSettings | None) -> None:
        """Have this model answer as soon as it can; None (of text): none of its own.

        Raises EmbedderUnavailable and BadSettings only where no model has ever answered.
        """
        async with self._switching:
            row = await self._parts.ledger.change(lambda it: it.models.row(self.role))
            given_up, self._coming, self._wanted = self._coming, None, None
            self._problem = ""
            if chosen is None:
                await self._forget(row)
            elif row is not None:
                await self._aim_from(row, chosen)
            elif self.role == CODE:
                opened = await self._parts.embedders.open(chosen)
                await self._answer(self._serving(opened))
            else:
                self._wanted = chosen
        self._changed.set()
        if given_up is not None:
            await given_up.opened.close()

    async def _forget(self, row: ModelRow | None) -> None:
        if row is not None:
            await self._parts.ledger.change(lambda it: it.models.forget(self.role))
        self._previous, self.answering = self.answering, None
        self._on_swap()

    async def _aim_from(self, row: ModelRow, chosen: EmbedderSettings) -> None:
        same = kept_settings(chosen) == row.settings
        dimension = row.dimension if same else 0
        opened: OpenEmbedder | None = None
        try:
            opened = await self._parts.embedders.open(chosen, dimension=dimension)
        except PaparatsError as error:
            self._problem = str(error)
        serving = None if opened is None else self._serving(opened)
        if serving is not None and serving.model.fingerprint == row.fingerprint:
            await self._answer(serving)
            return
        if self.answering is None:
            before = await self._parts.embedders.reopen(row, self._parts.keys)
            self.answering = Serving(_model_of(row, before), before)
            self._on_swap()
        self._wanted, self._coming = chosen, serving
        log.info("model_change_begun", role=self.role, wanted=chosen.model or chosen.provider)

    async def _answer(self, serving: Serving) -> None:
        """Let a model answer whose shards do already, or that is the first."""
        row = self._row(serving)
        await self._parts.ledger.change(lambda it: it.models.note(row))
        self._previous, self.answering = self.answering, serving
        self._on_swap()

    def _serving(self, opened: OpenEmbedder) -> Serving:
        static = self._parts.embedders.static
        return Serving(make_model(self.role, opened.spec, static=static), opened)

    def _row(self, serving: Serving) -> ModelRow:
        model, opened = serving.model, serving.opened
        settings, spec = kept_settings(opened.settings), kept_spec(opened.spec)
        return ModelRow(self.role, model.kind, model.fingerprint, model.dimension, settings, spec)

    # ------------------------------------------------------------------ what others ask

    def asked_by(self, fingerprint: Fingerprint) -> AskedBy | None:
        """Return how questions to a shard are embedded; None when it is none of this role's."""
        for serving in (self.answering, self._previous):
            if serving is not None and serving.model.fingerprint == fingerprint:
                return self._asked_by(serving)
        return None

    def _asked_by(self, serving: Serving) -> AskedBy:
        opened = serving.opened
        if opened.embedder is None:
            return AskedBy(
                built_in=False,
                note=(
                    f"The model that the index was made with, {opened.name}, cannot be asked any "
                    "more: these results are found by words only, not by meaning, until the new "
                    "model has all its vectors."
                ),
            )
        if opened.built_in:
            return BUILT_IN
        if self._wanted is None:
            return AskedBy(built_in=False, embed_query=opened.embedder.embed_query)

        async def embed(text: str) -> NDArray[np.float32]:
            return await self._ask_leaving(opened, text)

        return AskedBy(built_in=False, embed_query=embed)

    async def _ask_leaving(self, opened: OpenEmbedder, text: str) -> NDArray[np.float32]:
        """Ask a model that may be gone for good; without an answer it is left alone for a while."""
        clock = self._parts.clock
        began = clock.monotonic()
        if opened.embedder is None or began < self._silent_until:
            raise EmbedderUnavailable(f"{opened.name} did not answer a moment ago")
        try:
            return await opened.embedder.embed_query(text)
        except (EmbedderUnavailable, BadReply):
            self._silent_until = clock.monotonic() + SILENT_S
            raise
        except asyncio.CancelledError:
            if clock.monotonic() - began > SLOW_S:
                self._silent_until = clock.monotonic() + SILENT_S
            raise

    def pending(self, shard: ShardKey) -> int:
        """Return how many files of a shard that answers lack vectors, as far as known."""
        return 0 if self._filler is None else self._filler.pending(shard)

    def wake(self) -> None:
        """Say that something was stored or shown."""
        for filler in (self._filler, self._coming_filler):
            if filler is not None:
                filler.wake()

    def change(self) -> ModelChange | None:
        """Say how far a change of the model is; None when there is none."""
        if self._wanted is None:
            return None
        before, coming = self.answering, self._coming
        total = sum(one.total for one in self._wants.values())
        filler = self._coming_filler
        left = 0
        for shard, one in self._wants.items():
            under_way = 0 if filler is None else filler.pending(shard)
            left += under_way or len(one.missing) + len(one.outdated)
        return ModelChange(
            role=self.role,
            old="" if before is None else before.opened.name,
            new=self._wanted.model or self._wanted.provider
            if coming is None
            else coming.opened.name,
            files_done=total - left,
            files_total=total,
            can_answer=before is None or before.opened.embedder is not None,
        )

    def problems(self) -> tuple[str, ...]:
        """Say what embedders could not do."""
        found = []
        before = self.answering
        if before is not None and before.opened.embedder is None:
            found.append(
                f"{before.opened.name}, which the index was made with, cannot be asked any more "
                f"({before.opened.problem}); until the new model has all its vectors, searches "
                "go by words alone"
            )
        found += self._filler.problems() if self._filler is not None else ()
        coming = self._coming_filler.problems() if self._coming_filler is not None else ()
        said = [self._problem] if self._problem else list(coming)
        found += [f"model change: {one}" for one in said]
        return tuple(found)

    def open_embedders(self) -> tuple[OpenEmbedder, ...]:
        """Return the embedders that may be asked now."""
        known = (self.answering, self._previous, self._coming)
        found = {id(one.opened): one.opened for one in known if one is not None}
        return tuple(found.values())

    # ------------------------------------------------------------------ the task

    async def run(self) -> None:
        """Fill shards, swap and tidy up until cancelled."""
        while True:
            self._changed.clear()
            async with asyncio.TaskGroup() as tasks:
                jobs = [tasks.create_task(job) for job in self._jobs()]
                await self._changed.wait()
                for job in jobs:
                    job.cancel()

    def _jobs(self) -> list[Coroutine[Any, Any, None]]:
        self._filler = self._coming_filler = None
        self._wants.clear()
        jobs = [self._retire()]
        answering = self.answering
        if answering is not None and answering.opened.embedder is not None:
            self._filler = self._filler_of(answering, _Answering(self._parts.ledger, self))
            jobs.append(self._filler.run())
        if self._wanted is not None:
            jobs.append(self._come(self._wanted))
        return jobs

    def _filler_of(self, serving: Serving, work: _Answering | _Coming) -> DenseFiller:
        embedder = serving.opened.embedder
        if embedder is None:
            raise AssertionError("only what can be asked fills a shard")
        return DenseFiller(
            embedder=embedder,
            ledger=self._parts.ledger,
            writers=self._parts.writers,
            clock=self._parts.clock,
            work=work,
            on_progress=lambda shard, left: self._parts.broadcaster.send(
                "vectors", repo=shard.repo, pending=left
            ),
        )

    async def _come(self, chosen: EmbedderSettings) -> None:
        """Make the shards of the model that is wanted, and swap."""
        failures = 0
        while self._coming is None:
            try:
                opened = await self._parts.embedders.open(chosen)
            except PaparatsError as error:
                self._problem = str(error)
                log.warning("model_not_opened", role=self.role, error=str(error))
                await self._parts.clock.sleep(RETRY_S[min(failures, len(RETRY_S) - 1)])
                failures += 1
                continue
            self._problem = ""
            self._coming = self._serving(opened)
            if self.answering is not None and (
                self._coming.model.fingerprint == self.answering.model.fingerprint
            ):
                self._coming = self._wanted = None
                await opened.close()
            self._changed.set()  # now it is known which shards are of neither model
            return
        coming = self._coming
        self._coming_filler = self._filler_of(coming, _Coming(self._parts.ledger, self, coming))
        await self._coming_filler.run()

    async def current(self) -> dict[RepoId, Fingerprint]:
        """Return how the files of each repository with projects are read now."""
        builds = await self._parts.ledger.change(lambda it: it.models.builds())
        return {repo: self._parts.current(build) for repo, build in builds.items()}

    async def wanted(self, shard: ShardKey) -> Wanted:
        """Return what a shard must hold, and remember it for whoever asks how far it is."""
        current = (await self.current()).get(shard.repo)
        if current is None:
            return Wanted(0)
        found = await self._parts.ledger.change(lambda it: it.models.wanted(shard, current))
        self._wants[shard] = found
        return found

    def is_settled(self) -> bool:
        """Say whether no project is about to replace what it shows."""
        return self._is_settled()

    async def swap(self, coming: Serving) -> None:
        """Let the model answer if its shards hold all that is shown; else look again soon."""
        await self._parts.flusher.flush()
        if not await self._try_swap(coming):
            await self._parts.clock.sleep(LOOK_AGAIN_S)
            self.wake()

    async def _try_swap(self, coming: Serving) -> bool:
        async with AsyncExitStack() as held:
            await held.enter_async_context(self._switching)
            if self._coming is not coming:
                return True  # something else is wanted by now
            current = await self.current()
            if self.answering is not None:
                # What is being written belongs to the model before, or comes after the swap.
                for repo in current:
                    writer = self._parts.writers.of(self.answering.model.shard(repo))
                    await held.enter_async_context(writer.lock)
            row = self._row(coming)
            if not await self._parts.ledger.change(lambda it: it.models.swap(row, current)):
                return False
            self._previous, self.answering = self.answering, coming
            self._coming = self._wanted = None
            self._on_swap()
        log.info("model_changed", role=self.role, model=coming.opened.name)
        self._parts.broadcaster.send("model", role=self.role, model=coming.opened.name)
        self._changed.set()
        return True

    async def _retire(self) -> None:
        """Give up the shards of models that neither answer nor are to, when nobody asks them."""
        if self._wanted is not None and self._coming is None:
            return
        if self._previous is not None:
            await self._parts.clock.sleep(self._parts.grace_s)
        try:
            await self._give_up_others()
        except PaparatsError as error:
            log.warning("shards_not_given_up", role=self.role, error=str(error))

    async def _give_up_others(self) -> None:
        known = [one for one in (self.answering, self._coming) if one is not None]
        kept = [one.model.fingerprint for one in known]
        ledger = self._parts.ledger
        for shard in await ledger.change(lambda it: it.models.others(self.role, kept)):
            log.info("shard_given_up", repo=shard.repo, kind=shard.kind)
            while await ledger.change(lambda it, one=shard: it.models.give_up(one)):  # type: ignore[misc]
                pass
        ledger.outbox_filled.set()
        previous, self._previous = self._previous, None
        if previous is not None and all(previous.opened is not one.opened for one in known):
            await previous.opened.close()

    async def stop(self) -> None:
        """Close what is open."""
        for opened in self.open_embedders():
            await opened.close()


def _name_of(chosen: EmbedderSettings) -> str:
    return f"{chosen.provider} {chosen.model}".strip()


def _model_of(row: ModelRow, opened: OpenEmbedder) -> VectorModel:
    in_worker = row.role == CODE and opened.built_in and opened.embedder is not None
    return VectorModel(row.kind, row.fingerprint, row.dimension, in_worker)


class _Answering:
    """What the shards that answer lack: what was written with words alone."""

    def __init__(self, ledger: Ledger, role: ModelRole) -> None:
        self._ledger = ledger
        self._role = role

    async def shards(self) -> Sequence[ShardKey]:
        serving = self._role.answering
        if serving is None:
            return ()
        return [serving.model.shard(repo) for repo in await self._role.current()]

    async def missing(self, shard: ShardKey) -> Sequence[VersionId]:
        if self._role.role == CODE:
            return await self._ledger.lexical_only(shard)
        wanted = await self._role.wanted(shard)
        return (*wanted.missing, *wanted.outdated)

    async def full(self) -> None:
        pass


class _Coming:
    """What the shards of a model lack before it can answer."""

    def __init__(self, ledger: Ledger, role: ModelRole, serving: Serving) -> None:
        self._ledger = ledger
        self._role = role
        self._serving = serving

    async def shards(self) -> Sequence[ShardKey]:
        shards = [self._serving.model.shard(repo) for repo in await self._role.current()]
        for shard in shards:
            await self._role.wanted(shard)
        return shards

    async def missing(self, shard: ShardKey) -> Sequence[VersionId]:
        wanted = await self._role.wanted(shard)
        if wanted.missing or not self._role.is_settled():
            return wanted.missing
        # What nobody is about to replace, as where a root is missing, is kept as it is.
        return wanted.outdated

    async def full(self) -> None:
        await self._role.swap(self._serving)

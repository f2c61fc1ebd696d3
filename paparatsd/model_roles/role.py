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
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import PaparatsError
from paparatsd.indexing.dense import DenseFiller
from paparatsd.model_roles.embedders import kept_settings
from paparatsd.model_roles.parts import CODE, row_of, serving_from, serving_of
from paparatsd.model_roles.questions import Questions
from paparatsd.model_roles.work import AnsweringWork, ComingWork
from paparatsd.status_model import ModelChange
from paparatsd.store.models import Wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from paparatsd.model import Fingerprint, RepoId, ShardKey
    from paparatsd.model_roles.embedders import OpenEmbedder
    from paparatsd.model_roles.parts import RoleParts, Serving
    from paparatsd.search.asked_by import AskedBy
    from paparatsd.settings import EmbedderSettings
    from paparatsd.store.models import ModelRow

log = structlog.get_logger()

RETRY_S = (1.0, 5.0, 15.0, 60.0)
LOOK_AGAIN_S = 2.0
"""After this time it is looked again whether all that is shown has its vectors."""


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
        self._questions = Questions(parts.clock)
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
            elif row is not None and not self._parts.at_once:
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
            # A new model may keep us waiting for its size; the one before answers meanwhile.
            opened = await self._parts.embedders.open(chosen, dimension=dimension, probe=same)
        except PaparatsError as error:
            log.info("model_not_known_yet", role=self.role, reason=str(error))
        serving = None if opened is None else self._serving(opened)
        if serving is not None and serving.model.fingerprint == row.fingerprint:
            await self._answer(serving)
            return
        if self.answering is None:
            before = await self._parts.embedders.reopen(row, self._parts.keys)
            self.answering = serving_from(row, before)
            self._on_swap()
        self._wanted, self._coming = chosen, serving
        log.info("model_change_begun", role=self.role, wanted=chosen.model or chosen.provider)

    async def _answer(self, serving: Serving) -> None:
        """Let a model answer whose shards do already, or that is the first."""
        row = row_of(self.role, serving)
        await self._parts.ledger.change(lambda it: it.models.note(row))
        self._previous, self.answering = self.answering, serving
        self._on_swap()

    def _serving(self, opened: OpenEmbedder) -> Serving:
        return serving_of(self.role, opened, self._parts.embedders.static)

    # ------------------------------------------------------------------ what others ask

    def asked_by(self, fingerprint: Fingerprint) -> AskedBy | None:
        """Return how questions to a shard are embedded; None when it is none of this role's."""
        for serving in (self.answering, self._previous):
            if serving is not None and serving.model.fingerprint == fingerprint:
                leaving = self._wanted is not None
                return self._questions.asked_by(serving.opened, leaving=leaving)
        return None

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
            self._filler = self._filler_of(answering, AnsweringWork(self._parts.ledger, self))
            jobs.append(self._filler.run())
        if self._wanted is not None:
            jobs.append(self._come(self._wanted))
        return jobs

    def _filler_of(self, serving: Serving, work: AnsweringWork | ComingWork) -> DenseFiller:
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
            await self._note_opened(chosen, self._serving(opened))
            return
        coming = self._coming
        self._coming_filler = self._filler_of(coming, ComingWork(self._parts.ledger, self, coming))
        await self._coming_filler.run()

    async def _note_opened(self, chosen: EmbedderSettings, serving: Serving) -> None:
        """Go on with a model that could not be told before; it may be the one that answers."""
        async with self._switching:
            before = self.answering
            if self._wanted is not chosen:
                await serving.opened.close()
            elif before is not None and before.model.fingerprint == serving.model.fingerprint:
                self._wanted = None
                await self._answer(serving)
            else:
                self._coming = serving
        self._changed.set()  # now it is known which shards are of neither model

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
            row = row_of(self.role, coming)
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

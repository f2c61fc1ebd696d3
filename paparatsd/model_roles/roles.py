"""The embedding models of the daemon: one for code, and one for text where that is another."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from paparatsd.model_roles.embedders import kept_settings
from paparatsd.model_roles.parts import CODE, TEXT
from paparatsd.model_roles.role import ModelRole
from paparatsd.search.asked_by import AskedBy

if TYPE_CHECKING:
    from collections.abc import Callable

    from paparatsd.indexing.shard_writer import VectorModel
    from paparatsd.model import EmbedderSpec, RepoId, ShardKey
    from paparatsd.model_roles.embedders import OpenEmbedder
    from paparatsd.model_roles.parts import RoleParts, Serving
    from paparatsd.settings import EmbedderSettings
    from paparatsd.status_model import ModelChange

GONE = AskedBy(
    built_in=False,
    note="The embedding model was changed meanwhile: these results are found by words only.",
)
"""A question that took longer than shards before a change are kept."""


class ModelRoles:
    """Who embeds what, and whom questions are asked of."""

    def __init__(
        self,
        parts: RoleParts,
        *,
        on_swap: Callable[[str], None],
        is_settled: Callable[[], bool],
    ) -> None:
        """`on_swap` is told the role in which another model begins to answer."""
        self._at_once = parts.at_once
        self._code = ModelRole(CODE, parts, on_swap=lambda: on_swap(CODE), is_settled=is_settled)
        self._text = ModelRole(TEXT, parts, on_swap=lambda: on_swap(TEXT), is_settled=is_settled)

    async def aim(self, code: EmbedderSettings, text: EmbedderSettings | None) -> None:
        """Have these models answer as soon as they can; `text` None: as for code.

        Raises EmbedderUnavailable and BadSettings where none has ever answered.
        """
        await self._code.aim(code)
        # Of documents with vectors of their own nothing is published.
        same = text is None or self._at_once or kept_settings(text) == kept_settings(code)
        await self._text.aim(None if same else text)

    @property
    def model(self) -> VectorModel:
        """The model that answers questions about code."""
        return self._serving.model

    @property
    def text_model(self) -> VectorModel | None:
        """The model that answers questions to documents; None where it is that for code."""
        return None if self._text.answering is None else self._text.answering.model

    @property
    def _serving(self) -> Serving:
        if self._code.answering is None:
            raise AssertionError("the first model is opened before anything is built on it")
        return self._code.answering

    @property
    def spec(self) -> EmbedderSpec:
        """What names the embedder that answers."""
        return self._serving.opened.spec

    @property
    def text_spec(self) -> EmbedderSpec | None:
        """What names the embedder that answers for documents, where it is another one."""
        return None if self._text.answering is None else self._text.answering.opened.spec

    @property
    def is_apart(self) -> bool:
        """Whether text has, or is to have, another embedder than code."""
        return self._text.answering is not None or self._text.change() is not None

    @property
    def for_notes(self) -> OpenEmbedder:
        """The embedder of terms and cards: that for text."""
        return (self._text.answering or self._serving).opened

    def shard(self, repo: RepoId) -> ShardKey:
        """Return the shard that answers searches of a repository."""
        return self.model.shard(repo)

    def text_shard(self, repo: RepoId) -> ShardKey:
        """Return the shard that answers questions to the documents of a repository."""
        return (self.text_model or self.model).shard(repo)

    def asked_by(self, shard: ShardKey) -> AskedBy:
        """Return how questions to a shard are embedded."""
        role = self._text if shard.kind == TEXT else self._code
        return role.asked_by(shard.fingerprint) or GONE

    def is_answering(self, shard: ShardKey) -> bool:
        """Say whether a shard answers searches of code: what it lacks is read from files again."""
        return shard == self.shard(shard.repo)

    def pending(self, shard: ShardKey) -> int:
        """Return how many files of a shard that answers lack vectors, as far as known."""
        return self._code.pending(shard)

    def changes(self) -> tuple[ModelChange, ...]:
        """Say which changes of models are under way."""
        found = (role.change() for role in (self._code, self._text))
        return tuple(one for one in found if one is not None)

    def problems(self) -> tuple[str, ...]:
        """Say what embedders could not do."""
        return tuple(dict.fromkeys((*self._code.problems(), *self._text.problems())))

    def open_embedders(self) -> tuple[tuple[str, OpenEmbedder], ...]:
        """Return the embedders that may be asked now, by role."""
        return tuple(
            (role.role, opened)
            for role in (self._code, self._text)
            for opened in role.open_embedders()
        )

    def wake(self) -> None:
        """Say that something was stored or shown."""
        self._code.wake()
        self._text.wake()

    async def run(self) -> None:
        """Fill shards, swap and tidy up until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._code.run())
            tasks.create_task(self._text.run())

    async def stop(self) -> None:
        """Close what is open."""
        await self._code.stop()
        await self._text.stop()

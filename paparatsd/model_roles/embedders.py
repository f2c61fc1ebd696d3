"""Opens embedders: the one that settings name, and the one that an index was made with."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from paparatsd.chunks.embedtext import TEXT_VERSION
from paparatsd.embeddings.cache import CachedEmbedder, EmbeddingCache
from paparatsd.embeddings.embedder import Embedded
from paparatsd.embeddings.http import HttpEmbedder
from paparatsd.embeddings.local import PACKAGES, open_local
from paparatsd.embeddings.model2vec import Model2vecEmbedder, load_table
from paparatsd.embeddings.sameness import SameModel
from paparatsd.errors import BadReply, EmbedderUnavailable, PaparatsError
from paparatsd.model import EmbedderSpec, Fingerprint
from paparatsd.settings import EmbedderSettings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from paparatsd.clock import Clock
    from paparatsd.embeddings.embedder import Embedder, FloatVector
    from paparatsd.endpoints.posting import Sent
    from paparatsd.indexing.pool import WorkerPool
    from paparatsd.status_model import CacheFigures
    from paparatsd.store.models import ModelRow


@dataclass(frozen=True, slots=True)
class OpenEmbedder:
    """An embedder as it was set, and what may be done with it.

    `embedder` is None when it cannot be asked, and `problem` says why. `built_in`: questions are
    embedded by the search process. `sent`: what it got so far, of one behind an endpoint.
    """

    settings: EmbedderSettings
    spec: EmbedderSpec
    embedder: Embedder | None
    close: Callable[[], Awaitable[None]]
    built_in: bool = False
    sent: Callable[[], Sent] | None = None
    problem: str = ""
    pid: Callable[[], int | None] = lambda: None
    """The process of a model that has one of its own."""

    @property
    def name(self) -> str:
        """What people know it by."""
        if self.spec.provider == "static":
            return "the built-in model"
        return f"{self.spec.provider} {self.spec.model}".strip()


class WorkerEmbedder:
    """The built-in model, as the workers have it. It embeds stored texts, and no questions."""

    def __init__(self, pool: WorkerPool, spec: EmbedderSpec) -> None:
        self._pool = pool
        self.spec = spec

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Return one row of length 1 per text. Raises ChildDied, BadReply."""
        rows, fingerprint = await self._pool.embed(texts)
        if fingerprint != self.spec.fingerprint:
            raise BadReply("the workers have another embedding model: restart paparatsd")
        return Embedded(rows)

    async def embed_query(self, text: str) -> FloatVector:
        """Refuse: the search process embeds questions."""
        raise EmbedderUnavailable(f"{text[:20]!r} is embedded by the search process")


class Embedders:
    """Opens embedders; those behind endpoints share one cache."""

    def __init__(
        self, *, static: EmbedderSpec, pool: WorkerPool, cache: Path, clock: Clock
    ) -> None:
        """Take the name of the built-in model (`static`) and the file of the `cache`."""
        self.static = static
        self._pool = pool
        self._cache = EmbeddingCache(cache)
        self._clock = clock

    async def open(
        self, chosen: EmbedderSettings, *, dimension: int = 0, probe: bool = True
    ) -> OpenEmbedder:
        """Open what settings name; `dimension`: of its vectors, as far as it is known from before.

        `probe`: an endpoint may be asked for its size, which takes as long as it takes. Raises
        EmbedderUnavailable when its size is not known, BadSettings.
        """
        return await self._open(chosen, TEXT_VERSION, dimension, probe=probe)

    async def reopen(self, row: ModelRow, keys: Mapping[str, str]) -> OpenEmbedder:
        """Open what an index was made with, if that can still be done; `keys` are by base URL."""
        spec = spec_of(row)
        chosen = settings_of(row)
        chosen = replace(chosen, api_key=keys.get(chosen.url))
        try:
            opened = await self._open(chosen, spec.text_version, row.dimension, probe=False)
        except PaparatsError as error:
            return OpenEmbedder(chosen, spec, None, _nothing, problem=str(error))
        if opened.spec.fingerprint != spec.fingerprint:
            await opened.close()
            problem = f"{opened.name} is another one now"
            return OpenEmbedder(chosen, spec, None, _nothing, problem=problem)
        return opened

    async def _open(
        self, chosen: EmbedderSettings, text_version: int, dimension: int, *, probe: bool
    ) -> OpenEmbedder:
        if chosen.provider == "static":
            embedder = WorkerEmbedder(self._pool, self.static)
            return OpenEmbedder(chosen, self.static, embedder, _nothing, built_in=True)
        if chosen.provider == "model2vec":
            table = await asyncio.to_thread(load_table, chosen.model)
            local = Model2vecEmbedder(chosen, table, text_version=text_version)
            return OpenEmbedder(chosen, local.spec, local, local.close)
        if chosen.provider in PACKAGES:
            model = await open_local(chosen, text_version=text_version)
            kept = self._cached(model, model.batch_texts * 16)
            return OpenEmbedder(chosen, model.spec, kept, model.close, pid=lambda: model.pid)
        endpoint, spec = await self._endpoint(chosen, text_version, dimension, probe=probe)
        same = SameModel(endpoint, self._cache, self._clock)
        cached = self._cached(same, endpoint.batch_texts * 4)
        return OpenEmbedder(chosen, spec, cached, endpoint.close, sent=lambda: endpoint.sent)

    def _cached(self, embedder: Embedder, slice_texts: int) -> CachedEmbedder:
        return CachedEmbedder(embedder, self._cache, slice_texts=slice_texts, clock=self._clock)

    async def _endpoint(
        self, chosen: EmbedderSettings, text_version: int, dimension: int, *, probe: bool
    ) -> tuple[HttpEmbedder, EmbedderSpec]:
        """Return an endpoint whose size is set, known of its model, asked for, or as it was."""
        endpoint = HttpEmbedder(chosen, text_version=text_version, clock=self._clock)
        try:
            return endpoint, endpoint.spec
        except EmbedderUnavailable:
            pass  # its size is not known yet
        try:
            if probe:
                return endpoint, await endpoint.probe()
            if not dimension:
                return endpoint, endpoint.spec
        except PaparatsError:
            if not dimension:
                await endpoint.close()
                raise
        await endpoint.close()
        sized = replace(chosen, dimension=dimension)
        endpoint = HttpEmbedder(sized, text_version=text_version, clock=self._clock)
        return endpoint, endpoint.spec

    def cache_figures(self) -> CacheFigures:
        """Return how the cache does; reads its file."""
        return self._cache.figures()

    async def close(self) -> None:
        """Close the cache."""
        await asyncio.to_thread(self._cache.close)


async def _nothing() -> None:
    """Close nothing."""


def kept_settings(chosen: EmbedderSettings) -> str:
    """Return settings as they are kept with an index: without the key."""
    return json.dumps({key: value for key, value in asdict(chosen).items() if key != "api_key"})


def kept_spec(spec: EmbedderSpec) -> str:
    """Return what names an embedder as it is kept with an index."""
    return json.dumps(asdict(spec))


def settings_of(row: ModelRow) -> EmbedderSettings:
    """Return the settings that were kept; what this version does not know of them is left out."""
    return EmbedderSettings(**_known(EmbedderSettings, row.settings))


def spec_of(row: ModelRow) -> EmbedderSpec:
    """Return what names the embedder that was kept."""
    found = _known(EmbedderSpec, row.spec)
    return EmbedderSpec(**{**found, "fingerprint": Fingerprint(found["fingerprint"])})


def _known(kind: type[Any], text: str) -> dict[str, Any]:
    names = {one.name for one in fields(kind)} - {"api_key"}
    return {key: value for key, value in json.loads(text).items() if key in names}

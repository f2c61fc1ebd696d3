"""The embedder behind an OpenAI-compatible endpoint: batches, tries, deadlines, poison texts.

One retry layer, here: three tries (two for a question) for what may pass (no connection, 429,
5xx), one for what will not. A text that the endpoint refuses is found by halving its batch and
reported, so that it costs its own vector and no other.
"""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import anyio
import numpy as np
import structlog

from paparatsd.clock import Clock, SystemClock
from paparatsd.embeddings.embedder import Embedded, EmbedderRefused, check_vectors
from paparatsd.embeddings.endpoint import Endpoint, InputRefused, TryLater
from paparatsd.errors import EmbedderUnavailable, PaparatsError
from paparatsd.model import EmbedderSpec, Fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.embeddings.embedder import FloatMatrix, FloatVector
    from paparatsd.settings import EmbedderSettings

log = structlog.get_logger()

CODE_VERSION = 1
"""Raise it when the same settings would give other vectors than before."""
DOCUMENT_WAITS_S = (1.0, 4.0)
QUERY_WAITS_S = (0.2,)
"""Waits before each further try: documents have three, somebody waits for a question's answer."""
DOCUMENT_REQUESTS = 2
QUERY_REQUESTS = 4
"""Requests in flight for either use; apart, so that a question never waits for an index run."""
QUERY_DEADLINE_S = 3.0
"""Later than this a search is better answered without a vector."""
PROBE = "How is a file read?"
SHORTEST_CHARS = 500
"""A refused text is halved until it is this short, in case it was too long for the model."""


@dataclass(slots=True)
class _Job:
    """One call of embed_documents under way: rows by position, and what could not be embedded."""

    rows: dict[int, FloatVector] = field(default_factory=dict)
    failed: list[int] = field(default_factory=list)
    probed: bool = False


class HttpEmbedder:
    """Embeds texts by an endpoint. Close it with `close`."""

    def __init__(
        self,
        settings: EmbedderSettings,
        *,
        text_version: int = 1,
        clock: Clock | None = None,
        jitter: random.Random | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock or SystemClock()
        self._jitter = jitter or random.Random()  # noqa: S311 - spreads load, guards nothing
        self._endpoint = Endpoint(
            settings.url,
            settings.model,
            settings.api_key,
            connections=DOCUMENT_REQUESTS + QUERY_REQUESTS,
        )
        self._documents = anyio.CapacityLimiter(DOCUMENT_REQUESTS)
        self._queries = anyio.CapacityLimiter(QUERY_REQUESTS)
        self._spec = EmbedderSpec(
            provider="openai",
            model=settings.model,
            dimension=settings.dimension,
            query_template=settings.query_template,
            document_template=settings.document_template,
            text_version=text_version,
        )
        if settings.dimension:
            self._learn(settings.dimension)

    @property
    def spec(self) -> EmbedderSpec:
        """Name of this way of embedding; raises EmbedderUnavailable before its size is known."""
        if not self._spec.dimension:
            raise EmbedderUnavailable(
                f"the embedding endpoint {self._endpoint.shown} has not answered yet, so the size "
                "of its vectors is not known; set embedder.dimension to go on without it"
            )
        return self._spec

    async def close(self) -> None:
        """Close the connections."""
        await self._endpoint.close()

    async def probe(self) -> EmbedderSpec:
        """Ask once, learn the dimension if it was not set, and return the spec.

        Raises what the other calls raise; succeeds only when the endpoint really works.
        """
        await self.embed_query(PROBE)
        return self.spec

    async def embed_query(self, text: str) -> FloatVector:
        """Return float32 [dimension] of length 1 for one question.

        Raises EmbedderUnavailable, EmbedderRefused, BadReply.
        """
        filled = _fill(self._settings.query_template, text)
        deadline_s = min(QUERY_DEADLINE_S, self._settings.timeout_s)
        async with self._queries:
            row: FloatVector = (await self._request([filled], deadline_s, QUERY_WAITS_S))[0]
        return row

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Return float32 [len(texts), dimension] of rows of length 1, and the texts refused.

        Raises EmbedderUnavailable, EmbedderRefused, BadReply; then nothing of the call counts.
        """
        filled = [_fill(self._settings.document_template, text) for text in texts]
        job = _Job()
        failures: list[PaparatsError] = []
        async with anyio.create_task_group() as tasks:

            async def work(positions: Sequence[int]) -> None:
                try:
                    async with self._documents:
                        await self._embed(filled, positions, job)
                except PaparatsError as error:
                    failures.append(error)
                    tasks.cancel_scope.cancel()

            for positions in self._batches(filled):
                tasks.start_soon(work, positions)
        if failures:
            raise failures[0]
        vectors = np.zeros((len(texts), self._spec.dimension), dtype=np.float32)
        for position, row in job.rows.items():
            vectors[position] = row
        return Embedded(vectors, tuple(sorted(job.failed)))

    def _batches(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """Cut the positions into runs within the limits of count and characters."""
        batches: list[list[int]] = []
        chars = 0
        for position, text in enumerate(texts):
            full = batches and len(batches[-1]) >= self._settings.batch_texts
            if not batches or full or chars + len(text) > self._settings.batch_chars:
                batches.append([])
                chars = 0
            batches[-1].append(position)
            chars += len(text)
        return list(batches)

    async def _embed(self, texts: Sequence[str], positions: Sequence[int], job: _Job) -> None:
        """Embed some texts into `job`, in halves when the endpoint refuses them together."""
        try:
            rows = await self._request([texts[i] for i in positions], self._settings.timeout_s)
        except InputRefused:
            if len(positions) == 1:
                await self._embed_shorter(texts[positions[0]], positions[0], job)
                return
            middle = len(positions) // 2
            await self._embed(texts, positions[:middle], job)
            await self._embed(texts, positions[middle:], job)
        else:
            job.rows.update(zip(positions, rows, strict=True))

    async def _embed_shorter(self, text: str, position: int, job: _Job) -> None:
        """Embed the beginning of a refused text; give it up when even that is refused."""
        if not job.probed:
            await self._check_that_anything_works()
            job.probed = True
        while len(text) > SHORTEST_CHARS:
            text = text[: len(text) // 2]
            try:
                job.rows[position] = (await self._request([text], self._settings.timeout_s))[0]
            except InputRefused:
                continue
            log.info("embedded_text_shortened", position=position, chars=len(text))
            return
        log.warning("embedding_text_refused", position=position)
        job.failed.append(position)

    async def _check_that_anything_works(self) -> None:
        """Tell a poison text from an endpoint that refuses everything; raises EmbedderRefused."""
        try:
            await self._request([PROBE], self._settings.timeout_s)
        except InputRefused as error:
            raise EmbedderRefused(f"{error}; it refuses every text") from error

    async def _request(
        self,
        texts: Sequence[str],
        deadline_s: float,
        waits_s: Sequence[float] = DOCUMENT_WAITS_S,
    ) -> FloatMatrix:
        """Send one request, again after each of the waits; the deadline is for all together."""
        try:
            with anyio.fail_after(deadline_s):
                for planned_s in waits_s:
                    try:
                        return self._check(await self._endpoint.post(texts), len(texts))
                    except TryLater as error:
                        # Half of the wait is random, so that a crowd does not return at once.
                        wait_s = planned_s * self._jitter.uniform(0.5, 1.0)
                        wait_s = max(wait_s, error.after_s or 0.0)
                        if wait_s >= deadline_s:
                            raise
                        log.info("embedding_retried", reason=str(error), wait_s=round(wait_s, 2))
                        await self._clock.sleep(wait_s)
                return self._check(await self._endpoint.post(texts), len(texts))
        except TimeoutError:
            raise EmbedderUnavailable(
                f"the embedding endpoint {self._endpoint.shown} did not answer within "
                f"{deadline_s:g} s"
            ) from None

    def _check(self, vectors: FloatMatrix, count: int) -> FloatMatrix:
        dimension = self._spec.dimension or vectors.shape[1]
        checked = check_vectors(vectors, count=count, dimension=dimension)
        if not self._spec.dimension:
            self._learn(dimension)
        return checked

    def _learn(self, dimension: int) -> None:
        # The address and the query template are not part of the fingerprint: a model may move to
        # another machine, and how questions are asked does not change what is stored.
        spec = replace(self._spec, dimension=dimension)
        named = [
            CODE_VERSION,
            spec.provider,
            spec.model,
            dimension,
            spec.document_template,
            spec.text_version,
        ]
        digest = hashlib.blake2b(json.dumps(named).encode(), digest_size=16).hexdigest()
        self._spec = replace(spec, fingerprint=Fingerprint(digest))


def _fill(template: str, text: str) -> str:
    """Put a text into a template; an empty text becomes a space, which every endpoint takes."""
    filled = template.replace("{text}", text) or " "
    # A notebook can spell half of a surrogate pair; JSON in UTF-8 cannot.
    return filled.encode(errors="replace").decode()

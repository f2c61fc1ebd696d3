"""The embedder behind an endpoint: batches side by side, and texts that cannot be embedded.

A text that the endpoint refuses, fails at or answers with nonsense is found by halving its batch
and asked for alone, shorter if need be, so that it costs its own vector and no other.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import random
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import anyio
import numpy as np
import structlog

from paparatsd.clock import Clock, SystemClock
from paparatsd.embeddings.asking import Asking, TooSlow
from paparatsd.embeddings.choice import wire_of
from paparatsd.embeddings.embedder import BadRows, Embedded, EmbedderRefused, check_vectors
from paparatsd.embeddings.endpoint import Endpoint, InputRefused, ServerFailed
from paparatsd.embeddings.families import family_of, fill, templates_of
from paparatsd.endpoints.pace import Pace
from paparatsd.errors import EmbedderUnavailable, PaparatsError
from paparatsd.model import EmbedderSpec, Fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.embeddings.embedder import FloatMatrix, FloatVector
    from paparatsd.embeddings.endpoint import Sent
    from paparatsd.embeddings.wire import Answer
    from paparatsd.settings import EmbedderSettings

log = structlog.get_logger()

CODE_VERSION = 1
"""Raise it when the same settings would give other vectors than before."""
QUERY_REQUESTS = 4
"""Questions in flight; apart from documents, so that none waits for an index run."""
PROBE = "How is a file read?"
SHORTEST_CHARS = 500
"""A text that fails is halved until it is this short, in case it was too long for the model."""
SAFELY, MOST = 0.95, 0.9
"""A beginning may have more tokens to the character than the whole text, from which it is cut.

MOST bounds the number of tries.
"""


@dataclass(slots=True)
class _Job:
    """One call of embed_documents under way: rows by position, and what could not be embedded."""

    texts: Sequence[str]
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
        """Take what is set; 0 texts, characters and requests are what suits the provider."""
        wire = wire_of(settings)
        limits = wire.limits
        clock = clock or SystemClock()
        requests = settings.concurrency or limits.requests
        self.batch_texts = min(settings.batch_texts or limits.texts, limits.most_texts)
        self._most_chars = self._batch_chars = settings.batch_chars or limits.chars
        self._timeout_s = settings.timeout_s
        self._clock = clock
        self._long_chars: float = float("inf")
        self._variants = tuple(filter(None, (wire.variant, settings.revision)))
        self._endpoint = Endpoint(
            settings.url, wire, settings.api_key, connections=requests + QUERY_REQUESTS
        )
        self._asking = Asking(
            self._endpoint,
            Pace(clock, settings.min_interval_s),
            clock=clock,
            jitter=jitter or random.Random(),  # noqa: S311 - spreads load, guards nothing
            timeout_s=settings.timeout_s,
            retries=settings.retries,
        )
        self._documents = anyio.CapacityLimiter(requests)
        self._queries = anyio.CapacityLimiter(QUERY_REQUESTS)
        self._warming: asyncio.Task[None] | None = None
        family = settings.family
        if family == "auto":
            # Voyage puts prompts of its own before texts.
            family = "none" if wire.provider == "voyage" else family_of(settings.model)
        self._templates = templates_of(family, settings.query_template, settings.document_template)
        self._spec = EmbedderSpec(
            provider=wire.provider,
            model=settings.model,
            dimension=settings.dimension,
            query_template=self._templates.query,
            document_template=self._templates.document,
            text_version=text_version,
        )
        if settings.dimension or wire.native_dimension:
            self._learn(settings.dimension or wire.native_dimension)

    @property
    def spec(self) -> EmbedderSpec:
        """Name of this way of embedding; raises EmbedderUnavailable before its size is known."""
        if not self._spec.dimension:
            raise EmbedderUnavailable(
                f"the embedding endpoint {self._endpoint.shown} has not answered yet, so the size "
                "of its vectors is not known; set embedder.dimension to go on without it"
            )
        return self._spec

    @property
    def sent(self) -> Sent:
        """What was sent to the endpoint since the start."""
        return self._endpoint.sent

    async def close(self) -> None:
        """Close the connections."""
        if self._warming is not None:
            self._warming.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._warming
        await self._endpoint.close()

    async def probe(self) -> EmbedderSpec:
        """Ask once, learn the dimension if it was not set, and return the spec.

        Raises what the other calls raise; succeeds only when the endpoint really works.
        """
        # As a document: a server that has to load its model first may take longer than a
        # question has.
        await self._ask_probe()
        return self.spec

    async def embed_query(self, text: str) -> FloatVector:
        """Return float32 [dimension] of length 1 for one question.

        Raises EmbedderUnavailable, EmbedderRefused, BadReply.
        """
        filled = fill(self._templates.for_query(text), text)
        async with self._queries:
            try:
                answer = await self._asking.query(filled)
            except TooSlow:
                self._warm_up()
                raise
        row: FloatVector = self._check(answer, 1)[0]
        return row

    def _warm_up(self) -> None:
        """Have the endpoint load its model, behind the question that could not wait for it.

        Some servers load a model with the first request and give that up when its client hangs up,
        so that questions alone, with their short deadline, would never get it loaded.
        """
        if self._warming is None or self._warming.done():
            self._warming = asyncio.create_task(self._warm())

    async def _warm(self) -> None:
        try:
            await self._ask_probe()
        except PaparatsError as error:
            log.info("embedder_not_warm", reason=str(error))

    async def embed_documents(self, texts: Sequence[str]) -> Embedded:
        """Return float32 [len(texts), dimension] of rows of length 1, and the texts refused.

        Raises EmbedderUnavailable, EmbedderRefused, BadReply; then nothing of the call counts.
        """
        job = _Job([fill(self._templates.document, text) for text in texts])
        failures: list[PaparatsError] = []
        async with anyio.create_task_group() as tasks:

            async def work(positions: Sequence[int]) -> None:
                try:
                    async with self._documents:
                        await self._embed(positions, job)
                except PaparatsError as error:
                    failures.append(error)
                    tasks.cancel_scope.cancel()

            for positions in self._batches(job.texts):
                tasks.start_soon(work, positions)
        if failures:
            raise failures[0]
        vectors = np.zeros((len(texts), self._spec.dimension), dtype=np.float32)
        for position, row in job.rows.items():
            vectors[position] = row
        return Embedded(vectors, tuple(sorted(job.failed)))

    def _batches(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """Cut the positions into runs within the limits of count and characters.

        What is as long as a text that was too long goes alone: a server may have computed half of
        a batch before it refuses the rest, and would do it again for each half.
        """
        batches: list[list[int]] = []
        chars = self._batch_chars + 1
        for position, text in enumerate(texts):
            if len(text) >= self._long_chars:
                batches.insert(0, [position])
                continue
            if chars + len(text) > self._batch_chars or len(batches[-1]) >= self.batch_texts:
                batches.append([])
                chars = 0
            batches[-1].append(position)
            chars += len(text)
        return list(batches)

    async def _embed(self, positions: Sequence[int], job: _Job) -> bool:
        """Embed some texts into `job`, those that fail together in halves; say if none did."""
        texts = [job.texts[position] for position in positions]
        # Once another text went through, a failure is the texts' and not the server's state.
        ask = self._asking.suspects if job.probed else self._asking.documents
        began = self._clock.monotonic()
        try:
            rows = self._check(await ask(texts), len(texts))
        except TooSlow as error:
            await self._embed_slowly(positions, job, error)
            return False
        except (InputRefused, ServerFailed, BadRows) as error:
            await self._probe_for(job, error)
            await self._embed_apart(positions, job, error)
            return False
        job.rows.update(zip(positions, rows, strict=True))
        if self._clock.monotonic() - began < self._timeout_s / 4:
            self._batch_chars = min(self._most_chars, 2 * self._batch_chars)
        return True

    async def _embed_slowly(
        self, positions: Sequence[int], job: _Job, error: PaparatsError
    ) -> None:
        """Embed in halves what took too long together.

        Also the next batches are smaller, until one takes less than a quarter of the time. Raises
        `error` for a single text, and whatever the probe raises: then the server hangs.
        """
        if len(positions) == 1:
            raise error
        chars = sum(len(job.texts[position]) for position in positions)
        self._batch_chars = min(self._batch_chars, max(chars // 2, SHORTEST_CHARS))
        log.info("embedding_batch_too_slow", texts=len(positions), chars=chars)
        await self._ask_probe()
        middle = len(positions) // 2
        await self._embed(positions[:middle], job)
        await self._embed(positions[middle:], job)

    async def _embed_apart(self, positions: Sequence[int], job: _Job, error: PaparatsError) -> None:
        """Embed texts that failed together with `error`: the bad ones alone, or all in halves."""
        if len(positions) == 1:
            await self._embed_alone(positions[0], job, error)
        elif isinstance(error, BadRows) and len(error.bad) < len(positions):
            for at, position in enumerate(positions):
                if at in error.bad:
                    await self._embed_alone(position, job, error)
                else:
                    job.rows[position] = error.vectors[at]
        else:
            # All rows may be bad because of one text: they are computed together.
            middle = len(positions) // 2
            whole = await self._embed(positions[:middle], job)
            whole = await self._embed(positions[middle:], job) and whole
            if whole and isinstance(error, InputRefused):
                # Not a text was too much but their number: the next batches are smaller.
                self.batch_texts = min(self.batch_texts, len(positions) - middle)

    async def _embed_alone(self, position: int, job: _Job, error: PaparatsError) -> None:
        """Embed a text that failed, or its beginning; give it up when even that fails."""
        text = job.texts[position]
        # A refusal stays one; what the server failed at may have been due to the company.
        attempt = self._beginning(text, error) if isinstance(error, InputRefused) else text
        while attempt:
            try:
                job.rows[position] = self._check(await self._asking.suspects([attempt]), 1)[0]
            except (InputRefused, ServerFailed, BadRows) as failure:
                error, attempt = failure, self._beginning(attempt, failure)
                continue
            if len(attempt) < len(text):
                # Only now is it known that the length was the reason.
                self._long_chars = min(self._long_chars, len(text))
            log.info("embedding_text_saved", position=position, chars=len(attempt))
            return
        log.warning("embedding_text_refused", position=position, reason=str(error))
        job.failed.append(position)

    def _beginning(self, text: str, error: PaparatsError) -> str:
        """Return as much of a text as the server says it takes, or half; "" when it is short."""
        if len(text) <= SHORTEST_CHARS:
            return ""
        fits = SAFELY * error.fits if isinstance(error, InputRefused) else 0.0
        return text[: int(len(text) * (min(fits, MOST) or 0.5))]

    async def _probe_for(self, job: _Job, error: PaparatsError) -> None:
        """Tell a poison text from an endpoint that fails at everything, and raise that."""
        if job.probed:
            return
        try:
            await self._ask_probe()
        except InputRefused as refusal:
            raise EmbedderRefused(f"{refusal}; it refuses every text") from error
        except BadRows:
            raise error from None
        job.probed = True

    async def _ask_probe(self) -> None:
        answer = await self._asking.once(fill(self._templates.document, PROBE))
        self._check(answer, 1)

    def _check(self, answer: Answer, count: int) -> FloatMatrix:
        dimension = self._spec.dimension or answer.vectors.shape[1]
        try:
            return check_vectors(answer.vectors, count=count, dimension=dimension)
        finally:
            if not self._spec.dimension and dimension and answer.vectors.shape[0] == count:
                self._learn(dimension)

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
            *self._variants,
        ]
        digest = hashlib.blake2b(json.dumps(named).encode(), digest_size=16).hexdigest()
        self._spec = replace(spec, fingerprint=Fingerprint(digest))

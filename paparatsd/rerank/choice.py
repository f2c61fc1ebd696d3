"""From settings to a reranker, or none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from paparatsd.rerank.cross_encoder import CrossEncoder, load_pair_model
from paparatsd.rerank.http import HttpReranker
from paparatsd.rerank.reranking import Reranking
from paparatsd.rerank.scores import floor_of

if TYPE_CHECKING:
    from paparatsd.clock import Clock
    from paparatsd.settings import RerankSettings


async def make_reranking(settings: RerankSettings, clock: Clock) -> Reranking | None:
    """Return the reranker that is set, None when it is off; raises BadSettings."""
    if settings.provider == "off":
        return None
    backend: HttpReranker | CrossEncoder
    if settings.provider == "onnx":
        model = await anyio.to_thread.run_sync(load_pair_model, settings.model)
        backend = CrossEncoder(model, Path(settings.model).name, settings.max_chars)
    else:
        backend = HttpReranker(settings, clock=clock)
    return Reranking(
        backend,
        clock=clock,
        timeout_s=settings.timeout_s,
        floor=floor_of(backend.spec, settings.floors),
        pause_s=settings.pause_s,
    )

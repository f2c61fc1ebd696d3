"""Fingerprints of the whole pipeline, from the fingerprints of its parts."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from paparatsd.chunks.embedtext import TEXT_VERSION
from paparatsd.chunks.fields import FIELDS_VERSION
from paparatsd.chunks.fingerprint import chunker_fingerprint
from paparatsd.chunks.limits import ChunkLimits
from paparatsd.chunks.record import RECORD_VERSION
from paparatsd.indexing.apply import Pipeline
from paparatsd.model import EmbedderSpec, Fingerprint
from paparatsd.sources.read import RULES_VERSION

if TYPE_CHECKING:
    from paparatsd.settings import IndexSettings


def make_pipeline(
    settings: IndexSettings, *, embedder: EmbedderSpec, static: EmbedderSpec
) -> Pipeline:
    """Name what the workers and the embedder do to a file.

    `embedder` makes the vectors that recall compares; `static` is the built-in model, whose file
    and path vectors are part of every ranking record.
    """
    limits = ChunkLimits(settings.chunk_chars, settings.max_chunk_chars)
    # What may be taken at all is part of it: contents known by the fingerprint are not judged anew.
    taken = (RULES_VERSION, settings.allow_secrets)
    versions = _digest(
        chunker_fingerprint(limits), FIELDS_VERSION, RECORD_VERSION, static.fingerprint, *taken
    )
    return Pipeline(
        fingerprint=versions,
        limits=limits,
        embed_in_worker=embedder.fingerprint == static.fingerprint,
        shard_fingerprint=_digest(versions, embedder.fingerprint, TEXT_VERSION),
        dimension=embedder.dimension,
    )


def _digest(*parts: object) -> Fingerprint:
    joined = "\0".join(str(part) for part in parts)
    return Fingerprint(hashlib.blake2b(joined.encode(), digest_size=16).hexdigest())

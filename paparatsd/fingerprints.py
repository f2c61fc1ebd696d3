"""Fingerprints of the whole pipeline, from the fingerprints of its parts.

There are two. One names how files become *versions* (chunks, terms, records), and is part of each
version's id. The other names the *vectors* of a shard: of which embedder, of which texts. They
change apart: another embedder keeps all versions, and makes another shard of them; another way of
cutting files makes other versions, whose points go into the same shard beside those of the versions
before, which are shown and found until they are replaced.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from paparatsd.chunks.embedtext import TEXT_VERSION
from paparatsd.chunks.fields import FIELDS_VERSION
from paparatsd.chunks.fingerprint import chunker_fingerprint
from paparatsd.chunks.limits import ChunkLimits
from paparatsd.chunks.record import RECORD_VERSION
from paparatsd.indexing.apply import Pipeline
from paparatsd.indexing.shard_writer import VectorModel
from paparatsd.model import EmbedderSpec, Fingerprint
from paparatsd.sources.read import RULES_VERSION

if TYPE_CHECKING:
    from paparatsd.settings import IndexSettings


def make_pipeline(settings: IndexSettings, *, static: EmbedderSpec, build: int = 0) -> Pipeline:
    """Name what the workers do to a file.

    `static` is the built-in model, whose file and path vectors are part of every ranking record.
    `build`: how often somebody asked to have everything built anew.
    """
    limits = ChunkLimits(settings.chunk_chars, settings.max_chunk_chars)
    # What may be taken at all is part of it: contents known by the fingerprint are not judged anew.
    taken = (RULES_VERSION, settings.allow_secrets)
    parts = (chunker_fingerprint(limits), FIELDS_VERSION, RECORD_VERSION, static.fingerprint)
    anew = (build,) if build else ()
    return Pipeline(fingerprint=_digest(*parts, *taken, *anew), limits=limits)


def make_model(kind: str, embedder: EmbedderSpec, *, static: EmbedderSpec) -> VectorModel:
    """Name the vectors that an embedder makes for shards of a kind."""
    return VectorModel(
        kind=kind,
        fingerprint=_digest("vectors", embedder.fingerprint, TEXT_VERSION),
        dimension=embedder.dimension,
        # Only what answers searches is made with the file; what else there is comes from behind.
        in_worker=kind == "code" and embedder.fingerprint == static.fingerprint,
    )


def _digest(*parts: object) -> Fingerprint:
    joined = "\0".join(str(part) for part in parts)
    return Fingerprint(hashlib.blake2b(joined.encode(), digest_size=16).hexdigest())

"""What a role of embedding models is made of: a model that serves, and what both roles need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.fingerprints import make_model
from paparatsd.indexing.shard_writer import VectorModel
from paparatsd.model_roles.embedders import kept_settings, kept_spec
from paparatsd.store.models import ModelRow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paparatsd.broadcast import Broadcaster
    from paparatsd.clock import Clock
    from paparatsd.indexing.flusher import Flusher
    from paparatsd.indexing.ledger import Ledger
    from paparatsd.indexing.shard_writer import ShardWriters
    from paparatsd.model import EmbedderSpec, Fingerprint
    from paparatsd.model_roles.embedders import Embedders, OpenEmbedder

CODE, TEXT = "code", "text"


@dataclass(frozen=True, slots=True)
class Serving:
    """A model with the embedder that makes its vectors, and those of questions."""

    model: VectorModel
    opened: OpenEmbedder


@dataclass(frozen=True, slots=True)
class RoleParts:
    """What roles need of the daemon.

    `current` names how the files of a repository are read, by how often it was built anew;
    `at_once`: what is shown comes with its vectors from elsewhere, so a model answers as soon as it
    is wanted. `grace_s` is longer than any question takes; `keys` are secrets by base URL.
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
    at_once: bool = False


def serving_of(role: str, opened: OpenEmbedder, static: EmbedderSpec) -> Serving:
    """Return an embedder with the model of its vectors in a role."""
    return Serving(make_model(role, opened.spec, static=static), opened)


def serving_from(row: ModelRow, opened: OpenEmbedder) -> Serving:
    """Return what an index was made with; its vectors are named as they were then."""
    in_worker = row.role == CODE and opened.built_in and opened.embedder is not None
    model = VectorModel(row.kind, row.fingerprint, row.dimension, in_worker)
    return Serving(model, opened)


def row_of(role: str, serving: Serving) -> ModelRow:
    """Return a model as it is kept with the index."""
    model, opened = serving.model, serving.opened
    settings, spec = kept_settings(opened.settings), kept_spec(opened.spec)
    return ModelRow(role, model.kind, model.fingerprint, model.dimension, settings, spec)

"""What the daemon and the search process tell each other of documents: frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.docs_model import DocHit
    from paparatsd.model import ProjectName, RecallRequest
    from paparatsd.search.scope import ProjectScope


@dataclass(frozen=True, slots=True)
class DocsProject:
    """A project whose documents are asked for.

    `audience` is the label of its documents that have none, `kind` what they are said to be beside:
    prose, code, or auto.
    """

    scope: ProjectScope
    audience: str
    kind: str


@dataclass(frozen=True, slots=True)
class DocsScope:
    """Where to look: projects by name, as one corpus, and the labels that may be shown.

    `labels` None is any.
    """

    projects: tuple[DocsProject, ...]
    labels: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class DocsAsked:
    """A question to the documents of a scope; the floors as in `DocsRequest`.

    `vector` is the question's embedding unless the embedder is `built_in`.
    """

    query: str
    scope: DocsScope
    limit: int
    min_score: float | None = None
    min_score_code: float | None = None
    vector: NDArray[np.float32] | None = None
    built_in: bool = True


@dataclass(frozen=True, slots=True)
class DocsPlan:
    """What to ask the stores before `token` is ranked."""

    token: int
    requests: tuple[RecallRequest, ...]


@dataclass(frozen=True, slots=True)
class DocsFound:
    """Hits, and the projects that have any document which may be shown.

    `reranked_by`: as in the answer; the search process knows no reranker.
    """

    hits: tuple[DocHit, ...]
    projects: frozenset[ProjectName]
    notes: tuple[str, ...] = ()
    reranked_by: str = ""


@dataclass(frozen=True, slots=True)
class DocumentAsked:
    """A piece of one document: its first and its greatest number of characters."""

    scope: DocsScope
    path: str
    offset: int
    max_chars: int

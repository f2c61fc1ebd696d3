"""Frozen values of documents: asked for, and found. They are files of a project.

Moments are epoch seconds, UTC. Lines are 1-based and inclusive.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from paparatsd.knowledge_model import EVERYWHERE

if TYPE_CHECKING:
    from paparatsd.history_model import LastChange
    from paparatsd.knowledge_model import Reach, TermHit
    from paparatsd.model import Freshness, ProjectName
    from paparatsd.search_model import Reranked


class DocsKind(StrEnum):
    """What the documents of a project are beside: nothing but prose, or code."""

    PROSE = "prose"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class DocsRequest:
    """A question to the documents. A floor of None is the calibrated one; 0 switches it off.

    `history`: each hit is to carry its last change. `fresh`: compare with the disk first.
    """

    query: str
    reach: Reach = EVERYWHERE
    limit: int = 8
    min_score: float | None = None
    min_score_code: float | None = None
    history: bool = False
    fresh: bool = False
    deadline_s: float = 10.0


@dataclass(frozen=True, slots=True)
class Document:
    """One document as it is now.

    `title`: of its front matter, else its first heading of the highest level, else its file name.
    `link`: where it is published, http or https. `modified`: as its front matter says, else when
    the last commit that touched it came in, else None; `dated_by` says which: "document", "commit"
    or "". `audience`: the label in force. `sections`: number of its chunks.
    """

    project: ProjectName
    path: str
    title: str
    audience: str
    kind: DocsKind
    language: str
    sections: int
    link: str | None = None
    modified: float | None = None
    dated_by: str = ""


@dataclass(frozen=True, slots=True)
class DocHit:
    """The best place of one document, with its neighbours.

    `breadcrumb`: headings from the outermost to that of the place, without the title when they
    begin with it. `first` to `last` (from 1) are the sections shown of `document.sections`.
    `score`: by which hits are ordered. `relevance`: 0 to 1, how near it is to the question, which
    the floors are about. `place_line`: on which line the place itself begins, below a neighbour; 0
    when lines of the content are not those of the file. `reranked` is None when no reranker was
    asked about it.
    """

    document: Document
    address: str
    breadcrumb: tuple[str, ...]
    start_line: int
    end_line: int
    first: int
    last: int
    content: str
    score: float
    relevance: float
    also_in: tuple[ProjectName, ...] = ()
    last_change: LastChange | None = None
    place_line: int = 0
    reranked: Reranked | None = None


@dataclass(frozen=True, slots=True)
class DocsAnswer:
    """Hits best first, one per document; `terms` are what the glossary says of the question.

    `reranked_by`: the reranker that put them into their order, "" when the order is ours.
    """

    query: str
    hits: tuple[DocHit, ...]
    terms: tuple[TermHit, ...] = ()
    freshness: tuple[Freshness, ...] = ()
    notes: tuple[str, ...] = ()
    took_ms: float = 0.0
    reranked_by: str = ""


@dataclass(frozen=True, slots=True)
class DocumentRequest:
    """A whole document: `path` inside `project`. `offset` and `max_chars` are in characters."""

    project: ProjectName
    path: str
    reach: Reach = EVERYWHERE
    offset: int = 0
    max_chars: int = 24_000


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A piece of a document, as it is in the index; `next_offset` is None when it is the last."""

    document: Document
    content: str
    offset: int
    next_offset: int | None
    total_chars: int
    freshness: tuple[Freshness, ...] = ()

"""Frozen values of a search: what is asked, what is found, and how sure that is.

Lines are 1-based and inclusive. Paths are POSIX, relative to the project's root.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from paparatsd.place_labels import NO_LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paparatsd.history_model import ChangedFilter, LastChange
    from paparatsd.model import Freshness, GroupName, ProjectName
    from paparatsd.place_labels import PlaceLabels


class Confidence(StrEnum):
    """How much a hit is worth reading."""

    HIGH = "high"
    PARTIAL = "partial"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A validated search. Empty tuples mean "no restriction"; `projects` and `groups` intersect.

    `changed`: only what was changed by somebody, at some time or for a ticket. `history`: each hit
    is to carry its last change. `widen`: a chat model, where one is set, may add words.
    """

    query: str
    limit: int = 5
    projects: tuple[ProjectName, ...] = ()
    groups: tuple[GroupName, ...] = ()
    paths: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    fresh: bool = False
    deadline_s: float = 10.0
    related: bool = False
    explain: bool = False
    changed: ChangedFilter | None = None
    history: bool = False
    widen: bool = True


@dataclass(frozen=True, slots=True)
class Neighbour:
    """What stands in a relation to a hit, as an address and not as text.

    `relation` reads from the hit: inside, calls, called_by, extends, extended_by, used_by,
    tested_by.
    `certainty`: "exact" when the source says so (scope, import, a known type), "inferred" when
    nothing else in the project is called so. `line` is where it is defined; of a user of the hit,
    where it uses it.
    """

    relation: str
    certainty: str
    address: str
    symbol: str
    kind: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Reranked:
    """What a reranker said of a hit: a score on a scale of its own; `place`: in our order, from 1.

    `floor` is the score that is needed to count with this reranker, None where that is not known.
    """

    score: float
    place: int
    floor: float | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reranker (`by`) said of some texts, in their order; no `scores`: why, in `problem`.

    `floor`: a score below it means "unrelated" with this reranker; None where that is not known.
    """

    by: str
    scores: tuple[float, ...] | None = None
    problem: str = ""
    floor: float | None = None


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What a chat model (`by`) made of a question: words, made-up code; or why nothing."""

    by: str
    words: tuple[str, ...] = ()
    code: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """One result. `also_in` lists other projects showing the identical (path, content).

    `signals`: each feature's share of the ranking score; `values`: the features themselves;
    `grounds`: what the shown confidence was computed from (search/confidence.py). `related` and
    `last_change` are None when nobody asked for them. `symbol_end`: the last line of the symbol,
    when it goes on below. `labels`: what the project's own file calls the part it is in. `certain`:
    it stands where it does whatever a ranking says. `reranked` is None when no reranker was asked
    about it.
    """

    project: ProjectName
    path: str
    start_line: int
    end_line: int
    address: str
    language: str
    kind: str
    symbol: str | None
    text: str
    score: float
    confidence: Confidence
    defines: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    also_in: tuple[ProjectName, ...] = ()
    signals: Mapping[str, float] = field(default_factory=dict)
    values: Mapping[str, float] = field(default_factory=dict)
    grounds: Mapping[str, float] = field(default_factory=dict)
    related: tuple[Neighbour, ...] | None = None
    symbol_end: int | None = None
    last_change: LastChange | None = None
    labels: PlaceLabels = NO_LABELS
    certain: bool = False
    reranked: Reranked | None = None


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Hits best first, what they reflect, and notes for the reader (partial index, advice).

    `reranked_by`: the reranker that put them into their order, "" when the order is ours.
    """

    query: str
    hits: tuple[Hit, ...]
    freshness: tuple[Freshness, ...]
    notes: tuple[str, ...] = ()
    took_ms: float = 0.0
    total_candidates: int = 0
    reranked_by: str = ""


@dataclass(frozen=True, slots=True)
class ChunkView:
    """A chunk asked for by address, with the neighbours inside the radius, in line order."""

    target: Hit
    neighbours: tuple[Hit, ...]
    freshness: Freshness

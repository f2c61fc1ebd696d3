"""Frozen values of what people and agents wrote down: terms and cards; asked and answered.

Terms (the glossary) and cards (architectural memory) are notes: they belong to a group, and mostly
to one of its projects. Moments are epoch seconds, UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paparatsd.model import GroupName, ProjectName

# --------------------------------------------------------------------------- who may be told


@dataclass(frozen=True, slots=True)
class Reach:
    """Which documents and notes may be told of.

    Empty `projects` and `groups` are no restriction; both intersect. `audience`: labels that were
    asked for, empty for any. `ceiling`: labels that whoever asks may see at most, None for all; an
    empty one lets nothing through. `visible`: whoever asks may hear of these projects only, empty
    for all. `notes`: whether notes may be told at all.
    """

    projects: tuple[ProjectName, ...] = ()
    groups: tuple[GroupName, ...] = ()
    audience: tuple[str, ...] = ()
    ceiling: frozenset[str] | None = None
    visible: frozenset[str] = frozenset()
    notes: bool = True


EVERYWHERE = Reach()
"""Without any restriction."""


# --------------------------------------------------------------------------- notes in general


class Outcome(StrEnum):
    """What became of a note that was to be written.

    CREATED, UPDATED: it is there now. DUPLICATE: it says what another one says already; nothing was
    written (a lesson counts as confirmed and is UPDATED instead). SIMILAR: another one is near;
    nothing was written, and whoever wrote must decide.
    """

    CREATED = "created"
    UPDATED = "updated"
    DUPLICATE = "duplicate"
    SIMILAR = "similar"


@dataclass(frozen=True, slots=True)
class Recorded:
    """The answer to writing a note: its id, or that of the one in its way.

    `label` and `similarity` (0 to 1) tell of the one that it was compared with, if any.
    """

    outcome: Outcome
    id: str
    label: str = ""
    similarity: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Deleted:
    """Which notes were deleted, and which ids name nothing here.

    `restored`: decisions that hold again, because what superseded them was deleted.
    """

    deleted: tuple[str, ...]
    missing: tuple[str, ...]
    restored: tuple[str, ...] = ()


# --------------------------------------------------------------------------- the glossary


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the organisation and what it means. `project` None: in the whole group."""

    id: str
    group: GroupName
    project: ProjectName | None
    term: str
    definition: str
    aliases: tuple[str, ...]
    created: float
    updated: float


@dataclass(frozen=True, slots=True)
class TermHit:
    """A term that was found: `exact` by its name or an alias, with score 1, else by likeness."""

    term: Term
    score: float
    exact: bool


@dataclass(frozen=True, slots=True)
class TermDraft:
    """A term to be written. Its name in its project (or group) says which one it replaces."""

    group: GroupName
    term: str
    definition: str
    aliases: tuple[str, ...] = ()
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class TermsRequest:
    """A look into the glossary; `min_score` None is the calibrated floor."""

    query: str
    reach: Reach = EVERYWHERE
    limit: int = 8
    min_score: float | None = None


@dataclass(frozen=True, slots=True)
class TermsAnswer:
    """Terms best first (of a search), or by name (of a list); `total` counts those not shown.

    `missing`: ids that were asked for and name none here.
    """

    terms: tuple[TermHit, ...]
    total: int
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


# --------------------------------------------------------------------------- architectural memory


class CardKind(StrEnum):
    """What a card is about."""

    COMPONENT = "component"
    DECISION = "decision"
    LESSON = "lesson"


class CardStatus(StrEnum):
    """Whether a card holds. Without history only ACCEPTED and PROPOSED ones are told."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    SUPERSEDED = "superseded"
    DEPRECATED = "deprecated"


class CardScope(StrEnum):
    """How far a decision or a lesson reaches."""

    GLOBAL = "global"
    COMPONENT = "component"
    FILE = "file"


class Severity(StrEnum):
    """How bad it is to forget a lesson."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True)
class Component:
    """A part of a system. `summary`: what it does, owns, does not do, and when it is touched."""

    name: str
    summary: str
    neighbours: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice that was made; `supersedes` is the id of the decision whose place it took."""

    title: str
    context: str
    decision: str
    consequences: str
    alternatives_rejected: str = ""
    scope: CardScope = CardScope.GLOBAL
    supersedes: str | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """A rule that was learned, why it holds, and when to think of it."""

    rule: str
    why: str
    when: str
    scope: CardScope = CardScope.GLOBAL
    severity: Severity = Severity.INFO
    evidence: str | None = None


CardBody = Component | Decision | Lesson


def label_of(body: CardBody) -> str:
    """Return the line by which a person knows a card: a name, a title, a rule."""
    if isinstance(body, Component):
        return body.name
    return body.title if isinstance(body, Decision) else body.rule


class AnchorState(StrEnum):
    """What became of what a card names.

    UNCHANGED, CHANGED: it is there, and its text is as it was when the card was written, or not.
    MOVED: it is there under another path. MISSING: it is gone. UNCLEAR: it cannot be said now (the
    project is not indexed, the name fits several places, or no text was kept).
    """

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    MOVED = "moved"
    MISSING = "missing"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place in the code that a card names, and its text's digest when the card was written.

    `at`: a path ("src/cart.py"), an address without its project ("src/cart.py#Cart.total"), a name
    ("Cart.total"), or a whole address of another project. `digest`: hex; "" when nothing was found.
    """

    at: str
    digest: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class AnchorCheck:
    """An anchor as it is now; `address`: where; `detail`: one sentence, such as who changed it."""

    at: str
    state: AnchorState
    address: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """One card of the memory. `files` are paths that it is about; they are checked like anchors.

    `file_anchors` are `files` with the digests of what they named, in the same order.
    `superseded_by` is the id of the decision that took the place of this one.
    """

    id: str
    group: GroupName
    project: ProjectName | None
    body: CardBody
    status: CardStatus
    created: float
    updated: float
    files: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    confirmations: int = 0
    superseded_by: str | None = None
    file_anchors: tuple[Anchor, ...] = ()

    @property
    def kind(self) -> CardKind:
        """What the card is about."""
        return KIND_OF[type(self.body)]

    @property
    def label(self) -> str:
        """The line by which a person knows it: a name, a title, a rule."""
        return label_of(self.body)


KIND_OF: Mapping[type, CardKind] = {
    Component: CardKind.COMPONENT,
    Decision: CardKind.DECISION,
    Lesson: CardKind.LESSON,
}


@dataclass(frozen=True, slots=True)
class CardDraft:
    """A card to be written. A component replaces the one of its name in its project."""

    group: GroupName
    body: CardBody
    project: ProjectName | None = None
    files: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CardHit:
    """A card that was found, how near it is to the question, and what became of what it names."""

    card: Card
    score: float
    checks: tuple[AnchorCheck, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """What memory says of a question, or of files (`src/a.py, src/b.py`).

    `limits`: at most so many of a kind, 0 for none. `min_score` None is the calibrated floor.
    """

    question: str
    reach: Reach = EVERYWHERE
    limits: Mapping[CardKind, int] | None = None
    min_score: float | None = None
    checked: bool = True


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """Hits by group and kind, best first; `counts`: how many cards of a group there are in all."""

    question: str
    hits: tuple[CardHit, ...]
    counts: Mapping[GroupName, int]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CardsRequest:
    """A list of cards, oldest first. `cursor` is what the last answer gave.

    With `ids` it is these cards, in this order, whether they hold or not, without a cursor.
    """

    reach: Reach = EVERYWHERE
    kinds: tuple[CardKind, ...] = ()
    history: bool = False
    checked: bool = False
    limit: int = 50
    cursor: str = ""
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CardsAnswer:
    """Cards of a list; `next_cursor` is "" at its end. `missing`: asked ids that name none here."""

    cards: tuple[CardHit, ...]
    next_cursor: str
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A place that much is built on and that no component card is about."""

    project: ProjectName
    path: str
    symbol: str
    users: int
    address: str


@dataclass(frozen=True, slots=True)
class SuggestionsAnswer:
    """Suggested components, most used first."""

    suggestions: tuple[Suggestion, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """What the memory of a group holds; moments are None when it is empty."""

    group: GroupName
    cards: int
    by_kind: Mapping[CardKind, int]
    by_status: Mapping[CardStatus, int]
    terms: int
    oldest: float | None
    newest: float | None


@dataclass(frozen=True, slots=True)
class NoteFile:
    """One note as a markdown file; `name` is its file name, of letters, digits, `-` and `.md`."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of one file: an outcome in words, the id of its note, and what is wrong with it.

    `outcome`: created, updated, unchanged, or refused with a `problem`.
    """

    name: str
    outcome: str
    id: str = ""
    problem: str = ""

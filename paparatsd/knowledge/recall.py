"""Reading the architectural memory: what it says of a question or of files, lists, figures.

All cards of a group are looked at each time, so that nothing is cut off before it is filtered, and
nothing is kept from one question to the next: somebody may have written in between.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from paparatsd.errors import BadQuery
from paparatsd.knowledge.cards import HOLDING, card_of, places_of
from paparatsd.knowledge.memory import CARD_KINDS
from paparatsd.knowledge.terms import TERM
from paparatsd.knowledge_limits import (
    DEFAULT_OF_A_KIND,
    MAX_CARDS_LISTED,
    MAX_IDS,
    MAX_OF_A_KIND,
    MAX_QUESTION_CHARS,
)
from paparatsd.knowledge_model import (
    CardHit,
    CardKind,
    CardStatus,
    MemoryStats,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from paparatsd.knowledge.notes import Notes
    from paparatsd.knowledge_model import Card, ContextRequest
    from paparatsd.model import GroupName
    from paparatsd.store.notes import Note

BOOST = 0.05
"""By how much a card of the asked project comes before an equal one of the whole group."""

_PATH = re.compile(r"(?:[\w.@+~()\[\]-]+/)*[\w.@+~()\[\]-]*(?:\.\w+|/)|(?:[\w.@+~-]+/)+[\w.@+~-]+")


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found in one group; `cards`: how many there are that could have been."""

    hits: tuple[CardHit, ...]
    cards: int
    notes: tuple[str, ...] = ()


async def look(
    notes: Notes,
    group: GroupName,
    request: ContextRequest,
    projects: frozenset[str],
    sees: Callable[[Note], bool],
    moved: Mapping[str, frozenset[str]] | None = None,
) -> Looked:
    """Return what one group's memory says of a question, by kind, best first.

    `projects`: those that are asked about, empty for all. `moved`: by the id of a card the paths
    where something that it names is now. Raises BadQuery.
    """
    limits, question = _limits(request), _question(request)
    floor = notes.thresholds.card_floor if request.min_score is None else request.min_score
    there = [
        note
        for note in await notes.all_of(group, CARD_KINDS)
        if _holds(note) and sees(note) and is_about(note, projects)
    ]
    wanted = {kind.value for kind, limit in limits.items() if limit}
    if not wanted or not there:
        return Looked((), len(there))
    ids = {note.id for note in there}
    nearest = await notes.nearest(
        question, group, tuple(wanted), lambda note: note.id in ids, len(ids), query=True
    )
    files = files_in(question)
    went = moved or {}
    scored = [
        _scored(note, score, projects, _names_files(note, files, went.get(note.id, frozenset())))
        for note, score in nearest.hits
    ]
    # Sorted once more, after the boost and before the floor.
    scored = sorted(
        (one for one in scored if one.score >= floor),
        key=lambda one: (-one.named, -one.score, -one.note.updated, one.note.id),
    )
    hits = [
        CardHit(card_of(one.note), one.score)
        for kind in CardKind
        for one in [one for one in scored if one.note.kind == kind.value][: limits[kind]]
    ]
    return Looked(tuple(hits), len(there), nearest.notes)


def _question(request: ContextRequest) -> str:
    question = request.question.strip()
    if not question:
        raise BadQuery("what about? ask a question, or name files: src/a.py, src/b.py")
    if len(question) > MAX_QUESTION_CHARS:
        raise BadQuery(
            f"the question has {len(question)} characters; at most {MAX_QUESTION_CHARS} are read"
        )
    if request.min_score is not None and not 0 <= request.min_score <= 1:
        raise BadQuery(f"min_score is {request.min_score}; it must be between 0 and 1")
    return question.encode("utf-8", "replace").decode()


def _limits(request: ContextRequest) -> Mapping[CardKind, int]:
    limits = dict.fromkeys(CardKind, DEFAULT_OF_A_KIND) | dict(request.limits or {})
    for kind, limit in limits.items():
        if not 0 <= limit <= MAX_OF_A_KIND:
            raise BadQuery(
                f"the limit of {kind.value}s is {limit}; it must be between 0 and {MAX_OF_A_KIND}"
            )
    return limits


def _holds(note: Note) -> bool:
    return CardStatus(note.status) in HOLDING


def is_about(note: Note, projects: frozenset[str]) -> bool:
    """Say whether a note is about these projects: components exactly, others also of the group."""
    if not projects or note.project in projects:
        return True
    return note.project is None and note.kind != CardKind.COMPONENT.value


class _Scored(NamedTuple):
    """A note with its score; `named`: how exactly it names one of the files asked about."""

    note: Note
    score: float
    named: int = 0


def _names_files(note: Note, files: Sequence[str], moved: frozenset[str]) -> int:
    return names_files(card_of(note), files, moved) if files else 0


def _scored(note: Note, likeness: float, projects: frozenset[str], named: int) -> _Scored:
    if named:
        return _Scored(note, 1.0, named)
    boost = BOOST if projects and note.project in projects else 0.0
    return _Scored(note, min(1.0, likeness + boost))


# --------------------------------------------------------------------------- files


def files_in(question: str) -> tuple[str, ...]:
    """Return the paths that a question consists of, none when it says anything else."""
    parts = [part.strip().strip("`'\"") for part in re.split(r"[,;\n]|\s+", question)]
    parts = [part.removeprefix("./") for part in parts if part]
    if not parts or not all(_PATH.fullmatch(part) for part in parts):
        return ()
    return tuple(dict.fromkeys(part.rstrip("/") for part in parts if part.strip("./")))


def path_in(address: str) -> str:
    """Return the path of an address in its project."""
    return address.partition("#")[0].partition(":")[2]


def names_files(card: Card, files: Iterable[str], moved: frozenset[str] = frozenset()) -> int:
    """Return how exactly a card names one of these files: 2 itself, 1 a folder, 0 not at all.

    `moved`: paths where something that it names is now.
    """
    asked = list(files)
    if not asked:
        return 0
    paths = {one.path for one in places_of(card) if one.path}
    anchors = (*card.file_anchors, *card.anchors)
    paths |= {path_in(one.address) for one in anchors if one.address} | moved
    best = 0
    for path in filter(None, paths):
        for file in asked:
            if path == file or path.endswith(f"/{file}"):
                return 2
            if path.startswith(f"{file}/") or file.startswith(f"{path}/"):
                best = 1
    return best


# --------------------------------------------------------------------------- lists


def page(
    notes: Iterable[Note], kinds: Iterable[CardKind], *, history: bool, limit: int, cursor: str
) -> tuple[list[Note], str]:
    """Return a page of notes, oldest first, and the cursor of the next one, "" after the last.

    A cursor names the last note of a page by its place in the order, so that what is written or
    deleted meanwhile neither repeats nor hides others. Raises BadQuery.
    """
    if not 1 <= limit <= MAX_CARDS_LISTED:
        raise BadQuery(f"limit is {limit}; it must be between 1 and {MAX_CARDS_LISTED}")
    after, wanted = _read_cursor(cursor), {kind.value for kind in kinds} or set(CARD_KINDS)
    found = sorted(
        (
            note
            for note in notes
            if note.kind in wanted and (history or _holds(note)) and _place(note) > after
        ),
        key=_place,
    )
    shown = found[:limit]
    return shown, _cursor(shown[-1]) if len(found) > limit else ""


def of_ids(
    notes: Iterable[Note], kinds: Iterable[CardKind], ids: Sequence[str]
) -> tuple[list[Note], tuple[str, ...]]:
    """Return those of the notes that have these ids, in their order, and the ids of none.

    Raises BadQuery.
    """
    if len(ids) > MAX_IDS:
        raise BadQuery(f"{len(ids)} ids; at most {MAX_IDS} at once")
    wanted = {kind.value for kind in kinds} or set(CARD_KINDS)
    there = {note.id: note for note in notes if note.kind in wanted}
    asked = list(dict.fromkeys(ids))
    return [there[one] for one in asked if one in there], missing_of(asked, there)


def missing_of(ids: Iterable[str], there: Collection[str]) -> tuple[str, ...]:
    """Return each id once that is not there, in their order."""
    return tuple(one for one in dict.fromkeys(ids) if one not in there)


def _place(note: Note) -> tuple[float, str]:
    return note.created, note.id


def _cursor(note: Note) -> str:
    text = json.dumps([note.created, note.id], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read_cursor(cursor: str) -> tuple[float, str]:
    if not cursor:
        return -math.inf, ""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        created, ident = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, TypeError, binascii.Error, RecursionError):
        created, ident = None, None
    if isinstance(created, float) and isinstance(ident, str):
        return created, ident
    raise BadQuery(
        "the cursor is none of ours: pass the next_cursor of an answer as it is, or none"
    )


# --------------------------------------------------------------------------- figures


def figures(group: GroupName, notes: Sequence[Note]) -> MemoryStats:
    """Return what the memory of a group holds, of its notes."""
    cards = [note for note in notes if note.kind in CARD_KINDS]
    kinds, states = Counter(note.kind for note in cards), Counter(note.status for note in cards)
    moments = [note.updated for note in cards]
    return MemoryStats(
        group=group,
        cards=len(cards),
        by_kind={kind: kinds[kind.value] for kind in CardKind},
        by_status={status: states[status.value] for status in CardStatus},
        terms=sum(note.kind == TERM for note in notes),
        oldest=min(moments, default=None),
        newest=max(moments, default=None),
    )

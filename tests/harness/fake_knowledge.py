"""Documents, terms and cards of the fake projects, which keep what is written to them.

Marmots (group alps) have two documents, three terms (one of the whole group) and four cards. Every
other project has one of each, named "secret"; its document is about everything, and it has the
README of marmots, too.
What is asked for as "nothing" is not found. A note that is written with the word "again" in it is
a duplicate of the first of its kind, with "nearly" it is similar.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from paparatsd.docs_model import (
    DocHit,
    DocsAnswer,
    DocsKind,
    Document,
    DocumentText,
)
from paparatsd.errors import BadQuery, UnknownDocument, UnknownProject
from paparatsd.history_model import LastChange
from paparatsd.knowledge_model import (
    Anchor,
    AnchorCheck,
    AnchorState,
    Card,
    CardHit,
    CardKind,
    CardsAnswer,
    CardStatus,
    Component,
    ContextAnswer,
    Decision,
    Deleted,
    Imported,
    Lesson,
    MemoryStats,
    NoteFile,
    Outcome,
    Recorded,
    Severity,
    Suggestion,
    SuggestionsAnswer,
    Term,
    TermHit,
    TermsAnswer,
)
from paparatsd.model import Freshness, FreshnessState, GroupName, ProjectName
from tests.harness.fake_history import FIX

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from paparatsd.docs_model import DocsRequest, DocumentRequest
    from paparatsd.knowledge_model import (
        CardDraft,
        CardsRequest,
        ContextRequest,
        Reach,
        TermDraft,
        TermsRequest,
    )

MARMOTS = ProjectName("marmots")
ALPS = GroupName("alps")
DAY = 86_400.0
BURROW_ID = "0198c0de-0000-7000-8000-000000000001"
SLEEP_ID = "0198c0de-0000-7000-8000-000000000002"
ALARM_ID = "0198c0de-0000-7000-8000-000000000003"
GUARD_ID = "0198c0de-0000-7000-8000-000000000011"
DEPTH_ID = "0198c0de-0000-7000-8000-000000000012"
WAKE_ID = "0198c0de-0000-7000-8000-000000000013"
OLD_ID = "0198c0de-0000-7000-8000-000000000014"
UNKNOWN_ID = "0198c0de-0000-7000-8000-00000000ffff"


def secret_id(project: str, number: int) -> str:
    """Return the id of a note of another project: 1 for its term, 2 for its card."""
    return f"0198c0de-{sum(project.encode()) % 0xFFFF:04x}-7000-8000-{number:012x}"


def documents_of(project: ProjectName, now: float) -> list[tuple[Document, str]]:
    """Return the documents of a project with their texts."""
    if project != MARMOTS:
        secret = Document(
            project, "docs/secret.md", "Secret", "public", DocsKind.CODE, "markdown", 1
        )
        return [(secret, f"The secret of {project}.\n")]
    burrows = Document(
        project,
        "docs/burrows.md",
        "Burrows",
        "public",
        DocsKind.CODE,
        "markdown",
        9,
        link="https://alps.example/burrows",
        modified=now - 800 * DAY,
        dated_by="document",
    )
    readme = Document(
        project,
        "README.md",
        "Marmots",
        "internal",
        DocsKind.CODE,
        "markdown",
        1,
        modified=now - 3 * DAY,
        dated_by="commit",
    )
    long = "".join(f"Paragraph {number} on digging.\n\n" for number in range(60))
    return [(burrows, f"# Burrows\n\n## Depth\n\n{long}"), (readme, "# Marmots\n\nThey dig.\n")]


def hit_in(document: Document, content: str, rank: int) -> DocHit:
    """Return the hit of a document at a rank, from 0."""
    whole = document.sections == 1
    place = f"{document.path}:1-3" if whole else f"{document.path}#Depth"
    return DocHit(
        document=document,
        address=f"{document.project}:{place}",
        breadcrumb=() if whole else ("Depth",),
        start_line=1 if whole else 3,
        end_line=3 if whole else 40,
        first=1 if whole else 2,
        last=1 if whole else 4,
        content=content[:400],
        score=0.9123 - rank / 10,
        relevance=0.7 - rank / 10,
    )


def terms_of(project: ProjectName, group: GroupName, now: float) -> list[Term]:
    """Return the terms of a project, and with marmots those of their group."""
    old, new = now - 200 * DAY, now - 2 * DAY
    if project != MARMOTS:
        made = Term(secret_id(project, 1), group, project, "secret", f"Of {project}.", (), old, new)
        return [made]
    return [
        Term(ALARM_ID, group, None, "alarm", "A whistle that warns everybody.", (), old, new),
        Term(
            BURROW_ID, group, project, "burrow", "Where a family lives.", ("den", "hole"), old, new
        ),
        Term(SLEEP_ID, group, project, "winter sleep", "Six months of rest.", (), old, new),
    ]


def cards_of(project: ProjectName, group: GroupName, now: float) -> list[Card]:
    """Return the cards of a project."""
    if project != MARMOTS:
        body = Component("secret", f"The secret of {project}.")
        made = now - 5 * DAY
        return [Card(secret_id(project, 2), group, project, body, CardStatus.ACCEPTED, made, made)]
    guard = Component(
        "Guard", "Does: whistles.\nOwns: the alarm.\nDoes not: dig.", neighbours=("Burrow",)
    )
    depth = Decision(
        "Dig at most three metres",
        "Deep burrows flooded.",
        "Stop at three metres.",
        "Less room.",
        alternatives_rejected="Pumps.",
    )
    old = Decision("Dig to bedrock", "Warmth.", "Dig until it is rock.", "Floods.")
    wake = Lesson(
        "Never wake a sleeper",
        "It costs a month of fat.",
        "In winter.",
        severity=Severity.CRITICAL,
        evidence="The winter of 2019.",
    )
    accepted = CardStatus.ACCEPTED
    return [
        Card(OLD_ID, group, project, old, CardStatus.SUPERSEDED, now - 500 * DAY, now - 400 * DAY),
        Card(
            DEPTH_ID,
            group,
            project,
            depth,
            accepted,
            now - 400 * DAY,
            now - 120 * DAY,
            anchors=(Anchor("src/burrow3.py#Burrow.dig", "ab"), Anchor("gone.py", "cd")),
        ),
        Card(
            GUARD_ID,
            group,
            project,
            guard,
            accepted,
            now - 30 * DAY,
            now - 2 * DAY,
            files=("src/den.py",),
        ),
        Card(WAKE_ID, group, None, wake, accepted, now - DAY, now - 3_600, confirmations=2),
    ]


CHECKS: Mapping[str, AnchorCheck] = {
    "src/burrow3.py#Burrow.dig": AnchorCheck(
        "src/burrow3.py#Burrow.dig",
        AnchorState.CHANGED,
        "marmots:src/burrow3.py#Burrow.dig",
        "Changed 2026-03-28 by Bert Berg.",
    ),
    "gone.py": AnchorCheck("gone.py", AnchorState.MISSING, "", "No file of this name is there."),
    "src/den.py": AnchorCheck("src/den.py", AnchorState.UNCHANGED, "marmots:src/den.py"),
}


@dataclass
class FakeKnowledge:
    """What is there, and what was asked.

    `obedient`: whether `Reach.visible` is kept to, and by documents `Reach.notes`.
    """

    groups: dict[ProjectName, GroupName]
    documents: list[tuple[Document, str]] = field(default_factory=list)
    terms: list[Term] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)
    checks: dict[str, AnchorCheck] = field(default_factory=lambda: dict(CHECKS))
    asked: list[object] = field(default_factory=list)
    failure: Exception | None = None
    obedient: bool = True
    notes: tuple[str, ...] = ()
    files: tuple[NoteFile, ...] = ()

    def begin(self, request: object, reach: Reach) -> None:
        """Remember a request; raises the failure, and UnknownProject."""
        self.asked.append(request)
        if self.failure is not None:
            raise self.failure
        for name in reach.projects:
            if name not in self.groups:
                raise UnknownProject(f"no project named {name!r} (projects: {self._names()})")
        for group in reach.groups:
            if group not in self.groups.values():
                known = ", ".join(sorted(set(self.groups.values())))
                raise UnknownProject(f"no group named {group!r} (groups: {known})")

    def _names(self) -> str:
        return ", ".join(sorted(self.groups))

    def sees(self, reach: Reach, group: GroupName, project: ProjectName | None) -> bool:
        """Say whether a note, or a document, may be told."""
        homes = {name for name, home in self.groups.items() if home == group}
        if self.obedient and reach.visible and not (homes & reach.visible):
            return False
        if self.obedient and reach.visible and project is not None and project not in reach.visible:
            return False
        if reach.groups and group not in reach.groups:
            return False
        if not reach.projects:
            return True
        return project in reach.projects if project else bool(homes & set(reach.projects))

    def fresh(self, reach: Reach) -> tuple[Freshness, ...]:
        """Return the freshness of the projects that are asked about."""
        return tuple(
            Freshness(name, 7, None, FreshnessState.CURRENT, checked_at=1.0)
            for name, group in self.groups.items()
            if self.sees(reach, group, name)
        )

    def check_place(self, group: GroupName, project: ProjectName | None) -> None:
        """Raise UnknownProject for a group or a project that is not there."""
        if group not in self.groups.values():
            known = ", ".join(sorted(set(self.groups.values())))
            raise UnknownProject(f"no group named {group!r} (groups: {known})")
        if project is not None and self.groups.get(project) != group:
            raise UnknownProject(f"no project named {project!r} (projects: {self._names()})")


def world(
    groups: Mapping[ProjectName, GroupName], now: float | None = None, **more: object
) -> FakeKnowledge:
    """Return the documents and notes of these projects."""
    moment = time.time() if now is None else now
    made = FakeKnowledge(dict(groups), **more)  # type: ignore[arg-type]
    for name, group in groups.items():
        made.documents += documents_of(name, moment)
        made.terms += terms_of(name, group, moment)
        made.cards += cards_of(name, group, moment)
    return made


@dataclass
class FakeDocs:
    """Implements DocsApi."""

    knowledge: FakeKnowledge

    def _seen(self, reach: Reach) -> list[tuple[Document, str]]:
        groups = self.knowledge.groups
        labels = [set(one) for one in (reach.audience, reach.ceiling) if one]
        if reach.ceiling is not None and not reach.ceiling:
            return []
        return [
            (document, text)
            for document, text in self.knowledge.documents
            if self.knowledge.sees(reach, groups[document.project], document.project)
            and all(document.audience in allowed for allowed in labels)
        ]

    async def search(self, request: DocsRequest) -> DocsAnswer:
        """Return all documents, each with one hit, and the exact terms of the question."""
        self.knowledge.begin(request, request.reach)
        seen = [] if request.query.startswith("nothing") else self._seen(request.reach)
        hits = [hit_in(document, text, rank) for rank, (document, text) in enumerate(seen)]
        others = tuple(
            name
            for name, group in self.knowledge.groups.items()
            if name != MARMOTS and self.knowledge.sees(request.reach, group, name)
        )
        hits = [
            replace(one, also_in=others) if one.document.path == "README.md" else one
            for one in hits
        ]
        if request.history:
            hits = [replace(one, last_change=LastChange(FIX, 4, 0)) for one in hits]
        terms = _terms_in(self.knowledge, request.query, request.reach)
        return DocsAnswer(
            request.query,
            tuple(hits[: request.limit]),
            terms if request.reach.notes or not self.knowledge.obedient else (),
            self.knowledge.fresh(request.reach),
            self.knowledge.notes,
        )

    async def get(self, request: DocumentRequest) -> DocumentText:
        """Return a piece of a document."""
        self.knowledge.begin(request, request.reach)
        for document, text in self._seen(request.reach):
            if (document.project, document.path) != (request.project, request.path):
                continue
            end = request.offset + request.max_chars
            piece = text[request.offset : end]
            following = end if end < len(text) else None
            fresh = tuple(
                one
                for one in self.knowledge.fresh(request.reach)
                if one.project == document.project
            )
            return DocumentText(document, piece, request.offset, following, len(text), fresh)
        raise UnknownDocument(f"no document {request.path!r} in {request.project!r}")


def _terms_in(knowledge: FakeKnowledge, query: str, reach: Reach) -> tuple[TermHit, ...]:
    words = query.casefold().split()
    seen = [one for one in knowledge.terms if knowledge.sees(reach, one.group, one.project)]
    return tuple(
        TermHit(one, 1.0, True)
        for one in seen
        if one.term.casefold() in query.casefold() or set(one.aliases) & set(words)
    )


@dataclass
class FakeGlossary:
    """Implements GlossaryApi."""

    knowledge: FakeKnowledge

    def _seen(self, reach: Reach) -> list[Term]:
        if not reach.notes:
            return []
        terms = [
            one
            for one in self.knowledge.terms
            if self.knowledge.sees(reach, one.group, one.project)
        ]
        return sorted(terms, key=lambda one: one.term.casefold())

    async def search(self, request: TermsRequest) -> TermsAnswer:
        """Return the terms of this name, else all but those of "nothing"."""
        self.knowledge.begin(request, request.reach)
        exact = _terms_in(self.knowledge, request.query, request.reach)
        if not exact and not request.query.startswith("nothing"):
            exact = tuple(TermHit(one, 0.62, False) for one in self._seen(request.reach))
        return TermsAnswer(exact[: request.limit], len(exact), self.knowledge.notes)

    async def list(self, reach: Reach, limit: int, ids: tuple[str, ...] = ()) -> TermsAnswer:
        """Return the terms by name, or those of these ids."""
        self.knowledge.begin(reach, reach)
        seen = [TermHit(one, 1.0, True) for one in self._seen(reach)]
        if ids:
            there = {one.term.id: one for one in seen}
            found = tuple(there[one] for one in ids if one in there)
            return TermsAnswer(found, len(found), missing=_missing(ids, there))
        shown: dict[GroupName, list[TermHit]] = {}
        for one in seen:
            shown.setdefault(one.term.group, []).append(one)
        kept = [one for group in shown.values() for one in group[:limit]]
        return TermsAnswer(tuple(kept), len(seen))

    async def record(self, draft: TermDraft, reach: Reach) -> Recorded:
        """Write a term."""
        self.knowledge.begin(draft, reach)
        self.knowledge.check_place(draft.group, draft.project)
        place = (draft.group, draft.project, draft.term)
        for number, one in enumerate(self.knowledge.terms):
            if (one.group, one.project, one.term) == place:
                self.knowledge.terms[number] = replace(
                    one, definition=draft.definition, aliases=draft.aliases, updated=time.time()
                )
                return Recorded(Outcome.UPDATED, one.id, one.term)
        near = next((one for one in self._seen(reach) if one.group == draft.group), None)
        if "again" in draft.definition and near:
            return Recorded(Outcome.DUPLICATE, near.id, near.term, 0.971)
        made = f"0198c0de-0000-7000-8000-{len(self.knowledge.terms) + 100:012x}"
        now = time.time()
        self.knowledge.terms.append(
            Term(
                made,
                draft.group,
                draft.project,
                draft.term,
                draft.definition,
                draft.aliases,
                now,
                now,
            )
        )
        return Recorded(Outcome.CREATED, made)

    async def delete(self, ids: tuple[str, ...], reach: Reach) -> Deleted:
        """Delete the terms of these ids that are in reach."""
        self.knowledge.begin(ids, reach)
        own = {one.id for one in self._seen(reach)}
        self.knowledge.terms = [
            one for one in self.knowledge.terms if one.id not in ids or one.id not in own
        ]
        return _deleted(ids, own)


def _missing(ids: Iterable[str], there: Collection[str]) -> tuple[str, ...]:
    return tuple(one for one in dict.fromkeys(ids) if one not in there)


def _deleted(ids: Iterable[str], own: set[str]) -> Deleted:
    wanted = tuple(dict.fromkeys(ids))
    return Deleted(
        tuple(one for one in wanted if one in own), tuple(one for one in wanted if one not in own)
    )


@dataclass
class FakeMemory:
    """Implements MemoryApi."""

    knowledge: FakeKnowledge

    def _seen(self, reach: Reach, *, history: bool = True) -> list[Card]:
        holds = (CardStatus.ACCEPTED, CardStatus.PROPOSED)
        if not reach.notes:
            return []
        return [
            one
            for one in self.knowledge.cards
            if self.knowledge.sees(reach, one.group, one.project)
            and (history or one.status in holds)
        ]

    def _checks(self, card: Card) -> tuple[AnchorCheck, ...]:
        named = (*card.files, *(one.at for one in card.anchors))
        unclear = AnchorState.UNCLEAR
        return tuple(self.knowledge.checks.get(at, AnchorCheck(at, unclear)) for at in named)

    async def context(self, request: ContextRequest) -> ContextAnswer:
        """Return the cards that hold, of each kind as many as wanted; "nothing" finds none."""
        self.knowledge.begin(request, request.reach)
        seen = self._seen(request.reach, history=False)
        left = dict.fromkeys(CardKind, 5) | dict(request.limits or {})
        hits = []
        for card in sorted(seen, key=lambda one: (one.group, list(CardKind).index(one.kind))):
            if request.question != "nothing" and left[card.kind] > 0:
                left[card.kind] -= 1
                hits.append(CardHit(card, 0.81, self._checks(card) if request.checked else ()))
        counts: dict[GroupName, int] = {}
        for card in seen:
            counts[card.group] = counts.get(card.group, 0) + 1
        return ContextAnswer(request.question, tuple(hits), counts, self.knowledge.notes)

    async def record(self, draft: CardDraft, reach: Reach) -> Recorded:
        """Write a card."""
        self.knowledge.begin(draft, reach)
        self.knowledge.check_place(draft.group, draft.project)
        now = time.time()
        made = f"0198c0de-0000-7000-8000-{len(self.knowledge.cards) + 200:012x}"
        card = Card(
            made,
            draft.group,
            draft.project,
            draft.body,
            CardStatus.ACCEPTED,
            now,
            now,
            draft.files,
            tuple(map(Anchor, draft.anchors)),
        )
        seen = [
            one
            for one in self._seen(reach, history=False)
            if one.kind is card.kind and one.group == card.group
        ]
        if isinstance(card.body, Component):
            same = [one for one in seen if one.label == card.label and one.project == card.project]
            if same:
                self._replace(same[0].id, lambda one: replace(one, body=card.body, updated=now))
                return Recorded(Outcome.UPDATED, same[0].id, card.label)
        elif isinstance(card.body, Decision) and card.body.supersedes:
            return self._supersede(card, card.body.supersedes, seen)
        elif seen and "again" in repr(card.body):
            return self._repeated(seen[0], now)
        elif seen and "nearly" in repr(card.body):
            return Recorded(Outcome.SIMILAR, seen[0].id, seen[0].label, 0.7777)
        self.knowledge.cards.append(card)
        return Recorded(Outcome.CREATED, made, notes=self.knowledge.notes)

    def _supersede(self, card: Card, old: str, seen: list[Card]) -> Recorded:
        if old not in {one.id for one in seen}:
            raise BadQuery(f"supersedes names no decision that holds: {old}")
        self._replace(old, lambda one: replace(one, status=CardStatus.SUPERSEDED))
        self.knowledge.cards.append(card)
        return Recorded(Outcome.CREATED, card.id)

    def _repeated(self, near: Card, now: float) -> Recorded:
        if near.kind is CardKind.DECISION:
            return Recorded(Outcome.DUPLICATE, near.id, near.label, 0.9312)
        self._replace(
            near.id,
            lambda one: replace(one, updated=now, confirmations=one.confirmations + 1),
        )
        return Recorded(Outcome.UPDATED, near.id, near.label, 0.9312)

    def _replace(self, key: str, change: Callable[[Card], Card]) -> None:
        self.knowledge.cards = [
            change(one) if one.id == key else one for one in self.knowledge.cards
        ]

    async def list(self, request: CardsRequest) -> CardsAnswer:
        """Return cards, oldest first, or those of these ids; a cursor is a number as text."""
        self.knowledge.begin(request, request.reach)
        if request.ids:
            there = {one.id: one for one in self._seen(request.reach)}
            found = [there[one] for one in request.ids if one in there]
            told = [
                CardHit(one, 0.0, self._checks(one) if request.checked else ()) for one in found
            ]
            return CardsAnswer(tuple(told), "", self.knowledge.notes, _missing(request.ids, there))
        seen = self._seen(request.reach, history=request.history)
        kept = [one for one in seen if not request.kinds or one.kind in request.kinds]
        kept.sort(key=lambda one: one.created)
        if request.cursor and not request.cursor.isdigit():
            raise BadQuery(f"{request.cursor!r} is not where a list goes on")
        start = int(request.cursor or 0)
        page = kept[start : start + request.limit]
        end = start + len(page)
        hits = [CardHit(one, 0.0, self._checks(one) if request.checked else ()) for one in page]
        return CardsAnswer(tuple(hits), str(end) if end < len(kept) else "", self.knowledge.notes)

    async def delete(self, ids: tuple[str, ...], reach: Reach) -> Deleted:
        """Delete the cards of these ids that are in reach."""
        self.knowledge.begin(ids, reach)
        own = {one.id for one in self._seen(reach)}
        self.knowledge.cards = [
            one for one in self.knowledge.cards if one.id not in ids or one.id not in own
        ]
        return _deleted(ids, own)

    async def suggest(self, reach: Reach, limit: int) -> SuggestionsAnswer:
        """Return `Burrow.dig`, and the secret of every other project; none when cards are gone."""
        self.knowledge.begin(reach, reach)
        places = [
            Suggestion(
                MARMOTS, "src/burrow3.py", "Burrow.dig", 12, "marmots:src/burrow3.py#Burrow.dig"
            )
        ]
        places += [
            Suggestion(name, "src/secret.py", "secret", 20, f"{name}:src/secret.py#secret")
            for name in self.knowledge.groups
            if name != MARMOTS
        ]
        kept = [
            one
            for one in places
            if self.knowledge.cards
            and one.project in self.knowledge.groups
            and self.knowledge.sees(reach, self.knowledge.groups[one.project], one.project)
        ]
        kept.sort(key=lambda one: -one.users)
        return SuggestionsAnswer(tuple(kept[:limit]), self.knowledge.notes)

    async def stats(self, reach: Reach) -> tuple[MemoryStats, ...]:
        """Return what each group holds."""
        self.knowledge.begin(reach, reach)
        seen = self._seen(reach)
        terms = [
            one
            for one in self.knowledge.terms
            if self.knowledge.sees(reach, one.group, one.project)
        ]
        found = []
        for group in sorted({one.group for one in seen}):
            cards = [one for one in seen if one.group == group]
            moments = [one.updated for one in cards]
            found.append(
                MemoryStats(
                    group,
                    len(cards),
                    {kind: sum(one.kind is kind for one in cards) for kind in CardKind},
                    {status: sum(one.status is status for one in cards) for status in CardStatus},
                    sum(one.group == group for one in terms),
                    min(moments),
                    max(moments),
                )
            )
        return tuple(found)

    async def export_files(self, reach: Reach) -> tuple[NoteFile, ...]:
        """Return one file for each card."""
        self.knowledge.begin(reach, reach)
        return tuple(
            NoteFile(f"{one.kind.value}-{one.id}.md", f"# {one.label}\n")
            for one in self._seen(reach)
        )

    async def import_files(
        self, files: tuple[NoteFile, ...], reach: Reach, *, dry_run: bool = False
    ) -> tuple[Imported, ...]:
        """Take every file with a heading, and keep them in `files`."""
        self.knowledge.begin((files, dry_run), reach)
        if not dry_run:
            self.knowledge.files = files
        return tuple(
            Imported(one.name, "created", UNKNOWN_ID)
            if any(line.startswith("#") for line in one.text.split("\n"))
            else Imported(one.name, "refused", problem="it has no heading")
            for one in files
        )

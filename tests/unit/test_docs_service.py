"""The use cases about documents: reach, refusals, dates, and what may fail without harm."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import pytest

from paparatsd.docs_model import (
    DocHit,
    DocsKind,
    DocsRequest,
    Document,
    DocumentRequest,
    DocumentText,
)
from paparatsd.docs_service import DocsService, place_of
from paparatsd.errors import BadQuery, ChildDied, UnknownDocument, UnknownProject
from paparatsd.history_model import LastChange
from paparatsd.knowledge_model import (
    Reach,
    Term,
    TermHit,
    TermsAnswer,
)
from paparatsd.model import (
    Fingerprint,
    Freshness,
    FreshnessState,
    GroupName,
    ProjectName,
    RepoId,
    ShardKey,
)
from paparatsd.search.docs_asked import DocsFound
from paparatsd.search.scope import ProjectScope, Scope
from paparatsd.settings import DocsSettings, Places, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from paparatsd.search.docs_asked import DocsAsked, DocumentAsked

SHOP, WIKI, LAB = ProjectName("shop"), ProjectName("wiki"), ProjectName("lab")
GROUPS = {SHOP: GroupName("a"), WIKI: GroupName("a"), LAB: GroupName("b")}


@dataclass
class Known:
    docs_audience: str
    docs_kind: str = "auto"


@dataclass
class Entry:
    group: GroupName


@dataclass
class Session:
    name: ProjectName
    entry: Entry
    known: Known

    def snapshot(self) -> Known:
        return self.known


SESSIONS = tuple(Session(name, Entry(group), Known(f"of-{name}")) for name, group in GROUPS.items())


class Projects:
    """Stands for `Answerable`."""

    def select(self, projects: Sequence[str], groups: Sequence[str]) -> tuple[Session, ...]:
        for name in projects:
            if name not in GROUPS:
                raise UnknownProject(f"no project named {name!r}")
        return tuple(
            one
            for one in SESSIONS
            if (not projects or one.name in projects) and (not groups or one.entry.group in groups)
        )

    async def verify(self, sessions: Sequence[Session]) -> frozenset[str]:
        return frozenset(one.name for one in sessions)

    def scope(self, sessions: Sequence[Session], verified: object = frozenset()) -> Scope:
        del verified
        return Scope(tuple(project(one.name, one.entry.group) for one in sessions))

    def noted(self, notes: tuple[str, ...], scope: Scope) -> tuple[str, ...]:
        del scope
        return notes


def project(name: ProjectName, group: GroupName) -> ProjectScope:
    fresh = Freshness(name, 1, None, FreshnessState.CURRENT)
    shard = ShardKey(RepoId(name), "code", Fingerprint("f"), 8)
    return ProjectScope(list(GROUPS).index(name) + 1, name, group, RepoId(name), shard, 1, fresh)


def document(project: ProjectName = SHOP, modified: float | None = None) -> Document:
    return Document(project, "a.md", "A", "public", DocsKind.CODE, "markdown", 3, modified=modified)


def hit(project: ProjectName = SHOP, modified: float | None = None) -> DocHit:
    return DocHit(document(project, modified), "shop:a.md#A", (), 1, 2, 1, 1, "text", 1.0, 0.9)


@dataclass
class Searcher:
    """Stands for `DocsSearcher`: there is one document, `a.md` of `shop`."""

    hits: tuple[DocHit, ...] = (hit(),)
    asked: list[DocsAsked] = field(default_factory=list)
    read: list[DocumentAsked] = field(default_factory=list)

    async def search(self, asked: DocsAsked, deadline_s: float) -> DocsFound:
        del deadline_s
        self.asked.append(asked)
        return DocsFound(self.hits, frozenset({SHOP}))

    async def document(self, asked: DocumentAsked, deadline_s: float) -> DocumentText:
        del deadline_s
        self.read.append(asked)
        names = [one.scope.name for one in asked.scope.projects]
        if asked.path != "a.md" or SHOP not in names:
            raise UnknownDocument(asked.path)
        return DocumentText(document(), "text", 0, None, 4)


@dataclass
class Past:
    """Stands for what knows history."""

    error: Exception | None = None
    places: list[object] = field(default_factory=list)

    @contextlib.contextmanager
    def set_back(self) -> Iterator[None]:
        yield

    async def touched(self, places: Sequence[tuple[int, str]]) -> list[float | None]:
        self.places += places
        if self.error is not None:
            raise self.error
        return [77.0] * len(places)

    async def last_changes_of(self, places: Sequence[object], scope: Scope) -> list[LastChange]:
        del scope
        if self.error is not None:
            raise self.error
        return [LastChange(None, 1, 0)] * len(places)

    def notes(self, scope: Scope) -> tuple[str, ...]:
        return tuple(f"history of {one.name}" for one in scope.projects)


EVERYWHERE = Reach()
TERM = Term("1", GroupName("a"), None, "SKU", "A thing", (), 1.0, 1.0)


@dataclass
class Desk:
    """The service with what stands around it."""

    service: DocsService
    searcher: Searcher
    past: Past
    terms: list[tuple[str, Reach]]


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(*[tmp_path] * len(Places.__dataclass_fields__))


def desk(
    places: Places,
    *,
    audience: tuple[str, ...] = (),
    past: Past | None = None,
    searcher: Searcher | None = None,
    glossary: Exception | None = None,
) -> Desk:
    searcher, past, terms = searcher or Searcher(), past or Past(), []

    async def look_up(query: str, reach: Reach) -> TermsAnswer:
        terms.append((query, reach))
        if glossary is not None:
            raise glossary
        return TermsAnswer((TermHit(TERM, 1.0, exact=True),), 1)

    service = DocsService(
        cast("Any", searcher),
        cast("Any", Projects()),
        cast("Any", past),
        cast("Any", past),
        lambda: Settings(places, docs=DocsSettings(audience)),
        look_up,
    )
    return Desk(service, searcher, past, terms)


def names(asked: DocsAsked) -> list[str]:
    return [one.scope.name for one in asked.scope.projects]


# ---------------------------------------------------------------- reach


async def test_projects_go_with_the_label_that_their_own_file_names(places: Places) -> None:
    at = desk(places)
    await at.service.search(DocsRequest("q", Reach((SHOP, LAB))))
    [asked] = at.searcher.asked
    assert [(one.scope.name, one.audience) for one in asked.scope.projects] == [
        ("shop", "of-shop"),
        ("lab", "of-lab"),
    ]
    assert asked.scope.labels is None


async def test_request_ceiling_and_setting_intersect(places: Places) -> None:
    at = desk(places, audience=("public", "partners"))
    reach = Reach(audience=("partners", "staff"), ceiling=frozenset({"partners", "staff"}))
    await at.service.search(DocsRequest("q", reach))
    assert at.searcher.asked[0].scope.labels == frozenset({"partners"})


async def test_where_nothing_is_permitted_nobody_is_asked(places: Places) -> None:
    at = desk(places, audience=("public",))
    answer = await at.service.search(DocsRequest("q", Reach(audience=("staff",))))
    assert (answer.hits, answer.freshness, answer.notes) == ((), (), ())
    assert at.searcher.asked == []


async def test_where_labels_restrict_only_projects_with_something_to_show_are_told_of(
    places: Places,
) -> None:
    everything = await desk(places).service.search(DocsRequest("q"))
    assert [one.project for one in everything.freshness] == ["shop", "wiki", "lab"]
    some = await desk(places).service.search(DocsRequest("q", Reach(audience=("public",))))
    assert [one.project for one in some.freshness] == ["shop"]


async def test_a_project_out_of_sight_is_refused_like_one_that_is_not_there(
    places: Places,
) -> None:
    at = desk(places)

    async def refused(reach: Reach) -> str:
        with pytest.raises(UnknownProject) as caught:
            await at.service.search(DocsRequest("q", reach))
        return str(caught.value)

    visible = frozenset({"shop"})
    hidden = await refused(Reach((WIKI,), visible=visible))
    missing = await refused(Reach((ProjectName("none"),), visible=visible))
    assert hidden == missing.replace("none", "wiki")
    assert "lab" not in hidden
    hidden = await refused(Reach(groups=(GroupName("b"),), visible=visible))
    assert hidden == (await refused(Reach(groups=(GroupName("c"),), visible=visible))).replace(
        "'c'", "'b'"
    )
    await at.service.search(DocsRequest("q", Reach(visible=visible)))
    assert [names(asked) for asked in at.searcher.asked] == [["shop"]]


async def test_under_a_ceiling_names_of_projects_reach_nothing_and_tell_nothing(
    places: Places,
) -> None:
    at = desk(places)
    ceiling = frozenset({"public"})
    for name in ("none", "wiki"):
        reach = Reach((ProjectName(name),), ceiling=ceiling, visible=frozenset({"shop"}))
        answer = await at.service.search(DocsRequest("q", reach))
        assert (answer.hits, answer.freshness, answer.notes) == ((), (), ())
    assert at.searcher.asked == []


# ---------------------------------------------------------------- what goes with hits


async def test_a_document_that_names_no_day_has_that_of_its_last_commit(places: Places) -> None:
    at = desk(places, searcher=Searcher((hit(), hit(modified=5.0))))
    answer = await at.service.search(DocsRequest("q"))
    told = [(one.document.modified, one.document.dated_by) for one in answer.hits]
    assert told == [(77.0, "commit"), (5.0, "")]
    assert at.past.places == [(1, "a.md")]


async def test_without_history_an_answer_has_no_day_and_says_so_only_when_it_was_asked_for(
    places: Places,
) -> None:
    past = Past(ChildDied("the history process ended"))
    answer = await desk(places, past=past).service.search(DocsRequest("q"))
    assert (answer.hits[0].document.modified, answer.notes) == (None, ())
    answer = await desk(places, past=past).service.search(DocsRequest("q", history=True))
    assert answer.notes == ("History cannot be told now: the history process ended",)


async def test_history_is_told_of_what_is_shown_and_of_no_other_project(places: Places) -> None:
    request = DocsRequest("q", Reach(audience=("public",)), history=True)
    answer = await desk(places).service.search(request)
    assert answer.hits[0].last_change == LastChange(None, 1, 0)
    assert answer.notes == ("history of shop",)


async def test_the_glossary_is_shown_beside_hits_and_without_any(places: Places) -> None:
    at = desk(places, searcher=Searcher(()))
    answer = await at.service.search(DocsRequest("what is a sku"))
    assert [one.term.term for one in answer.terms] == ["SKU"]
    assert at.terms == [("what is a sku", Reach())]
    assert at.searcher.asked[0].query == "what is a sku"


async def test_a_glossary_that_fails_or_may_not_be_told_is_left_out(places: Places) -> None:
    failing = desk(places, glossary=ChildDied("gone"))
    answer = await failing.service.search(DocsRequest("q"))
    assert (len(answer.hits), answer.terms) == (1, ())
    silent = desk(places)
    answer = await silent.service.search(DocsRequest("q", Reach(notes=False)))
    assert (answer.terms, silent.terms) == ((), [])


async def test_an_empty_question_is_refused(places: Places) -> None:
    with pytest.raises(BadQuery):
        await desk(places).service.search(DocsRequest("  "))


# ---------------------------------------------------------------- whole documents


async def test_every_way_of_not_being_there_is_told_in_the_same_words(places: Places) -> None:
    at = desk(places)

    async def refused(project: str, path: str, reach: Reach = EVERYWHERE) -> str:
        with pytest.raises(UnknownDocument) as caught:
            await at.service.get(DocumentRequest(ProjectName(project), path, reach))
        return str(caught.value)

    expected = await refused("shop", "none.md")
    hidden = Reach(visible=frozenset({"wiki"}))
    elsewhere = Reach(projects=(WIKI,))
    assert expected == await refused("shop", "none.md", hidden)
    assert expected == (await refused("shop", "a.md", hidden)).replace("a.md", "none.md")
    assert expected == (await refused("shop", "a.md", elsewhere)).replace("a.md", "none.md")
    assert expected == (await refused("nowhere", "none.md")).replace("nowhere", "shop")
    assert expected == (await refused("wiki", "none.md")).replace("wiki", "shop")
    assert len(at.searcher.read) == 6


async def test_a_document_comes_with_its_day_and_how_fresh_it_is(places: Places) -> None:
    text = await desk(places).service.get(DocumentRequest(SHOP, "a.md"))
    assert (text.document.modified, text.document.dated_by) == (77.0, "commit")
    assert [one.project for one in text.freshness] == ["shop"]


@pytest.mark.parametrize(("offset", "max_chars"), [(-1, 10), (0, 0)])
async def test_pieces_that_cannot_be_are_refused(
    places: Places, offset: int, max_chars: int
) -> None:
    request = DocumentRequest(SHOP, "a.md", offset=offset, max_chars=max_chars)
    with pytest.raises(BadQuery):
        await desk(places).service.get(request)


@pytest.mark.parametrize(
    ("project", "path", "place"),
    [
        ("shop", "docs/a.md", ("shop", "docs/a.md")),
        ("shop", "./docs/a.md", ("shop", "docs/a.md")),
        ("shop", "shop:docs/a.md", ("shop", "docs/a.md")),
        ("", "shop:docs/a.md#Install", ("shop", "docs/a.md")),
        ("", "shop:docs/50%25.md#A", ("shop", "docs/50%.md")),
        ("shop", "docs/a#b.md", ("shop", "docs/a#b.md")),
        ("shop", "c:d.md", ("shop", "c:d.md")),
    ],
)
def test_a_document_is_named_by_its_path_or_by_an_address(
    project: str, path: str, place: tuple[str, str]
) -> None:
    assert place_of(project, path) == place

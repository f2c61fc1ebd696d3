"""The use cases about documents: to search them, and to read one whole.

What is out of reach answers like what does not exist: the same words, and nothing of it in counts,
notes or lists of projects.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import unquote

import structlog

from paparatsd.docs_model import DocsAnswer
from paparatsd.errors import BadQuery, PaparatsError, UnknownDocument, UnknownProject
from paparatsd.knowledge_limits import MAX_DOCUMENT_CHARS
from paparatsd.search.audience import permitted
from paparatsd.search.docs_asked import DocsAsked, DocsFound, DocsProject, DocsScope, DocumentAsked
from paparatsd.search.scope import Scope
from paparatsd.search.searcher import scope_notes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from paparatsd.answerable import Answerable
    from paparatsd.docs_model import (
        DocHit,
        DocsRequest,
        Document,
        DocumentRequest,
        DocumentText,
    )
    from paparatsd.history.keeper import HistoryKeeper
    from paparatsd.history_service import HistoryService
    from paparatsd.knowledge_model import (
        Reach,
        TermHit,
        TermsAnswer,
    )
    from paparatsd.model import GroupName, ProjectName, RepoId, ShardKey
    from paparatsd.search.docs_searcher import DocsSearcher
    from paparatsd.sessions import ProjectSession
    from paparatsd.settings import Settings

    LookUp = Callable[[str, Reach], Awaitable[TermsAnswer]]

log = structlog.get_logger()

MAX_HITS = 50
TERMS_S = 2.0
"""How long an answer waits for what the glossary says; without it, it is an answer still."""
DATES_S = 2.0
NOTHING = DocsFound((), frozenset())


class DocsService:
    """Answers over the documents of the projects that are answered about."""

    def __init__(
        self,
        searcher: DocsSearcher,
        answerable: Answerable,
        history: HistoryService,
        keeper: HistoryKeeper,
        settings: Callable[[], Settings],
        terms: LookUp | None = None,
        text_shard: Callable[[RepoId], ShardKey] | None = None,
    ) -> None:
        """`terms` looks into the glossary; without it answers have no terms.

        `text_shard`: where documents are looked for; None where code is.
        """
        self._searcher = searcher
        self._answerable = answerable
        self._history = history
        self._keeper = keeper
        self._settings = settings
        self._terms = terms
        self._text_shard = text_shard

    # ------------------------------------------------------------------ searching

    async def search(self, request: DocsRequest) -> DocsAnswer:
        """Return the documents that answer a question, and what the glossary says of it.

        Raises BadQuery, UnknownProject, Busy, Unavailable.
        """
        started = time.perf_counter()
        if not request.query.strip():
            raise BadQuery("the query is empty; say in words what you look for")
        sessions = self._reached(request.reach)
        labels = self._labels(request.reach)
        verified = await self._answerable.verify(sessions) if request.fresh else frozenset()
        scope = self._answerable.scope(sessions, verified)
        found = NOTHING
        if labels != frozenset() and scope.projects:
            found = await self._find(request, sessions, scope, labels)
        # Where labels restrict, a project without a document to show is as good as none.
        told = scope if labels is None else _only(scope, found.projects)
        hits, notes = await self._completed(found.hits, told, history=request.history)
        notes = (*found.notes, *notes)
        if labels is None and not request.reach.visible:
            notes = self._answerable.noted((*scope_notes(scope), *notes), scope)
        elif told.projects:
            notes = (*scope_notes(told), *notes)
        return DocsAnswer(
            query=request.query,
            hits=hits,
            terms=await self._said_of(request),
            freshness=tuple(project.freshness for project in told.projects),
            notes=notes,
            took_ms=round((time.perf_counter() - started) * 1e3, 3),
            reranked_by=found.reranked_by,
        )

    async def _find(
        self,
        request: DocsRequest,
        sessions: Sequence[ProjectSession],
        scope: Scope,
        labels: frozenset[str] | None,
    ) -> DocsFound:
        asked = DocsAsked(
            query=request.query,
            scope=_docs_scope(self._of_text(scope), sessions, labels),
            limit=min(max(request.limit, 1), MAX_HITS),
            min_score=request.min_score,
            min_score_code=request.min_score_code,
        )
        deadline_s = min(request.deadline_s, self._settings().search.deadline_s)
        with self._keeper.set_back():
            return await self._searcher.search(asked, deadline_s)

    def _of_text(self, scope: Scope) -> Scope:
        """Return a scope with the shards in which documents are looked for."""
        shard = self._text_shard
        if shard is None:
            return scope
        return Scope(tuple(replace(one, shard=shard(one.repo)) for one in scope.projects))

    async def _completed(
        self, hits: tuple[DocHit, ...], scope: Scope, *, history: bool
    ) -> tuple[tuple[DocHit, ...], tuple[str, ...]]:
        """Return hits with what history knows of them, and notes about it."""
        if not hits:
            return hits, ()
        documents = await self._dated([hit.document for hit in hits], scope)
        hits = tuple(
            replace(hit, document=document) for hit, document in zip(hits, documents, strict=True)
        )
        if not history:
            return hits, ()
        places = [
            (hit.document.project, hit.document.path, hit.start_line, hit.end_line) for hit in hits
        ]
        try:
            changes = await self._history.last_changes_of(places, scope)
        except PaparatsError as error:
            return hits, (f"History cannot be told now: {error}",)
        told = tuple(
            replace(hit, last_change=change) for hit, change in zip(hits, changes, strict=True)
        )
        return told, self._history.notes(scope)

    async def _dated(self, documents: Sequence[Document], scope: Scope) -> list[Document]:
        """Return documents, those that do not say when they were changed with their last commit.

        When a file was written says nothing: a fresh clone has written all of them just now.
        """
        ids = {project.name: project.project_id for project in scope.projects}
        undated = [
            at for at, one in enumerate(documents) if one.modified is None and one.project in ids
        ]
        dated = list(documents)
        if not undated:
            return dated
        places = [(ids[documents[at].project], documents[at].path) for at in undated]
        try:
            async with asyncio.timeout(DATES_S):
                moments = await self._keeper.touched(places)
        except (PaparatsError, TimeoutError):
            return dated
        for at, moment in zip(undated, moments, strict=True):
            if moment is not None:
                dated[at] = replace(dated[at], modified=moment, dated_by="commit")
        return dated

    async def _said_of(self, request: DocsRequest) -> tuple[TermHit, ...]:
        """Return what the glossary says of the question; an answer is one without that, too."""
        if self._terms is None or not request.reach.notes:
            return ()
        try:
            async with asyncio.timeout(TERMS_S):
                return (await self._terms(request.query, request.reach)).terms
        except (PaparatsError, TimeoutError) as error:
            log.warning("glossary_not_asked", error=str(error))
            return ()

    # ------------------------------------------------------------------ reading

    async def get(self, request: DocumentRequest) -> DocumentText:
        """Return a document, or a piece of a long one. Raises UnknownDocument, BadQuery."""
        if request.offset < 0 or request.max_chars < 1:
            raise BadQuery("offset must be 0 or more, and max_chars 1 or more")
        project, path = place_of(request.project, request.path)
        reach = replace(request.reach, projects=(), groups=())
        labels = self._labels(request.reach)
        sessions = [
            session
            for session in self._reached(reach)
            if session.name == project
            and (not request.reach.projects or session.name in request.reach.projects)
            and (not request.reach.groups or session.entry.group in request.reach.groups)
        ]
        scope = self._answerable.scope(tuple(sessions))
        # What cannot be seen is looked for all the same: it must not be told by the time it takes.
        asked = DocumentAsked(
            scope=_docs_scope(scope, sessions, labels),
            path=path,
            offset=request.offset,
            max_chars=min(request.max_chars, MAX_DOCUMENT_CHARS),
        )
        try:
            text = await self._searcher.document(asked, self._settings().search.deadline_s)
        except UnknownDocument:
            raise unknown_document(project, path) from None
        [document] = await self._dated([text.document], scope)
        freshness = tuple(one.freshness for one in scope.projects)
        return replace(text, document=document, freshness=freshness)

    # ------------------------------------------------------------------ reach

    def _labels(self, reach: Reach) -> frozenset[str] | None:
        """Return the labels that may be shown."""
        return permitted(reach.audience, reach.ceiling, self._settings().docs.audience or None)

    def _reached(self, reach: Reach) -> tuple[ProjectSession, ...]:
        """Return the projects in reach.

        Raises UnknownProject for one that is named and is not in reach. Under a ceiling such a name
        reaches nothing: which projects there are is nobody's business there.
        """
        if not reach.visible and reach.ceiling is None:
            return self._answerable.select(reach.projects, reach.groups)
        every = self._answerable.select((), ())
        ours = [one for one in every if not reach.visible or one.name in reach.visible]
        if reach.ceiling is None:
            _check("project", reach.projects, {one.name for one in ours})
            _check("group", reach.groups, {one.entry.group for one in ours})
        return tuple(
            one
            for one in ours
            if (not reach.projects or one.name in reach.projects)
            and (not reach.groups or one.entry.group in reach.groups)
        )


def unknown_document(project: str, path: str) -> UnknownDocument:
    """Return the one answer for what is not there, is no document, or may not be seen."""
    return UnknownDocument(f"there is no document {path!r} in {project!r}; a search names them")


def place_of(project: str, path: str) -> tuple[str, str]:
    """Return project and path of a document that is named by its path, or by an address.

    `project:path`, and what a hit is named by (`project:path#Heading`), are addresses; a path
    stands as it is.
    """
    named, colon, rest = path.partition(":")
    if colon and named == (project or named):
        return named, unquote(rest.partition("#")[0])
    return project, path.removeprefix("./")


def _check(noun: str, names: Sequence[ProjectName] | Sequence[GroupName], known: set[str]) -> None:
    for name in names:
        if name not in known:
            listed = ", ".join(sorted(known)) or "none"
            raise UnknownProject(f"no {noun} named {name!r} ({noun}s: {listed})")


def _docs_scope(
    scope: Scope, sessions: Sequence[ProjectSession], labels: frozenset[str] | None
) -> DocsScope:
    known = {session.name: session.snapshot() for session in sessions}
    return DocsScope(
        tuple(
            DocsProject(one, known[one.name].docs_audience, known[one.name].docs_kind)
            for one in scope.projects
        ),
        labels,
    )


def _only(scope: Scope, names: frozenset[ProjectName]) -> Scope:
    return Scope(tuple(project for project in scope.projects if project.name in names))

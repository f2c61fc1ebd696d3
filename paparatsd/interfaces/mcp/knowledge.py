"""The two tools of the knowledge endpoint: documents for people who may see nothing else.

They are those of the other toolsets, made for outsiders, over a service that has documents only:
it says with each question how far it may reach, and looks once more at what comes back. Groups,
history, freshness, floors and notes are neither taken nor told.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

import structlog

from paparatsd.errors import BadQuery, PaparatsError, UnknownDocument, UnknownProject
from paparatsd.interfaces.mcp import documents
from paparatsd.interfaces.mcp.reply import Tool, ToolReply, failure
from paparatsd.interfaces.mcp.searching import projects_of
from paparatsd.knowledge_model import Reach

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from paparatsd.docs_model import (
        DocsAnswer,
        DocsRequest,
        Document,
        DocumentRequest,
        DocumentText,
    )
    from paparatsd.interfaces.api import DocsApi
    from paparatsd.interfaces.arguments import Arguments
    from paparatsd.interfaces.mcp.reply import Run, ToolsApi
    from paparatsd.publication import Publication

log = structlog.get_logger()

Answer = TypeVar("Answer")

MAX_QUERY_CHARS = 1_000
UNAVAILABLE = "The documents cannot be read right now. Try again in a little while."
UNUSABLE = "these arguments cannot be used; ask in plain words, or as search_docs said"


class PublishedDocs:
    """The documents of a scope: implements DocsApi, whatever reach a request asks for."""

    def __init__(self, docs: DocsApi, scope: Publication) -> None:
        self._docs = docs
        self._scope = scope

    async def search(self, request: DocsRequest) -> DocsAnswer:
        """Return the documents of the scope that answer a question."""
        answer = await _without_reasons(
            self._docs.search(replace(request, reach=self._reach(request.reach)))
        )
        hits = tuple(one for one in answer.hits if self._is_published(one.document))
        return replace(answer, hits=hits, terms=())

    async def get(self, request: DocumentRequest) -> DocumentText:
        """Return a document of the scope. Raises UnknownDocument for any other."""
        text = await _without_reasons(
            self._docs.get(replace(request, reach=self._reach(request.reach)))
        )
        if not self._is_published(text.document):
            raise UnknownDocument("no such document")
        return text

    def _reach(self, asked: Reach) -> Reach:
        scope = self._scope
        return Reach(
            projects=asked.projects,
            audience=asked.audience,
            ceiling=scope.audience,
            visible=scope.projects,
            notes=False,
        )

    def _is_published(self, document: Document) -> bool:
        projects = self._scope.projects
        ours = not projects or document.project in projects
        return ours and document.audience in self._scope.audience


async def _without_reasons(answer: Awaitable[Answer]) -> Answer:
    """Await an answer; why a request is refused may name what an outsider must not know of."""
    try:
        return await answer
    except BadQuery:
        raise BadQuery(UNUSABLE) from None
    except UnknownProject:
        raise UnknownProject("no such project") from None


class PublishedService:
    """All that there is of the service for these tools."""

    def __init__(self, service: ToolsApi, scope: Publication) -> None:
        self.docs = PublishedDocs(service.docs, scope)


def knowledge_tools(scope: Publication) -> tuple[Tool, ...]:
    """Return the tools for whoever may see this much."""
    access = documents.DocsAccess(_reach_of, MAX_QUERY_CHARS, inside=False)
    made = documents.search_docs(access), documents.get_document(access)
    return tuple(Tool(one.spec, partial(_answered, one.run, scope)) for one in made)


def _reach_of(arguments: Arguments) -> Reach:
    """Take which projects are asked about; which may be told of is not for outsiders to say."""
    return Reach(projects=projects_of(arguments))


async def _answered(
    run: Run, scope: Publication, service: ToolsApi, arguments: Arguments
) -> ToolReply:
    """Run a tool; of what fails an outsider learns that it failed, the log what it was."""
    # What else a tool may ask for is not there, and so cannot be told by mistake.
    published = cast("ToolsApi", PublishedService(service, scope))
    try:
        return await run(published, arguments)
    except BadQuery:
        raise
    except PaparatsError as error:
        log.warning("knowledge_unanswered", error=str(error))
    except Exception:  # the border: the outsider learns nothing internal, the log everything
        log.exception("knowledge_crashed")
    return failure(UNAVAILABLE)

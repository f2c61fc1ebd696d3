"""The calls of the control API about documents, glossary and memory (contrib/API.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from paparatsd.errors import BadQuery
from paparatsd.interfaces import knowledge_requests as requests
from paparatsd.interfaces import knowledge_shapes as shapes
from paparatsd.interfaces.requests import body_of
from paparatsd.knowledge_limits import MAX_FILE_CHARS, MAX_FILES
from paparatsd.knowledge_model import (
    CardDraft,
    CardKind,
    NoteFile,
    Reach,
    TermDraft,
)
from paparatsd.model import GroupName, ProjectName

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request

    from paparatsd.interfaces.api import ServiceApi
    from paparatsd.interfaces.arguments import Arguments

Wanted = TypeVar("Wanted")
Draft = TypeVar("Draft", TermDraft, CardDraft)

MAX_NAME_CHARS = 255
DRAFTS: Mapping[CardKind, Callable[[Arguments], CardDraft]] = {
    CardKind.COMPONENT: requests.component_draft,
    CardKind.DECISION: requests.decision_draft,
    CardKind.LESSON: requests.lesson_draft,
}


async def docs(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/docs."""
    wanted = await _wanted(request, requests.docs_request)
    return shapes.docs_json(await service.docs.search(wanted))


async def document(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/document."""
    arguments = await body_of(request)
    project = ProjectName(arguments.text("project"))
    path = arguments.text("path", max_chars=requests.MAX_PATH_CHARS)
    wanted = requests.document_request(arguments, Reach(), project, path)
    arguments.finish()
    return shapes.document_text_json(await service.docs.get(wanted))


# --------------------------------------------------------------------------- the glossary


async def search_terms(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/terms/search."""
    wanted = await _wanted(request, requests.terms_request)
    return shapes.terms_json(await service.glossary.search(wanted))


async def list_terms(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/terms/list."""

    def read(arguments: Arguments, reach: Reach) -> tuple[Reach, int, tuple[str, ...]]:
        return reach, requests.terms_limit(arguments), requests.ids_of(arguments)

    answer = await service.glossary.list(*await _wanted(request, read))
    return shapes.listed_terms_json(answer)


async def record_term(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/terms/record."""
    draft = await _draft(service, request, requests.term_draft)
    return shapes.recorded_json(await service.glossary.record(draft, Reach()))


async def delete_terms(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/terms/delete."""
    ids, reach = await _wanted(request, _ids)
    return shapes.deleted_json(await service.glossary.delete(ids, reach))


# --------------------------------------------------------------------------- architectural memory


async def context(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/cards/context."""
    wanted = await _wanted(request, requests.context_request)
    return shapes.context_json(await service.memory.context(wanted))


async def list_cards(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/cards/list."""
    wanted = await _wanted(request, requests.cards_request)
    return shapes.cards_json(await service.memory.list(wanted))


async def record_card(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/cards/record."""

    def read(arguments: Arguments) -> CardDraft:
        return DRAFTS[CardKind(arguments.choice("kind", tuple(CardKind)))](arguments)

    draft = await _draft(service, request, read)
    return shapes.recorded_json(await service.memory.record(draft, Reach()))


async def delete_cards(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/cards/delete."""
    ids, reach = await _wanted(request, _ids)
    return shapes.deleted_json(await service.memory.delete(ids, reach))


async def suggest(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/cards/suggest."""
    limit, reach = await _wanted(request, lambda it, reach: (requests.suggestions_limit(it), reach))
    return shapes.suggestions_json(await service.memory.suggest(reach, limit))


async def stats(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/cards/stats."""
    reach = await _wanted(request, lambda _, reach: reach)
    return {"groups": [shapes.stats_json(one) for one in await service.memory.stats(reach)]}


async def export_files(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/cards/export."""
    reach = await _wanted(request, lambda _, reach: reach)
    files = await service.memory.export_files(reach)
    return {"files": [shapes.note_file_json(one) for one in files]}


async def import_files(service: ServiceApi, request: Request) -> dict[str, Any]:
    """POST /v1/cards/import."""

    def read(arguments: Arguments, reach: Reach) -> tuple[tuple[NoteFile, ...], Reach, bool]:
        return _files(arguments), reach, arguments.flag("dry_run", default=False)

    files, reach, dry_run = await _wanted(request, read)
    done = await service.memory.import_files(files, reach, dry_run=dry_run)
    return {"files": [shapes.imported_json(one) for one in done]}


# --------------------------------------------------------------------------- what is asked


async def _wanted(request: Request, read: Callable[[Arguments, Reach], Wanted]) -> Wanted:
    """Return what a request asks for; raises BadQuery, also for what nobody reads."""
    arguments = await body_of(request)
    reach = Reach(
        projects=tuple(map(ProjectName, arguments.texts("projects"))),
        groups=tuple(map(GroupName, arguments.texts("groups"))),
    )
    wanted = read(arguments, reach)
    arguments.finish()
    return wanted


async def _draft(
    service: ServiceApi, request: Request, read: Callable[[Arguments], Draft]
) -> Draft:
    """Return the note that a request brings, with its group, if only one can be meant."""
    arguments = await body_of(request)
    draft = read(arguments)
    arguments.finish()
    return draft if draft.group else requests.in_its_group(draft, await service.list_projects(None))


def _ids(arguments: Arguments, reach: Reach) -> tuple[tuple[str, ...], Reach]:
    ids = arguments.texts("ids")
    if not ids:
        raise BadQuery("ids is missing; it must be a list of the ids that are to be deleted")
    return ids, reach


def _files(arguments: Arguments) -> tuple[NoteFile, ...]:
    files = []
    for number, file in enumerate(arguments.objects("files", max_items=MAX_FILES)):
        try:
            name = file.text("name", max_chars=MAX_NAME_CHARS)
            files.append(NoteFile(name, file.text("text", max_chars=MAX_FILE_CHARS)))
            file.finish()
        except BadQuery as error:
            raise BadQuery(f"files[{number}]: {error}") from None
    return tuple(files)

"""Out of scope is like missing, byte for byte; and what a service tells too much is not passed on.

Yaks are in a group of their own, goats in that of marmots; neither is answered about. There are no
oxen, and no ewers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from paparatsd.docs_model import DocsRequest, DocumentRequest
from paparatsd.errors import UnknownDocument
from paparatsd.interfaces.mcp.coding import CODING
from paparatsd.interfaces.mcp.scope import scoped
from paparatsd.knowledge_model import (
    AnchorCheck,
    AnchorState,
    Reach,
)
from paparatsd.model import ProjectName
from tests.harness.fake_knowledge import GUARD_ID, secret_id
from tests.harness.fake_service import FakeService
from tests.harness.knowledge_asked import ASKING, READING, WRITING, ask

if TYPE_CHECKING:
    from paparatsd.docs_model import DocumentText
    from paparatsd.interfaces.api import DocsApi
    from paparatsd.interfaces.mcp.reply import ToolReply

YAKS, GOATS = ProjectName("yaks"), ProjectName("goats")
OURS = ("marmots", "gone-marmots")
HIDDEN = {"yaks": "oxen", "goats": "ewers"}
"""Projects that are there but out of scope, and names of the same length that nothing has."""


def service_of(*, obedient: bool = True) -> FakeService:
    service = FakeService(others=(YAKS,), beside=(GOATS,))
    service.knowledge.obedient = obedient
    return service


def whole(reply: ToolReply, name: str = "", other: str = "") -> str:
    """Return all of a reply, one name in it replaced by another."""
    text = repr((reply.text, reply.structured, reply.is_error))
    return text.replace(name, other) if name else text


@pytest.mark.parametrize("name", list(READING))
@pytest.mark.parametrize("obedient", [True, False])
async def test_nothing_of_what_is_out_of_scope_is_told(name: str, *, obedient: bool) -> None:
    given = {**READING[name], **({"query": "any"} if name == "term_search" else {})}
    wide = await ask(name, service_of(), **given)
    if name not in ("get_document", "arch_check"):
        assert "yaks" in whole(wide)
        assert "goats" in whole(wide)
    reply = await ask(name, service_of(obedient=obedient), allowed=OURS, **given)
    assert not reply.is_error
    for hidden in ("yaks", "goats", "secret"):
        assert hidden not in whole(reply)
    if name != "arch_check":
        assert "marmots" in whole(reply)


@pytest.mark.parametrize("name", [one for one in ASKING if "delete" not in one])
@pytest.mark.parametrize("hidden", list(HIDDEN))
async def test_a_project_out_of_scope_is_answered_like_an_unknown_one(
    name: str, hidden: str
) -> None:
    absent = HIDDEN[hidden]
    service = service_of()
    given = {key: one for key, one in ASKING[name].items() if key != "project"}
    asked = len(service.knowledge.asked)
    replies = [
        await ask(name, service, allowed=OURS, **given, project=project)
        for project in (hidden, absent)
    ]
    assert whole(replies[0], hidden, absent) == whole(replies[1])
    assert replies[0].is_error is (name in WRITING)
    assert len(service.knowledge.asked) == asked
    if name in WRITING:
        replies = [
            await ask(name, service, allowed=OURS, **given, project=project, group="alps")
            for project in (hidden, absent)
        ]
        assert whole(replies[0], hidden, absent) == whole(replies[1])
        assert replies[0].is_error


@pytest.mark.parametrize("name", [one for one in ASKING if one != "get_document"])
async def test_a_group_out_of_scope_is_answered_like_an_unknown_one(name: str) -> None:
    service = service_of()
    replies = [
        await ask(name, service, allowed=OURS, **ASKING[name], group=f"group-of-{project}")
        for project in ("yaks", "oxen")
    ]
    assert whole(replies[0], "yaks", "oxen") == whole(replies[1])
    assert "alps" in replies[0].text
    assert service.knowledge.asked == []


async def test_a_document_out_of_scope_is_answered_like_one_that_is_not_there() -> None:
    service = service_of()
    seen = await ask("get_document", service, project="yaks", path="docs/secret.md")
    assert "The secret of yaks" in seen.text
    replies = [
        whole(await ask("get_document", service, allowed=OURS, **given), name, "PLACE")
        for name, given in (
            ("yaks", {"project": "yaks", "path": "docs/secret.md"}),
            ("oxen", {"project": "oxen", "path": "docs/secret.md"}),
            ("yaks", {"address": "yaks:docs/secret.md:1"}),
        )
    ]
    assert len(set(replies)) == 1
    in_ours = await ask(
        "get_document", service, allowed=OURS, project="marmots", path="docs/secret.md"
    )
    assert (
        whole(in_ours, "'marmots'", "'PLACE'").split("tokens")[0] == (replies[0].split("tokens")[0])
    )


@pytest.mark.parametrize(("name", "number"), [("term_delete", 1), ("arch_delete", 2)])
@pytest.mark.parametrize("hidden", list(HIDDEN))
async def test_a_note_out_of_scope_can_neither_be_deleted_nor_told_from_a_missing_one(
    name: str, number: int, hidden: str
) -> None:
    service = service_of()
    key, absent = secret_id(hidden, number), secret_id("nobody", number)
    notes = len(service.knowledge.terms) + len(service.knowledge.cards)
    deletes = {"term_delete": "id", "arch_delete": "ids"}
    calls: list[dict[str, Any]] = [{deletes[name]: one} for one in (key, absent, "not-an-id" * 4)]
    replies = [await ask(name, service, allowed=OURS, **given) for given in calls]
    assert replies[0].structured is not None
    assert replies[0].structured["missing"] == [key]
    assert whole(replies[0], key, absent) == whole(replies[1])
    assert whole(replies[1], absent, "not-an-id" * 4) == whole(replies[2])
    assert len(service.knowledge.terms) + len(service.knowledge.cards) == notes


@pytest.mark.parametrize(("name", "number"), [("term_list", 1), ("arch_list", 2)])
@pytest.mark.parametrize("hidden", list(HIDDEN))
@pytest.mark.parametrize("obedient", [True, False])
async def test_a_note_out_of_scope_is_read_by_its_id_like_a_missing_one(
    name: str,
    number: int,
    hidden: str,
    obedient: bool,
) -> None:
    service = service_of(obedient=obedient)
    key, absent = secret_id(hidden, number), secret_id("nobody", number)
    replies = [await ask(name, service, allowed=OURS, ids=[one]) for one in (key, absent)]
    assert replies[0].structured is not None
    assert replies[0].structured["missing"] == [key]
    assert whole(replies[0], key, absent) == whole(replies[1])
    open_to_all = await ask(name, service, ids=[key])
    assert "secret" in open_to_all.text


async def test_writing_finds_its_group_among_those_in_scope() -> None:
    service = service_of()
    for name in ("term_record", "arch_record_decision", "arch_record_lesson"):
        reply = await ask(name, service, allowed=OURS, **WRITING[name])
        assert not reply.is_error
        assert "group alps" in reply.text


async def test_a_note_of_a_hidden_project_is_in_nobodys_way() -> None:
    service = service_of()
    service.knowledge.terms = [one for one in service.knowledge.terms if one.project == "goats"]
    near = {"term": "x", "definition": "said again", "group": "alps"}
    refused = await ask("term_record", service, **near)
    assert "'secret' says the same" in refused.text
    written = await ask("term_record", service, allowed=OURS, **near)
    assert written.text.startswith("Recorded 'x' in group alps.")


async def test_a_project_in_scope_is_written_to_in_its_own_group_only() -> None:
    service = FakeService(others=(YAKS,))
    given = {"term": "x", "definition": "y", "project": "yaks", "group": "alps"}
    reply = await ask("term_record", service, allowed=("marmots", "yaks"), **given)
    assert reply.is_error
    assert "no project named 'yaks' in group 'alps'" in reply.text
    assert service.knowledge.asked == []


async def test_an_anchor_in_a_hidden_project_says_nothing_of_it() -> None:
    service = FakeService(others=(YAKS,))
    world = service.knowledge
    (guard,) = [one for one in world.cards if one.id == GUARD_ID]
    files = ("yaks:src/secret.py:1", "oxen:src/secret.py:1", "src/moved.py")
    world.checks = {
        files[0]: AnchorCheck(files[0], AnchorState.CHANGED, files[0], "By Eve."),
        files[1]: AnchorCheck(files[1], AnchorState.UNCLEAR, "", "No such project."),
        files[2]: AnchorCheck(files[2], AnchorState.MOVED, "yaks:src/moved.py:1", "To yaks."),
    }
    world.cards = [type(guard)(**{**_members(guard), "files": files})]
    reply = await ask("arch_list", service, allowed=OURS, checked=True)
    assert reply.structured is not None
    checks = reply.structured["cards"][0]["checks"]
    assert checks == [
        {"at": file, "state": "unclear", "address": "", "detail": ""} for file in files
    ]
    wide = await ask("arch_list", service, checked=True)
    assert "By Eve." in wide.text


def _members(card: Any) -> dict[str, Any]:
    return {name: getattr(card, name) for name in card.__dataclass_fields__}


async def test_what_may_be_seen_is_what_both_scopes_let_through() -> None:
    service = FakeService(others=(YAKS,))
    docs = scoped(service, ("marmots", "yaks")).docs
    both = await docs.search(DocsRequest("x", Reach(visible=frozenset({"yaks", "oxen"}))))
    assert {one.document.project for one in both.hits} == {"yaks"}
    assert {one.project for one in both.freshness} == {"yaks"}
    none = await docs.search(DocsRequest("x", Reach(visible=frozenset({"oxen"}))))
    assert (none.hits, none.freshness) == ((), ())
    (asked,) = service.knowledge.asked
    assert isinstance(asked, DocsRequest)
    assert asked.reach.visible == frozenset({"yaks"})


async def test_terms_beside_documents_keep_to_the_scope() -> None:
    given = {"query": "secret burrow"}
    wide = await ask("search_docs", service_of(), **given)
    assert wide.structured is not None
    assert {one["term"] for one in wide.structured["terms"]} == {"secret", "burrow"}
    reply = await ask("search_docs", service_of(obedient=False), allowed=OURS, **given)
    assert reply.structured is not None
    assert {one["term"] for one in reply.structured["terms"]} == {"burrow"}


async def test_a_document_of_another_project_than_was_asked_for_is_not_passed_on() -> None:
    class Confused:
        def __init__(self, docs: DocsApi) -> None:
            self._docs = docs

        async def get(self, request: DocumentRequest) -> DocumentText:
            other = "yaks" if request.path == "README.md" else "marmots"
            path = "docs/secret.md" if other == "yaks" else request.path
            asked = DocumentRequest(ProjectName(other), path)
            text = await self._docs.get(asked)
            every = await self._docs.search(DocsRequest("x"))
            return replace(text, freshness=every.freshness)

    class Service(FakeService):
        @property
        def docs(self) -> Any:
            return Confused(super().docs)

    docs = scoped(Service(others=(YAKS,)), OURS).docs
    with pytest.raises(UnknownDocument, match=r"no document 'README.md' in project 'marmots'"):
        await docs.get(DocumentRequest(ProjectName("marmots"), "README.md"))
    text = await docs.get(DocumentRequest(ProjectName("marmots"), "docs/burrows.md"))
    assert [one.project for one in text.freshness] == ["marmots"]


async def test_files_and_figures_of_memory_keep_to_the_scope() -> None:
    memory = scoped(service_of(obedient=False), OURS).memory
    assert [one.group for one in await memory.stats(Reach())] == ["alps"]
    own = scoped(service_of(), OURS).memory
    assert all("secret" not in one.text for one in await own.export_files(Reach()))


async def test_a_scope_without_a_registered_project_answers_nothing_and_fails_nowhere() -> None:
    for name, given in READING.items():
        reply = await ask(name, service_of(), allowed=("oxen",), **given)
        assert not reply.is_error
        assert "marmots" not in whole(reply).replace("'marmots'", "").replace("marmots:", "")
    reply = await ask("term_record", service_of(), allowed=("oxen",), **WRITING["term_record"])
    assert reply.is_error
    assert "no project is registered" in reply.text


def test_every_tool_about_knowledge_is_compared_here() -> None:
    about = {tool.spec.name for tool in CODING if tool.spec.name.startswith(("arch", "term"))}
    assert about | {"search_docs", "get_document"} == set(ASKING)

"""The control API about documents, terms and cards: what its calls ask, and what they refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from starlette.routing import Router
from starlette.testclient import TestClient

from paparatsd.docs_model import DocsRequest, DocumentRequest
from paparatsd.errors import StateUnwritable
from paparatsd.interfaces.control import CALLS, control_routes
from paparatsd.knowledge_model import (
    CardDraft,
    CardKind,
    CardScope,
    CardsRequest,
    Component,
    ContextRequest,
    Decision,
    Lesson,
    NoteFile,
    Reach,
    Severity,
    TermDraft,
    TermsRequest,
)
from tests.harness.fake_knowledge import BURROW_ID
from tests.harness.fake_service import FakeService

if TYPE_CHECKING:
    from httpx2 import Response

PATHS = [path for _, path, _ in CALLS if path.startswith(("/v1/doc", "/v1/terms", "/v1/cards"))]
WHERE = {"projects": ["marmots"], "groups": ["alps"]}
REACH = Reach(projects=("marmots",), groups=("alps",))  # type: ignore[arg-type]
LEAST: dict[str, dict[str, Any]] = {
    "/v1/docs": {"query": "x"},
    "/v1/document": {"project": "marmots", "path": "README.md"},
    "/v1/terms/search": {"query": "x"},
    "/v1/terms/record": {"term": "x", "definition": "y"},
    "/v1/terms/delete": {"ids": ["x"]},
    "/v1/cards/context": {"question": "x"},
    "/v1/cards/record": {"kind": "lesson", "rule": "x", "why": "y", "when": "z"},
    "/v1/cards/delete": {"ids": ["x"]},
    "/v1/cards/import": {"files": []},
}
COMPONENT = {"kind": "component", "project": "marmots", "name": "Den", "summary": "s"}
DECISION = {"kind": "decision", "title": "t", "context": "c", "decision": "d", "consequences": "e"}
LESSON = {"kind": "lesson", "rule": "r", "why": "w", "when": "n"}


def post(service: FakeService, path: str, body: dict[str, Any]) -> Response:
    return TestClient(Router(control_routes(service))).post(path, json=body)


def asked(path: str, body: dict[str, Any]) -> Any:
    """Return what the service is asked for by a call."""
    service = FakeService()
    answer = post(service, path, body)
    assert answer.status_code == 200, answer.text
    (request,) = service.knowledge.asked
    return request


def refusal(path: str, body: dict[str, Any], *, service: FakeService | None = None) -> str:
    service = service or FakeService()
    answer = post(service, path, body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_query"), answer.text
    assert service.knowledge.asked == []
    return str(answer.json()["error"]["message"])


def test_a_question_to_documents_is_asked_as_it_was_sent() -> None:
    floors = {"min_score": "0", "min_score_code": 0.25}
    sent = {"query": "x", "audience": "public", "limit": 30, "history": True, "fresh": "yes"}
    assert asked("/v1/docs", {**WHERE, **floors, **sent}) == DocsRequest(
        query="x",
        reach=Reach(REACH.projects, REACH.groups, ("public",)),
        limit=30,
        min_score=0.0,
        min_score_code=0.25,
        history=True,
        fresh=True,
    )
    assert asked("/v1/docs", {"query": "x"}) == DocsRequest("x")


def test_a_document_is_asked_for_piece_by_piece() -> None:
    sent = {"project": "marmots", "path": "docs/burrows.md", "offset": 200, "max_chars": 200}
    assert asked("/v1/document", sent) == DocumentRequest(
        REACH.projects[0], "docs/burrows.md", Reach(), 200, 200
    )
    answer = post(FakeService(), "/v1/document", sent).json()
    assert (answer["offset"], answer["next_offset"], len(answer["content"])) == (200, 400, 200)


def test_terms_are_looked_up_written_and_deleted() -> None:
    assert asked("/v1/terms/search", {"query": "x", "min_score": 1, "limit": 3, **WHERE}) == (
        TermsRequest("x", REACH, 3, 1.0)
    )
    assert asked("/v1/terms/list", WHERE) == REACH
    sent = {"term": "nap", "definition": "Short.", "aliases": ["doze"], "project": "marmots"}
    draft = TermDraft("alps", "nap", "Short.", ("doze",), "marmots")  # type: ignore[arg-type]
    assert asked("/v1/terms/record", sent) == draft
    assert asked("/v1/terms/delete", {"ids": ["a", "b"], **WHERE}) == ("a", "b")


def test_memory_is_asked_with_limits_of_each_kind() -> None:
    sent = {"question": "x", "limits": {"lesson": 0}, "min_score": 0.3, "checked": False, **WHERE}
    limits = {CardKind.COMPONENT: 5, CardKind.DECISION: 5, CardKind.LESSON: 0}
    assert asked("/v1/cards/context", sent) == ContextRequest(
        "x", REACH, limits, 0.3, checked=False
    )
    listed = {"kinds": ["lesson"], "include_history": True, "checked": True, "limit": 9}
    assert asked("/v1/cards/list", {**listed, "cursor": "2", **WHERE}) == CardsRequest(
        REACH, (CardKind.LESSON,), history=True, checked=True, limit=9, cursor="2"
    )
    by_id = asked("/v1/cards/list", {"ids": ["a", "b"]})
    assert by_id == CardsRequest(checked=True, ids=("a", "b"))
    assert not asked("/v1/cards/list", {"ids": "a", "checked": False}).checked
    answer = post(FakeService(), "/v1/terms/list", {"ids": ["x", BURROW_ID]}).json()
    assert [term["id"] for term in answer["terms"]] == [BURROW_ID]
    assert answer["missing"] == ["x"]
    for path in ("suggest", "stats", "export"):
        assert asked(f"/v1/cards/{path}", WHERE) == REACH


def test_a_card_of_each_kind_is_written_in_the_group_that_must_be_meant() -> None:
    named = {"files": ["a.py"], "anchors": ["a.py#f"]}
    component = asked("/v1/cards/record", {**COMPONENT, "neighbours": ["Guard"], **named})
    body = Component("Den", "s", ("Guard",))
    assert component == CardDraft("alps", body, "marmots", ("a.py",), ("a.py#f",))  # type: ignore[arg-type]
    decision = asked("/v1/cards/record", {**DECISION, "scope": "file", "group": "alps"})
    assert decision.body == Decision("t", "c", "d", "e", scope=CardScope.FILE)
    lesson = asked("/v1/cards/record", {**LESSON, "severity": "critical", "evidence": "v"})
    assert lesson.body == Lesson("r", "w", "n", severity=Severity.CRITICAL, evidence="v")
    assert (lesson.group, lesson.project) == ("alps", None)


def test_files_are_handed_on_in_their_order() -> None:
    files = [{"name": "b.md", "text": "# B"}, {"name": "a.md", "text": "# A"}]
    sent = {"files": files, "dry_run": True, **WHERE}
    assert asked("/v1/cards/import", sent) == (
        (NoteFile("b.md", "# B"), NoteFile("a.md", "# A")), True
    )  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_an_unknown_member_is_refused_with_the_known_ones(path: str) -> None:
    message = refusal(path, {**LEAST.get(path, {}), "projekt": "x"})
    assert message.startswith("unknown argument 'projekt'; known are: ")


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("docs", {}, "query"),
        ("docs", {"query": " "}, "query"),
        ("docs", {"query": "x" * 4_001}, "query"),
        ("docs", {"query": "x", "limit": 31}, "limit"),
        ("docs", {"query": "x", "min_score": 1.1}, "min_score"),
        ("docs", {"query": "x", "min_score_code": "high"}, "min_score_code"),
        ("docs", {"query": "x", "audience": [1]}, "audience"),
        ("docs", {"query": "x", "projects": {"a": 1}}, "projects"),
        ("document", {"project": "marmots"}, "path"),
        ("document", {"path": "README.md"}, "project"),
        ("document", {"project": "marmots", "path": "a", "offset": -1}, "offset"),
        ("document", {"project": "marmots", "path": "a", "max_chars": 199}, "max_chars"),
        ("terms/search", {"query": "x", "limit": 0}, "limit"),
        ("terms/list", {"limit": 501}, "limit"),
        ("terms/record", {"term": "x"}, "definition"),
        ("terms/record", {"term": "x" * 301, "definition": "y"}, "term"),
        ("terms/record", {"term": "x", "definition": "y", "aliases": 5}, "aliases"),
        ("terms/delete", {}, "ids"),
        ("terms/delete", {"ids": []}, "ids"),
        ("cards/context", {"question": "x", "limits": []}, "limits"),
        ("cards/context", {"question": "x", "limits": {"lesson": 51}}, "lesson"),
        ("cards/context", {"question": "x", "limits": {"term": 1}}, "term"),
        ("cards/list", {"kinds": ["term"]}, "kinds"),
        ("cards/list", {"limit": 201}, "limit"),
        ("cards/record", {"rule": "x"}, "kind"),
        ("cards/record", {**LESSON, "kind": "rule"}, "kind"),
        ("cards/record", {**COMPONENT, "project": None}, "project"),
        ("cards/record", {**DECISION, "context": ""}, "context"),
        ("cards/record", {**DECISION, "scope": "all"}, "scope"),
        ("cards/record", {**LESSON, "severity": "bad"}, "severity"),
        ("cards/record", {**LESSON, "anchors": "x" * 1_001}, "anchors"),
        ("cards/delete", {"ids": None}, "ids"),
        ("cards/suggest", {"limit": 51}, "limit"),
        ("cards/import", {}, "files"),
        ("cards/import", {"files": ["a.md"]}, "files"),
        ("cards/import", {"files": [{"name": "a.md"}]}, "files[0]: text"),
        ("cards/import", {"files": [{"name": "a.md", "text": "a\0"}]}, "files[0]: text"),
        ("cards/import", {"files": [{"name": "a", "text": "b", "x": 1}]}, "files[0]: unknown"),
    ],
)  # fmt: skip
def test_a_bad_argument_is_refused_by_its_name(path: str, body: dict[str, Any], field: str) -> None:
    assert field in refusal(f"/v1/{path}", body)


def test_a_note_needs_a_group_when_there_are_several() -> None:
    service = FakeService(others=("yaks",))  # type: ignore[arg-type]
    message = refusal("/v1/terms/record", LEAST["/v1/terms/record"], service=service)
    assert message == "group is missing; there are several: alps, group-of-yaks"


@pytest.mark.parametrize("path", [path for path in PATHS if path != "/v1/document"])
def test_an_unknown_project_is_not_found(path: str) -> None:
    single = path.endswith("/record")
    where = {"project": "oxen"} if single else {"projects": ["oxen"]}
    answer = post(FakeService(), path, {**LEAST.get(path, {}), **where})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_project")
    assert "'oxen'" in answer.json()["error"]["message"]


def test_an_unknown_document_is_not_found() -> None:
    answer = post(FakeService(), "/v1/document", {"project": "marmots", "path": "none.md"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_document")


@pytest.mark.parametrize("path", ["/v1/terms/record", "/v1/cards/delete"])
def test_what_cannot_be_written_now_is_told_and_a_defect_is_not(path: str) -> None:
    full = FakeService(failure=StateUnwritable("the disk is full; nothing was written"))
    answer = post(full, path, LEAST[path])
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "state_unwritable")
    defect = post(FakeService(failure=RuntimeError("secret internals")), path, LEAST[path])
    assert defect.status_code == 500
    assert "secret" not in defect.text

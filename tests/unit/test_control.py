"""Arguments from outside, and the spelling of errors."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.routing import Router
from starlette.testclient import TestClient

from paparatsd import errors
from paparatsd.errors import BadQuery
from paparatsd.interfaces.app import owner_app
from paparatsd.interfaces.arguments import Arguments
from paparatsd.interfaces.client import error_class
from paparatsd.interfaces.control import control_routes
from paparatsd.interfaces.shapes import status_of
from tests.harness.fake_service import FakeService


def test_text_that_means_a_number_or_a_flag_is_taken_for_it() -> None:
    arguments = Arguments({"a": "10", "b": "10.0", "c": 10.0, "d": "true", "e": "0", "f": " x "})
    assert [arguments.number(name, default=0, low=0, high=20) for name in "abc"] == [10, 10, 10]
    assert arguments.flag("d", default=False) is True
    assert arguments.flag("e", default=True) is False
    assert arguments.text("f") == "x"
    arguments.finish()


@pytest.mark.parametrize("value", [True, "x", "1e3", "0x10", "", 1.5, [], {}, 21, -1, "٣", 10**30])
def test_what_is_no_number_in_range_is_refused_by_name(value: Any) -> None:
    with pytest.raises(BadQuery, match="limit"):
        Arguments({"limit": value}).number("limit", default=5, low=0, high=20)


def test_what_is_there_instead_of_a_missing_text_is_named() -> None:
    with pytest.raises(BadQuery, match=r"^address is missing; .* \(there is 'chunk_id'\)$"):
        Arguments({"chunk_id": "shop:a.py"}).text("address")


def test_null_and_absence_are_the_same() -> None:
    arguments = Arguments({"limit": None, "query": None})
    assert arguments.number("limit", default=5, low=0, high=9) == 5
    with pytest.raises(BadQuery, match="query is missing"):
        arguments.text("query")


@pytest.mark.parametrize("value", ["a\0b", "\ud800", "x" * 11, 5, ["x"], True])
def test_unusable_text_is_refused(value: Any) -> None:
    with pytest.raises(BadQuery, match="query"):
        Arguments({"query": value}).text("query", max_chars=10)


def test_a_misspelt_argument_is_refused_with_the_known_ones() -> None:
    arguments = Arguments({"querry": "x"})
    arguments.optional_text("query")
    with pytest.raises(BadQuery, match=r"unknown argument 'querry'; known are: query"):
        arguments.finish()


def test_lists_are_bounded_and_a_single_text_is_a_list_of_one() -> None:
    assert Arguments({"paths": "src"}).texts("paths") == ("src",)
    for value in (["x"] * 101, [5], {"a": 1}, 7):
        with pytest.raises(BadQuery, match="paths"):
            Arguments({"paths": value}).texts("paths")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.BadQuery("x"), 400), (errors.UnknownProject("x"), 404), (errors.Conflict("x"), 409),
        (errors.UnknownAddress("x"), 404), (errors.Refused("x"), 403), (errors.Busy("x"), 503),
        (errors.GitFailed("x"), 503), (errors.BadReply("x"), 502), (errors.SchemaTooNew("x"), 500),
        (errors.BadSettings("x"), 400),
    ],
)  # fmt: skip
def test_each_error_has_its_status_and_comes_back_as_its_class(
    error: errors.PaparatsError, status: int
) -> None:
    assert status_of(error) == status
    assert error_class(error.code) is type(error)


def test_an_unknown_code_is_still_an_error_of_ours() -> None:
    assert error_class("from_the_future") is errors.PaparatsError


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/v1/search", b"{", 400, "bad_query"),
        ("POST", "/v1/search", b"[]", 400, "bad_query"),
        ("POST", "/v1/search", b"[" * 100_000, 400, "bad_query"),
        ("POST", "/v1/search", b'{"query": "x", "limitt": 3}', 400, "bad_query"),
        ("POST", "/v1/search?x=1", b'{"query": "x"}', 400, "bad_query"),
        ("POST", "/v1/projects", b'{"path": "relative"}', 400, "bad_query"),
        ("POST", "/v1/projects", b'{"path": "/a", "name": "marmots"}', 409, "conflict"),
        ("POST", "/v1/reindex", b'{"depth": "deep"}', 400, "bad_query"),
        ("DELETE", "/v1/projects/yaks", b"", 404, "unknown_project"),
        ("GET", "/v1/show?address=marmots:x.py%23y", b"", 404, "unknown_address"),
        ("GET", "/v1/show?address=a:b&address=c:d", b"", 400, "bad_query"),
        ("GET", "/v1/show?address=a:b&radius=x", b"", 400, "bad_query"),
        ("GET", "/v1/status?verbose=1", b"", 400, "bad_query"),
    ],
)
def test_bad_calls_are_refused_in_json(
    method: str, path: str, body: bytes, status: int, code: str
) -> None:
    client = TestClient(Router(control_routes(FakeService())))
    answer = client.request(method, path, content=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("GET", "/v1/search", "POST"),
        ("GET", "/v1/stop", "POST"),
        ("PUT", "/v1/projects", "GET, POST"),
        ("GET", "/v1/projects/marmots", "DELETE"),
        ("POST", "/v1/status", "GET"),
        ("POST", "/v1/skipped", "GET"),
        ("POST", "/health", "GET"),
    ],
)
def test_a_method_that_a_path_does_not_take_is_refused_in_json(
    method: str, path: str, allow: str
) -> None:
    answer = TestClient(owner_app(FakeService(), ())).request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allow)
    assert answer.json()["error"] == {
        "code": "bad_request",
        "message": f"{path} takes {allow}, not {method}",
    }


def test_a_defect_shows_nothing_internal() -> None:
    service = FakeService(failure=RuntimeError("secret internals"))
    answer = TestClient(Router(control_routes(service))).post("/v1/search", json={"query": "x"})
    assert answer.status_code == 500
    assert "secret" not in answer.text


def test_a_search_has_the_documented_members() -> None:
    answer = TestClient(Router(control_routes(FakeService()))).post(
        "/v1/search", json={"query": "x", "limit": "2", "projects": ["marmots"]}
    )
    found = answer.json()
    assert set(found) == {
        "query", "results", "freshness", "notes", "took_ms", "total_candidates", "tokens",
        "next_offset",
    }  # fmt: skip
    assert set(found["results"][0]) == {
        "project", "path", "start_line", "end_line", "address", "score", "confidence", "language",
        "kind", "symbol", "symbol_end", "text", "defines", "uses", "also_in",
    }  # fmt: skip
    assert set(found["freshness"][0]) == {
        "project", "generation", "head", "state", "reason", "pending", "checked_at", "branch",
    }  # fmt: skip
    assert answer.headers["paparats-version"]


def test_explanations_and_neighbours_come_when_asked_for() -> None:
    service = FakeService()
    answer = TestClient(Router(control_routes(service))).post(
        "/v1/search", json={"query": "x", "limit": 1, "explain": True, "related": "true"}
    )
    (hit,) = answer.json()["results"]
    assert [one["name"] for one in hit["explanation"]["features"]] == ["def_exact", "p_test"]
    assert hit["explanation"]["score"] == 1.5
    assert hit["explanation"]["confidence"]["grounds"] == {"answerable": 0.9, "this_one": 1.0}
    assert set(answer.json()["meanings"]) == {"def_exact", "p_test", "answerable", "this_one"}
    assert service.searches[0].related
    assert hit["related"][0]["relation"] == "called_by"


def test_a_token_budget_leaves_hits_out_and_says_where_to_go_on() -> None:
    client = TestClient(Router(control_routes(FakeService(text="z" * 700))))

    def ask(**more: int) -> dict[str, Any]:
        found: dict[str, Any] = client.post("/v1/search", json={"query": "x", **more}).json()
        return found

    assert [len(ask()["results"]), ask()["next_offset"], ask()["tokens"]] == [5, None, 1000]
    cut = ask(max_tokens=450)
    assert (len(cut["results"]), cut["next_offset"], cut["tokens"]) == (2, 2, 400)
    rest = ask(offset=2, limit=3)
    assert rest["results"] == ask()["results"][2:]
    assert rest["next_offset"] is None


ADDRESS = "marmots:src/burrow3.py#Burrow.dig"


def test_a_search_takes_a_filter_by_history_and_shows_the_last_change() -> None:
    service = FakeService()
    client = TestClient(Router(control_routes(service)))
    given = {"author": "bert", "since": "7 days ago", "until": "2026-12-31", "ticket": "ALP-7"}
    answer = client.post("/v1/search", json={"query": "x", "limit": 1, "history": "true", **given})
    (hit,) = answer.json()["results"]
    assert set(hit["last_change"]) == {"commit", "commits", "uncommitted", "pending"}
    assert hit["last_change"]["commit"]["author"]["name"] == "Bert Berg"
    changed = service.searches[0].changed
    assert changed is not None
    assert {name: getattr(changed, name) for name in given} == given
    client.post("/v1/search", json={"query": "x", "author": " "})
    assert (service.searches[1].changed, service.searches[1].history) == (None, False)


def test_a_log_has_the_documented_members() -> None:
    client = TestClient(Router(control_routes(FakeService())))
    log = client.post("/v1/log", json={"address": ADDRESS, "limit": "2"}).json()
    assert set(log) == {
        "project", "branch", "address", "path", "start_line", "end_line", "symbol", "kind",
        "commits", "total", "tickets", "owners", "began", "uncommitted", "complete",
        "pending", "freshness", "notes",
    }  # fmt: skip
    assert (len(log["commits"]), log["total"]) == (2, 4)
    assert set(log["commits"][0]) == {"commit", "role", "lines", "born"}
    assert log["commits"][1]["role"] == "carrier"
    assert set(log["owners"][0]) == {"person", "lines", "commits", "last"}
    assert log["freshness"]["project"] == "marmots"


def test_commits_have_the_documented_members() -> None:
    service = FakeService()
    client = TestClient(Router(control_routes(service)))
    given = {"query": "depth", "projects": "marmots", "paths": ["src/**"], "merges": True}
    found = client.post("/v1/commits", json=given).json()
    assert set(found) == {"query", "commits", "total", "freshness", "notes"}
    assert set(found["commits"][0]) == {
        "commit", "score", "files", "files_total", "places", "places_total",
    }  # fmt: skip
    assert set(found["commits"][0]["files"][0]) == {"path", "change", "old_path"}
    (place,) = found["commits"][1]["places"]
    assert set(place) == {
        "project", "path", "start_line", "end_line", "address", "symbol", "kind",
    }  # fmt: skip
    (asked,) = service.commit_searches
    assert (asked.projects, asked.paths, asked.merges) == (("marmots",), ("src/**",), True)
    listed = client.post("/v1/commits", json={"since": "2026-03-01", "limit": 200}).json()
    assert [one["commit"]["short"][0] for one in listed["commits"]] == ["4", "2"]


def test_an_explanation_has_the_documented_members_and_no_code() -> None:
    client = TestClient(Router(control_routes(FakeService())))
    given = {"query": "x", "limit": 2, "commits": 3, "author": "a"}
    found = client.post("/v1/explain", json=given).json()
    assert set(found) == {"question", "results", "timeline", "owners", "freshness", "notes"}
    assert "text" not in found["results"][0]
    assert found["results"][0]["related"][0]["relation"] == "called_by"
    assert [set(one) for one in found["timeline"]] == [{"commit", "hits"}] * 3


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/v1/log", {}, 400, "bad_query"),
        ("/v1/log", {"address": ADDRESS, "limit": 201}, 400, "bad_query"),
        ("/v1/log", {"address": "marmots:x.py#y"}, 404, "unknown_address"),
        ("/v1/log", {"address": ADDRESS, "deep": 1}, 400, "bad_query"),
        ("/v1/commits", {"since": "soon"}, 400, "bad_query"),
        ("/v1/commits", {"projects": ["oxen"]}, 404, "unknown_project"),
        ("/v1/commits", {"limit": 0}, 400, "bad_query"),
        ("/v1/explain", {"query": ""}, 400, "bad_query"),
        ("/v1/explain", {"query": "x", "commits": 51}, 400, "bad_query"),
        ("/v1/explain", {"query": "x", "until": "soon"}, 400, "bad_query"),
        ("/v1/search", {"query": "x", "since": "soon"}, 400, "bad_query"),
        ("/v1/search", {"query": "x", "author": ["a"]}, 400, "bad_query"),
    ],
)
def test_bad_questions_about_history_are_refused(
    path: str, body: dict[str, Any], status: int, code: str
) -> None:
    answer = TestClient(Router(control_routes(FakeService()))).post(path, json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


@pytest.mark.parametrize("call", ["show", "log"])
def test_an_address_that_is_a_missing_file_is_told_to_be_one(call: str) -> None:
    client = TestClient(Router(control_routes(FakeService())))
    address = "marmots:src/none.py"
    if call == "show":
        answer = client.get(f"/v1/show?address={address}")
    else:
        answer = client.post("/v1/log", json={"address": address})
    assert answer.status_code == 404
    message = answer.json()["error"]["message"]
    assert message.startswith("there is no file 'src/none.py' in the index of marmots")

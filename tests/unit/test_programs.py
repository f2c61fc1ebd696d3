"""The routes for programs: each field, each refusal, who may change something."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from paparatsd import __version__, errors
from paparatsd.interfaces import program_shapes as shapes
from paparatsd.interfaces.app import agents_app, owner_app
from paparatsd.interfaces.programs import CHANGING, READING
from paparatsd.model import ProjectName
from paparatsd.place_labels import PlaceLabels
from paparatsd.search_model import ChunkView, SearchAnswer
from paparatsd.usage import Savings, Usage, savings_of
from tests.harness import fake_history as past
from tests.harness.fake_service import FRESH, FakeService, hit_of

YAKS = ProjectName("yaks")
ADDRESS = "marmots:src/burrow3.py#Burrow.dig"
TEXT = (Path(__file__).resolve().parents[2] / "contrib" / "API.md").read_text(encoding="utf-8")
PAYLOAD = {
    "project", "file", "language", "startLine", "endLine", "content", "hash", "chunk_id",
    "symbol_name", "kind", "service", "bounded_context", "tags", "defines_symbols",
    "uses_symbols",
}  # fmt: skip
LAST = {"last_commit_hash", "last_commit_at", "last_author_email", "ticket_keys"}


def owner(service: FakeService | None = None) -> TestClient:
    return TestClient(owner_app(service or FakeService(), ()))


def agent(service: FakeService | None = None, *, trusted: bool = False) -> TestClient:
    return TestClient(agents_app(service or FakeService(), (), has_token=trusted))


def at(chunk_id: str, more: str = "") -> str:
    return f"/api/chunk/{quote(chunk_id, safe='')}{more}"


# --------------------------------------------------------------------------- shapes


def test_a_result_has_each_field_of_a_chunk() -> None:
    labels = PlaceLabels(service="den", context="sleep", tags=("alps", "rodents"))
    change = past.last_change_of(hit_of(3), None, past.COMMITS)
    hit = replace(hit_of(3), labels=labels, defines=("dig",), uses=("earth",), last_change=change)

    found = shapes.result_json(hit)

    assert found == {
        "project": "marmots",
        "file": "src/burrow3.py",
        "language": "python",
        "startLine": 31,
        "endLine": 39,
        "content": "def dig(self):\n    return 3\n",
        "score": 0.87,
        "hash": hashlib.sha256(b"def dig(self):\n    return 3\n").hexdigest()[:16],
        "chunk_id": ADDRESS,
        "symbol_name": "Burrow.dig",
        "kind": "method",
        "service": "den",
        "bounded_context": "sleep",
        "tags": ["alps", "rodents"],
        "last_commit_at": found["last_commit_at"],
        "defines_symbols": ["dig"],
        "uses_symbols": ["earth"],
    }
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d", found["last_commit_at"])


def test_what_nobody_knows_of_a_result_is_null() -> None:
    found = shapes.result_json(replace(hit_of(1), symbol=None))
    nulls = {name for name, value in found.items() if value is None}
    assert nulls == {"symbol_name", "service", "bounded_context", "last_commit_at"}
    assert found["tags"] == []


def test_savings_count_a_file_once_and_files_of_other_projects_apart() -> None:
    first, second = hit_of(1, "x" * 41), hit_of(2, "y" * 8)
    same = replace(second, path=first.path)
    elsewhere = replace(same, project=YAKS)

    assert savings_of([first]) == Savings(returned=11, full=238)
    assert savings_of([first, same]) == Savings(returned=13, full=363)
    assert savings_of([first, elsewhere]) == Savings(returned=13, full=601)
    assert savings_of([]) == Savings(0, 0)
    assert (Savings(0, 0).percent, Savings(9, 4).saved, Savings(1, 3).percent) == (0, 0, 67)


def test_usage_adds_up_searches() -> None:
    usage = Usage()
    usage.note([hit_of(1, "x" * 40)])
    usage.note([])
    assert (usage.searches, usage.tokens_saved) == (2, 228)


def test_a_search_says_what_it_spares() -> None:
    answer = SearchAnswer("x", (hit_of(1, "x" * 40),), (FRESH,))
    found = shapes.results_json(answer)
    assert found["total"] == len(found["results"]) == 1
    assert found["metrics"] == {
        "tokensReturned": 10,
        "estimatedFullFileTokens": 238,
        "tokensSaved": 228,
        "savingsPercent": 96,
    }


def test_the_newest_commit_and_the_tickets_of_a_chunk_are_said() -> None:
    view = ChunkView(hit_of(3), (hit_of(2),), FRESH)
    log = past.log_of(hit_of(3), 2, FRESH, past.COMMITS)
    newest = log.commits[0].commit

    found = shapes.meta_json(view, log)

    assert set(found) == PAYLOAD | LAST | {"commits", "tickets", "latest_commit"}
    assert found["last_commit_hash"] == newest.id
    assert found["last_author_email"] == newest.author.email
    assert found["ticket_keys"] == [one.key for one in log.tickets]
    assert (
        found["commits"][0]
        == found["latest_commit"]
        == {
            "commit_hash": newest.id,
            "committed_at": found["last_commit_at"],
            "author_email": newest.author.email,
            "message_summary": newest.subject,
        }
    )
    assert found["tickets"] == [
        {"ticket_key": one.key, "source": one.source} for one in log.tickets
    ]
    bare = shapes.chunk_json(view, None)
    assert [bare[name] for name in sorted(LAST)] == [None, None, None, []]


# --------------------------------------------------------------------------- routes


@pytest.mark.parametrize("client", [owner, agent])
def test_a_search_is_of_one_group_and_of_one_project_or_all(client: Any) -> None:
    service = FakeService()
    found = client(service).post(
        "/api/search", json={"group": "alps", "query": "dig", "project": "marmots", "limit": 2}
    )
    assert found.status_code == 200
    assert [set(one) for one in found.json()["results"]] == [
        PAYLOAD | {"score", "last_commit_at"}
    ] * 2
    (asked,) = service.searches
    assert (asked.groups, asked.projects, asked.limit) == (("alps",), ("marmots",), 2)
    assert asked.history

    client(service).post("/api/search", json={"group": "alps", "query": "dig", "project": "all"})
    assert (service.searches[1].projects, service.searches[1].limit) == ((), 5)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"query": "x"}, "group is missing"),
        ({"group": "alps"}, "query is missing"),
        ({"group": "alps", "query": "x", "limit": 101}, "limit must be"),
        ({"group": "alps", "query": "x", "files": []}, "unknown argument 'files'"),
    ],
)
def test_a_search_that_cannot_be_meant_is_refused_in_words(
    body: dict[str, Any], named: str
) -> None:
    found = owner().post("/api/search", json=body)
    assert (found.status_code, found.json()["code"]) == (400, "bad_query")
    assert named in found.json()["error"]


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (errors.UnknownProject("no group named 'x'"), 404),
        (errors.Unavailable("the search process ended"), 503),
        (errors.Broken("lost"), 500),
    ],
)
def test_failures_have_their_status_and_their_words(
    failure: errors.PaparatsError, status: int
) -> None:
    body = {"group": "alps", "query": "x"}
    found = owner(FakeService(failure=failure)).post("/api/search", json=body)
    assert (found.status_code, found.json()) == (
        status, {"error": str(failure), "code": failure.code},
    )  # fmt: skip


def test_a_defect_tells_nothing_internal() -> None:
    service = FakeService(failure=RuntimeError("/secret/path"))
    found = owner(service).post("/api/search", json={"group": "alps", "query": "x"})
    assert found.status_code == 500
    assert "secret" not in found.text


@pytest.mark.parametrize("client", [owner, agent])
def test_a_chunk_comes_with_what_is_around_it(client: Any) -> None:
    found = client().get(at(ADDRESS), params={"radius_lines": 20})
    assert found.status_code == 200
    assert set(found.json()) == PAYLOAD | LAST | {"adjacent_chunks"}
    assert found.json()["chunk_id"] == ADDRESS
    assert [set(one) for one in found.json()["adjacent_chunks"]] == [PAYLOAD] * 2
    assert client().get(at(ADDRESS)).json()["adjacent_chunks"] == []


def test_a_chunk_comes_without_its_commits_while_these_cannot_be_said() -> None:
    class Silent(FakeService):
        async def chunk_log(self, address: str, limit: int) -> Any:
            raise errors.Unavailable("history is away")

    found = owner(Silent()).get(at(ADDRESS))
    assert (found.status_code, found.json()["last_commit_hash"]) == (200, None)
    assert owner(Silent()).get(at(ADDRESS, "/meta")).status_code == 503


def test_the_history_of_a_chunk_is_as_long_as_wanted() -> None:
    found = owner().get(at(ADDRESS, "/meta"), params={"commit_limit": 1})
    assert found.status_code == 200
    assert len(found.json()["commits"]) == 1
    assert len(owner().get(at(ADDRESS, "/meta")).json()["commits"]) > 1


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (at("marmots:src/gone.py#x"), 404),
        (at("nonsense"), 400),
        (at(ADDRESS) + "?radius_lines=201", 400),
        (at(ADDRESS, "/meta") + "?commit_limit=0", 400),
        (at(ADDRESS) + "?more=1", 400),
        (at("yaks//yaks//a.py//1-9//0123456789abcdef"), 403),
        (at("alps//marmots//src/gone.py//1-9//0123456789abcdef"), 404),
    ],
)
def test_an_id_that_names_nothing_here_is_refused(path: str, status: int) -> None:
    found = owner().get(path)
    assert (found.status_code, set(found.json())) == (status, {"error", "code"})


def test_an_id_of_the_system_before_means_its_lines() -> None:
    class Noting(FakeService):
        async def show(self, address: str, radius: int) -> ChunkView:
            self.calls.append(address)
            return ChunkView(hit_of(3), (), FRESH)

        async def chunk_log(self, address: str, limit: int) -> Any:
            return past.log_of(hit_of(3), limit, FRESH, self.commits)

    service = Noting()
    found = owner(service).get(at("alps//marmots//src/a b.py//31-39//0123456789abcdef"))
    assert found.status_code == 200
    assert service.calls == ["marmots:src/a b.py:31-39"]


def test_stats_say_what_is_counted() -> None:
    found = owner(FakeService(beside=(YAKS,))).get("/api/stats").json()
    assert found == {
        "identity": {"name": "paparatsd", "version": __version__},
        "telemetry": False,
        "groups": {"alps": 60},
        "projectScope": "all",
        "registeredProjects": {"alps": ["marmots", "yaks"]},
        "cache": {"size": 5, "hitCount": 4, "maxSize": None, "hitRate": 0.4},
        "queryCache": {"size": 2, "hitCount": 6, "maxSize": 1000, "hitRate": 0.75},
        "watcher": {"marmots": "events", "yaks": "events"},
        "memory": {"heapUsed": 300, "heapTotal": 1000, "percent": 30.0},
        "usage": {"searchCount": 4, "totalTokensSaved": 1000, "avgTokensSaved": 250},
    }


def test_health_says_how_long_and_how_large_we_are() -> None:
    found = agent(FakeService(allowed=("marmots",))).get("/health")
    assert found.status_code == 200
    assert found.json() == {
        "version": __version__,
        "status": "ok",
        "groups": {"alps": 30},
        "projectScope": ["marmots"],
        "uptime": 61.5,
        "memory": {"heapUsed": 300, "heapTotal": 1000, "percent": 30.0},
    }
    broken = agent(FakeService(failure=errors.Broken("the catalog is away"))).get("/health")
    assert (broken.status_code, broken.json()) == (
        503, {"status": "error", "error": "the catalog is away"},
    )  # fmt: skip


def test_health_is_degraded_when_hardly_any_memory_is_left() -> None:
    class Large(FakeService):
        async def figures(self) -> Any:
            return replace(await super().figures(), memory_bytes=901)

    assert owner(Large()).get("/health").json()["status"] == "degraded"


@pytest.mark.parametrize("client", [owner, lambda service: agent(service, trusted=True)])
def test_a_project_is_removed_by_its_group_and_name(client: Any) -> None:
    service = FakeService()
    found = client(service).delete("/api/project/alps/marmots")
    assert (found.status_code, set(found.json())) == (200, {"status", "message"})
    assert found.json()["status"] == "success"
    assert service.removed == ["marmots"]


@pytest.mark.parametrize(
    ("path", "allowed", "status"),
    [
        ("/api/project/andes/marmots", (), 404),
        ("/api/project/alps/yaks", (), 404),
        ("/api/project/alps/marmots", ("yaks",), 403),
    ],
)
def test_only_a_project_that_is_there_and_in_scope_is_removed(
    path: str, allowed: tuple[str, ...], status: int
) -> None:
    service = FakeService(allowed=allowed)
    assert owner(service).delete(path).status_code == status
    assert service.removed == []


def test_cards_of_a_group_are_embedded() -> None:
    found = owner().post("/api/arch/reindex", json={"group": "alps"})
    assert found.status_code == 200
    assert (found.json()["status"], found.json()["group"]) == ("success", "alps")
    assert found.json()["reindexed"] > 0
    assert owner().post("/api/arch/reindex", json={}).status_code == 400


def test_who_shows_no_token_over_tcp_changes_nothing() -> None:
    service = FakeService()
    for found in (
        agent(service).delete("/api/project/alps/marmots"),
        agent(service).post("/api/arch/reindex", json={"group": "alps"}),
    ):
        assert (found.status_code, found.json()["code"]) == (403, "refused")
        assert "--create-token" in found.json()["error"]
    assert service.removed == []


def test_what_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    from paparatsd.interfaces import programs

    quick = tuple((method, path, 0.01, call) for method, path, _, call in READING)
    monkeypatch.setattr(programs, "READING", quick)
    found = owner().post("/api/search", json={"group": "alps", "query": "wait"})
    assert (found.status_code, found.json()["code"]) == (504, "too_slow")


def test_the_document_has_each_route_and_each_field() -> None:
    section = TEXT.split("\n## For programs\n")[1].split("\n## ")[0]
    routes = {f"{method} {path}" for method, path, _, _ in (*READING, *CHANGING)}
    written = set(re.findall(r"^\| `((?:GET|POST|DELETE) [^`]+)` \|", section, re.MULTILINE))
    assert written == {route.replace("{chunk_id:path}", "{chunk_id}") for route in routes} | {
        "GET /health"
    }
    fields = PAYLOAD | LAST | {"score", "adjacent_chunks", "latest_commit", "commit_hash"}
    fields |= set(owner().get("/api/stats").json()) | set(owner().get("/health").json())
    assert {name for name in fields if f"`{name}`" not in section} == set()

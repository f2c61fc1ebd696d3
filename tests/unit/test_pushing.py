"""The calls that take content in: what they take, refuse and reply; and over TCP from whom."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.routing import Router
from starlette.testclient import TestClient

from paparatsd.interfaces.app import agents_app
from paparatsd.interfaces.control import control_routes
from tests.harness.fake_service import FakeService

FILE = {"path": "a.py", "content": " a = 1\n"}
INDEX: dict[str, Any] = {"group": "web", "project": "shop", "files": [FILE]}
CHANGED: dict[str, Any] = {"group": "web", "project": "shop", **FILE}


@pytest.fixture
def service() -> FakeService:
    return FakeService()


def owner(service: FakeService) -> TestClient:
    return TestClient(Router(control_routes(service)))


def test_a_batch_is_taken_just_as_it_was_sent(service: FakeService) -> None:
    body = {**INDEX, "files": [{**FILE, "language": "python"}, {"path": "x.key", "content": ""}]}
    body |= {"config": {"chunkSize": 10}, "force": True, "wait_s": 5}
    reply = owner(service).post("/api/index", json=body)
    assert reply.status_code == 200
    assert service.calls == ["push web shop a.py= a = 1\n x.key= True 5"]
    answer = reply.json()
    assert (answer["status"], answer["chunks"], answer["skipped"]) == ("ok", 3, 1)
    assert answer["skipped_files"] == [{"path": "x.key", "reason": "secret"}]
    assert answer["notes"] == ["config.chunkSize has no effect: it is one of the daemon's settings"]


def test_a_single_file_is_changed_and_deleted(service: FakeService) -> None:
    changed = owner(service).post("/api/file-changed", json=CHANGED).json()
    assert changed["message"] == "a.py was changed"
    gone = {key: CHANGED[key] for key in ("group", "project", "path")}
    assert owner(service).post("/api/file-deleted", json=gone).json()["status"] == "ok"
    assert service.calls == ["push web shop a.py= a = 1\n False 60", "delete web shop a.py 60"]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/api/index", {**INDEX, "files": None}, 400),
        ("/api/index", {**INDEX, "group": ""}, 400),
        ("/api/index", {**INDEX, "files": [{"path": "a.py"}]}, 400),
        ("/api/index", {**INDEX, "files": [{**FILE, "mode": 1}]}, 400),
        ("/api/index", {**INDEX, "files": [FILE] * 10_001}, 400),
        ("/api/index", {**INDEX, "config": {"shell": "x"}}, 400),
        ("/api/file-changed", {**CHANGED, "content": 5}, 400),
        ("/api/file-changed", {**CHANGED, "project": "nobody"}, 404),
        ("/api/file-deleted", CHANGED, 400),
    ],
)
def test_a_wrong_request_is_refused(
    service: FakeService, path: str, body: dict[str, Any], status: int
) -> None:
    assert owner(service).post(path, json=body).status_code == status
    assert not service.calls


def test_over_tcp_only_who_has_the_token_may_push_and_only_to_allowed_projects(
    service: FakeService,
) -> None:
    open_to_all = TestClient(agents_app(service, ()))
    refused = open_to_all.post("/api/index", json=INDEX)
    assert refused.status_code == 403
    assert "--create-token" in refused.json()["error"]["message"]
    limited = TestClient(agents_app(service, (), ("den",), has_token=True))
    assert limited.post("/api/index", json=INDEX).status_code == 404
    assert not service.calls
    assert limited.post("/api/index", json={**INDEX, "project": "den"}).status_code == 200


def test_a_url_is_followed_and_fetched(service: FakeService) -> None:
    body = {"url": "acme/shop", "branch": "main", "depth": 3}
    entry = owner(service).post("/v1/projects", json=body).json()["project"]
    assert entry["url"] == "https://github.com/acme/shop"
    fetched = owner(service).post("/v1/fetch", json={"project": "shop"}).json()["fetched"]
    assert fetched[0]["project"] == "shop"
    assert service.calls == ["follow https://github.com/acme/shop None None", "fetch shop"]
    for wrong in ({}, {"url": "a/b", "path": "/a"}, {"path": "/a", "depth": 1}):
        assert owner(service).post("/v1/projects", json=wrong).status_code == 400
    secret = owner(service).post("/v1/projects", json={"url": "https://a:hunter2@h/x"})
    assert secret.status_code == 400
    assert "hunter2" not in secret.text

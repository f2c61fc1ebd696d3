"""What the command line does with repositories elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paparatsd.exits import NOT_TAKEN
from tests.harness.fake_control import daemon_status, project
from tests.unit.test_cli_commands import run, run_json

if TYPE_CHECKING:
    import pytest

    from tests.harness.fake_control import FakeControl

URL = "https://github.com/acme/shop"


def following(**changes: Any) -> dict[str, Any]:
    """Return a project that follows a URL, never fetched."""
    remote: dict[str, Any] = {
        "url": URL, "branch": "main", "ref": "", "state": "waiting", "fetched_at": None,
        "checked_at": None, "next_at": None, "problem": "",
    }  # fmt: skip
    return project("shop", remote={**remote, **changes}, root="/state/remotes/shop-1")


def entry(**changes: Any) -> dict[str, Any]:
    found = {"name": "shop", "path": "/state/remotes/shop-1", "group": "g", "hooks": False}
    return {"project": {**found, "exclude": [], "url": URL, "pushed": False, **changes}}


def test_add_sends_a_url_as_it_was_written(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("GET", "/v1/projects", {"projects": []})
    control.answer("POST", "/v1/projects", entry())
    code, out, _ = run(capsys, "add", "acme/shop", "--branch", "main", "--depth", "5", "-g", "g")
    assert code == 0
    assert out.startswith(f"added shop (group g): {URL};")
    (call,) = control.made("POST", "/v1/projects")
    said = {key: value for key, value in (call.body or {}).items() if value is not None}
    assert said == {"url": "acme/shop", "branch": "main", "depth": 5, "group": "g"}


def test_a_directory_that_is_there_is_no_url_and_a_bare_repository_is_one(
    control: FakeControl, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(control.directory)
    bare = control.directory / "acme" / "bare.git"
    for path in ("acme/shop", "acme/bare.git/objects", "acme/bare.git/refs"):
        (control.directory / path).mkdir(parents=True)
    (bare / "HEAD").touch()
    control.answer("GET", "/v1/projects", {"projects": []})
    control.answer("POST", "/v1/projects", entry())
    run(capsys, "add", "acme/shop")
    run(capsys, "add", "acme/bare.git")
    first, second = (call.body or {} for call in control.made("POST", "/v1/projects"))
    assert first["path"] == str(control.directory / "acme" / "shop")
    assert second["url"] == str(bare.resolve())
    run(capsys, "add", "acme/misspelled")
    third = control.made("POST", "/v1/projects")[2].body or {}
    assert third["path"] == str(control.directory / "acme" / "misspelled")
    code, _, err = run(capsys, "add", "acme/shop", "--depth", "3")
    assert code == 64
    assert "--depth is for repositories elsewhere" in err


def test_add_wait_fails_with_the_reason_when_nothing_can_be_cloned(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = {**following(), "state": "missing", "reason": f"{URL} cannot be fetched: gone"}
    control.answer("GET", "/v1/projects", {"projects": [gone]})
    control.answer("POST", "/v1/projects", entry())
    code, _, err = run(capsys, "add", "acme/shop", "--wait")
    assert code == 69
    assert "cannot be fetched: gone; shop is registered, it is tried again" in err


def test_list_and_status_say_what_is_followed_and_when(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("GET", "/v1/projects", {"projects": [following(), project("den", pushed=True)]})
    rows = run(capsys, "list")[1].splitlines()
    assert rows[1].endswith(URL)
    assert rows[2].endswith("(pushed)")
    control.answer("GET", "/v1/status", daemon_status(following()))
    assert (
        f"shop follows {URL} (main): not fetched yet, next when told to" in run(capsys, "status")[1]
    )
    times = {"state": "fetching", "fetched_at": 1_000.0, "checked_at": 1_000.0, "next_at": 2_000.0}
    control.answer("GET", "/v1/status", daemon_status(following(**times)))
    assert "(main): fetching now, fetched" in run(capsys, "status")[1]


def test_fetch_says_what_came_of_each_and_fails_if_one_did(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    fetched = [
        {"project": "shop", "moved": True, "commit": "1" * 40, "problem": ""},
        {"project": "den", "moved": False, "commit": "2" * 40, "problem": ""},
    ]
    control.answer("POST", "/v1/fetch", {"fetched": fetched})
    control.answer("POST", "/v1/flush", {"freshness": []})
    code, out, _ = run(capsys, "fetch", "--wait")
    assert code == 0
    assert out.splitlines() == [
        "shop has new commits, now at 1111111111",
        "den has nothing new, still at 2222222222",
    ]
    assert len(control.made("POST", "/v1/flush")) == 2
    assert run_json(capsys, "fetch", "shop") == {"fetched": fetched}
    fetched[1]["problem"] = "the host cannot be reached"
    control.answer("POST", "/v1/fetch", {"fetched": fetched})
    code, out, _ = run(capsys, "fetch")
    assert (code, "den was not fetched: the host cannot be reached" in out) == (NOT_TAKEN, True)
    control.answer("POST", "/v1/fetch", {"fetched": []})
    assert "no project follows" in run(capsys, "fetch")[1]

"""Every command against a fake control API, in this process."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paparatsd.exits import CODES, exit_code_of
from paparatsd.interfaces.cli.knowledge_parser import CARD_KINDS, SCOPES, SEVERITIES
from paparatsd.interfaces.cli.main import main
from paparatsd.interfaces.cli.parser import TOOLSETS
from paparatsd.interfaces.hints import CHUNK_KINDS
from paparatsd.interfaces.mcp.identity import IDENTITIES
from paparatsd.knowledge_model import (
    CardKind,
    CardScope,
    Severity,
)
from tests.harness.command_line import commands
from tests.harness.fake_control import (
    answer,
    daemon_status,
    freshness,
    hit,
    project,
)

if TYPE_CHECKING:
    from tests.harness.fake_control import FakeControl


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    """Run the command line and return its exit code and what it printed."""
    code = main(argv)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def run_json(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    code, out, err = run(capsys, *argv, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_status_shows_the_daemon_and_a_row_for_each_project(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    progress = {
        "files_done": 5,
        "files_total": 10,
        "chunks_done": 50,
        "files_rate": 12.4,
        "eta_s": 65.0,
    }
    busy = project("big", state="indexing", pending=5, progress=progress, branch=None)
    lost = project("lost", state="missing", reason="the directory is gone", watching="polling: nfs")
    control.answer(
        "GET", "/v1/status", daemon_status(project(), busy, lost, problems=["disk is nearly full"])
    )
    code, out, err = run(capsys, "status")
    assert (code, err) == (0, "")
    assert "pid 4194300, up 1 min 15 s, memory 120 MB (daemon 50 MB, store 70 MB)" in out
    assert "embedder static m (256), store edge" in out
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in out.splitlines() if line}
    assert rows["shop"] == "default ready main 12 345 2 0 - - -"
    assert rows["big"] == "default indexing 1111111111 12 345 2 5 12/s 1 min 05 s -"
    assert "! disk is nearly full" in out
    assert "! lost: the directory is gone" in out
    assert "! lost: changes are found by polling: nfs" in out


@pytest.mark.parametrize(
    ("projects", "whose"),
    [(["guide", "handbook"], "projects guide, handbook"), ([], "all projects")],
)
def test_status_says_what_the_knowledge_endpoint_shows(
    control: FakeControl, capsys: pytest.CaptureFixture[str], projects: list[str], whose: str
) -> None:
    shown = {"path": "/knowledge/mcp", "audience": ["partner", "public"], "projects": projects}
    control.answer("GET", "/v1/status", daemon_status(project(), knowledge=shown))
    said = f"knowledge endpoint /knowledge/mcp: audience partner, public, {whose}"
    assert said in run(capsys, "status")[1].splitlines()
    control.answer("GET", "/v1/status", daemon_status(project(), knowledge=None))
    assert "knowledge" not in run(capsys, "status")[1]


def test_status_json_is_the_answer_of_the_daemon(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("GET", "/v1/status", daemon_status(project()))
    assert run_json(capsys, "status") == daemon_status(project())


def test_status_says_each_problem_once(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = project("lost", state="missing", reason="the directory is gone", watching="polling: nfs")
    problems = ["disk is full", "lost: the directory is gone", "lost: polling: nfs", "disk is full"]
    control.answer("GET", "/v1/status", daemon_status(lost, problems=problems))
    out = run(capsys, "status")[1]
    assert [line for line in out.splitlines() if line.startswith("!")] == [
        "! disk is full",
        "! lost: the directory is gone",
        "! lost: changes are found by polling: nfs",
    ]


def test_status_without_projects_says_how_to_add_one(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("GET", "/v1/status", daemon_status())
    assert "paparats add PATH" in run(capsys, "status")[1]


def test_add_sends_an_absolute_path_and_prints_one_line(
    control: FakeControl, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(control.directory)
    control.answer("GET", "/v1/projects", {"projects": []})
    entry = {"name": "x", "path": "/src/x", "group": "g", "hooks": False, "exclude": []}
    control.answer("POST", "/v1/projects", {"project": entry})
    code, out, _ = run(capsys, "add", "sub/../repo", "--name", "x", "-g", "g", "--no-hooks")
    assert code == 0
    assert len(out.splitlines()) == 1
    assert "added x (group g): /src/x" in out
    (call,) = control.made("POST", "/v1/projects")
    path = str(control.directory / "repo")
    assert call.body == {"path": path, "name": "x", "group": "g", "hooks": False}


def test_add_json_is_the_entry(control: FakeControl, capsys: pytest.CaptureFixture[str]) -> None:
    entry = {"name": "x", "path": "/src/x", "group": "g", "hooks": True, "exclude": []}
    control.answer("POST", "/v1/projects", {"project": entry})
    control.answer("GET", "/v1/projects", {"projects": []}, {"projects": [project("x")]})
    assert run_json(capsys, "add", "/src/x") == {"project": entry, "added": True}
    assert run_json(capsys, "add", "/src/x") == {"project": entry, "added": False}


def test_add_says_that_a_directory_is_registered_already_and_as_what(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    # The daemon follows links: the path it answers with is not the one that was given.
    entry = {"name": "shop", "path": "/src/shop", "group": "g", "hooks": True, "exclude": []}
    control.answer("POST", "/v1/projects", {"project": entry})
    control.answer("GET", "/v1/projects", {"projects": [project("other"), project("shop")]})
    said = "/src/shop is registered already as shop (group g)\n"
    assert run(capsys, "add", "/link/to/shop") == (0, said, "")
    out = run(capsys, "add", "/link/to/shop", "--wait")[1]
    assert out.startswith(said)
    assert "shop (group default) is ready: 12 files" in out


def test_add_wait_returns_when_the_project_is_ready(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = {"name": "shop", "path": "/src/shop", "group": "g", "hooks": True, "exclude": []}
    control.answer("POST", "/v1/projects", {"project": entry})
    control.answer(
        "GET",
        "/v1/projects",
        {"projects": []},
        {"projects": [project(state="indexing")]},
        {"projects": [project(state="ready", files=1)]},
    )
    code, out, _ = run(capsys, "add", "/src/shop", "--wait")
    assert code == 0
    assert "shop (group default) is ready: 1 file, 345 chunks, 2 skipped" in out
    assert len(control.made("GET", "/v1/projects")) == 3


def test_add_wait_fails_when_the_project_cannot_be_indexed(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = {"name": "shop", "path": "/src/shop", "group": "g", "hooks": True, "exclude": []}
    control.answer("POST", "/v1/projects", {"project": entry})
    broken = project(state="error", reason="cannot be read")
    control.answer("GET", "/v1/projects", {"projects": [broken]})
    code, _, err = run(capsys, "add", "/src/shop", "--wait")
    assert code == 70
    assert "cannot be read" in err


def test_remove_without_a_terminal_does_not_ask(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("DELETE", "/v1/projects/a.b", {"removed": "a.b"})
    assert run(capsys, "remove", "a.b") == (0, "removed a.b\n", "")
    assert run_json(capsys, "remove", "a.b", "--yes") == {"removed": "a.b"}


def test_list_has_a_row_or_a_name_for_each_project(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("GET", "/v1/projects", {"projects": [project("a"), project("b")]})
    assert run(capsys, "list", "--names") == (0, "a\nb\n", "")
    rows = run(capsys, "list", "-g", "default")[1].splitlines()
    assert rows[0].split() == ["PROJECT", "GROUP", "STATE", "FILES", "PATH", "OR", "URL"]
    assert rows[2].split() == ["b", "default", "ready", "12", "/src/b"]
    assert control.calls[-1].parameters == {"group": "default"}
    assert run_json(capsys, "list") == {"projects": [project("a"), project("b")]}


def test_list_names_groups_and_languages_once_for_completions(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    web = project("a", group="web", languages={"go": 1, "css": 2})
    projects = [web, project("b"), project("c", group="web")]
    control.answer("GET", "/v1/projects", {"projects": projects})
    assert run(capsys, "list", "--groups")[1] == "default\nweb\n"
    assert run(capsys, "list", "--languages")[1] == "css\ngo\npython\n"
    assert run(capsys, "list", "--roots")[1] == "a\t/src/a\nb\t/src/b\nc\t/src/c\n"


@pytest.mark.parametrize(
    ("argv", "body", "said"),
    [
        (["reindex"], {"project": None, "depth": "changed"}, "reindexing shop\n"),
        (
            ["reindex", "shop", "--force"],
            {"project": "shop", "depth": "full"},
            "reindexing shop from scratch\n",
        ),
    ],
)
def test_reindex_asks_for_the_right_depth(
    control: FakeControl,
    capsys: pytest.CaptureFixture[str],
    argv: list[str],
    body: dict[str, Any],
    said: str,
) -> None:
    control.answer("POST", "/v1/reindex", {"projects": ["shop"], "depth": body["depth"]})
    assert run(capsys, *argv) == (0, said, "")
    assert control.calls[-1].body == body


def test_reindex_wait_waits_for_the_disk(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("POST", "/v1/reindex", {"projects": ["shop"], "depth": "changed"})
    control.answer("POST", "/v1/flush", {"freshness": [freshness()]})
    assert run_json(capsys, "reindex", "shop", "--wait")["freshness"] == [freshness()]
    assert control.calls[-1].body == {"project": "shop"}


def test_skipped_lists_each_file_and_counts_by_reason(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [
        {"path": "a\nb.png", "reason": "binary", "detail": ""},
        {"path": "c.png", "reason": "binary", "detail": ""},
        {"path": ".env", "reason": "secret", "detail": "name"},
    ]
    control.answer("GET", "/v1/skipped", {"projects": {"shop": files, "empty": []}})
    _, out, _ = run(capsys, "skipped")
    assert "shop     binary  a\\x0ab.png" in out
    assert "shop: 3 skipped (2 binary, 1 secret)\nempty: 0 skipped\n" in out
    assert run_json(capsys, "skipped", "shop")["projects"]["shop"] == files
    assert control.calls[-1].parameters == {"project": "shop"}


def test_search_passes_every_filter_on(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("POST", "/v1/search", answer())
    control.answer("GET", "/v1/projects", {"projects": [project("a", group="g")]})
    argv = "search -p a -p b -g g -n 7 --path src/** --lang py --kind class --fresh --timeout 2 q"
    said = "project a or b, group g, path src/**, language py, kind class; leave one out"
    code, out, err = run(capsys, *argv.split())
    assert (code, " ".join(out.split()), err) == (
        0, f"no results for 'q' pass the filters: {said}", ""
    )  # fmt: skip
    assert control.made("POST", "/v1/search")[0].body == {
        "query": "q",
        "limit": 7,
        "projects": ["a", "b"],
        "groups": ["g"],
        "paths": ["src/**"],
        "languages": ["py"],
        "kinds": ["class"],
        "fresh": True,
        "deadline_s": 2.0,
    }


@pytest.mark.parametrize(
    ("lang", "indexed", "note"),
    [
        ("pyton", {"python": 3, "go": 1}, "no indexed file is in 'pyton'; languages: go, python"),
        ("pyton", {}, "no indexed file is in 'pyton'; languages: none yet"),
        ("Python", {"python": 3}, ""),
        ("js", {"javascript": 3}, ""),
    ],
)
def test_a_language_that_no_file_is_in_is_pointed_out_when_nothing_is_found(
    control: FakeControl,
    capsys: pytest.CaptureFixture[str],
    lang: str,
    indexed: dict[str, int],
    note: str,
) -> None:
    control.answer("POST", "/v1/search", answer())
    other = project("other", languages={"perl": 1})
    found = [project("shop", languages=indexed), other]
    control.answer("GET", "/v1/projects", {"projects": found})
    out = run(capsys, "search", "x", "--lang", lang, "-p", "shop")[1]
    said = f"no results for 'x' pass the filters: project shop, language {lang}; leave one out\n"
    assert out == said + (f"note: {note}\n" if note else "")
    notes = run_json(capsys, "search", "x", "--lang", lang, "-p", "shop")["notes"]
    assert notes == ([note] if note else [])


def test_an_unknown_kind_is_refused_with_the_known_ones(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(capsys, "search", "x", "--kind", "funktion")
    assert code == 64
    assert "no chunk is of the kind 'funktion'; kinds: block, cell, class," in err
    control.answer("POST", "/v1/search", answer())
    run(capsys, "search", "x", "--kind", "Class", "--kind", "function")
    assert control.calls[-1].body["kinds"] == ["class", "function"]


@pytest.mark.parametrize(
    "argv", [("session", "expired", "-n", "2"), ("-n", "2", "session", "expired")]
)
def test_the_words_of_a_query_need_no_quotes(
    control: FakeControl, capsys: pytest.CaptureFixture[str], argv: tuple[str, ...]
) -> None:
    control.answer("POST", "/v1/search", answer())
    assert run(capsys, "search", *argv)[0] == 0
    assert (control.calls[-1].body["query"], control.calls[-1].body["limit"]) == (
        "session expired",
        2,
    )


@pytest.mark.parametrize(
    "address",
    [
        "flask:docs/server.rst#Development Server > Command Line",
        "shop:a b's.py#x",
        "shop:$(reboot).py#`x`;y&",
        "shop:ü*.py#x",
        "shop:src/cart.py#Cart.total",
    ],
)
def test_a_printed_address_can_be_pasted_into_a_shell(
    control: FakeControl, capsys: pytest.CaptureFixture[str], address: str
) -> None:
    control.answer("POST", "/v1/search", answer(hit(address=address)))
    printed = run(capsys, "search", "x")[1].splitlines()[1].strip()
    done = subprocess.run(
        ["sh", "-c", f"printf %s {printed}"], capture_output=True, text=True, check=True
    )
    assert done.stdout == address
    if address == "shop:src/cart.py#Cart.total":
        assert printed == address


def test_line_ends_of_other_systems_are_not_shown(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("POST", "/v1/search", answer(hit(text="a\r\nb\rc\r\nd\r")))
    out = run(capsys, "search", "x")[1]
    assert out.splitlines()[2:5] == [" 9 | a", "10 | b\\x0dc", "11 | d"]


def test_search_prints_a_block_for_each_hit_with_line_numbers(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    twin = hit(symbol=None, kind="window", start_line=100, text="x\n", also_in=["clone"])
    control.answer("POST", "/v1/search", answer(hit(), twin))
    assert run(capsys, "search", "total")[1] == (
        "shop src/cart.py:9-11  [high 0.81; method]\n"
        "  shop:src/cart.py#Cart.total\n"
        " 9 | def total(self):\n"
        "10 |     # sum\n"
        "11 |     return sum(self.prices)\n"
        "\n"
        "shop src/cart.py:100-11  [high 0.81; window; also in clone]\n"
        "  shop:src/cart.py#Cart.total\n"
        "100 | x\n"
        "\n"
        "2 results, about 1,234 tokens\n"
    )


def test_search_says_what_is_stale_and_what_to_know(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    behind = freshness("stale", reason="12 files changed", pending=12)
    control.answer(
        "POST",
        "/v1/search",
        answer(hit(), freshness=[behind], notes=["the index is partial"]),
    )
    out = run(capsys, "search", "total")[1].splitlines()
    assert out[-3:] == [
        "note: the index is partial",
        "stale: shop: 12 files changed; 12 files pending",
        "1 result, about 1,234 tokens",
    ]


def test_one_file_is_one_file(control: FakeControl, capsys: pytest.CaptureFixture[str]) -> None:
    behind = freshness("stale", reason="moved", pending=1)
    control.answer("POST", "/v1/search", answer(hit(), freshness=[behind]))
    assert "\nstale: shop: moved; 1 file pending\n" in run(capsys, "search", "x")[1]


def test_control_characters_of_a_repository_never_reach_the_output(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = hit(
        path="a\x1b[2J\n.py", text="x\x1b]0;title\x07\r\ny\u202e\u061c\u200f\x9b", symbol="\x08s"
    )
    control.answer("POST", "/v1/search", answer(evil))
    out = run(capsys, "search", "x")[1]
    assert not [char for char in out if not char.isprintable() and char != "\n"]
    assert "a\\x1b[2J\\x0a.py" in out


def test_search_json_is_the_answer_of_the_daemon(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("POST", "/v1/search", answer(hit()))
    assert run_json(capsys, "search", "total") == answer(hit())


def test_search_sends_wishes_only_when_they_are_given(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("POST", "/v1/search", answer())
    run(capsys, "search", "x")
    argv = "search x --explain --related --max-tokens 900 --offset 5"
    run(capsys, *argv.split())
    plain, wishes = (call.body for call in control.made("POST", "/v1/search"))
    extra = {"explain": True, "related": True, "max_tokens": 900, "offset": 5}
    assert wishes == {**plain, **extra}


def test_search_names_neighbours_below_the_address(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    caller = {
        "relation": "called_by", "certainty": "exact", "address": "shop:src/pay.py#pay",
        "symbol": "pay", "kind": "function", "path": "src/pay.py", "line": 7,
    }  # fmt: skip
    test = {**caller, "relation": "tested_by", "certainty": "inferred", "address": "shop:t.py:1"}
    control.answer("POST", "/v1/search", answer(hit(related=[caller, test])))
    assert run(capsys, "search", "x", "--related")[1].splitlines()[2:4] == [
        "  called by    shop:src/pay.py#pay  line 7",
        "  tested by?   shop:t.py:1",
    ]


def test_search_explains_where_a_score_comes_from(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    explanation = {
        "score": 1.5,
        "features": [
            {"name": "def_exact", "share": 2.0, "value": 1.0, "weight": 2.0},
            {"name": "p_test", "share": -0.5, "value": None, "weight": None},
        ],
        "confidence": {"label": "high", "score": 0.9, "grounds": {}},
    }
    control.answer("POST", "/v1/search", answer(hit(explanation=explanation)))
    out = run(capsys, "search", "x", "--explain")[1].splitlines()
    assert "     +2.000   1.000  +2.000  def_exact: defines a name of the question" in out[3]
    assert out[4].split()[:2] == ["-0.500", "p_test:"]
    assert out[5].split() == ["=", "1.500", "sum"]
    assert out[6] == "  confidence: high, 0.90"


def test_search_says_how_to_go_on_after_a_budget(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("POST", "/v1/search", answer(hit(), next_offset=1))
    out = run(capsys, "search", "x", "--max-tokens", "100")[1]
    assert out.splitlines()[-1] == "1 result, about 1,234 tokens; more with --offset 1"


def test_search_says_where_a_long_symbol_ends(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("POST", "/v1/search", answer(hit(symbol_end=80)))
    assert "[high 0.81; method; goes on to line 80]" in run(capsys, "search", "x")[1]


def test_search_names_the_symbol_where_the_address_does_not(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("POST", "/v1/search", answer(hit(address="shop:src/cart.py:9-11")))
    assert "[high 0.81; method Cart.total]" in run(capsys, "search", "x")[1]


def test_show_prints_neighbours_once_and_in_line_order(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    above = hit(start_line=1, end_line=3, text="a\nb\nc")
    below = hit(start_line=11, end_line=12, text="    return sum(self.prices)\nlast")
    control.answer(
        "GET",
        "/v1/show",
        {"target": hit(), "neighbours": [below, above], "freshness": freshness()},
    )
    out = run(capsys, "show", "shop:src/cart.py#Cart.total", "--radius", "5")[1]
    assert control.calls[-1].parameters == {
        "address": "shop:src/cart.py#Cart.total",
        "radius": "5",
    }
    code = [line for line in out.splitlines() if "|" in line or line == "..."]
    assert [line.split("|")[0].strip() for line in code] == [
        "1", "2", "3", "...", "9", "10", "11", "12",
    ]  # fmt: skip


@pytest.mark.parametrize("verb", ["install", "uninstall", "status"])
def test_hooks_say_where_and_what(
    control: FakeControl, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    report = {
        "directory": "/src/shop/.git/hooks",
        "state": "installed",
        "hooks": {"post-commit": "installed"},
        "beside": {"post-commit": ["your own, kept as post-commit.yours"]},
        "fired": {"post-commit": 1_700_000_000.0},
        "advice": "",
    }
    control.answer("POST", f"/v1/hooks/{verb}", report)
    out = run(capsys, "hooks", verb, "/src/shop")[1]
    assert "hooks installed in /src/shop/.git/hooks" in out
    assert "post-commit  installed" in out
    assert "2023-11-14" in out
    assert "your own, kept as post-commit.yours" in out
    assert control.calls[-1].body == {"path": "/src/shop"}
    control.answer("GET", "/v1/projects", {"projects": [project("a-project")]})
    assert run_json(capsys, "hooks", verb, "a-project") == report
    assert control.calls[-1].body == {"path": "a-project"}
    run(capsys, "hooks", verb, "./nosuchdir")
    assert control.calls[-1].body == {"path": str(Path.cwd() / "nosuchdir")}
    calls = len(control.made("POST", f"/v1/hooks/{verb}"))
    code, _, err = run(capsys, "hooks", verb, "nosuchdir")
    assert code == 64
    assert f"{Path.cwd()}/nosuchdir is no directory, and no project has the name" in err
    assert len(control.made("POST", f"/v1/hooks/{verb}")) == calls
    run(capsys, "hooks", verb)
    assert control.calls[-1].body == {"path": str(Path.cwd())}


def test_the_service_is_installed_and_removed_where_systemd_looks(
    control: FakeControl, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without systemctl the units are written all the same, and the advice says what to run.
    program = control.directory / "paparatsd"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(control.directory))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(control.directory / "xdg"))
    monkeypatch.setattr(sys, "executable", str(control.directory / "python"))
    unit = control.directory / "xdg" / "systemd" / "user" / "paparatsd.service"
    assert run_json(capsys, "service", "status")["state"] == "absent"
    code, out, _ = run(capsys, "service", "install")
    assert code == 0
    assert "service installed in" in out
    assert "systemctl --user" in out
    assert "systemd does not answer here; the units are written" in out
    assert "a daemon runs already" in out
    assert f"ExecStart={program}\n" in unit.read_text()
    assert run_json(capsys, "service", "uninstall")["state"] == "absent"
    assert not (control.directory / "xdg" / "systemd").exists()


def test_the_service_needs_an_installed_daemon(
    control: FakeControl, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(control.directory))
    monkeypatch.setattr(sys, "executable", str(control.directory / "python"))
    code, _, err = run(capsys, "service", "install")
    assert code == 78
    assert "paparatsd is not installed" in err


def test_up_is_idempotent_and_says_where(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("GET", "/v1/status", daemon_status())
    out = run(capsys, "up")[1]
    assert "is running already, pid 4194300" in out
    assert "http http://127.0.0.1:9876" in out
    assert run_json(capsys, "up")["started"] is False


def test_down_asks_the_daemon_and_waits_for_its_end(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("GET", "/v1/status", daemon_status())
    control.answer("POST", "/v1/stop", {"stopping": True})
    assert run(capsys, "down") == (0, "stopped\n", "")
    assert len(control.made("POST", "/v1/stop")) == 1


@pytest.mark.parametrize(
    ("code", "status", "exit_code"),
    [
        ("unknown_project", 404, 64),
        ("conflict", 409, 64),
        ("bad_query", 400, 64),
        ("refused", 403, 77),
        ("busy", 503, 75),
        ("unavailable", 503, 69),
        ("bad_reply", 502, 76),
        ("broken", 500, 70),
        ("schema_too_new", 500, 78),
        ("bad_settings", 400, 78),
        ("internal", 500, 70),
    ],
)
def test_a_refusal_is_one_sentence_and_the_exit_code_of_its_class(
    control: FakeControl,
    capsys: pytest.CaptureFixture[str],
    code: str,
    status: int,
    exit_code: int,
) -> None:
    control.refuse("GET", "/v1/projects", status, code, "because of this")
    assert run(capsys, "list") == (exit_code, "", "paparats: because of this\n")
    got, out, err = run(capsys, "list", "--json")
    assert (got, err) == (exit_code, "paparats: because of this\n")
    assert json.loads(out)["error"]["message"] == "because of this"


def test_every_error_class_has_an_exit_code() -> None:
    for error_class, code in CODES.items():
        assert exit_code_of(error_class("x")) == code


@pytest.mark.parametrize(
    "argv",
    [
        ["status"],
        ["list"],
        ["search", "x"],
        ["show", "a:b#c"],
        ["log", "a:b#c"],
        ["changes"],
        ["explain", "x"],
        ["docs", "x"],
        ["doc", "a:b.md"],
        ["term", "list"],
        ["arch", "check"],
        ["arch", "export", "notes"],
        ["remove", "x"],
        ["reindex"],
        ["skipped"],
        ["hooks", "status"],
        ["hooks", "install", "."],
        ["hooks", "uninstall", "a-project"],
    ],
)
def test_without_a_daemon_every_command_says_how_to_start_it(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    argv: list[str],
) -> None:
    monkeypatch.setenv("PAPARATS_STATE_DIR", str(tmp_path / "state"))
    code, out, err = run(capsys, *argv)
    assert (code, out) == (69, "")
    assert err == "paparats: the daemon is not running; start it with `paparats up`\n"
    assert list(tmp_path.iterdir()) == []


def test_down_without_a_daemon_is_fine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PAPARATS_STATE_DIR", str(tmp_path / "state"))
    assert run(capsys, "down") == (0, "the daemon is not running\n", "")
    assert run_json(capsys, "down") == {"stopped": False}


def test_up_with_an_unusable_state_directory_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PAPARATS_STATE_DIR", str(tmp_path / "file"))
    code, _, err = run(capsys, "up")
    assert code == 78
    assert "not a directory" in err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_daemon_of_another_version_is_pointed_out(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.version = "0.0.1"
    control.answer("GET", "/v1/projects", {"projects": []})
    code, _, err = run(capsys, "list")
    assert code == 0
    assert "version 0.0.1" in err


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["nonsense"],
        ["search"],
        ["search", "-n", "0", "x"],
        ["search", "-n", "101", "x"],
        ["search", "-n", "1e1", "x"],
        ["search", "--timeout", "nan", "x"],
        ["show", "a", "--radius", "-1"],
        ["search", "x", "--since", " "],
        ["log"],
        ["log", "a:b#c", "-n", "201"],
        ["changes", "-n", "0"],
        ["explain"],
        ["explain", "x", "--commits", "51"],
        ["add"],
        ["add", ""],
        ["add", ".", "--name", ""],
        ["remove", " "],
        ["hooks", "status", ""],
        ["search", "x", "-p", ""],
        ["search", "x", "--lang", ""],
        ["list", "--names", "--groups"],
        ["--state-dir", "", "list"],
        ["add", ".", "--wait", "--no-wait"],
        ["hooks", "paint"],
        ["mcp", "--toolset", "x"],
    ],
)
def test_a_wrong_command_line_is_one_line_and_exits_with_64(
    capsys: pytest.CaptureFixture[str], argv: list[str]
) -> None:
    code, out, err = run(capsys, *argv)
    assert (code, out) == (64, "")
    assert err.startswith("paparats")
    assert len(err.splitlines()) == 1
    assert "Traceback" not in err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_know_every_command(capsys: pytest.CaptureFixture[str], shell: str) -> None:
    code, script, _ = run(capsys, "completions", shell)
    assert code == 0
    for command, parser in commands().items():
        for word in command.split():
            assert re.search(rf"\b{word}\b", script), f"{shell} does not complete {command}"
        for option in parser._option_string_actions:
            written = option.replace("--", "-l ") if shell == "fish" else option
            known = not option.startswith("--") or written in script
            assert known, f"{shell} does not complete {command} {option}"
    words = [*CHUNK_KINDS, *CardKind, *CardScope, *Severity]
    for word in words:
        assert re.search(rf"\b{word}\b", script), f"{shell} does not complete {word}"
    assert " ".join(TOOLSETS) in script
    assert "knowledge" not in script
    assert run_json(capsys, "completions", shell)["script"] == script


def test_the_words_of_cards_on_offer_are_those_that_exist() -> None:
    assert tuple(CardKind) == CARD_KINDS
    assert tuple(CardScope) == SCOPES
    assert tuple(Severity) == SEVERITIES


def test_the_version_and_the_help_exit_with_zero(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--version")
    assert code == 0
    assert out.startswith("paparats ")
    assert run(capsys, "search", "--help")[0] == 0


def test_relative_directories_of_the_command_line_are_understood(
    control: FakeControl, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    control.answer("GET", "/v1/projects", {"projects": []})
    for name in control.environment:
        monkeypatch.delenv(name)
    monkeypatch.chdir(control.directory)
    assert run(capsys, "--runtime-dir", "run", "list", "--names") == (0, "", "")


def hooks_report(advice: str, word: str = "absent") -> dict[str, Any]:
    return {
        "directory": "/src/shop/.git/hooks",
        "state": "absent",
        "hooks": {"post-commit": word},
        "beside": {},
        "fired": {},
        "advice": advice,
    }


@pytest.mark.parametrize(
    ("advice", "lines"),
    [
        ("Removed.", ["removed the hooks from /src/shop/.git/hooks"]),
        (
            "Removed; yours are back as they were. Mind this.",
            ["removed the hooks from /src/shop/.git/hooks; yours are back as they were",
             "Mind this."],
        ),
        ("", ["there were no hooks of ours in /src/shop/.git/hooks; nothing was changed"]),
    ],
)  # fmt: skip
def test_hooks_uninstall_says_first_what_was_done(
    control: FakeControl, capsys: pytest.CaptureFixture[str], advice: str, lines: list[str]
) -> None:
    control.answer("POST", "/v1/hooks/uninstall", hooks_report(advice))
    assert run(capsys, "hooks", "uninstall", "/src/shop")[1].splitlines() == lines


def test_hooks_uninstall_still_lists_hooks_that_had_to_stay(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer(
        "POST", "/v1/hooks/uninstall", hooks_report("Edited. Look.", "installed, edited")
    )
    assert "post-commit  installed, edited" in run(capsys, "hooks", "uninstall", "/src/shop")[1]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["search", "x", "-n", "0"], "'0' is not a whole number from 1 to 100"),
        (
            ["mcp", "--toolset", "knowledge"],
            "there is no toolset 'knowledge'; toolsets: coding, su",
        ),
        (["hooks", "look"], "invalid choice: 'look'"),
        (["nosuch"], "invalid choice: 'nosuch'"),
    ],
)
def test_a_wrong_option_is_told_in_one_line_with_where_to_look(
    capsys: pytest.CaptureFixture[str], argv: list[str], said: str
) -> None:
    code, out, err = run(capsys, *argv)
    assert (code, out) == (64, "")
    assert len(err.splitlines()) == 1
    assert said in err
    assert err.rstrip().endswith("--help")


def test_the_toolsets_on_offer_are_those_that_exist() -> None:
    assert tuple(IDENTITIES) == TOOLSETS


LONG = "\n".join(f"line {number}" for number in range(40))


def test_hits_that_are_hardly_meant_are_short_and_come_after_the_notes(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    low = hit(confidence="low", text=LONG)
    control.answer("POST", "/v1/search", answer(low, notes=["no word of it is known"]))
    lines = run(capsys, "search", "x")[1].splitlines()
    assert lines[0] == "note: no word of it is known"
    assert lines[3:7] == [
        " 9 | line 0",
        "10 | line 1",
        "11 | line 2",
        "  and 37 more lines (--full)",
    ]
    assert "48 | line 39" in run(capsys, "search", "x", "--full")[1]
    assert run_json(capsys, "search", "x")["results"][0]["text"] == LONG


def test_hits_that_may_be_meant_are_whole_and_come_before_the_notes(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    hits = [hit(text=LONG), hit(confidence="low", text=LONG)]
    control.answer("POST", "/v1/search", answer(*hits, notes=["n"]))
    out = run(capsys, "search", "x")[1]
    assert out.count("line 39") == 1
    assert out.index("note: n") > out.index("line 39")


def test_a_blank_line_between_chunks_is_shown_as_one(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    above = hit(text="a", start_line=7, end_line=7)
    shown = {"target": hit(), "neighbours": [above], "freshness": freshness()}
    control.answer("GET", "/v1/show", shown)
    lines = run(capsys, "show", "shop:a.py:9", "--radius", "5")[1].splitlines()
    assert lines[2:5] == ["7 | a", " 8 |", " 9 | def total(self):"]

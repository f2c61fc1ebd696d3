"""What the command line shows of history, with the shapes that the control API has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from paparatsd.commits import Person, Role
from paparatsd.history_model import (
    ChunkCommit,
    ChunkLog,
    CommitNote,
    CommitsAnswer,
    Explanation,
    LastChange,
    TicketNote,
    TimelineEntry,
)
from paparatsd.interfaces import shapes
from paparatsd.interfaces.cli.history import commit_rows
from paparatsd.interfaces.cli.output import Output
from paparatsd.interfaces.history_shapes import last_change_json
from tests.harness.fake_control import answer, daemon_status, hit, project
from tests.harness.fake_history import COMMITS, FIX, LIMIT, MERGE, OWNERS, found_of, log_of
from tests.harness.fake_service import CALLER, FRESH, hit_of
from tests.unit.test_cli_commands import run, run_json

if TYPE_CHECKING:
    from tests.harness.fake_control import FakeControl

ADDRESS = "marmots:src/burrow3.py#Burrow.dig"
EVIL = replace(
    FIX, subject="a\x1b[2J\nb\u202e", author=Person("Eve\x1b]0;t\x07\nAdmin", "e"), tickets=()
)


def log_shape(**changes: Any) -> dict[str, Any]:
    log: ChunkLog = replace(log_of(hit_of(3), 10, FRESH), **changes)
    return shapes.log_json(log)


def commits_shape(*commits: CommitNote, **changes: Any) -> dict[str, Any]:
    found = tuple(found_of(one, 0.5, hit_of(3)) for one in commits)
    whole = CommitsAnswer("q", found, len(found), (FRESH,))
    return shapes.commits_json(replace(whole, **changes))


def explain_shape(commits: tuple[CommitNote, ...] = COMMITS) -> dict[str, Any]:
    last = LastChange(commits[0], 4, 1)
    hits = (replace(hit_of(0), related=(CALLER,), last_change=last), hit_of(1))
    timeline = tuple(TimelineEntry(one, (0, 1)) for one in commits)
    return shapes.explanation_json(Explanation("q", hits, timeline, (FRESH,), owners=OWNERS))


def test_a_log_is_aligned_newest_first_with_whom_to_ask_and_its_limits(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("POST", "/v1/log", log_shape())
    scanning = {"state": "scanning", "commits": 8, "pending": 1_204, "reason": ""}
    control.answer("GET", "/v1/projects", {"projects": [project("marmots", history=scanning)]})
    assert run(capsys, "log", ADDRESS, "-n", "7") == (
        0,
        "marmots src/burrow3.py:31-39  [method Burrow.dig; branch main]\n"
        "  marmots:src/burrow3.py#Burrow.dig\n"
        "2026-03-28  4444444444  Bert Berg  3 lines    ALP-7: stop at bedrock "
        "(written 2026-03-20)\n"
        "2026-03-02  3333333333  Ann Alm    merge      Merge branch 'depth'\n"
        "2026-03-01  2222222222  Caro Col   -          Limit the depth [#12] (with Ann Alm)\n"
        "2025-12-20  1111111111  Ann Alm    5 lines +  Dig burrows\n"
        "tickets:\n"
        "  ALP-7  https://jira.example/ALP-7\n"
        "  #12    https://alps.example/12\n"
        "who to ask:\n"
        "  Ann Alm <ann@alps.example>: 5 lines, 2 commits, last 2026-03-02\n"
        "  Bert Berg <bert@alps.example>: 3 lines, 1 commit, last 2026-03-28\n"
        "1 line not committed yet\n"
        "history ends here: shallow clone or missing objects; older commits exist\n"
        "history is still being read: 1,204 commits to go\n",
        "",
    )
    (call,) = control.made("POST", "/v1/log")
    assert call.body == {"address": ADDRESS, "limit": 7}


def test_a_whole_log_claims_no_limits_and_says_what_was_left_out(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = log_shape(complete=True, pending=False, uncommitted=0, total=30, tickets=())
    control.answer("POST", "/v1/log", whole)
    out = run(capsys, "log", ADDRESS)[1]
    for absent in ("ends here", "being read", "not committed", "tickets:"):
        assert absent not in out
    assert "26 more commits; show them with -n 30" in out
    assert "began with" not in out
    assert control.made("GET", "/v1/projects") == []


def test_a_log_that_is_cut_names_the_commit_with_which_the_place_began(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    some = log_shape(commits=log_of(hit_of(3), 2, FRESH).commits, pending=False)
    control.answer("POST", "/v1/log", some)
    out = run(capsys, "log", ADDRESS)[1]
    assert "began with marmots 2025-12-20 1111111111 Ann Alm: Dig burrows\n" in out


def test_a_log_without_commits_says_so(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = log_shape(commits=(), total=0, owners=(), tickets=(), pending=False)
    control.answer("POST", "/v1/log", empty)
    assert "no commit of it is known\n" in run(capsys, "log", ADDRESS)[1]


def test_a_merge_that_changed_lines_is_told_from_one_that_carried_them(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    commits = (ChunkCommit(MERGE, Role.RESOLUTION, 2), ChunkCommit(LIMIT, Role.AUTHOR, 1))
    control.answer("POST", "/v1/log", log_shape(commits=commits, pending=False))
    rows = run(capsys, "log", ADDRESS)[1].splitlines()[2:4]
    assert "  merge, 2 lines  Merge" in rows[0]
    assert "  1 line          Limit" in rows[1]


@pytest.mark.parametrize("width", [80, 120])
def test_a_terminal_cuts_subjects_and_never_tickets(width: int) -> None:
    long = replace(LIMIT, subject="word " * 60, author=Person("A name longer than most " * 3, ""))
    wide = replace(LIMIT, subject="缓存在哪里失效" * 30)
    commits = (*COMMITS, long, wide)
    entries = shapes.log_json(log_of(hit_of(3), 10, FRESH, commits))["commits"]
    from rich.cells import cell_len

    rows = commit_rows(entries, Output(terminal=True, width=width))
    assert max(map(cell_len, rows)) <= width
    assert rows[4].endswith("… [#12]")
    assert rows[5].endswith("… [#12]")
    begins = zip(rows[:4], ("ALP-7:", "Merge", "Limit", "Dig"), strict=True)
    assert len({row.index(word) for row, word in begins}) == 1
    whole = commit_rows(entries, Output(terminal=False))
    assert long.subject.strip() in whole[4]


def test_changes_pass_every_filter_on(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("POST", "/v1/commits", commits_shape())
    argv = "-p a -p b -g g --path src/** -n 150 --merges --author ann --since 2026-01-01 --until"
    code, out, _ = run(capsys, "changes", *argv.split(), "7 days ago", "--ticket", "#12", "a", "b")
    assert code == 0
    assert out == (
        "no commits for 'a b' pass the filters: project a or b, group g, "
        "path src/**, author ann, since 2026-01-01, until 7 days ago, ticket #12; leave one out\n"
    )
    assert control.calls[-1].body == {
        "query": "a b",
        "projects": ["a", "b"],
        "groups": ["g"],
        "paths": ["src/**"],
        "limit": 150,
        "merges": True,
        "author": "ann",
        "since": "2026-01-01",
        "until": "7 days ago",
        "ticket": "#12",
    }
    run(capsys, "changes")
    assert control.calls[-1].body == {
        "query": "", "projects": [], "groups": [], "paths": [], "limit": 10, "merges": False,
    }  # fmt: skip


def test_changes_show_files_and_what_is_left_of_them(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = ("history of yaks is still being read",)
    control.answer("POST", "/v1/commits", commits_shape(LIMIT, MERGE, total=5, notes=notes))
    assert run(capsys, "changes", "bedrock")[1] == (
        "marmots 2026-03-01 2222222222 Caro Col: Limit the depth [#12] (with Ann Alm)\n"
        "  Deep burrows flooded.\n"
        "  https://alps.example/commit/2\n"
        "  R src/hole.py -> src/burrow3.py\n"
        "  M README.md\n"
        "  now marmots:src/burrow3.py#Burrow.dig  method\n"
        "\n"
        "marmots 2026-03-02 3333333333 Ann Alm: Merge branch 'depth'\n"
        "  R src/hole.py -> src/burrow3.py\n"
        "  M README.md\n"
        "\n"
        "note: history of yaks is still being read\n"
        "2 commits, 3 more\n"
    )


def test_an_explanation_has_places_days_and_relations_and_no_code(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("POST", "/v1/explain", explain_shape())
    out = run(capsys, "explain", "how", "deep", "--since", "2025", "--commits", "9")[1]
    assert control.calls[-1].body == {
        "query": "how deep", "limit": 5, "commits": 9, "projects": [], "groups": [], "paths": [],
        "since": "2025",
    }  # fmt: skip
    lines = out.splitlines()
    assert lines[2] == (
        "  last changed 2026-03-28 by Bert Berg [ALP-7] (4444444444, 4 commits, "
        "1 uncommitted line): ALP-7: stop at bedrock"
    )
    assert lines[3] == "  called by?   marmots:src/den.py#sleep  line 4"
    days = [line for line in lines if line.startswith("20")]
    assert days == ["2026-03-28", "2026-03-02", "2026-03-01", "2025-12-20"]
    assert "    marmots:src/burrow1.py#Burrow.dig" in lines
    assert "def dig" not in out


def test_a_hit_has_one_line_of_history_when_it_was_asked_for(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    known = last_change_json(LastChange(LIMIT, 1, 0))
    waiting = last_change_json(LastChange(None, 0, 0, pending=True))
    fresh = last_change_json(LastChange(None, 0, 3))
    hits = [hit(last_change=one) for one in (known, waiting, fresh)]
    control.answer("POST", "/v1/search", answer(*hits))
    argv = ["--history", "--author", "caro", "--since", "30 days ago", "--ticket", "#12"]
    out = run(capsys, "search", "x", *argv)[1]
    assert [line for line in out.splitlines() if "last change" in line] == [
        "  last changed 2026-03-01 by Caro Col [#12] (2222222222): Limit the depth",
        "  last change: not known yet, history is still being read",
        "  last change: uncommitted (3 lines)",
    ]
    body = control.calls[-1].body
    assert {name: body[name] for name in ("history", "author", "since", "ticket")} == {
        "history": True, "author": "caro", "since": "30 days ago", "ticket": "#12",
    }  # fmt: skip
    assert "until" not in body


def test_control_characters_of_a_commit_never_reach_the_output(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("POST", "/v1/log", log_shape(commits=(ChunkCommit(EVIL, Role.AUTHOR, 1),)))
    control.answer("GET", "/v1/projects", {"projects": []})
    control.answer("POST", "/v1/commits", commits_shape(EVIL))
    control.answer("POST", "/v1/explain", explain_shape((EVIL,)))
    change = last_change_json(LastChange(EVIL, 1, 0))
    control.answer("POST", "/v1/search", answer(hit(last_change=change)))
    for argv in (["log", ADDRESS], ["changes"], ["explain", "x"], ["search", "x", "--history"]):
        out = run(capsys, *argv)[1]
        assert not [char for char in out if not char.isprintable() and char != "\n"], argv
        assert "a\\x1b[2J\\x0ab\\u202e" in out


def test_json_is_the_answer_of_the_daemon(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("POST", "/v1/log", log_shape())
    control.answer("POST", "/v1/commits", commits_shape(FIX))
    control.answer("POST", "/v1/explain", explain_shape())
    assert run_json(capsys, "log", ADDRESS) == log_shape()
    assert run_json(capsys, "changes") == commits_shape(FIX)
    assert run_json(capsys, "explain", "x") == explain_shape()


def test_a_time_that_cannot_be_read_is_a_wrong_command_line(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.refuse("POST", "/v1/commits", 400, "bad_query", "since is 'soon'; it must be a date")
    said = "paparats: since is 'soon'; it must be a date\n"
    assert run(capsys, "changes", "--since", "soon") == (64, "", said)


def test_status_says_how_far_the_history_of_each_project_is(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    def history(state: str, pending: int = 0, reason: str = "") -> dict[str, Any]:
        return {"state": state, "commits": 9, "pending": pending, "reason": reason}

    projects = [
        project("a", history=history("scanning", 1_204)),
        project("b", history=history("mapping", 1)),
        project("c", history=history("ready")),
        project("d", history=history("limited", reason="shallow clone")),
        project("e", history=history("broken", reason="git is not there")),
        project("f", history=history("none")),
        project("g"),
    ]
    control.answer("GET", "/v1/status", daemon_status(*projects))
    out = run(capsys, "status")[1].splitlines()
    assert [line for line in out if line.startswith("history")] == [
        "history of a: 1,204 commits to go",
        "history of b: 1 file to go",
        "history of d: limited (shallow clone)",
        "history of e: broken (git is not there)",
    ]
    rows = {line.split()[0]: line.split()[-1] for line in out if line[1:2] == " "}
    assert rows == {
        "a": "scanning", "b": "mapping", "c": "ready", "d": "limited", "e": "broken",
        "f": "none", "g": "-",
    }  # fmt: skip


def test_many_tickets_are_one_list_with_those_of_the_newest_commits_first(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    tickets = tuple(TicketNote(f"OLD-{number}", "message") for number in range(100))
    whole = log_shape(tickets=(*tickets, *FIX.tickets), pending=False)
    control.answer("POST", "/v1/log", whole)
    lines = run(capsys, "log", ADDRESS)[1].splitlines()
    (line,) = [line for line in lines if "OLD-" in line]
    assert line.startswith("tickets: ALP-7, OLD-0, ")
    assert line.endswith("OLD-8 and 91 more (all with --json)")


def test_a_merge_is_called_so_once(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    silent = replace(MERGE, subject="Bring depth in")
    control.answer("POST", "/v1/commits", commits_shape(silent))
    assert "Bring depth in (merge)" in run(capsys, "changes")[1]
    commits = (ChunkCommit(silent, Role.CARRIER, 0),)
    control.answer("POST", "/v1/log", log_shape(commits=commits, pending=False))
    assert "merge  Bring depth in\n" in run(capsys, "log", ADDRESS)[1]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["changes"], "no commits are known; `paparats status` says whether history is still read"),
        (["changes", "x"], "no commits for 'x'; ask in other words"),
        (["changes", "--author", "ann"], "no commits pass the filters: author ann; leave one out"),
        (["explain", "x"], "no results for 'x'; ask in other words"),
        (["changes", "--ticket", "72"], "a ticket is asked for as commits name it: --ticket '#72'"),
    ],
)
def test_an_empty_answer_says_why_and_what_to_do(
    control: FakeControl, capsys: pytest.CaptureFixture[str], argv: list[str], said: str
) -> None:
    control.answer("POST", "/v1/commits", commits_shape())
    control.answer("POST", "/v1/explain", {**explain_shape(), "results": [], "timeline": []})
    assert said in run(capsys, *argv)[1].splitlines()


def test_an_answer_about_no_project_says_so(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("POST", "/v1/commits", commits_shape(freshness=()))
    assert run(capsys, "changes", "x")[1] == "no commits: no project was searched\n"
    control.answer("POST", "/v1/search", answer(freshness=[], notes=["N"]))
    assert run(capsys, "search", "x")[1] == "no results: no project was searched\nnote: N\n"


def test_that_more_pass_the_filters_is_said_only_of_filters(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("POST", "/v1/commits", commits_shape(FIX, total=5))
    assert run(capsys, "changes")[1].endswith("\n1 commit, 4 more\n")
    assert run(capsys, "changes", "--author", "b")[1].endswith(
        "\n1 commit, 4 more pass the filters\n"
    )


@pytest.mark.parametrize("command", ["changes", "search", "explain"])
def test_an_end_before_the_beginning_is_refused(
    control: FakeControl, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    argv = [command, "x", "--since", "2026-02-01", "--until", "2026-01-31T10:00"]
    code, out, err = run(capsys, *argv)
    assert (code, out) == (64, "")
    assert "--until 2026-01-31T10:00 lies before --since 2026-02-01" in err
    assert control.calls == []

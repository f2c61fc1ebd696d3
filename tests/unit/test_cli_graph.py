"""What the command line shows of the symbol graph, with the shapes that the control API has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from starlette.routing import Router
from starlette.testclient import TestClient

from paparatsd.interfaces.cli.graph import print_sections
from paparatsd.interfaces.cli.output import Output
from paparatsd.interfaces.control import control_routes
from paparatsd.interfaces.graph_phrases import Item, Section
from tests.harness.fake_service import FakeService
from tests.unit.test_cli_commands import run, run_json

if TYPE_CHECKING:
    from tests.harness.fake_control import FakeControl

DIG = "marmots:src/burrow3.py#Burrow.dig"


def shape(call: str, **body: Any) -> dict[str, Any]:
    """Return what the control API answers, over the fake graph."""
    reply = TestClient(Router(control_routes(FakeService()))).post(f"/v1/{call}", json=body)
    answer: dict[str, Any] = reply.json()
    assert reply.status_code == 200, answer
    return answer


SHAPES = {
    "usages": shape("usages", address=DIG, direction="both"),
    "definition": shape("definition", address=DIG),
    "outline": shape("outline", address="marmots:src", limit=None),
    "calls": shape("calls", source="sleep", target="Burrow.dig"),
    "impact": shape("impact", address=DIG),
    "changed": shape("changed"),
    "unused": shape("unused"),
    "hubs": shape("hubs", limit=2),
}
COMMANDS = {
    "usages": ("usages", DIG),
    "definition": ("def", DIG),
    "outline": ("outline", "marmots:src"),
    "calls": ("calls", "sleep", "Burrow.dig"),
    "impact": ("impact", DIG),
    "changed": ("changed",),
    "unused": ("unused",),
    "hubs": ("hubs",),
}


@pytest.fixture
def graph(control: FakeControl) -> FakeControl:
    for call, answer in SHAPES.items():
        control.answer("POST", f"/v1/{call}", answer)
    return control


def out_of(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    code, out, err = run(capsys, *argv)
    assert (code, err) == (0, "")
    return out


def test_users_are_aligned_by_relation_and_marked_by_how_sure_they_are(
    graph: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    assert out_of(capsys, "usages", DIG, "--direction", "both") == (
        f"method {DIG}  lines 31-39\n"
        "def dig(self)\n"
        "used by 3 symbols:\n"
        "  calls       marmots:src/den.py#sleep  lines 5-6, 9\n"
        "  tests?      marmots:tests/test_burrow.py#test_dig  line 3 "
        "(as scrape; of one that it made)\n"
        "  imports??   top level of marmots:src/alps.py  line 2\n"
        "uses 1 symbol:\n"
        "  calls       marmots:src/tools.py#measure  line 33 [hub]\n"
        "? inferred: the name, or the route, fits nothing else here; "
        "?? one of several that may be meant\n"
        "note: A note.\n"
    )


def test_every_filter_of_usages_is_passed_on(
    graph: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = "-p a -g g --path src/** --direction outgoing --relation calls --relation tests"
    out_of(
        capsys, "usages", "x", *argv.split(), "--no-tests", "--no-hubs", "-n", "7",
        "--offset", "2", "--fresh",
    )  # fmt: skip
    assert graph.calls[-1].body == {
        "address": "x",
        "direction": "outgoing",
        "relations": ["calls", "tests"],
        "limit": 7,
        "offset": 2,
        "include_tests": False,
        "include_hubs": False,
        "projects": ["a"],
        "groups": ["g"],
        "paths": ["src/**"],
        "fresh": True,
    }


def test_a_page_says_how_to_see_the_next_one(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    page = shape("usages", address=DIG, limit=2, direction="both")
    control.answer("POST", "/v1/usages", page)
    out = out_of(capsys, "usages", DIG, "-n", "2", "--direction", "both")
    assert out.endswith("1 more with --direction incoming --offset 2\n")
    assert out_of(capsys, "usages", DIG, "-n", "2").endswith("1 more with --offset 2\n")


def test_a_definition_shows_its_signature_and_what_it_is_for(
    graph: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    assert out_of(capsys, "def", DIG) == (
        f"  method {DIG}  lines 31-39\n"
        "    def dig(self)\n"
        "    Does Burrow.dig.\n"
        "  function marmots:src/den.py#sleep  lines 4-12 (ambiguous) (a namesake)\n"
        "    def sleep(self)\n"
        "    Does sleep.\n"
    )


def test_an_outline_shows_folders_files_and_nested_symbols(
    graph: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    out = out_of(capsys, "outline", "marmots:src", "--depth", "2", "--public", "--offset", "0")
    assert out.startswith(
        "marmots:src (30 files)\n"
        "folders, with their files: deep/ 12\n"
        "src/burrow0.py (python, 40 lines)\n"
        "  imports json, os\n"
        "  30-38 class Burrow\n"
        "    31-39 def dig(self)\n"
        "  and 1 more symbol: deeper, private, or without room here\n"
    )
    assert out.endswith("10 more files with --offset 20\n")
    body = graph.calls[-1].body
    assert (body["depth"], body["include_private"], body["max_tokens"]) == (2, False, 20_000)


def test_a_chain_of_calls_is_shown_step_by_step(
    graph: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    assert out_of(capsys, "calls", "sleep", "measure", "--hops", "3").startswith(
        "  marmots:src/den.py#sleep\n"
        f"    line 5 calls {DIG}\n"
        "      line 33 calls? marmots:src/tools.py#measure\n"
    )
    graph.answer("POST", "/v1/calls", {**SHAPES["calls"], "paths": []})
    out = out_of(capsys, "calls", "sleep", "measure", "--hops", "3")
    assert "from marmots:src/den.py#sleep to marmots:src/tools.py#measure\n" in out
    assert "no chain of up to 3 calls is known" in out


def test_impact_shows_the_last_change_what_may_break_and_the_tests(
    graph: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    out = out_of(capsys, "impact", DIG, "sleep", "--hops", "3", "-n", "9")
    assert out.startswith(f"if this changes:\n  method {DIG}  lines 31-39\n    last changed 2026")
    assert "users are in:\n  marmots:src/  2 symbols\n" in out
    assert "\n  hop 2 calls?      marmots:src/tools.py#measure  line 8 [hub] through sleep\n" in out
    assert "tests that reach it:\n  hop 1 tests?      marmots:tests/test_burrow.py" in out
    assert "4 symbols depend on it, 1 test among them\n" in out
    assert graph.calls[-1].body["address"] == [DIG, "sleep"]
    assert (graph.calls[-1].body["max_hops"], graph.calls[-1].body["max_symbols"]) == (3, 9)
    assert "with -n" not in out
    graph.answer("POST", "/v1/impact", {**SHAPES["impact"], "total": 56})
    assert out_of(capsys, "impact", DIG, "-n", "3").endswith("show more of them with -n 56\n")
    out_of(capsys, "impact", "-q", "how deep")
    assert graph.calls[-1].body["question"] == "how deep"


@pytest.mark.parametrize("argv", [(), (DIG, "-q", "x")])
def test_impact_is_asked_in_one_way(
    graph: FakeControl, capsys: pytest.CaptureFixture[str], argv: tuple[str, ...]
) -> None:
    code, out, err = run(capsys, "impact", *argv)
    assert (code, out) == (64, "")
    assert "--question" in err
    assert graph.made("POST", "/v1/impact") == []


def test_changed_symbols_are_shown_with_users_and_tests(
    graph: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    out = out_of(capsys, "changed", "main..HEAD", "--callers", "3")
    assert out.startswith(
        "the work tree against HEAD: 2 symbols in 3 files\n"
        f"  modified method {DIG} lines 32-33\n"
        "    calls       marmots:src/den.py#sleep  lines 5-6, 9\n"
    )
    assert "    and 6 more users\n    tests: marmots:tests/test_burrow.py#test_dig\n" in out
    assert "  renamed function marmots:src/den.py#sleep line 4 (was nap)\n" in out
    assert graph.calls[-1].body["against"] == "main..HEAD"
    out_of(capsys, "changed")
    assert graph.calls[-1].body["against"] == "working"


def test_a_narrow_terminal_shows_all_likely_tests_and_cuts_signatures(
    capsys: pytest.CaptureFixture[str],
) -> None:
    item = Item(("  modified x", "    tests: " + ", ".join(f"#test_{at}" for at in range(20))))
    sections = [Section((), (item,), ("symbols",))]
    print_sections(Output(terminal=True, width=40), sections, whole=True)
    assert "#test_19" in capsys.readouterr().out
    print_sections(Output(terminal=True, width=40), sections)
    assert "#test_19" not in capsys.readouterr().out


def test_surveys_show_why_and_how_to_go_on(
    graph: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    unused = out_of(capsys, "unused", "--kind", "function")
    assert unused.startswith(
        "  marmots:src/many.py\n    function #f1  lines 1-9 (but exported)\n    function #f2  lines"
    )
    assert unused.endswith("10 more with --offset 50\n")
    assert graph.calls[-1].body["kinds"] == ["function"]
    assert "#f1  lines 1-9  used in 7 files, entry point\n" in out_of(capsys, "hubs")
    graph.answer("POST", "/v1/unused", {**SHAPES["unused"], "found": [], "next_offset": None})
    assert "nothing is unused" in out_of(capsys, "unused")


@pytest.mark.parametrize("call", list(COMMANDS))
def test_json_is_what_the_daemon_answered(
    graph: FakeControl, capsys: pytest.CaptureFixture[str], call: str
) -> None:
    assert run_json(capsys, *COMMANDS[call]) == SHAPES[call]


@pytest.mark.parametrize("call", list(COMMANDS))
def test_a_refusal_is_one_sentence_and_a_code(
    graph: FakeControl, capsys: pytest.CaptureFixture[str], call: str
) -> None:
    graph.refuse("POST", f"/v1/{call}", 404, "unknown_address", "nothing called 'x' is defined")
    code, out, err = run(capsys, *COMMANDS[call])
    assert (code, out) == (64, "")
    assert err == "paparats: nothing called 'x' is defined\n"


def test_what_is_behind_the_disk_is_said(
    graph: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    stale = {**SHAPES["hubs"]["freshness"][0], "state": "stale", "reason": "files changed"}
    graph.answer("POST", "/v1/hubs", {**SHAPES["hubs"], "freshness": [stale]})
    assert "stale: marmots: files changed\n" in out_of(capsys, "hubs")


def test_names_cannot_move_the_cursor(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = shape("definition", address=DIG)
    evil["found"][0]["symbol"]["signature"] = "\x1b[2J\u202e def\n## x"
    control.answer("POST", "/v1/definition", evil)
    out = out_of(capsys, "def", DIG)
    assert not {"\x1b", "\u202e"} & set(out)
    assert "\n## x" not in out


@pytest.mark.parametrize(
    "argv",
    [
        ("usages",), ("usages", ""), ("usages", "x", "--direction", "up"),
        ("usages", "x", "--relation", "uses"), ("usages", "x", "-n", "201"), ("calls", "x"),
        ("outline", "x", "--depth", "0"), ("outline", "x", "--max-tokens", "10"),
        ("impact", "x", "--hops", "5"), ("hubs", "x"), ("changed", "a", "b"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_asks_nothing(
    graph: FakeControl, capsys: pytest.CaptureFixture[str], argv: tuple[str, ...]
) -> None:
    code, out, err = run(capsys, *argv)
    assert (code, out) == (64, "")
    assert err.startswith("paparats")
    assert graph.calls == []

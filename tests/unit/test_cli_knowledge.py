"""What the command line shows of documents, terms and cards, over the calls of the control API."""

from __future__ import annotations

import io
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.routing import Router
from starlette.testclient import TestClient

from paparatsd.errors import Conflict
from paparatsd.exits import exit_code_of
from paparatsd.interfaces.cli.output import Output
from paparatsd.interfaces.client import Client
from paparatsd.interfaces.control import control_routes
from tests.harness.fake_control import FakeControl
from tests.harness.fake_service import FakeService
from tests.unit.test_cli_commands import run, run_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.harness.fake_control import Call, Reply


class Control(FakeControl):
    """The real calls of the control API, with a service that keeps what is written to it."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.service = FakeService()
        self._client = TestClient(Router(control_routes(self.service)))

    def take(self, call: Call) -> Reply:
        """Note a call and return what the service says."""
        self.calls.append(call)
        reply = self._client.request(call.method, call.path, json=call.body)
        return reply.status_code, reply.json()


@pytest.fixture
def knowing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Control]:
    """Yield a control API, with the environment that leads the command line to it."""
    # Not tmp_path: a socket's path must be short.
    with (
        tempfile.TemporaryDirectory(dir="/tmp", prefix="ppr") as directory,
        Control(Path(directory)) as control,
    ):
        for name, value in control.environment.items():
            monkeypatch.setenv(name, value)
        yield control


def out_of(capsys: pytest.CaptureFixture[str], *argv: str, code: int = 0) -> str:
    got, out, err = run(capsys, *argv)
    assert (got, err) == (code, "")
    return out


BURROW, ALARM = "0198c0de-0000-7000-8000-000000000001", "0198c0de-0000-7000-8000-000000000003"
GUARD, DEPTH = "0198c0de-0000-7000-8000-000000000011", "0198c0de-0000-7000-8000-000000000012"
LESSON = ("arch", "record", "lesson", "Dig in teams", "--why", "x", "--when", "y")

# --------------------------------------------------------------------------- documents


def test_documents_are_numbered_with_place_age_link_and_a_short_excerpt(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    out = out_of(capsys, "docs", "how", "deep", "is", "a", "burrow", "--history")
    head, _, rest = out.partition("changed 20")
    assert head == (
        "glossary\n"
        "  burrow, den, hole: Where a family lives.\n"
        "\n"
        "1. Burrows > Depth\n"
        "   marmots:docs/burrows.md#Depth  lines 3-40\n"
        "   relevance 0.70, sections 2-4 of 9, for public, "
    )
    assert rest[8:].startswith(
        " (it says)\n"
        "   https://alps.example/burrows\n"
        "   not updated for 2 years: it may be out of date\n"
        "   last changed 2026-03-28 by Bert Berg [ALP-7] (4444444444, 4 commits): ALP-7: stop at"
        " bedrock\n"
        "   # Burrows\n"
        "\n"
        "   ## Depth\n"
    )
    assert "   lines left out: 14 below (--full)\n\n2. Marmots\n" in out
    assert out.endswith("2 documents; the whole of one: paparats doc marmots:docs/burrows.md\n")
    assert "left out" not in out_of(capsys, "docs", "x", "--full")


def test_an_excerpt_begins_with_the_place_that_was_found_and_not_with_what_is_above_it(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    client = TestClient(Router(control_routes(FakeService())))
    answer = client.post("/v1/docs", json={"query": "x", "limit": 1}).json()
    lines = [f"line {number}" for number in range(10, 60)]
    answer["results"][0] |= {"content": "\n".join(lines), "start_line": 10, "place_line": 30}
    control.answer("POST", "/v1/docs", answer)
    out = out_of(capsys, "docs", "x")
    assert "   line 30\n" in out
    assert "line 29" not in out
    assert "   line 39\n   lines left out: 20 above, 20 below (--full)\n" in out
    assert "   line 10\n" in out_of(capsys, "docs", "x", "--full")


def test_a_row_of_a_table_is_cut_at_the_edge_of_a_terminal_but_whole_with_full_and_in_a_pipe(
    control: FakeControl, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = TestClient(Router(control_routes(FakeService())))
    answer = client.post("/v1/docs", json={"query": "x", "limit": 1}).json()
    row = "| a | " + "long " * 40 + "|"
    answer["results"][0] |= {"content": row, "start_line": 10, "place_line": 10}
    control.answer("POST", "/v1/docs", answer)
    assert row in out_of(capsys, "docs", "x")
    monkeypatch.setattr(Output, "of_process", lambda _: Output(terminal=False, width=60))
    rows = [line for line in out_of(capsys, "docs", "x").splitlines() if "| a |" in line]
    assert [len(line) <= 60 and line.endswith("…") for line in rows] == [True]
    assert row in out_of(capsys, "docs", "x", "--full")


def test_every_filter_of_a_question_to_documents_is_passed_on(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = "docs -p marmots -g alps --audience public --audience staff -n 3 --min-score 0 a b"
    out_of(capsys, *argv.split(), "--min-score-code", "0.5", "--history", "--fresh")
    assert knowing.calls[-1].body == {
        "query": "a b",
        "projects": ["marmots"],
        "groups": ["alps"],
        "audience": ["public", "staff"],
        "limit": 3,
        "min_score": 0.0,
        "min_score_code": 0.5,
        "history": True,
        "fresh": True,
    }


def test_no_document_is_said_with_the_filters_and_the_glossary_all_the_same(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    out = out_of(capsys, "docs", "nothing on a den", "--audience", "staff")
    assert out.startswith("glossary\n  burrow, den, hole: Where a family lives.\n\n")
    assert "no documents for 'nothing on a den' pass the filters: audience staff; leave" in out
    assert "ask in other words" in out_of(capsys, "docs", "nothing")


def test_a_document_is_printed_as_it_is_and_the_rest_is_said_beside_it(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    assert out_of(capsys, "doc", "marmots:README.md") == "# Marmots\n\nThey dig.\n"
    long = "x" * 25_000
    document = knowing.service.knowledge.documents[1][0]
    knowing.service.knowledge.documents[1] = (document, long)
    code, out, err = run(capsys, "doc", "marmots:README.md", "--offset", "10")
    assert (code, len(out)) == (0, 24_001)
    said = "characters 10 to 24,010 of 25,000; go on with --offset 24010, or --all"
    assert err == f"paparats: {said}\n"
    assert out_of(capsys, "doc", "marmots:README.md", "--all") == long + "\n"


def test_all_of_a_very_long_document_is_put_together_from_its_pieces(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    document = knowing.service.knowledge.documents[1][0]
    long = "".join(f"{number:06}\n" for number in range(40_000))
    knowing.service.knowledge.documents[1] = (document, long)
    answer = run_json(capsys, "doc", "marmots:README.md", "--all")
    assert answer["content"] == long
    assert answer["next_offset"] is None
    assert len(knowing.made("POST", "/v1/document")) == 3


def test_pieces_of_two_states_of_a_document_are_not_put_together(
    knowing: Control, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    document = knowing.service.knowledge.documents[1][0]
    knowing.service.knowledge.documents[1] = (document, "word\n" * 60_000)
    ask = Client.ask

    def ask_and_change(client: Client, call: str, /, **options: Any) -> dict[str, Any]:
        answer = ask(client, call, **options)
        knowing.service.knowledge.documents[1] = (document, "word\n" * 50_000)
        return answer

    monkeypatch.setattr(Client, "ask", ask_and_change)
    code, out, err = run(capsys, "doc", "marmots:README.md", "--all")
    assert (code, out) == (exit_code_of(Conflict("")), "")
    assert "changed while it was read" in err


@pytest.mark.parametrize("written", ["README.md", "marmots:", ":README.md"])
def test_what_names_no_document_is_refused_with_how_to_write_one(
    knowing: Control, capsys: pytest.CaptureFixture[str], written: str
) -> None:
    code, out, err = run(capsys, "doc", written)
    assert (code, out) == (64, "")
    assert "PROJECT:PATH" in err
    assert knowing.calls == []


def test_an_unknown_document_is_a_refusal(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "doc", "marmots:x.md") == (
        64, "", "paparats: no document 'x.md' in 'marmots'\n"
    )  # fmt: skip


def test_the_address_of_a_result_names_its_document_unless_a_file_is_called_so(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    assert out_of(capsys, "doc", "marmots:README.md#Marmots > Food") == "# Marmots\n\nThey dig.\n"
    tried = [call.body["path"] for call in knowing.made("POST", "/v1/document")]
    assert tried == ["README.md#Marmots > Food", "README.md"]
    code, _, err = run(capsys, "doc", "marmots:x.md#Food")
    assert (code, err) == (64, "paparats: no document 'x.md' in 'marmots'\n")


def test_texts_cannot_move_the_cursor_and_keep_their_code(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    document = knowing.service.knowledge.documents[1][0]
    evil = "a\x1b[2J\u202e\n```\n" + "word " * 40 + "\n```\n"
    knowing.service.knowledge.documents[1] = (document, evil)
    for argv in (("docs", "x", "--full"), ("doc", "marmots:README.md")):
        out = run(capsys, *argv)[1]
        assert not {"\x1b", "\u202e"} & set(out)
        assert "word " * 39 in out


# --------------------------------------------------------------------------- the glossary


def test_terms_are_shown_with_where_they_hold_and_their_ids(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    assert out_of(capsys, "term", "search", "den") == (
        "burrow  [alps/marmots]\n"
        "  Where a family lives.\n"
        "  also: den, hole\n"
        f"  {BURROW}  written 2d ago\n"
    )
    found = out_of(capsys, "term", "search", "what", "is", "this", "-n", "1")
    assert found.startswith("alarm  [alps (group), similar 0.62]\n  A whistle")
    assert found.endswith("2 more; show them with -n 3\n")
    knowing.service.knowledge.terms *= 20
    assert "30 more; ask for one by its name" in out_of(capsys, "term", "search", "x", "-n", "30")
    assert "has nothing on 'nothing'" in out_of(capsys, "term", "search", "nothing")


def test_a_list_of_terms_is_by_name(knowing: Control, capsys: pytest.CaptureFixture[str]) -> None:
    out = out_of(capsys, "term", "list", "-g", "alps")
    heads = [line for line in out.splitlines() if not line.startswith(" ")]
    assert heads == ["alarm  [alps (group)]", "burrow  [alps/marmots]", "winter sleep  [alps/marm"
                     "ots]"]  # fmt: skip
    knowing.service.knowledge.terms.clear()
    assert "paparats term record" in out_of(capsys, "term", "list")


def test_a_term_is_written_once_and_anew_under_its_name(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ("term", "record", "nap", "A short sleep.", "-p", "marmots")
    assert out_of(capsys, *argv, "--alias", "doze").startswith("Recorded 'nap' in marmots. id 01")
    assert out_of(capsys, *argv).startswith("Updated 'nap' in marmots")
    assert knowing.calls[-1].body == {
        "term": "nap", "definition": "A short sleep.", "aliases": [], "project": "marmots",
        "group": None,
    }  # fmt: skip
    term = knowing.service.knowledge.terms[-1]
    assert (term.group, term.project, term.definition) == ("alps", "marmots", "A short sleep.")


def test_a_term_that_says_what_another_one_says_is_not_written(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    out = out_of(capsys, "term", "record", "siren", "The same again.", code=65)
    assert f"Not recorded: 'alarm' says the same (similarity 0.97), id {ALARM}." in out
    code, told, _ = run(capsys, "term", "record", "siren", "The same again.", "--json")
    assert (code, json.loads(told)["outcome"]) == (65, "duplicate")


def test_deleting_says_what_is_gone_and_what_was_not_there(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    out = out_of(capsys, "term", "delete", BURROW, "x", code=65)
    assert out.startswith(f"Deleted term {BURROW}.\nNo term here has the id 'x'.\n")
    told = {"deleted": [GUARD], "missing": [], "restored": []}
    assert run_json(capsys, "arch", "delete", GUARD) == told


class Terminal(io.StringIO):
    """A person who types."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("typed", "gone"), [("n\n", False), ("y\n", True)])
def test_a_person_is_asked_with_the_labels_of_what_would_go(
    knowing: Control,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    typed: str,
    gone: bool,
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    code, out, _ = run(capsys, "arch", "delete", DEPTH, GUARD, "x")
    assert "Delete 2 cards: 'Dig at most three metres', 'Guard'? [y/N]" in out
    assert code == (65 if gone else 0)
    left = {card.id for card in knowing.service.knowledge.cards}
    assert ({DEPTH, GUARD} & left == set()) is gone


def test_of_many_notes_the_first_labels_are_asked_about(
    knowing: Control, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(7):
        run(capsys, "term", "record", f"word {number}", f"Meaning {number}.", "-p", "marmots")
    ids = [one.id for one in knowing.service.knowledge.terms if one.term.startswith("word")]
    monkeypatch.setattr(sys, "stdin", Terminal("n\n"))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    out = " ".join(run(capsys, "term", "delete", *ids)[1].split())
    assert "Delete 7 terms: 'word 0', 'word 1', 'word 2', 'word 3', 'word 4' and 2 more?" in out
    out = run(capsys, "term", "delete", "x")[1]
    assert "[y/N]" not in out
    assert "No term here has the id 'x'." in out


def test_a_card_is_shown_whole_by_its_id_with_what_became_of_its_anchors(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    out = out_of(capsys, "arch", "show", DEPTH, GUARD)
    assert out.index("Dig at most three metres") < out.index("Guard")
    assert "rejected: Pumps." in out
    assert "MISSING gone.py" in out
    out = out_of(capsys, "arch", "show", "x", GUARD, code=65)
    assert "Does: whistles." in out
    assert "No card here has the id 'x'.\npaparats arch list shows the ids there are.\n" in out
    code, told, _ = run(capsys, "arch", "show", DEPTH, "x", "--json")
    answer = json.loads(told)
    assert (code, answer["missing"]) == (65, ["x"])
    assert [check["state"] for check in answer["cards"][0]["checks"]] == ["changed", "missing"]


def test_terms_are_shown_by_their_ids(knowing: Control, capsys: pytest.CaptureFixture[str]) -> None:
    out = out_of(capsys, "term", "show", ALARM)
    assert "A whistle that warns everybody." in out
    assert "burrow" not in out
    assert run_json(capsys, "term", "show", BURROW)["terms"][0]["term"] == "burrow"
    assert "No term here has the id 'x'." in out_of(capsys, "term", "show", "x", code=65)


def test_many_ids_are_asked_for_in_several_requests(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, _ = run(capsys, "arch", "show", *(f"x{number}" for number in range(150)), GUARD)
    assert code == 65
    assert [len(call.body["ids"]) for call in knowing.calls] == [100, 51]


# --------------------------------------------------------------------------- long texts


def test_a_long_text_is_read_from_a_file_or_from_standard_input(
    knowing: Control,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    file = tmp_path / "summary.md"
    file.write_text("\ufeffDoes: digs.\nOwns: ü.\n", encoding="utf-8")
    component = ("arch", "record", "component", "Digger", "-p", "marmots", "--summary")
    out_of(capsys, *component, f"@{file}")
    assert knowing.calls[-1].body["summary"] == "Does: digs.\nOwns: ü.\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"From a pipe.\n")))
    out_of(capsys, *component, "-")
    assert knowing.calls[-1].body["summary"] == "From a pipe.\n"
    out_of(capsys, *component, "@@mention")
    assert knowing.calls[-1].body["summary"] == "@mention"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file"),
        (b"", "it is empty"),
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"x" * 100_001, "larger than 100000 bytes"),
    ],
)
def test_a_file_that_cannot_be_a_text_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes | None, said: str
) -> None:
    file = tmp_path / "text.md"
    if content is not None:
        file.write_bytes(content)
    code, out, err = run(capsys, "term", "record", "x", f"@{file}")
    assert (code, out) == (64, "")
    assert said in err
    assert len(err.splitlines()) == 1


# --------------------------------------------------------------------------- memory


def test_context_tells_cards_by_group_and_kind_with_what_became_of_what_they_name(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    out = out_of(capsys, "arch", "context", "how", "deep")
    heads = [line for line in out.splitlines() if line.startswith("alps: ")]
    assert heads == ["alps: components", "alps: decisions", "alps: lessons"]
    assert "  Does: whistles.\n  Owns: the alarm.\n" in out
    assert "CHANGED src/burrow3.py#Burrow.dig" in out
    assert "MISSING gone.py" in out
    out_of(capsys, "arch", "context", "src/den.py,a.py", "--components", "0", "--unchecked",
           "--min-score", "0.2", "-p", "marmots")  # fmt: skip
    assert knowing.calls[-1].body == {
        "question": "src/den.py,a.py",
        "limits": {"component": 0},
        "min_score": 0.2,
        "checked": False,
        "projects": ["marmots"],
        "groups": [],
    }


def test_nothing_near_is_told_from_nothing_there(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "No card is near enough" in out_of(capsys, "arch", "context", "nothing")
    knowing.service.knowledge.cards.clear()
    assert "paparats arch suggest" in out_of(capsys, "arch", "context", "nothing")
    for verb in ("list", "check", "stats"):
        assert out_of(capsys, "arch", verb).startswith("No cards are recorded yet. ")
        narrowed = out_of(capsys, "arch", verb, "-g", "alps")
        assert narrowed.startswith("No such cards are recorded. ")
    assert "No such cards are recorded" in out_of(capsys, "arch", "list", "--kind", "lesson")
    assert "Nothing to suggest" in out_of(capsys, "arch", "suggest")


def test_a_list_goes_on_with_its_cursor(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    out = out_of(capsys, "arch", "list", "-n", "1", "--kind", "decision", "--history")
    assert "superseded" in out
    assert out.endswith("more with --cursor 1\n")
    rest = out_of(capsys, "arch", "list", "--cursor", "1", "--kind", "decision", "--history")
    assert "Dig at most three metres" in rest
    assert "more with" not in rest
    out_of(capsys, "arch", "list", "--checked")
    body = knowing.calls[-1].body
    assert (body["checked"], body["include_history"], body["limit"]) == (True, False, 50)


def test_a_check_names_the_cards_that_need_a_look_and_what_to_do(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    out = out_of(capsys, "arch", "check")
    assert out.count("\n- ") == 0
    assert "Dig at most three metres" in out
    assert f"--supersedes {DEPTH}" in out
    assert out.endswith("1 of 3 cards name what was changed, moved or deleted since\n")
    answer = run_json(capsys, "arch", "check", "--kind", "component")
    assert answer == {"cards": [], "total": 1, "notes": []}
    assert "1 card: nothing that they name" in out_of(capsys, "arch", "check", "--kind", "lesson")


def test_a_card_of_each_kind_is_written_with_all_that_was_given(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    named = ("--file", "a.py", "--file", "b.py", "--anchor", "a.py#f")
    out_of(capsys, "arch", "record", "component", "Den", "-p", "marmots", "--summary", "s",
           "--neighbour", "Guard", *named)  # fmt: skip
    assert knowing.calls[-1].body == {
        "kind": "component", "name": "Den", "summary": "s", "neighbours": ["Guard"],
        "files": ["a.py", "b.py"], "anchors": ["a.py#f"], "project": "marmots", "group": None,
    }  # fmt: skip
    decision = "arch record decision T --context c --decision d --consequences e --rejected r"
    out = out_of(capsys, *decision.split(), "-g", "alps", "--supersedes", DEPTH)
    assert out.startswith("Recorded decision 'T' in alps. id ")
    body = knowing.calls[-1].body
    assert (body["alternatives_rejected"], body["scope"]) == ("r", "global")
    assert body["supersedes"] == DEPTH
    out_of(capsys, *LESSON, "--severity", "critical", "--scope", "file", "--evidence", "e")
    body = knowing.calls[-1].body
    assert (body["severity"], body["scope"], body["evidence"]) == ("critical", "file", "e")


def test_what_is_near_another_card_is_not_written_and_a_repeated_lesson_is_confirmed(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    near = out_of(capsys, *LESSON[:-1], "nearly", code=65)
    assert near.startswith("Not recorded: 'Never wake a sleeper' says nearly the same")
    again = out_of(capsys, *LESSON[:-1], "again")
    assert again.startswith("Known already, and confirmed by this")
    decision = "arch record decision T --context again --decision d --consequences e"
    assert f"--supersedes {DEPTH}" in out_of(capsys, *decision.split(), code=65)


def test_suggestions_and_statistics_are_a_line_each(
    knowing: Control, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "12 users" in out_of(capsys, "arch", "suggest", "-n", "3")
    assert out_of(capsys, "arch", "stats").startswith(
        "alps: 1 component, 2 decisions, 1 lesson, 1 superseded, 3 terms; written 20"
    )


@pytest.mark.parametrize(
    ("argv", "path"),
    [
        ("docs x", "docs"), ("doc marmots:README.md", "document"),
        ("term search x", "terms/search"), ("term list", "terms/list"),
        ("arch context x", "cards/context"), ("arch list", "cards/list"),
        ("arch suggest", "cards/suggest"), ("arch stats", "cards/stats"),
        ("term record a b", "terms/record"),
        ("arch record lesson a --why b --when c", "cards/record"),
    ],
)  # fmt: skip
def test_json_is_what_the_daemon_answered(
    knowing: Control, capsys: pytest.CaptureFixture[str], argv: str, path: str
) -> None:
    answer = run_json(capsys, *argv.split())
    assert knowing.calls[-1].path == f"/v1/{path}"
    assert set(answer) == set(knowing.take(knowing.calls[-1])[1])


@pytest.mark.parametrize(
    "argv",
    [
        "docs x -p oxen", "term search x -p oxen", "term list -g oxen", "term record a b -g oxen",
        "arch context x -g oxen", "arch list -p oxen", "arch check -p oxen", "arch stats -g oxen",
        "arch show x -p oxen", "term show x -g oxen",
        "arch suggest -p oxen", "arch record component a --summary b -p oxen",
    ],
)  # fmt: skip
def test_a_refusal_is_one_sentence_and_a_code(
    knowing: Control, capsys: pytest.CaptureFixture[str], argv: str
) -> None:
    code, out, err = run(capsys, *argv.split())
    assert (code, out) == (64, "")
    assert "named 'oxen'" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "argv",
    [
        "docs", "docs x -n 31", "docs x --min-score 1.1", "docs x --min-score nan", "doc",
        "doc a:b --offset -1", "term", "term look", "term search", "term record x",
        "term delete", "term show", "arch show", "arch", "arch record", "arch record component x",
        "arch record lesson x --why y", "arch record lesson x --why y --when z --severity bad",
        "arch list --kind card", "arch context x --lessons 51", "arch export", "arch import",
        "arch list -n 201",
    ],
)  # fmt: skip
def test_a_wrong_command_line_asks_nothing(
    knowing: Control, capsys: pytest.CaptureFixture[str], argv: str
) -> None:
    code, out, err = run(capsys, *argv.split())
    assert (code, out) == (64, "")
    assert err.startswith("paparats")
    assert len(err.splitlines()) == 1
    assert knowing.calls == []


# --------------------------------------------------------------------------- files


NOTE = (
    "---\nid: 0198c0de-0000-7000-8000-0000000000ff\nkind: lesson\ngroup: alps\n---\n\n"
    "## Rule\n\nGone.\n"
)


DRAFT = "---\nkind: lesson\ngroup: alps\n---\n## Rule\n"


def test_an_export_writes_what_changed_and_says_what(
    knowing: Control, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    place = tmp_path / "docs" / "memory"
    out = out_of(capsys, "arch", "export", str(place), "-g", "alps")
    assert out.count("created    ") == 4
    assert out.endswith(f"{place}: 4 created\n")
    guard = place / f"component-{GUARD}.md"
    assert guard.read_text() == "# Guard\n"
    assert out_of(capsys, "arch", "export", str(place)) == f"{place}: 4 unchanged\n"
    guard.chmod(0o640)
    guard.write_text("# Guard, by hand and much longer than before\n")
    before = (place / f"decision-{DEPTH}.md").stat().st_ino
    out = out_of(capsys, "arch", "export", str(place))
    assert out == f"updated    component-{GUARD}.md\n{place}: 3 unchanged, 1 updated\n"
    assert guard.read_text() == "# Guard\n"
    assert guard.stat().st_mode & 0o777 == 0o640
    assert (place / f"decision-{DEPTH}.md").stat().st_ino == before
    assert len(list(place.iterdir())) == 4


def test_an_export_deletes_only_files_of_notes_and_only_when_asked(
    knowing: Control, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "lesson-gone.md").write_text(NOTE)
    (tmp_path / "README.md").write_text("# Our memory\n\n---\nkind: lesson\n---\n")
    (tmp_path / "howto.md").write_text("---\ntitle: Lessons\nkind: page\n---\n")
    (tmp_path / "page.md").write_text("---\ntitle: Buttons\nid: buttons\nkind: component\n---\n")
    (tmp_path / "draft.md").write_text("---\nkind: lesson\ngroup: alps\n---\n## Rule\n\nAsk.\n")
    out = out_of(capsys, "arch", "export", str(tmp_path))
    assert "1 file of notes that were not written this time: lesson-gone.md; --prune" in out
    answer = run_json(capsys, "arch", "export", str(tmp_path), "--prune")
    assert {"name": "lesson-gone.md", "outcome": "deleted"} in answer["files"]
    assert answer["left"] == []
    left = {path.name for path in tmp_path.iterdir()}
    assert {"README.md", "howto.md", "page.md", "draft.md"} < left
    assert "lesson-gone.md" not in left


def test_an_export_of_one_group_or_project_leaves_the_files_of_others(
    knowing: Control, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    mine = NOTE.replace("group: alps", "group: alps\nproject: marmots")
    (tmp_path / "lesson-mine.md").write_text(mine)
    (tmp_path / "lesson-other.md").write_text(mine.replace("marmots", "yaks"))
    (tmp_path / "lesson-far.md").write_text(mine.replace("alps", "andes"))
    only = ["-g", "alps", "-p", "marmots", "--prune"]
    answer = run_json(capsys, "arch", "export", str(tmp_path), *only)
    deleted = [file["name"] for file in answer["files"] if file["outcome"] == "deleted"]
    assert deleted == ["lesson-mine.md"]
    assert {"lesson-other.md", "lesson-far.md"} < {path.name for path in tmp_path.iterdir()}


def test_an_export_writes_neither_into_a_file_nor_through_a_link(
    knowing: Control, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("kept")
    code, _, err = run(capsys, "arch", "export", str(file))
    assert code == 64
    assert "is a file; give the directory" in err
    (tmp_path / "loose").symlink_to(tmp_path / "nowhere")
    code, _, err = run(capsys, "arch", "export", str(tmp_path / "loose"))
    assert code == 64
    assert "is a link that leads nowhere; give the directory" in err
    place = tmp_path / "notes"
    place.mkdir()
    (place / f"component-{GUARD}.md").symlink_to(file)
    code, _, err = run(capsys, "arch", "export", str(place))
    assert code == 64
    assert "it is a link" in err
    assert file.read_text() == "kept"


def test_a_name_that_leads_elsewhere_is_not_written(
    control: FakeControl, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    files = [{"name": "a.md", "text": "x"}, {"name": "../evil.md", "text": "x"}]
    control.answer("POST", "/v1/cards/export", {"files": files})
    code, _, err = run(capsys, "arch", "export", str(tmp_path / "notes"))
    assert code == 76
    assert "nothing was written" in err
    assert list(tmp_path.iterdir()) == []


def test_an_import_says_what_became_of_each_file_and_fails_when_one_is_refused(
    knowing: Control, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text(DRAFT)
    (tmp_path / "README.md").write_text("left alone")
    (tmp_path / ".hidden.md").write_text("left alone")
    (tmp_path / "notes.txt").write_text("left alone")
    assert out_of(capsys, "arch", "import", str(tmp_path)) == (
        f"created    a.md\n{tmp_path}: 1 created\n"
    )
    (tmp_path / "b.md").write_text('\ufeff---\nkind: "term" # of ours\n')
    (tmp_path / "c.md").write_bytes(DRAFT.encode() + b"\xff\xff")
    (tmp_path / "d.md").write_bytes(DRAFT.encode() + b"x" * 1_600_001)
    (tmp_path / "e.md").write_bytes(DRAFT.encode() + b"\0")
    (tmp_path / "f.md").symlink_to(tmp_path / "a.md")
    (tmp_path / "g.md").symlink_to(tmp_path / "nowhere.md")
    assert out_of(capsys, "arch", "import", str(tmp_path), "--dry-run", code=65) == (
        "created    a.md\n"
        "refused    b.md: it has no heading\n"
        "refused    c.md: it is not UTF-8 text\n"
        "refused    d.md: it is larger than 1600000 bytes\n"
        "refused    e.md: it contains a NUL character\n"
        "refused    f.md: it is a link; only a regular file is read\n"
        "refused    g.md: it is a link; only a regular file is read\n"
        f"{tmp_path}: 1 created, 6 refused; nothing was written (--dry-run)\n"
    )
    assert knowing.calls[-1].body["dry_run"] is True
    code, out, _ = run(capsys, "arch", "import", str(tmp_path), "--json")
    assert (code, len(json.loads(out)["files"])) == (65, 7)


def test_documents_beside_the_notes_are_passed_over_and_counted(
    knowing: Control, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    others = {
        "a.md": b"# How to\n", "b.md": b"---\ntitle: Lessons\nkind: page\n---\n# x\n",
        "c.md": b"\xff\xff", "d.md": b"x" * 1_600_001, "e.md": b"",
        "f.md": b"words\n---\nkind: lesson\n---\n",
    }  # fmt: skip
    for name, data in others.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "g.md").symlink_to(tmp_path / "a.md")
    passed = "7 files passed over, without `kind: ...` of a note in front: "
    names = "a.md, b.md, c.md, d.md, e.md ...\n"
    assert " ".join(out_of(capsys, "arch", "import", str(tmp_path)).split()) == " ".join(
        f"{tmp_path}: no files of notes\n{passed}{names}".split()
    )
    assert knowing.calls == []
    (tmp_path / "lesson.md").write_text(DRAFT)
    (tmp_path / "mistyped.md").write_text(DRAFT.replace("lesson", "leson"))
    answer = run_json(capsys, "arch", "import", str(tmp_path))
    assert [file["name"] for file in answer["files"]] == ["lesson.md", "mistyped.md"]
    assert answer["passed_over"] == [*others, "g.md"]


def test_an_import_without_a_daemon_says_how_to_start_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PAPARATS_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "lesson.md").write_text(DRAFT)
    code, out, err = run(capsys, "arch", "import", str(tmp_path))
    assert (code, out) == (69, "")
    assert "start it with `paparats up`" in err


def test_many_files_are_handed_over_in_several_requests(
    knowing: Control, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for number in range(6):
        (tmp_path / f"{number}.md").write_text(DRAFT + "x" * 390_000)
    assert out_of(capsys, "arch", "import", str(tmp_path)).endswith("6 created\n")
    assert [len(call.body["files"]) for call in knowing.calls] == [2, 2, 2]


def test_an_import_of_nothing_says_so(
    knowing: Control, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert out_of(capsys, "arch", "import", str(tmp_path)) == f"{tmp_path}: no *.md files\n"
    code, _, err = run(capsys, "arch", "import", str(tmp_path / "none"))
    assert code == 64
    assert "is no directory" in err

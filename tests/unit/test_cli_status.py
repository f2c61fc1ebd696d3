"""What `paparats status` says below its table, on pipes and on terminals of any width."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from paparatsd import doubts
from paparatsd.exits import INTERRUPTED
from paparatsd.interfaces.cli.output import wrapped
from paparatsd.interfaces.cli.status import problem_lines, remark_lines
from tests.harness.fake_control import daemon_status, project
from tests.unit.test_cli_commands import run

if TYPE_CHECKING:
    from tests.harness.fake_control import FakeControl

OFFER = "/src/fix is a work tree of shop: `paparats add /src/fix` indexes it"


def test_work_trees_that_could_be_added_are_shown(
    control: FakeControl, capsys: pytest.CaptureFixture[str]
) -> None:
    control.answer("GET", "/v1/status", daemon_status(project(), offers=[OFFER]))
    assert run(capsys, "status")[1].splitlines()[-1] == f"+ {OFFER}"


def test_watching_shows_offers_and_problems_too(
    control: FakeControl, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("paparatsd.interfaces.cli.status.time.sleep", interrupt)
    status = daemon_status(project(), offers=[OFFER], problems=["the disk is full"])
    control.answer("GET", "/v1/status", status)
    code, out, _ = run(capsys, "status", "--watch")
    assert code == INTERRUPTED
    assert f"+ {OFFER}\n" in out
    assert "! the disk is full\n" in out


def test_a_project_that_is_being_indexed_is_no_problem() -> None:
    busy = project("busy", state="indexing", reason="files have changed")
    lost = project("lost", state="missing", reason="the directory is gone")
    status = daemon_status(busy, lost)
    assert problem_lines(status) == ["! lost: the directory is gone"]
    assert remark_lines(status)[0] == ("busy is being indexed: files have changed", "")


@pytest.mark.parametrize("width", [20, 40, 80])
def test_sentences_are_broken_between_words_and_nothing_is_lost(width: int) -> None:
    text = "! shop: /a/very/long/path/that/nobody/can/break cannot be read: permission denied"
    lines = wrapped(text, width)
    assert " ".join(line.strip() for line in lines) == text
    assert all(len(line) <= width or " " not in line.strip() for line in lines)
    assert all(line.startswith("  ") for line in lines[1:])


def test_every_doubt_that_is_noted_has_words() -> None:
    package = Path(doubts.__file__).parent
    noted = set()
    for path in [package / "sessions.py", *(package / "sources").glob("watch*.py")]:
        text = path.read_text("utf-8")
        noted |= set(re.findall(r'doubt(?:_all)?(?: = |=|\()(?:into\.doubt or )?"(\w+)"', text))
    assert len(noted) >= 8
    assert noted <= set(doubts.WORDS)
    assert all("_" not in words for words in doubts.WORDS.values())


def test_a_command_is_not_broken() -> None:
    assert wrapped(f"+ {OFFER}", 40) == [
        "+ /src/fix is a work tree of shop:",
        "  `paparats add /src/fix` indexes it",
    ]
    assert wrapped("an odd ` in a long sentence", 16) == ["an odd ` in a", "  long sentence"]

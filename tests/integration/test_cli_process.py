"""The command line as a process: start-up, pipes, terminals, signals, a daemon that is not well."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paparatsd.lock import StateLock
from tests.harness.fake_control import FakeControl, answer, daemon_status, freshness, hit, project

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PAPARATS = (sys.executable, "-m", "paparatsd.interfaces.cli.main")
PAPARATSD = (sys.executable, "-m", "paparatsd")
HEAVY = frozenset({"rich", "yaml", "numpy", "structlog", "mcp", "starlette", "anyio", "httpx"}) | {
    "asyncio",
    "tomllib",
    "subprocess",
    "logging",
}


@pytest.fixture
def control() -> Iterator[FakeControl]:
    with (
        tempfile.TemporaryDirectory(dir="/tmp", prefix="ppr") as directory,
        FakeControl(Path(directory)) as control,
    ):
        yield control


def environment_of(directory: Path, **more: str) -> dict[str, str]:
    return {
        "PATH": os.defpath,
        "PYTHONPATH": str(ROOT),
        "HOME": str(directory),
        "PAPARATS_STATE_DIR": str(directory / "state"),
        "PAPARATS_CONFIG_DIR": str(directory / "config"),
        "PAPARATS_CACHE_DIR": str(directory / "cache"),
        "PAPARATS_DATA_DIR": str(directory / "data"),
        "PAPARATS_RUNTIME_DIR": str(directory / "run"),
        **more,
    }


def run(
    directory: Path, *argv: str, command: tuple[str, ...] = PAPARATS, **more: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (*command, *argv),
        env=environment_of(directory, **more),
        cwd=directory,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=20,
        check=False,
    )


def run_on_terminal(directory: Path, *argv: str, typed: str = "", **more: str) -> tuple[int, str]:
    """Run the command on a terminal; return its code and what it showed, `typed` included."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        (*PAPARATS, *argv),
        env=environment_of(directory, **{"COLUMNS": "100", "LINES": "40", **more}),
        cwd=directory,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    os.write(ours, typed.encode())
    shown = b""
    while True:
        ready, _, _ = select.select([ours], [], [], 20)
        assert ready, "the command hangs"
        try:
            piece = os.read(ours, 65_536)
        except OSError:  # how Linux tells that the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    return process.wait(20), shown.decode().replace("\r\n", "\n")


def test_status_imports_nothing_heavy(control: FakeControl) -> None:
    control.answer("GET", "/v1/status", daemon_status(project()))
    result = run(control.directory, "status", PYTHONPROFILEIMPORTTIME="1")
    assert result.returncode == 0
    imported = {
        line.rpartition("|")[2].strip().partition(".")[0] for line in result.stderr.splitlines()
    }
    assert "paparatsd" in imported
    assert imported & HEAVY == set()


def test_nobody_reading_the_output_is_no_error(control: FakeControl) -> None:
    long = answer(*(hit(text="line\n" * 5_000) for _ in range(20)))
    control.answer("POST", "/v1/search", long)
    process = subprocess.Popen(
        (*PAPARATS, "search", "x"),
        env=environment_of(control.directory),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(20) == 128 + signal.SIGPIPE


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_stream_that_the_shell_has_closed_is_no_error(control: FakeControl, closed: str) -> None:
    control.answer("GET", "/v1/status", daemon_status(project()))
    directory = control.directory
    done = subprocess.run(
        ("/bin/sh", "-c", f'"$@" {closed}', "sh", *PAPARATS, "status"),
        env=environment_of(directory),
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_a_terminal_gets_colours_and_a_pipe_does_not(control: FakeControl) -> None:
    control.answer("POST", "/v1/search", answer(hit()))
    code, shown = run_on_terminal(control.directory, "search", "x", TERM="xterm-256color")
    assert code == 0
    assert "\x1b[" in shown
    assert "Cart.total" in shown
    assert "\x1b" not in run(control.directory, "search", "x", TERM="xterm-256color").stdout


@pytest.mark.parametrize("terminal", ["dumb", ""])
def test_a_dumb_terminal_gets_no_escape_codes(control: FakeControl, terminal: str) -> None:
    control.answer("GET", "/v1/status", daemon_status(project()))
    code, shown = run_on_terminal(control.directory, "status", TERM=terminal)
    assert code == 0
    assert "\x1b" not in shown


def test_json_on_a_terminal_is_still_json(control: FakeControl) -> None:
    control.answer("GET", "/v1/status", daemon_status(project()))
    _, shown = run_on_terminal(control.directory, "status", "--json", TERM="xterm-256color")
    assert json.loads(shown)["pid"] == 4_194_300


def test_add_on_a_terminal_shows_progress_and_then_one_line(control: FakeControl) -> None:
    entry = {"name": "shop", "path": "/src/shop", "group": "g", "hooks": True, "exclude": []}
    control.answer("POST", "/v1/projects", {"project": entry})
    progress = {
        "files_done": 6,
        "files_total": 12,
        "chunks_done": 60,
        "files_rate": 30.0,
        "eta_s": 3.0,
    }
    busy = project(state="indexing", progress=progress)
    states: tuple[list[dict[str, Any]], ...] = ([], [busy], [project()])
    control.answer("GET", "/v1/projects", *({"projects": state} for state in states))
    code, shown = run_on_terminal(control.directory, "add", ".", TERM="xterm-256color")
    assert code == 0
    assert "6/12 files, 60 chunks, 30 files/s, 3 s left" in shown
    last = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown).splitlines()[-1]
    assert "shop (group default) is ready: 12 files" in last


def plain(shown: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)


@pytest.mark.parametrize("terminal", ["xterm-256color", "dumb"])
@pytest.mark.parametrize(
    ("width", "titles"),
    [
        ("120", "PROJECT GROUP STATE BRANCH FILES CHUNKS SKIPPED PENDING RATE ETA HISTORY"),
        ("70", "PROJECT GROUP STATE BRANCH FILES SKIPPED PENDING"),
        ("38", "PROJECT STATE FILES"),
        ("5", "PROJECT STATE FILES"),
    ],
)
def test_a_narrow_terminal_gets_fewer_columns_and_whole_words(
    control: FakeControl, terminal: str, width: str, titles: str
) -> None:
    projects = (project("a-longer-project"), project("日本語", group="backend", state="stale"))
    control.answer("GET", "/v1/status", daemon_status(*projects))
    code, shown = run_on_terminal(control.directory, "status", TERM=terminal, COLUMNS=width)
    assert code == 0
    table = plain(shown).splitlines()[-3:]
    assert table[0].split() == titles.split()
    assert table[2].split()[0] == "日本語"
    assert {len(line.split()) for line in table} == {len(titles.split())}
    if width != "5":
        assert max(map(len, table)) <= int(width)


def test_long_paths_stay_in_one_piece_on_a_narrow_terminal(control: FakeControl) -> None:
    long = "a very/long path/" * 8 + "x.png"
    files = [{"path": long, "reason": "too_large", "detail": "2 MB"}]
    files.append({"path": "b.png", "reason": "binary", "detail": ""})
    control.answer("GET", "/v1/skipped", {"projects": {"shop": files}})
    _, shown = run_on_terminal(control.directory, "skipped", TERM="xterm-256color", COLUMNS="70")
    lines = plain(shown).splitlines()
    assert lines[1] == f"shop     too_large  {long}  2 MB"
    assert lines[2] == "shop     binary     b.png"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_json_parses_whatever_the_encoding_and_the_content(
    control: FakeControl, encoding: str
) -> None:
    text = "grün \u202e \x9b \x1b[2J \ud800 日本"
    control.answer("POST", "/v1/search", answer(hit(text=text)))
    result = run(control.directory, "search", "x", "--json", PYTHONIOENCODING=encoding)
    assert json.loads(result.stdout)["results"][0]["text"] == text
    result = run(control.directory, "search", "x", PYTHONIOENCODING=encoding)
    assert (result.returncode, result.stderr) == (0, "")


COMPLETE = """
source "$1"
compopt() { :; }
paparats() { "$PYTHON" -m paparatsd.interfaces.cli.main "$@"; }
COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDS=("${@:3}") COMP_CWORD=$(($# - 3))
_paparats
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["search", "-g", ""], ["default", "web"]),
        (["list", "--group", "w"], ["web"]),
        (["search", "x", "--lang", ""], ["go", "python"]),
        (["search", "x", "--kind", "me"], ["method"]),
        (["search", "x", "-p", "s"], ["shop"]),
        (["show", ""], ["docs:", "shop:"]),
        (["show", "sh"], ["shop:"]),
        (["show", "shop", ":", ""], ["a\\ b.py", "src/"]),
        (["show", "shop", ":", "src/c"], ["src/cart.py"]),
        (["show", "other", ":", ""], []),
        (["service", "in"], ["install"]),
        (["doc", "shop", ":", "src/c"], ["src/cart.py"]),
        (["term", "re"], ["record"]),
        (["arch", "record", "de"], ["decision"]),
        (["arch", "list", "--kind", "l"], ["lesson"]),
        (["arch", "stats", "-p", "s"], ["shop"]),
    ],
)
def test_bash_completes_what_the_daemon_knows(
    control: FakeControl, words: list[str], offered: list[str]
) -> None:
    root = control.directory / "it's here"
    (root / "src").mkdir(parents=True)
    (root / "src" / "cart.py").touch()
    (root / "a b.py").touch()
    shop = project("shop", root=str(root), group="web", languages={"go": 1, "python": 1})
    control.answer("GET", "/v1/projects", {"projects": [shop, project("docs")]})
    line = "paparats " + " ".join(words).replace(" : ", ":")
    script = str(ROOT / "contrib" / "completions" / "paparats.bash")
    done = subprocess.run(
        ["bash", "-c", COMPLETE, "-", script, line, "paparats", *words],
        env=environment_of(control.directory, PYTHON=sys.executable),
        cwd=control.directory,
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert (sorted(done.stdout.split("\n")[:-1]), done.stderr) == (offered or [""], "")


LISTED = {"cards": [{"id": "some-id", "label": "Guard"}], "missing": [], "notes": []}
DELETED = {"deleted": ["some-id"], "missing": [], "restored": []}


@pytest.mark.parametrize(
    ("typed", "said", "calls"),
    [("y\n", "Deleted card some-id.", 1), ("\n", "nothing was deleted", 0)],
)
def test_deleting_on_a_terminal_asks_first(
    control: FakeControl, typed: str, said: str, calls: int
) -> None:
    control.answer("POST", "/v1/cards/list", LISTED)
    control.answer("POST", "/v1/cards/delete", DELETED)
    argv = ("arch", "delete", "some-id")
    code, shown = run_on_terminal(control.directory, *argv, typed=typed, TERM="xterm-256color")
    assert code == 0
    assert "Delete 1 card: 'Guard'? [y/N]" in plain(shown)
    assert said in plain(shown)
    assert len(control.made("POST", "/v1/cards/delete")) == calls
    _, shown = run_on_terminal(control.directory, *argv, "--yes", TERM="xterm-256color")
    assert "[y/N]" not in shown


def test_a_document_is_broken_at_words_on_a_narrow_terminal_but_its_code_is_not(
    control: FakeControl,
) -> None:
    text = "- " + "some words " * 12 + "\n\n```\n" + "code " * 20 + "\n```\n| a | table |\n"
    control.answer("POST", "/v1/docs", docs_answer(text))
    argv = ("docs", "x", "--full")
    _, shown = run_on_terminal(control.directory, *argv, TERM="xterm-256color", COLUMNS="40")
    lines = plain(shown).splitlines()
    assert "   - some words some words some words" in lines
    assert "     some words some words some words" in lines
    assert "   " + "code " * 19 + "code" in lines
    assert max(len(line) for line in lines if "code" not in line) <= 40


def docs_answer(content: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "project": "shop", "path": "a.md", "title": "A", "audience": "public", "link": None,
        "modified": None, "modified_at": None, "dated_by": "", "address": "shop:a.md",
        "breadcrumb": [], "start_line": 1, "end_line": 9, "place_line": 1,
        "content": content, "relevance": 0.5,
        "excerpt": {"first": 1, "last": 1, "total": 1}, "also_in": [],
    }  # fmt: skip
    return {"terms": [], "results": [found], "freshness": [freshness()], "notes": []}


def test_an_interrupt_ends_without_a_trace(control: FakeControl) -> None:
    control.answer("GET", "/v1/status", daemon_status(project()))
    process = subprocess.Popen(
        (*PAPARATS, "status", "--watch"),
        env=environment_of(control.directory),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b"PROJECT")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (130, b"")


def test_a_frozen_daemon_is_told_at_the_deadline() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="ppr") as name:
        directory = Path(name)
        (directory / "run").mkdir(mode=0o700)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as frozen:
            frozen.bind(str(directory / "run" / "control.sock"))
            frozen.listen(8)
            result = run(directory, "status", "--timeout", "0.2")
    assert (result.returncode, result.stdout) == (69, "")
    assert "did not answer within 0.2 s" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_garbage_on_the_socket_is_a_bad_reply() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="ppr") as name:
        directory = Path(name)
        (directory / "run").mkdir(mode=0o700)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
            server.bind(str(directory / "run" / "control.sock"))
            server.listen(8)
            process = subprocess.Popen(
                (*PAPARATS, "list"), env=environment_of(directory), stderr=subprocess.PIPE
            )
            with server.accept()[0] as connection:
                connection.recv(65_536)
                connection.sendall(b"SSH-2.0-OpenSSH\r\n\r\n")
                _, err = process.communicate(timeout=20)
    assert process.returncode == 76
    assert b"does not speak HTTP" in err


@pytest.mark.parametrize(
    ("argv", "variables", "code", "needle"),
    [
        ((), {"PAPARATS_PORT": "x"}, 78, "PAPARATS_PORT"),
        (("--host", "0.0.0.0"), {}, 78, "http.host"),  # noqa: S104 - refused
        (("--set", "http.port"), {}, 64, "section.key=value"),
        (("--set", "http.prot=1"), {}, 78, "no setting 'http.prot'"),
        ((), {"PAPARATS_KNOWLEDGE_AUDIENCE": "public"}, 78, "PAPARATS_KNOWLEDGE_TOKENS"),
        (("--no-such-flag",), {}, 64, "see paparatsd --help"),
        (("--state-dir", "/proc/self/exe"), {}, 78, "not a directory"),
    ],
)
def test_the_daemon_refuses_bad_settings_in_one_line_and_creates_nothing(
    tmp_path: Path, argv: tuple[str, ...], variables: dict[str, str], code: int, needle: str
) -> None:
    result = run(tmp_path, *argv, command=PAPARATSD, **variables)
    assert result.returncode == code
    assert needle in result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_daemon_checks_its_settings_without_starting(tmp_path: Path) -> None:
    result = run(tmp_path, "--check", "--port", "0", "--log-level", "debug", command=PAPARATSD)
    assert (result.returncode, result.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_a_created_token_is_private_and_not_shown(tmp_path: Path) -> None:
    result = run(tmp_path, "--create-token", command=PAPARATSD)
    assert result.returncode == 0
    token = (tmp_path / "config" / "token").read_text().strip()
    assert token not in result.stdout + result.stderr
    assert (tmp_path / "config" / "token").stat().st_mode & 0o777 == 0o600
    assert run(tmp_path, "--create-token", command=PAPARATSD).returncode == 64


def test_up_tells_why_the_daemon_cannot_start(tmp_path: Path) -> None:
    result = run(tmp_path, "up", PAPARATS_PORT="none")
    assert result.returncode == 78
    assert "could not start: environment: PAPARATS_PORT: 'none' cannot be used" in result.stderr
    assert (tmp_path / "state" / "paparatsd.log").stat().st_mode & 0o777 == 0o600


def test_up_tells_that_ranking_weights_cannot_be_used(tmp_path: Path) -> None:
    weights = tmp_path / "weights.json"
    weights.write_text('{"format": 1, "meaning": {}, "words": {}}')
    result = run(tmp_path, "up", PAPARATS_SEARCH_RANKER=str(weights), PAPARATS_PORT="0")
    assert result.returncode != 0
    assert f"the ranking weights in {weights} cannot be used" in result.stderr
    assert "search.ranker" in result.stderr


def test_a_package_in_the_working_directory_is_not_run(tmp_path: Path) -> None:
    fake = tmp_path / "paparatsd"
    fake.mkdir()
    (fake / "__init__.py").write_text("")
    (fake / "__main__.py").write_text("open('run-by-mistake', 'w').close()\n")
    safe = (sys.executable, "-P", *PAPARATS[1:])  # as an installed command: safe by itself
    result = run(tmp_path, "up", command=safe, PAPARATS_PORT="none")
    assert result.returncode == 78
    assert not (tmp_path / "run-by-mistake").exists()


def test_up_tells_at_once_that_the_port_is_taken_and_logs_only_json(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        began = time.monotonic()
        result = run(tmp_path, "up", PAPARATS_PORT=port)
    assert time.monotonic() - began < 10
    assert result.returncode == 75
    assert f"port {port} on 127.0.0.1 is taken" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    run(tmp_path, "up", PAPARATS_PORT="none")
    lines = (tmp_path / "state" / "paparatsd.log").read_text().splitlines()
    assert [json.loads(line)["event"] for line in lines].count("cannot_run") == 2


@pytest.mark.parametrize(("command", "code"), [("up", 75), ("status", 69), ("down", 69)])
def test_a_daemon_at_another_socket_is_named(tmp_path: Path, command: str, code: int) -> None:
    (tmp_path / "state").mkdir()
    other = tmp_path / "elsewhere" / "control.sock"
    with StateLock(tmp_path / "state", other):
        result = run(tmp_path, command, PAPARATS_PORT="0")
    assert result.returncode == code
    assert f"a daemon (pid {os.getpid()}) runs on {tmp_path / 'state'}" in result.stderr
    assert f"answers at {other}" in result.stderr
    assert f"--runtime-dir {other.parent}" in result.stderr

"""`paparats up`, `down` and `mcp`: the daemon as a background process of the user."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from paparatsd.errors import Busy, PaparatsError, Unavailable
from paparatsd.exits import CODES
from paparatsd.interfaces.cli.context import Context
from paparatsd.interfaces.cli.holder import elsewhere, is_held, runs
from paparatsd.interfaces.cli.parser import FORMER_FLAGS
from paparatsd.locations import KINDS, prepare_places

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paparatsd.settings import Places

START_S = 30.0
STOP_S = 15.0
STEP_S = 0.02
GRACE_S = 0.2
PROBE_S = 2.0
ACTIVATION_S = 10.0
MAX_LOG_BYTES = 5 << 20
LOG_TAIL_BYTES = 4_096
SILENT = "the daemon runs but does not answer; it may hang: look for its process and its log"


def up(context: Context) -> int:
    """Start the daemon unless it runs; return when it answers."""
    spawned = ensure_running(context)
    answer = context.client(5.0).status()
    started = spawned == answer["pid"]
    if context.as_json:
        facts = {key: answer[key] for key in ("version", "pid", "http", "socket", "state_dir")}
        context.output.json({"started": started, **facts, "log": str(context.places.log_file)})
        return 0
    said = "started" if started else "is running already"
    context.output.line(f"paparatsd {answer['version']} {said}, pid {answer['pid']}")
    context.output.line(f"http {answer['http']}, socket {answer['socket']}")
    if started:
        context.output.line(f"log {context.places.log_file}")
    return 0


def down(context: Context) -> int:
    """Stop the daemon and wait for its end; that none runs is fine."""
    if not is_listening(context.places):
        if other := elsewhere(context.places):
            raise Unavailable(other)
        return _say_stopped(context, was_running=False)
    client = context.client(5.0)
    pid = client.status()["pid"]
    client.stop()
    deadline = time.monotonic() + STOP_S
    while runs(pid):
        if time.monotonic() > deadline:
            raise Busy(f"the daemon (pid {pid}) was told to stop but still runs; wait, or kill it")
        time.sleep(STEP_S)
    return _say_stopped(context, was_running=True)


def _say_stopped(context: Context, *, was_running: bool) -> int:
    if context.as_json:
        context.output.json({"stopped": was_running})
    else:
        context.output.line("stopped" if was_running else "the daemon is not running")
    return 0


def mcp(context: Context) -> int:
    """Bridge MCP between standard input and output and the daemon."""
    from paparatsd.interfaces.stdio import run_bridge

    starting = with_former_flags(context)
    run_bridge(
        context.places.control_socket,
        sys.stdin.buffer,
        sys.stdout.buffer,
        start=lambda: ensure_running(starting),
        toolset=context.arguments.toolset,
    )
    return 0


def with_former_flags(context: Context) -> Context:
    """Return the context in which a daemon is started: with flags of old as its variables."""
    names = [flag.replace("-", "_") for flag in FORMER_FLAGS]
    flags = {name.upper(): getattr(context.arguments, name) for name in names}
    told = {name: value for name, value in flags.items() if value is not None}
    environment = {**context.environment, **told}
    return Context(context.places, context.output, context.arguments, environment)


def ensure_running(context: Context) -> int | None:
    """Start the daemon unless it answers; return the id of the process that was started.

    Another start at the same time may be quicker; then ours ends by itself. Raises Unavailable,
    or what made the new daemon end.
    """
    if is_listening(context.places):
        # With socket activation this very question starts the daemon.
        if context.client().is_up(timeout_s=ACTIVATION_S):
            return None
        raise Unavailable(SILENT)
    if other := elsewhere(context.places):
        raise Busy(other)
    prepare_places(context.places)
    log_file = context.places.log_file
    begin = _make_room(log_file)
    pid = _spawn(context.places, context.environment)
    deadline = time.monotonic() + START_S
    code: int | None = None
    alone_since: float | None = None
    while not _answers(context):
        code = _exit_code(pid) if code is None else code
        if code is not None:
            # Another start may have been quicker; then its daemon will answer soon.
            rival = code == CODES[Busy] and is_held(context.places)
            alone_since = None if rival else alone_since or time.monotonic()
            # A rival has the lock for a moment before its name is in it.
            grace = GRACE_S if code == CODES[Busy] else 0.0
            if alone_since is not None and time.monotonic() >= alone_since + grace:
                raise _start_failed(code, log_file, begin)
        if time.monotonic() > deadline:
            raise Unavailable(
                f"the daemon does not answer {START_S:g} s after its start; see {log_file}"
            )
        time.sleep(STEP_S)
    return pid


def _answers(context: Context) -> bool:
    return is_listening(context.places) and context.client().is_up(timeout_s=PROBE_S)


def is_listening(places: Places) -> bool:
    """Say whether anybody holds the socket, even if it does not answer."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(PROBE_S)
        try:
            probe.connect(str(places.control_socket))
        except TimeoutError:
            return True
        except OSError:
            return False
    return True


def _make_room(log_file: Path) -> int:
    """Put a log that has grown too large aside; return where the lines of the next start begin."""
    if not log_file.exists():
        return 0
    size = log_file.stat().st_size
    if size <= MAX_LOG_BYTES:
        return size
    log_file.replace(log_file.with_suffix(".log.1"))
    return 0


def _spawn(places: Places, environment: Mapping[str, str]) -> int:
    """Start the daemon in a session of its own, logging to its file; return its process id."""
    package_parent = str(Path(__file__).resolve().parents[3])
    known = environment.get("PYTHONPATH", "")
    variables = {
        **environment,
        "PYTHONPATH": os.pathsep.join(filter(None, (package_parent, known))),
    }
    flags = [f"--{kind}-dir={getattr(places, kind)}" for kind in KINDS]
    return os.posix_spawn(
        sys.executable,
        # -P: a directory named paparatsd in the working directory is not ours.
        [sys.executable, "-P", "-m", "paparatsd", *flags],
        variables,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (
                os.POSIX_SPAWN_OPEN,
                1,
                places.log_file,
                os.O_WRONLY | os.O_CREAT | os.O_APPEND,
                0o600,
            ),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
    )


def _exit_code(pid: int) -> int | None:
    """Return the exit code of our child, None while it runs."""
    ended, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


def _start_failed(code: int, log_file: Path, begin: int) -> PaparatsError:
    """Return the error with which the daemon ended, told from its code and its last line."""
    message = _last_line(log_file, begin) or f"it ended with code {code}; see {log_file}"
    for error_class, known in CODES.items():
        if known == code and error_class is not PaparatsError:
            return error_class(f"the daemon could not start: {message}")
    return Unavailable(f"the daemon could not start: {message}")


def _last_line(log_file: Path, begin: int) -> str:
    """Return the last sentence that was logged after the first `begin` bytes."""
    try:
        with log_file.open("rb") as file:
            file.seek(max(begin, file.seek(0, os.SEEK_END) - LOG_TAIL_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    sentences = [sentence for line in lines if (sentence := _sentence(line))]
    return sentences[-1] if sentences else ""


def _sentence(line: str) -> str:
    """Return why the daemon could not run, if this line of its log says so."""
    if line.startswith("paparatsd: "):
        return line.removeprefix("paparatsd: ")
    try:
        event = json.loads(line)
    except ValueError:
        return ""
    is_end = isinstance(event, dict) and event.get("event") == "cannot_run"
    return str(event.get("error", "")) if is_end else ""

"""The systemd user service: put the units in place, take them away, say how they are.

The only part of the command line that runs another program: `systemctl --user`, when it answers.
Where it does not (no session bus, another init system), the files are written all the same and
the report says what to run.
"""

from __future__ import annotations

import re
import secrets
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.errors import BadSettings, Conflict
from paparatsd.packaged import packaged

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SERVICE, SOCKET = "paparatsd.service", "paparatsd.socket"
UNITS = (SERVICE, SOCKET)
PLACEHOLDER = "@PAPARATSD@"
MARK = '# Written by "paparats service install"'
SYSTEMCTL_TIMEOUT_S = 30.0
LINGER = "To run it without being logged in: loginctl enable-linger"
SILENT = "systemd does not answer here; the units are written. Meanwhile use: paparats up"


@dataclass(frozen=True, slots=True)
class ServiceReport:
    """How the service is.

    `state` is installed, outdated (other text than this version would write), foreign (files of
    that name that we did not write) or absent. `active` and `enabled` are systemd's own words,
    "unknown" when it does not answer. `advice` is for a person, "" when there is nothing to do.
    """

    directory: str
    state: str
    active: str
    enabled: str
    advice: str


class Systemctl:
    """Runs `systemctl --user`; every answer may be missing."""

    def __init__(self, program: str | None) -> None:
        self._program = program

    @classmethod
    def find(cls) -> Systemctl:
        """Return the one on PATH."""
        return cls(shutil.which("systemctl"))

    def run(self, *arguments: str) -> tuple[int, str] | None:
        """Return (exit code, output), None when there is no program or no answer in time."""
        if self._program is None:
            return None
        try:
            done = subprocess.run(
                [self._program, "--user", "--no-pager", *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="backslashreplace",
                timeout=SYSTEMCTL_TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.returncode, (done.stdout or done.stderr).strip()

    def word(self, verb: str) -> str:
        """Return the one word `is-active` or `is-enabled` says, "unknown" without an answer."""
        answer = self.run(verb, SERVICE)
        # With no bus there is a sentence on the error stream instead of a word.
        return (
            answer[1] if answer is not None and re.fullmatch(r"[a-z-]+", answer[1]) else "unknown"
        )

    def answers(self) -> bool:
        """Say whether there is a systemd of the user's to talk to."""
        return self.word("is-active") != "unknown"

    def first_failure(self, calls: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
        """Run the calls in order and return the first that fails, None when all went well."""
        for call in calls:
            answer = self.run(*call)
            if answer is None or answer[0] != 0:
                return call
        return None


def unit_directory(config_home: Path) -> Path:
    """Return where user units belong, below $XDG_CONFIG_HOME."""
    return config_home / "systemd" / "user"


def unit_texts(program: Path) -> dict[str, str]:
    """Return the units' texts for a `paparatsd` at this absolute path."""
    directory = packaged("systemd")
    quoted = _quote(program)
    return {
        name: (directory / name).read_text("utf-8").replace(PLACEHOLDER, quoted) for name in UNITS
    }


def _quote(program: Path) -> str:
    """Write a path the way unit files want it. Raises BadSettings where there is no way."""
    text = str(program)
    if not program.is_absolute() or "$" in text or not text.isprintable():
        raise BadSettings(f"{text!r} cannot be written into a unit file; install it elsewhere")
    text = text.replace("%", "%%")
    if re.fullmatch(r"[\w./%+@:,=-]+", text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def install(directory: Path, program: Path, systemctl: Systemctl | None = None) -> ServiceReport:
    """Write the units, enable the service and start it (again, when its text changed).

    Raises Conflict for files of that name that are not ours, BadSettings for a place that cannot
    be written.
    """
    systemctl = systemctl or Systemctl.find()
    texts = unit_texts(program)
    for name in UNITS:
        _refuse_foreign(directory / name)
    changed = False
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            changed |= _write(directory / name, text)
    except OSError as error:
        raise BadSettings(f"{directory} cannot be written: {error.strerror}") from None
    begin = "restart" if changed else "start"
    calls = (("daemon-reload",), ("enable", SERVICE), (begin, SERVICE))
    failed = systemctl.first_failure(calls)
    if failed is None:
        return inspect(directory, program, systemctl, advice=LINGER)
    commands = _commands(calls[calls.index(failed) :])
    if not systemctl.answers():
        advice = f"{SILENT}. Where it answers, run: {commands}"
    else:
        advice = f"systemctl --user {' '.join(failed)} failed. Run: {commands}. {LINGER}"
    return inspect(directory, program, systemctl, advice=advice)


def uninstall(directory: Path, program: Path, systemctl: Systemctl | None = None) -> ServiceReport:
    """Stop and disable the service and remove the units we wrote; drop-ins are left."""
    systemctl = systemctl or Systemctl.find()
    ours = [name for name in UNITS if _is_ours(directory / name)]
    if not ours:
        return inspect(directory, program, systemctl)
    stopped = systemctl.first_failure([("disable", "--now", *ours)])
    try:
        for name in ours:
            (directory / name).unlink(missing_ok=True)
    except OSError as error:
        raise BadSettings(f"{directory} cannot be written: {error.strerror}") from None
    reloaded = systemctl.first_failure([("daemon-reload",)])
    advice = ""
    if stopped or reloaded:
        _remove_links(directory)
        advice = "systemd does not answer here; stop a running daemon with: paparats down"
        if systemctl.answers():
            advice = "systemctl could not stop it; stop a running daemon with: paparats down"
    _remove_empty(directory)
    return inspect(directory, program, systemctl, advice=advice)


def inspect(
    directory: Path, program: Path, systemctl: Systemctl | None = None, *, advice: str = ""
) -> ServiceReport:
    """Say how the service is, without changing anything."""
    systemctl = systemctl or Systemctl.find()
    present = [name for name in UNITS if (directory / name).exists()]
    if not present:
        return ServiceReport(str(directory), "absent", systemctl.word("is-active"), "no", advice)
    state = "installed"
    if not all(_is_ours(directory / name) for name in present):
        state = "foreign"
    elif {name: _read(directory / name) for name in UNITS} != unit_texts(program):
        state = "outdated"
        advice = advice or "Run: paparats service install"
    return ServiceReport(
        str(directory), state, systemctl.word("is-active"), systemctl.word("is-enabled"), advice
    )


def _commands(calls: Sequence[tuple[str, ...]]) -> str:
    return " && ".join(f"systemctl --user {' '.join(call)}" for call in calls)


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", "backslashreplace")
    except OSError:
        return None


def _is_ours(path: Path) -> bool:
    return not path.is_symlink() and (_read(path) or "").startswith(MARK)


def _refuse_foreign(path: Path) -> None:
    if (path.exists() or path.is_symlink()) and not _is_ours(path):
        raise Conflict(f"{path} exists and was not written by us; move it away first")


def _write(path: Path, text: str) -> bool:
    """Replace the file in one step; returns whether there was anything to do."""
    if _read(path) == text:
        return False
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        temporary.write_text(text, "utf-8")
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return True


def _remove_links(directory: Path) -> None:
    """Do by hand what `disable` does, when systemctl could not."""
    for name, target in ((SERVICE, "default.target"), (SOCKET, "sockets.target")):
        link = directory / f"{target}.wants" / name
        if link.is_symlink():
            link.unlink()
            _remove_empty(link.parent, up=1)


def _remove_empty(directory: Path, up: int = 2) -> None:
    """Remove the directory and those above it, `up` in all, as far as nothing is in them.

    systemd makes them again for whoever needs them, and an installation does.
    """
    for one in (directory, *directory.parents)[:up]:
        try:
            one.rmdir()
        except OSError:
            return

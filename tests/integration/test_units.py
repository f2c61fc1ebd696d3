"""The systemd units: accepted by systemd without a word, installed and removed cleanly."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from paparatsd.errors import BadSettings, Conflict
from paparatsd.interfaces.cli import service_unit
from paparatsd.interfaces.cli.service_unit import SERVICE, SOCKET, UNITS, Systemctl, unit_texts

PROGRAM = Path(sys.executable)


@pytest.fixture
def units(tmp_path: Path) -> Path:
    return service_unit.unit_directory(tmp_path / "config")


def fake_systemctl(tmp_path: Path, code: int = 0) -> tuple[Systemctl, Path]:
    """Make a systemctl that notes its arguments and answers like the real one.

    With an exit code it is one without a bus, or whose every change fails (`code` below 0).
    """
    said = tmp_path / "said"
    program = tmp_path / "systemctl"
    say = ":" if code > 0 else "echo"
    program.write_text(
        f'#!/bin/sh\nshift 2\necho "$@" >> "{said}"\n'
        + ("echo No medium found >&2\n" if code > 0 else "")
        + f"case $1 in is-active) {say} active;; is-enabled) {say} enabled;; esac\n"
        + f"exit {abs(code)}\n"
    )
    program.chmod(0o755)
    return Systemctl(str(program)), said


NO_SYSTEMD = Systemctl(None)


def verify(directory: Path, runtime: Path) -> str:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    runtime.mkdir(mode=0o700, exist_ok=True)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", *(str(directory / name) for name in UNITS)],
        env={**os.environ, "XDG_RUNTIME_DIR": str(runtime)},
        capture_output=True,
        text=True,
        check=False,
    )
    said = (done.stdout + done.stderr).splitlines(keepends=True)
    # What else is installed may complain, too, when a user's environment is put together.
    return "".join(line for line in said if "-environment-generators/" not in line)


def test_systemd_has_nothing_to_say_about_the_units(units: Path, tmp_path: Path) -> None:
    service_unit.install(units, PROGRAM, NO_SYSTEMD)
    assert verify(units, tmp_path / "runtime") == ""


def test_a_misspelt_key_would_be_noticed(units: Path, tmp_path: Path) -> None:
    service_unit.install(units, PROGRAM, NO_SYSTEMD)
    text = (units / SERVICE).read_text()
    (units / SERVICE).write_text(text.replace("WatchdogSec=", "WatchdogSecs="))
    assert "WatchdogSecs" in verify(units, tmp_path / "runtime")


def test_the_promises_are_in_the_units() -> None:
    service, socket = (unit_texts(PROGRAM)[name].splitlines() for name in UNITS)
    assert f"ExecStart={PROGRAM}" in service
    for line in (
        "Type=notify",
        "WatchdogSec=60",
        "Restart=on-failure",
        "RestartPreventExitStatus=75 77 78",
        "NoNewPrivileges=yes",
        "UMask=0077",
    ):
        assert line in service
    for key in ("MemoryHigh", "MemoryMax", "CPUWeight", "StartLimitBurst", "SystemCallFilter"):
        assert sum(line.startswith(f"{key}=") for line in service) == 1
    assert {"SocketMode=0600", "DirectoryMode=0700"} <= set(socket)
    assert [line for line in socket if line.startswith("ListenStream=")] == [
        "ListenStream=%t/paparatsd/control.sock",
        "ListenStream=127.0.0.1:9876",
    ]


@pytest.mark.parametrize(
    ("program", "written"),
    [
        ("/opt/a b/paparatsd", 'ExecStart="/opt/a b/paparatsd"'),
        ("/opt/100%/paparatsd", "ExecStart=/opt/100%%/paparatsd"),
        ('/opt/"x"/paparatsd', r'ExecStart="/opt/\"x\"/paparatsd"'),
    ],
)
def test_odd_paths_are_quoted(program: str, written: str) -> None:
    assert written in unit_texts(Path(program))[SERVICE].splitlines()


@pytest.mark.parametrize("program", ["paparatsd", "/opt/$HOME/x", "/opt/a\nExecStartPre=/bin/x"])
def test_paths_that_cannot_be_quoted_are_refused(program: str) -> None:
    with pytest.raises(BadSettings):
        unit_texts(Path(program))


def test_a_path_with_a_space_passes_verification(units: Path, tmp_path: Path) -> None:
    program = tmp_path / "with space" / "paparatsd"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    service_unit.install(units, program, NO_SYSTEMD)
    assert verify(units, tmp_path / "runtime") == ""


def test_install_writes_enables_and_starts(units: Path, tmp_path: Path) -> None:
    systemctl, said = fake_systemctl(tmp_path)
    report = service_unit.install(units, PROGRAM, systemctl)
    assert (report.state, report.active, report.enabled) == ("installed", "active", "enabled")
    assert said.read_text().splitlines()[:3] == [
        "daemon-reload",
        f"enable {SERVICE}",
        f"restart {SERVICE}",
    ]
    said.unlink()
    before = (units / SERVICE).stat()
    service_unit.install(units, PROGRAM, systemctl)
    assert (units / SERVICE).stat() == before
    assert said.read_text().splitlines()[2] == f"start {SERVICE}"


def test_without_an_answer_the_report_says_what_to_run(units: Path, tmp_path: Path) -> None:
    for systemctl in (NO_SYSTEMD, fake_systemctl(tmp_path, code=1)[0], Systemctl("/nowhere")):
        report = service_unit.install(units, PROGRAM, systemctl)
        assert report.state == "installed"
        assert "systemctl --user daemon-reload" in report.advice
        assert f"systemctl --user enable {SERVICE}" in report.advice
        assert report.advice.startswith("systemd does not answer here; the units are written.")
        assert "paparats up" in report.advice
        assert report.active == "unknown"


def test_a_call_that_fails_is_named(units: Path, tmp_path: Path) -> None:
    report = service_unit.install(units, PROGRAM, fake_systemctl(tmp_path, code=-1)[0])
    assert report.advice.startswith("systemctl --user daemon-reload failed. Run: ")
    assert "does not answer" not in report.advice


def test_uninstall_leaves_nothing_of_ours(units: Path, tmp_path: Path) -> None:
    systemctl, said = fake_systemctl(tmp_path)
    service_unit.install(units, PROGRAM, systemctl)
    (units / "other.service").write_text("[Service]\n")
    report = service_unit.uninstall(units, PROGRAM, systemctl)
    assert report.state == "absent"
    assert [path.name for path in units.iterdir()] == ["other.service"]
    assert f"disable --now {SERVICE} {SOCKET}" in said.read_text()
    assert service_unit.uninstall(units, PROGRAM, systemctl).state == "absent"


def test_without_systemd_the_links_of_enable_are_removed_too(units: Path) -> None:
    service_unit.install(units, PROGRAM, NO_SYSTEMD)
    wants = units / "default.target.wants"
    wants.mkdir()
    (wants / SERVICE).symlink_to(units / SERVICE)
    service_unit.uninstall(units, PROGRAM, NO_SYSTEMD)
    assert not units.exists()


@pytest.mark.parametrize("others", [(), ("systemd",), ("systemd", "user")])
def test_uninstall_leaves_no_empty_directory(
    units: Path, tmp_path: Path, others: tuple[str, ...]
) -> None:
    home = tmp_path / "config"
    theirs = home.joinpath(*others, "theirs")
    theirs.parent.mkdir(parents=True)
    theirs.write_text("x")
    service_unit.install(units, PROGRAM, NO_SYSTEMD)
    report = service_unit.uninstall(units, PROGRAM, NO_SYSTEMD)
    assert report.state == "absent"
    assert [path for path in home.rglob("*") if not path.is_dir()] == [theirs]
    assert not [path for path in home.rglob("*") if path.is_dir() and not list(path.iterdir())]


def test_units_of_others_are_never_touched(units: Path) -> None:
    units.mkdir(parents=True)
    (units / SERVICE).write_text("[Service]\nExecStart=/bin/true\n")
    with pytest.raises(Conflict, match="was not written by us"):
        service_unit.install(units, PROGRAM, NO_SYSTEMD)
    assert service_unit.inspect(units, PROGRAM, NO_SYSTEMD).state == "foreign"
    service_unit.uninstall(units, PROGRAM, NO_SYSTEMD)
    assert (units / SERVICE).read_text() == "[Service]\nExecStart=/bin/true\n"
    assert not (units / SOCKET).exists()


def test_units_of_an_older_version_are_outdated(units: Path) -> None:
    service_unit.install(units, Path("/old/paparatsd"), NO_SYSTEMD)
    report = service_unit.inspect(units, PROGRAM, NO_SYSTEMD)
    assert (report.state, report.advice) == ("outdated", "Run: paparats service install")
    assert service_unit.install(units, PROGRAM, NO_SYSTEMD).state == "installed"


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("a file")
    with pytest.raises(BadSettings, match="cannot be written"):
        service_unit.install(tmp_path / "config" / "systemd" / "user", PROGRAM, NO_SYSTEMD)

"""`paparats hooks`, `service`, `completions`: what is installed outside of the daemon."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadSettings, UnknownProject, UserError
from paparatsd.interfaces.cli.background import is_listening
from paparatsd.interfaces.cli.output import Column
from paparatsd.interfaces.cli.projects import absolute
from paparatsd.locations import config_home
from paparatsd.packaged import packaged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paparatsd.interfaces.cli.context import Context

STATES = {"absent": "not installed", "foreign": "not installed", "partial": "partly installed"}
REMOVED = "Removed"
"""How the advice begins when hooks were there and were taken out."""
COMPLETION_FILES = {"bash": "paparats.bash", "zsh": "_paparats", "fish": "paparats.fish"}


def hooks(context: Context) -> int:
    """Install, remove or look at the git hooks of a checkout."""
    arguments = context.arguments
    client = context.client(60.0)
    if arguments.all:
        return _all_hooks(context)
    report = client.hooks(arguments.verb, hook_target(context, arguments.path))
    if context.as_json:
        context.output.json(report)
        return 0
    if arguments.verb == "uninstall" and not _ours_in_place(report):
        return _say_uninstalled(context, report)
    _print_hooks(context, report)
    return 0


def _ours_in_place(report: Mapping[str, Any]) -> bool:
    return any(word.startswith("installed") for word in report["hooks"].values())


def _say_uninstalled(context: Context, report: Mapping[str, Any]) -> int:
    """Say first what was done, then what else is to know; there is no hook left to list."""
    where = report["directory"]
    first, _, rest = report["advice"].partition(". ")
    if first.removesuffix(".").startswith(REMOVED):
        said, advice = f"removed the hooks from {where}{first[len(REMOVED) :]}", rest
    else:
        said = f"there were no hooks of ours in {where}; nothing was changed"
        advice = report["advice"]
    context.output.paragraph(said.removesuffix("."))
    if advice:
        context.output.paragraph(advice, style="yellow")
    return 0


def _all_hooks(context: Context) -> int:
    """Print the hooks of every repository that has a project, each once."""
    if context.arguments.verb != "status":
        raise UserError("--all goes with status only; name the checkout to change its hooks")
    client = context.client(60.0)
    reports: dict[str, dict[str, Any]] = {}
    without: list[str] = []
    for project in client.projects():
        try:
            report = client.hooks("status", project["name"])
        except UserError as error:
            without.append(f"{project['name']}: {error}")
            continue
        known = reports.setdefault(report["directory"], {**report, "projects": []})
        known["projects"].append(project["name"])
    if context.as_json:
        context.output.json({"repositories": list(reports.values()), "without": without})
        return 0
    for report in reports.values():
        context.output.line(", ".join(report["projects"]), style="bold")
        _print_hooks(context, report)
        context.output.line()
    for line in without:
        context.output.line(line, style="yellow")
    return 0


def _print_hooks(context: Context, report: Mapping[str, Any]) -> None:
    state = report["state"]
    context.output.line(f"hooks {STATES.get(state, state)} in {report['directory']}")
    if report["hooks"]:
        columns = (Column("HOOK"), Column("STATE"), Column("LAST FIRED"), Column("ALSO RUNS"))
        rows = [
            [
                kind,
                word,
                _when(report["fired"].get(kind)),
                "; ".join(report["beside"].get(kind, ())) or "-",
            ]
            for kind, word in report["hooks"].items()
        ]
        context.output.table(columns, rows)
    if report["advice"]:
        context.output.paragraph(report["advice"], style="yellow")


def _when(seconds: float | None) -> str:
    if seconds is None:
        return "never"
    return datetime.fromtimestamp(seconds).astimezone().isoformat(" ", "seconds")


def hook_target(context: Context, text: str) -> str:
    """Return what the daemon takes: an absolute path, or the name of a project.

    Raises UnknownProject for a word that is neither a directory here nor a name.
    """
    path = absolute(text)
    if "/" in text or Path(path).is_dir():
        return path
    if text in {one["name"] for one in context.client().projects()}:
        return text
    raise UnknownProject(f"{path} is no directory, and no project has the name {text!r}")


def service(context: Context) -> int:
    """Install, remove or look at the systemd user service."""
    from paparatsd.interfaces.cli import service_unit

    verb: str = context.arguments.verb
    act = {
        "install": service_unit.install,
        "uninstall": service_unit.uninstall,
        "status": service_unit.inspect,
    }[verb]
    directory = service_unit.unit_directory(config_home(context.environment))
    report = act(directory, daemon_program(context.environment))
    if context.as_json:
        context.output.json(asdict(report))
        return 0
    context.output.line(
        f"service {report.state} in {report.directory}; active: {report.active}, "
        f"enabled: {report.enabled}"
    )
    if report.advice:
        context.output.line(report.advice, style="yellow")
    if verb == "install" and report.active != "active" and is_listening(context.places):
        context.output.line(
            "a daemon runs already outside of the service; stop it first: paparats down",
            style="yellow",
        )
    return 0


def daemon_program(environment: Mapping[str, str]) -> Path:
    """Return the absolute path of the `paparatsd` command that belongs to this installation."""
    beside = Path(sys.executable).parent / "paparatsd"
    if os.access(beside, os.X_OK):
        return beside
    found = shutil.which("paparatsd", path=environment.get("PATH"))
    if found is None:
        raise BadSettings("the command paparatsd is not installed; run: pip install paparatsd")
    return Path(found).absolute()


def completions(context: Context) -> int:
    """Print the completion script for a shell."""
    shell: str = context.arguments.shell
    text = (packaged("completions") / COMPLETION_FILES[shell]).read_text(encoding="utf-8")
    if context.as_json:
        context.output.json({"shell": shell, "script": text})
    else:
        sys.stdout.write(text)
    return 0

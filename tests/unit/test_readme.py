"""README says what the code does: settings with their defaults, commands and directories."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paparatsd.history_model import HistoryState
from paparatsd.interfaces.cli.parser import build_parser
from paparatsd.loading import OPTIONS
from paparatsd.settings import Places, Settings

if TYPE_CHECKING:
    import argparse

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
SETTINGS = Settings(Places(*[Path("/x")] * 5))

WHERE = {"-p", "-g", "--path", "--fresh"}


def rows(section: str) -> dict[str, list[str]]:
    """Return the cells of a section's tables by what the first cell names."""
    text = README.split(f"\n## {section}\n")[1].split("\n## ")[0]
    lines = [line.strip("| ") for line in text.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)] for line in lines]
    return {line[0].strip("`"): line[1:] for line in cells}


def shown(value: Any) -> str:
    if value in ("", None):
        return "unset"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`{list(value)}`"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def test_every_setting_is_there_with_its_default_and_its_variables() -> None:
    table = rows("Settings")
    assert set(table) - {"setting", "---"} == set(OPTIONS)
    for key, option in OPTIONS.items():
        section, _, name = key.partition(".")
        default, variables, about = table[key][:3]
        assert default == shown(getattr(getattr(SETTINGS, section), name)), key
        assert variables == ", ".join(f"`{one}`" for one in option.variables), key
        assert about, key


def test_every_command_is_there() -> None:
    [commands] = [
        action.choices for action in build_parser()._actions if isinstance(action.choices, dict)
    ]
    named = " ".join(rows("Command line"))
    for command in commands:
        assert re.search(rf"\b{command}\b", named), command


def options_of(command: argparse.ArgumentParser) -> list[tuple[str, ...]]:
    """Return the ways to write each option of a command but --help and --json."""
    return [
        tuple(action.option_strings)
        for action in command._actions
        if action.option_strings and not {"--help", "--json"} & set(action.option_strings)
    ]


def test_every_option_of_a_command_is_there_and_no_other() -> None:
    [commands] = [
        action.choices for action in build_parser()._actions if isinstance(action.choices, dict)
    ]
    history = " ".join(rows("History")).replace("`", "")
    changed = set(re.findall(r"--[a-z]+", history))
    assert changed == {"--author", "--since", "--until", "--ticket"}
    table = [first for first in rows("Command line") if first.startswith("paparats ")]
    for name, command in commands.items():
        lines = [line for line in table if re.match(rf"paparats (\w+`, `)*{name}\b", line)]
        assert lines, name
        written = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", " ".join(lines)))
        written |= changed if "[CHANGED]" in " ".join(lines) else set()
        written |= WHERE if "[WHERE]" in " ".join(lines) else set()
        known = options_of(command)
        assert [ways for ways in known if not set(ways) & written] == [], name
        assert written - {way for ways in known for way in ways} == set(), name


def test_what_where_stands_for_is_said() -> None:
    said = README.split("WHERE is any of")[1].split(".\n")[0].split(". ")[0]
    assert set(re.findall(r"(?<![\w-])--?[a-z]+", said)) == WHERE


def test_every_state_of_history_is_explained() -> None:
    text = README.split("\n## Command line\n")[1].split("\n## ")[0]
    for state in HistoryState:
        assert f"`{state.value}`" in text, state

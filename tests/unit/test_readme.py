"""README says what the code does: settings with their defaults, commands and directories."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paparatsd.history_model import HistoryState
from paparatsd.loading import OPTIONS
from paparatsd.settings import Places, Settings
from tests.harness.command_line import commands

if TYPE_CHECKING:
    import argparse

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
SETTINGS = Settings(Places(*[Path("/x")] * 5))

SHORT = {
    "WHERE": {"-p", "-g", "--path", "--fresh"},
    "IN": {"-p", "-g"},
    "CARD": {"-p", "-g", "--file", "--anchor"},
}
"""What stands for several options in the table of commands."""


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
    # What an embedder for text has beside these is as for the embedder.
    told = {
        key: option
        for key, option in OPTIONS.items()
        if not key.startswith("text_embedder.") or option.variables
    }
    assert set(table) - {"setting", "---"} == set(told)
    for key, option in told.items():
        section, _, name = key.partition(".")
        default, variables, about = table[key][:3]
        value = getattr(getattr(SETTINGS, section), name, "")
        assert default == shown(value), key
        assert variables == ", ".join(f"`{one}`" for one in option.variables), key
        assert about, key


def test_every_command_is_there() -> None:
    named = " ".join(rows("Command line"))
    for command in commands():
        for word in command.split():
            assert re.search(rf"\b{word}\b", named), command


def options_of(command: argparse.ArgumentParser) -> list[tuple[str, ...]]:
    """Return the ways to write each option of a command but --help and --json."""
    return [
        tuple(action.option_strings)
        for action in command._actions
        if action.option_strings and not {"--help", "--json"} & set(action.option_strings)
    ]


def test_every_option_of_a_command_is_there_and_no_other() -> None:
    history = " ".join(rows("History")).replace("`", "")
    changed = set(re.findall(r"--[a-z]+", history))
    assert changed == {"--author", "--since", "--until", "--ticket"}
    table = [first for first in rows("Command line") if first.startswith("paparats ")]
    for name, command in commands().items():
        before, _, last = name.rpartition(" ")
        begin = f"paparats {before}".rstrip()
        lines = [line for line in table if re.match(rf"{begin} (\w+`, `)*{last}(?![a-z])", line)]
        assert lines, name
        written = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", " ".join(lines)))
        written |= changed if "[CHANGED]" in " ".join(lines) else set()
        for short, options in SHORT.items():
            written |= options if f"[{short}]" in " ".join(lines) else set()
        known = options_of(command)
        assert [ways for ways in known if not set(ways) & written] == [], name
        assert written - {way for ways in known for way in ways} == set(), name


def test_what_stands_for_several_options_is_said() -> None:
    for short, stands_for in SHORT.items():
        said = README.split(f"{short} is any of" if short != "CARD" else "CARD any of these")[1]
        said = re.split(r"[.,:]? [A-Z]{2,} |: see", said)[0]
        named = set(re.findall(r"(?<![\w-])--?[a-z]+", said))
        assert named | (SHORT["IN"] if short == "CARD" else set()) == stands_for, short


def test_every_state_of_history_is_explained() -> None:
    text = README.split("\n## Command line\n")[1].split("\n## ")[0]
    for state in HistoryState:
        assert f"`{state.value}`" in text, state

"""README says what the code does: settings with their defaults, commands and directories."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from paparatsd.interfaces.cli.parser import build_parser
from paparatsd.loading import OPTIONS
from paparatsd.settings import Places, Settings

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
SETTINGS = Settings(Places(*[Path("/x")] * 4))


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

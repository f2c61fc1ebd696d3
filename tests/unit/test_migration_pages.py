"""The pages of contrib/migration say what is so: variables, settings, tools, client settings."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from paparatsd.interfaces.cli.parser import parse
from paparatsd.interfaces.mcp.identity import IDENTITIES
from paparatsd.interfaces.mcp.toolsets import TOOLS
from paparatsd.loading import OPTIONS
from tests.unit.test_former_variables import CODE_INDEXER, PAPARATS, SEMCODE

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "contrib/migration"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.md"))}
VARIABLES = {"code-indexer": CODE_INDEXER, "semcode": SEMCODE, "paparats": PAPARATS}
GENERAL = {"REPOS", "STATE_DB_PATH"}
SECTIONS = {key.partition(".")[0] for key in OPTIONS}
"""Names before a dot that make a word a setting."""


def blocks(page: str) -> list[dict[str, dict[str, object]]]:
    found = re.findall(r"```json\n(.*?)```", PAGES[page], re.DOTALL)
    return [json.loads(one)["mcpServers"] for one in found]


def test_there_is_a_page_for_each_system_and_the_readme_leads_to_it() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(PAGES) == set(VARIABLES)
    for page in PAGES:
        assert f"(contrib/migration/{page}.md)" in readme
    assert "(contrib/CONFORMANCE.md)" in readme


@pytest.mark.parametrize("page", list(VARIABLES))
def test_every_variable_is_told_of(page: str) -> None:
    named = set(re.findall(r"`([A-Z][A-Z0-9_]+)`", PAGES[page]))
    assert set(VARIABLES[page].split()) - GENERAL - named == set()


@pytest.mark.parametrize("page", list(VARIABLES))
def test_every_setting_that_is_named_is_one(page: str) -> None:
    named = re.findall(r"`([a-z]+\.[a-z_]+)`", PAGES[page])
    settings = {one for one in named if one.partition(".")[0] in SECTIONS}
    assert settings
    assert settings - set(OPTIONS) == set()


@pytest.mark.parametrize("page", list(VARIABLES))
def test_the_last_client_settings_start_a_toolset_that_is_there(page: str) -> None:
    before, *_, after = blocks(page)
    (server,) = after.values()
    assert server["command"] == "paparats"
    arguments = server["args"]
    assert isinstance(arguments, list)
    chosen = parse(arguments)
    assert chosen.toolset in IDENTITIES
    old = next(iter(before.values()))
    assert old.get("env") == server.get("env")
    for one in old.get("args", []) if page == "code-indexer" else []:  # type: ignore[attr-defined]
        assert one in arguments


@pytest.mark.parametrize(
    ("page", "toolsets"),
    [("code-indexer", ("projects",)), ("paparats", ("coding", "support"))],
)
def test_every_tool_is_on_the_page(page: str, toolsets: tuple[str, ...]) -> None:
    names = {tool.spec.name for toolset in toolsets for tool in TOOLS[toolset]}
    assert [name for name in sorted(names) if not re.search(rf"`{name}\b", PAGES[page])] == []


@pytest.mark.parametrize("page", list(VARIABLES))
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)", PAGES[page]):
        assert (FOLDER / target).exists(), target

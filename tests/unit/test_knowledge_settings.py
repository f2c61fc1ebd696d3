"""The knowledge endpoint is there when it was meant to be, and then tells what was meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadSettings
from paparatsd.exits import exit_code_of
from paparatsd.loading import load_settings
from paparatsd.publication import Publication, publication_of, unregistered_lines
from paparatsd.settings import KnowledgeSettings, Places, Settings

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = "0123456789abcdef"
BOTH = {"PAPARATS_KNOWLEDGE_TOKENS": TOKEN, "PAPARATS_KNOWLEDGE_AUDIENCE": "public"}


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(*[tmp_path] * 5)


def scope_of(settings: Settings) -> Publication | None:
    return publication_of(
        settings.knowledge, settings.docs.audience, settings.search.allowed_projects
    )


def test_without_settings_there_is_none(places: Places) -> None:
    settings = load_settings(places, {})
    assert scope_of(settings) is None


def test_all_that_is_set_narrows_the_scope(places: Places) -> None:
    environment = {
        "PAPARATS_KNOWLEDGE_TOKENS": f"{TOKEN}, {TOKEN[::-1]}",
        "PAPARATS_KNOWLEDGE_AUDIENCE": "public, partner",
        "PAPARATS_DOCS_AUDIENCE": "public,internal",
        "PAPARATS_KNOWLEDGE_PROJECTS": "marmots, yaks",
        "PAPARATS_PROJECTS": "marmots, ibex",
    }
    settings = load_settings(places, environment)
    expected = Publication((TOKEN, TOKEN[::-1]), frozenset({"public"}), frozenset({"marmots"}))
    assert scope_of(settings) == expected


@pytest.mark.parametrize(
    ("environment", "projects"),
    [
        ({}, set()),
        ({"PAPARATS_PROJECTS": "ibex"}, {"ibex"}),
        ({"PAPARATS_KNOWLEDGE_PROJECTS": "yaks"}, {"yaks"}),
    ],
)
def test_a_list_of_projects_that_is_not_set_is_no_restriction(
    places: Places, environment: dict[str, str], projects: set[str]
) -> None:
    scope = scope_of(load_settings(places, {**BOTH, **environment}))
    assert scope is not None
    assert scope.projects == projects


@pytest.mark.parametrize(
    ("environment", "needles"),
    [
        (
            {"PAPARATS_KNOWLEDGE_TOKENS": TOKEN},
            ("knowledge.audience is not", "PAPARATS_KNOWLEDGE_AUDIENCE", "unset knowledge.tokens"),
        ),
        (
            {"PAPARATS_KNOWLEDGE_AUDIENCE": "public"},
            ("knowledge.tokens is not", "PAPARATS_KNOWLEDGE_TOKENS", "unset knowledge.audience"),
        ),
        ({**BOTH, "PAPARATS_KNOWLEDGE_TOKENS": "  "}, ("knowledge.tokens is not",)),
        ({**BOTH, "PAPARATS_KNOWLEDGE_TOKENS": " , "}, ("PAPARATS_KNOWLEDGE_TOKENS",)),
        ({**BOTH, "PAPARATS_KNOWLEDGE_TOKENS": f"{TOKEN},{TOKEN[:-1]}"}, ("at least 16",)),
        ({**BOTH, "PAPARATS_KNOWLEDGE_TOKENS": TOKEN[:-1] + "é"}, ("visible ASCII",)),
        ({**BOTH, "PAPARATS_KNOWLEDGE_TOKENS": "two words of a token"}, ("visible ASCII",)),
        ({**BOTH, "PAPARATS_KNOWLEDGE_TOKENS": f"{TOKEN}\n{TOKEN}"}, ("visible ASCII",)),
        ({**BOTH, "PAPARATS_KNOWLEDGE_AUDIENCE": "public,internal"}, ("'internal'", "label")),
        ({**BOTH, "PAPARATS_KNOWLEDGE_AUDIENCE": "Internal"}, ("'internal'",)),
        ({**BOTH, "PAPARATS_KNOWLEDGE_AUDIENCE": "for all"}, ("PAPARATS_KNOWLEDGE_AUDIENCE",)),
        ({**BOTH, "PAPARATS_KNOWLEDGE_AUDIENCE": "-public"}, ("letters",)),
        ({**BOTH, "PAPARATS_DOCS_AUDIENCE": "internal"}, ("docs.audience", "in common")),
        ({"PAPARATS_DOCS_AUDIENCE": "for all"}, ("PAPARATS_DOCS_AUDIENCE", "letters")),
        (
            {**BOTH, "PAPARATS_KNOWLEDGE_PROJECTS": "yaks", "PAPARATS_PROJECTS": "ibex"},
            ("knowledge.projects", "search.allowed_projects", "in common"),
        ),
    ],
)
def test_half_and_unsafe_configuration_keeps_the_daemon_from_starting(
    places: Places, environment: dict[str, str], needles: tuple[str, ...]
) -> None:
    with pytest.raises(BadSettings) as caught:
        load_settings(places, environment)
    assert exit_code_of(caught.value) == 78
    for needle in needles:
        assert needle in str(caught.value)
    for token in environment.get("PAPARATS_KNOWLEDGE_TOKENS", "").split(","):
        assert not token.strip() or token not in str(caught.value)


def test_tokens_are_secret_on_the_command_line_in_files_and_when_shown(places: Places) -> None:
    settings = load_settings(places, BOTH)
    assert TOKEN not in repr(settings)
    assert TOKEN not in repr(scope_of(settings))
    with pytest.raises(BadSettings, match="secret"):
        load_settings(places, {}, {"knowledge.tokens": TOKEN})
    places.settings_file.write_text(
        f'[knowledge]\ntokens = ["{TOKEN}"]\naudience = ["public"]\n', encoding="utf-8"
    )
    places.settings_file.chmod(0o644)
    with pytest.raises(BadSettings, match="chmod 600"):
        load_settings(places, {})
    places.settings_file.chmod(0o600)
    assert load_settings(places, {}).knowledge == KnowledgeSettings((TOKEN,), ("public",))


def test_projects_alone_are_said_to_change_nothing(places: Places) -> None:
    settings = load_settings(places, {"PAPARATS_KNOWLEDGE_PROJECTS": "yaks"})
    assert scope_of(settings) is None
    assert any("knowledge.projects alone" in note for note in settings.notes)


def test_a_project_to_be_published_that_nobody_registered_is_named() -> None:
    chosen = KnowledgeSettings((TOKEN,), ("public",), ("marmots", "yaks", "ibex"))
    assert unregistered_lines(chosen, {"marmots"}, ("marmots", "yaks")) == (
        "knowledge.projects names 'yaks', which is not registered: nothing of it is published",
    )
    assert len(unregistered_lines(chosen, {"marmots"}, ())) == 2
    assert unregistered_lines(KnowledgeSettings((), (), ("yaks",)), set(), ()) == ()

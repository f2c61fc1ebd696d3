"""Prompts: what they ask of an agent can be done with the tools that it has."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paparatsd.errors import BadQuery
from paparatsd.interfaces.mcp.prompts import (
    MAX_ARGUMENT_CHARS,
    SLOT,
    Prompt,
    PromptArgument,
    filled,
)
from paparatsd.interfaces.mcp.toolsets import PROMPTS, RESOURCES, TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator

OFFERED = [(toolset, prompt) for toolset, prompts in PROMPTS.items() for prompt in prompts]
EVERY = pytest.mark.parametrize(
    ("toolset", "prompt"), OFFERED, ids=[f"{toolset}-{one.name}" for toolset, one in OFFERED]
)
CALL = re.compile(r"\b([a-z]+(?:_[a-z]+)+)\(([^()]*)\)")
QUOTED = re.compile(r'"[^"]*"|\[[^\]]*\]')
NAMES = {tool.spec.name for tools in TOOLS.values() for tool in tools}
PREFIXES = ("search_", "get_", "find_", "arch_", "term_", "list_", "explain_", "recent_")
WORDS = {"arch_context", "alternatives_rejected"}


def calls_in(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each call of a text: the tool's name, and the names of its arguments."""
    for name, inside in CALL.findall(QUOTED.sub('""', text)):
        yield name, [one.split("=")[0].strip() for one in inside.split(",") if one.strip()]


def schema_of(toolset: str, name: str) -> dict[str, Any]:
    return next(one.spec.input_schema for one in TOOLS[toolset] if one.spec.name == name)


def sample(prompt: Prompt, *, whole: bool) -> dict[str, str]:
    return {one.name: f"the-{one.name}" for one in prompt.arguments if whole or one.required}


@EVERY
def test_every_tool_a_prompt_calls_is_offered_beside_it_with_these_parameters(
    toolset: str, prompt: Prompt
) -> None:
    offered = {tool.spec.name for tool in TOOLS[toolset]}
    calls = list(calls_in(prompt.text))
    assert len(calls) >= 3
    for name, parameters in calls:
        assert name in offered, name
        schema = schema_of(toolset, name)
        for parameter in parameters:
            assert parameter in schema["properties"], f"{name}({parameter})"
        # What a tool must have is said, so that an agent can go by the prompt alone.
        assert set(schema.get("required", ())) <= set(parameters), name


@EVERY
def test_no_tool_of_another_toolset_is_named_in_words(toolset: str, prompt: Prompt) -> None:
    offered = {tool.spec.name for tool in TOOLS[toolset]}
    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", prompt.text))
    assert (named & NAMES) <= offered
    prompts = {one.name for one in PROMPTS[toolset]}
    unknown = {one for one in named - NAMES - prompts if one.startswith(PREFIXES)}
    assert unknown == set()


@EVERY
def test_each_argument_has_a_place_in_the_text_and_each_place_an_argument(
    toolset: str, prompt: Prompt
) -> None:
    del toolset
    slots = dict(SLOT.findall(prompt.text))
    assert set(slots) == {one.name for one in prompt.arguments}
    for one in prompt.arguments:
        assert one.description
        assert bool(slots[one.name]) is (not one.required), one.name
    assert prompt.title
    assert prompt.description


@EVERY
@pytest.mark.parametrize("whole", [True, False])
def test_a_filled_prompt_leaves_no_place_open(toolset: str, prompt: Prompt, *, whole: bool) -> None:
    del toolset
    values = sample(prompt, whole=whole)
    text = filled(prompt, values)
    assert "{{" not in text
    assert "}}" not in text
    for value in values.values():
        assert value in text
    blank = {one.name: " " for one in prompt.arguments if not one.required}
    assert whole or filled(prompt, {**values, **blank}) == text


@EVERY
def test_a_required_argument_that_is_missing_or_blank_is_named(
    toolset: str, prompt: Prompt
) -> None:
    del toolset
    for one in prompt.arguments:
        if one.required:
            values = sample(prompt, whole=True)
            for without in (
                {**values, one.name: "  "},
                {k: v for k, v in values.items() if k != one.name},
            ):
                with pytest.raises(BadQuery, match=f"needs the argument {one.name}"):
                    filled(prompt, without)


PROMPT = Prompt(
    "test", "Test", "For tests.",
    (PromptArgument("what", "What", required=True), PromptArgument("where", "Where")),
    "Find {{what}} in {{where|all of it}}, then {{what}} again in {{where|}}.",
)  # fmt: skip


def test_what_stands_in_a_value_is_not_read_as_a_place() -> None:
    text = filled(PROMPT, {"what": "{{where|x}} \\1 {{what}}", "where": "{{what}}"})
    what = "{{where|x}} \\1 {{what}}"
    assert text == f"Find {what} in {{{{what}}}}, then {what} again in {{{{what}}}}."


def test_a_value_is_trimmed_and_loses_its_control_characters() -> None:
    text = filled(PROMPT, {"what": " a\x1b[31mb\u202e\nc ", "where": ""})
    assert text.startswith("Find a")
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "in all of it" in text
    assert text.endswith("again in .")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"what": "x", "who": "y"}, "no argument 'who'; it takes what, where"),
        ({}, "needs the argument what: What"),
        ({"what": "x" * (MAX_ARGUMENT_CHARS + 1)}, "what of the prompt test is too long"),
    ],
)
def test_other_arguments_are_refused_in_words(values: dict[str, str], said: str) -> None:
    with pytest.raises(BadQuery, match=re.escape(said)):
        filled(PROMPT, values)


def test_both_toolsets_have_the_prompts_that_are_for_them() -> None:
    names = {toolset: [one.name for one in prompts] for toolset, prompts in PROMPTS.items()}
    assert names == {
        "coding": [
            "find_implementation", "trace_callers", "onboard_to_project", "init_arch_memory",
            "audit_architecture", "record_lesson_from_correction", "extract_terminology",
        ],
        "support": [
            "onboard_to_project", "triage_incident", "prepare_release_notes",
            "assess_change_impact", "extract_terminology",
        ],
    }  # fmt: skip


def test_the_readme_names_every_prompt_and_resource() -> None:
    text = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    for name in {prompt.name for _, prompt in OFFERED}:
        assert f"`{name}`" in text
    for resource in (one for resources in RESOURCES.values() for one in resources):
        assert f"`{resource.uri.replace('{group}', 'GROUP')}`" in text


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("init_arch_memory", ("stop", "8 to 20", "never invent", "Record no lessons", "anchors")),
        ("audit_architecture", ("Change nothing before", "than 90 days", "Show the proposals")),
        ("record_lesson_from_correction", ("Never invent", "your own memory", "which one holds")),
        ("extract_terminology", ("Do not record that again", "questions to the user")),
        ("find_implementation", ("how sure you are", "path:start-end")),
        ("triage_incident", ("plain words", "owner", "a suspect, not the cause")),
        ("prepare_release_notes", ("Breaking changes", "[ticket]", "without any change")),
        ("assess_change_impact", ("last 30 days", "risk", "owner")),
    ],
)  # fmt: skip
def test_the_imperative_parts_are_there(name: str, parts: tuple[str, ...]) -> None:
    texts = [prompt.text for _, prompt in OFFERED if prompt.name == name]
    for text in texts:
        for part in parts:
            assert part in text.replace("\n", " "), part

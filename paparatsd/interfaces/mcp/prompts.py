"""What a prompt is, and how its text is filled in. No SDK here.

A prompt is a piece of work that a person starts: one message that tells an agent which tools to
use, in which order, and what to hand over. The texts are in `code_prompts`, `support_prompts` and
`note_prompts`. `{{name}}` stands for an argument, `{{name|words}}` for one that may be left out.
Tools are named as calls, with the names of their parameters, so that a test can check both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery
from paparatsd.plain_text import clean_text

if TYPE_CHECKING:
    from collections.abc import Mapping

SLOT = re.compile(r"\{\{([a-z_]+)(?:\|([^{}]*))?\}\}")
"""A place to be filled in: the name of an argument, and what stands there without it."""
MAX_ARGUMENT_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class PromptArgument:
    """One argument of a prompt; its value is a text. Blank counts as left out."""

    name: str
    description: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as it is listed, and its text with slots."""

    name: str
    title: str
    description: str
    arguments: tuple[PromptArgument, ...]
    text: str


def filled(prompt: Prompt, values: Mapping[str, str]) -> str:
    """Return the message of a prompt. Raises BadQuery for what is missing, unknown or too long.

    What stands in a value is never read as a slot.
    """
    given = _checked(prompt, values)

    def fill(slot: re.Match[str]) -> str:
        return given.get(slot[1]) or slot[2] or ""

    return SLOT.sub(fill, prompt.text)


def _checked(prompt: Prompt, values: Mapping[str, str]) -> dict[str, str]:
    known = {one.name: one for one in prompt.arguments}
    for name in values:
        if name not in known:
            raise BadQuery(
                f"the prompt {prompt.name} has no argument {name[:80]!r}; it takes "
                f"{', '.join(known)}"
            )
    given = {name: clean_text(value).strip() for name, value in values.items()}
    for name, argument in known.items():
        if argument.required and not given.get(name):
            raise BadQuery(
                f"the prompt {prompt.name} needs the argument {name}: {argument.description}"
            )
        if len(given.get(name, "")) > MAX_ARGUMENT_CHARS:
            raise BadQuery(
                f"the argument {name} of the prompt {prompt.name} is too long: at most "
                f"{MAX_ARGUMENT_CHARS} characters are taken"
            )
    return given

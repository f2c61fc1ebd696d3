"""Arguments from outside, taken one by one with their type and limits; the rest is refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadQuery
from paparatsd.history_model import ChangedFilter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_INTEGER = re.compile(r"\s*[+-]?[0-9]{1,15}(\.0+)?\s*", re.ASCII)
_NUMBER = re.compile(r"\s*[+-]?[0-9]{1,15}(\.[0-9]{1,15})?\s*", re.ASCII)
_FLAGS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}

MAX_ITEMS = 100
MAX_ITEM_CHARS = 1_000


class Arguments:
    """The members of one JSON object (or query string).

    Models and shells write numbers and flags as text, so "10" and "true" are taken for what they
    mean. `null` and absence are the same. Every refusal names the argument.
    """

    def __init__(self, members: Mapping[str, Any]) -> None:
        self._members = {name: value for name, value in members.items() if value is not None}
        self._known: list[str] = []

    def take(self, name: str) -> Any:  # noqa: ANN401 - not checked yet
        """Return a member of any kind, or None; who takes it checks it."""
        return self._take(name)

    def _take(self, name: str) -> Any:  # noqa: ANN401 - not checked yet
        self._known.append(name)
        return self._members.pop(name, None)

    def text(self, name: str, *, max_chars: int = MAX_ITEM_CHARS) -> str:
        """Return a required, non-blank text."""
        value = self.optional_text(name, max_chars=max_chars)
        if value is None:
            raise BadQuery(f"{name} is missing; it must be a non-empty string")
        return value

    def text_of(self, *names: str, max_chars: int = MAX_ITEM_CHARS) -> str:
        """Return a required text that may be given under one of several names, but not two."""
        given = {
            name: text
            for name in names
            if (text := self.optional_text(name, max_chars=max_chars)) is not None
        }
        said = " or ".join(names)
        if not given:
            raise BadQuery(f"{said} is missing; it must be a non-empty string")
        if len(given) > 1:
            raise BadQuery(f"give {said}, not both")
        return next(iter(given.values()))

    def optional_text(self, name: str, *, max_chars: int = MAX_ITEM_CHARS) -> str | None:
        """Return a text, or None when absent or blank."""
        value = self._take(name)
        if value is None:
            return None
        return _checked_text(name, value, max_chars) or None

    def verbatim(self, name: str) -> str:
        """Return a required text just as it was given; it may be empty."""
        value = self._take(name)
        if not isinstance(value, str):
            raise BadQuery(f"{name} is missing; it must be a string")
        return value

    def mark(self, name: str, *, max_chars: int = MAX_ITEM_CHARS) -> str:
        """Return where a list is to go on, as an answer gave it, "" for its beginning.

        A mark of digits may come back as a number.
        """
        value = self._members.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            self._members[name] = str(value)
        return self.optional_text(name, max_chars=max_chars) or ""

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; a single text counts as a list of one."""
        value = self._take(name)
        if value is None:
            return ()
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list) or len(items) > MAX_ITEMS:
            raise BadQuery(f"{name} must be a list of at most {MAX_ITEMS} strings")
        texts = [_checked_text(name, item, MAX_ITEM_CHARS) for item in items]
        return tuple(text for text in texts if text)

    def number(self, name: str, *, default: int, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""
        value = self._take(name)
        if value is None:
            return default
        if isinstance(value, str) and _INTEGER.fullmatch(value):
            value = int(float(value))
        elif isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise BadQuery(f"{name} must be a whole number from {low} to {high}")
        return value

    def real(self, name: str, *, default: float, low: float, high: float) -> float:
        """Return a number from `low` to `high`."""
        value = self._take(name)
        if value is None:
            return default
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            value = float(value)
        usable = isinstance(value, int | float) and not isinstance(value, bool)
        if not usable or not low <= value <= high:
            raise BadQuery(f"{name} must be a number from {low:g} to {high:g}")
        return float(value)

    def optional_real(self, name: str, *, low: float, high: float) -> float | None:
        """Return a number from `low` to `high`, or None when absent."""
        if name not in self._members:
            self._known.append(name)
            return None
        return self.real(name, default=low, low=low, high=high)

    def members(self, name: str) -> Arguments | None:
        """Return the members of an object, or None when absent; who takes them finishes them."""
        value = self._take(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise BadQuery(f"{name} must be an object")
        return Arguments(value)

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a truth value."""
        value = self._take(name)
        if value is None:
            return default
        if isinstance(value, str):
            value = _FLAGS.get(value.strip().lower(), value)
        if not isinstance(value, bool):
            raise BadQuery(f"{name} must be true or false")
        return value

    def choice(self, name: str, choices: Sequence[str], *, default: str | None = None) -> str:
        """Return one of the choices; without a default it has to be given."""
        value = self._take(name)
        if value is None and default is not None:
            return default
        if value is None:
            raise BadQuery(f"{name} is missing; it must be one of {', '.join(choices)}")
        if not isinstance(value, str) or value not in choices:
            raise BadQuery(f"{name} must be one of {', '.join(choices)}")
        return value

    def choices(self, name: str, choices: Sequence[str]) -> tuple[str, ...]:
        """Return a list of some of the choices."""
        chosen = self.texts(name)
        if any(one not in choices for one in chosen):
            raise BadQuery(f"{name} must be a list of some of {', '.join(choices)}")
        return chosen

    def objects(self, name: str, *, max_items: int) -> list[Arguments]:
        """Return a list of objects; who takes their members finishes each."""
        value = self._take(name)
        if (
            not isinstance(value, list)
            or len(value) > max_items
            or not all(isinstance(item, dict) for item in value)
        ):
            raise BadQuery(f"{name} must be a list of at most {max_items} objects")
        return [Arguments(item) for item in value]

    def finish(self) -> None:
        """Refuse what nobody asked for: a misspelt argument must not pass for none."""
        if self._members:
            unknown = ", ".join(repr(name)[:80] for name in sorted(self._members)[:5])
            known = ", ".join(dict.fromkeys(self._known)) or "none"
            raise BadQuery(f"unknown argument {unknown}; known are: {known}")


def changed_filter(arguments: Arguments) -> ChangedFilter | None:
    """Take `author`, `since`, `until` and `ticket`; None when none of them is given.

    They are texts as people write them; the service says what of them it cannot read.
    """
    texts = {
        name: arguments.optional_text(name, max_chars=200) or ""
        for name in ("author", "since", "until", "ticket")
    }
    return ChangedFilter(**texts) or None


def _checked_text(name: str, value: Any, max_chars: int) -> str:  # noqa: ANN401 - checked here
    if not isinstance(value, str):
        raise BadQuery(f"{name} must be a string")
    if len(value) > max_chars:
        raise BadQuery(f"{name} is {len(value)} characters long; at most {max_chars} are taken")
    if "\0" in value:
        raise BadQuery(f"{name} contains a NUL character")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise BadQuery(f"{name} is not valid Unicode")
    return value.strip()

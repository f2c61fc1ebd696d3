"""Kinds of values a setting can have: how text becomes one, and what is allowed.

Each kind answers twice: `from_text` reads a flag or an environment variable, `from_file` checks a
value that TOML already typed. Both raise ValueError; `allowed` is the sentence for the person.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from paparatsd.naming import is_audience

if TYPE_CHECKING:
    from collections.abc import Callable

LOOPBACK_HOSTS = {"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1", "::1": "::1"}
"""The only hosts a listener may have, with the address each one stands for."""


class Kind(Protocol):
    """How the values of one setting are read and checked."""

    @property
    def allowed(self) -> str:
        """What may stand there, as the end of the sentence "allowed: ..."."""
        ...

    def from_text(self, text: str) -> Any:  # noqa: ANN401 - as many types as kinds
        """Return the value that `text` means."""
        ...

    def from_file(self, value: object) -> Any:  # noqa: ANN401 - as many types as kinds
        """Return `value` if it may stand there."""
        ...


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number within bounds."""

    low: int
    high: int

    @property
    def allowed(self) -> str:
        """The bounds."""
        return f"a whole number from {self.low} to {self.high}"

    def from_text(self, text: str) -> int:
        """Return the number written in ASCII digits."""
        digits = text.strip().removeprefix("-")
        if not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
            raise ValueError(text)
        return self.from_file(int(text))

    def from_file(self, value: object) -> int:
        """Return `value` if it is within the bounds."""
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(value)  # noqa: TRY004 - the caller handles one class
        if not self.low <= value <= self.high:
            raise ValueError(value)
        return value


@dataclass(frozen=True, slots=True)
class Seconds:
    """A span of time within bounds."""

    low: float
    high: float

    @property
    def allowed(self) -> str:
        """The bounds."""
        return f"a number of seconds from {self.low:g} to {self.high:g}"

    def from_text(self, text: str) -> float:
        """Return the decimal number."""
        return self.from_file(float(text))

    def from_file(self, value: object) -> float:
        """Return `value` as a float if it is within the bounds."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(value)  # noqa: TRY004 - the caller handles one class
        if math.isnan(value) or not self.low <= value <= self.high:
            raise ValueError(value)
        return float(value)


@dataclass(frozen=True, slots=True)
class Switch:
    """On or off."""

    @property
    def allowed(self) -> str:
        """Both words."""
        return "true or false"

    def from_text(self, text: str) -> bool:
        """Return what the usual words mean."""
        words = {"true": True, "1": True, "on": True, "yes": True}
        words |= {"false": False, "0": False, "off": False, "no": False}
        try:
            return words[text.strip().lower()]
        except KeyError:
            raise ValueError(text) from None

    def from_file(self, value: object) -> bool:
        """Return `value` if it is a TOML boolean."""
        if not isinstance(value, bool):
            raise ValueError(value)  # noqa: TRY004 - the caller handles one class
        return value


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text that satisfies `check`, which may also normalise it."""

    allowed: str = "one line of text"
    check: Callable[[str], str] | None = None

    def from_text(self, text: str) -> str:
        """Return `text` without white space around it."""
        return self.from_file(text)

    def from_file(self, value: object) -> str:
        """Return `value` if it is one line that passes the check."""
        if not isinstance(value, str) or not value.strip().isprintable():
            raise ValueError(value)
        return self.check(value.strip()) if self.check is not None else value.strip()


@dataclass(frozen=True, slots=True)
class Template:
    r"""A text that contains {text} once; in a flag or a variable, a line break is written as \n."""

    allowed: str = "a text that contains {text} once"

    def from_text(self, text: str) -> str:
        """Return the template; white space around it is part of it."""
        return self.from_file(text.replace("\\n", "\n"))

    def from_file(self, value: object) -> str:
        """Return `value` if it is a template."""
        if not isinstance(value, str) or not value.replace("\n", "").isprintable():
            raise ValueError(value)
        if value.count("{text}") != 1:
            raise ValueError(value)
        return value


@dataclass(frozen=True, slots=True)
class Names:
    """A list of words; commas separate them in a flag or a variable."""

    allowed: str
    check: Callable[[str], str] | None = None

    def from_text(self, text: str) -> tuple[str, ...]:
        """Return the words between the commas; nothing at all is no list, commas alone are none.

        What narrows must not be without effect because a template had nothing to fill in.
        """
        words = [part for part in text.split(",") if part.strip()]
        if text.strip() and not words:
            raise ValueError(text)
        return self.from_file(words)

    def from_file(self, value: object) -> tuple[str, ...]:
        """Return `value` as a tuple if it is a list of words."""
        if not isinstance(value, list):
            raise ValueError(value)  # noqa: TRY004 - the caller handles one class
        item = Text(check=self.check)
        return tuple(item.from_file(part) for part in value)


@dataclass(frozen=True, slots=True)
class Folders:
    """A list of absolute folders, or of such below the home directory; `none` is an empty one.

    Commas or colons separate them in a flag or a variable.
    """

    allowed: str = "a list of absolute folders, or of folders that begin with ~; or none"

    def from_text(self, text: str) -> tuple[str, ...]:
        """Return the folders between the separators."""
        if text.strip().lower() == "none":
            return ()
        parts = [part for part in text.replace(":", ",").split(",") if part.strip()]
        if not parts:
            raise ValueError(text)
        return self.from_file(parts)

    def from_file(self, value: object) -> tuple[str, ...]:
        """Return `value` as a tuple if it is a list of folders."""
        if not isinstance(value, list):
            raise ValueError(value)  # noqa: TRY004 - the caller handles one class
        item = Text(check=_folder)
        return tuple(item.from_file(part) for part in value)


def _folder(text: str) -> str:
    if text != "~" and not text.startswith(("/", "~/")):
        raise ValueError(text)
    return text.rstrip("/") or "/"


def one_of(*words: str) -> Text:
    """Return the kind that allows exactly these words, in any case."""

    def check(text: str) -> str:
        if text.lower() not in words:
            raise ValueError(text)
        return text.lower()

    return Text(allowed=" or ".join(words), check=check)


def loopback_host(text: str) -> str:
    """Return the address of a loopback host; nothing else may be listened on."""
    try:
        return LOOPBACK_HOSTS[text]
    except KeyError:
        raise ValueError(text) from None


def http_url(text: str) -> str:
    """Return an http(s) URL without credentials and without a final slash; "" is kept."""
    if not text:
        return ""
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
        raise ValueError(text)
    if parts.query or parts.fragment or (parts.port is not None and parts.port == 0):
        raise ValueError(text)
    return text.rstrip("/")


def origin(text: str) -> str:
    """Return an exact browser origin, such as http://localhost:3000."""
    parts = urlsplit(http_url(text))
    if not text or parts.path or any(part.isspace() for part in text):
        raise ValueError(text)
    return f"{parts.scheme}://{parts.netloc}".lower()


MIN_TOKEN_CHARS = 16
MAX_SUFFIX_CHARS = 40
_SUFFIX = re.compile(rf"[A-Za-z0-9._-]{{0,{MAX_SUFFIX_CHARS}}}")
_TOKEN = re.compile(rf"[!-+\x2d-~]{{{MIN_TOKEN_CHARS},1000}}")
_SPAN = re.compile(r"|-?\d{1,9}|(?:\d{1,9}(?:\.\d+)?(?:ms|s|m|h))+")


def access_token(text: str) -> str:
    """Return a bearer token that is too long to be guessed and that a header can hold."""
    if not _TOKEN.fullmatch(text):
        raise ValueError(text)
    return text


def audience_label(text: str) -> str:
    """Return the label of an audience."""
    if not is_audience(text):
        raise ValueError(text)
    return text


def span(text: str) -> str:
    """Return a span of time as Ollama reads it ("10m", "1h30m", "-1"), or "" for none."""
    if not _SPAN.fullmatch(text):
        raise ValueError(text)
    return text


def collection_suffix(text: str) -> str:
    """Return a part of the names of collections, without the signs that people set before it."""
    if not _SUFFIX.fullmatch(text):
        raise ValueError(text)
    return text.strip("._-")

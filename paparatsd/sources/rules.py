"""The lines of ignore files, with git's meaning: what one pattern says of one path.

A pattern is matched against a path itself, never against what lies below it (that is for the
stack of ignore files), and in time linear in the path, however many stars it has: hostile
patterns must not stall a walk.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_POSIX_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"!-/:-@\[-`{-~",
    "space": r" \t\n\r\f\v",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_TOKEN = re.compile(
    r"\\(?P<escaped>.)|(?P<star>\*+)|(?P<any>\?)"
    r"|\[(?P<negated>[!^]?)(?P<members>\]?(?:\[:[a-z]*:\]|\\.|[^\]\\])*)\]"
    r"|(?P<bad>[\[\\])|(?P<plain>[^\\*?\[]+)",
    re.DOTALL,
)
_MEMBER = re.compile(r"\[:([a-z]*):\]|\\(.)|(.)", re.DOTALL)


class _Anywhere:
    """Stands for `**`: any number of directories."""


_ANYWHERE = _Anywhere()
_Segment = re.Pattern[str] | _Anywhere


@dataclass(frozen=True, slots=True)
class Rule:
    """One line. `segments` has one entry when the pattern is for names at any depth."""

    negated: bool
    directories_only: bool
    anchored: bool
    segments: tuple[_Segment, ...]

    def matches(self, parts: Sequence[str]) -> bool:
        """Say whether the pattern fits the path, given as its components."""
        if not self.anchored:
            segment = self.segments[0]
            return isinstance(segment, _Anywhere) or segment.match(parts[-1]) is not None
        return _fits(self.segments, parts)


class Rules:
    """The rules of one ignore file or list; the last one that fits decides."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)[::-1]

    def verdict(self, path: str, *, directory: bool) -> bool | None:
        """Return True for ignored, False for taken back, None when no rule fits."""
        parts = path.split("/")
        for rule in self._rules:
            if (directory or not rule.directories_only) and rule.matches(parts):
                return not rule.negated
        return None


def parse_rules(lines: Iterable[str]) -> Rules | None:
    """Return the rules of these lines, None without any; invalid lines count for nothing."""
    rules = [rule for line in lines if (rule := parse_rule(line)) is not None]
    return Rules(rules) if rules else None


def parse_rule(line: str) -> Rule | None:
    """Return the rule of one line; None for a comment, an empty or an invalid line."""
    text = _without_trailing_spaces(line.removesuffix("\r"))
    if not text or text.startswith("#"):
        return None
    negated = text.startswith("!")
    text = text.removeprefix("!")
    directories_only = text.endswith("/")
    text = text.removesuffix("/")
    anchored = "/" in text
    names = text.removeprefix("/").split("/")
    segments: list[_Segment] = []
    for name in names:
        segment = _ANYWHERE if name == "**" else _compile_name(name)
        if segment is None:
            return None
        segments.append(segment)
    if anchored and isinstance(segments[-1], _Anywhere):
        segments.append(re.compile(""))  # `a/**` is what lies below `a`, not `a` itself
    return Rule(negated, directories_only, anchored, tuple(segments))


def _without_trailing_spaces(text: str) -> str:
    stripped = text.rstrip(" ")
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    if backslashes % 2 and len(stripped) < len(text):
        return stripped + " "
    return stripped


def _fits(segments: Sequence[_Segment], parts: Sequence[str]) -> bool:
    """Match with one point to return to: after `**`, the earliest fit is as good as any."""
    at, part = 0, 0
    retry_at, retry_part = -1, 0
    while part < len(parts):
        segment = segments[at] if at < len(segments) else None
        if isinstance(segment, _Anywhere):
            at += 1
            retry_at, retry_part = at, part
        elif segment is not None and segment.match(parts[part]):
            at += 1
            part += 1
        elif retry_at >= 0:
            retry_part += 1
            at, part = retry_at, retry_part
        else:
            return False
    return at == len(segments)


def _compile_name(name: str) -> re.Pattern[str] | None:
    """Return an expression for one component of a path, None when git would never match it."""
    pieces = [""]
    for token in _TOKEN.finditer(name):
        if token["bad"]:
            return None
        if token["star"]:
            pieces.append("")
        elif token["any"]:
            pieces[-1] += "."
        elif token["members"] is not None:
            pieces[-1] += _compile_class(token["negated"], token["members"])
        else:
            pieces[-1] += re.escape(token["escaped"] or token["plain"])
    if not name:
        return None
    first, *others = pieces
    if not others:
        return re.compile(first + r"\Z", re.DOTALL)
    # Between stars the first fit is as good as any later one, so there is no way back into it.
    middle = "".join(f"(?>.*?{piece})" for piece in others[:-1] if piece)
    return re.compile(rf"{first}{middle}.*{others[-1]}\Z", re.DOTALL)


def _compile_class(negated: str, members: str) -> str:
    body = ""
    for member in _MEMBER.finditer(members):
        name, escaped, plain = member.groups()
        if name is not None:
            body += _POSIX_CLASSES.get(name, "")
        elif escaped is not None:
            body += re.escape(escaped)
        else:
            body += plain if plain == "-" else re.escape(plain)
    if not body:
        return "(?!)"
    try:
        re.compile(f"[{body}]")
    except re.error:
        return "(?!)"  # a range that runs backwards fits nothing
    return f"[{'^' if negated else ''}{body}]"

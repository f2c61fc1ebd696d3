"""Path globs as people write them in a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery
from paparatsd.sources.rules import parse_rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paparatsd.sources.rules import Rule


class PathMatcher:
    """Path globs read like lines of a .gitignore: `src/`, `*.py`, `a/**/b`; `!x` shuts out.

    A path must match one of the plain patterns, if there are any, and none that shut out. Time is
    linear in the path, however many stars there are: any client may send any pattern.
    """

    def __init__(self, patterns: tuple[str, ...]) -> None:
        """Compile the patterns; raises BadQuery for one that cannot be read."""
        cleaned = [pattern.strip() for pattern in patterns if pattern.strip()]
        self._wanted = _rules(one for one in cleaned if not one.startswith("!"))
        self._unwanted = _rules(one[1:] for one in cleaned if one.startswith("!"))

    def matches(self, path: str) -> bool:
        """Return whether the patterns let the path through."""
        parts = path.split("/")
        if self._wanted and not _any_matches(self._wanted, parts):
            return False
        return not _any_matches(self._unwanted, parts)


def _rules(patterns: Iterable[str]) -> tuple[Rule, ...]:
    return tuple(_rule(pattern.removeprefix("./")) for pattern in patterns)


def _rule(pattern: str) -> Rule:
    # A `#` begins no comment here.
    rule = parse_rule(f"\\{pattern}" if pattern.startswith("#") else pattern)
    if rule is None:
        raise BadQuery(f"the path pattern {pattern!r} cannot be read; write it as in a .gitignore")
    return rule


def _any_matches(rules: Iterable[Rule], parts: list[str]) -> bool:
    """Whether a rule fits the file or a directory that it lies in."""
    return any(
        rule.matches(parts[:size])
        for rule in rules
        for size in range(len(parts), 0, -1)
        if size < len(parts) or not rule.directories_only
    )

"""Path globs as people write them in a search."""

from __future__ import annotations

from pathspec import GitIgnoreSpec

from paparatsd.errors import BadQuery


class PathMatcher:
    """Path globs read like lines of a .gitignore: `src/`, `*.py`, `a/**/b`; `!x` shuts out.

    A path must match one of the plain patterns, if there are any, and none that shut out.
    """

    def __init__(self, patterns: tuple[str, ...]) -> None:
        """Compile the patterns; raises BadQuery for one that cannot be read."""
        cleaned = [pattern.strip() for pattern in patterns if pattern.strip()]
        wanted = [one.removeprefix("./") for one in cleaned if not one.startswith("!")]
        unwanted = [one[1:].removeprefix("./") for one in cleaned if one.startswith("!")]
        try:
            self._wanted = GitIgnoreSpec.from_lines(wanted) if wanted else None
            self._unwanted = GitIgnoreSpec.from_lines(unwanted) if unwanted else None
        except ValueError as error:
            raise BadQuery(f"the path pattern cannot be read: {error}") from error

    def matches(self, path: str) -> bool:
        """Return whether the patterns let the path through."""
        if self._wanted is not None and not self._wanted.match_file(path):
            return False
        return self._unwanted is None or not self._unwanted.match_file(path)

"""Ignore files with git's meaning, for plain folders and for our own `.paparatsignore`.

In a git repository git itself decides what is ignored; `IgnoreStack` answers the same question
where there is no git: the nearest file wins, and nothing below an ignored directory comes back.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from paparatsd.sources.read import NotReadable, open_beneath
from paparatsd.sources.rules import Rules, parse_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GIT_IGNORE_FILES = (".gitignore",)
OWN_IGNORE_FILES = (".paparatsignore", ".codeindexignore")
BUILT_IN_DIRECTORIES = (
    "__pycache__",
    ".bzr",
    ".eggs",
    ".gradle",
    ".hg",
    ".jj",
    ".mypy_cache",
    ".next",
    ".nox",
    ".nuxt",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".svelte-kit",
    ".terraform",
    ".tox",
    ".venv",
    "bower_components",
    "node_modules",
    "site-packages",
)
"""Never walked in a plain folder, unless an ignore file there brings one back with `!name/`."""
_MARKED_BY = ("CACHEDIR.TAG", "pyvenv.cfg")
"""A directory that holds one of these says of itself that it is a cache or an environment."""
_BUILD_OUTPUTS = {
    "target": ("Cargo.toml", "pom.xml"),
    "_build": ("mix.exs",),
    "build": ("build.gradle",),
}
"""Ignored only beside the build file that makes them; elsewhere the names are ordinary words."""
_MAX_IGNORE_FILE_BYTES = 1 << 20

_Chain = tuple[tuple[int, Rules], ...]


class IgnoreStack:
    """The ignore files called `names` in all directories of one tree, and rules below them all.

    Directories must be real ones (reached without a link). Results are remembered, so one stack
    serves one walk. `places`: the directories that hold such files, if that is known already.
    """

    def __init__(
        self,
        root: Path,
        names: Sequence[str],
        base: Rules | None = None,
        places: frozenset[str] | None = None,
    ) -> None:
        self._places = places
        self._root = os.fspath(root)
        self._names = names
        self._base: _Chain = () if base is None else ((0, base),)
        self._chains: dict[str, _Chain] = {}
        self._directories: dict[str, bool] = {"": False}

    def has_rules(self, directory: str) -> bool:
        """Say whether any rule at all applies to what lies directly in a directory."""
        return bool(self._chain(directory))

    def ignores_directory(self, path: str) -> bool:
        """Say whether the directory or one above it is ignored; "" is the root."""
        unknown = []
        while path not in self._directories:
            unknown.append(path)
            path = path.rpartition("/")[0]
        ignored = self._directories[path]
        for directory in reversed(unknown):
            ignored = ignored or self._matches(directory, directory=True)
            self._directories[directory] = ignored
        return ignored

    def ignores_file(self, path: str) -> bool:
        """Say whether the file or a directory above it is ignored."""
        return self.ignores_directory(path.rpartition("/")[0]) or self._matches(
            path, directory=False
        )

    def _matches(self, path: str, *, directory: bool) -> bool:
        for start, rules in self._chain(path.rpartition("/")[0]):
            verdict = rules.verdict(path[start:], directory=directory)
            if verdict is not None:
                return verdict
        return False

    def _chain(self, directory: str) -> _Chain:
        """Return the rules that apply in a directory, nearest first.

        Each comes with the length of what must be cut from a path for these rules.
        """
        unknown = []
        while directory and directory not in self._chains:
            unknown.append(directory)
            directory = directory.rpartition("/")[0]
        if directory not in self._chains:
            unknown.append(directory)
        chain = self._chains.get(directory, self._base)
        for name in reversed(unknown):
            rules = self._rules_in(name)
            if rules is not None:
                chain = ((len(name) + 1 if name else 0, rules), *chain)
            self._chains[name] = chain
        return chain

    def _rules_in(self, directory: str) -> Rules | None:
        if self._places is not None and directory not in self._places:
            return None
        lines: list[str] = []
        for name in self._names:
            lines += self._lines_of(f"{directory}/{name}" if directory else name)
        return parse_rules(lines)

    def _lines_of(self, path: str) -> list[str]:
        try:
            # Nearly always missing, so asked in the cheapest way first.
            if not stat.S_ISREG(os.lstat(f"{self._root}/{path}").st_mode):
                return []
            with open_beneath(Path(self._root), path) as (descriptor, _):
                data = os.read(descriptor, _MAX_IGNORE_FILE_BYTES)
        except (OSError, NotReadable):
            return []
        return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape").split("\n")


def built_in_rules() -> Rules | None:
    """Return the rules for plain folders that any ignore file may overrule."""
    return parse_rules(f"{name}/" for name in BUILT_IN_DIRECTORIES)


def is_output_directory(
    name: str, names_inside: Iterable[str], names_beside: Iterable[str]
) -> bool:
    """Say whether a directory of a plain folder is a cache, an environment or build output."""
    if not set(_MARKED_BY).isdisjoint(names_inside):
        return True
    return not set(_BUILD_OUTPUTS.get(name, ())).isdisjoint(names_beside)


def exclusion_rules(patterns: Iterable[str]) -> Rules | None:
    """Return the rules of a settings list.

    A bare name or glob means "anywhere, with all that is below it"; with a slash inside it is
    relative to the project's root. Both are what a line of an ignore file means.
    """
    cleaned = (pattern.strip().removeprefix("./") for pattern in patterns)
    return parse_rules(pattern for pattern in cleaned if pattern)

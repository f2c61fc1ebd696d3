"""Path globs against the library that reads .gitignore lines, and hostile ones."""

from __future__ import annotations

import random

import pytest
from pathspec import GitIgnoreSpec

from paparatsd.errors import BadQuery
from paparatsd.sources.globs import PathMatcher

NAMES = ("src", "a.py", "b", "test_a.py", "docs", "x.y.py", ".github", "a b")
PIECES = ("*", "**", "/", "src", "a", ".py", "?", "test_", "[ab]", "docs/", "*.py", "b")


def random_pattern(rng: random.Random) -> str:
    return "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 5)))


@pytest.mark.parametrize("seed", range(40))
def test_a_pattern_means_what_it_means_in_a_gitignore(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - a fixed sequence
    paths = ["/".join(rng.choices(NAMES, k=rng.randint(1, 4))) for _ in range(40)]
    for _ in range(10):
        pattern = random_pattern(rng)
        if "//" in pattern or "***" in pattern or pattern.strip("/") == "":
            continue
        spec = GitIgnoreSpec.from_lines([pattern])
        expected = [spec.match_file(path) for path in paths]
        assert [PathMatcher((pattern,)).matches(path) for path in paths] == expected, pattern


@pytest.mark.parametrize(
    "pattern", ["*" * 300 + "z", "*a" * 100 + "z", "?*" * 80 + "z", "**/" * 50 + "z"]
)
def test_a_hostile_pattern_is_answered_at_once(pattern: str) -> None:
    assert not PathMatcher((pattern,)).matches("a" * 200 + "/" + "a" * 200)


def test_what_cannot_be_read_is_refused() -> None:
    with pytest.raises(BadQuery, match="cannot be read"):
        PathMatcher(("a\\",))
    assert PathMatcher(("#odd",)).matches("dir/#odd")

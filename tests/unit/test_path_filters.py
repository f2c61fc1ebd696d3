"""Path filters as agents of the systems before write them."""

from __future__ import annotations

import pytest

from paparatsd.interfaces.mcp.path_filters import path_patterns
from paparatsd.sources.globs import PathMatcher

PATHS = (
    "main.go",
    "src/Auth/token.go",
    "src/app.py",
    "src/auth/login.py",
    "src/a/b/deep.py",
    "web/[id]/page.tsx",
    "lib/authz.rs",
)


def kept(text: str, root: str = "", folder: str = "") -> list[str]:
    matcher = PathMatcher(path_patterns(text, root, folder))
    return [path for path in PATHS if matcher.matches(path)]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("auth", ["src/Auth/token.go", "src/auth/login.py", "lib/authz.rs"]),
        ("AUTHZ", ["lib/authz.rs"]),
        ("src/au", ["src/Auth/token.go", "src/auth/login.py"]),
        ("/auth/", ["src/Auth/token.go", "src/auth/login.py"]),
        ("auth\\login", ["src/auth/login.py"]),
        ("rc/a/b/de", ["src/a/b/deep.py"]),
        ("main.go", ["main.go"]),
        ("nothing", []),
    ],
)
def test_a_filter_without_wildcards_is_a_part_of_the_path_in_any_case(
    text: str, paths: list[str]
) -> None:
    assert kept(text) == paths


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("*.go", ["main.go", "src/Auth/token.go"]),
        ("src/*.py", ["src/app.py", "src/auth/login.py", "src/a/b/deep.py"]),
        ("*/auth/*.py", ["src/auth/login.py"]),
        ("**/b/*", ["src/a/b/deep.py"]),
        ("*auth*", ["src/auth/login.py", "lib/authz.rs"]),
        ("src/**/*.py", ["src/app.py", "src/auth/login.py", "src/a/b/deep.py"]),
        ("a?p.py", ["src/app.py"]),
        ("[ml]*.go", ["main.go"]),
    ],
)
def test_a_glob_begins_at_any_folder_and_its_stars_cross_folders(
    text: str, paths: list[str]
) -> None:
    assert kept(text) == paths


def test_a_folder_in_brackets_is_found_by_its_name() -> None:
    assert kept("[id]") == ["web/[id]/page.tsx"]


def test_a_filter_may_begin_with_the_root() -> None:
    assert kept("/home/me/shop/src/auth", "/home/me/shop") == ["src/auth/login.py"]
    assert kept("/home/me/shop/src/*.go", "/home/me/shop") == ["src/Auth/token.go"]
    assert kept("/home/me/shop", "/home/me/shop") == list(PATHS)


def test_a_folder_limits_every_filter() -> None:
    assert kept("auth", folder="src") == ["src/Auth/token.go", "src/auth/login.py"]
    assert kept("*.go", folder="src") == ["src/Auth/token.go"]
    assert kept("", folder="web/[id]") == ["web/[id]/page.tsx"]


def test_no_filter_lets_everything_through() -> None:
    assert path_patterns("", "/home/me/shop") == ()


def test_any_number_of_stars_makes_few_patterns() -> None:
    assert len(path_patterns("a*b*c*d*e*f*g*h*i")) <= 16

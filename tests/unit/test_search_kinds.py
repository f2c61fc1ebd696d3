from __future__ import annotations

import pytest

from paparatsd.search.asked_kind import is_of_kind
from paparatsd.search.kinds import kind_at_head


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("tests for the router", ("test", "the router")),
        ("find unit tests of the parser", ("test", "the parser")),
        ("docs about deployment", ("docs", "deployment")),
        ("examples of blueprints", ("example", "blueprints")),
        ("ci configuration", ("ci", "")),
        ("ci configuration for publishing", ("ci", "publishing")),
        ("documentation generation for man pages", ("", "")),
        ("how does the test client work", ("", "")),
        ("test runner for commands", ("", "")),
    ],
)
def test_kind_stands_at_the_head_of_a_question(question: str, expected: tuple[str, str]) -> None:
    assert kind_at_head(question) == expected


@pytest.mark.parametrize(
    ("kind", "path", "expected"),
    [
        ("ci", ".github/workflows/a.yml", True),
        ("ci", "sub/.gitlab-ci.yml", True),
        ("ci", ".circleci/config.yml", True),
        ("ci", "Jenkinsfile", True),
        ("ci", "azure-pipelines.yml", True),
        ("ci", ".github/dependabot.yml", False),
        ("docs", "docs/a.rst", True),
        ("docs", "docs/conf.py", False),
        ("docs", "tests/README.md", False),
        ("test", "tests/test_a.py", True),
    ],
)
def test_kind_of_a_file_is_told_by_its_path(kind: str, path: str, *, expected: bool) -> None:
    assert is_of_kind(kind, path) == expected

"""What a project says of its documents, and what is said of labels that are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.model import GroupName, ProjectEntry, ProjectName
from paparatsd.project_rules import ProjectRules, warn_of_labels
from paparatsd.settings import IndexSettings

if TYPE_CHECKING:
    from pathlib import Path


class QuickClock:
    """Does not wait."""

    def now(self) -> float:
        return 0.0

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        del seconds


def rules_of(root: Path, **docs: str) -> ProjectRules:
    overrides = {"docs": docs} if docs else {}
    entry = ProjectEntry(ProjectName("p"), str(root), GroupName("default"), overrides=overrides)
    return ProjectRules(entry, IndexSettings(), QuickClock(), lambda: None)


async def test_documents_are_internal_until_the_project_says_otherwise(tmp_path: Path) -> None:
    rules = rules_of(tmp_path)
    assert rules.docs_audience == "", "nobody has looked yet"
    await rules.read()
    assert (rules.docs_kind, rules.docs_audience) == ("auto", "internal")

    (tmp_path / ".paparats.yml").write_text("docs: {kind: prose, audience: partner}\n")
    await rules.read()
    assert (rules.docs_kind, rules.docs_audience) == ("prose", "partner")

    (tmp_path / ".paparats.yml").write_text("docs: {kind: code, audience: for all}\n")
    await rules.read()
    assert "docs.audience: 'for all' cannot be used" in rules.problem
    assert rules.docs_kind == "prose"
    assert rules.docs_audience == "", "what was open may be what is being closed"


async def test_the_project_list_wins_over_the_file(tmp_path: Path) -> None:
    (tmp_path / ".paparats.yml").write_text("docs: {kind: prose, audience: partner}\n")
    rules = rules_of(tmp_path, audience="public")
    await rules.read()
    assert (rules.docs_kind, rules.docs_audience) == ("prose", "public")


def test_labels_that_are_none_are_told_once_with_an_example() -> None:
    assert warn_of_labels([]) == ()
    [one] = warn_of_labels([("a.md", "for all")])
    assert one.startswith("a.md: 'for all' is no audience, so it counts as 'internal'; allowed: ")
    [many] = warn_of_labels([("a.md", "for all"), ("b.md", "x y"), ("c.md", "?")])
    assert many.startswith("a.md (and 2 more documents): 'for all'")

"""The annotated questions: repositories, queries and the places that answer them.

    repos.json             [{name, language, url, revision, benchmark_root?, checked_revision?}...]
    annotations/NAME.json  [{query, relevant: [T...], secondary: [T...], category}...]

A target T is a path, or {path, start_line, end_line} (1-based, inclusive). A query's id is
"NAME:II" with II its position in the file. `checked_revision` is what the annotations were
validated against, where that is not `revision`. Where the data come from: NOTICE beside them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEV = Path(__file__).with_name("semble_dev")
"""The dev half: 31 repositories, 612 queries."""


@dataclass(frozen=True)
class Target:
    """A place that answers a query: a file, or a range of its lines (1-based, inclusive)."""

    path: str
    start_line: int | None = None
    end_line: int | None = None


@dataclass(frozen=True)
class Query:
    """One question of one repository."""

    id: str
    repo: str
    language: str
    category: str
    """symbol, semantic or architecture."""
    text: str
    targets: tuple[Target, ...]


@dataclass(frozen=True)
class Repo:
    """An annotated repository."""

    name: str
    language: str
    source: str
    """Address of a clone that has `revision`."""
    revision: str
    root: str
    """The folder to which the published figures are limited; "" is the whole checkout."""


@dataclass(frozen=True)
class Dataset:
    """Repositories by name, and their queries."""

    name: str
    repos: Mapping[str, Repo]
    queries: Mapping[str, Sequence[Query]]

    def select(self, names: Sequence[str]) -> list[Repo]:
        """Return the repositories of these names, or all; raises KeyError for an unknown one."""
        for name in names:
            if name not in self.repos:
                raise KeyError(f"{name} is not in the data set {self.name}")
        return [self.repos[name] for name in sorted(names or self.repos)]


def load_dataset(directory: Path) -> Dataset:
    """Read repos.json and annotations/; a repository without annotations is left out."""
    repos: dict[str, Repo] = {}
    queries: dict[str, list[Query]] = {}
    for raw in json.loads((directory / "repos.json").read_text(encoding="utf-8")):
        file = directory / "annotations" / f"{raw['name']}.json"
        if not file.is_file():
            continue
        repo = repos[raw["name"]] = _repo(raw)
        rows = json.loads(file.read_text(encoding="utf-8"))
        queries[repo.name] = [_query(repo, number, row) for number, row in enumerate(rows)]
    return Dataset(directory.resolve().name, repos, queries)


def infer_category(text: str) -> str:
    """Return the category of a query that names none, by the rule of the data's authors."""
    if " " not in text.strip():
        return "symbol"
    return "architecture" if text.lower().startswith("how ") else "semantic"


def _repo(raw: Mapping[str, Any]) -> Repo:
    checked = raw.get("checked_source")
    return Repo(
        name=raw["name"],
        language=raw["language"],
        source=f"https://github.com/{checked}.git" if checked else raw.get("url", ""),
        revision=raw.get("checked_revision") or raw.get("revision", ""),
        root=(raw.get("benchmark_root") or "").strip("/"),
    )


def _query(repo: Repo, number: int, row: Mapping[str, Any]) -> Query:
    # Both kinds of target count alike; the data's authors score them so.
    targets = [*row.get("relevant", []), *row.get("secondary", [])]
    return Query(
        id=f"{repo.name}:{number:02d}",
        repo=repo.name,
        language=repo.language,
        category=row.get("category") or infer_category(row["query"]),
        text=row["query"],
        targets=tuple(_target(raw) for raw in targets),
    )


def _target(raw: str | Mapping[str, Any]) -> Target:
    if isinstance(raw, str):
        return Target(raw)
    start, end = raw.get("start_line"), raw.get("end_line")
    if start is None or end is None:
        return Target(raw["path"])
    return Target(raw["path"], int(start), int(end))

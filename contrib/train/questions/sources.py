"""The list of repositories questions are made from: sources.tsv."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Source:
    """One repository at one revision; `root` is the folder its sources are in, "" for all of it."""

    set_name: str
    name: str
    origin: str
    revision: str
    licence: str
    language: str
    root: str

    @property
    def owner_and_name(self) -> str:
        """The repository's name on its host, as "owner/name"."""
        return self.origin.removeprefix("github:")


def read_sources(path: Path, set_name: str, excluded: frozenset[str] = frozenset()) -> list[Source]:
    """Read the rows of one set; a name that is in `excluded` (lower case) is an error."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    found = []
    for row in rows:
        source = Source(
            set_name=row["set"],
            name=row["name"],
            origin=row["origin"],
            revision=row["revision"],
            licence=row["licence"],
            language=row["language"],
            root="" if row["root"] == "-" else row["root"],
        )
        if {source.name, source.owner_and_name.split("/")[-1].lower()} & excluded:
            raise ValueError(f"{source.name} is in the benchmark: take it out of {path.name}")
        if source.set_name == set_name:
            found.append(source)
    twice = [name for name, count in Counter(s.name for s in found).items() if count > 1]
    if twice:
        raise ValueError(f"{path.name} has two repositories named {twice[0]}: rename one")
    return found

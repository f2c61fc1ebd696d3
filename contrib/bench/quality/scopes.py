"""What of a checkout is indexed, and how an answer's paths become paths of the checkout.

root   the folder of the published figures, `benchmark_root`
full   the whole checkout: tests, documents and sibling packages compete too, which is what a
       user's repository looks like. Same targets, so figures are lower.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from contrib.bench.quality.metrics import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contrib.bench.quality.dataset import Query, Repo

SCOPES = ("root", "full")


@dataclass(frozen=True)
class Scope:
    """One repository as a system gets to see it."""

    repo: Repo
    checkout: Path
    name: str

    @property
    def directory(self) -> Path:
        """The directory to index."""
        return self.checkout / self.repo.root if self.name == "root" else self.checkout

    @property
    def inside(self) -> str:
        """The folder of the checkout in which alone an answer can be right; "" is anywhere."""
        return self.repo.root if self.name == "full" else ""

    def in_checkout(self, results: Sequence[Result]) -> list[Result]:
        """Make paths of results relative to the checkout."""
        return [Result(self._path(one.path), one.start_line, one.end_line) for one in results]

    def _path(self, path: str) -> str:
        path = path.replace("\\", "/")
        if os.path.isabs(path):
            return self._from_absolute(path)
        path = os.path.normpath(path).replace(os.sep, "/")
        prefix = self.repo.root if self.name == "root" else ""
        if not prefix:
            return path
        if not (self.directory / path).exists() and (self.checkout / path).exists():
            return path  # it was relative to the checkout already
        return f"{prefix}/{path}"

    def _from_absolute(self, path: str) -> str:
        for base in (self.checkout, self.checkout.resolve()):
            if Path(path).is_relative_to(base):
                return Path(path).relative_to(base).as_posix()
        return path

    def missing_targets(self, query: Query) -> list[str]:
        """Return the targets of a query that name no file of this checkout."""
        bases = {self.checkout, self.checkout / self.repo.root}
        paths = [target.path for target in query.targets]
        return [path for path in paths if not any((base / path).is_file() for base in bases)]

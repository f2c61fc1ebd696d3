"""Our side: a daemon that has indexed the directory, and its graph asked about functions."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from types import GeneratorType
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

from contrib.bench.graph.sites import Call
from contrib.bench.quality.daemon import QueryRefused, Service, running
from paparatsd.errors import PaparatsError
from paparatsd.graph.asked import GraphProject
from paparatsd.graph.ground import Grounds
from paparatsd.graph.operations import OPERATIONS
from paparatsd.graph.slices import finished
from paparatsd.graph_model import GraphScope, ImpactRequest, UsagesRequest
from paparatsd.model import ProjectName
from paparatsd.store.reader import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from contrib.bench.graph.references import Function
    from contrib.bench.graph.sites import Lines, Place

PAGE = 200
NOT_CALLS = frozenset({"imports", "overrides"})


class Asker(Protocol):
    """Somebody who can be asked as clients ask; False when nothing is defined at a place."""

    def usages(self, at: str) -> bool:
        """Ask for the first page of users."""
        ...

    def impact(self, at: str) -> bool:
        """Ask for what depends on something within two uses."""
        ...


class OverSocket:
    """The daemon, over one connection to its Unix socket."""

    def __init__(self, service: Service, project: str) -> None:
        self._service, self._project = service, project

    def edges(self, at: str) -> list[dict[str, Any]] | None:
        """Return all users, the sure ones first; None when nothing is defined at a place."""
        found: list[dict[str, Any]] = []
        offset: int | None = 0
        while offset is not None:
            body = {"address": f"{self._project}:{at}", "limit": PAGE, "offset": offset}
            try:
                answer = self._service.call("POST", "/v1/usages", body)
            except QueryRefused:
                return None
            if not answer["found"]:
                return None
            side = answer["found"][0]["incoming"]
            found += side["edges"]
            offset = side["more"]
        return found

    def usages(self, at: str) -> bool:
        """See Asker."""
        return self._answers("/v1/usages", {"address": f"{self._project}:{at}"})

    def impact(self, at: str) -> bool:
        """See Asker."""
        return self._answers("/v1/impact", {"address": [f"{self._project}:{at}"]})

    def _answers(self, path: str, body: dict[str, Any]) -> bool:
        try:
            self._service.call("POST", path, body)
        except QueryRefused:
            return False
        return True


class InProcess:
    """The code of the graph process, called in this one over the daemon's catalog."""

    def __init__(self, catalog: Path, project: str) -> None:
        self._grounds = Grounds(CatalogReader(catalog))
        row = self._grounds.reader.project(ProjectName(project))
        self._projects = [GraphProject(row.id, row.entry.name, row.entry.group, row.generation)]
        self._project = project

    def usages(self, at: str) -> bool:
        """See Asker."""
        return self._answers("usages", UsagesRequest(f"{self._project}:{at}", GraphScope()))

    def impact(self, at: str) -> bool:
        """See Asker."""
        return self._answers("impact", ImpactRequest(GraphScope(), (f"{self._project}:{at}",)))

    def functions(self) -> list[tuple[str, str]]:
        """Return place and name of all functions of the project, by path and place."""
        (tree,) = self._grounds.of(self._projects).trees
        return [
            (f"{file.path}:{symbol.start_line}", symbol.name)
            for file in tree.files(tree.paths)
            for symbol in file.symbols
            if symbol.kind in ("function", "method")
        ]

    def _answers(self, operation: str, request: object) -> bool:
        try:
            answer = OPERATIONS[operation](self._grounds.of(self._projects), request)
            if isinstance(answer, GeneratorType):
                finished(answer)
        except PaparatsError:
            return False
        return True


def calls_of(asker: OverSocket, function: Function, lines: Lines) -> Mapping[Place, Call] | None:
    """Return where a function is called and how sure that is; None when nothing stands there."""
    at = f"{quote(function.path)}:{function.line}:{function.column}"
    edges = asker.edges(at)
    if edges is None:
        return None
    found: dict[Place, Call] = {}
    for edge in edges:
        name, path = edge["written"], edge["symbol"]["path"]
        call = Call(edge["certainty"], name, edge["note"].startswith("through "))
        for line in edge["lines"] if edge["relation"] not in NOT_CALLS else ():
            if lines.calls(path, line, name):
                found.setdefault((path, line), call)
    return found


@dataclass(frozen=True, slots=True)
class Indexed:
    """A daemon that shows one project."""

    service: Service
    catalog: Path
    project: str

    def withheld(self) -> frozenset[str]:
        """Return the files that the daemon does not read, as those that hold keys."""
        skipped = self.service.call("GET", "/v1/skipped")["projects"].get(self.project, ())
        return frozenset(one["path"] for one in skipped)


@contextlib.contextmanager
def indexed(root: Path) -> Iterator[Indexed]:
    """Yield a daemon that has indexed a directory."""
    with running() as service:
        (project,) = service.index([root])
        catalog = next(service.daemon.home.rglob("catalog.sqlite3"))
        yield Indexed(service, catalog, str(project["name"]))

"""Our side: a daemon that has indexed the directory, and its graph asked about functions."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from types import GeneratorType
from typing import TYPE_CHECKING, Any, Protocol

from contrib.bench.graph.sites import Call
from contrib.bench.quality.daemon import QueryRefused, Service, running
from paparatsd.errors import PaparatsError
from paparatsd.graph.asked import GraphProject
from paparatsd.graph.ground import Grounds
from paparatsd.graph.operations import OPERATIONS
from paparatsd.graph.slices import finished
from paparatsd.graph_model import GraphScope, ImpactRequest, UsagesRequest
from paparatsd.store.reader import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from contrib.bench.graph.references import Function
    from contrib.bench.graph.sites import Lines, Place
    from paparatsd.graph_model import Edge, Side, UsagesAnswer
    from paparatsd.store.rows import ProjectRow

PAGE = 200
NOT_CALLS = frozenset({"imports", "overrides"})


@dataclass(frozen=True, slots=True)
class Found:
    """Users of one symbol in one file."""

    relation: str
    certainty: str
    name: str
    note: str
    path: str
    lines: tuple[int, ...]


class Asker(Protocol):
    """Somebody who can be asked about one project."""

    def edges(self, at: str) -> list[Found] | None:
        """Return all users, the sure ones first; None when nothing is defined there."""
        ...

    def usages(self, at: str) -> None:
        """Ask for the first page of users, as a client does."""
        ...

    def impact(self, at: str) -> None:
        """Ask for what depends on something within two uses."""
        ...


class InProcess:
    """The code of the graph process, called in this one over the daemon's catalog."""

    def __init__(self, catalog: Path, project: str) -> None:
        self._grounds = Grounds(CatalogReader(catalog))
        row: ProjectRow = self._grounds.reader.project(project)
        self._projects = [GraphProject(row.id, row.entry.name, row.entry.group, row.generation)]
        self._project = project

    def edges(self, at: str) -> list[Found] | None:
        """See Asker."""
        found: list[Found] = []
        offset: int | None = 0
        while offset is not None:
            try:
                side = self._incoming(at, offset)
            except PaparatsError:
                return None
            if side is None:
                return None
            found += [_plain(edge) for edge in side.edges]
            offset = side.more
        return found

    def _incoming(self, at: str, offset: int) -> Side | None:
        answer: UsagesAnswer = self._ask(
            "usages",
            UsagesRequest(f"{self._project}:{at}", GraphScope(), limit=PAGE, offset=offset),
        )
        return answer.found[0].incoming if answer.found else None

    def usages(self, at: str) -> None:
        """See Asker."""
        with contextlib.suppress(PaparatsError):
            self._ask("usages", UsagesRequest(f"{self._project}:{at}", GraphScope()))

    def impact(self, at: str) -> None:
        """See Asker."""
        with contextlib.suppress(PaparatsError):
            self._ask("impact", ImpactRequest(GraphScope(), (f"{self._project}:{at}",)))

    def _ask(self, operation: str, request: object) -> Any:  # noqa: ANN401 - each has its own answer
        answer = OPERATIONS[operation](self._grounds.of(self._projects), request)
        return finished(answer) if isinstance(answer, GeneratorType) else answer


def _plain(edge: Edge) -> Found:
    return Found(
        edge.relation.value,
        edge.certainty.value,
        edge.name,
        edge.note,
        edge.symbol.path,
        edge.lines,
    )


def calls_of(asker: Asker, function: Function, lines: Lines) -> Mapping[Place, Call] | None:
    """Return where a function is called and how sure that is; None when nothing stands there."""
    edges = asker.edges(f"{function.path}:{function.line}:{function.column}")
    if edges is None:
        return None
    found: dict[Place, Call] = {}
    for edge in edges:
        call = Call(edge.certainty, edge.name, edge.note.startswith("through "))
        for line in edge.lines if edge.relation not in NOT_CALLS else ():
            if lines.calls(edge.path, line, edge.name):
                found.setdefault((edge.path, line), call)
    return found


@contextlib.contextmanager
def indexed(root: Path) -> Iterator[tuple[Service, Path, str]]:
    """Yield a daemon that has indexed a directory, its catalog and the project's name."""
    with running() as service:
        (project,) = service.index([root])
        catalog = next(service.daemon.home.rglob("catalog.sqlite3"))
        yield service, catalog, str(project["name"])


__all__ = ["InProcess", "QueryRefused", "calls_of", "indexed"]

"""The architectural memory over a real notes file and a real catalog; likeness is as texts say.

A text that holds `~0.80` has the likeness 0.80 to every text without such a mark.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from paparatsd.errors import UnknownAddress
from paparatsd.history_model import CommitsAnswer
from paparatsd.knowledge.notes import Notes
from paparatsd.knowledge_model import (
    CardDraft,
    Component,
    Decision,
    Lesson,
    Reach,
)
from paparatsd.memory_service import MemoryService
from paparatsd.model import (
    Fingerprint,
    Freshness,
    FreshnessState,
    GroupName,
    ProjectName,
    RepoId,
    ShardKey,
)
from paparatsd.search.scope import ProjectScope, Scope
from tests.harness.graph_asked import hubs
from tests.harness.graph_world import GraphWorld
from tests.harness.set_clock import SetClock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from paparatsd.graph_model import SurveyAnswer, SurveyRequest
    from paparatsd.history_model import ChunkLog, CommitRequest, FoundCommit
    from paparatsd.knowledge_model import CardBody, Recorded

_MARK = re.compile(r"~([01]\.\d+)")


class AngleEmbedder:
    """Places texts on a circle, by their marks."""

    fingerprint = "angles"

    def __init__(self) -> None:
        self.asked = 0

    async def documents(self, texts: Sequence[str]) -> list[NDArray[np.float32] | None]:
        return [_row(text) for text in texts]

    async def query(self, text: str) -> NDArray[np.float32]:
        self.asked += 1
        return _row(text)


def _row(text: str) -> NDArray[np.float32]:
    mark = _MARK.search(text)
    cosine = 1.0 if mark is None else float(mark[1])
    return np.array([cosine, math.sqrt(1 - cosine * cosine)], dtype=np.float32)


class Projects:
    """Stands for `Answerable`: what is registered, and what of it may be answered about."""

    def __init__(self, world: GraphWorld) -> None:
        self._world = world
        self.building: set[str] = set()
        self.only: tuple[str, ...] = ()
        self.closed: dict[str, str] = {}
        """Registered projects that are not open yet, with their groups."""

    def select(self, projects: object, groups: object) -> tuple[Any, ...]:
        del projects, groups
        known = [(one.name, one.group) for one in self._world.projects()]
        known += [(ProjectName(name), GroupName(group)) for name, group in self.closed.items()]
        return tuple(_Session(name, group) for name, group in known if self._has(name))

    def allowed(self) -> tuple[str, ...]:
        return self.only

    def _has(self, name: str) -> bool:
        return not self.only or name in self.only

    def everything(self) -> Scope:
        return Scope(
            tuple(
                ProjectScope(
                    one.project_id,
                    one.name,
                    one.group,
                    RepoId(one.name),
                    ShardKey(RepoId(one.name), "code", Fingerprint("f"), 8),
                    one.generation,
                    Freshness(one.name, one.generation, None, FreshnessState.CURRENT),
                    building=(1, 2) if one.name in self.building else None,
                )
                for one in self._world.projects()
                if self._has(one.name)
            )
        )


class _Session:
    def __init__(self, name: ProjectName, group: GroupName) -> None:
        self.name = name
        self.entry = self
        self.group = group


class Graph:
    """Stands for the graph service: hubs of the real graph, in this process."""

    def __init__(self, world: GraphWorld) -> None:
        self._world = world
        self.asked: list[SurveyRequest] = []

    async def hubs(self, request: SurveyRequest) -> SurveyAnswer:
        self.asked.append(request)
        return hubs(self._world.ground(*request.scope.projects), request)


class History:
    """Stands for `HistoryService`: what was put in by address, else nothing."""

    def __init__(self) -> None:
        self.logs: dict[str, ChunkLog] = {}
        self.commits: tuple[FoundCommit, ...] = ()
        self.error: Exception | None = None

    async def log(self, address: str, limit: int, scope: Scope, branches: object) -> ChunkLog:
        del limit, scope, branches
        if self.error is not None:
            raise self.error
        if address not in self.logs:
            raise UnknownAddress(address)
        return self.logs[address]

    async def find_commits(self, request: CommitRequest, scope: Scope) -> CommitsAnswer:
        del scope
        if self.error is not None:
            raise self.error
        return CommitsAnswer(request.query, self.commits, len(self.commits), ())


class MemoryWorld:
    """Groups `core` (projects shop and library) and `edge` (project other), nothing in them."""

    def __init__(self, root: Path) -> None:
        self.code = GraphWorld(root)
        for name, group in (("shop", "core"), ("library", "core"), ("other", "edge")):
            self.code.index(name, {}, group)
        self.clock = SetClock()
        self.embedder = AngleEmbedder()
        self.notes = Notes(root / "notes.sqlite3", self.clock, self.embedder, dimension=2)
        self.projects, self.graph, self.history = (
            Projects(self.code),
            Graph(self.code),
            History(),
        )
        self.memory = MemoryService(
            self.notes,
            cast("Any", self.projects),
            self.clock,
            cast("Any", self.graph),
            cast("Any", self.history),
            self.code.path,
        )

    async def record(
        self,
        body: CardBody,
        project: str | None = "shop",
        *,
        group: str = "core",
        files: Sequence[str] = (),
        anchors: Sequence[str] = (),
        reach: Reach | None = None,
    ) -> Recorded:
        """Record a card, a second later than the last."""
        self.clock.at += 1
        named = None if project is None else ProjectName(project)
        draft = CardDraft(GroupName(group), body, named, tuple(files), tuple(anchors))
        return await self.memory.record(draft, reach or Reach())

    def index(self, files: Mapping[str, str], project: str = "shop", group: str = "core") -> None:
        """Make a project show exactly these files."""
        self.code.index(project, files, group)

    async def close(self) -> None:
        """Close both files."""
        await self.notes.stop()
        self.code.close()


def component(name: str, summary: str = "Does one thing.") -> Component:
    return Component(name, summary)


def decision(title: str, supersedes: str | None = None) -> Decision:
    return Decision(title, "because", "so it is", "and so on", supersedes=supersedes)


def lesson(rule: str) -> Lesson:
    return Lesson(rule, "it broke", "at night")


def reach(
    *, groups: Sequence[str] = (), projects: Sequence[str] = (), visible: Sequence[str] = ()
) -> Reach:
    """Return a reach of these names."""
    return Reach(
        tuple(map(ProjectName, projects)),
        tuple(map(GroupName, groups)),
        visible=frozenset(visible),
    )

"""Small projects in a real catalog, read by the real parser: what the symbol graph answers from."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from paparatsd.chunks.parse import ChunkLimits, parse_file
from paparatsd.graph.asked import GraphProject
from paparatsd.graph.ground import Ground, Grounds
from paparatsd.model import (
    ContentId,
    Fingerprint,
    GroupName,
    ProjectEntry,
    ProjectName,
    RepoId,
    ShardKey,
    Stat,
)
from paparatsd.store.catalog import Catalog
from paparatsd.store.ids import version_id
from paparatsd.store.reader import CatalogReader
from paparatsd.store.rows import VersionRow, ViewChange, ViewEntry

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from paparatsd.model import Fact, VersionId

PIPELINE = Fingerprint("test-pipeline")


class GraphWorld:
    """`index` is what a pass of the daemon does, in one step; `ground` is what is asked then."""

    def __init__(self, root: Path) -> None:
        self.path = root / "catalog.sqlite3"
        self.catalog = Catalog.open(self.path)
        self._grounds: Grounds | None = None
        self._projects: dict[str, tuple[int, str, RepoId, dict[str, VersionId], int]] = {}

    def index(
        self,
        name: str,
        files: Mapping[str, str],
        group: str = "all",
        facts: Mapping[str, tuple[Fact, ...]] | None = None,
    ) -> None:
        """Make the project show exactly these files; `facts` are added to what they say."""
        if name not in self._projects:
            known = self.catalog.ensure_repo(f"/{name}", RepoId(name))
            entry = ProjectEntry(ProjectName(name), f"/{name}", GroupName(group))
            project_id = self.catalog.add_project(entry, known)
            self._projects[name] = (project_id, group, RepoId(name), {}, 0)
        project_id, group, repo, before, _ = self._projects[name]
        more = facts or {}
        rows = [_build(repo, path, text, more.get(path, ())) for path, text in files.items()]
        after = {row.path: row.id for row in rows}
        shard = ShardKey(repo, "code", Fingerprint("static"), 8)
        self.catalog.write_versions(rows, shard=shard)
        stat = Stat(1, 1, 1, 1)
        change = ViewChange(
            set={
                path: ViewEntry(one, stat) for path, one in after.items() if before.get(path) != one
            },
            drop=tuple(path for path in before if path not in after),
        )
        generation = self.catalog.commit_generation(project_id, change)
        self._projects[name] = (project_id, group, repo, after, generation)

    @property
    def grounds(self) -> Grounds:
        """What the graph process keeps from question to question."""
        if self._grounds is None:
            self._grounds = Grounds(CatalogReader(self.path))
        return self._grounds

    def projects(self, *names: str) -> list[GraphProject]:
        """Return what the daemon says of the projects; these (default: all) are asked about."""
        return [
            GraphProject(
                project_id,
                ProjectName(name),
                GroupName(group),
                generation,
                not names or name in names,
            )
            for name, (project_id, group, _, _, generation) in self._projects.items()
        ]

    def ground(self, *names: str) -> Ground:
        """Return the ground on which these projects (default: all) are asked about."""
        return self.grounds.of(self.projects(*names))

    def close(self) -> None:
        """Close the catalog."""
        self.catalog.close()


def _build(repo: RepoId, path: str, text: str, facts: tuple[Fact, ...]) -> VersionRow:
    parsed = parse_file(path, text, ChunkLimits())
    content = ContentId(blake2b(f"{text}{facts}".encode(), digest_size=32).digest())
    return VersionRow(
        version_id(repo, path, content, PIPELINE),
        repo,
        path,
        content,
        PIPELINE,
        parsed.language,
        len(text),
        parsed.lines,
        parsed.chunks,
        parsed.symbols,
        parsed.uses,
        b"",
        facts=parsed.facts + facts,
    )

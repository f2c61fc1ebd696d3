"""A catalog filled through the real chunker, and a store that recalls exactly: for search tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.embedtext import embed_text
from paparatsd.chunks.fields import lexical_vectors
from paparatsd.chunks.packing import build_record
from paparatsd.chunks.parse import ChunkLimits, parse_file
from paparatsd.chunks.record import term_counts
from paparatsd.model import (
    ContentId,
    Fingerprint,
    Freshness,
    FreshnessState,
    GroupName,
    ProjectEntry,
    ProjectName,
    Recalled,
    RecallReply,
    RepoId,
    ShardKey,
    Stat,
)
from paparatsd.search.scope import ProjectScope, Scope
from paparatsd.store.catalog import Catalog
from paparatsd.store.ids import version_id
from paparatsd.store.rows import TermDelta, VersionRow, ViewChange, ViewEntry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from paparatsd.embeddings.static import StaticModel
    from paparatsd.model import RecallRequest, SparseVector, VersionId

PIPELINE = Fingerprint("test-pipeline")


@dataclass
class ExactStore:
    """Recall by computing every score; honours filter, kinds and limit like the real stores."""

    points: dict[ShardKey, dict[tuple[int, int], tuple[str, SparseVector, NDArray[np.float32]]]] = (
        field(default_factory=dict)
    )
    requests: list[RecallRequest] = field(default_factory=list)
    failure: Exception | None = None

    async def recall(self, requests: Sequence[RecallRequest]) -> list[RecallReply]:
        return self.answer(requests)

    def answer(self, requests: Sequence[RecallRequest]) -> list[RecallReply]:
        if self.failure is not None:
            raise self.failure
        self.requests += requests
        return [self._one(request) for request in requests]

    def _one(self, request: RecallRequest) -> RecallReply:
        listed = set(request.filter.versions.tolist())
        points = [
            (key, *point)
            for key, point in self.points.get(request.shard, {}).items()
            if (key[0] in listed) == request.filter.include
            and (not request.kinds or point[0] in request.kinds)
        ]
        dense = lexical = None
        if request.dense is not None:
            dense = _leg([(key, float(row @ request.dense)) for key, _, _, row in points], request)
        if request.sparse is not None:
            scored = [(key, _dot(sparse, request.sparse)) for key, _, sparse, _ in points]
            lexical = _leg([one for one in scored if one[1] > 0], request)
        return RecallReply(dense, lexical)


def _dot(one: SparseVector, other: SparseVector) -> float:
    _, mine, theirs = np.intersect1d(one.ids, other.ids, return_indices=True)
    return float(one.values[mine] @ other.values[theirs])


def _leg(scored: list[tuple[tuple[int, int], float]], request: RecallRequest) -> Recalled:
    best = sorted(scored, key=lambda one: (-one[1], one[0]))[: request.limit]
    return Recalled(
        np.array([key[0] for key, _ in best], np.int64),
        np.array([key[1] for key, _ in best], np.int32),
        np.array([score for _, score in best], np.float32),
    )


class World:
    """Projects in a real catalog; `index` is what a pass of the daemon does, in one step."""

    def __init__(self, root: Path, model: StaticModel) -> None:
        self.path = root / "catalog.sqlite3"
        self.catalog = Catalog.open(self.path)
        self.store = ExactStore()
        self.model = model
        self._projects: dict[str, tuple[int, RepoId, dict[str, VersionId], int]] = {}

    def shard(self, repo: str) -> ShardKey:
        return ShardKey(RepoId(repo), "code", Fingerprint("static"), self.model.spec.dimension)

    def index(self, name: str, files: Mapping[str, str], repo: str | None = None) -> None:
        """Make the project show exactly these files."""
        repo = repo or name
        if name not in self._projects:
            known = self.catalog.ensure_repo(f"/{repo}", RepoId(repo))
            entry = ProjectEntry(ProjectName(name), f"/{name}", GroupName("all"))
            self._projects[name] = (self.catalog.add_project(entry, known), RepoId(repo), {}, 0)
        project_id, repo_id, before, _ = self._projects[name]
        rows = {path: self._build(repo_id, path, text) for path, text in files.items()}
        after = {path: row.id for path, row in rows.items()}
        self.catalog.write_versions(list(rows.values()), shard=self.shard(repo))
        stat = Stat(1, 1, 1, 1)
        changed = {path: one for path, one in after.items() if before.get(path) != one}
        gone = {path: one for path, one in before.items() if after.get(path) != one}
        change = ViewChange(
            set={path: ViewEntry(one, stat) for path, one in changed.items()},
            drop=tuple(path for path in gone if path not in after),
            terms=self._delta(list(changed.values()), list(gone.values())),
        )
        generation = self.catalog.commit_generation(project_id, change)
        self._projects[name] = (project_id, repo_id, after, generation)

    def _build(self, repo: RepoId, path: str, text: str) -> VersionRow:
        parsed = parse_file(path, text, ChunkLimits())
        sparse = lexical_vectors(path, parsed)
        content = ContentId(blake2b(text.encode(), digest_size=32).digest())
        ident = version_id(repo, path, content, PIPELINE)
        dense = self.model.encode([embed_text(path, parsed, chunk) for chunk in parsed.chunks])
        points = self.store.points.setdefault(self.shard(repo), {})
        for chunk, vector, row in zip(parsed.chunks, sparse, dense, strict=True):
            points[(int(ident), chunk.ordinal)] = (chunk.kind, vector, row)
        return VersionRow(
            ident,
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
            build_record(path, parsed, sparse, self.model.encode),
            document=parsed.document,
        )

    def _delta(self, came: Sequence[VersionId], went: Sequence[VersionId]) -> TermDelta:
        counts: dict[int, int] = {}
        chunks = 0
        for sign, versions in ((1, came), (-1, went)):
            for version, record in self.catalog.read.records(versions).items():
                vector = term_counts(record)
                for number, count in zip(vector.ids.tolist(), vector.values.tolist(), strict=True):
                    counts[number] = counts.get(number, 0) + sign * int(count)
                chunks += sign * len(self.catalog.read.chunks_of(version))
        kept = {number: count for number, count in sorted(counts.items()) if count}
        return TermDelta(
            np.array(list(kept), np.uint32), np.array(list(kept.values()), np.int32), chunks
        )

    def scope(self, *names: str, state: FreshnessState = FreshnessState.CURRENT) -> Scope:
        """Return a scope over these projects (default: all), by name."""
        scopes = []
        for name in sorted(names or self._projects):
            project_id, repo, _, generation = self._projects[name]
            fresh = Freshness(ProjectName(name), generation, None, state)
            scopes.append(
                ProjectScope(
                    project_id,
                    ProjectName(name),
                    GroupName("all"),
                    repo,
                    self.shard(repo),
                    generation,
                    fresh,
                )
            )
        return Scope(tuple(scopes))

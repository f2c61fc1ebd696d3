"""What indexing asks of the catalog, from the event loop: one writer thread, one reader thread.

SQLite is blocking; each connection lives in a thread of its own, so that a transaction never holds
the loop and a question of `status` never waits for a write.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import structlog

from paparatsd.errors import StateCorrupt
from paparatsd.indexing.plan import Known
from paparatsd.indexing.stored import StoredFile, read_stored
from paparatsd.indexing.terms import delta_by_way_of_another, recount, term_delta, unreadable
from paparatsd.model import Skip, SkippedFile
from paparatsd.store.catalog import Catalog
from paparatsd.store.reader import CatalogReader
from paparatsd.store.rows import SkippedRow, ViewChange, ViewEntry

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from paparatsd.indexing.passes import Gathered
    from paparatsd.model import (
        ContentId,
        Fingerprint,
        Head,
        ProjectEntry,
        ProjectName,
        RepoId,
        ShardKey,
        VersionId,
    )
    from paparatsd.store.carried import CarriedVersion
    from paparatsd.store.packed import PackedVersion
    from paparatsd.store.rows import OutboxEntry, ProjectRow, TermDelta, Totals

log = structlog.get_logger()

T = TypeVar("T")

KEEP_UNVIEWED_S = 14 * 86_400.0
MAX_UNVIEWED = 50_000
"""Versions that no view shows are kept this long and up to this many, for branches to come back."""


class Ledger:
    """The catalog for coroutines. `outbox_filled` is set when points may have to be deleted."""

    def __init__(self, path: Path, *, on_step: Callable[[str], None] = lambda step: None) -> None:
        self._path = path
        self._on_step = on_step
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="catalog-writer")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="catalog-reader")
        self._catalog: Catalog | None = None
        self._reads: CatalogReader | None = None
        self.outbox_filled = asyncio.Event()
        self.moved_aside: Path | None = None

    async def start(self) -> None:
        """Open the catalog. Raises SchemaTooNew, BadSettings; a damaged one is moved aside."""
        self._catalog = catalog = await self._run(
            self._writer, lambda: Catalog.open(self._path, on_step=self._on_step)
        )
        self.moved_aside = catalog.moved_aside
        self._reads = await self._run(self._reader, lambda: CatalogReader(self._path))

    async def stop(self) -> None:
        """Close both connections; what was written is complete."""
        if self._reads is not None:
            await self._run(self._reader, self._reads.close)
        if self._catalog is not None:
            await self._run(self._writer, self._catalog.close)
        self._writer.shutdown(wait=False)
        self._reader.shutdown(wait=False)

    @staticmethod
    async def _run(executor: ThreadPoolExecutor, function: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(executor, function)

    async def _write(self, function: Callable[[Catalog], T]) -> T:
        catalog = self._catalog
        if catalog is None:
            raise RuntimeError("the ledger is not started")
        return await self._run(self._writer, lambda: function(catalog))

    async def _read(self, function: Callable[[CatalogReader], T]) -> T:
        reads = self._reads
        if reads is None:
            raise RuntimeError("the ledger is not started")
        return await self._run(self._reader, lambda: function(reads))

    async def change(self, function: Callable[[Catalog], T]) -> T:
        """Have something of the catalog changed that has a module of its own there."""
        return await self._write(function)

    # ------------------------------------------------------------------ projects

    async def open_project(self, entry: ProjectEntry, lineage: RepoId | None) -> ProjectRow:
        """Make a project known, or find it; a moved group or lineage is taken over."""

        def write(catalog: Catalog) -> ProjectRow:
            repo = catalog.ensure_repo(entry.path, lineage)
            known = {row.entry.name: row for row in catalog.projects()}.get(entry.name)
            if known is not None and known.entry.path != entry.path:
                catalog.remove_project(entry.name)
                known = None
            if known is None:
                catalog.add_project(entry, repo)
            elif known.entry != entry or known.repo != repo:
                catalog.update_project(known.id, entry, repo)
            return catalog.project(entry.name)

        return await self._write(write)

    async def renew(self, project_id: int, shard: ShardKey, current: Fingerprint) -> int:
        """Have built again what a project shows that is not in its shard; returns the generation.

        Likewise what files were read for in another way than the `current` one: after a change of
        the program, or when everything is to be built anew. What can still be ranked is shown until
        its successor is there; the rest leaves the view at once, so that nobody takes a project for
        complete of which nothing can be found.
        """
        return await self._write(lambda catalog: _renew(catalog, project_id, shard, current))

    async def projects(self) -> Mapping[ProjectName, ProjectRow]:
        """Return the projects in the catalog, by name."""
        return await self._read(lambda read: {row.entry.name: row for row in read.projects()})

    async def remove_project(self, name: ProjectName) -> None:
        """Purge a project and all that no other shows; other writes get in between."""
        if name not in await self._write(
            lambda catalog: [row.entry.name for row in catalog.projects()]
        ):
            return
        await self._write(lambda catalog: catalog.begin_removal(name))
        await self._purge()

    async def note_whole(self, project_id: int, when: float) -> None:
        """Note that a project shows all of its files, which a restart does not change."""
        await self._write(lambda catalog: catalog.note_whole(project_id, when))

    async def is_whole(self, project_id: int) -> bool:
        """Say whether a project has shown all of its files, and lost none of them since."""
        rows = await self.projects()
        return any(row.id == project_id and row.checked_at is not None for row in rows.values())

    async def set_head(self, project_id: int, head: Head) -> None:
        """Note where a checkout stands."""
        await self._write(lambda catalog: catalog.set_head(project_id, head))

    async def refused_labels(self, project_id: int) -> list[tuple[str, str]]:
        """Return path and label of documents whose audience is none and counts as internal."""
        return await self._read(lambda read: read.refused_labels(project_id))

    async def totals(self) -> Mapping[int, Totals]:
        """Return files, chunks, languages and skipped files by project id."""
        return await self._read(
            lambda read: {row.id: read.totals(row.id) for row in read.projects()}
        )

    async def skipped(self, project_id: int) -> tuple[SkippedFile, ...]:
        """Return what a project skips, by path."""
        rows = await self._read(lambda read: read.skipped(project_id))
        return tuple(_skipped_file(rows[path]) for path in sorted(rows))

    # ------------------------------------------------------------------ views

    async def known(self, project_id: int, paths: Sequence[str] | None = None) -> Known:
        """Return what the index says of a project, or of these paths and all below them."""

        def read_all(read: CatalogReader) -> Known:
            with read.snapshot():
                if paths is None:
                    view, rows = read.view(project_id), read.skipped(project_id)
                else:
                    view = read.view_at(project_id, paths)
                    rows = read.skipped_at(project_id, paths)
            return Known(
                view=view,
                skipped={p: _skipped_file(row) for p, row in rows.items() if row.stat is None},
                refused={p: row.stat for p, row in rows.items() if row.stat is not None},
            )

        return await self._read(read_all)

    async def commit(self, project_id: int, gathered: Gathered, head: Head, shard: ShardKey) -> int:
        """Make what was gathered visible in one transaction; returns the generation.

        A version whose points in the shard are no longer trusted is shown, but its file is read
        again by the next pass.
        """
        generation, discarded = await self._write(
            lambda catalog: _commit(catalog, project_id, gathered, head, shard)
        )
        if discarded:
            await self._purge()
        return generation

    # ------------------------------------------------------------------ versions and points

    async def known_contents(
        self, shard: ShardKey, fingerprint: Fingerprint, paths: Sequence[str]
    ) -> dict[str, frozenset[ContentId]]:
        """Return contents of these paths that need not be built again."""
        found = await self._write(
            lambda catalog: catalog.read.contents_at(shard, fingerprint, paths)
        )
        return {path: frozenset(contents) for path, contents in found.items()}

    async def write_versions(
        self, rows: Sequence[PackedVersion], shard: ShardKey, project_id: int
    ) -> None:
        """Write versions that no view shows yet and note that their points are on the way.

        They are written for a project: removing it takes along what no other project shows.
        """
        await self._write(
            lambda catalog: catalog.write_versions(rows, shard=shard, project_id=project_id)
        )

    async def keep(self, versions: Sequence[VersionId]) -> None:
        """Save recognised versions from collection until a generation shows them."""
        await self._write(lambda catalog: catalog.keep(versions))

    async def mark_upserted(
        self, shard: ShardKey, versions: Sequence[VersionId], *, dense: bool
    ) -> None:
        """Note that the vector store acknowledged the points of these versions."""
        await self._write(lambda catalog: catalog.mark_upserted(shard, versions, dense=dense))

    async def unflushed(self, shard: ShardKey) -> list[VersionId]:
        """Return versions whose points a power cut might take."""
        return await self._write(lambda catalog: catalog.unflushed(shard))

    async def flushable(self, shard: ShardKey) -> list[VersionId]:
        """Return versions whose points are acknowledged now, so that a flush from now covers."""
        return await self._write(lambda catalog: list(catalog.flushable(shard)))

    async def mark_flushed(self, shard: ShardKey, versions: Sequence[VersionId]) -> None:
        """Note that the points of these versions are on the disk."""
        await self._write(lambda catalog: catalog.mark_flushed(shard, versions))

    async def shards(self) -> tuple[ShardKey, ...]:
        """Return all shards that may have points."""
        return await self._write(lambda catalog: catalog.read.shards())

    async def expected_points(self, shard: ShardKey) -> dict[VersionId, int]:
        """Return how many points each version must have in a shard."""
        return await self._read(lambda read: read.expected_points(shard))

    async def noted_versions(self, shard: ShardKey) -> set[int]:
        """Return the versions that have, or are about to have, points in a shard."""
        found = await self._read(lambda read: read.shard_versions(shard))
        return {int(version) for version in found}

    async def distrust(self, shard: ShardKey, versions: Sequence[VersionId]) -> None:
        """Have the files of versions built again whose points may be missing."""

        def write(catalog: Catalog) -> None:
            catalog.forget_vectors(shard, versions)
            catalog.doubt_views(versions)

        await self._write(write)

    async def forget_points(self, shard: ShardKey, versions: Sequence[VersionId]) -> None:
        """Have points written again that may be missing, from what is stored."""
        await self._write(lambda catalog: catalog.forget_vectors(shard, versions))

    async def lexical_only(self, shard: ShardKey) -> list[VersionId]:
        """Return versions that have no dense vectors yet."""
        return await self._write(lambda catalog: catalog.lexical_only(shard))

    async def stored_files(self, versions: Sequence[VersionId]) -> list[StoredFile]:
        """Return versions with chunks and lexical vectors; those that are gone are left out."""
        return await self._read(lambda read: read_stored(read, versions))

    # ------------------------------------------------------------------ for other daemons

    async def view_of(self, project_id: int) -> dict[str, int]:
        """Return the version that a project shows at each path."""
        paths, versions = await self._read(lambda read: read.view_versions(project_id))
        return dict(zip(paths, versions.tolist(), strict=True))

    async def carried(self, versions: Sequence[VersionId]) -> list[CarriedVersion]:
        """Return versions as they are stored; those that are gone are left out."""
        return await self._read(lambda read: read.carried(versions))

    async def trusted(self, shard: ShardKey, versions: Sequence[VersionId]) -> set[VersionId]:
        """Return those versions that are here and whose points the store has acknowledged."""
        return await self._write(lambda catalog: catalog.upserted(shard, versions))

    async def take_over(
        self, rows: Sequence[PackedVersion], shard: ShardKey, project_id: int
    ) -> None:
        """Write versions whose points another daemon has written already."""
        versions = [row.id for row in rows]

        def write(catalog: Catalog) -> None:
            catalog.write_versions(rows, shard=shard, project_id=project_id)
            catalog.mark_upserted(shard, versions, dense=True)
            catalog.mark_flushed(shard, versions)

        await self._write(write)

    # ------------------------------------------------------------------ tidying up

    async def collect(self) -> None:
        """Delete versions that no view has shown for long, or too many of them."""
        await self._write(lambda catalog: catalog.collect(KEEP_UNVIEWED_S, MAX_UNVIEWED))
        await self._purge()

    async def _purge(self) -> None:
        """Delete what is doomed, in short transactions that others get in between."""
        while await self._write(lambda catalog: catalog.purge()):
            pass
        self.outbox_filled.set()

    async def outbox(self, limit: int = 1_000) -> list[OutboxEntry]:
        """Return points to be deleted, one entry a shard."""
        return await self._write(lambda catalog: catalog.outbox_pending(limit))

    async def outbox_done(self, entry: OutboxEntry) -> None:
        """Forget deletes that the store has acknowledged."""
        await self._write(lambda catalog: catalog.outbox_done(entry.seqs))

    async def empty_shards(self) -> tuple[ShardKey, ...]:
        """Return shards that hold nothing any more."""
        return await self._write(lambda catalog: catalog.empty_shards())

    async def shard_dropped(self, shard: ShardKey) -> None:
        """Forget a shard that the store has dropped."""
        await self._write(lambda catalog: catalog.shard_dropped(shard))


def _skipped_file(row: SkippedRow) -> SkippedFile:
    return SkippedFile(row.path, row.reason, row.detail)


def _renew(catalog: Catalog, project_id: int, shard: ShardKey, current: Fingerprint) -> int:
    view = catalog.read_view(project_id)
    shown = {entry.version for entry in view.values()}
    trusted = catalog.upserted(shard, shown) - catalog.models.outdated(list(shown), current)
    outdated = {path: one.version for path, one in view.items() if one.version not in trusted}
    catalog.doubt_views(set(outdated.values()))
    gone = unreadable(catalog.read, set(outdated.values()))
    drop = sorted(path for path, version in outdated.items() if version in gone)
    if not drop:
        return catalog.read.generation(project_id)
    left = [one.version for one in view.values() if one.version not in gone]
    log.info("view_renewed", project=project_id, files=len(outdated), hidden=len(drop))
    change = ViewChange(drop=tuple(drop), terms=recount(catalog.read, project_id, left))
    catalog.note_whole(project_id, None)
    return catalog.commit_generation(project_id, change)


def _terms(
    catalog: Catalog,
    project_id: int,
    shown: Mapping[str, ViewEntry],
    drop: Collection[str],
    gone: Sequence[VersionId],
) -> TermDelta | None:
    """Return by how much a change moves the frequencies, counted anew where that takes it."""
    come = [entry.version for entry in shown.values()]
    try:
        found = delta_by_way_of_another(catalog.read, project_id, come, gone)
        return term_delta(catalog.read, come, gone) if found is None else found
    except StateCorrupt as error:
        log.warning("frequencies_counted_anew", project=project_id, reason=str(error))
    view = {path: entry.version for path, entry in catalog.read_view(project_id).items()}
    view |= {path: entry.version for path, entry in shown.items()}
    return recount(
        catalog.read, project_id, [one for path, one in view.items() if path not in drop]
    )


def _commit(
    catalog: Catalog, project_id: int, gathered: Gathered, head: Head, shard: ShardKey
) -> tuple[int, bool]:
    """Commit and return the generation, and whether versions are to be purged at once."""
    paths = [item.path for item in gathered.placed]
    old = catalog.read.view_at(project_id, {*paths, *gathered.drop})
    trusted = catalog.upserted(shard, {item.version for item in gathered.placed if item.version})
    shown: dict[str, ViewEntry] = {}
    touched: dict[str, ViewEntry] = {}
    skipped = [SkippedRow(item.path, item.reason, item.detail) for item in gathered.skip]
    drop = {path for path in gathered.drop if path in old}
    for item in gathered.placed:
        if item.version is None or item.stat is None:
            if item.skipped is not None:
                skipped.append(
                    SkippedRow(item.path, item.skipped.reason, item.skipped.detail, item.stat)
                )
            if item.path in old:
                drop.add(item.path)
            continue
        racy = item.racy or item.version not in trusted
        entry = ViewEntry(item.version, item.stat, racy)
        same = item.path in old and old[item.path].version == item.version
        (touched if same else shown)[item.path] = entry
    if touched:
        catalog.touch(project_id, touched)
    gone = [old[path].version for path in (*drop, *(path for path in shown if path in old))]
    change = ViewChange(
        set=shown,
        drop=tuple(sorted(drop)),
        skipped_set=tuple(skipped),
        skipped_drop=tuple({*gathered.unskip, *shown, *touched} - {row.path for row in skipped}),
        terms=_terms(catalog, project_id, shown, drop, gone),
    )
    generation = catalog.commit_generation(project_id, change, head)
    # What turned out to be a secret must not wait in case a branch comes back.
    secret = {row.path for row in skipped if row.reason in (Skip.SECRET, Skip.KEY_MATERIAL)}
    leaked = [old[path].version for path in drop & secret]
    if leaked:
        catalog.discard(leaked)
    return generation, bool(leaked)

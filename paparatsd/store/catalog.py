"""The catalog: the one writer of everything we keep but vectors.

All methods are synchronous and belong to one thread. Each change is one short transaction; the
order of a file's life is `write_versions` (shown by nobody), the vector store's upsert,
`mark_upserted`, `commit_generation`. Whatever a crash leaves of it is invisible or complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from paparatsd.clock import SystemClock
from paparatsd.errors import Conflict
from paparatsd.store import collect, frequencies, projects, vector_state, versions, views
from paparatsd.store.database import Database, batched, copies, translated
from paparatsd.store.migrations import MIGRATIONS
from paparatsd.store.models import ModelTable
from paparatsd.store.names import NameTable
from paparatsd.store.packed import PackedVersion, pack_version
from paparatsd.store.reader import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from paparatsd.clock import Clock
    from paparatsd.model import Head, ProjectEntry, ProjectName, RepoId, ShardKey, VersionId
    from paparatsd.store.migrations import Migration
    from paparatsd.store.rows import OutboxEntry, ProjectRow, VersionRow, ViewChange, ViewEntry

log = structlog.get_logger()

PURGE_BATCH = 20
"""Versions a transaction deletes; as many as keep it within 50 ms."""


class Catalog:
    """The writing side of `catalog.sqlite3`.

    `read` answers questions over the writer's own connection; other threads and processes make a
    `CatalogReader` of their own. `models` is the part about which embedder made what, and
    `moved_aside` names a damaged predecessor of the file, if any.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._names = NameTable()
        self._unforgotten = False
        self.path = database.path
        self.moved_aside = database.moved_aside
        self.read = CatalogReader(database.path, database.connection)
        self.models = ModelTable(database, clock)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        clock: Clock | None = None,
        on_step: Callable[[str], None] = lambda step: None,
        migrations: Sequence[Migration] = MIGRATIONS,
    ) -> Catalog:
        """Open or create the catalog, finish what a crash interrupted, and return it.

        A damaged file is moved aside and replaced by an empty one; SchemaTooNew leaves every byte
        as it was. `on_step` is called before and after each durable step.
        """
        database = Database.open(path, on_step=on_step, migrations=migrations)
        return cls(database, clock or SystemClock())

    def close(self) -> None:
        """Close in order, so that the next start need not check the file."""
        if self._unforgotten:
            self._database.empty_log()
        self._database.close()

    # ------------------------------------------------------------------ repositories and projects

    def ensure_repo(self, root: str, lineage: RepoId | None) -> RepoId:
        """Return the repository of a checkout; without a lineage a random id is kept for it."""
        with self._database.transaction("ensure_repo") as connection:
            return projects.ensure_repo(connection, root, lineage)

    def add_project(self, entry: ProjectEntry, repo: RepoId) -> int:
        """Register a project and return its id; raises Conflict when the name is taken."""
        with self._database.transaction("add_project") as connection:
            return projects.insert_project(connection, entry, repo)

    def update_project(self, project_id: int, entry: ProjectEntry, repo: RepoId) -> None:
        """Replace what was registered; view, generation and counters stay."""
        with self._database.transaction("update_project") as connection:
            projects.update_project(connection, project_id, entry, repo)

    def remove_project(self, name: ProjectName) -> None:
        """Remove a project and all that no other project shows; nothing of it stays in the file.

        Raises UnknownProject. Works in short transactions; interrupted, `purge` goes on.
        """
        self.begin_removal(name)
        while self.purge():
            pass

    def begin_removal(self, name: ProjectName) -> None:
        """Make a project disappear at once; `purge` then deletes what it leaves, in pieces."""
        project = projects.read_project(self._database.connection, name)
        with self._database.transaction("remove_project") as connection:
            collect.doom_project(connection, project.id, self._clock.now())
        self.read.forget(project.id)
        self._unforgotten = True
        # A backup of an older schema would still show what was removed.
        for copy in copies(self.path):
            copy.unlink(missing_ok=True)

    def project(self, name: ProjectName) -> ProjectRow:
        """Return one project; raises UnknownProject."""
        return self.read.project(name)

    def projects(self) -> tuple[ProjectRow, ...]:
        """Return every project, by name."""
        return self.read.projects()

    def set_head(self, project_id: int, head: Head) -> None:
        """Note where a checkout stands when its view stays as it is."""
        with self._database.transaction("set_head") as connection:
            projects.set_head(connection, project_id, head)

    def note_whole(self, project_id: int, when: float | None) -> None:
        """Note since when a project shows all of its files; None: it does not, or not any more."""
        with self._database.transaction("note_whole") as connection:
            connection.execute(
                "UPDATE projects SET checked_at = ? WHERE id = ?", (when, project_id)
            )

    # ------------------------------------------------------------------ versions

    def known(self, ids: Iterable[VersionId]) -> set[VersionId]:
        """Return those versions that are written already."""
        with translated(self.path):
            return versions.known_versions(self._database.connection, ids)

    def write_versions(
        self,
        rows: Sequence[VersionRow | PackedVersion],
        *,
        project_id: int | None = None,
        shard: ShardKey | None = None,
    ) -> None:
        """Write up to about 40 versions in one transaction, shown by no view.

        `project_id` says for whom, so that removing that project takes them along. With `shard`
        the versions are noted as about to get points there. What is known already stays.
        """
        packed = [row if isinstance(row, PackedVersion) else pack_version(row) for row in rows]
        now = self._clock.now()
        try:
            with self._database.transaction("write_versions") as connection:
                versions.insert_versions(connection, self._names, packed, now, project_id)
                if shard is not None:
                    vector_state.intend(connection, shard, [row.id for row in rows])
        except BaseException:
            self._names.forget()
            raise

    def keep(self, ids: Iterable[VersionId]) -> None:
        """Save known versions from collection while a generation that shows them is under way."""
        with self._database.transaction("keep") as connection:
            versions.keep_versions(connection, ids, self._clock.now())

    # ------------------------------------------------------------------ views

    def read_view(self, project_id: int) -> dict[str, ViewEntry]:
        """Return what a project shows, by path."""
        return self.read.view(project_id)

    def commit_generation(
        self,
        project_id: int,
        change: ViewChange,
        head: Head | None = None,
    ) -> int:
        """Change a view in one transaction and return the generation it has now.

        The generation grows when anything is shown or dropped; a change of skipped files alone
        leaves it. Raises Conflict when a version was collected since it was planned.
        """
        pack = None if change.terms is None else frequencies.pack_delta(change.terms)
        grows = bool(change.set or change.drop)
        with self._database.transaction("commit_generation") as connection:
            views.apply_change(connection, project_id, change, self._clock.now())
            updated = connection.execute(
                "UPDATE projects SET generation = generation + ? WHERE id = ?",
                (int(grows), project_id),
            )
            if updated.rowcount == 0:
                raise Conflict("the project was removed while it was indexed")
            generation = projects.read_generation(connection, project_id)
            if head is not None:
                projects.set_head(connection, project_id, head)
            if pack is not None and change.terms is not None and grows:
                frequencies.append_segment(
                    connection, project_id, generation, change.terms.chunks, pack
                )
        self._merge_segments(project_id)
        return generation

    def _merge_segments(self, project_id: int) -> None:
        connection = self._database.connection
        with translated(self.path):
            chosen = frequencies.choose_merge(frequencies.list_segments(connection, project_id))
            if not chosen:
                return
            first, last = chosen[0].first, chosen[-1].last
            pack = frequencies.pack_sum(connection, project_id, first, last)
        merged = frequencies.Segment(
            first, last, pack.terms, sum(segment.chunks for segment in chosen)
        )
        with self._database.transaction("merge_segments") as connection:
            frequencies.replace_segments(connection, project_id, merged, pack)

    def touch(self, project_id: int, entries: Mapping[str, ViewEntry]) -> None:
        """Note new stats of files whose content is what the view shows; no new generation."""
        with self._database.transaction("touch") as connection:
            views.touch_entries(connection, project_id, entries)

    # ------------------------------------------------------------------ collection

    def collect(self, keep_unviewed_s: float, max_versions: int) -> None:
        """Doom versions that no view shows for long, or too many of them; `purge` deletes them."""
        with self._database.transaction("collect") as connection:
            collect.doom_old(connection, self._clock.now(), keep_unviewed_s, max_versions)

    def discard(self, ids: Iterable[VersionId]) -> None:
        """Doom versions at once, as far as no view shows them; `purge` deletes them."""
        with self._database.transaction("discard") as connection:
            collect.doom_versions(connection, ids)

    def purge(self) -> int:
        """Do a piece of the deletion that is due; 0 means that nothing is left to do.

        A piece is some doomed versions, whose points go into the outbox in the same transaction,
        or some free pages given back to the disk.
        """
        with translated(self.path):
            doomed = self._database.connection.execute("SELECT 1 FROM doomed LIMIT 1").fetchone()
        if doomed is None:
            return self._forget_some() if self._unforgotten else 0
        self._unforgotten = True
        self._names.forget()
        with self._database.transaction("purge") as connection:
            return collect.purge_doomed(connection, PURGE_BATCH)

    def _forget_some(self) -> int:
        """Give back some free pages; when there are none left, empty the log."""
        if self._database.shrink():
            return 1
        with self._database.transaction("drop_unused") as connection:
            collect.drop_unused_rows(connection)
        # A reader's old snapshot can hold the log; then a later call tries again.
        self._unforgotten = not self._database.empty_log()
        return 0

    # ------------------------------------------------------------------ vector shards

    def mark_upserted(
        self, shard: ShardKey, ids: Iterable[VersionId], *, dense: bool = True
    ) -> None:
        """Note that the vector store acknowledged the points of these versions."""
        with self._database.transaction("mark_upserted") as connection:
            vector_state.mark_upserted(connection, shard, ids, dense=dense)

    def intend(self, shard: ShardKey, ids: Iterable[VersionId]) -> None:
        """Note that points of known versions are about to be written to a (new) shard."""
        with self._database.transaction("intend") as connection:
            vector_state.intend(connection, shard, ids)

    def mark_flushed(self, shard: ShardKey, ids: Sequence[VersionId] | None = None) -> None:
        """Note that the store flushed these versions; None: all that are acknowledged now."""
        with self._database.transaction("mark_flushed") as connection:
            vector_state.mark_flushed(connection, shard, ids)

    def forget_vectors(self, shard: ShardKey, ids: Sequence[VersionId] | None = None) -> None:
        """Note that points are missing (None: all), so that they are written again."""
        with self._database.transaction("forget_vectors") as connection:
            vector_state.forget_vectors(connection, shard, ids)

    def doubt_views(self, ids: Iterable[VersionId]) -> None:
        """Let every view that shows one of these versions read the file again."""
        with self._database.transaction("doubt_views") as connection:
            connection.executemany("UPDATE views SET racy=1 WHERE version=?", ((v,) for v in ids))

    def unflushed(self, shard: ShardKey) -> list[VersionId]:
        """Return versions to be upserted again after an unclean stop."""
        with translated(self.path):
            return vector_state.read_unflushed(self._database.connection, shard)

    def flushable(self, shard: ShardKey) -> list[VersionId]:
        """Return what the next flush covers: read before it, given to `mark_flushed` after it.

        Versions that are only intended are left out: their points may arrive during the flush.
        """
        with translated(self.path):
            return vector_state.read_flushable(self._database.connection, shard)

    def lexical_only(self, shard: ShardKey) -> list[VersionId]:
        """Return versions that have no dense vectors yet."""
        with translated(self.path):
            return vector_state.read_lexical_only(self._database.connection, shard)

    def upserted(self, shard: ShardKey, ids: Iterable[VersionId]) -> set[VersionId]:
        """Return those versions whose points the store has acknowledged."""
        with translated(self.path):
            return vector_state.read_acknowledged(self._database.connection, shard, ids)

    def outbox_pending(self, limit: int = 1000) -> list[OutboxEntry]:
        """Return points to be deleted, one entry a shard.

        Apply them in the task that also upserts into the shard: a version that comes back is taken
        out of the outbox when it is written, not out of a delete already sent.
        """
        with translated(self.path):
            return vector_state.read_outbox(self._database.connection, limit)

    def outbox_done(self, seqs: Iterable[int]) -> None:
        """Forget deletes that the vector store has acknowledged."""
        with self._database.transaction("outbox_done") as connection:
            for batch in batched(seqs):
                connection.executemany("DELETE FROM outbox WHERE seq = ?", ((s,) for s in batch))

    def empty_shards(self) -> tuple[ShardKey, ...]:
        """Return shards that can be dropped as a whole; then call `shard_dropped`."""
        with translated(self.path):
            return vector_state.read_empty_shards(self._database.connection)

    def shard_dropped(self, shard: ShardKey) -> None:
        """Forget a shard that the vector store has dropped."""
        with self._database.transaction("shard_dropped") as connection:
            vector_state.forget_shard(connection, shard)

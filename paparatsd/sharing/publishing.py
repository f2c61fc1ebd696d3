"""Publishes what this daemon indexes in the server it shares, for daemons that only search.

A project's files go first, then the parts of its view, then the record that names them; what no
record names any more is deleted a while later, for somebody may still be reading it.
"""

from __future__ import annotations

import platform
from dataclasses import replace
from typing import TYPE_CHECKING

import structlog

from paparatsd.errors import PaparatsError
from paparatsd.model import VersionId
from paparatsd.store.shared_index import PART, PROJECT, VERSION, SharedProject, cut_view, number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paparatsd.clock import Clock
    from paparatsd.indexing.ledger import Ledger
    from paparatsd.model import Fingerprint, RepoId
    from paparatsd.model_roles.roles import ModelRoles
    from paparatsd.sessions import ProjectSession
    from paparatsd.store.shared_index import SharedIndex

log = structlog.get_logger()

LOOK_S = 1.0
RETRY_S = 15.0
GRACE_S = 600.0
"""What is published no longer stays so long: who reads an older record still finds its files."""
BATCH_VERSIONS = 32


class Publisher:
    """Keeps what is published equal to what the sessions show."""

    def __init__(  # noqa: PLR0913 - wired by name in one place
        self,
        *,
        owner: str,
        shared: SharedIndex,
        ledger: Ledger,
        models: ModelRoles,
        files: Fingerprint,
        clock: Clock,
        sessions: Callable[[], Sequence[ProjectSession]],
        look_s: float = LOOK_S,
    ) -> None:
        """`sessions` gives the projects that others may see; `files` says how files are read."""
        self._owner = owner
        self._shared = shared
        self._ledger = ledger
        self._models = models
        self._files = files
        self._clock = clock
        self._sessions = sessions
        self._look_s = look_s
        self._there: dict[str, set[int]] | None = None
        self._shown: dict[str, set[int]] = {}
        self._records: dict[str, SharedProject] = {}
        self._unused: dict[tuple[str, int], float] = {}
        self.problem = ""

    async def run(self) -> None:
        """Publish until cancelled; a failure is tried again later."""
        while True:
            try:
                await self.publish()
                self.problem = ""
            except PaparatsError as error:
                self._there = None
                self.problem = f"projects cannot be published: {error}"
                log.warning("publish_failed", error=str(error))
                await self._clock.sleep(RETRY_S)
            await self._clock.sleep(self._look_s)

    async def publish(self) -> None:
        """Publish what has changed since the last time. Raises VectorStoreUnavailable."""
        if self._there is None:
            # What a run before this one published, or somebody deleted.
            self._there = await self._shared.listed(self._owner)
            self._records.clear()
        there, names = self._there, set[str]()
        for session in self._sessions():
            now = session.snapshot()
            if now.repo is None or not now.project_id or (now.first and not now.generation):
                continue  # there is nothing to be shown yet
            names.add(session.name)
            known = self._records.get(session.name)
            if known is None or self._record(session, now.repo, known.parts) != known:
                await self._publish(session, now.repo, there)
        for name in self._records.keys() - names:
            del self._records[name]
            self._shown.pop(name, None)
        await self._clear(there)

    def _record(
        self, session: ProjectSession, repo: RepoId, parts: tuple[str, ...]
    ) -> SharedProject:
        now, shard = session.snapshot(), self._models.shard(repo)
        return SharedProject(
            owner=self._owner,
            name=session.name,
            host=platform.node(),
            group=session.entry.group,
            root=session.entry.path,
            repo=repo,
            generation=now.generation,
            branch=now.head.branch,
            commit=now.head.commit,
            files=self._files,
            vectors=shard.fingerprint,
            dimension=shard.dimension,
            docs_kind=now.docs_kind,
            docs_audience=now.docs_audience,
            state=now.state.value,
            parts=parts,
        )

    async def _publish(
        self, session: ProjectSession, repo: RepoId, there: dict[str, set[int]]
    ) -> None:
        # Before the view: what is committed meanwhile is published the next time.
        record = self._record(session, repo, ())
        view = await self._ledger.view_of(session.project_id)
        missing = [VersionId(one) for one in set(view.values()) - there[VERSION]]
        for start in range(0, len(missing), BATCH_VERSIONS):
            found = await self._ledger.carried(missing[start : start + BATCH_VERSIONS])
            await self._shared.put_versions(self._owner, found)
            there[VERSION].update(int(one.id) for one in found)
        if not set(view.values()) <= there[VERSION]:
            return  # collected meanwhile; there is another generation by now
        parts = cut_view(view)
        new = {key: text for key, text in parts.items() if number_of(key) not in there[PART]}
        await self._shared.put_parts(self._owner, new)
        there[PART].update(map(number_of, new))
        record = replace(record, parts=tuple(sorted(parts)))
        await self._shared.put_project(record)
        there[PROJECT].add(number_of(record.name))
        self._records[record.name] = record
        self._shown[record.name] = set(view.values())
        log.info("published", project=record.name, files=len(view), new=len(missing))

    async def _clear(self, there: dict[str, set[int]]) -> None:
        """Delete projects that are gone at once, and later what nothing names any more."""
        gone = there[PROJECT] - {number_of(name) for name in self._records}
        await self._shared.remove(self._owner, PROJECT, gone)
        there[PROJECT] -= gone
        parts = {number_of(key) for record in self._records.values() for key in record.parts}
        shown = set().union(*self._shown.values())
        unused = {(PART, one) for one in there[PART] - parts}
        unused |= {(VERSION, one) for one in there[VERSION] - shown}
        now = self._clock.monotonic()
        self._unused = {one: self._unused.get(one, now) for one in unused}
        for what in (PART, VERSION):
            old = {
                n for (kind, n), at in self._unused.items() if kind == what and now - at > GRACE_S
            }
            await self._shared.remove(self._owner, what, old)
            there[what] -= old

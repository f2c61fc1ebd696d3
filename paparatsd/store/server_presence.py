"""Who uses a shared server: a record for each installation, renewed while its daemon runs.

The record says whose points are whose, and finds two daemons that use one name (a copied data
directory): neither may delete then, for each would take the other's points for leftovers. No clock
is compared with another machine's: what counts is whether a record changes.
"""

from __future__ import annotations

import platform
import secrets
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paparatsd import __version__
from paparatsd.store.server_layout import INSTALLATIONS
from paparatsd.store.server_link import CollectionMissing

if TYPE_CHECKING:
    from paparatsd.store.server_layout import Layout
    from paparatsd.store.server_link import QdrantLink

BEAT_S = 60.0
MAX_LISTED = 10_000


@dataclass(frozen=True, slots=True)
class Installation:
    """One installation as it describes itself.

    `session` is random for each run of its daemon, "" after an orderly end; `beat` counts within
    it. `seen_at` is its own clock's epoch second.
    """

    owner: str
    host: str
    version: str
    session: str
    beat: int
    seen_at: float
    publishes: bool = False


class Presence:
    """The record of this installation, and a look at the others.

    `doubt` says why nothing may be deleted now, else "".
    """

    def __init__(self, link: QdrantLink, layout: Layout, owner: str, *, publishes: bool) -> None:
        self._link = link
        self._layout = layout
        self._publishes = publishes
        self._beat = 0
        self._session = secrets.token_hex(8)
        self.owner = owner
        self.doubt = ""

    @property
    def registered(self) -> bool:
        """Whether the record was written since the start."""
        return self._beat > 0

    async def announce(self, now: float) -> None:
        """Renew the record after a look at what became of it. Raises VectorStoreUnavailable."""
        found = await self._own()
        if found is not None and found.session not in ("", self._session):
            if self._beat:
                self.doubt = (
                    f"another daemon (on {found.host}) uses the name of this installation, "
                    f"{self.owner}: nothing is deleted on the server until one of them is given "
                    "another: stop it and delete the file `installation` in its data directory"
                )
            else:
                self.doubt = (
                    "the daemon before this one did not end in order, or another one uses its "
                    f"name: deletions on the server wait for {BEAT_S:g} s"
                )
        elif self._beat:
            self.doubt = ""
        # Before the first beat a record of this very run is one whose acknowledgement was lost:
        # it says nothing of the daemon whose record it replaced.
        await self._write(self._session, now)
        self._beat += 1

    async def leave(self, now: float) -> None:
        """Say that the daemon ended in order, unless the record is another daemon's by now."""
        found = await self._own()
        if found is not None and found.session == self._session:
            await self._write("", now)

    async def _own(self) -> Installation | None:
        mine = [one for one in await self.list() if one.owner == self.owner]
        return mine[0] if mine else None

    async def _write(self, session: str, now: float) -> None:
        name = await self._layout.ensure_plain(INSTALLATIONS)
        payload = {
            "what": "installation",
            "tenant": self.owner,
            "host": platform.node(),
            "version": __version__,
            "session": session,
            "beat": self._beat + 1,
            "seen_at": now,
            "publishes": self._publishes,
        }
        point = self._link.models.PointStruct(id=_record_id(self.owner), vector={}, payload=payload)
        try:
            await self._link.ask(
                "register", lambda: self._link.client.upsert(name, [point], wait=True)
            )
        except CollectionMissing:
            # Deleted under us; the next beat makes it again.
            self._layout.forget(name)

    async def list(self) -> list[Installation]:
        """Return every installation of the team that was ever here and not forgotten."""
        name = self._layout.plain(INSTALLATIONS)
        try:
            records, _ = await self._link.ask(
                "list installations",
                lambda: self._link.client.scroll(
                    name, limit=MAX_LISTED, with_payload=True, with_vectors=False
                ),
            )
        except CollectionMissing:
            return []
        found = [_read(record.payload or {}) for record in records]
        return sorted((one for one in found if one is not None), key=lambda one: one.owner)

    async def remove(self, owner: str) -> None:
        """Delete the record of an installation."""
        name, ids = self._layout.plain(INSTALLATIONS), [_record_id(owner)]
        selector = self._link.models.PointIdsList(points=ids)
        try:
            await self._link.ask("forget", lambda: self._link.client.delete(name, selector))
        except CollectionMissing:
            return


def _record_id(owner: str) -> str:
    return str(uuid.UUID(int=int(owner, 16) << 64))


def _read(payload: dict[str, Any]) -> Installation | None:
    """Return what a record says; None for one that is none of ours."""
    try:
        return Installation(
            owner=str(payload["tenant"]),
            host=str(payload["host"])[:200],
            version=str(payload["version"])[:50],
            session=str(payload["session"]),
            beat=int(payload["beat"]),
            seen_at=float(payload["seen_at"]),
            publishes=bool(payload.get("publishes")),
        )
    except (KeyError, TypeError, ValueError):
        return None

"""What the shards of a role are filled with from behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from paparatsd.model_roles.parts import CODE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.indexing.ledger import Ledger
    from paparatsd.model import Fingerprint, RepoId, ShardKey, VersionId
    from paparatsd.model_roles.parts import Serving
    from paparatsd.store.models import Wanted


class Role(Protocol):
    """A role of models, as far as filling its shards needs it."""

    role: str
    answering: Serving | None

    async def current(self) -> Mapping[RepoId, Fingerprint]:
        """Return how the files of each repository with projects are read now."""
        ...

    async def wanted(self, shard: ShardKey) -> Wanted:
        """Return what a shard must hold."""
        ...

    def is_settled(self) -> bool:
        """Say whether no project is about to replace what it shows."""
        ...

    async def swap(self, coming: Serving) -> None:
        """Let a model answer if its shards hold all that is shown."""
        ...


class AnsweringWork:
    """What the shards that answer lack: what was written with words alone."""

    def __init__(self, ledger: Ledger, role: Role) -> None:
        self._ledger = ledger
        self._role = role

    async def shards(self) -> Sequence[ShardKey]:
        """Return the shards of all repositories."""
        serving = self._role.answering
        if serving is None:
            return ()
        return [serving.model.shard(repo) for repo in await self._role.current()]

    async def missing(self, shard: ShardKey) -> Sequence[VersionId]:
        """Return what a shard lacks now."""
        if self._role.role == CODE:
            return await self._ledger.lexical_only(shard)
        wanted = await self._role.wanted(shard)
        return (*wanted.missing, *wanted.outdated)

    async def full(self) -> None:
        """Do nothing: what answers goes on answering."""


class ComingWork:
    """What the shards of a model lack before it can answer."""

    def __init__(self, ledger: Ledger, role: Role, serving: Serving) -> None:
        self._ledger = ledger
        self._role = role
        self._serving = serving

    async def shards(self) -> Sequence[ShardKey]:
        """Return the shards of all repositories."""
        shards = [self._serving.model.shard(repo) for repo in await self._role.current()]
        for shard in shards:
            await self._role.wanted(shard)
        return shards

    async def missing(self, shard: ShardKey) -> Sequence[VersionId]:
        """Return what a shard lacks now."""
        wanted = await self._role.wanted(shard)
        if wanted.missing or not self._role.is_settled():
            return wanted.missing
        # What nobody is about to replace, as where a root is missing, is kept as it is.
        return wanted.outdated

    async def full(self) -> None:
        """Let the model answer, if nothing has come in between."""
        await self._role.swap(self._serving)

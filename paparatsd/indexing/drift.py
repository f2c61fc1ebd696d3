"""Compares what the vector store holds with what the catalog says it must hold.

The store is a copy that can be lost, in whole or in part: a deleted directory, a shard moved aside
as damaged, another program on a shared server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from paparatsd.model import VersionId

if TYPE_CHECKING:
    from paparatsd.indexing.ledger import Ledger
    from paparatsd.model import ShardKey
    from paparatsd.store.vectors import VectorStore

log = structlog.get_logger()


async def repair(
    shard: ShardKey, *, ledger: Ledger, vectors: VectorStore, from_files: bool = True
) -> int:
    """Have missing versions built again, delete what belongs to none; return how many were missing.

    Not `from_files`: from what is stored, by whoever fills the shard from behind. Raises
    VectorStoreUnavailable.
    """
    expected = await ledger.expected_points(shard)
    if await vectors.count(shard) == sum(expected.values()):
        return 0
    present = await vectors.versions(shard)
    expected = await ledger.expected_points(shard)  # indexing has gone on meanwhile
    missing = [version for version in expected if version not in present]
    if missing:
        await (ledger.distrust if from_files else ledger.forget_points)(shard, missing)
    known = {*await ledger.noted_versions(shard)}
    extra = [VersionId(version) for version in present if version not in known]
    if extra:
        log.warning("points_unknown", repo=shard.repo, versions=len(extra))
        await vectors.delete(shard, extra)
    return len(missing)

"""Identifiers derived from content, so that every write can be repeated.

A file version's id is also its SQLite primary key and the integer `version` of its points.
"""

from __future__ import annotations

import secrets
import uuid
from hashlib import blake2b
from typing import TYPE_CHECKING

from paparatsd.model import RepoId, VersionId

if TYPE_CHECKING:
    from paparatsd.model import ContentId, Fingerprint, ShardKey

_MASK = (1 << 63) - 1


def version_id(repo: RepoId, path: str, content: ContentId, fingerprint: Fingerprint) -> VersionId:
    """Name one file version: the first 63 bits of BLAKE2b over the four parts; never 0."""
    digest = blake2b(digest_size=8, person=b"paparats.version")
    for part in (repo.encode(), path.encode(), bytes(content), fingerprint.encode()):
        # The length in front keeps ("ab", "c") and ("a", "bc") apart.
        digest.update(len(part).to_bytes(8, "little") + part)
    return VersionId(int.from_bytes(digest.digest(), "big") & _MASK or 1)


def point_id(version: VersionId, ordinal: int) -> str:
    """Name the point of one chunk: a UUID that holds the version in front, the ordinal behind.

    So an answer of the store says which chunk it means without its payload, which takes as long
    to read as the search itself.
    """
    return str(uuid.UUID(int=(version << 64) | ordinal))


def shard_name(shard: ShardKey) -> str:
    """Name the directory of a shard: 32 hex digits over the whole key."""
    parts = (shard.repo, shard.kind, shard.fingerprint, str(shard.dimension))
    text = "\0".join(parts).encode()
    return blake2b(text, digest_size=16, person=b"paparats.shard").hexdigest()


def random_repo_id() -> RepoId:
    """Name a repository that has no lineage yet; 32 hex digits, so never a commit id."""
    return RepoId(secrets.token_hex(16))


def note_id(now: float) -> str:
    """Name a note: a UUID of version 7, which begins with the time `now` (epoch seconds).

    Layout: RFC 9562, 5.7: 48 bits of milliseconds, version, 12 and 62 random bits, variant.
    """
    value = (int(now * 1000) & ((1 << 48) - 1)) << 80
    value |= 7 << 76 | secrets.randbits(12) << 64 | 2 << 62 | secrets.randbits(62)
    return str(uuid.UUID(int=value))

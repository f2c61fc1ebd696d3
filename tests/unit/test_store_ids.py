"""Identifiers depend on content alone, and distinct content gets distinct ones."""

from __future__ import annotations

import uuid

from paparatsd.model import ContentId, Fingerprint, RepoId, ShardKey, VersionId
from paparatsd.store.ids import point_id, random_repo_id, shard_name, version_id

CONTENT = ContentId(b"\x01" * 32)


def test_a_version_id_is_a_positive_signed_64_bit_integer_and_stays_the_same() -> None:
    first = version_id(RepoId("r"), "a.py", CONTENT, Fingerprint("f"))

    assert 0 < first < 1 << 63
    # Written down: a change here would orphan every stored point.
    assert first == 1254621855634522737
    assert point_id(VersionId(7), 3) == "00000000-0000-0007-0000-000000000003"


def test_every_part_of_a_version_counts_and_none_runs_into_the_next() -> None:
    ids = {
        version_id(RepoId("r"), "ab", CONTENT, Fingerprint("f")),
        version_id(RepoId("ra"), "b", CONTENT, Fingerprint("f")),
        version_id(RepoId("r"), "ab", ContentId(b"\x02" * 32), Fingerprint("f")),
        version_id(RepoId("r"), "ab", CONTENT, Fingerprint("g")),
        version_id(RepoId("r"), "b", CONTENT, Fingerprint("f")),
    }

    assert len(ids) == 5


def test_point_ids_are_uuids_distinct_by_version_and_ordinal() -> None:
    ids = {point_id(VersionId(v), n) for v in (1, 2, (1 << 63) - 1) for n in range(3)}

    assert len(ids) == 9
    assert all(str(uuid.UUID(one)) == one for one in ids)


def test_shard_names_tell_every_part_of_the_key_apart() -> None:
    base = ShardKey(RepoId("r"), "code", Fingerprint("f"), 256)
    others = [
        ShardKey(RepoId("s"), "code", Fingerprint("f"), 256),
        ShardKey(RepoId("r"), "docs", Fingerprint("f"), 256),
        ShardKey(RepoId("r"), "code", Fingerprint("g"), 256),
        ShardKey(RepoId("r"), "code", Fingerprint("f"), 512),
    ]

    assert len({shard_name(key) for key in (base, *others)}) == 5
    assert len(random_repo_id()) == 32

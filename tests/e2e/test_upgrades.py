"""What an earlier version left behind is built again by itself, and ends equal."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING

import pytest

from paparatsd.model import DocumentHead
from paparatsd.settings import IndexSettings
from tests.harness import oracle
from tests.harness.daemon import running_daemon
from tests.harness.indexed import index
from tests.harness.repos import Repo, many_modules

if TYPE_CHECKING:
    from tests.harness.daemon import Daemon

OTHER_FORMAT = (
    "UPDATE records SET record = CAST(substr(record, 1, 4) || x'0100' || substr(record, 7) AS BLOB)"
)
OTHER_NUMBERS = "; ".join(
    [
        "UPDATE shards SET fingerprint = 'earlier'",
        "UPDATE versions SET id = id - 1",
        *(
            f"UPDATE {table} SET version = version - 1"
            for table in ("chunk_packs", "symbol_packs", "records", "definitions", "uses")
        ),
        *(
            f"UPDATE {table} SET version = version - 1"
            for table in ("views", "vector_state", "unviewed")
        ),
    ]
)
"""A version's number, and a shard's name, are made of the pipeline's fingerprint too."""
SETTLED = "UPDATE views SET racy = 0"
"""As if the files had been old when they were read: their stat alone makes nobody read them."""


def change_catalog(daemon: Daemon, statements: str) -> None:
    with contextlib.closing(sqlite3.connect(daemon.state / "catalog.sqlite3")) as catalog:
        catalog.executescript(statements)


@pytest.mark.fault
async def test_an_index_whose_records_nobody_can_read_any_more_is_built_again(
    daemon: Daemon, repo: Repo
) -> None:
    name = await index(daemon, repo, many_modules(60))
    await daemon.settle(name)
    await daemon.stop()
    change_catalog(daemon, f"{OTHER_NUMBERS}; {OTHER_FORMAT}; {SETTLED}")

    await daemon.start()
    await daemon.settle(name)

    picture = await oracle.assert_equal(daemon, name)
    assert len(picture.files) == 60
    assert await daemon.paths("module_7")


async def test_another_way_of_cutting_files_holds_for_those_that_did_not_change(
    repo: Repo,
) -> None:
    repo.write_all(many_modules(60))
    repo.commit("many")
    async with running_daemon() as daemon:
        name = await daemon.add(repo.root)
        await daemon.settle(name)
        before = oracle.from_catalog(daemon.state / "catalog.sqlite3", name)
        await daemon.stop()
        change_catalog(daemon, SETTLED)

        daemon.options = {"PAPARATS_INDEX_CHUNK_CHARS": "128"}
        await daemon.start()
        await daemon.settle(name)

        after = await oracle.assert_equal(daemon, name, IndexSettings(chunk_chars=128))
    assert after.chunks > before.chunks


@pytest.mark.fault
async def test_an_index_from_before_documents_were_told_apart_is_built_again_with_them(
    daemon: Daemon, repo: Repo
) -> None:
    guide = "---\ntitle: The guide\naudience: partner\n---\n\nHow to use it in a day.\n"
    name = await index(daemon, repo, {**many_modules(5), "docs/guide.md": guide})
    await daemon.settle(name)
    await daemon.stop()
    earlier = (
        "DROP TABLE models; ALTER TABLE repositories DROP COLUMN build; DROP TABLE documents; "
        "PRAGMA user_version = 2"
    )
    change_catalog(daemon, f"{OTHER_NUMBERS}; {earlier}; {SETTLED}")

    await daemon.start()
    await daemon.settle(name)

    picture = await oracle.assert_equal(daemon, name)
    assert picture.files["docs/guide.md"].document == DocumentHead("The guide", audience="partner")


@pytest.mark.fault
async def test_a_damaged_record_does_not_keep_its_file_from_being_edited(
    daemon: Daemon, repo: Repo
) -> None:
    name = await index(daemon, repo, many_modules(20))
    await daemon.settle(name)
    change_catalog(daemon, f"{OTHER_FORMAT} WHERE version = (SELECT min(version) FROM records)")
    with contextlib.closing(sqlite3.connect(daemon.state / "catalog.sqlite3")) as catalog:
        (path,) = catalog.execute(
            "SELECT path FROM views WHERE version = (SELECT min(version) FROM records)"
        ).fetchone()

    repo.write(path, "def rewritten_for_good(): ...\n")
    await daemon.settle(name)

    await oracle.assert_equal(daemon, name)
    assert path in await daemon.paths("rewritten_for_good")

"""What was written down outlives crashes, damage to itself and the index, and has one daemon."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING

from paparatsd.store.notes import Note, NotesFile
from tests.harness.daemon import running_daemon

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness.daemon import Daemon
    from tests.harness.repos import Repo

NOTE = Note("i", "term", "shop", None, "SLA", "accepted", 1.0, 1.0,
            {"definition": "a promise", "aliases": []}, "SLA\n\na promise")  # fmt: skip


def notes_of(daemon: Daemon) -> Path:
    """Return the file of a daemon, which has its directory to itself."""
    return daemon.home / "data" / "notes.sqlite3"


def write(daemon: Daemon) -> None:
    """Write a note without a vector, as a daemon without an embedder leaves it."""
    with contextlib.closing(NotesFile.open(notes_of(daemon))) as file:
        file.put([NOTE])


async def test_deleting_all_state_costs_no_note(daemon: Daemon) -> None:
    assert notes_of(daemon).stat().st_mode & 0o777 == 0o600
    await daemon.stop()
    write(daemon)
    shutil.rmtree(daemon.state)
    shutil.rmtree(daemon.home / "cache")
    await daemon.start()
    daemon.kill()
    with contextlib.closing(NotesFile.open(notes_of(daemon))) as file:
        assert file.all_of() == [NOTE]
    assert list(notes_of(daemon).parent.glob("*.copy-*")), "a copy was kept at the start"


async def test_a_damaged_file_of_notes_keeps_nothing_else_from_working(repo: Repo) -> None:
    repo.write("marmots.py", "def whistle():\n    return 'marmots whistle'\n")
    repo.commit("first")
    async with running_daemon(start=False) as daemon:
        notes_of(daemon).parent.mkdir(mode=0o700)
        notes_of(daemon).write_bytes(b"hello" * 1_000)
        await daemon.start()
        name = await daemon.add(repo.root)
        await daemon.settle(name)
        assert await daemon.paths("who whistles") == ["marmots.py"]
        (problem,) = (await daemon.status())["problems"]
        assert problem.startswith("notes cannot be used: ")
        assert "put a copy of it" in problem
        assert (await daemon.stop()) == 0
        assert notes_of(daemon).read_bytes() == b"hello" * 1_000


async def test_two_daemons_never_share_their_notes(daemon: Daemon) -> None:
    other = {"PAPARATS_DATA_DIR": str(daemon.home / "data")}
    async with running_daemon(other, start=False) as second:
        refused = await second.cli("up")
        assert refused.returncode == 75
        said = refused.stdout + refused.stderr
        assert f"(process {daemon.pid}) uses {daemon.home / 'data'}" in said
        assert "choose another data directory" in said
        assert await daemon.status(), "the first one runs on"


async def test_a_daemon_with_a_state_directory_alone_keeps_its_notes_there() -> None:
    async with running_daemon({"PAPARATS_DATA_DIR": ""}) as daemon:
        assert (daemon.state / "data" / "notes.sqlite3").exists()
        assert not (daemon.home / "home" / ".local").exists()

"""Reads a downloaded package: its licence, its files, and for a git repository its commits."""

from __future__ import annotations

import io
import json
import re
import subprocess
import tarfile
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from contrib.train.embedder import licences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

MAX_FILE_BYTES = 300_000
COMMITS = 800
LARGEST_LOG = 20_000_000


@dataclass(frozen=True)
class Package:
    """A package on disk. `files` may be read once; a path in it is relative to its root."""

    name: str
    version: str
    licence: str
    files: Iterable[tuple[str, bytes]]
    repository: Path | None = None


def open_package(registry: str, path: Path) -> Package:
    """Open a file (wheel, npm tarball, .deb) or a bare git repository."""
    return {"pypi": _wheel, "npm": _npm, "debian": _deb, "source": _source,
            "github": _git}[registry](path)  # fmt: skip


def _wheel(path: Path) -> Package:
    archive = zipfile.ZipFile(path)
    names = [info.filename for info in archive.infolist() if info.file_size < MAX_FILE_BYTES]
    metadata = next((n for n in archive.namelist() if n.endswith(".dist-info/METADATA")), "")
    text = archive.read(metadata).decode("utf8", "replace") if metadata else ""
    name, version = path.name.split("-")[:2]
    files = ((n, archive.read(n)) for n in names if n.endswith(".py"))
    return Package(name.lower().replace("_", "-"), version, licences.of_wheel(text), files)


def _tar_files(archive: tarfile.TarFile, strip: int) -> Iterator[tuple[str, bytes]]:
    for member in archive.getmembers():
        if member.isfile() and member.size < MAX_FILE_BYTES:
            handle = archive.extractfile(member)
            if handle:
                yield "/".join(member.name.split("/")[strip:]), handle.read()


def _npm(path: Path) -> Package:
    archive = tarfile.open(path)  # noqa: SIM115 - its files are read later
    manifest = next(m for m in archive.getmembers() if re.fullmatch(r"[^/]+/package\.json", m.name))
    handle = archive.extractfile(manifest)
    assert handle
    stated = json.load(handle)
    licence = stated.get("license") or stated.get("licenses") or ""
    if not isinstance(licence, str):
        licence = json.dumps(licence)
    return Package(stated["name"], stated.get("version", ""), licence, _tar_files(archive, 1))


def _deb(path: Path) -> Package:
    raw = subprocess.run(
        ["dpkg-deb", "--fsys-tarfile", str(path)], capture_output=True, check=True
    ).stdout
    archive = tarfile.open(fileobj=io.BytesIO(raw))  # noqa: SIM115 - its files are read later
    licence = ""
    for member in archive.getmembers():
        if re.search(r"/usr/share/doc/[^/]+/copyright$", member.name) and member.isfile():
            handle = archive.extractfile(member)
            assert handle
            licence = licences.of_debian(handle.read().decode("utf8", "replace"))
    name, version = path.name.split("_")[:2]
    return Package(name, version.replace("%3a", ":"), licence, _tar_files(archive, 4))


def _source(path: Path) -> Package:
    """Open an upstream archive as Debian keeps it: NAME_VERSION.orig.tar.xz."""
    with tarfile.open(path) as archive:
        files = [(name, data) for name, data in _tar_files(archive, 1) if data]
    texts = [data.decode("utf8", "replace") for name, data in files
             if licences.LICENCE_FILE.match(name)]  # fmt: skip
    name, version = path.name.split(".orig.")[0].split("_")
    return Package(name, version, licences.of_texts(texts), files)


def _git(path: Path) -> Package:
    files = list(_git_files(path))
    texts = [data.decode("utf8", "replace") for name, data in files
             if licences.LICENCE_FILE.match(name)]  # fmt: skip
    name = path.parent.name.replace("+", "/") if path.name == "repo" else path.stem
    version = _run_git(path, "rev-parse", "HEAD").decode().strip()
    return Package(name, version, licences.of_texts(texts), files, path)


def _git_files(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the newest commit's files. (`git archive` fails when one large file is absent.)."""
    entries = _run_git(path, "ls-tree", "-r", "-z", "HEAD").decode("utf8", "replace").split("\0")
    wanted = [entry.split("\t", 1) for entry in entries if entry.startswith("100")]
    ids = "\n".join(head.split()[2] for head, _ in wanted)
    check = subprocess.run(["git", "-C", str(path), "cat-file", "--batch-check"],
                           input=ids.encode(), capture_output=True, check=True)  # fmt: skip
    sizes = [line.split()[-1] for line in check.stdout.decode().splitlines()]
    small = [entry for entry, size in zip(wanted, sizes, strict=True)
             if size.isdigit() and int(size) < MAX_FILE_BYTES]  # fmt: skip
    ids = "\n".join(head.split()[2] for head, _ in small)
    raw = subprocess.run(["git", "-C", str(path), "cat-file", "--batch"],
                         input=ids.encode(), capture_output=True, check=True).stdout  # fmt: skip
    position = 0
    for _, name in small:
        end = raw.index(b"\n", position)
        size = int(raw[position:end].split()[-1])
        yield name, raw[end + 1 : end + 1 + size]
        position = end + 2 + size


def commit_log(repository: Path) -> str:
    """Return the newest commits without merges, with patches, one NUL before each."""
    command = ["git", "-C", str(repository), "log", f"-{COMMITS}", "--no-merges", "--no-renames",
               "-p", "-U4", "--no-color", "--no-ext-diff", "--format=%x00%s"]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout
        raw = process.stdout.read(LARGEST_LOG)
        process.kill()
    return raw.decode("utf8", "replace")


def _run_git(path: Path, *arguments: str) -> bytes:
    return subprocess.run(
        ["git", "-C", str(path), *arguments], capture_output=True, check=True
    ).stdout

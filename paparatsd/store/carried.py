"""A file version on its way from one catalog to another, by way of a server both can reach.

It travels as the blobs that are stored, so that who sends it computes nothing. Who receives it
checks that it is what its id says, bounds what it unpacks to, and takes nothing for granted: others
may write to the server.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadReply, StateCorrupt
from paparatsd.model import ContentId, DocumentHead, Fingerprint, ParsedFile, RepoId, VersionId
from paparatsd.store.database import select_in
from paparatsd.store.ids import version_id
from paparatsd.store.packed import PackedFile, PackedVersion, pack_file
from paparatsd.store.packs import unpack_chunks, unpack_facts, unpack_symbols, unpack_uses

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping

MAX_UNPACKED_BYTES = 64 << 20
"""Of one blob; files are a megabyte, and what is said of them a few times that."""


@dataclass(frozen=True, slots=True)
class CarriedVersion:
    """The rows of one version as they are stored."""

    id: VersionId
    repo: RepoId
    path: str
    content: ContentId
    fingerprint: Fingerprint
    language: str
    size: int
    lines: int
    degraded: str
    record: bytes
    chunks: bytes
    symbols: bytes
    uses: bytes
    facts: bytes
    document: DocumentHead | None


def read_carried(connection: sqlite3.Connection, ids: Iterable[VersionId]) -> list[CarriedVersion]:
    """Return those of these versions that are written."""
    sql = """SELECT v.id, r.id, v.path, v.content, f.fingerprint, v.language, v.size, v.lines,
             v.degraded, c.record, p.pack, s.symbols, s.uses, s.facts,
             d.title, d.link, d.modified, d.audience, d.refused
             FROM versions v JOIN repositories r ON r.no = v.repo
             JOIN fingerprints f ON f.no = v.fingerprint JOIN records c ON c.version = v.id
             JOIN chunk_packs p ON p.version = v.id JOIN symbol_packs s ON s.version = v.id
             LEFT JOIN documents d ON d.version = v.id WHERE v.id IN ({})"""
    found = []
    for row in select_in(connection, sql, ids):
        title, *rest = row[14:]
        head = None if title is None else DocumentHead(title, *rest)
        found.append(CarriedVersion(*(*row[:14], head)))
    return found


_BLOBS = ("content", "record", "chunks", "symbols", "uses", "facts")
_TEXTS = ("repo", "path", "fingerprint", "language", "degraded")


def to_payload(version: CarriedVersion) -> dict[str, Any]:
    """Return the version as JSON takes it."""
    payload: dict[str, Any] = {name: getattr(version, name) for name in _TEXTS}
    payload |= {name: base64.b64encode(getattr(version, name)).decode() for name in _BLOBS}
    head = None if version.document is None else list(astuple(version.document))
    return {**payload, "size": version.size, "lines": version.lines, "document": head}


def from_payload(ident: int, payload: Mapping[str, Any]) -> PackedVersion:
    """Return the version that a payload holds, ready to be written. Raises BadReply."""
    try:
        texts = {name: _text(payload[name]) for name in _TEXTS}
        blobs = {name: base64.b64decode(payload[name], validate=True) for name in _BLOBS}
        size, lines = int(payload["size"]), int(payload["lines"])
        document = _head(payload["document"])
        file = _unpacked(texts, blobs, lines, document)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, binascii.Error) as error:
        raise BadReply("a published file on the server is damaged") from error
    except StateCorrupt as error:
        raise BadReply("a published file on the server cannot be unpacked") from error
    repo, fingerprint = RepoId(texts["repo"]), Fingerprint(texts["fingerprint"])
    content = ContentId(blobs["content"])
    if version_id(repo, texts["path"], content, fingerprint) != ident:
        raise BadReply(f"a published file on the server ({texts['path']}) is not what its id says")
    return PackedVersion(
        id=VersionId(ident),
        repo=repo,
        path=texts["path"],
        content=content,
        fingerprint=fingerprint,
        size=size,
        record=blobs["record"],
        file=file,
    )


def _unpacked(
    texts: Mapping[str, str], blobs: Mapping[str, bytes], lines: int, document: DocumentHead | None
) -> PackedFile:
    for name in ("chunks", "symbols", "uses", "facts"):
        _check_size(blobs[name])
    parsed = ParsedFile(
        language=texts["language"],
        chunks=unpack_chunks(blobs["chunks"]),
        symbols=unpack_symbols(blobs["symbols"]),
        uses=unpack_uses(blobs["uses"]),
        lines=lines,
        degraded=texts["degraded"],
        facts=unpack_facts(blobs["facts"]),
        document=document,
    )
    return pack_file(parsed)


def _check_size(pack: bytes) -> None:
    """Raise ValueError for a blob that is no compressed one or gets too large."""
    if not pack:
        return
    opener = zlib.decompressobj()
    try:
        opener.decompress(pack, MAX_UNPACKED_BYTES)
    except zlib.error as error:
        raise ValueError("not compressed") from error
    if opener.unconsumed_tail:
        raise ValueError("too large")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def _head(value: Any) -> DocumentHead | None:  # noqa: ANN401 - whatever JSON held
    if value is None:
        return None
    title, link, modified, audience, refused = value
    when = None if modified is None else float(modified)
    return DocumentHead(_text(title), _text(link), when, _text(audience), _text(refused))

"""What installations publish in a server for others to search: projects, their views, their files.

A project is one record that names the parts of its view; a part lists paths with their versions,
and is named after what it holds, so that a save replaces one part and the record. A file version
is written once, whatever shows it. Nothing here has vectors: those are the installation's points.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadReply
from paparatsd.store.carried import from_payload, to_payload
from paparatsd.store.server_layout import PUBLISHED, TENANT
from paparatsd.store.server_link import CollectionMissing
from paparatsd.store.server_points import any_of, owned_point_id, read_point_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paparatsd.store.carried import CarriedVersion
    from paparatsd.store.packed import PackedVersion
    from paparatsd.store.server_layout import Layout
    from paparatsd.store.server_link import QdrantLink

PROJECT, PART, VERSION = "project", "part", "version"
_NUMBERS = {VERSION: 0, PART: 1, PROJECT: 2}
PART_FILES = 500
"""Files a part of a view, about: what one save writes anew, some 20 kB."""
MAX_PART_BYTES = 16 << 20
PAGE = 500
BATCH = 16
FORMAT = 1


@dataclass(frozen=True, slots=True)
class SharedProject:
    """One published project. `files` is the fingerprint of its versions, `vectors` of its shard."""

    owner: str
    name: str
    host: str
    group: str
    root: str
    repo: str
    generation: int
    branch: str | None
    commit: str | None
    files: str
    vectors: str
    dimension: int
    docs_kind: str
    docs_audience: str
    state: str
    parts: tuple[str, ...]


def cut_view(view: Mapping[str, int]) -> dict[str, str]:
    """Cut a view into parts: content by name. The same paths are in the same part each time."""
    count = 1
    while count * PART_FILES < len(view):
        count *= 2
    rows: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for path, version in view.items():
        at = int.from_bytes(_digest(path)[:4], "big") % count
        rows[at].append((path, version))
    parts = (json.dumps(sorted(part), separators=(",", ":")) for part in rows.values())
    packed = (base64.b64encode(zlib.compress(part.encode(), 3)).decode() for part in parts)
    return {_digest(text).hex()[:16]: text for text in packed}


def open_part(text: str) -> dict[str, int]:
    """Return paths with their versions; raises BadReply."""
    try:
        opener = zlib.decompressobj()
        data = opener.decompress(base64.b64decode(text, validate=True), MAX_PART_BYTES)
        return {str(path): int(version) for path, version in json.loads(data)}
    except (ValueError, TypeError, zlib.error) as error:
        raise BadReply("a published list of files on the server is damaged") from error


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def number_of(key: str) -> int:
    """Return the 63 bits by which a part or a project goes into the id of its point."""
    return int.from_bytes(_digest(key), "big") & ((1 << 63) - 1) or 1


class SharedIndex:
    """Reads and writes what is published. All methods raise VectorStoreUnavailable or BadReply."""

    def __init__(self, link: QdrantLink, layout: Layout) -> None:
        self._link = link
        self._layout = layout

    # ------------------------------------------------------------------ publishing

    async def put_versions(self, owner: str, versions: Sequence[CarriedVersion]) -> None:
        """Write file versions."""
        for start in range(0, len(versions), BATCH):
            batch = versions[start : start + BATCH]
            rows = [(VERSION, int(one.id), to_payload(one)) for one in batch]
            await self._put(owner, rows)

    async def put_parts(self, owner: str, parts: Mapping[str, str]) -> None:
        """Write parts of views, by name."""
        named = list(parts.items())
        for start in range(0, len(named), BATCH):
            batch = named[start : start + BATCH]
            rows = [(PART, number_of(key), {"key": key, "rows": text}) for key, text in batch]
            await self._put(owner, rows)

    async def put_project(self, project: SharedProject) -> None:
        """Write a project; others see its view from now on."""
        names = SharedProject.__slots__
        payload = {name: getattr(project, name) for name in names if name != "owner"}
        payload |= {"parts": list(project.parts), "format": FORMAT}
        await self._put(project.owner, [(PROJECT, number_of(project.name), payload)])

    async def _put(self, owner: str, rows: Sequence[tuple[str, int, dict[str, Any]]]) -> None:
        name = await self._layout.ensure_plain(PUBLISHED)
        structs = [
            self._link.models.PointStruct(
                id=owned_point_id(owner, number, _NUMBERS[what]),
                vector={},
                payload={TENANT: owner, "what": what, **payload},
            )
            for what, number, payload in rows
        ]
        call = partial(self._link.client.upsert, name, structs, wait=True)
        try:
            await self._link.ask("publish", call)
        except CollectionMissing as error:
            self._layout.forget(name)
            raise BadReply(f"collection {name} was deleted under us") from error

    async def listed(self, owner: str) -> dict[str, set[int]]:
        """Return the numbers of what an installation has published, by what it is."""
        return {what: await self._numbers(owner, what) for what in _NUMBERS}

    async def _numbers(self, owner: str, what: str) -> set[int]:
        records = await self._scroll([owner], what, payload=False)
        return {read_point_id(record.id)[0] for record in records}

    async def remove(self, owner: str, what: str, numbers: Iterable[int]) -> None:
        """Delete what an installation published."""
        ids = [owned_point_id(owner, number, _NUMBERS[what]) for number in numbers]
        for start in range(0, len(ids), PAGE):
            selector = self._link.models.PointIdsList(points=ids[start : start + PAGE])
            call = partial(self._link.client.delete, self._layout.plain(PUBLISHED), selector)
            try:
                await self._link.ask("unpublish", call)
            except CollectionMissing:
                return

    # ------------------------------------------------------------------ following

    async def projects(self, owners: Sequence[str]) -> list[SharedProject]:
        """Return what these installations publish, by installation and name."""
        records = await self._scroll(owners, PROJECT)
        found = [_read_project(record.payload or {}) for record in records]
        return sorted(found, key=lambda one: (one.owner, one.name))

    async def parts(self, owner: str, keys: Iterable[str]) -> dict[str, dict[str, int]]:
        """Return parts of a view by name; those that are gone are left out."""
        wanted = {number_of(key): key for key in keys}
        found = {}
        async for number, payload in self._fetch(owner, PART, list(wanted)):
            if payload.get("key") == wanted[number]:
                found[wanted[number]] = open_part(str(payload.get("rows")))
        return found

    async def versions(self, owner: str, ids: Sequence[int]) -> list[PackedVersion]:
        """Return file versions, checked; those that are gone are left out."""
        return [
            from_payload(number, payload)
            async for number, payload in self._fetch(owner, VERSION, ids)
        ]

    async def _fetch(self, owner: str, what: str, numbers: Sequence[int]) -> Any:  # noqa: ANN401 - an iterator of number and payload
        name = self._layout.plain(PUBLISHED)
        for start in range(0, len(numbers), BATCH):
            batch = numbers[start : start + BATCH]
            ids = [owned_point_id(owner, number, _NUMBERS[what]) for number in batch]
            call = partial(self._link.client.retrieve, name, ids, with_payload=True)
            try:
                records = await self._link.ask("read what is published", call)
            except CollectionMissing:
                return
            for record in records:
                yield read_point_id(record.id)[0], record.payload or {}

    async def _scroll(self, owners: Sequence[str], what: str, *, payload: bool = True) -> list[Any]:
        models, found, offset = self._link.models, list[Any](), None
        kind = models.FieldCondition(key="what", match=models.MatchValue(value=what))
        condition = models.Filter(must=[any_of(models, TENANT, owners), kind])
        while owners:
            call = partial(
                self._link.client.scroll,
                self._layout.plain(PUBLISHED),
                scroll_filter=condition,
                limit=PAGE,
                offset=offset,
                with_payload=payload,
                with_vectors=False,
            )
            try:
                records, offset = await self._link.ask("list what is published", call)
            except CollectionMissing:
                return []
            found += records
            if offset is None:
                break
        return found


def _read_project(payload: Mapping[str, Any]) -> SharedProject:
    """Return what a record says; raises BadReply."""
    try:
        ours = int(payload["format"]) == FORMAT
        texts = ("name", "host", "group", "root", "repo", "files", "vectors")
        rest = ("docs_kind", "docs_audience", "state")
        project = SharedProject(
            owner=str(payload[TENANT]),
            **{name: str(payload[name]) for name in (*texts, *rest)},
            generation=int(payload["generation"]),
            dimension=int(payload["dimension"]),
            branch=_maybe(payload["branch"]),
            commit=_maybe(payload["commit"]),
            parts=tuple(str(key) for key in payload["parts"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise BadReply("a published project on the server is damaged") from error
    if not ours:
        raise BadReply(
            f"{project.host} publishes in another way than this version reads; use the same version"
        )
    return project


def _maybe(value: object) -> str | None:
    return None if value is None else str(value)

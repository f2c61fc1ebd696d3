"""Shards of the embedded engine on disk: a directory a shard, an engine directory a part.

Used by the store child only: every engine call holds the GIL of its process. `shard.json` in a
shard's directory names its key and its parts; it is replaced atomically, so whatever it does not
name is a leftover. A part that cannot be loaded is moved aside and treated as empty: what it held
can be computed again.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import qdrant_edge as engine

from paparatsd.errors import VectorStoreUnavailable
from paparatsd.model import Fingerprint, RepoId, ShardKey
from paparatsd.store.ids import shard_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PART_POINTS = 100_000
"""A part takes no new versions beyond this many points, so that no engine call gets long."""
LOAD_ATTEMPTS = 3
"""A part during whose loading the process ended this often is taken for damaged."""
_MANIFEST = "shard.json"
_TRASH = ".trash-"
# Errors that say nothing about the files: busy, memory, descriptors, space, permissions.
_PASSING = re.compile(
    r"WouldBlock|os error (4|11|12|13|23|24|28|30|122)\b|No space left|Too many open files"
    r"|Cannot allocate memory|Permission denied|Read-only file system"
)


@dataclass
class Part:
    """One engine directory; `shard` is the engine while it is open."""

    directory: str
    changed: int = 0
    shard: Any = None
    dirty: bool = False
    writes: int = 0


@dataclass
class Shard:
    """One shard: its key, where it lives, its parts and when it was last asked."""

    key: ShardKey
    path: Path
    parts: list[Part] = field(default_factory=list)
    used_at: float = 0.0


def engine_config(dimension: int) -> Any:  # noqa: ANN401 - the engine has no types
    """Return the engine's configuration: exact search over int8, no graph, lexical without IDF."""
    return engine.EdgeConfig(
        vectors={"dense": engine.EdgeVectorParams(size=dimension, distance=engine.Distance.Cosine)},
        sparse_vectors={"terms": engine.EdgeSparseVectorParams()},
        hnsw_config=engine.HnswIndexConfig(m=0, ef_construct=64, full_scan_threshold=10),
        quantization_config=engine.ScalarQuantizationConfig(
            type=engine.ScalarType.Int8, quantile=0.99
        ),
        max_search_threads=2,
    )


class ShardDirectory:
    """All shards below one directory."""

    def __init__(
        self,
        root: Path,
        *,
        part_points: int = PART_POINTS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._root = root
        self._part_points = part_points
        self._clock = clock
        self._shards: dict[str, Shard] = {}
        self.problems: list[str] = []
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._sweep()

    def _sweep(self) -> None:
        """Remove what an interrupted drop or swap left."""
        for entry in self._root.iterdir():
            if entry.name.startswith(_TRASH):
                shutil.rmtree(entry, ignore_errors=True)

    def find(self, key: ShardKey) -> Shard | None:
        """Return a shard that exists, or None."""
        name = shard_name(key)
        shard = self._shards.get(name)
        if shard is None:
            shard = self._read(key, self._root / name)
            if shard is None:
                return None
            self._shards[name] = shard
        shard.used_at = self._clock()
        return shard

    def ensure(self, key: ShardKey) -> Shard:
        """Return a shard, made when it does not exist."""
        shard = self.find(key)
        if shard is None:
            path = self._root / shard_name(key)
            path.mkdir(mode=0o700, exist_ok=True)
            shard = self._shards[path.name] = Shard(key, path, used_at=self._clock())
            self._save(shard)
        return shard

    def _read(self, key: ShardKey, path: Path) -> Shard | None:
        try:
            text = (path / _MANIFEST).read_text()
        except FileNotFoundError:
            # A crash between mkdir and the first manifest; nothing can be in it yet.
            return None
        try:
            manifest = json.loads(text)
            parts = [Part(str(p["directory"]), int(p["changed"])) for p in manifest["parts"]]
            stored = ShardKey(
                RepoId(manifest["key"]["repo"]),
                manifest["key"]["kind"],
                Fingerprint(manifest["key"]["fingerprint"]),
                int(manifest["key"]["dimension"]),
            )
        except (ValueError, KeyError, TypeError):
            stored, parts = None, []
        if stored != key:
            self._move_aside(path, path.name, "its shard.json is damaged")
            return None
        for entry in path.iterdir():
            if entry.is_dir() and entry.name not in {part.directory for part in parts}:
                shutil.rmtree(entry, ignore_errors=True)
        return Shard(key, path, parts)

    def _save(self, shard: Shard) -> None:
        manifest = {
            "format": 1,
            "key": asdict(shard.key),
            "parts": [{"directory": p.directory, "changed": p.changed} for p in shard.parts],
        }
        partial = shard.path / f"{_MANIFEST}.partial"
        with partial.open("w") as file:
            json.dump(manifest, file)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(shard.path / _MANIFEST)
        _sync_directory(shard.path)

    # ------------------------------------------------------------------ parts

    def opened(self, shard: Shard) -> Iterator[Part]:
        """Yield the parts of a shard with their engines open."""
        for part in list(shard.parts):
            if self._open(shard, part):
                yield part

    def writable(self, shard: Shard) -> Part:
        """Return the part that takes new versions, made when there is none or it is full."""
        parts = list(self.opened(shard))
        if parts and parts[-1].shard.info().points_count < self._part_points:
            return parts[-1]
        part = Part(self.new_directory(shard))
        path = shard.path / part.directory
        path.mkdir(mode=0o700)
        part.shard = engine.EdgeShard.create(str(path), engine_config(shard.key.dimension))
        for name, schema in (
            ("version", engine.PayloadSchemaType.Integer),
            ("kind", engine.PayloadSchemaType.Keyword),
            ("language", engine.PayloadSchemaType.Keyword),
        ):
            part.shard.update(engine.UpdateOperation.create_field_index(name, schema))
        part.shard.flush()
        shard.parts.append(part)
        self._save(shard)
        return part

    @staticmethod
    def new_directory(shard: Shard) -> str:
        """Return a name that no part of the shard has or had."""
        taken = [entry.name for entry in shard.path.iterdir() if entry.is_dir()]
        numbers = [int(name[4:]) for name in taken if re.fullmatch(r"part\d+", name)]
        return f"part{max(numbers, default=-1) + 1:04d}"

    def _open(self, shard: Shard, part: Part) -> bool:
        """Load a part's engine; False when it was damaged and is gone."""
        if part.shard is not None:
            return True
        path = shard.path / part.directory
        attempts = shard.path / f"{part.directory}.loading"
        try:
            count = int(attempts.read_text())
        except (OSError, ValueError):
            count = 0
        reason = f"the process ended {count} times while loading it"
        if count < LOAD_ATTEMPTS:
            attempts.write_text(str(count + 1))
            try:
                part.shard = engine.EdgeShard.load(str(path))
            # The engine raises bare exceptions, and panics that are no Exception.
            except BaseException as error:  # noqa: BLE001 - the border to the engine
                reason = str(error)
            attempts.unlink(missing_ok=True)
            if part.shard is not None:
                return True
            if _PASSING.search(reason):
                raise VectorStoreUnavailable(f"cannot open {path}: {reason}")
        self._move_aside(path, shard.path.name, reason)
        attempts.unlink(missing_ok=True)
        shard.parts.remove(part)
        self._save(shard)
        return False

    def _move_aside(self, path: Path, shard: str, reason: str) -> None:
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        base = f"damaged-{shard}-{stamp}"
        target = self._root / base
        number = 1
        while target.exists():
            number += 1
            target = self._root / f"{base}-{number}"
        if path.exists():
            path.replace(target)
        self.problems.append(f"a vector shard was damaged and moved to {target}: {reason[:300]}")

    def replace_part(self, shard: Shard, part: Part, directory: str) -> None:
        """Put the engine in `directory` (a tidied copy) in the place of a part's."""
        loaded = engine.EdgeShard.load(str(shard.path / directory))
        old, part.shard, part.directory = (part.shard, part.directory), loaded, directory
        part.changed, part.dirty = 0, False
        self._save(shard)
        if old[0] is not None:
            old[0].close()
        shutil.rmtree(shard.path / old[1], ignore_errors=True)

    # ------------------------------------------------------------------ letting go

    def flush(self, shard: Shard) -> None:
        """Write a shard to the disk."""
        dirty = [part for part in shard.parts if part.dirty and part.shard is not None]
        for part in dirty:
            part.shard.flush()
            part.dirty = False
        if dirty:
            self._save(shard)

    def drop(self, key: ShardKey) -> None:
        """Delete a shard with all its files."""
        shard = self._shards.pop(shard_name(key), None)
        path = self._root / shard_name(key)
        if shard is not None:
            self._close(shard)
        if not path.exists():
            return
        # Renamed first: a crash in the middle of the deletion must not leave half a shard.
        trash = self._root / f"{_TRASH}{path.name}"
        shutil.rmtree(trash, ignore_errors=True)
        path.replace(trash)
        _sync_directory(self._root)
        shutil.rmtree(trash, ignore_errors=True)
        for damaged in self._root.glob(f"damaged-{path.name}-*"):
            shutil.rmtree(damaged, ignore_errors=True)

    @staticmethod
    def _close(shard: Shard) -> None:
        for part in shard.parts:
            if part.shard is not None:
                # Closing flushes; a full disk then is the next flush's problem.
                with contextlib.suppress(Exception):
                    part.shard.close()
                part.shard = None

    def close_idle(self, idle_s: float) -> int:
        """Close shards that nobody asked for so long and return how many are open still."""
        now = self._clock()
        for shard in self._shards.values():
            if now - shard.used_at >= idle_s:
                self.flush(shard)
                self._close(shard)
        return sum(any(p.shard is not None for p in s.parts) for s in self._shards.values())

    def all_known(self) -> list[Shard]:
        """Return the shards that were used since the process started."""
        return list(self._shards.values())


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

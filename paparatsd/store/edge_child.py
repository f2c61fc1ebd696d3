"""The store child: runs the embedded engine, which holds the GIL in every call.

Run as `python -m paparatsd.store.edge_child DIRECTORY [LINK] FD`; LINK is the descriptor of a
`recall_link`. Each reply to the daemon is a pair of the result and the problems noticed since the
last one.
"""

from __future__ import annotations

import shutil
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import qdrant_edge as engine

from paparatsd import ipc
from paparatsd.errors import PaparatsError, VectorStoreUnavailable
from paparatsd.model import RecallReply, VersionId
from paparatsd.store.edge_frames import PointFrame, TidyJob
from paparatsd.store.edge_recall import FilterCache, any_version, recall_parts
from paparatsd.store.edge_shards import PART_POINTS, Part, Shard, ShardDirectory
from paparatsd.store.ids import point_id
from paparatsd.store.recall_link import RecallServer
from paparatsd.store.vectors import empty_recall
from paparatsd.urgency import ask_for_short_slices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paparatsd.model import RecallRequest, ShardKey

SCROLL_POINTS = 2_000
TIDY_POINTS = 5_000
"""A part is worth tidying after so many changes, or after 1,000 that are a fifth of it."""


class EdgeChild:
    """The operations of the store child; each is one request frame."""

    def __init__(self, directory: Path, *, part_points: int = PART_POINTS) -> None:
        self._shards = ShardDirectory(directory, part_points=part_points)
        self._filters = FilterCache()
        self._operations: dict[str, Callable[[Any], Any]] = {
            "upsert": lambda argument: self.upsert(*argument),
            "recall": self.recall,
            "delete": lambda argument: self.delete(*argument),
            "flush": self.flush,
            "drop": self._shards.drop,
            "count": self.count,
            "scroll": lambda argument: self.scroll(*argument),
            "read": lambda argument: self.read(*argument),
            "close_idle": self._shards.close_idle,
            "next_tidy": lambda _: self.next_tidy(),
            "finish_tidy": lambda argument: self.finish_tidy(*argument),
        }

    def __call__(self, operation: str, argument: object, note: object) -> tuple[Any, list[str]]:
        """Run one operation; whatever the engine raises becomes VectorStoreUnavailable."""
        try:
            result = self._operations[operation](argument)
        except PaparatsError:
            raise
        except Exception as error:
            raise VectorStoreUnavailable(f"the vector engine failed to {operation}: {error}") from (
                error
            )
        problems, self._shards.problems = self._shards.problems, []
        return result, problems

    def upsert(self, key: ShardKey, frame: PointFrame) -> None:
        """Write a few points, each into the part that has its version already."""
        shard = self._shards.ensure(key)
        newest = self._shards.writable(shard)
        home = dict.fromkeys(set(frame.versions.tolist()), newest)
        for part in self._shards.opened(shard):
            if part is not newest:
                home.update(dict.fromkeys(_present(part, list(home)), part))
        # Lexical vectors alone never replace a point: that would take its dense vector away.
        mode = engine.UpdateMode.InsertOnly if frame.dense is None else engine.UpdateMode.Upsert
        points: dict[int, tuple[Part, list[Any]]] = {}
        for row, version in enumerate(frame.versions.tolist()):
            part = home[version]
            points.setdefault(id(part), (part, []))[1].append(_point(frame, row))
        for part, chosen in points.values():
            part.shard.update(engine.UpdateOperation.upsert_points(chosen, update_mode=mode))
            _note_write(part, len(chosen))

    def recall(self, requests: Sequence[RecallRequest]) -> list[RecallReply]:
        """Answer each request; a shard that is not there holds nothing."""
        return [self._recall(request) for request in requests]

    def recall_shortly(self, requests: Sequence[RecallRequest]) -> list[RecallReply] | None:
        """Answer the search process; None when the daemon has to hear what is wrong."""
        try:
            replies = self.recall(requests)
        except Exception:  # noqa: BLE001 - whatever it is, it comes again when the daemon asks
            return None
        return None if self._shards.problems else replies

    def _recall(self, request: RecallRequest) -> RecallReply:
        shard = self._shards.find(request.shard)
        if shard is None:
            return RecallReply(
                dense=None if request.dense is None else empty_recall(),
                lexical=None if request.sparse is None else empty_recall(),
            )
        engines = (part.shard for part in self._shards.opened(shard))
        return recall_parts(engines, request, self._filters)

    def delete(self, key: ShardKey, versions: Sequence[int]) -> None:
        """Delete the points of a few versions."""
        shard = self._shards.find(key)
        if shard is None:
            return
        for part in self._shards.opened(shard):
            condition = engine.Filter(must=[any_version(versions)])
            part.shard.update(engine.UpdateOperation.delete_points_by_filter(condition))
            _note_write(part, len(versions))

    def flush(self, key: ShardKey) -> None:
        """Write a shard to the disk."""
        shard = self._shards.find(key)
        if shard is not None:
            self._shards.flush(shard)

    def count(self, key: ShardKey) -> int:
        """Return how many points a shard has."""
        shard = self._shards.find(key)
        if shard is None:
            return 0
        exact = engine.CountRequest(exact=True)
        return sum(part.shard.count(exact) for part in self._shards.opened(shard))

    def scroll(
        self, key: ShardKey, index: int, offset: str | None
    ) -> tuple[Any, tuple[int, str | None] | None]:
        """Return the version of each point of one page and where the next page begins."""
        shard = self._shards.find(key)
        parts = list(self._shards.opened(shard)) if shard is not None else []
        if index >= len(parts):
            return np.empty(0, np.int64), None
        records, following = parts[index].shard.scroll(
            engine.ScrollRequest(
                limit=SCROLL_POINTS,
                offset=offset,
                with_payload=engine.PayloadSelector.Include(["version"]),
                with_vector=False,
            )
        )
        found = np.array([record.payload["version"] for record in records], np.int64)
        if following is not None:
            return found, (index, str(following))
        return found, (index + 1, None) if index + 1 < len(parts) else None

    def read(self, key: ShardKey, versions: Sequence[int]) -> list[PointFrame]:
        """Return all points of a few versions, those with a dense vector apart from the others."""
        shard = self._shards.find(key)
        records = []
        for part in self._shards.opened(shard) if shard is not None else ():
            offset = None
            while True:
                page, offset = part.shard.scroll(
                    engine.ScrollRequest(
                        limit=SCROLL_POINTS,
                        offset=offset,
                        filter=engine.Filter(must=[any_version(versions)]),
                        with_payload=True,
                        with_vector=True,
                    )
                )
                records += page
                if offset is None:
                    break
        with_dense = [record for record in records if "dense" in record.vector]
        without = [record for record in records if "dense" not in record.vector]
        return [_frame(chosen) for chosen in (with_dense, without) if chosen]

    # ------------------------------------------------------------------ tidying

    def next_tidy(self) -> TidyJob | None:
        """Flush the part that needs tidying most and describe the job, or return None."""
        best: tuple[int, Shard, Part] | None = None
        for shard in self._shards.all_known():
            for part in shard.parts:
                if _is_untidy(part) and (best is None or part.changed > best[0]):
                    best = (part.changed, shard, part)
        if best is None:
            return None
        _, shard, part = best
        self._shards.flush(shard)
        # Made at once: the name must not go to a new part meanwhile.
        target = shard.path / self._shards.new_directory(shard)
        target.mkdir(mode=0o700)
        source = shard.path / part.directory
        return TidyJob(shard.key, part.directory, part.writes, str(source), str(target))

    def finish_tidy(self, job: TidyJob, tidied: bool) -> bool:
        """Swap the tidied copy in unless the part was written to; return whether it was.

        What could not be tidied counts as tidy until it is written to again.
        """
        shard = self._shards.find(job.key)
        parts = shard.parts if shard is not None else []
        part = next((part for part in parts if part.directory == job.directory), None)
        target = Path(job.target)
        if shard is None or part is None or part.writes != job.writes:
            shutil.rmtree(target, ignore_errors=True)
            return False
        if not tidied:
            part.changed = 0
            shutil.rmtree(target, ignore_errors=True)
            return False
        self._shards.replace_part(shard, part, target.name)
        return True


def _present(part: Part, versions: list[int]) -> list[int]:
    request = engine.FacetRequest(
        "version", limit=len(versions), filter=engine.Filter(must=[any_version(versions)])
    )
    return [int(hit.value) for hit in part.shard.facet(request).hits]


def _point(frame: PointFrame, row: int) -> Any:  # noqa: ANN401 - the engine has no types
    start, end = int(frame.offsets[row]), int(frame.offsets[row + 1])
    version, ordinal = VersionId(int(frame.versions[row])), int(frame.ordinals[row])
    # Lists, not arrays: the engine takes them in half the time.
    ids, values = frame.ids[start:end].tolist(), frame.values[start:end].tolist()
    vectors: dict[str, Any] = {"terms": engine.SparseVector(indices=ids, values=values)}
    if frame.dense is not None:
        vectors["dense"] = frame.dense[row].tolist()
    payload = {
        "version": version,
        "n": ordinal,
        "kind": frame.kinds[row],
        "language": frame.languages[row],
    }
    return engine.Point(point_id(version, ordinal), vectors, payload)


def _frame(records: Sequence[Any]) -> PointFrame:
    """Return records with vectors as they were written."""
    terms = [record.vector["terms"] for record in records]
    ids = [np.array(one.indices, np.uint32) for one in terms]
    orders = [np.argsort(one) for one in ids]
    values = [np.array(one.values, np.float32) for one in terms]
    lengths = [len(one) for one in ids]
    dense = "dense" in records[0].vector
    return PointFrame(
        versions=np.array([record.payload["version"] for record in records], np.int64),
        ordinals=np.array([record.payload["n"] for record in records], np.int64),
        kinds=tuple(record.payload["kind"] for record in records),
        languages=tuple(record.payload["language"] for record in records),
        offsets=np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))),
        ids=np.concatenate([one[order] for one, order in zip(ids, orders, strict=True)]),
        values=np.concatenate([one[order] for one, order in zip(values, orders, strict=True)]),
        dense=np.array([record.vector["dense"] for record in records], np.float32)
        if dense
        else None,
    )


def _note_write(part: Part, points: int) -> None:
    part.dirty = True
    part.writes += 1
    part.changed += points


def _is_untidy(part: Part) -> bool:
    if part.shard is None or part.changed < 1_000:
        return False
    points = int(part.shard.info().points_count)
    return part.changed >= min(TIDY_POINTS, points // 5)


if __name__ == "__main__":
    store = EdgeChild(Path(sys.argv[1]))
    ends = [socket.socket(fileno=int(number)) for number in sys.argv[2:-1]]
    sides = [RecallServer(end, store.recall_shortly) for end in ends]
    ask_for_short_slices()
    ipc.serve_child(store, side=sides[0] if sides else None)

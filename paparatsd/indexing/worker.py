"""The worker process: one file after the other from disk to chunks, terms and vectors.

It is a process of its own because parsing and embedding hold the GIL, and because a grammar that
crashes or hangs on a hostile file must cost that file only. Each file is announced before it is
touched and delivered as soon as it is done, so that the daemon knows whom to blame.
"""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from paparatsd import ipc
from paparatsd.chunks.embedtext import embed_text
from paparatsd.chunks.fields import lexical_vectors
from paparatsd.chunks.packing import build_record
from paparatsd.chunks.parse import parse_file
from paparatsd.embeddings.static import StaticModel
from paparatsd.indexing.jobs import (
    BuildFile,
    BuildJob,
    BuiltFile,
    Outcome,
    Recognised,
    Started,
    stat_file,
)
from paparatsd.model import SkippedFile
from paparatsd.sources.read import SourceText, read_source, recognise_source
from paparatsd.store.packed import pack_file

if TYPE_CHECKING:
    from collections.abc import Callable


NICENESS = 5
OUT_OF_MEMORY = 12
"""Exit code of a worker that a file was too much for."""
_YOUNG_OBJECTS = 50_000


class Builder:
    """Builds files; keeps the embedding model loaded between jobs."""

    def __init__(self) -> None:
        self._model: StaticModel | None = None

    def model(self) -> StaticModel:
        """Return the built-in embedding model, loaded on first use."""
        if self._model is None:
            self._model = StaticModel.load()
        return self._model

    def handle(self, operation: str, argument: Any, note: Callable[[Any], None]) -> Any:  # noqa: ANN401 - frames carry any value
        """Serve one request of the daemon."""
        if operation == "build":
            return self._build(argument, note)
        if operation == "recognise":
            return self._recognise(argument)
        if operation == "embed":
            return self.model().encode(argument), self.model().spec.fingerprint
        if operation == "warm":
            self.model()
            return None
        if operation == "ping":
            return "pong"
        raise ValueError(f"unknown operation {operation!r}")

    def _build(self, job: BuildJob, note: Callable[[Any], None]) -> int:
        root = Path(job.root)
        for file in job.files:
            note(Started(file.path))
            try:
                outcome = self.build_file(root, file, job)
            except MemoryError:
                # Whatever took the memory may hold on to it: a fresh process tries this file again.
                os._exit(OUT_OF_MEMORY)
            note(outcome)
        return len(job.files)

    def _recognise(self, job: BuildJob) -> list[Recognised]:
        """Read files that may be known and say which are; nothing is parsed."""
        root = Path(job.root)
        found = []
        for index, file in enumerate(job.files):
            known = recognise_source(
                root,
                file.path,
                file.known,
                max_bytes=job.max_file_bytes,
                allow_secrets=job.allow_secrets,
            )
            if known is not None:
                stat, content = known
                values = (stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode)
                found.append(Recognised(index, values, content))
        return found

    def build_file(self, root: Path, file: BuildFile, job: BuildJob) -> Outcome:
        """Read, recognise or build one file."""
        stat = stat_file(root / file.path)
        source = read_source(
            root,
            file.path,
            max_bytes=job.max_file_bytes,
            allow_secrets=job.allow_secrets,
            known=file.known,
        )
        if isinstance(source, SkippedFile):
            return Outcome(file.path, stat, skipped=source)
        if source.content in file.known:
            return Outcome(file.path, source.stat, recognised=source.content)
        return Outcome(file.path, source.stat, built=self._make(file, source, job))

    def _make(self, file: BuildFile, source: SourceText, job: BuildJob) -> BuiltFile:
        parsed = parse_file(file.path, source.text, job.limits, structure=file.structure)
        sparse = lexical_vectors(file.path, parsed)
        encode = self.model().encode
        record = build_record(file.path, parsed, sparse, encode)
        texts = tuple(embed_text(file.path, parsed, chunk) for chunk in parsed.chunks)
        lengths = [len(vector.ids) for vector in sparse]
        nothing = np.zeros(0)
        return BuiltFile(
            content=source.content,
            size=source.size,
            file=pack_file(parsed),
            offsets=np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))),
            term_ids=np.concatenate([nothing, *(v.ids for v in sparse)]).astype(np.uint32),
            term_values=np.concatenate([nothing, *(v.values for v in sparse)]).astype(np.float16),
            record=record,
            dense=encode(texts) if job.embed else None,
        )


def main() -> None:
    """Serve the daemon until its end of the pipe closes."""
    # Questions, and whatever else the machine is for, go first.
    os.nice(NICENESS)
    gc.freeze()
    # A file's nodes and matches are no garbage while it is read, and go with it: looking through
    # them every 700 objects takes a tenth of the time.
    gc.set_threshold(_YOUNG_OBJECTS)
    ipc.serve_child(Builder().handle)


if __name__ == "__main__":
    import sys

    ipc.limit_memory(int(sys.argv[1]))
    main()

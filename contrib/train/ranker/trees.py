"""Checkouts as the daemon would index them, kept in a cache between runs.

Two stages, since they change at different times: parsed files, and what is built from them (terms,
ranking records, vectors). Each is kept under a digest of the checkout's files and of the code and
model that made it, so a change of either makes it anew.
"""

from __future__ import annotations

import asyncio
import hashlib
import pickle
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from paparatsd.chunks.embedtext import embed_text
from paparatsd.chunks.fields import lexical_vectors
from paparatsd.chunks.packing import build_record
from paparatsd.chunks.parse import ChunkLimits, parse_file
from paparatsd.sources.read import SourceText, read_source
from paparatsd.sources.repo import locate
from paparatsd.sources.walk import SelectionRules, list_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paparatsd.model import EmbedderSpec, ParsedFile, SparseVector

PACKAGE = Path(__file__).resolve().parents[3] / "paparatsd"
MAX_FILE_BYTES = 1_000_000
PARSING, BUILDING = ("sources", "chunks"), ("chunks", "embeddings")
"""Packages whose code decides what a stage makes."""
NOT_PARSING = frozenset({"embedtext.py", "fields.py", "packing.py", "record.py", "terms.py"})
"""Modules of these that only building uses: a change of theirs needs no new parse."""

T = TypeVar("T")


@dataclass(frozen=True)
class IndexedFile:
    """One file as it is indexed: its chunks' terms and vectors [chunks, d], and its record."""

    path: str
    language: str
    sparse: tuple[SparseVector, ...]
    record: bytes
    dense: NDArray[np.float16]
    names: tuple[str, ...]


class Model(Protocol):
    """An embedding model, as far as building needs it."""

    @property
    def spec(self) -> EmbedderSpec:
        """What names the model."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit row per document text."""
        ...


class Trees:
    """Builds checkouts and remembers them in a directory."""

    def __init__(self, cache_dir: Path, model: Model) -> None:
        self._cache = cache_dir / "trees"
        self._cache.mkdir(parents=True, exist_ok=True)
        self._model = model

    def parse(self, checkout: Path) -> list[tuple[str, ParsedFile]]:
        """Return the files of a checkout by path, parsed."""
        return self._kept(
            f"{checkout.name}-parsed", _parsed_digest(checkout), lambda: _parse_tree(checkout)
        )

    def build(self, checkout: Path, inside: str = "") -> list[IndexedFile]:
        """Return the files of a checkout, or of the folder `inside` with paths relative to it."""
        parsed = self.parse(checkout)
        model = self._model.spec.fingerprint
        digest = _digest(_parsed_digest(checkout), _code(BUILDING), model)
        name = f"{checkout.name}-{inside.replace('/', '+') or 'full'}"
        return self._kept(name, digest, lambda: self._index(parsed, inside))

    def _index(self, parsed: Sequence[tuple[str, ParsedFile]], inside: str) -> list[IndexedFile]:
        prefix = f"{inside}/" if inside else ""
        return [
            self._file(path[len(prefix) :], file)
            for path, file in parsed
            if path.startswith(prefix)
        ]

    def _file(self, path: str, file: ParsedFile) -> IndexedFile:
        sparse = lexical_vectors(path, file)
        texts = [embed_text(path, file, chunk) for chunk in file.chunks]
        return IndexedFile(
            path=path,
            language=file.language,
            sparse=sparse,
            record=build_record(path, file, sparse, self._model.encode),
            dense=self._model.encode(texts).astype(np.float16),
            names=tuple(symbol.name for symbol in file.symbols),
        )

    def _kept(self, name: str, digest: str, make: Callable[[], T]) -> T:
        place = self._cache / f"{name}.pickle"
        if place.is_file():
            with place.open("rb") as kept:
                if pickle.load(kept) == digest:
                    value: T = pickle.load(kept)
                    return value
        began = time.perf_counter()
        value = make()
        partial = place.with_suffix(".part")
        with partial.open("wb") as out:
            pickle.dump(digest, out)
            pickle.dump(value, out, protocol=5)
        partial.replace(place)
        print(f"  made {name} in {time.perf_counter() - began:.1f} s", file=sys.stderr)
        return value


def _parsed_digest(checkout: Path) -> str:
    return _digest(_state(checkout), _code(PARSING, NOT_PARSING))


def _parse_tree(root: Path) -> list[tuple[str, ParsedFile]]:
    async def listed() -> list[str]:
        listing = await list_tree(await locate(root), SelectionRules())
        return sorted(listing.files)

    parsed = []
    for path in asyncio.run(listed()):
        source = read_source(root, path, max_bytes=MAX_FILE_BYTES)
        if isinstance(source, SourceText):
            parsed.append((path, parse_file(path, source.text, ChunkLimits())))
    return parsed


def _state(root: Path) -> str:
    """Return a digest of what files a checkout has, with sizes and times of change."""
    if not root.is_dir():
        raise SystemExit(f"{root} is not there; contrib/bench/quality/corpora.py makes checkouts")
    rows = []
    for path in sorted(root.rglob("*")):
        if path.is_file():
            stat = path.stat()
            rows.append(f"{path.relative_to(root)} {stat.st_size} {stat.st_mtime_ns}")
    return _digest(*rows)


@cache
def _code(packages: tuple[str, ...], without: frozenset[str] = frozenset()) -> str:
    """Return a digest of the code of some packages."""
    parts = [
        f"{path.relative_to(PACKAGE)} {path.read_text(encoding='utf-8')}"
        for package in packages
        for path in sorted((PACKAGE / package).rglob("*"))
        if path.suffix in {".py", ".scm"} and path.name not in without
    ]
    return _digest(*parts)


def _digest(*parts: str) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(f"{len(part)} {part}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()

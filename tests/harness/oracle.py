"""The oracle: the live index must equal an index built from scratch.

    await oracle.assert_equal(daemon, "marmots")

It walks the checkout in the test, computes with the same pure functions what every file must have
become, and compares with the daemon's catalog both ways: nothing missing, nothing left over.
Call it when the daemon has settled.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from paparatsd.chunks.fields import lexical_vectors
from paparatsd.chunks.limits import ChunkLimits
from paparatsd.chunks.names import NOISE
from paparatsd.chunks.packing import NOT_DEFINITIONS, SHORTEST_USED_NAME
from paparatsd.chunks.parse import parse_file
from paparatsd.chunks.record import DEFINED_SALT, USED_SALT, last_part
from paparatsd.chunks.terms import term_id
from paparatsd.clock import SystemClock
from paparatsd.model import DocumentHead, ProjectName, SkippedFile, VersionId
from paparatsd.repo_config import load_repo_config
from paparatsd.settings import IndexSettings
from paparatsd.sources import repo, walk
from paparatsd.sources.read import read_source
from paparatsd.store.edge import EdgeStore
from paparatsd.store.reader import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from paparatsd.model import Chunk, ParsedFile, TreeListing
    from paparatsd.store.rows import VersionInfo
    from paparatsd.store.server import ServerStore
    from tests.harness.daemon import Daemon

SHOWN = 20
"""Differences that a failure message lists."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What identifies a chunk: its address in the file, its lines and its text."""

    fragment: str
    start_line: int
    end_line: int
    text_hash: str


@dataclass(frozen=True, slots=True)
class Indexed:
    """What an index holds of one file."""

    content: str
    pieces: tuple[Piece, ...]
    document: DocumentHead | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """What an index holds of one project.

    `skipped` is path -> reason; `frequencies` is term id -> number of chunks with the
    term, and of files that define or use a name.
    `without_vectors` are paths whose points the store has not acknowledged.
    """

    files: Mapping[str, Indexed]
    skipped: Mapping[str, str]
    frequencies: Mapping[int, int]
    without_vectors: frozenset[str] = frozenset()

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return sum(len(file.pieces) for file in self.files.values())


async def assert_equal(daemon: Daemon, name: str, settings: IndexSettings | None = None) -> Picture:
    """Fail unless a project's index equals one built from scratch; returns what both are."""
    root = Path((await daemon.project(name))["root"])
    wanted = await from_scratch(root, settings or IndexSettings())
    found = await anyio.to_thread.run_sync(from_catalog, daemon.state / "catalog.sqlite3", name)
    problems = differences(wanted, found)
    assert not problems, _report(name, problems)
    return wanted


async def from_scratch(root: Path, settings: IndexSettings) -> Picture:
    """Compute from the work tree alone what the index must hold."""
    checkout = await repo.locate(root)
    config = load_repo_config(root).config
    assert config is not None, f"{root}/.paparats.yml is broken: there is no right answer"
    rules = walk.SelectionRules(
        exclude=(*config.exclude, *config.exclude_extra),
        paths=config.paths,
        respect_gitignore=config.respect_gitignore,
        max_file_bytes=settings.max_file_bytes,
        allow_secrets=settings.allow_secrets,
    )
    listing = await walk.list_tree(checkout, rules)
    return await anyio.to_thread.run_sync(_build, root, listing, settings)


def _build(root: Path, listing: TreeListing, settings: IndexSettings) -> Picture:
    limits = ChunkLimits(settings.chunk_chars, settings.max_chunk_chars)
    files: dict[str, Indexed] = {}
    skipped = {item.path: item.reason.value for item in listing.skipped}
    frequencies: Counter[int] = Counter()
    for path in listing.files:
        source = read_source(
            root, path, max_bytes=settings.max_file_bytes, allow_secrets=settings.allow_secrets
        )
        if isinstance(source, SkippedFile):
            skipped[path] = source.reason.value
            continue
        parsed = parse_file(path, source.text, limits)
        pieces = tuple(map(_piece, parsed.chunks))
        files[path] = Indexed(source.content.hex(), pieces, parsed.document)
        for vector in lexical_vectors(path, parsed):
            frequencies.update(vector.ids.tolist())
        frequencies.update(_names(parsed))
    return Picture(files, skipped, frequencies)


def _names(parsed: ParsedFile) -> set[int]:
    """Return the numbers of the names that a file defines and uses, each counted once.

    Mere values, and words of the languages unless they are imported, are not counted as used.
    """
    defined = {
        term_id(last_part(one.name))
        for one in parsed.symbols
        if one.name and one.kind not in NOT_DEFINITIONS
    }
    used = {
        last_part(use.name)
        for use in parsed.uses
        if use.kind == "import" or (use.kind != "value" and use.name not in NOISE)
    }
    return {number ^ DEFINED_SALT for number in defined} | {
        term_id(name) ^ USED_SALT for name in used if len(name) >= SHORTEST_USED_NAME
    }


def from_catalog(path: Path, name: str) -> Picture:
    """Read what the daemon's catalog holds of a project; works while the daemon runs."""
    with closing(CatalogReader(path)) as reader, reader.snapshot():
        project = reader.project(ProjectName(name))
        view = reader.view(project.id)
        infos = reader.infos({entry.version for entry in view.values()})
        heads = {
            row.path: DocumentHead(row.title, row.link, row.modified, row.audience, row.refused)
            for row in reader.documents(project.id)
        }
        files = {
            shown: Indexed(
                infos[entry.version].content.hex(),
                tuple(map(_piece, reader.chunks_of(entry.version))),
                heads.get(shown),
            )
            for shown, entry in view.items()
        }
        skipped = {row.path: row.reason.value for row in reader.skipped(project.id).values()}
        counted = reader.frequencies(project.id)
        pairs = zip(counted.ids.tolist(), counted.counts.tolist(), strict=True)
        frequencies = {term: count for term, count in pairs if count}
        acknowledged = _acknowledged(reader, infos.values())
        without = {shown for shown, entry in view.items() if entry.version not in acknowledged}
    return Picture(files, skipped, frequencies, frozenset(without))


def _acknowledged(reader: CatalogReader, infos: Iterable[VersionInfo]) -> set[int]:
    """Return the versions whose points the vector store has acknowledged in some shard."""
    infos = list(infos)
    known: set[int] = set()
    for shard in reader.shards():
        for fingerprint in {info.fingerprint for info in infos}:
            contents = reader.contents_at(shard, fingerprint, {info.path for info in infos})
            known |= {
                info.id
                for info in infos
                if info.repo == shard.repo and info.content in contents.get(info.path, set())
            }
    return known


async def assert_points(daemon: Daemon) -> int:
    """Fail unless the vector shards hold exactly the points that the catalog knows of.

    The daemon must be stopped: it holds the shards. Returns the number of points.
    """
    store = EdgeStore(daemon.state / "vectors", clock=SystemClock())
    await store.start()
    try:
        return await assert_points_in(daemon, store)
    finally:
        await store.stop()


async def assert_points_in(
    daemon: Daemon, store: EdgeStore | ServerStore, *, dense: int = 0
) -> int:
    """Fail unless a store holds exactly the points that the catalog of a stopped daemon knows of.

    In shards of the dimension `dense` each must have a dense vector. Returns the number of points.
    """
    assert daemon.process is None, "stop the daemon first"
    with closing(CatalogReader(daemon.state / "catalog.sqlite3")) as reader:
        wanted = {}
        for shard in reader.shards():
            ids = [VersionId(version) for version in reader.shard_versions(shard).tolist()]
            infos = reader.infos(ids)
            wanted[shard] = {info.id: info.chunks for info in infos.values() if info.chunks}
    for shard, chunks in wanted.items():
        found = await store.tally(shard)
        assert found.keys() == chunks.keys(), (
            f"{len(chunks.keys() - found.keys())} versions without points, "
            f"{len(found.keys() - chunks.keys())} left over"
        )
        assert found == chunks, "points are not one a chunk"
        assert await store.count(shard) == sum(chunks.values())
        if shard.dimension == dense:
            batches = await store.read(shard, sorted(chunks))
            bare = {version for one in batches if one.dense is None for version in one.versions}
            assert not bare, f"{len(bare)} versions with points that have no dense vector"
    return sum(sum(chunks.values()) for chunks in wanted.values())


def differences(wanted: Picture, found: Picture) -> list[str]:
    """Say in sentences what is missing from, left over in or wrong with an index."""
    problems = [f"missing: {path}" for path in wanted.files.keys() - found.files.keys()]
    problems += [f"left over: {path}" for path in found.files.keys() - wanted.files.keys()]
    for path in wanted.files.keys() & found.files.keys():
        problems += _file_differences(path, wanted.files[path], found.files[path])
    for path in wanted.skipped.keys() | found.skipped.keys():
        left, right = wanted.skipped.get(path), found.skipped.get(path)
        if left != right:
            problems.append(f"skipped: {path} should be {left}, is {right}")
    problems += [f"without vectors: {path}" for path in found.without_vectors]
    terms = wanted.frequencies.keys() | found.frequencies.keys()
    off = sum(wanted.frequencies.get(t, 0) != found.frequencies.get(t, 0) for t in terms)
    if off:
        problems.append(f"document frequencies: {off} of {len(terms)} terms are wrong")
    return sorted(problems)


def _file_differences(path: str, wanted: Indexed, found: Indexed) -> list[str]:
    if wanted.content != found.content:
        return [f"old content: {path}"]
    if wanted.document != found.document:
        return [f"document {path}: should be {wanted.document}, is {found.document}"]
    if wanted.pieces == found.pieces:
        return []
    missing = [piece.fragment for piece in wanted.pieces if piece not in found.pieces]
    extra = [piece.fragment for piece in found.pieces if piece not in wanted.pieces]
    return [f"chunks of {path}: missing {missing[:5]}, left over {extra[:5]}"]


def _piece(chunk: Chunk) -> Piece:
    digest = hashlib.blake2b(chunk.text.encode(errors="surrogatepass"), digest_size=8).hexdigest()
    return Piece(chunk.fragment, chunk.start_line, chunk.end_line, digest)


def _report(name: str, problems: list[str]) -> str:
    more = f"\n... and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
    return f"{name}: {len(problems)} differences\n" + "\n".join(problems[:SHOWN]) + more

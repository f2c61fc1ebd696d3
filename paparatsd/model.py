"""Frozen values that every stage shares. No behaviour beyond what a value knows of itself.

Lines are 1-based and inclusive everywhere. Paths are POSIX, relative to the project's root.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, NewType

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray


RepoId = NewType("RepoId", str)
"""A lineage: the id of the oldest first-parent root commit, or a random id kept in the catalog."""
ProjectName = NewType("ProjectName", str)
GroupName = NewType("GroupName", str)
ContentId = NewType("ContentId", bytes)
"""BLAKE2b-256 of a file's raw bytes (32 bytes)."""
Fingerprint = NewType("Fingerprint", str)
"""Hex digest naming a way of computing something; equal digests give equal results."""
VersionId = NewType("VersionId", int)
"""First 63 bits of BLAKE2b(repository, path, content id, pipeline fingerprint); never 0."""
CommitId = NewType("CommitId", str)
"""40 or 64 hex digits."""


# --------------------------------------------------------------------------- what is on disk


class Skip(StrEnum):
    """Why a listed file is not indexed."""

    DELETED = "deleted"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    IGNORED = "ignored_by_paparats"
    SECRET = "secret"  # noqa: S105 - the name of a reason, not a secret
    KEY_MATERIAL = "key_material"
    LOCK = "lock"
    GENERATED = "generated"
    MINIFIED = "minified"
    BINARY = "binary"
    TOO_LARGE = "too_large"
    UNDECODABLE = "undecodable"
    SPECIAL = "special"
    UNREADABLE = "unreadable"
    QUARANTINED = "quarantined"


@dataclass(frozen=True, slots=True)
class Stat:
    """What the file system says of a file; equal values are a hint that content is equal."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Head:
    """Where a checkout stands: branch is None when detached or not git, commit when unborn."""

    branch: str | None = None
    commit: CommitId | None = None


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """One file that is listed but not indexed, and why."""

    path: str
    reason: Skip
    detail: str = ""


@dataclass(frozen=True, slots=True)
class TreeListing:
    """The files of one project as they are on disk now.

    `files` and `skipped` are disjoint. `directories` holds each directory (relative, "" is the
    root) that contains or may contain files to index: what a watcher has to watch.
    """

    files: Mapping[str, Stat]
    skipped: tuple[SkippedFile, ...]
    directories: frozenset[str]


@dataclass(frozen=True, slots=True)
class ChangeBatch:
    """Paths that may have changed; with `doubt` set nothing is known and a rescan is due.

    A path may name a directory (everything below it may have changed) or be gone already.
    `head` is set when git's own files moved (HEAD, refs, index).
    """

    paths: frozenset[str] = frozenset()
    doubt: str | None = None
    head: bool = False


# --------------------------------------------------------------------------- text -> chunks


@dataclass(frozen=True, slots=True)
class Chunk:
    """A contiguous piece of one file version; the unit of a hit.

    `kind` is one of function, method, class, interface, struct, enum, trait, module, type,
    constant, variable, property, field, macro, impl, test, route, resource, section, cell, key,
    block (code outside any symbol), window (overlapping window of plain text).
    `name` is the qualified name of the symbol the chunk shows, else None.
    `fragment` is the part of the chunk's address after `#`, percent-encoded, unique in the file.
    """

    ordinal: int
    start_line: int
    end_line: int
    kind: str
    name: str | None
    fragment: str
    text: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition. `parent` is the index of the enclosing symbol in the file's list, or -1.

    `lead_line` is where the comments and decorators above it begin; 0 when nobody looked.
    """

    name: str
    qualified: str
    kind: str
    start_line: int
    end_line: int
    signature: str
    doc: str
    parent: int
    chunk: int
    container: bool
    exported: bool = True
    lead_line: int = 0


class Use(NamedTuple):
    """A use of a name: kind is call, construct, type, inherit, import, decorator, reference, value.

    `value` is a name that is passed on or stored, as in `on_click=save`. `receiver` is the text
    before the last dot of a member use ("self", "db.session"), or "". Of imports, `target` is the
    module or path named by the statement, `alias` the local name when it is another one than
    `name`, and `receiver` says what is bound: "*" the module itself, "default" its default export,
    "" the member called `name`. "*" as `name` or `alias`: all names of it are bound; "_" as
    `alias`: none is.

    A bare tuple, because there are a hundred in a file.
    """

    name: str
    kind: str
    line: int
    receiver: str = ""
    target: str = ""
    alias: str = ""


class Fact(NamedTuple):
    """What a file says about names beyond defining and using them; the symbol graph reads these.

    `scope` is the index of the symbol around it in the file's list, or -1: never a variable.

    bind: `name` is a parameter, variable or field; `type` its type as written, `value` what it is
        bound to, reduced by `chunks.expressions` ("Client().session"); both may be "". A field that
        a method sets is called "self.NAME".
    returns: the symbol `scope` returns `type`, as declared. yields: it returns `value`.
    package: the file belongs to the package or namespace `name`.
    opens: all files of the project see what is in the package or namespace `name`.
    export: under `name` the module gives away its local `value`, or, with `type`, what the module
        `type` calls `value`; "*" for both: all of that module.
    route: "METHOD /path" is answered by `value`, or by the symbol `scope` when that is "".
    request: "METHOD /path" is asked for here, of the host `type` when one is written out.
    provides: the folder of this manifest is the package `name` of the ecosystem `type`.
    depends: it needs the package `name` of the ecosystem `type`.
    maps: imports of `name` ("@/*") mean `value` ("src/*"), seen from the manifest's folder.
    extends: this file of settings takes over those of the file `name`, seen from its folder.
    """

    kind: str
    name: str
    line: int
    scope: int = -1
    type: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class DocumentHead:
    """What a document says of itself.

    `link` is an http(s) address or "". `modified` is the epoch second of the date written in it.
    `audience` is the label written in it, or "" when it names none; a label that is none counts as
    "internal" and stands in `refused`, shortened.
    """

    title: str
    link: str = ""
    modified: float | None = None
    audience: str = ""
    refused: str = ""


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """Everything the chunker knows of one text.

    `comments` holds (start_line, end_line, text) of comments and doc strings, for ranking.
    `degraded` says why structure was not used although the language has a grammar, else "".
    `document` is set when the file is something to read, and not only code or data.
    """

    language: str
    chunks: tuple[Chunk, ...]
    symbols: tuple[Symbol, ...]
    uses: tuple[Use, ...]
    comments: tuple[tuple[int, int, str], ...] = ()
    lines: int = 0
    degraded: str = ""
    facts: tuple[Fact, ...] = ()
    document: DocumentHead | None = None

    def __hash__(self) -> int:
        """Tell files apart as well as their values would, without a look at each of them."""
        sizes = map(len, (self.chunks, self.symbols, self.uses, self.comments, self.facts))
        return hash((self.language, self.lines, *sizes))


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Parallel arrays: term ids (uint32, ascending, unique) and values (float32)."""

    ids: NDArray[np.uint32]
    values: NDArray[np.float32]


# --------------------------------------------------------------------------- embedding and store


@dataclass(frozen=True, slots=True)
class EmbedderSpec:
    """Names one way of turning texts into vectors; a different fingerprint never mixes."""

    provider: str
    model: str
    dimension: int
    query_template: str = "{text}"
    document_template: str = "{text}"
    text_version: int = 1
    fingerprint: Fingerprint = Fingerprint("")


@dataclass(frozen=True, slots=True)
class ShardKey:
    """One set of vector points: a repository's points of one kind under one fingerprint."""

    repo: RepoId
    kind: str
    fingerprint: Fingerprint
    dimension: int


@dataclass(frozen=True, slots=True)
class PointBatch:
    """Points of one shard, one per chunk. All sequences are parallel.

    `dense` is float32 [n, dimension], or None to write (or keep) only the lexical vector.
    A point's id is a function of (version, ordinal), so that a repeat is a no-op.
    """

    versions: tuple[VersionId, ...]
    ordinals: tuple[int, ...]
    kinds: tuple[str, ...]
    languages: tuple[str, ...]
    sparse: tuple[SparseVector, ...]
    dense: NDArray[np.float32] | None


@dataclass(frozen=True, slots=True)
class VersionFilter:
    """Restrict recall to `versions` (include=True) or to all but `versions` (include=False)."""

    include: bool
    versions: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """One question to one shard. Legs without a vector are left out."""

    shard: ShardKey
    filter: VersionFilter
    dense: NDArray[np.float32] | None
    sparse: SparseVector | None
    limit: int
    kinds: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Recalled:
    """Candidates of one leg, best first, parallel arrays."""

    versions: NDArray[np.int64]
    ordinals: NDArray[np.int32]
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class RecallReply:
    """The answer to one `RecallRequest`."""

    dense: Recalled | None
    lexical: Recalled | None


# --------------------------------------------------------------------------- projects and status


class ProjectState(StrEnum):
    """`ready` means lexical and dense both equal the view."""

    INDEXING = "indexing"
    READY = "ready"
    DEGRADED = "degraded"
    MISSING = "missing"
    PAUSED = "paused"
    ERROR = "error"


class FreshnessState(StrEnum):
    """How sure we are that the index equals the disk."""

    VERIFIED = "verified"
    CURRENT = "current"
    STALE = "stale"


class Depth(StrEnum):
    """How much a reindex looks at."""

    CHANGED = "changed"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Freshness:
    """What an answer reflects of one project; `checked_at` is the epoch second of a full check."""

    project: ProjectName
    generation: int
    head: CommitId | None
    state: FreshnessState
    reason: str = ""
    pending: int = 0
    checked_at: float | None = None
    branch: str | None = None


@dataclass(frozen=True, slots=True)
class RemoteSpec:
    """A repository elsewhere that a project follows, as written in projects.yml.

    At most one of `branch` and `ref` (a tag or a commit) is set; neither: the remote's default
    branch. `depth` 0 is the whole history. `cron` and `cron_fast` "" are those of the settings.
    """

    url: str
    branch: str = ""
    ref: str = ""
    depth: int = 0
    cron: str = ""
    cron_fast: str = ""


@dataclass(frozen=True, slots=True)
class ProjectEntry:
    """One registered project, as written in projects.yml.

    `overrides` has the shape of .paparats.yml and wins over it; `exclude` is its exclude_extra.
    `worktree_of` names the project beside which git added this work tree, if it was taken in
    without being asked: it goes when git removes it.
    """

    name: ProjectName
    path: str
    group: GroupName
    hooks: bool = True
    exclude: tuple[str, ...] = ()
    overrides: Mapping[str, Any] = field(default_factory=dict, hash=False)
    worktree_of: ProjectName | None = None
    remote: RemoteSpec | None = None
    """What the project follows, if it is a clone of ours: `path` is where that is."""
    pushed: bool = False
    """Whether the files come from programs: `path` is where we keep them."""

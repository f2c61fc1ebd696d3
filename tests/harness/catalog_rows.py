"""Short ways to make what goes into a catalog."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.model import (
    Chunk,
    ContentId,
    DocumentHead,
    Fact,
    Fingerprint,
    GroupName,
    ProjectEntry,
    ProjectName,
    RepoId,
    ShardKey,
    Stat,
    Symbol,
    Use,
)
from paparatsd.store.ids import version_id
from paparatsd.store.rows import TermDelta, VersionRow, ViewEntry

if TYPE_CHECKING:
    from paparatsd.store.catalog import Catalog

PIPELINE = Fingerprint("pipeline")


def version_row(repo: RepoId, path: str, text: str) -> VersionRow:
    """Make a version with one chunk, one function `make_<word>` and one use for each word.

    With a path of Markdown it is a document of that title.
    """
    words = text.split()
    prose = path.endswith(".md")
    content = ContentId(blake2b(text.encode(), digest_size=32).digest())
    symbols = tuple(
        Symbol(f"make_{w}", f"m.make_{w}", "function", n, n, f"def make_{w}()", "", -1, 0, False)
        for n, w in enumerate(words, 1)
    )
    return VersionRow(
        id=version_id(repo, path, content, PIPELINE),
        repo=repo,
        path=path,
        content=content,
        fingerprint=PIPELINE,
        language="python" if path.endswith(".py") else "markdown" if prose else "text",
        size=len(text),
        lines=len(words),
        chunks=(Chunk(0, 1, max(1, len(words)), "block", None, "~0", text),),
        symbols=symbols,
        uses=tuple(Use(word, "call", n, "self") for n, word in enumerate(words, 1)),
        record=b"record:" + text.encode(),
        facts=(
            Fact("package", text, 1),
            *(Fact("bind", word, n, 0) for n, word in enumerate(words, 1)),
        ),
        document=DocumentHead(text, "https://example.org/a", 5.5, "all") if prose else None,
    )


def entry(row: VersionRow, mtime_ns: int = 1) -> ViewEntry:
    """Show a version."""
    return ViewEntry(row.id, Stat(row.size, mtime_ns, mtime_ns, 7))


def delta(counts: dict[int, int], chunks: int = 0) -> TermDelta:
    """Make a delta from a dict."""
    ids = np.array(sorted(counts), np.uint32)
    return TermDelta(ids, np.array([counts[int(i)] for i in ids], np.int32), chunks)


@dataclass(frozen=True)
class Registered:
    """A project in a catalog."""

    id: int
    name: ProjectName
    repo: RepoId
    shard: ShardKey


def register(catalog: Catalog, name: str, lineage: str | None = "r1") -> Registered:
    """Register a project below /projects."""
    root = f"/projects/{name}"
    repo = catalog.ensure_repo(root, None if lineage is None else RepoId(lineage))
    project = ProjectName(name)
    ident = catalog.add_project(ProjectEntry(project, root, GroupName("g")), repo)
    return Registered(ident, project, repo, ShardKey(repo, "code", Fingerprint("embedder"), 4))

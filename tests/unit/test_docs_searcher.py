"""A search of documents from the daemon: what it says when a part of it does not answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from paparatsd.docs_model import (
    DocHit,
    DocsKind,
    Document,
)
from paparatsd.embeddings.embedder import EmbedderRefused
from paparatsd.errors import EmbedderUnavailable, UnknownDocument, VectorStoreUnavailable
from paparatsd.model import (
    Fingerprint,
    Freshness,
    FreshnessState,
    GroupName,
    ProjectName,
    RepoId,
    ShardKey,
)
from paparatsd.search.asked_by import BUILT_IN, AskedBy
from paparatsd.search.cache import QueryCache
from paparatsd.search.docs_asked import (
    DocsAsked,
    DocsFound,
    DocsPlan,
    DocsProject,
    DocsScope,
    DocumentAsked,
)
from paparatsd.search.docs_searcher import NO_MEANING, NO_STORE, DocsSearcher
from paparatsd.search.scope import ProjectScope
from paparatsd.search.searcher import NO_EMBEDDER, Searcher
from paparatsd.supervise import RemoteError

if TYPE_CHECKING:
    from collections.abc import Callable

SHARD = ShardKey(RepoId("r"), "code", Fingerprint("f"), 8)
PLACE = ProjectScope(
    1,
    ProjectName("p"),
    GroupName("g"),
    RepoId("r"),
    SHARD,
    1,
    Freshness(ProjectName("p"), 1, None, FreshnessState.CURRENT),
)
ASKED = DocsAsked("how", DocsScope((DocsProject(PLACE, "internal", "auto"),)), 8)
DOCUMENT = Document(ProjectName("p"), "a.md", "A", "internal", DocsKind.CODE, "markdown", 1)
HIT = DocHit(DOCUMENT, "p:a.md#A", (), 1, 1, 1, 1, "text", 1.0, 1.0)


class Process:
    """Stands for the search process."""

    name = "search"

    def __init__(self, hits: tuple[DocHit, ...] = (HIT,)) -> None:
        self.hits = hits
        self.asked: list[DocsAsked] = []
        self.replies: list[Any] = []

    async def call(self, operation: str, argument: Any, *, timeout_s: float, urgency: int) -> Any:
        del timeout_s, urgency
        if operation == "docs":
            self.asked.append(argument)
            return DocsPlan(7, cast("Any", ("request",)))
        if operation == "docs_rank":
            self.replies.append(argument)
            return DocsFound(self.hits, frozenset(), ("a note",))
        raise RemoteError("UnknownDocument", argument.path)


class Store:
    """Stands for the vector store."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure

    async def recall(self, requests: Any) -> list[Any]:
        if self.failure is not None:
            raise self.failure
        return [f"reply to {one}" for one in requests]


def searcher(
    process: Process, store: Store, embed: Callable[[str], Any] | None = None, **more: Any
) -> DocsSearcher:
    by = BUILT_IN if embed is None else AskedBy(built_in=False, embed_query=embed)
    made = Searcher(
        child=cast("Any", process),
        store=cast("Any", store),
        cache=QueryCache(10),
        asked_by=lambda _: by,
    )
    return DocsSearcher(made, **more)


async def test_what_the_store_replies_is_ranked() -> None:
    process = Process()
    found = await searcher(process, Store()).search(ASKED, 5.0)
    assert (found.hits, found.notes) == ((HIT,), ("a note",))
    assert process.replies == [(7, ["reply to request"])]
    assert process.asked[0].built_in


async def test_an_endpoint_s_vector_goes_with_the_question() -> None:
    async def embed(text: str) -> Any:
        return np.full(3, len(text), np.float32)

    process = Process()
    await searcher(process, Store(), embed).search(ASKED, 5.0)
    assert process.asked[0].vector is not None
    assert not process.asked[0].built_in


async def test_without_the_embedder_words_are_searched_with_a_note() -> None:
    async def embed(text: str) -> Any:
        raise EmbedderUnavailable(text)

    process = Process()
    found = await searcher(process, Store(), embed).search(ASKED, 5.0)
    assert found.notes == (NO_EMBEDDER, "a note")
    assert (process.asked[0].vector, process.asked[0].built_in) == (None, False)


async def test_why_an_embedder_is_of_no_use_until_somebody_mends_it_stands_in_the_note() -> None:
    async def embed(text: str) -> Any:
        raise EmbedderRefused("another model answers")

    found = await searcher(Process(), Store(), embed).search(ASKED, 5.0)
    assert found.notes == (
        "Found by words only, not by meaning: another model answers.",
        "a note",
    )


async def test_search_by_words_alone_says_so() -> None:
    found = await searcher(Process(), Store(), meaning=False).search(ASKED, 5.0)
    assert found.notes == (NO_MEANING, "a note")


async def test_without_the_store_names_must_do_and_nothing_at_all_is_an_error() -> None:
    failing = Store(VectorStoreUnavailable("gone"))
    found = await searcher(Process(), failing).search(ASKED, 5.0)
    assert found.notes == (NO_STORE, "a note")
    with pytest.raises(VectorStoreUnavailable, match="gone"):
        await searcher(Process(()), failing).search(ASKED, 5.0)


async def test_a_document_that_is_not_there_is_our_own_error() -> None:
    with pytest.raises(UnknownDocument):
        await searcher(Process(), Store()).document(DocumentAsked(DocsScope(()), "x.md", 0, 9), 5.0)

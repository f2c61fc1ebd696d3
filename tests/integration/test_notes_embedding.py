"""Notes with the built-in model, which the search process applies."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

import numpy as np
import pytest

from paparatsd.clock import SystemClock
from paparatsd.embeddings.embedder import Embedded
from paparatsd.embeddings.static import StaticModel
from paparatsd.errors import BadReply
from paparatsd.knowledge.embedding import EndpointEmbedder
from paparatsd.knowledge.glossary import Glossary
from paparatsd.knowledge.notes import Notes
from paparatsd.knowledge_model import Outcome, TermDraft
from paparatsd.model import GroupName
from paparatsd.search.embedding import SearchEmbedder
from paparatsd.store.notes import Note, NotesFile
from paparatsd.supervise import Child
from tests.harness.fake_embedder import text_vector

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from paparatsd.embeddings.embedder import Embedder
    from paparatsd.model import EmbedderSpec


@pytest.fixture(scope="module")
def model() -> StaticModel:
    return StaticModel.load()


@contextlib.asynccontextmanager
async def search_process(directory: Path) -> AsyncIterator[Child]:
    child = Child("search", "paparatsd.search.child", (str(directory / "none.sqlite3"),))
    try:
        yield child
    finally:
        await child.stop()


async def test_the_search_process_embeds_as_the_model_does(
    tmp_path: Path, model: StaticModel
) -> None:
    texts = ["on-call rota", "", "多语言", "x" * 4_000]
    async with search_process(tmp_path) as child:
        embedder = SearchEmbedder(child, model.spec.fingerprint)
        assert np.array_equal(await embedder.documents(texts), model.encode(texts))
        query = await embedder.query("who answers at night")
        assert np.array_equal(query, model.encode_queries(["who answers at night"])[0])
        child.kill()
        assert len(await embedder.documents(texts)) == 4, "a new process answers"
        with pytest.raises(BadReply, match="another embedding model"):
            await SearchEmbedder(child, "other").query("x")


async def test_a_term_is_found_by_meaning_and_its_repetition_is_caught(
    tmp_path: Path, model: StaticModel
) -> None:
    path = tmp_path / "notes.sqlite3"
    async with search_process(tmp_path) as child:
        embedder = SearchEmbedder(child, model.spec.fingerprint)
        notes = Notes(path, SystemClock(), embedder, dimension=model.spec.dimension)
        await notes.start()
        glossary = Glossary(notes, notes._clock)
        group = GroupName("shop")
        definition = "The list of people who answer when a service breaks at night."
        for term, meaning in (
            ("on-call rota", definition),
            ("ledger", "The book in which every payment is written down."),
            ("basket", "What a customer has chosen and not paid for yet."),
        ):
            recorded = await glossary.record(TermDraft(group, term, meaning))
            assert recorded.outcome is Outcome.CREATED
        again = await glossary.record(TermDraft(group, "rota, on call", definition))
        assert again.outcome is Outcome.DUPLICATE
        found = await glossary.search(
            "people who answer when the service breaks", [group], lambda _: True, 3, 0.2
        )
        assert found.hits[0].term.term == "on-call rota"
        assert found.notes == ()
        await notes.stop()
    with contextlib.closing(NotesFile.open(path)) as file:
        assert len(file.vectors(model.spec.fingerprint)) == 3


class Endpoint:
    """Stands for an endpoint with its cache; refuses texts about secrets."""

    def __init__(self, spec: EmbedderSpec) -> None:
        self.spec = spec

    async def embed_documents(self, texts: Sequence[str]) -> object:
        failed = tuple(at for at, text in enumerate(texts) if "secret" in text)
        rows = np.stack([text_vector(text, 8) for text in texts])
        rows[list(failed)] = 0
        return Embedded(rows, failed)

    async def embed_query(self, text: str) -> object:
        return text_vector(f"query: {text}", 8)


async def test_an_endpoint_embeds_notes_and_what_it_refuses_has_no_vector(
    model: StaticModel,
) -> None:
    endpoint: Embedder = Endpoint(model.spec)  # type: ignore[assignment]
    embedder = EndpointEmbedder(endpoint)
    assert embedder.fingerprint == model.spec.fingerprint
    good, refused = await embedder.documents(["a", "secret"])
    assert good is not None
    assert np.array_equal(good, text_vector("a", 8))
    assert refused is None
    assert np.array_equal(await embedder.query("a"), text_vector("query: a", 8))


class Slow:
    """An endpoint of vectors of 8 that answers when it is let."""

    def __init__(self, word: str) -> None:
        self.fingerprint = word
        self.gate = asyncio.Event()
        self.asked = asyncio.Event()

    async def documents(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        self.asked.set()
        await self.gate.wait()
        return [text_vector(f"{self.fingerprint} {text}", 8) for text in texts]

    async def query(self, text: str) -> NDArray[np.float32]:
        return (await self.documents([text]))[0]


async def test_vectors_that_come_after_another_embedder_is_in_use_are_not_kept(
    tmp_path: Path,
) -> None:
    old, new = Slow("old"), Slow("new")
    new.gate.set()
    notes = Notes(tmp_path / "notes.sqlite3", SystemClock(), old, dimension=8)
    await notes.start()
    note = Note("1", "term", "g", None, "rota", "", 1.0, 1.0, {}, "rota: who is on call")
    writing = asyncio.create_task(notes.write([note]))
    await old.asked.wait()
    await notes.use(new, dimension=8)
    old.gate.set()
    await writing
    with contextlib.closing(NotesFile.open(tmp_path / "notes.sqlite3")) as file:
        assert not file.vectors("old", "g")
        assert not file.vectors("new", "g"), "a vector of the old one under the name of the new one"
    await notes.refill()
    with contextlib.closing(NotesFile.open(tmp_path / "notes.sqlite3")) as file:
        [vector] = file.vectors("new", "g").values()
    assert np.array_equal(vector, text_vector(f"new {note.text}", 8))
    assert notes.fingerprint == "new"
    await notes.stop()

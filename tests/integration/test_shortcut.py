"""Searches that ask the embedded store over the link, and what is left when they cannot."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from paparatsd.embeddings.static import StaticModel
from paparatsd.errors import VectorStoreUnavailable
from paparatsd.search.cache import QueryCache
from paparatsd.search.options import ChildOptions
from paparatsd.search.searcher import NO_STORE, Searcher
from paparatsd.search_model import SearchRequest
from paparatsd.store.recall_link import RecallServer, make_link
from paparatsd.supervise import Child
from tests.integration.search_world import World

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence
    from pathlib import Path

    from paparatsd.model import RecallReply, RecallRequest

    Recall = Callable[[Sequence[RecallRequest]], list[RecallReply] | None]

FILES = {
    "pay.py": "def charge_card(amount):\n    '''Charge a credit card.'''\n    return amount\n",
    "auth.py": "class Session:\n    def refresh_token(self):\n        return 1\n",
}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path, StaticModel.load())
    made.index("shop", FILES)
    yield made
    made.catalog.close()


@asynccontextmanager
async def linked(
    world: World, recall: Recall | None, linked: bool = True
) -> AsyncIterator[tuple[Searcher, Child]]:
    """Give a searcher whose search process has a link that `recall` serves; None: nobody does."""
    own, theirs = make_link()
    options = ChildOptions(link=theirs.fileno()).to_argument()
    child = Child(
        "search",
        "paparatsd.search.child",
        (str(world.path), options),
        inherit=(theirs.fileno(),),
    )
    loop = asyncio.get_running_loop()
    if recall is not None:
        loop.add_reader(own, RecallServer(own, recall).take)
    try:
        yield (
            Searcher(
                child=child,
                store=world.store,  # type: ignore[arg-type]
                cache=QueryCache(0),
                linked=lambda: linked,
            ),
            child,
        )
    finally:
        loop.remove_reader(own)
        await child.stop()
        own.close()
        theirs.close()


class Counted:
    """Serves the link and notes what it is asked for: by meaning, by words, or by both."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.asked: list[str] = []

    def __call__(self, requests: Sequence[RecallRequest]) -> list[RecallReply]:
        (request,) = requests
        legs = {"meaning": request.dense, "words": request.sparse}
        self.asked.append(" and ".join(name for name, leg in legs.items() if leg is not None))
        return self._world.store.answer(requests)


async def test_answer_over_the_link_is_the_one_that_the_daemon_would_get(world: World) -> None:
    served = Counted(world)
    async with linked(world, served) as (direct, _):
        answer = await direct.search(SearchRequest("charge a credit card"), world.scope())
    assert served.asked == ["meaning", "words"]
    async with linked(world, served, linked=False) as (around, _):
        same = await around.search(SearchRequest("charge a credit card"), world.scope())
    assert len(served.asked) == 2
    assert answer.hits == same.hits
    assert answer.total_candidates == same.total_candidates
    assert answer.hits[0].path == "pay.py"


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("charge_card", ["words"]),
        # Begun before it is read, then of no use.
        ("who calls charge_card", ["meaning", "words"]),
        ("zebra walrus", ["meaning"]),
        # In English: what was begun in another language is of no use either.
        ("проверка токена", ["meaning", "meaning and words"]),
    ],
)
async def test_store_is_asked_for_no_more_than_a_question_needs(
    world: World, question: str, asked: list[str]
) -> None:
    served = Counted(world)
    async with linked(world, served) as (direct, _):
        answer = await direct.search(SearchRequest(question), world.scope())
    async with linked(world, served, linked=False) as (around, _):
        same = await around.search(SearchRequest(question), world.scope())
    assert served.asked == asked
    assert (answer.hits, answer.notes) == (same.hits, same.notes)


async def test_half_an_answer_over_the_link_has_the_daemon_ask(world: World) -> None:
    def only_meaning(requests: Sequence[RecallRequest]) -> list[RecallReply] | None:
        return None if requests[0].dense is None else world.store.answer(requests)

    async with linked(world, only_meaning) as (direct, _):
        answer = await direct.search(SearchRequest("charge a credit card"), world.scope())
    assert answer.hits[0].path == "pay.py"
    last = world.store.requests[-1]
    assert last.dense is not None
    assert last.sparse is not None


async def test_search_process_that_was_killed_uses_the_link_again(world: World) -> None:
    served = Counted(world)
    async with linked(world, served) as (direct, child):
        await direct.search(SearchRequest("charge a credit card"), world.scope())
        child.kill()
        answer = await direct.search(SearchRequest("refresh the token"), world.scope())
    assert len(served.asked) == 4
    assert answer.hits[0].path == "auth.py"


async def test_store_that_does_not_answer_the_link_is_asked_by_the_daemon(world: World) -> None:
    async with linked(world, None) as (direct, _):
        answer = await direct.search(SearchRequest("charge a credit card"), world.scope())
    assert answer.hits[0].path == "pay.py"
    assert len(world.store.requests) == 1
    assert not answer.notes


async def test_store_that_fails_over_the_link_tells_the_daemon_why(world: World) -> None:
    world.store.failure = VectorStoreUnavailable("the disk is on fire")
    async with linked(world, lambda _: None) as (direct, _):
        answer = await direct.search(SearchRequest("Session"), world.scope())
        assert NO_STORE in answer.notes
        with pytest.raises(VectorStoreUnavailable, match="on fire"):
            await direct.search(SearchRequest("zebra walrus"), world.scope())


async def test_many_searches_at_once_over_the_link_get_their_own_answers(world: World) -> None:
    wanted = {"charge a credit card": "pay.py", "refresh the token": "auth.py"}
    async with linked(world, Counted(world)) as (direct, _):
        questions = [*wanted] * 20
        answers = await asyncio.gather(
            *(direct.search(SearchRequest(one, limit=1), world.scope()) for one in questions)
        )
    assert [answer.hits[0].path for answer in answers] == [wanted[one] for one in questions]

"""Search over a real catalog, from the question to the hits, in-process and through the child."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from paparatsd.embeddings.static import StaticModel
from paparatsd.errors import (
    BadQuery,
    Busy,
    ChildDied,
    EmbedderUnavailable,
    UnknownAddress,
    UnknownProject,
    VectorStoreUnavailable,
)
from paparatsd.model import VersionId
from paparatsd.search.asked_by import AskedBy
from paparatsd.search.cache import QueryCache
from paparatsd.search.catalog import CatalogSource
from paparatsd.search.engine import MAX_PINNED, Engine
from paparatsd.search.options import ChildOptions
from paparatsd.search.scope import Scope
from paparatsd.search.searcher import MAX_RUNNING, NO_EMBEDDER, NO_STORE, Searcher
from paparatsd.search_model import Confidence, SearchRequest
from paparatsd.store.reader import CatalogReader
from paparatsd.supervise import Child
from tests.integration.search_world import ExactStore, World

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.model import RecallReply, RecallRequest
    from paparatsd.search.frames import Ranked

SHOP = {
    "src/payment/gateway.py": '''
"""Talks to the payment provider."""


class PaymentGateway:
    """Charges cards and refunds them."""

    def charge_card(self, card, amount):
        """Charge a credit card once, retrying when the provider is slow."""
        return self.client.post("/charge", card=card, amount=amount)

    def refund(self, charge):
        return self.client.post("/refund", charge=charge)
''',
    "src/auth/session.py": '''
class SessionStore:
    """Keeps the sessions of signed-in users."""

    def refresh_token(self, session):
        """Issue a new token before the old one expires."""
        session.token = make_token()
        return session
''',
    "src/limits.go": """
package limits

// RateLimiter allows a number of requests per second.
type RateLimiter struct { tokens int }

// Allow takes one token from the bucket.
func (r *RateLimiter) Allow() bool { r.tokens--; return r.tokens >= 0 }
""",
    "tests/test_gateway.py": """
from payment.gateway import PaymentGateway


def test_charge_card_retries():
    assert PaymentGateway().charge_card("card", 5)
""",
    "docs/payment.md": "# Payment\n\nHow to charge a credit card with the gateway.\n",
}


@pytest.fixture(scope="module")
def model() -> StaticModel:
    return StaticModel.load()


@pytest.fixture
def world(tmp_path: Path, model: StaticModel) -> Iterator[World]:
    made = World(tmp_path, model)
    made.index("shop", SHOP)
    yield made
    made.catalog.close()


@pytest.fixture
def engine(world: World) -> Engine:
    return Engine(CatalogSource(CatalogReader(world.path)), world.model)


def ask(
    world: World, engine: Engine, query: str, scope: Scope | None = None, **more: object
) -> Ranked:
    request = SearchRequest(query, **{"limit": 5, **more})  # type: ignore[arg-type]
    plan = engine.plan(request, scope or world.scope(), None)
    return engine.rank(plan.token, world.store.answer(plan.requests))


def paths(ranked: Ranked) -> list[str]:
    return [hit.path for hit in ranked.hits]


# ---------------------------------------------------------------- the order


def test_plain_question_finds_the_source_before_its_test_and_its_docs(
    world: World, engine: Engine
) -> None:
    found = paths(ask(world, engine, "charge a credit card"))
    assert found[0] == "src/payment/gateway.py"
    assert set(found) >= {"tests/test_gateway.py", "docs/payment.md"}


def test_question_for_the_test_puts_the_test_first(world: World, engine: Engine) -> None:
    assert paths(ask(world, engine, "tests of charge card retries"))[0] == "tests/test_gateway.py"


def test_identifier_finds_the_chunk_that_defines_it(world: World, engine: Engine) -> None:
    hit = ask(world, engine, "RateLimiter").hits[0]
    assert hit.path == "src/limits.go"
    assert "type RateLimiter" in hit.text
    assert "RateLimiter" in hit.defines
    assert hit.confidence is Confidence.HIGH


def test_words_written_together_in_code_are_found_when_asked_apart(
    world: World, engine: Engine
) -> None:
    assert paths(ask(world, engine, "refresh token of a session"))[0] == "src/auth/session.py"


def test_question_about_something_else_is_answered_with_low_confidence(
    world: World, engine: Engine
) -> None:
    ranked = ask(world, engine, "kubernetes helm chart ingress bucket annotations")
    assert ranked.hits
    assert all(hit.confidence is Confidence.LOW for hit in ranked.hits)
    assert any("Low confidence" in note for note in ranked.notes)


@pytest.mark.parametrize("query", ["xyzzyplughqwe", "xyzzy plughqwe frobnitz"])
def test_question_of_which_nothing_is_known_has_no_hits(
    world: World, engine: Engine, query: str
) -> None:
    assert ask(world, engine, query).hits == ()


def test_files_without_a_word_of_the_question_are_shown_only_for_their_meaning(
    world: World, engine: Engine
) -> None:
    hits = ask(world, engine, "RateLimiter", limit=20).hits
    assert [hit.path for hit in hits] == ["src/limits.go"]


SESSIONS = {
    "app/context.py": """
class Context:
    @property
    def session(self):
        \"\"\"The session of this session's request: the session to use as session.\"\"\"
        return self.open_session(self.session_key)
""",
    "app/sessions.py": """
class SessionInterface:
    \"\"\"How sessions are opened and saved.\"\"\"

    def open(self, app):
        return None


class SecureSession(SessionInterface):
    \"\"\"A session in a signed cookie.\"\"\"
""",
    "app/json/__init__.py": "def dumps(value):\n    return str(value)\n",
    "tests/test_json.py": "def test_json():\n    assert json(1)\n",
}


def test_plain_word_finds_the_file_about_it_before_a_method_of_that_name(
    world: World, engine: Engine
) -> None:
    world.index("web", SESSIONS)
    hits = ask(world, engine, "session", world.scope("web")).hits
    assert hits[0].path == "app/sessions.py"
    assert hits[0].kind == "class"


def test_file_that_stands_for_its_folder_is_found_by_the_folders_name(
    world: World, engine: Engine
) -> None:
    world.index("web", SESSIONS)
    assert paths(ask(world, engine, "json", world.scope("web")))[0] == "app/json/__init__.py"


UTILS = """'use strict'

/**
 * Make an ETag generator with the given options.
 * Strong or weak, as the caller says.
 */
function createETagGenerator (options) {
  return function generateETag (body, encoding) {
    var buf = !Buffer.isBuffer(body) ? Buffer.from(body, encoding) : body
    return etag(buf, options)
  }
}

/**
 * Parse an extended query string with qs.
 * The names of the result may be anything.
 */
function parseExtendedQueryString (str) {
  return qs.parse(str, {
    allowPrototypes: true
  })
}

exports.one = 1
exports.two = 2
"""


def test_hit_shows_the_definition_that_matches_and_not_its_neighbours(
    world: World, engine: Engine
) -> None:
    world.index("web", {"lib/utils.js": UTILS})
    hit = ask(world, engine, "parse query string", world.scope("web")).hits[0]
    assert (hit.kind, hit.symbol) == ("function", "parseExtendedQueryString")
    assert hit.address == "web:lib/utils.js#parseExtendedQueryString"
    assert hit.text.startswith("/**\n * Parse an extended query string with qs.")
    assert hit.text.endswith("}")
    assert hit.text == "\n".join(UTILS.split("\n")[hit.start_line - 1 : hit.end_line])
    assert hit.defines == ("parseExtendedQueryString",)
    assert engine.show(hit.address, 0, world.scope()).target.text == hit.text


def test_radius_around_a_symbol_shows_the_whole_chunk(world: World, engine: Engine) -> None:
    world.index("web", {"lib/utils.js": UTILS})
    view = engine.show("web:lib/utils.js#parseExtendedQueryString", 5, world.scope())
    assert view.target.symbol == "parseExtendedQueryString"
    assert "createETagGenerator" in view.target.text


@pytest.mark.parametrize(
    ("fragment", "symbol"),
    [
        ("PaymentGateway.refund", "PaymentGateway.refund"),
        ("refund", "PaymentGateway.refund"),
        ("PaymentGateway", "PaymentGateway"),
    ],
)
def test_any_symbol_of_a_file_has_an_address(
    world: World, engine: Engine, fragment: str, symbol: str
) -> None:
    target = engine.show(f"shop:src/payment/gateway.py#{fragment}", 0, world.scope()).target
    assert target.symbol == symbol
    assert target.address == f"shop:src/payment/gateway.py#{symbol}"


def test_short_name_of_several_symbols_lists_them(world: World, engine: Engine) -> None:
    text = "class A:\n    def run(self): pass\n\n\nclass B:\n    def run(self): pass\n"
    world.index("web", {"jobs.py": text})
    with pytest.raises(UnknownAddress, match=r"A\.run, B\.run"):
        engine.show("web:jobs.py#run", 0, world.scope())


def test_same_question_gives_the_same_answer_twice(world: World, engine: Engine) -> None:
    assert ask(world, engine, "charge card").hits == ask(world, engine, "charge card").hits


def test_scores_fall_and_stay_between_zero_and_one(world: World, engine: Engine) -> None:
    scores = [hit.score for hit in ask(world, engine, "charge a credit card").hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_shares_of_the_features_explain_the_order(world: World, engine: Engine) -> None:
    first, second = ask(world, engine, "charge a credit card", explain=True).hits[:2]
    assert set(first.values) == set(first.signals)
    assert sum(first.signals.values()) >= sum(second.signals.values())
    assert first.signals["bm25f_rel"] > 0


def test_the_shown_score_is_the_product_of_its_grounds(world: World, engine: Engine) -> None:
    for query in ("charge a credit card", "RateLimiter", "quantum chromodynamics of gluons"):
        for hit in ask(world, engine, query, explain=True).hits:
            product = hit.grounds["answerable"] * hit.grounds["this_one"]
            assert hit.score == pytest.approx(product, abs=2e-4)


def test_reasons_cost_nothing_unless_asked_for(world: World, engine: Engine) -> None:
    plain = ask(world, engine, "PaymentGateway").hits[0]
    assert (plain.signals, plain.values, plain.grounds, plain.related) == ({}, {}, {}, None)


def test_no_two_hits_show_the_same_lines(world: World, engine: Engine) -> None:
    hits = ask(world, engine, "card token session limiter", limit=20).hits
    spans = [(hit.path, hit.start_line) for hit in hits]
    assert len(spans) == len(set(spans))


@pytest.mark.parametrize("query", ["???", "日本語", "\ud800", "a" * 5000, "___ ::"])
def test_odd_questions_are_answered(world: World, engine: Engine, query: str) -> None:
    ask(world, engine, query)


# ---------------------------------------------------------------- filters


def test_filters_reach_the_store_as_versions_and_kinds(world: World, engine: Engine) -> None:
    request = SearchRequest("charge card", paths=("src/",), kinds=("method",))
    plan = engine.plan(request, world.scope(), None)
    chosen = plan.requests[0]
    assert chosen.kinds == {"method"}
    assert len(chosen.filter.versions) == 2  # the test and the page are shut out


def test_nothing_to_shut_out_means_no_filter(world: World, engine: Engine) -> None:
    chosen = engine.plan(SearchRequest("card"), world.scope(), None).requests[0].filter
    assert not chosen.include
    assert len(chosen.versions) == 0


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (("src/",), {"src/payment/gateway.py", "src/auth/session.py", "src/limits.go"}),
        (("*.go",), {"src/limits.go"}),
        (("src/**/*.py",), {"src/payment/gateway.py", "src/auth/session.py"}),
        (("!tests/", "!docs/", "!*.go"), {"src/payment/gateway.py", "src/auth/session.py"}),
    ],
)
def test_path_patterns_restrict_what_is_found(
    world: World, engine: Engine, patterns: tuple[str, ...], expected: set[str]
) -> None:
    query = "charge card gateway session token limiter"
    found = set(paths(ask(world, engine, query, paths=patterns, limit=20)))
    assert found == expected


def test_languages_are_known_by_the_names_people_use(world: World, engine: Engine) -> None:
    assert set(paths(ask(world, engine, "charge card limiter", languages=("golang",)))) == {
        "src/limits.go"
    }


def test_kind_filter_shows_only_chunks_of_that_kind(world: World, engine: Engine) -> None:
    hits = ask(world, engine, "charge card payment", kinds=("section",)).hits
    assert hits
    assert {hit.kind for hit in hits} == {"section"}


def test_kind_filter_bears_an_empty_file_that_is_named_like_the_question(
    world: World, engine: Engine
) -> None:
    world.index("shop", {**SHOP, "src/charge/__init__.py": ""})

    hits = ask(world, engine, "charge card payment", kinds=("section",)).hits

    assert {hit.kind for hit in hits} == {"section"}


def only(world: World, chosen: dict[str, set[int]]) -> Scope:
    """Return the scope in which these chunks may be found, by path, and nothing else."""
    [project] = world.scope().projects
    versions = versions_of(world)
    allowed = {int(versions[path]): frozenset(numbers) for path, numbers in chosen.items()}
    return Scope((replace(project, only=allowed),))


def versions_of(world: World) -> dict[str, VersionId]:
    [project] = world.scope().projects
    listed, versions = world.catalog.read.view_versions(project.project_id)
    return dict(zip(listed, map(VersionId, versions.tolist()), strict=True))


def test_a_limited_scope_finds_only_the_chunks_it_names(world: World, engine: Engine) -> None:
    body = "".join(f"    charge_card_{n} = payment + {n}\n" for n in range(60))
    world.index("shop", {"many.py": f"def charge_card():\n{body}\n\ndef refund():\n{body}"})
    question = "charge card payment"
    every = paths(ask(world, engine, question, limit=20))
    chunks = world.catalog.read.chunks_of(versions_of(world)["many.py"])
    last = chunks[-1]

    found = ask(world, engine, question, only(world, {"many.py": {last.ordinal}}), limit=20)

    assert len(chunks) > 1
    assert [(hit.path, hit.symbol, hit.end_line) for hit in found.hits] == [
        ("many.py", "refund", last.end_line)
    ]
    assert ask(world, engine, question, only(world, {})).hits == ()
    assert paths(ask(world, engine, question, limit=20)) == every


def test_filter_that_allows_nothing_asks_no_shard(world: World, engine: Engine) -> None:
    plan = engine.plan(SearchRequest("card", languages=("cobol",)), world.scope(), None)
    assert plan.requests == ()
    assert engine.rank(plan.token, []).hits == ()


# ---------------------------------------------------------------- views and generations


def test_edit_is_found_and_the_old_text_is_not(world: World, engine: Engine) -> None:
    ask(world, engine, "zebra crossing")
    world.index("shop", {**SHOP, "src/limits.go": "package limits\n\n// Zebra crossing guard.\n"})
    hits = ask(world, engine, "zebra crossing").hits
    assert hits[0].path == "src/limits.go"
    assert "Zebra" in hits[0].text
    assert all("RateLimiter" not in hit.text for hit in ask(world, engine, "RateLimiter").hits)


def test_search_under_way_keeps_the_view_it_began_with(world: World, engine: Engine) -> None:
    plan = engine.plan(SearchRequest("RateLimiter"), world.scope(), None)
    replies = world.store.answer(plan.requests)
    world.index("shop", {"src/other.py": "x = 1\n"})
    ask(world, engine, "other")
    assert paths(engine.rank(plan.token, replies))[0] == "src/limits.go"


def test_two_worktrees_never_see_each_others_edits(world: World, engine: Engine) -> None:
    edited = {**SHOP, "src/limits.go": "package limits\n\n// Walrus is only in the worktree.\n"}
    world.index("shop-wt", edited, repo="shop")
    assert paths(ask(world, engine, "walrus", world.scope("shop-wt")))[0] == "src/limits.go"
    assert not any(
        "Walrus" in hit.text for hit in ask(world, engine, "walrus", world.scope("shop")).hits
    )
    scope = world.scope("shop-wt")
    shut_out = engine.plan(SearchRequest("card"), scope, None).requests[0].filter
    assert not shut_out.include
    assert len(shut_out.versions) == 1  # the other worktree's file, not the hundreds they share


def test_identical_files_of_two_projects_are_one_hit(world: World, engine: Engine) -> None:
    world.index("copy", SHOP)
    world.index("shop-wt", SHOP, repo="shop")
    hits = ask(world, engine, "charge a credit card", limit=20).hits
    first = hits[0]
    assert {first.project, *first.also_in} == {"copy", "shop", "shop-wt"}
    assert len({hit.path for hit in hits}) == len([hit for hit in hits if hit.also_in])


def test_a_shared_version_counts_once_in_the_frequencies(world: World, engine: Engine) -> None:
    alone = ask(world, engine, "charge a credit card", world.scope("shop")).hits
    world.index("shop-wt", SHOP, repo="shop")
    both = ask(world, engine, "charge a credit card", world.scope()).hits
    assert [hit.score for hit in both] == [hit.score for hit in alone]


def test_an_index_kept_up_to_date_scores_like_one_from_scratch(
    tmp_path: Path, model: StaticModel, world: World, engine: Engine
) -> None:
    world.index("shop", {"a.py": "unrelated = True\n"})
    world.index("shop", SHOP)
    scratch = World(tmp_path / "scratch", model)
    scratch.index("shop", SHOP)
    fresh = Engine(CatalogSource(CatalogReader(scratch.path)), model)
    mine = ask(world, engine, "charge a credit card", explain=True).hits
    assert [(hit.address, hit.score, hit.signals) for hit in mine] == [
        (hit.address, hit.score, hit.signals)
        for hit in ask(scratch, fresh, "charge a credit card", explain=True).hits
    ]
    scratch.catalog.close()


def test_empty_project_has_no_answer_and_no_error(world: World, engine: Engine) -> None:
    world.index("empty", {})
    assert ask(world, engine, "anything", world.scope("empty")).hits == ()


def test_plans_that_are_never_ranked_do_not_pile_up(world: World, engine: Engine) -> None:
    first = engine.plan(SearchRequest("card"), world.scope(), None)
    for _ in range(MAX_PINNED):
        engine.plan(SearchRequest("card"), world.scope(), None)
    with pytest.raises(Busy):
        engine.rank(first.token, [])


# ---------------------------------------------------------------- show


def test_address_of_a_hit_shows_that_chunk(world: World, engine: Engine) -> None:
    hit = ask(world, engine, "RateLimiter").hits[0]
    view = engine.show(hit.address, 0, world.scope())
    assert view.target.text == hit.text
    assert view.neighbours == ()


def test_line_shows_the_chunk_around_it_and_radius_its_neighbours(
    world: World, engine: Engine
) -> None:
    long = "".join(
        f"def step_{n}(value):\n    return [\n" + "        value,\n" * 60 + "    ]\n\n\n"
        for n in range(6)
    )
    world.index("shop", {"steps.py": long})
    line = next(n for n, text in enumerate(long.splitlines(), 1) if "step_3" in text)
    view = engine.show(f"shop:steps.py:{line + 5}", 0, world.scope())
    assert "step_3" in view.target.text
    assert view.neighbours == ()
    wide = engine.show(f"shop:steps.py:{line + 5}", 70, world.scope())
    assert {"step_2", "step_4"} <= {name for hit in wide.neighbours for name in hit.defines}
    lines = [hit.start_line for hit in wide.neighbours]
    assert lines == sorted(lines)


@pytest.mark.parametrize(
    ("address", "error"),
    [
        ("shop:src/limits.go#Gone", UnknownAddress),
        ("shop:src/gone.go#X", UnknownAddress),
        ("shop:src/limits.go:9999", UnknownAddress),
        ("other:src/limits.go#X", UnknownProject),
        ("no address", BadQuery),
    ],
)
def test_address_that_names_nothing_says_why(
    world: World, engine: Engine, address: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        engine.show(address, 0, world.scope())


# ---------------------------------------------------------------- through the search process


@pytest.fixture
async def child(world: World) -> AsyncIterator[Child]:
    process = Child(
        "search", "paparatsd.search.child", (str(world.path), ChildOptions().to_argument())
    )
    yield process
    await process.stop()


def searcher(world: World, child: Child, **more: object) -> Searcher:
    return Searcher(child=child, store=world.store, cache=QueryCache(10), **more)  # type: ignore[arg-type]


async def test_search_process_answers_caches_and_survives_being_killed(
    world: World, child: Child
) -> None:
    found = searcher(world, child)
    answer = await found.search(SearchRequest("charge a credit card"), world.scope())
    assert answer.hits[0].path == "src/payment/gateway.py"
    assert answer.freshness[0].project == "shop"
    asked = len(world.store.requests)
    again = await found.search(SearchRequest(" charge a credit card"), world.scope())
    assert again.hits == answer.hits
    assert len(world.store.requests) == asked
    child.kill()
    other = await found.search(SearchRequest("refresh token"), world.scope())
    assert other.hits[0].path == "src/auth/session.py"
    world.index("shop", {"new.py": "def charge_credit_card():\n    pass\n"})
    newer = await found.search(SearchRequest("charge a credit card"), world.scope())
    assert [hit.path for hit in newer.hits] == ["new.py"]
    view = await found.show("shop:new.py:1", 0, world.scope())
    assert view.target.path == "new.py"
    with pytest.raises(UnknownAddress):
        await found.show("shop:gone.py:1", 0, world.scope())
    with pytest.raises(BadQuery):
        await found.search(SearchRequest(" "), world.scope())


async def test_store_that_is_down_leaves_names_or_a_typed_refusal(
    world: World, child: Child
) -> None:
    world.store.failure = VectorStoreUnavailable("connection refused")
    found = searcher(world, child)
    answer = await found.search(SearchRequest("RateLimiter"), world.scope())
    assert answer.hits[0].path == "src/limits.go"
    assert NO_STORE in answer.notes
    with pytest.raises(VectorStoreUnavailable, match="connection refused"):
        await found.search(SearchRequest("zebra walrus"), world.scope())
    world.store.failure = None
    complete = await found.search(SearchRequest("RateLimiter"), world.scope())
    assert NO_STORE not in complete.notes  # the poorer answer was not kept


async def test_embedder_that_is_down_leaves_words_with_a_note(world: World, child: Child) -> None:
    async def broken(text: str) -> NDArray[np.float32]:
        raise EmbedderUnavailable(f"no answer for {len(text)} characters")

    found = searcher(world, child, asked_by=lambda _: AskedBy(built_in=False, embed_query=broken))
    answer = await found.search(SearchRequest("charge a credit card"), world.scope())
    assert answer.hits[0].path == "src/payment/gateway.py"
    assert NO_EMBEDDER in answer.notes
    assert world.store.requests[-1].dense is None


async def test_search_process_that_cannot_start_is_a_typed_failure(world: World) -> None:
    child = Child("search", "paparatsd.search.no_such_module", ())
    with pytest.raises(ChildDied):
        await searcher(world, child).search(SearchRequest("card"), world.scope())
    await child.stop()


class Hanging(ExactStore):
    """A store that never answers."""

    async def recall(self, requests: Sequence[RecallRequest]) -> list[RecallReply]:
        await asyncio.Event().wait()
        return []


async def test_search_that_takes_too_long_is_refused_within_its_deadline(
    world: World, child: Child
) -> None:
    found = Searcher(child=child, store=Hanging(), cache=QueryCache(10))  # type: ignore[arg-type]
    await found.warm(world.scope())
    async with asyncio.timeout(5):
        with pytest.raises(VectorStoreUnavailable, match="no answer in time"):
            await found.search(SearchRequest("zebra walrus", deadline_s=0.6), world.scope())


async def test_callers_beyond_the_limit_wait_and_are_then_told_to_come_again(
    world: World, child: Child
) -> None:
    found = Searcher(child=child, store=Hanging(), cache=QueryCache(10))  # type: ignore[arg-type]
    await found.warm(world.scope())
    running = [
        asyncio.create_task(found.search(SearchRequest(f"zebra {n}", deadline_s=20), world.scope()))
        for n in range(MAX_RUNNING)
    ]
    await asyncio.sleep(0)  # lets each of them take its place
    with pytest.raises(Busy):
        await found.search(SearchRequest("one more", deadline_s=0.05), world.scope())
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)

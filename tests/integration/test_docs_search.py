"""Documents of a real catalog: found by what they say, and shown to those who may see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from paparatsd.docs_model import DocsKind
from paparatsd.embeddings.static import StaticModel
from paparatsd.errors import Busy, UnknownDocument
from paparatsd.model import RecallReply, VersionId
from paparatsd.search.docs_asked import DocsAsked
from paparatsd.search.recall import NOTHING_RECALLED
from tests.integration.docs_world import ask_docs, docs_engine, docs_scope, read
from tests.integration.search_world import World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paparatsd.docs_model import DocHit
    from paparatsd.search.docs_asked import DocsFound
    from paparatsd.search.docs_engine import DocsEngine

FILLER = "This part goes on for a while about other things than those next to it. " * 19

HANDBOOK = {
    "docs/refunds.md": (
        "---\ntitle: Refunds\nsource_url: https://wiki.example/refunds\n"
        "last_modified: 2026-02-03\n---\n\n"
        "# Refunds\n\nHow customers get their money back.\n\n"
        f"## Before a refund\n\nCheck that the parcel has arrived. {FILLER}\n\n"
        "## Approving a refund\n\n"
        f"A refund of more than fifty euros is approved by the shift lead. {FILLER}\n\n"
        f"## After a refund\n\nThe customer is told by e-mail. {FILLER}\n\n"
        f"## Statistics\n\nRefunds are counted every month. {FILLER}\n"
    ),
    "docs/shipping.rst": (
        "Shipping\n========\n\nParcels leave the warehouse at noon.\n\n"
        "Tracking\n--------\n\nEvery parcel has a tracking number that the carrier scans.\n"
    ),
    "docs/oncall.adoc": (
        "= On call\n\n== Escalation\n\nWhen the shop is down, wake the second engineer after ten "
        "minutes.\n"
    ),
    "docs/zh.md": "# 退款流程\n\n客户可以在三十天内申请退款,由值班主管批准。\n",
    "CHANGELOG.md": "# Changelog\n\n## 2.0\n\n- refund approving refund shift lead parcel\n",
    "README.md": "# Handbook\n\nHow we work.\n",
}
SHOP = {
    "refund.py": "def approve_refund(amount):\n    return amount < 50\n",
    "NOTES.md": "# Notes\n\n## Deploying\n\nRun the deploy script from the bastion host.\n",
}


@pytest.fixture(scope="module")
def model() -> StaticModel:
    return StaticModel.load()


@pytest.fixture
def world(tmp_path: Path, model: StaticModel) -> Iterator[World]:
    made = World(tmp_path, model)
    made.index("handbook", HANDBOOK)
    made.index("shop", SHOP)
    yield made
    made.catalog.close()


@pytest.fixture
def engine(world: World) -> DocsEngine:
    return docs_engine(world)


def paths(found: DocsFound) -> list[str]:
    return [hit.document.path for hit in found.hits]


def first(found: DocsFound) -> DocHit:
    return found.hits[0]


# ---------------------------------------------------------------- what is found


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("who has to approve a refund", "docs/refunds.md"),
        ("where is my parcel, tracking number", "docs/shipping.rst"),
        ("the shop is down, whom do I wake", "docs/oncall.adoc"),
        ("how do I deploy", "NOTES.md"),
        ("谁批准退款", "docs/zh.md"),
        ("oncall", "docs/oncall.adoc"),
    ],
)
def test_the_document_that_answers_comes_first(
    world: World, engine: DocsEngine, query: str, path: str
) -> None:
    assert paths(ask_docs(world, engine, query))[0] == path


def test_code_is_no_document(world: World, engine: DocsEngine) -> None:
    assert "refund.py" not in paths(ask_docs(world, engine, "approve refund", min_score_code=0.0))


def test_what_no_document_is_about_finds_nothing(world: World, engine: DocsEngine) -> None:
    assert paths(ask_docs(world, engine, "photosynthesis in tropical plants")) == []


def test_where_nothing_is_near_enough_the_nearest_document_is_named(
    world: World, engine: DocsEngine
) -> None:
    query = "photosynthesis of the second engineer"
    scope = docs_scope(world, "handbook", kind="prose")
    found = ask_docs(world, engine, query, scope, min_score=0.999)
    [note] = found.notes
    assert found.hits == ()
    assert "'On call'" in note
    assert "min_score=0 shows it" in note
    shown = ask_docs(world, engine, query, scope, min_score=0.0)
    assert "docs/oncall.adoc" in paths(shown)
    assert shown.notes == ()


def test_the_nearest_document_is_named_from_those_that_may_be_shown_only(
    world: World, engine: DocsEngine
) -> None:
    scope = docs_scope(
        world, labels=frozenset({"public"}), audiences={"handbook": "secret", "shop": "public"}
    )
    [note] = ask_docs(world, engine, "when do I wake the second engineer", scope).notes
    assert "'Notes'" in note
    assert "min_score_code=0 shows it" in note


def test_a_real_word_that_no_document_has_is_not_read_as_others(
    world: World, engine: DocsEngine
) -> None:
    query = "tracking a refundparcel"
    everything: dict[str, Any] = {"min_score": 0.0, "min_score_code": 0.0}
    assert ask_docs(world, engine, query, **everything).notes != ()
    knowing = docs_engine(world, is_word=frozenset({"refundparcel"}).__contains__)
    assert ask_docs(world, knowing, query, **everything).notes == ()


def test_front_matter_finds_a_document_and_is_not_what_is_shown(tmp_path: Path) -> None:
    world = World(tmp_path, StaticModel.load())
    menus = (
        "---\ntitle: Menus\ndescription: Navigation entries of the website, nested or flat.\n---\n"
        f"\nThis is told elsewhere.\n\n## Example\n\n{FILLER}\n"
    )
    world.index("site", {"menus.md": menus, "other.md": f"# Other\n\n{FILLER}\n"})
    hit = first(ask_docs(world, docs_engine(world), "nested entries of the navigation"))
    assert hit.document.path == "menus.md"
    assert "description:" not in hit.content
    assert "told elsewhere" in hit.content
    world.catalog.close()


def test_a_floor_of_zero_finds_something_always(world: World, engine: DocsEngine) -> None:
    query = "photosynthesis in tropical plants"
    found = ask_docs(world, engine, query, min_score=0.0)
    assert {hit.document.kind for hit in found.hits} == {DocsKind.PROSE}
    found = ask_docs(world, engine, query, min_score=0.0, min_score_code=0.0)
    assert {hit.document.project for hit in found.hits} == {"handbook", "shop"}


def test_a_list_of_changes_comes_after_what_it_is_about(world: World, engine: DocsEngine) -> None:
    found = paths(ask_docs(world, engine, "approving a refund shift lead"))
    assert found.index("docs/refunds.md") < found.index("CHANGELOG.md")


def test_a_document_is_found_by_its_name_alone(world: World, engine: DocsEngine) -> None:
    found = ask_docs(world, engine, "shipping", min_score=0.0)
    assert first(found).document.title == "Shipping"


def test_each_document_is_there_once_and_no_more_than_wanted(
    world: World, engine: DocsEngine
) -> None:
    found = ask_docs(world, engine, "refund parcel shop", min_score=0.0, min_score_code=0.0)
    assert len(set(paths(found))) == len(paths(found)) > 2
    assert len(ask_docs(world, engine, "refund parcel", limit=1, min_score=0.0).hits) == 1
    assert [hit.score for hit in found.hits] == sorted((h.score for h in found.hits), reverse=True)


# ---------------------------------------------------------------- what is shown of it


def test_a_hit_tells_of_its_document_and_its_place(world: World, engine: DocsEngine) -> None:
    hit = first(ask_docs(world, engine, "who has to approve a refund"))
    document = hit.document
    assert (document.project, document.title) == ("handbook", "Refunds")
    assert document.link == "https://wiki.example/refunds"
    assert (document.modified, document.dated_by) == (1_770_076_800.0, "document")
    assert (document.kind, document.language) == (DocsKind.PROSE, "markdown")
    assert document.audience == "internal"
    assert hit.breadcrumb == ("Approving a refund",)
    assert hit.address.startswith("handbook:docs/refunds.md#")
    assert 0.0 <= hit.relevance <= 1.0


def test_neighbours_are_shown_with_a_place_and_nothing_is_shown_twice(
    world: World, engine: DocsEngine
) -> None:
    hit = first(ask_docs(world, engine, "who has to approve a refund"))
    for heading in ("## Before a refund", "## Approving a refund", "## After a refund"):
        assert hit.content.count(heading) == 1
    assert "## Statistics" not in hit.content
    assert hit.last - hit.first == 2
    assert hit.document.sections > hit.last
    lines = HANDBOOK["docs/refunds.md"].split("\n")
    assert hit.content.split("\n") == lines[hit.start_line - 1 : hit.end_line]
    assert lines[hit.place_line - 1].endswith(hit.breadcrumb[-1])
    assert hit.start_line < hit.place_line < hit.end_line


def test_front_matter_is_neither_shown_nor_counted(world: World, engine: DocsEngine) -> None:
    found = ask_docs(world, engine, "source_url wiki example last_modified", min_score=0.0)
    assert all("source_url" not in hit.content for hit in found.hits)
    hit = first(ask_docs(world, engine, "how customers get their money back", min_score=0.0))
    assert hit.first == 1
    assert hit.content.startswith("# Refunds")


def test_code_cells_are_shown_beside_prose_and_are_no_hits(
    world: World, engine: DocsEngine
) -> None:
    prose = "Turnover is the sum of all orders of a day, without refunds. " * 4
    cells = [
        f'{{"cell_type": "markdown", "source": ["# Turnover\\n", "\\n", "{prose}"]}}',
        '{"cell_type": "code", "source": ["sum_of_orders = orders.sum()"], "outputs": []}',
    ]
    world.index("shop", {"turnover.ipynb": f'{{"cells": [{", ".join(cells)}]}}'})
    scope = docs_scope(world, "shop")
    hit = first(ask_docs(world, engine, "what is turnover", scope))
    assert hit.document.title == "Turnover"
    assert "sum_of_orders" in hit.content
    found = ask_docs(world, engine, "sum_of_orders", scope, min_score=0.0, min_score_code=0.0)
    assert all(one.breadcrumb == () for one in found.hits)


def test_the_kind_is_what_the_project_says_or_is(world: World, engine: DocsEngine) -> None:
    query = "how do I deploy"
    assert first(ask_docs(world, engine, query)).document.kind is DocsKind.CODE
    said = docs_scope(world, "shop", kind="prose")
    assert first(ask_docs(world, engine, query, said)).document.kind is DocsKind.PROSE


# ---------------------------------------------------------------- work trees, clones


def test_the_same_document_in_several_work_trees_is_one_hit(
    world: World, engine: DocsEngine
) -> None:
    world.index("handbook-wt", HANDBOOK, repo="handbook")
    world.index("clone", HANDBOOK)
    hits = ask_docs(world, engine, "who has to approve a refund").hits
    assert hits[0].document.project == "clone"
    assert hits[0].also_in == ("handbook", "handbook-wt")
    assert len({hit.document.path for hit in hits}) == len(hits)


def test_projects_that_may_not_be_shown_are_not_named_beside_a_hit(
    world: World, engine: DocsEngine
) -> None:
    world.index("clone", HANDBOOK)
    scope = docs_scope(
        world, labels=frozenset({"public"}), audiences={"clone": "staff", "handbook": "public"}
    )
    hit = first(ask_docs(world, engine, "who has to approve a refund", scope))
    assert (hit.document.project, hit.also_in) == ("handbook", ())


# ---------------------------------------------------------------- following the disk


def test_edits_deletes_and_switches_are_followed(world: World, engine: DocsEngine) -> None:
    query = "who has to approve a refund"
    assert paths(ask_docs(world, engine, query))[0] == "docs/refunds.md"
    gone = {path: text for path, text in HANDBOOK.items() if "refunds" not in path}
    world.index("handbook", gone)
    assert "docs/refunds.md" not in paths(ask_docs(world, engine, query, min_score=0.0))
    world.index("handbook", gone | {"docs/refunds.md": "# Refunds\n\nThe accountant approves.\n"})
    hit = first(ask_docs(world, engine, "refunds accountant approves"))
    assert "accountant" in hit.content
    world.index("handbook", HANDBOOK)
    assert paths(ask_docs(world, engine, query))[0] == "docs/refunds.md"


def test_frequencies_kept_up_to_date_give_the_scores_of_fresh_ones(
    world: World, engine: DocsEngine
) -> None:
    query = "who has to approve a refund"
    before = ask_docs(world, engine, query)
    world.index("handbook", {"a.md": "# A\n\nrefund refund approve\n"})
    ask_docs(world, engine, query)
    world.index("handbook", HANDBOOK)
    after = ask_docs(world, engine, query)
    fresh = ask_docs(world, docs_engine(world), query)
    assert [(hit.address, hit.score) for hit in after.hits] == [
        (hit.address, hit.score) for hit in fresh.hits
    ]
    assert [hit.score for hit in after.hits] == [hit.score for hit in before.hits]


# ---------------------------------------------------------------- audience


def labelled(label: str) -> str:
    return f"---\naudience: {label}\n---\n\n# Prices\n\nPrices are raised in spring.\n"


def test_only_documents_with_a_permitted_label_are_found(world: World, engine: DocsEngine) -> None:
    world.index(
        "handbook",
        {"a.md": labelled("public"), "b.md": labelled("staff"), "c.md": "# Prices\n\nIn spring.\n"},
    )
    world.index("shop", {"d.md": "# Prices\n\nPrices are raised in spring.\n"})
    query, audiences = "when are prices raised", {"shop": "public"}

    def found(*labels: str) -> list[str]:
        scope = docs_scope(world, labels=frozenset(labels), audiences=audiences)
        return sorted(paths(ask_docs(world, engine, query, scope, min_score=0.0)))

    assert found("public") == ["a.md", "d.md"]
    assert found("staff") == ["b.md"]
    assert found("internal") == ["c.md"]
    assert found("public", "staff") == ["a.md", "b.md", "d.md"]
    assert found("partners") == []
    every = docs_scope(world, audiences=audiences)
    assert len(ask_docs(world, engine, query, every, min_score=0.0).hits) == 4


def test_what_may_not_be_seen_moves_nothing_of_what_may(world: World, engine: DocsEngine) -> None:
    public = {"a.md": labelled("public"), "b.md": "---\naudience: public\n---\n# Spring\n\nSun.\n"}
    labels = frozenset({"public"})
    query = "when are prices raised in spring"
    world.index("handbook", public)
    alone = ask_docs(world, engine, query, docs_scope(world, labels=labels), min_score=0.0)
    secret = {f"c{n}.md": labelled("staff") + "spring " * n for n in range(9)}
    world.index("handbook", public | secret)
    among = ask_docs(world, engine, query, docs_scope(world, labels=labels), min_score=0.0)
    assert among == alone


def test_only_projects_with_something_to_show_are_told_of(world: World, engine: DocsEngine) -> None:
    scope = docs_scope(world, labels=frozenset({"public"}), audiences={"shop": "public"})
    assert ask_docs(world, engine, "how do I deploy", scope).projects == {"shop"}


def test_a_store_that_knows_more_than_the_filter_shows_nothing_forbidden(
    world: World, engine: DocsEngine
) -> None:
    world.index("handbook", {"a.md": labelled("public"), "b.md": labelled("staff")})
    scope = docs_scope(world, "handbook", labels=frozenset({"public"}))
    everything = ask_docs(world, engine, "prices", docs_scope(world, "handbook"), min_score=0.0)
    assert len(everything.hits) == 2
    plan = engine.plan(DocsAsked("when are prices raised", scope, 8, min_score=0.0))
    open_to_all = engine.plan(
        DocsAsked("when are prices raised", docs_scope(world, "handbook"), 8, min_score=0.0)
    )
    found = engine.rank(plan.token, world.store.answer(open_to_all.requests))
    assert paths(found) == ["a.md"]


# ---------------------------------------------------------------- without vectors


def test_without_a_model_words_find_and_judge(world: World) -> None:
    engine = docs_engine(world, meaning=False)
    assert paths(ask_docs(world, engine, "approve a refund shift lead"))[0] == "docs/refunds.md"
    assert paths(ask_docs(world, engine, "photosynthesis in tropical plants")) == []


def test_another_embedder_is_judged_by_cosines_at_the_usual_floors(
    world: World, engine: DocsEngine
) -> None:
    scope = docs_scope(world, "handbook")
    points = list(world.store.points[world.shard("handbook")].values())
    vector = points[1][2]  # of the first chunk after the front matter
    plan = engine.plan(DocsAsked("refund", scope, 8, vector=vector, built_in=False))
    found = engine.rank(plan.token, world.store.answer(plan.requests))
    assert found.hits[0].relevance == 1.0
    assert all(hit.relevance >= 0.45 for hit in found.hits)
    every = DocsAsked("refund", scope, 8, min_score=0.0, vector=vector, built_in=False)
    plan = engine.plan(every)
    found = engine.rank(plan.token, world.store.answer(plan.requests))
    assert any(hit.relevance < 0.45 for hit in found.hits)


def test_chunks_without_a_vector_pass_the_gate(world: World, engine: DocsEngine) -> None:
    asked = DocsAsked("tracking number", docs_scope(world), 8)
    plan = engine.plan(asked)
    replies = world.store.answer(plan.requests)
    nothing_near = [RecallReply(NOTHING_RECALLED, reply.lexical) for reply in replies]
    assert "docs/shipping.rst" in paths(engine.rank(plan.token, nothing_near))


@pytest.mark.parametrize("embedded", [True, False])
def test_what_an_endpoint_has_not_embedded_yet_passes_and_what_is_far_does_not(
    world: World, engine: DocsEngine, embedded: bool
) -> None:
    sections = "".join(f"## Part {n}\n\n{'Some words go on. ' * 50}\n\n" for n in range(170))
    stripes = {"zebra.md": "# Stripes\n\nZebra.\n"}
    world.index("zoo", {"parts.md": f"# Parts\n\n{sections}", **stripes})
    points = world.store.points[world.shard("zoo")]
    if embedded:
        versions = sorted({VersionId(version) for version, _ in points})
        world.catalog.mark_upserted(world.shard("zoo"), versions, dense=True)
    _, _, of_zebra = list(points.values())[-1]
    scope = docs_scope(world, "zoo", kind="prose")
    plan = engine.plan(DocsAsked("zebra", scope, 8, vector=-of_zebra, built_in=False))
    found = paths(engine.rank(plan.token, world.store.answer(plan.requests)))
    assert ("zebra.md" in found) is not embedded


def test_a_plan_that_is_not_known_any_more_is_refused(engine: DocsEngine) -> None:
    with pytest.raises(Busy):
        engine.rank(12_345, [])


# ---------------------------------------------------------------- whole documents


def test_a_document_is_read_whole_without_its_front_matter(
    world: World, engine: DocsEngine
) -> None:
    text = read(engine, docs_scope(world, "handbook"), "docs/refunds.md")
    body = HANDBOOK["docs/refunds.md"].split("---\n\n", 1)[1].rstrip("\n")
    assert text.content == body
    assert (text.total_chars, text.next_offset, text.offset) == (len(body), None, 0)
    assert text.document.title == "Refunds"


def test_a_long_document_is_read_in_pieces(world: World, engine: DocsEngine) -> None:
    scope, pieces, offset = docs_scope(world, "handbook"), [], 0
    while True:
        text = read(engine, scope, "docs/refunds.md", offset, 500)
        pieces.append(text.content)
        if text.next_offset is None:
            break
        offset = text.next_offset
    assert len(pieces) > 3
    assert "".join(pieces) == read(engine, scope, "docs/refunds.md").content


@pytest.mark.parametrize("path", ["docs/none.md", "refund.py", "NOTES.md"])
def test_what_is_missing_no_document_or_not_permitted_is_unknown(
    world: World, engine: DocsEngine, path: str
) -> None:
    scope = docs_scope(world, "shop", labels=frozenset({"public"}))
    with pytest.raises(UnknownDocument):
        read(engine, scope, path)


def test_in_few_chunks_words_that_stand_nowhere_say_little(
    tmp_path: Path, model: StaticModel
) -> None:
    small = World(tmp_path, model)
    small.index(
        "shop",
        {
            "docs/sessions.md": (
                "# Sessions\n\nSessions end after thirty minutes. Then customers have to sign in "
                "again.\n"
            ),
            "docs/payments.md": "# Payments\n\nInvoices are paid within thirty days.\n",
            "README.md": "# Shop\n\nOrders, parcels and what we know of both.\n",
        },
    )
    engine = docs_engine(small, is_word=model.knows)
    question = "after which time must a customer sign in again"
    assert paths(ask_docs(small, engine, question)) == ["docs/sessions.md"]
    for absent in (
        "how are passwords hashed",
        "after which time must a backup be deleted",
        "who owns the staging cluster",
    ):
        assert paths(ask_docs(small, engine, absent)) == []
    small.catalog.close()

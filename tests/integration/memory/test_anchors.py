"""What cards name is checked against the code: unchanged, changed, moved, missing, or unclear."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from paparatsd import anchor_checks
from paparatsd.commits import Change, Moment, Person, Role
from paparatsd.errors import BadQuery, Unavailable
from paparatsd.history_model import (
    ChunkCommit,
    ChunkLog,
    CommitNote,
    FileChange,
    FoundCommit,
)
from paparatsd.knowledge.named import Named, read_anchor
from paparatsd.knowledge_model import (
    AnchorState,
    CardsRequest,
    ContextRequest,
)
from paparatsd.model import CommitId, Freshness, FreshnessState, ProjectName
from paparatsd.store.reader import CatalogReader
from tests.harness.memory_world import component, lesson, reach

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.knowledge.code_view import CodeView
    from paparatsd.knowledge_model import AnchorCheck, Reach
    from tests.harness.memory_world import MemoryWorld

CART = """class Cart:
    def total(self):
        return sum(self.prices)

    def clear(self):
        self.prices = []


def make_cart():
    return Cart()
"""
TILL = (
    "class Till:\n    def open(self):\n        return 1\n\n    def total(self):\n        return 2\n"
)
FILES = {"src/cart.py": CART, "src/till.py": TILL, "docs/notes.md": "# Notes\n\nSome text.\n"}

UNCHANGED, CHANGED, MOVED = AnchorState.UNCHANGED, AnchorState.CHANGED, AnchorState.MOVED
MISSING, UNCLEAR = AnchorState.MISSING, AnchorState.UNCLEAR


async def audit(world: MemoryWorld, within: Reach | None = None) -> list[AnchorCheck]:
    """Return the checks of all cards."""
    answer = await world.memory.list(CardsRequest(within or reach(), checked=True))
    return [check for hit in answer.cards for check in hit.checks]


async def states(world: MemoryWorld) -> dict[str, AnchorState]:
    return {check.at: check.state for check in await audit(world)}


async def recorded(world: MemoryWorld, anchors: Sequence[str], files: Sequence[str] = ()) -> None:
    world.index(FILES)
    told = await world.record(component("Cart"), files=files, anchors=anchors)
    assert told.notes == ()


async def test_what_nobody_touched_is_unchanged(world: MemoryWorld) -> None:
    anchors = [
        "src/cart.py", "src", "src/cart.py#Cart.total", "Cart.clear", "Cart", "make_cart",
        "src/cart.py:1-3", "shop:src/till.py#Till", "Till::open",
    ]  # fmt: skip
    await recorded(world, anchors, ["docs/notes.md"])
    checks = await audit(world)
    assert [check.state for check in checks] == [UNCHANGED] * (len(anchors) + 1)
    addresses = {check.at: check.address for check in checks}
    assert addresses["Cart.clear"] == "shop:src/cart.py#Cart.clear"
    assert addresses["src/cart.py:1-3"] == "shop:src/cart.py:1-3"
    assert addresses["docs/notes.md"] == "shop:docs/notes.md"


async def test_a_change_concerns_what_it_is_in_and_nothing_else(world: MemoryWorld) -> None:
    await recorded(world, ["src/cart.py#Cart.total", "Cart.clear", "Cart", "src"], ["src/till.py"])
    world.index(FILES | {"src/cart.py": CART.replace("sum(self", "min(self")})
    assert await states(world) == {
        "src/cart.py#Cart.total": CHANGED,
        "Cart.clear": UNCHANGED,
        "Cart": CHANGED,
        "src": CHANGED,
        "src/till.py": UNCHANGED,
    }


async def test_lines_above_and_blanks_at_line_ends_change_no_symbol(world: MemoryWorld) -> None:
    await recorded(world, ["src/cart.py#Cart.total", "src/cart.py:9-10"], ["src/cart.py"])
    world.index(
        FILES | {"src/cart.py": "import os\n\n\n" + CART.replace("prices)\n", "prices)  \n")}
    )
    told = {check.at: check for check in await audit(world)}
    assert told["src/cart.py#Cart.total"].state is UNCHANGED
    assert told["src/cart.py"].state is CHANGED
    assert told["src/cart.py:9-10"].state is MOVED
    assert told["src/cart.py:9-10"].address == "shop:src/cart.py:12-13"


async def test_a_file_that_was_renamed_is_found_by_its_text(world: MemoryWorld) -> None:
    await recorded(world, [], ["src/cart.py"])
    world.index({"lib/basket.py": CART, "src/till.py": TILL})
    (check,) = await audit(world)
    assert (check.state, check.address) == (MOVED, "shop:lib/basket.py")
    assert "its text is the same" in check.detail


async def test_a_file_that_was_moved_and_changed_is_found_by_its_name(world: MemoryWorld) -> None:
    await recorded(world, [], ["src/cart.py"])
    world.index({"lib/cart.py": CART + "\n\nX = 1\n"})
    (check,) = await audit(world)
    assert (check.state, check.address) == (MOVED, "shop:lib/cart.py")
    assert "its text is another" in check.detail


async def test_a_file_that_is_gone_is_missing(world: MemoryWorld) -> None:
    await recorded(world, [], ["src/cart.py"])
    world.index({"src/till.py": TILL, "a/cart.py": "A = 1\n", "b/cart.py": "B = 1\n"})
    (check,) = await audit(world)
    assert (check.state, check.address) == (MISSING, "")


async def test_a_symbol_that_is_elsewhere_has_moved(world: MemoryWorld) -> None:
    await recorded(world, ["src/cart.py#Cart.total", "make_cart"])
    moved = CART.replace("sum(self.prices)", "0")
    world.index({"src/basket.py": moved, "src/till.py": TILL})
    told = {check.at: check for check in await audit(world)}
    assert told["src/cart.py#Cart.total"].state is MOVED
    assert told["src/cart.py#Cart.total"].address == "shop:src/basket.py#Cart.total"
    assert "another" in told["src/cart.py#Cart.total"].detail
    assert (told["make_cart"].state, told["make_cart"].address) == (
        MOVED,
        "shop:src/basket.py#make_cart",
    )
    assert "the same" in told["make_cart"].detail


async def test_a_symbol_that_is_gone_is_missing_not_another_of_its_last_name(
    world: MemoryWorld,
) -> None:
    await recorded(world, ["src/cart.py#Cart.total", "Cart.clear"])
    world.index({"src/till.py": TILL})
    assert await states(world) == {"src/cart.py#Cart.total": MISSING, "Cart.clear": MISSING}


async def test_a_name_that_fits_several_places_is_unclear_and_said_so_at_once(
    world: MemoryWorld,
) -> None:
    world.index(FILES)
    told = await world.record(component("Cart"), anchors=["total", "src/cart.py#Cart"])
    (problem,) = told.notes
    assert "'total' cannot be checked later: it fits 2 places" in problem
    assert "shop:src/cart.py#Cart.total, shop:src/till.py#Till.total" in problem
    unclear, sure = await audit(world)
    assert (unclear.state, sure.state) == (UNCLEAR, UNCHANGED)


async def test_what_was_never_there_is_missing_and_said_so_at_once(world: MemoryWorld) -> None:
    world.index(FILES)
    told = await world.record(component("Cart"), files=["src/none.py"], anchors=["Nothing.at_all"])
    assert len(told.notes) == 2
    assert {check.state for check in await audit(world)} == {MISSING}
    world.index(FILES | {"src/none.py": "A = 1\n"})
    assert (await states(world))["src/none.py"] is UNCLEAR


async def test_nothing_is_said_of_a_project_that_is_not_indexed(world: MemoryWorld) -> None:
    world.projects.closed["later"] = "core"
    told = await world.record(component("Cart"), "later", files=["src/cart.py"])
    assert "not indexed" in told.notes[0]
    (check,) = await audit(world)
    assert (check.state, check.detail) == (UNCLEAR, "The project 'later' is not indexed here.")


async def test_what_a_first_index_has_not_reached_is_not_missing(world: MemoryWorld) -> None:
    await recorded(world, ["Cart.total"], ["src/cart.py", "src/till.py"])
    world.index({"src/till.py": TILL})
    world.projects.building = {"shop"}
    told = {check.at: check for check in await audit(world)}
    assert [told[at].state for at in ("src/cart.py", "Cart.total")] == [UNCLEAR, UNCLEAR]
    assert "still being built" in told["src/cart.py"].detail
    assert told["src/till.py"].state is UNCHANGED


async def test_a_project_out_of_reach_is_neither_missing_nor_named(world: MemoryWorld) -> None:
    world.index(FILES)
    world.index({"lib/shelf.py": "A = 1\n", "lib/rack.py": "B = 1\n"}, "library")
    await world.record(lesson("Always"), None, files=["lib/shelf.py", "src/cart.py"])
    unseen, ours = await audit(world, reach(visible=["shop"]))
    assert (unseen.state, unseen.address) == (UNCLEAR, "")
    assert "library" not in unseen.detail
    assert ours.state is UNCHANGED


async def test_a_group_wide_card_names_what_any_project_of_the_group_has(
    world: MemoryWorld,
) -> None:
    world.index(FILES)
    world.index({"lib/shelf.py": "A = 1\n", "docs/notes.md": "Other.\n"}, "library")
    await world.record(lesson("Always"), None, files=["src/cart.py", "lib/shelf.py"])
    assert await states(world) == {"src/cart.py": UNCHANGED, "lib/shelf.py": UNCHANGED}
    told = await world.record(lesson("Never ~0.10"), None, files=["docs/notes.md"])
    assert "fits 2 places" in told.notes[0]


async def test_other_projects_are_looked_at_only_within_reach(world: MemoryWorld) -> None:
    world.index(FILES)
    world.index({"lib/shelf.py": "A = 1\n"}, "library")
    await world.record(component("Cart"), anchors=["library:lib/shelf.py", "none:lib/shelf.py"])
    assert await states(world) == {"library:lib/shelf.py": UNCHANGED, "none:lib/shelf.py": UNCLEAR}
    hidden, missing = await audit(world, reach(visible=["shop"]))
    assert hidden == replace(
        missing, at=hidden.at, detail=missing.detail.replace("none", "library")
    )


async def test_recording_a_component_again_takes_its_code_as_it_is_now(world: MemoryWorld) -> None:
    await recorded(world, ["Cart.total"])
    world.index(FILES | {"src/cart.py": CART.replace("sum(self", "min(self")})
    assert await states(world) == {"Cart.total": CHANGED}
    await world.record(component("Cart"), anchors=["Cart.total"])
    assert await states(world) == {"Cart.total": UNCHANGED}


async def test_answers_to_questions_are_checked_unless_not_wanted(world: MemoryWorld) -> None:
    await recorded(world, [], ["src/cart.py"])
    asked = ContextRequest("how")
    (hit,) = (await world.memory.context(asked)).hits
    assert [check.state for check in hit.checks] == [UNCHANGED]
    (hit,) = (await world.memory.context(replace(asked, checked=False))).hits
    assert hit.checks == ()


async def test_of_very_many_anchors_the_first_are_checked(world: MemoryWorld) -> None:
    world.index(FILES)
    for number in range(3):
        files = [f"src/f{at}.py" for at in range(90)]
        await world.record(component(f"C{number}"), files=files)
    answer = await world.memory.list(CardsRequest(reach(), checked=True))
    assert [len(hit.checks) for hit in answer.cards] == [90, 90, 0]
    assert answer.notes == ("What one more card named was not checked: list fewer at a time.",)


MANY = {
    "README.md": "# Shop\n\nIntro\n\n## Install\n\npip\n\n### From source\n\nmake\n\n## Use\n\nx\n",
    "web/cart.ts": "export class Cart {\n  get size() { return 2 }\n}\n",
    "srv/main.go": "package srv\n\ntype Server struct{}\n\n"
    "func (s *Server) Start() error {\n\treturn nil\n}\n",
    "cpp/x.h": "namespace ns {\nclass Till {\n  int open(int a);\n};\n}\n",
    "cpp/x.cpp": '#include "x.h"\nnamespace ns {\nint Till::open(int a) { return 1; }\n}\n',
    "src/J.java": "package a.b;\npublic class J {\n"
    "  int f(int a) { return 1; }\n  int f(String b) { return 2; }\n}\n",
    "m.php": "<?php\nnamespace App\\Pay;\nclass Desk { public function open() { return 1; } }\n",
    "r.rb": "module Mall\n  class Lift\n    def full?\n      true\n    end\n  end\nend\n",
    "lib.rs": "pub struct Foo;\nimpl Foo {\n    pub fn bar(&self) -> i32 { 1 }\n}\n",
    "tests/test_foo.rs": "struct Foo;\nstruct Only;\n",
    "p.py": "class P:\n    @property\n    def x(self):\n        return 1\n\n"
    "    @x.setter\n    def x(self, v):\n        pass\n",
}


@pytest.mark.parametrize(
    ("at", "address"),
    [
        ("README.md#Install", "shop:README.md:5-12"),
        ("README.md#from-source", "shop:README.md:9-12"),
        ("Cart.size", "shop:web/cart.ts#Cart.size"),
        ("srv.Server.Start", "shop:srv/main.go#Server.Start"),
        ("Server", "shop:srv/main.go#Server"),
        ("ns::Till::open", "shop:cpp/x.cpp#ns.Till.open"),
        ("a.b.J.f", "shop:src/J.java#J.f"),
        ("App\\Pay\\Desk", "shop:m.php#Desk"),
        ("Desk->open()", "shop:m.php#Desk.open"),
        ("Mall::Lift#full?", "shop:r.rb#Mall.Lift.full?"),
        ("Lift#full?", "shop:r.rb#Mall.Lift.full?"),
        ("Foo", "shop:lib.rs#Foo"),
        ("Only", "shop:tests/test_foo.rs#Only"),
        ("P.x", "shop:p.py#P.x"),
        ("p.P", "shop:p.py#P"),
        ("p.py#P.x@2", "shop:p.py#P.x@2"),
    ],
)
async def test_names_are_understood_as_their_languages_write_them(
    world: MemoryWorld, at: str, address: str
) -> None:
    world.index(MANY)
    told = await world.record(component("Cart"), anchors=[at])
    assert told.notes == ()
    (check,) = await audit(world)
    assert (check.state, check.address) == (UNCHANGED, address)


@pytest.mark.parametrize("at", ["other.Server.Start", "x.b.J.f", "README.md#Shop.Install", "py.P"])
async def test_a_name_with_a_foreign_owner_means_nothing(world: MemoryWorld, at: str) -> None:
    world.index(MANY)
    told = await world.record(component("Cart"), anchors=[at])
    assert "is missing: nothing of that name is indexed" in told.notes[0]
    assert [check.state for check in await audit(world)] == [MISSING], "said so at both times"


async def test_each_overload_of_a_name_counts(world: MemoryWorld) -> None:
    world.index(MANY)
    await world.record(component("Cart"), anchors=["J.f", "src/J.java#J.f"])
    world.index(MANY | {"src/J.java": MANY["src/J.java"].replace("return 2", "return 3")})
    assert await states(world) == {"J.f": CHANGED, "src/J.java#J.f": UNCHANGED}


async def test_a_section_moves_with_its_document(world: MemoryWorld) -> None:
    world.index(MANY)
    await world.record(component("Cart"), anchors=["README.md#Install", "README.md#Use"])
    moved = MANY["README.md"].replace("## Use", "## Usage")
    world.index({"docs/README.md": "New words.\n\n" + moved})
    told = {check.at: check for check in await audit(world)}
    assert told["README.md#Install"].state is MOVED
    assert told["README.md#Install"].address == "shop:docs/README.md:7-14"
    assert "the same" in told["README.md#Install"].detail
    assert told["README.md#Use"].state is MISSING


# --------------------------------------------------------------------------- who changed it


def commit(seconds: int, subject: str) -> ChunkCommit:
    person = Person("Ann", "ann@example.com")
    note = CommitNote(
        ProjectName("shop"), CommitId("a" * 40), person, Moment(seconds, 0), person,
        Moment(seconds, 0), subject,
    )  # fmt: skip
    return ChunkCommit(note, Role.AUTHOR, 1)


def history(*commits: ChunkCommit, uncommitted: int = 0) -> ChunkLog:
    fresh = Freshness(ProjectName("shop"), 1, None, FreshnessState.CURRENT)
    return ChunkLog(
        ProjectName("shop"), "main", "a", "src/cart.py", 1, 9, None, "", commits, len(commits), (),
        (), uncommitted, True, False, fresh,
    )  # fmt: skip


async def changed_cart(world: MemoryWorld, told: ChunkLog | None) -> str:
    await recorded(world, ["src/cart.py#Cart.total"])
    world.index(FILES | {"src/cart.py": CART.replace("sum(self", "min(self")})
    if told is not None:
        world.history.logs["shop:src/cart.py#Cart.total"] = told
    (check,) = await audit(world)
    assert check.state is CHANGED
    return check.detail


async def test_a_change_is_told_with_the_commits_since_the_card(world: MemoryWorld) -> None:
    day = 86_400
    written = int(world.clock.at) + 1
    told = history(
        commit(written + 9 * day, "Take the\x1b[31m cheapest"),
        commit(written + day, "Prepare"),
        commit(written - day, "Start"),
    )
    assert await changed_cart(world, told) == (
        "2 commits since 1970-01-12, the last on 1970-01-21 by Ann: Take the cheapest."
    )


async def test_a_change_in_the_work_tree_is_told_as_one(world: MemoryWorld) -> None:
    told = history(commit(1, "Start"), uncommitted=2)
    assert await changed_cart(world, told) == "The change is not committed yet."


async def test_a_change_by_older_commits_is_told_with_the_last_of_them(world: MemoryWorld) -> None:
    assert await changed_cart(world, history(commit(1, "Start."))) == (
        "Last changed on 1970-01-01 by Ann: Start."
    )


async def test_without_history_the_change_is_told_without_a_word(world: MemoryWorld) -> None:
    assert await changed_cart(world, None) == ""


def found(one: ChunkCommit, *files: FileChange) -> FoundCommit:
    return FoundCommit(one.commit, 0.0, files, len(files), (), 0)


async def test_a_file_is_followed_through_its_renames(world: MemoryWorld) -> None:
    await recorded(world, [], ["src/cart.py"])
    world.history.commits = (
        found(commit(9, "Rename again"), FileChange("lib/c.py", Change.RENAME, "lib/b.py")),
        found(commit(8, "Rename"), FileChange("lib/b.py", Change.RENAME, "src/cart.py")),
    )
    world.index({"lib/c.py": "X = 1\n", "src/till.py": TILL})
    (check,) = await audit(world)
    assert (check.state, check.address) == (MOVED, "shop:lib/c.py")
    assert check.detail == "It is lib/c.py now. Renamed on 1970-01-01 by Ann: Rename again."


async def test_a_file_of_the_same_name_of_earlier_days_is_not_followed(
    world: MemoryWorld,
) -> None:
    await recorded(world, [], ["src/cart.py"])
    world.history.commits = (
        found(commit(9, "New one"), FileChange("src/cart.py", Change.ADD)),
        found(commit(8, "Rename"), FileChange("lib/b.py", Change.RENAME, "src/cart.py")),
    )
    world.index({"lib/b.py": "X = 1\n", "src/till.py": TILL})
    (check,) = await audit(world)
    assert (check.state, check.detail) == (MISSING, "It is gone.")


async def test_a_file_that_was_removed_is_told_with_who_did_it(world: MemoryWorld) -> None:
    await recorded(world, [], ["src/cart.py"])
    removal = FileChange("src/cart.py", Change.DELETE)
    world.history.commits = (found(commit(9, "Remove the cart"), removal),)
    world.index({"src/till.py": TILL})
    (check,) = await audit(world)
    assert (check.state, check.address) == (MISSING, "")
    assert check.detail == "It is gone. Removed on 1970-01-01 by Ann: Remove the cart."


async def test_when_history_fails_the_change_is_told_all_the_same(world: MemoryWorld) -> None:
    world.history.error = Unavailable("down")
    assert await changed_cart(world, history()) == ""


async def test_when_the_catalog_cannot_be_read_the_cards_are_told_all_the_same(
    world: MemoryWorld,
) -> None:
    await recorded(world, ["Cart"])
    world.code.close()
    for path in world.code.path.parent.glob("catalog.sqlite3*"):
        path.unlink()
    answer = await world.memory.list(CardsRequest(reach(), checked=True))
    assert [hit.card.label for hit in answer.cards] == ["Cart"]
    assert "cannot be checked now" in answer.notes[0]
    told = await world.record(component("Till"), files=["src/till.py"])
    assert "cannot be looked at now" in told.notes[0]


async def test_an_anchor_that_cannot_be_read_any_more_keeps_nobody_from_an_answer(
    world: MemoryWorld,
) -> None:
    await recorded(world, ["Cart"], ["src/cart.py"])
    (note,) = await world.notes.all_of("core")
    odd = [
        {"at": "/abs", "digest": "", "address": ""},
        {"at": "a#b#c", "digest": "", "address": ""},
    ]
    payload = {**note.payload, "files": odd, "anchors": [*odd, *note.payload["anchors"]]}
    await world.notes.write([replace(note, payload=payload)])
    answer = await world.memory.context(ContextRequest("src/cart.py"))
    (hit,) = answer.hits
    assert [one.state for one in hit.checks] == [MISSING] * 4 + [UNCHANGED]
    assert (await world.memory.export_files(reach()))[0].name.startswith("component-cart-")


# --------------------------------------------------------------------------- reading names


@pytest.mark.parametrize(
    ("at", "named"),
    [
        ("src/a.py", Named("src/a.py", path="src/a.py")),
        ("./src//a/", Named("src/a", path="src/a")),
        ("Makefile", Named("Makefile", path="Makefile", name="Makefile")),
        ("shop:src/a.py", Named("shop:src/a.py", "shop", "src/a.py")),
        ("src/a.py#A.b", Named("src/a.py#A.b", path="src/a.py", fragment="A.b")),
        ("shop:a%23b.py#A", Named("shop:a%23b.py#A", "shop", "a#b.py", fragment="A")),
        ("src/a.py:3-9", Named("src/a.py:3-9", path="src/a.py", start=3, end=9)),
        ("a.py:3", Named("a.py:3", path="a.py", start=3, end=3)),
        ("shop:a.py:3", Named("shop:a.py:3", "shop", "a.py", start=3, end=3)),
        ("App\\Cart", Named("App\\Cart", name="App\\Cart")),
        ("pkg::Cart::total", Named("pkg::Cart::total", name="pkg::Cart::total")),
        ("Cart.total", Named("Cart.total", path="Cart.total", name="Cart.total")),
        ("shop:Cart.total", Named("shop:Cart.total", "shop", "Cart.total", name="Cart.total")),
    ],
)
def test_anchors_are_read_as_people_write_them(at: str, named: Named) -> None:
    assert read_anchor(at) == named


@pytest.mark.parametrize("at", ["src/a.py#", "a#b#c", "src/a.py:9-3", "#A", "x" * 2_000])
def test_anchors_that_name_nothing_are_refused(at: str) -> None:
    with pytest.raises(BadQuery, match="anchors"):
        read_anchor(at)


async def test_looking_at_code_ends_when_nobody_waits_for_it_any_more(
    world: MemoryWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, closed = threading.Event(), threading.Event(), threading.Event()
    looked: list[int] = []

    class Reader(CatalogReader):
        def close(self) -> None:
            super().close()
            closed.set()

    def look(_view: CodeView, number: int) -> int:
        looked.append(number)
        begun.set()
        assert go_on.wait(5)
        return number

    monkeypatch.setattr(anchor_checks, "CatalogReader", Reader)
    looking = asyncio.create_task(anchor_checks.look(world.code.path, [], range(100), look))
    assert await asyncio.to_thread(begun.wait, 5)
    looking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await looking
    go_on.set()
    assert await asyncio.to_thread(closed.wait, 5)
    assert looked == [0]

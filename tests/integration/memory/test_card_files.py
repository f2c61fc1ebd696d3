"""Cards and terms as markdown files: what is written is read back the same, nothing is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from paparatsd.chunks.parse import ChunkLimits, parse_file
from paparatsd.knowledge import terms
from paparatsd.knowledge.card_files import file_of, files_of, text_of_file
from paparatsd.knowledge.card_reading import CardFileError, note_of_text
from paparatsd.knowledge.cards import card_of, checked_body, note_of
from paparatsd.knowledge_model import (
    Anchor,
    Card,
    CardKind,
    CardScope,
    CardsRequest,
    CardStatus,
    Component,
    Decision,
    Lesson,
    NoteFile,
    Severity,
    Term,
    TermDraft,
)
from paparatsd.model import GroupName, ProjectName
from tests.harness.memory_world import MemoryWorld, component, decision, lesson, reach

if TYPE_CHECKING:
    from pathlib import Path

    from paparatsd.knowledge_model import CardBody, Imported

IDENT = "01890a5d-ac96-774b-bcce-b302099a8057"
OTHER = "01890a5d-ac96-774b-bcce-b302099a8058"

HEADINGS = [
    "Summary",
    "Context",
    "Decision",
    "Consequences",
    "Rejected alternatives",
    "Rule",
    "Why",
]
lines = some.one_of(
    some.text(max_size=30),
    some.sampled_from([
        "---", "```", "~~~", "# Title", "## Context", "\\## Context", "\\\\## Why", "##  Rule  ",
        "## Other", "", "  - indented", "key: value", "<!-- x -->", "\ttab", "## Summary ##",
    ]),
    some.builds("{}## {}".format, some.sampled_from(["", "\\", "\\\\", " "]),
                some.sampled_from(HEADINGS)),
)  # fmt: skip
texts = some.lists(lines, min_size=1, max_size=8).map(lambda said: "x" + "\n".join(said))
names = some.text(min_size=1, max_size=40).map("x{}".format)
moments = some.floats(min_value=0, max_value=4e9, allow_nan=False)
digests = some.sampled_from(["", "0123456789abcdef" * 2])
paths = some.lists(
    some.text("abc#%:é -_.\"'[]{}&*!", min_size=1, max_size=8), min_size=1, max_size=3
).map(lambda parts: "d" + "/".join(f"e{part}e" for part in parts))
anchors = some.sampled_from([
    "Cart.total", "src/a.py#Cart.total", "shop:src/a%23b.py#Cart", "src/a.py:3-9", "a::b", "A\\B",
])  # fmt: skip


@some.composite
def bodies(draw: some.DrawFn) -> CardBody:
    scope = draw(some.sampled_from(CardScope))
    kind = draw(some.sampled_from(CardKind))
    if kind is CardKind.COMPONENT:
        body: CardBody = Component(draw(names), draw(texts), tuple(draw(some.lists(names))))
    elif kind is CardKind.DECISION:
        body = Decision(
            draw(names),
            context=draw(texts),
            decision=draw(texts),
            consequences=draw(texts),
            alternatives_rejected=draw(some.one_of(some.just(""), texts)),
            scope=scope,
            supersedes=draw(some.sampled_from([None, OTHER])),
        )
    else:
        evidence = draw(some.one_of(some.none(), texts))
        severity = draw(some.sampled_from(Severity))
        body = Lesson(draw(texts), draw(texts), draw(texts), scope, severity, evidence)
    return checked_body(body)


@some.composite
def cards(draw: some.DrawFn) -> Card:
    body = draw(bodies())
    found = [Anchor(at, draw(digests), f"shop:{at}") for at in draw(some.sets(paths, max_size=3))]
    created, updated = sorted(round(draw(moments), 6) for _ in range(2))
    lesson_, decision_ = isinstance(body, Lesson), isinstance(body, Decision)
    return Card(
        id=IDENT,
        group=GroupName("core"),
        project=draw(some.sampled_from([None, ProjectName("shop"), ProjectName("true")])),
        body=body,
        status=draw(some.sampled_from(CardStatus)),
        created=created,
        updated=updated,
        files=tuple(one.at for one in found),
        anchors=tuple(Anchor(at, draw(digests)) for at in draw(some.sets(anchors, max_size=3))),
        confirmations=draw(some.integers(0, 9)) if lesson_ else 0,
        superseded_by=draw(some.sampled_from([None, OTHER])) if decision_ else None,
        file_anchors=tuple(found),
    )


@settings(max_examples=50, deadline=None)
@given(cards())
def test_what_is_written_of_a_card_is_read_back_the_same(card: Card) -> None:
    text = text_of_file(card)
    again = note_of_text(text)
    assert again == card
    assert text_of_file(again) == text
    assert note_of_text(text.replace("\n", "\r\n")) == card


@settings(max_examples=50, deadline=None)
@given(cards())
def test_a_card_is_kept_as_a_note_and_told_the_same(card: Card) -> None:
    note = note_of(card)
    assert card_of(note) == card
    assert note_of(card_of(note)) == note
    assert note.label == " ".join(card.label.split())


@settings(max_examples=60, deadline=None)
@given(names, texts, some.lists(names, max_size=3), moments)
def test_what_is_written_of_a_term_is_read_back_the_same(
    name: str, definition: str, aliases: list[str], moment: float
) -> None:
    draft = terms.checked(TermDraft(GroupName("core"), name, definition, tuple(aliases), None))
    term = note_of_text(text_of_file(Term(IDENT, draft.group, None, draft.term, draft.definition,
                                          draft.aliases, moment, moment)))  # fmt: skip
    assert isinstance(term, Term)
    assert (term.term, term.aliases) == (draft.term, draft.aliases)
    text = text_of_file(term)
    assert note_of_text(text) == term
    assert text_of_file(note_of_text(text)) == text


CARD = Card(
    id=IDENT,
    group=GroupName("core"),
    project=ProjectName("shop"),
    body=Decision("One database", "We grow.", "Use one.\n\n## Context\nno", "Cheap.", "Two."),
    status=CardStatus.ACCEPTED,
    created=1_700_000_000.25,
    updated=1_700_000_001.0,
    files=("src/db.py",),
    file_anchors=(Anchor("src/db.py", "ab" * 16, "shop:src/db.py"),),
    anchors=(Anchor("Pool"),),
)


def test_a_file_reads_well() -> None:
    file = file_of(CARD)
    assert file.name == "decision-one-database-9a8057.md"
    assert file.text == (
        "---\n"
        f"id: {IDENT}\n"
        "kind: decision\n"
        "group: core\n"
        "project: shop\n"
        "audience: internal\n"
        "status: accepted\n"
        "created: '2023-11-14T22:13:20.250000Z'\n"
        "updated: '2023-11-14T22:13:21.000000Z'\n"
        "scope: global\n"
        "files:\n"
        "- at: src/db.py\n"
        "  address: shop:src/db.py\n"
        f"  digest: {'ab' * 16}\n"
        "anchors:\n"
        "- at: Pool\n"
        "---\n"
        "\n# One database\n"
        "\n## Context\n\nWe grow.\n"
        "\n## Decision\n\nUse one.\n\n\\## Context\nno\n"
        "\n## Consequences\n\nCheap.\n"
        "\n## Rejected alternatives\n\nTwo.\n"
    )


LEARNED = replace(CARD, body=Lesson("Round once,\nat the end", "Cents.", "Adding."))


def title_in(card: Card) -> str:
    """Return the title that documents search shows of a card's file."""
    file = file_of(card)
    parsed = parse_file(file.name, file.text, ChunkLimits())
    assert parsed.document is not None
    return parsed.document.title


def test_a_document_search_shows_a_lesson_by_its_rule() -> None:
    assert title_in(LEARNED) == "Lesson: Round once, at the end"
    long = replace(LEARNED, body=Lesson("never " * 100, "x", "x"))
    assert title_in(long) == "Lesson: " + " ".join(["never"] * 16) + "\u2026"
    assert title_in(replace(LEARNED, body=Lesson("x" * 300, "x", "x"))).endswith("x\u2026")


def test_a_title_says_when_a_card_does_not_hold() -> None:
    assert title_in(CARD) == "One database"
    gone = replace(CARD, status=CardStatus.SUPERSEDED, superseded_by=OTHER)
    assert title_in(gone) == "Superseded decision: One database"
    old = replace(LEARNED, status=CardStatus.DEPRECATED)
    assert title_in(old) == "Deprecated lesson: Round once, at the end"


def test_a_title_in_front_is_no_part_of_the_card_and_written_anew() -> None:
    for card in (LEARNED, replace(CARD, status=CardStatus.SUPERSEDED)):
        text = text_of_file(card)
        assert note_of_text(text) == card
        other = "\n".join(
            "title: Mine" if line.startswith("title:") else line for line in text.split("\n")
        )
        assert other != text
        assert text_of_file(note_of_text(other)) == text


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Über-Cache / v2", "component-uber-cache-v2-9a8057.md"),
        ("キャッシュ", "component-9a8057.md"),
        ("../../etc/passwd", "component-etc-passwd-9a8057.md"),
        ("a" * 99, f"component-{'a' * 48}-9a8057.md"),
        (" ".join(["word"] * 20), f"component-{'-'.join(['word'] * 9)}-9a8057.md"),
    ],
)
def test_file_names_are_plain(label: str, name: str) -> None:
    assert file_of(replace(CARD, body=Component(label, "x"))).name == name


def test_two_notes_never_share_a_file() -> None:
    twin = replace(CARD, id="11111111-ac96-774b-bcce-b302099a8057")
    assert len({file.name for file in files_of([CARD, twin])}) == 2


LESSON = "---\nkind: lesson\ngroup: g\n{}\n---\n## Rule\na\n## Why\nb\n## When\nc\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the facts"),
        ("# No facts\n", "line 1: the facts"),
        ("---\nkind: decision\n", "line 1: the line `---` that ends"),
        ("---\nkind: [\n---\n", "line 3: not valid YAML"),
        ("---\n- a\n---\n", "line 2: the facts must be"),
        ("---\nkind: decision\ngroup: core\ncolour: red\n---\n", "line 4: nothing is known"),
        ("---\ngroup: core\n---\n", "kind is missing"),
        ("---\nkind: idea\n---\n", "line 2: kind is 'idea'; it must be one of component"),
        ("---\nkind: lesson\n---\n## Rule\nx\n## Why\nx\n## When\nx\n", "group is missing"),
        ("---\nkind: lesson\ngroup: core\n---\nText\n", "line 5: this is in no section: 'Text'"),
        ("---\nkind: lesson\ngroup: core\n---\n## Why\nx\n## Why\n", "line 7: the section"),
        ("---\nkind: decision\ngroup: core\n---\n## Context\nx\n", "line 5: the title is missing"),
        ("---\nkind: term\ngroup: 5\n---\n# X\n## Definition\nx\n", "line 3: group must be text"),
        (
            "---\nkind: term\ngroup: g\nid: 7x\n---\n# X\n## Definition\nx\n",
            "line 4: id is '7x', which is no id",
        ),
        (
            "---\nkind: term\ngroup: g\nupdated: now\n---\n# X\n",
            "line 4: updated is 'now'; write 2026",
        ),
        (
            "---\nkind: term\ngroup: g\naliases: a\n---\n# X\n## Definition\nx\n",
            "line 4: aliases must be",
        ),
        ("---\nkind: lesson\ngroup: g\n---\n## Rule\n\n## Why\n", "line 5: rule is empty"),
        ("---\nkind: lesson\ngroup: g\n---\n", "rule is empty"),
        (LESSON.format("files: [a, ../b]"), "line 4: files: '../b' leads out"),
        (LESSON.format("files: [{at: a, digest: 12}]"), "line 4: files: `at`, `address` and"),
        (LESSON.format("anchors:\n- at: a\n  digest: '12'"), "line 4: anchors: the digest of"),
        (LESSON.format("severity: bad"), "line 4: severity is 'bad'"),
        (LESSON.format("confirmations: -1"), "line 4: confirmations must be"),
        (LESSON.format("files: a"), "line 4: files must be a list"),
        ("x" * 500_000, "it has 500000 characters"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_with_its_line(text: str, message: str) -> None:
    with pytest.raises(CardFileError, match="^" + message.replace("(", r"\(")):
        note_of_text(text)


# --------------------------------------------------------------------------- import


async def stored(world: MemoryWorld) -> dict[str, Card]:
    answer = await world.memory.list(CardsRequest(reach(), history=True))
    return {hit.card.id: hit.card for hit in answer.cards}


async def imported(world: MemoryWorld, *texts: str, dry_run: bool = False) -> list[Imported]:
    files = tuple(NoteFile(f"{at}.md", text) for at, text in enumerate(texts))
    return list(await world.memory.import_files(files, reach(), dry_run=dry_run))


async def filled(world: MemoryWorld) -> tuple[NoteFile, ...]:
    """Write some notes of each kind; return what is exported of them."""
    world.index({"src/cart.py": "class Cart:\n    pass\n"})
    await world.record(component("Cart"), files=["src/cart.py"], anchors=["Cart"])
    old = await world.record(decision("One database"))
    await world.record(decision("Two databases", supersedes=old.id))
    await world.record(lesson("Never retry"), None)
    await world.record(lesson("Never retry ~0.95"), None)
    term = Term(IDENT, GroupName("core"), None, "SKU", "A thing sold.", ("article",), 5.0, 6.0)
    await world.notes.write([terms.note_of(term)])
    return await world.memory.export_files(reach())


async def test_what_is_exported_and_imported_elsewhere_is_exported_the_same(
    world: MemoryWorld, tmp_path: Path
) -> None:
    files = await filled(world)
    kinds = [file.name.split("-")[0] for file in files]
    assert kinds == ["component", "decision", "decision", "lesson", "term"]
    (tmp_path / "b").mkdir()
    other = MemoryWorld(tmp_path / "b")
    other.clock.at = world.clock.at + 100
    told = await other.memory.import_files(files, reach())
    assert {one.outcome for one in told} == {"created"}
    assert await other.memory.export_files(reach()) == files
    assert await stored(other) == await stored(world)
    assert {one.outcome for one in await other.memory.import_files(files, reach())} == {"unchanged"}
    await other.close()


async def test_importing_what_was_exported_changes_nothing(world: MemoryWorld) -> None:
    files = await filled(world)
    before = await stored(world)
    told = await world.memory.import_files(files, reach())
    assert [one.outcome for one in told] == ["unchanged"] * 5
    assert await stored(world) == before


async def test_a_file_that_was_edited_changes_its_note(world: MemoryWorld) -> None:
    made = await world.record(lesson("Never retry"))
    (file,) = await world.memory.export_files(reach())
    world.clock.at += 10
    edited = file.text.replace("it broke", "it broke twice")
    (told,) = await imported(world, edited)
    assert (told.outcome, told.id) == ("updated", made.id)
    card = (await stored(world))[made.id]
    assert isinstance(card.body, Lesson)
    assert (card.body.why, card.updated) == ("it broke twice", world.clock.at)
    assert [one.outcome for one in await imported(world, edited)] == ["unchanged"]


async def test_a_file_never_takes_the_place_of_a_newer_note(world: MemoryWorld) -> None:
    made = await world.record(component("Cart", "Old."))
    (file,) = await world.memory.export_files(reach())
    await world.record(component("Cart", "New."))
    (told,) = await imported(world, file.text.replace("Old.", "Edited."))
    assert (told.outcome, told.id) == ("refused", "")
    assert told.problem.startswith("newer here: 'Cart' was changed on ")
    card = (await stored(world))[made.id]
    assert card.body == Component("Cart", "New.")


async def test_a_file_without_an_id_goes_through_the_gate(world: MemoryWorld) -> None:
    made = await world.record(decision("One database"))
    (file,) = await world.memory.export_files(reach())
    new = "\n".join(line for line in file.text.split("\n") if not line.startswith("id:"))
    names = ("# 1", "# ~0.75 One", "# ~0.10 One")
    same, near, other = [(await imported(world, new.replace("# One", name)))[0] for name in names]
    assert (same.outcome, same.id) == ("refused", made.id)
    assert same.problem.startswith("duplicate: it says what is here already: 'One database'")
    assert near.problem.startswith("similar: it is near one here: 'One database'")
    assert (other.outcome, other.problem) == ("created", "")
    assert len(await stored(world)) == 2


async def test_a_file_without_an_id_can_be_imported_again_and_again(world: MemoryWorld) -> None:
    files = [_without_id(file.text) for file in await filled(world)]
    before = await world.memory.export_files(reach())
    for _ in range(2):
        told = await imported(world, *files)
        assert [one.outcome for one in told] == ["unchanged"] * 5
        assert await world.memory.export_files(reach()) == before
    more = files[3].replace("## Rule\n\nNever", "## Rule\n\n~0.96 Never")
    (same,) = await imported(world, more)
    assert (same.outcome, same.problem[:10]) == ("refused", "duplicate:")
    assert await world.memory.export_files(reach()) == before, "no lesson is confirmed by a file"


def _without_id(text: str) -> str:
    left = ("id:", "superseded_by:", "confirmations:")
    lines = (line for line in text.split("\n") if not line.startswith(left))
    return "\n".join("status: accepted" if one.startswith("status:") else one for one in lines)


async def test_a_file_without_an_id_keeps_its_status_and_gets_its_digests(
    world: MemoryWorld,
) -> None:
    world.index({"src/cart.py": "class Cart:\n    pass\n"})
    text = (
        "---\nkind: decision\ngroup: core\nproject: shop\nstatus: proposed\nfiles: [src/cart.py]\n"
        "---\n# Carts expire\n## Context\na\n## Decision\nb\n## Consequences\nc\n"
    )
    (told,) = await imported(world, text)
    assert told.outcome == "created"
    card = (await stored(world))[told.id]
    assert card.status is CardStatus.PROPOSED
    assert len(card.file_anchors[0].digest) == 32


async def test_a_dry_run_says_what_would_be_and_writes_nothing(world: MemoryWorld) -> None:
    files = await filled(world)
    before = await world.memory.export_files(reach())
    edited = [file.text.replace("it broke", "it burnt") for file in files]
    fresh = "---\nkind: lesson\ngroup: core\n---\n## Rule\n~0.10\n## Why\nb\n## When\nc\n"
    word = "---\nkind: term\ngroup: core\n---\n# TTL\n## Definition\nTime to live.\n"
    told = await imported(world, *edited, fresh, word, dry_run=True)
    assert [one.outcome for one in told] == [
        "unchanged", "unchanged", "unchanged", "updated", "unchanged", "created", "created",
    ]  # fmt: skip
    assert await world.memory.export_files(reach()) == before


async def test_one_bad_file_does_not_keep_the_others_out(world: MemoryWorld) -> None:
    text = text_of_file(replace(CARD, anchors=(), files=(), file_anchors=()))
    bad = text.replace("kind: decision", "kind: idea").replace(IDENT, OTHER)
    foreign = text.replace("group: core", "group: nowhere").replace(IDENT, OTHER)
    empty = text.replace("Cheap.", "").replace(IDENT, OTHER)
    away = text.replace("scope: global", "files: [../a]").replace(IDENT, OTHER)
    told = await imported(world, bad, foreign, empty, away, text, text)
    assert [one.outcome for one in told] == ["refused"] * 4 + ["created", "refused"]
    assert [one.problem.split(":")[0] for one in told[:4]] == [
        "line 3",
        "no group named 'nowhere' (groups",
        "line 26",
        "line 10",
    ]
    assert told[5].problem == "its id is that of 4.md, too; leave it out for a new note"
    assert list(await stored(world)) == [IDENT]


async def test_an_id_of_something_else_is_refused(world: MemoryWorld) -> None:
    hidden = await world.record(decision("Secret"), "library")
    learned = await world.record(lesson("Never retry"))
    ours = reach(visible=["shop"])
    texts = [
        text_of_file(replace(CARD, id=one, file_anchors=(), files=(), anchors=()))
        for one in (hidden.id, learned.id)
    ]
    files = tuple(NoteFile(f"{at}.md", text) for at, text in enumerate(texts))
    unseen, lesson_ = await world.memory.import_files(files, ours)
    assert unseen.problem == f"the id {hidden.id} cannot be used in the group 'core'"
    assert "is that of a lesson" in lesson_.problem
    assert (await stored(world))[hidden.id].label == "Secret"


async def test_a_second_component_of_one_name_is_refused(world: MemoryWorld) -> None:
    made = await world.record(component("Cart"))
    twin = replace(CARD, body=Component("Cart", "x"), files=(), file_anchors=(), anchors=())
    (told,) = await imported(world, text_of_file(twin))
    assert told.problem == f"the component 'Cart' is here already, with the id {made.id}"


async def test_moments_of_the_future_are_not_believed(world: MemoryWorld) -> None:
    later = replace(CARD, created=3e9, updated=3.1e9, files=(), file_anchors=(), anchors=())
    await imported(world, text_of_file(later))
    card = (await stored(world))[IDENT]
    assert card.created == card.updated == world.clock.at


async def test_only_what_may_be_told_is_exported(world: MemoryWorld) -> None:
    await world.record(component("Cart"), "shop")
    await world.record(component("Shelf"), "library")
    (file,) = await world.memory.export_files(reach(visible=["shop"]))
    assert "# Cart" in file.text
    (file,) = await world.memory.export_files(reach(projects=["library"]))
    assert "# Shelf" in file.text

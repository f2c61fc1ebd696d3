"""How the symbol graph is spelled: members of the JSON, lines, signatures, one use in one line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from paparatsd.graph_model import (
    Affected,
    Certainty,
    ChangedAnswer,
    Edge,
    ImpactAnswer,
    OutlineAnswer,
    Relation,
    Side,
    Usages,
    UsagesAnswer,
)
from paparatsd.interfaces.graph_phrases import (
    AGENT,
    Voice,
    edge_line,
    legend,
    line_ranges,
    place_of,
    places_in_files,
    signature_of,
    symbol_line,
)
from paparatsd.interfaces.graph_shapes import (
    changed_json,
    edge_json,
    impact_json,
    outline_json,
    symbol_json,
    usages_json,
)
from paparatsd.interfaces.graph_words import (
    changed_line,
    folders_line,
    goes_on_elsewhere,
    impact_line,
    outline_title,
    usages_more,
    usages_sections,
)
from tests.harness.fake_graph import DIG, MEASURE, SLEEP, TEST, TOP, symbol


def test_a_symbol_has_the_documented_members() -> None:
    assert symbol_json(DIG) == {
        "project": "marmots",
        "path": "src/burrow3.py",
        "start_line": 31,
        "end_line": 39,
        "address": "marmots:src/burrow3.py#Burrow.dig",
        "kind": "method",
        "name": "Burrow.dig",
        "language": "python",
        "signature": "def dig(self)",
        "doc": "Does Burrow.dig.\n\nAnd more.",
        "exported": True,
        "test": False,
        "hub": False,
    }


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], ""),
        ([4], "line 4"),
        ([4, 5, 6, 9], "lines 4-6, 9"),
        (list(range(1, 40, 2)), "lines 1, 3, 5, 7, 9, 11, 13, 15 and 12 more"),
    ],
)
def test_neighbouring_lines_are_said_together_and_many_are_counted(
    lines: list[int], said: str
) -> None:
    assert line_ranges(lines) == said


def test_the_top_level_of_a_file_is_named_by_its_path() -> None:
    assert place_of(symbol_json(TOP)) == "top level of marmots:src/alps.py"
    assert place_of(symbol_json(TOP), lambda text: f"<{text}>") == (
        "top level of <marmots:src/alps.py>"
    )


def test_a_signature_stays_on_one_line_of_bounded_length() -> None:
    long = replace(DIG, signature="def dig(\n    self,\n    deep: int\n)")
    assert signature_of(symbol_json(long)) == "def dig( self, deep: int )"
    assert signature_of(symbol_json(replace(DIG, signature=""))) == "method Burrow.dig"
    assert len(signature_of(symbol_json(replace(DIG, signature="x" * 500)))) == 160


def test_a_symbol_is_said_with_what_is_special_about_it() -> None:
    assert symbol_line(symbol_json(MEASURE)) == (
        "function marmots:src/tools.py#measure  lines 7-15 [hub]"
    )
    one = symbol("f", "tests/t.py", 3, end_line=3, test=True)
    assert symbol_line(symbol_json(one)) == "function marmots:tests/t.py#f  line 3 [test]"


def test_an_edge_says_how_it_is_written_only_when_that_is_another_name() -> None:
    edge = Edge(Relation.CALLS, Certainty.INFERRED, SLEEP, (5,), "dig", cross=True)
    assert edge_line(edge_json(edge), "Burrow.dig") == (
        "calls? marmots:src/den.py#sleep  line 5 [other project]"
    )
    alias = edge_json(replace(edge, name="scrape", cross=False, certainty=Certainty.AMBIGUOUS))
    assert edge_line(alias, "Burrow.dig").endswith(
        "calls?? marmots:src/den.py#sleep  line 5 (as scrape)"
    )
    noted = edge_json(replace(edge, name="scrape", cross=False, note="through scrape"))
    assert edge_line(noted, "Burrow.dig").endswith("line 5 (through scrape)")
    voice = Voice(pad=11, show=lambda text: f"<{text}>")
    assert edge_line(alias, "dig", voice).startswith("calls??     <marmots:src/den.py#sleep>")


def test_marks_are_explained_where_they_are() -> None:
    sure = Edge(Relation.CALLS, Certainty.EXACT, SLEEP, (5,), "dig")
    assert legend({"edges": [edge_json(sure)]}) == []
    guess = edge_json(replace(sure, certainty=Certainty.AMBIGUOUS))
    assert legend([{"edges": [edge_json(sure), guess]}]) == ["?? one of several that may be meant"]


def usages(*sides: Side | None, times: int = 1) -> dict[str, object]:
    incoming, outgoing = sides
    return usages_json(UsagesAnswer("dig", (Usages(DIG, incoming, outgoing),) * times, times))


def test_a_side_without_edges_says_whether_there_are_none_or_none_here() -> None:
    none, far = Side((), 0), Side((), 7)
    heads = [section.head[-1] for section in usages_sections(usages(none, far))]
    assert heads[0].startswith("used by nothing that is indexed; uses through strings")
    assert heads[1] == "uses 7 symbols, none of them on this page"
    capped = Side((Edge(Relation.CALLS, Certainty.EXACT, SLEEP, (5,), "dig"),), 900, 1, capped=True)
    (section,) = usages_sections(usages(capped, None))
    assert section.head[-1] == "used by at least 900 symbols:"


def test_each_side_goes_on_by_itself_and_several_symbols_do_not() -> None:
    edge = Edge(Relation.CALLS, Certainty.EXACT, SLEEP, (5,), "dig")
    side, whole = Side((edge,), 9, 4), Side((edge,), 1)
    assert usages_more(usages(side, whole)) == [("incoming", 4, 5)]
    assert usages_more(usages(side, side)) == [("incoming", 4, 5), ("outgoing", 4, 5)]
    several = usages(side, None, times=2)
    assert usages_more(several) == []
    assert goes_on_elsewhere(several)
    assert not goes_on_elsewhere(usages(whole, None, times=2))


def test_impact_says_what_is_not_known_and_not_that_there_is_nothing() -> None:
    assert impact_line(impact_json(ImpactAnswer((), (), (), (), 0))) == (
        "nothing was found that could change"
    )
    alone = impact_json(ImpactAnswer((DIG,), (), (), (), 0))
    assert "cannot be seen" in impact_line(alone)
    assert alone["seeds"][0]["last_change"] is None
    part = impact_json(ImpactAnswer((DIG,), (), (), (), 1_204, capped=True))
    assert impact_line(part) == (
        "at least 1,204 symbols depend on it; 0 are listed, 0 tests among them"
    )
    one = Affected(TEST, 1, Relation.TESTS, Certainty.EXACT, DIG, (3,), "dig")
    capped = impact_json(ImpactAnswer((DIG,), (), (one,), (), 1, capped=True))
    assert impact_line(capped) == "at least 1 symbol depends on it, 1 test among them"


def test_neighbours_in_one_file_are_named_below_its_path_and_others_by_address() -> None:
    sleeps = [replace(SLEEP, qualified=name, address=f"marmots:src/den.py#{name}") for name in "ab"]
    ends = [MEASURE, *sleeps, replace(TOP, path="src/den.py", address="marmots:src/den.py:1"), DIG]
    edges = tuple(Edge(Relation.CALLS, Certainty.EXACT, one, (5,), "dig") for one in ends)
    (section,) = usages_sections(usages(Side(edges, 5), None))
    assert [(item.file, *item.lines, item.inside) for item in section.items] == [
        ("", "- calls marmots:src/tools.py#measure  line 5 [hub]", False),
        ("marmots:src/den.py", "- calls #a  line 5", True),
        ("", "- calls #b  line 5", True),
        ("", "- calls top level  line 5", True),
        ("", "- calls marmots:src/burrow3.py#Burrow.dig  line 5", False),
    ]


def test_an_outline_is_titled_by_its_path_and_the_whole_project_by_its_name() -> None:
    whole = outline_json(OutlineAnswer(DIG.project, "", (), {"src": 1_204}, 1_204))
    assert outline_title(whole) == "marmots (1,204 files)"
    assert folders_line(whole) == "folders, with their files: src/ 1204"
    folder = outline_json(OutlineAnswer(DIG.project, "src", (), {}, 3))
    assert (outline_title(folder), folders_line(folder)) == ("marmots:src (3 files)", "")


def test_a_change_that_touches_no_symbol_still_says_how_many_files_it_touches() -> None:
    assert changed_line(changed_json(ChangedAnswer("staged", (), 2, 0))) == (
        "staged: no symbol is touched in 2 changed files"
    )


def test_tests_of_one_file_are_named_below_its_path_once() -> None:
    tests = [replace(TEST, qualified=name, address=f"marmots:t.py#{name}") for name in "ab"]
    top = replace(TOP, path="t.py", address="marmots:t.py:1")
    shown = [symbol_json(one) for one in (*tests, TEST, top, tests[0])]
    assert places_in_files(shown, AGENT) == (
        "marmots:t.py#a, #b, marmots:tests/test_burrow.py#test_dig, marmots:t.py top level, #a"
    )
    assert places_in_files(shown[3:4], AGENT) == "top level of marmots:t.py"


def test_users_that_two_symbols_share_are_told_once() -> None:
    edge = Edge(Relation.CALLS, Certainty.EXACT, SLEEP, (5,), "dig")
    overload = replace(DIG, address=f"{DIG.address}@2")
    both = [Usages(one, Side((edge,), 1), None) for one in (DIG, overload, MEASURE)]
    both[2] = replace(both[2], incoming=Side((), 0))
    first, second, third = usages_sections(usages_json(UsagesAnswer("dig", tuple(both), 3)))
    assert len(first.items) == 1
    assert (second.head[-1], second.items) == (f"used by the same 1 symbol as {DIG.address}", ())
    assert third.head[-1].startswith("used by nothing")

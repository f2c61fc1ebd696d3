from __future__ import annotations

from dataclasses import replace

from paparatsd.model import ProjectName
from paparatsd.search.merging import MAX_MERGED_LINES, merge_hits
from paparatsd.search_model import Confidence, Hit


def hit(first: int, last: int, name: str = "f", score: float = 0.9) -> Hit:
    """Return a hit whose every line says which line it is."""
    return Hit(
        project=ProjectName("shop"),
        path="src/pay.py",
        start_line=first,
        end_line=last,
        address=f"shop:src/pay.py#{name}",
        language="python",
        kind="function",
        symbol=name,
        text="\n".join(f"line {number}" for number in range(first, last + 1)),
        score=score,
        confidence=Confidence.HIGH,
        defines=(name,),
        uses=("charge", f"use_{name}"),
    )


def lines_of(one: Hit) -> list[str]:
    return one.text.split("\n")


def test_neighbours_become_one_hit_named_after_the_better_one() -> None:
    (merged,) = merge_hits([hit(21, 40, "g", 0.8), hit(1, 20, "f", 0.5)])
    assert (merged.start_line, merged.end_line) == (1, 40)
    assert lines_of(merged) == [f"line {number}" for number in range(1, 41)]
    assert (merged.symbol, merged.score) == ("g", 0.8)
    assert merged.address == "shop:src/pay.py:1-40"
    assert merged.defines == ("g", "f")
    assert merged.uses == ("charge", "use_g", "use_f")


def test_overlapping_hits_show_each_line_once() -> None:
    (merged,) = merge_hits([hit(1, 20), hit(15, 30, "g")])
    assert lines_of(merged) == [f"line {number}" for number in range(1, 31)]


def test_blank_lines_between_two_hits_are_shown_as_such() -> None:
    (merged,) = merge_hits([hit(1, 3), hit(6, 7, "g")])
    assert lines_of(merged) == ["line 1", "line 2", "line 3", "", "", "line 6", "line 7"]


def test_a_hit_within_another_keeps_the_address_of_the_whole() -> None:
    (merged,) = merge_hits([hit(10, 12, "Cart.total", 0.9), hit(1, 30, "Cart", 0.4)])
    assert merged.address == "shop:src/pay.py#Cart"
    assert (merged.start_line, merged.end_line, merged.symbol) == (1, 30, "Cart")
    assert merged.score == 0.9
    assert merged.defines == ("Cart.total", "Cart")


def test_a_third_hit_may_join_two_that_were_apart() -> None:
    (merged,) = merge_hits([hit(1, 10), hit(21, 30, "h"), hit(11, 20, "g")])
    assert lines_of(merged) == [f"line {number}" for number in range(1, 31)]


def test_hits_apart_or_in_other_files_stay_as_they_are() -> None:
    far = hit(50, 60, "g")
    elsewhere = replace(hit(1, 20), path="src/other.py")
    clone = replace(hit(1, 20), project=ProjectName("fork"))
    hits = (hit(1, 20), far, elsewhere, clone)
    assert merge_hits(hits) == hits


def test_what_would_be_too_long_stays_apart() -> None:
    long, beside = hit(1, MAX_MERGED_LINES), hit(MAX_MERGED_LINES + 1, MAX_MERGED_LINES + 9, "g")
    assert merge_hits([long, beside]) == (long, beside)


def test_of_two_long_hits_that_overlap_by_more_than_half_the_better_one_is_shown() -> None:
    better, worse = hit(1, 100), hit(40, 139, "g")
    assert merge_hits([better, worse]) == (better,)
    little = hit(90, 189, "g")
    assert merge_hits([better, little]) == (better, little)


def test_text_that_is_not_its_lines_is_not_put_together() -> None:
    cell = replace(hit(1, 9), text="one line of a notebook")
    assert merge_hits([cell, hit(10, 12, "g")]) == (cell, hit(10, 12, "g"))


def test_without_a_gap_only_hits_that_share_lines_become_one() -> None:
    apart = (hit(1, 10), hit(11, 20, "g"))
    assert merge_hits(apart, max_gap=-1) == apart
    (merged,) = merge_hits([hit(1, 10), hit(10, 20, "g")], max_gap=-1)
    assert lines_of(merged) == [f"line {number}" for number in range(1, 21)]

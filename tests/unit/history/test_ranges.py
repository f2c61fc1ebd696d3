"""Lines carried through hunks, against the same done line by line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from paparatsd.commits import Hunk
from paparatsd.history.ranges import Edits, runs_of, unite_spans

GAPS = st.lists(
    st.tuples(st.integers(1, 4), st.integers(0, 3), st.integers(0, 3)).filter(lambda g: any(g[1:])),
    max_size=6,
)
"""Of each hunk: unchanged lines above it, lines removed, lines added."""


def hunks_of(gaps: list[tuple[int, int, int]]) -> list[Hunk]:
    old = new = 1
    hunks = []
    for index, (same, removed, added) in enumerate(gaps):
        same -= index == 0  # the first may be at the beginning
        old, new = old + same, new + same
        hunks.append(Hunk(old - (not removed), removed, new - (not added), added))
        old, new = old + removed, new + added
    return hunks


def line_map(hunks: list[Hunk], count: int) -> dict[int, int | None]:
    """Return for each new line the old one, None if it was added."""
    found: dict[int, int | None] = {}
    old, new = 1, 1
    for old_start, old_lines, new_start, new_lines in hunks:
        while new < (new_start if new_lines else new_start + 1):
            found[new] = old
            old, new = old + 1, new + 1
        found.update({new + step: None for step in range(new_lines)})
        old, new = (old_start if old_lines else old_start + 1) + old_lines, new + new_lines
    while new <= count:
        found[new] = old
        old, new = old + 1, new + 1
    return found


def carried_by_steps(hunks: list[Hunk], start: int, end: int) -> tuple[int, int, bool]:
    """Carry a span hunk by hunk from the last to the first, as an editor undoes."""
    touched = False
    for _, old_lines, new_start, new_lines in reversed(hunks):
        top = new_start if new_lines else new_start + 1
        below = top + new_lines
        if start >= below:
            start, end = start + old_lines - new_lines, end + old_lines - new_lines
        elif end > top:
            touched = True
            end = end + old_lines - new_lines if end > below else top + old_lines
            start = min(start, top)
            if start >= end:
                break
    return start, end, touched


@given(GAPS, st.integers(1, 30), st.integers(1, 12))
def test_surviving_lines_are_those_of_the_line_map(
    gaps: list[tuple[int, int, int]], start: int, size: int
) -> None:
    hunks = hunks_of(gaps)
    expected = line_map(hunks, start + size)

    kept, changed = Edits(hunks).split_runs([(start, start + size, 100)])

    origins = {line: 100 + line - start for line in range(start, start + size)}
    assert {
        origin + step: top + step for top, end, origin in kept for step in range(end - top)
    } == {origins[line]: expected[line] for line in origins if expected[line] is not None}
    assert {
        origin + step: top + step for top, end, origin in changed for step in range(end - top)
    } == {origins[line]: line for line in origins if expected[line] is None}


@given(GAPS, st.integers(1, 30), st.integers(1, 12))
def test_a_span_is_carried_as_by_single_steps(
    gaps: list[tuple[int, int, int]], start: int, size: int
) -> None:
    hunks = hunks_of(gaps)
    expected = carried_by_steps(hunks, start, start + size)

    top, end, touched = Edits(hunks).carry_span(start, start + size)

    assert touched == expected[2]
    if expected[0] < expected[1]:
        assert (top, end) == expected[:2]
    else:
        assert top >= end


def test_a_span_grows_to_what_was_replaced_at_its_edge() -> None:
    assert Edits([Hunk(10, 6, 10, 4)]).carry_span(12, 20) == (10, 22, True)


def test_removed_lines_inside_touch_a_span_and_beside_it_do_not() -> None:
    edits = Edits([Hunk(5, 2, 4, 0)])

    assert edits.carry_span(4, 6) == (4, 8, True)
    assert edits.carry_span(5, 7) == (7, 9, False)
    assert edits.carry_span(2, 5) == (2, 5, False)


def test_a_line_broken_in_three_leaves_its_place_to_all_three() -> None:
    edits = Edits([Hunk(4, 1, 4, 3), Hunk(8, 0, 11, 2)])

    matched, added = edits.match_by_place([(4, 7, 40), (11, 13, 60)])

    assert matched == [(4, 5, 40), (4, 5, 41), (4, 5, 42)]
    assert added == [(11, 13, 60)]


def test_spans_that_meet_become_one() -> None:
    assert unite_spans([(8, 9), (1, 4), (3, 6), (6, 7), (5, 5)]) == [(1, 7), (8, 9)]
    assert runs_of([(3, 5), (1, 4)]) == [(1, 5, 1)]

"""How the comparison of the symbol graph with other tools counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from contrib.bench.graph.references import Function, Reference
from contrib.bench.graph.sites import Agreement, Call, Lines, Verdict, compare

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SAVE = Function("a.py", 1, 5, "save")
OTHER = Function("a.py", 9, 5, "other")
TEXT = """def save(x): ...
save(1)
save
thing.save(2)
thing.save(3)
thing.save(4)
thing.save(5)

def other(): ...
"""


class KnownTool:
    """A tool that lists line 2, 3 and 4, knows what 5 and 6 mean, and nothing of line 7."""

    def files(self) -> Sequence[str]:
        return ["a.py"]

    def functions(self) -> Sequence[Function]:
        return [SAVE, OTHER, Function("a.py", 3, 1, "__init__")]

    def references(self, function: Function) -> Sequence[Reference]:
        return [Reference("a.py", line, "save") for line in (2, 3, 4)] if function == SAVE else []

    def definitions(self, path: str, line: int, column: int) -> Sequence[tuple[str, int]]:
        assert TEXT.split("\n")[line - 1][column - 1 :].startswith("save")
        return {5: [("a.py", 1)], 6: [("a.py", 9)]}.get(line, [])


@pytest.mark.parametrize(
    ("line", "calls"),
    [
        ("save(1)", True),
        ("x = box.save (1)", True),
        ("save<T>(1)", True),
        ("box.save?.(1)", True),
        ("handler = save", False),
        ("def save(x):", False),
        ("resave(1)", False),
        ("save_all(1)", False),
    ],
)
def test_a_line_calls_a_name_that_a_bracket_follows(tmp_path: Path, line: str, calls: bool) -> None:
    (tmp_path / "a.py").write_text(f"\n{line}\n")
    assert Lines(tmp_path).calls("a.py", 2, "save") is calls


def test_calls_are_right_wrong_or_unknown_by_what_the_tool_says(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TEXT)
    ours = {("a.py", line): Call("exact", "save", False) for line in (2, 5, 6, 7)}
    (one,) = compare(
        KnownTool(), lambda function: ours if function == SAVE else {}, Lines(tmp_path), 9, 1
    )
    assert {line: verdict for (_, line), verdict in one.verdicts.items()} == {
        2: Verdict.RIGHT, 5: Verdict.RIGHT, 6: Verdict.WRONG, 7: Verdict.UNKNOWN,
    }  # fmt: skip
    assert one.missed() == [("a.py", 4)], "line 3 refers, but does not call"
    total = Agreement(frozenset({"b.py"}))
    total.add(one)
    assert (total.precision("exact"), total.recall()) == (2 / 3, 1 / 2)


def test_a_function_that_we_do_not_know_counts_as_missed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TEXT)
    (one,) = compare(KnownTool(), lambda _: None, Lines(tmp_path), 9, 1)
    total = Agreement()
    total.add(one)
    assert (total.unanswered, total.recall(), total.precision()) == (1, 0.0, 1.0)

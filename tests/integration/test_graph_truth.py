"""Small projects in ten languages whose every use was looked up by hand: what each one means.

`tests/graph_truth/LANGUAGE` has the files of a project, each with `.txt` after its name, and
`key.txt`, with a line per use:

    path:line name -> path:line [path:line ...] exact|inferred|ambiguous
    path:line name -> none

The line of a definition is the one with its name. Several definitions are all meant: overloads, a
class with its constructor, a declaration with its body. A line after `? ` is right, and the product
is known to get it wrong: once it gets it right, the mark must go (`contrib/bench/graph/gaps.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.harness.graph_world import GraphWorld

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.resolve import Resolver
    from paparatsd.graph.source import Target
    from paparatsd.model import Use

TRUTH = Path(__file__).parents[1] / "graph_truth"
LANGUAGES = sorted(one.name for one in TRUTH.iterdir() if one.is_dir())
GAPS = TRUTH / "gaps.txt"
"""How many lines of each key are marked: no more, no fewer. `gaps.py` of contrib writes it."""

_KEY = re.compile(
    r"(?P<gap>\? )?(?P<path>\S+):(?P<line>\d+) (?P<name>\S+) -> "
    r"(?:none|(?P<meant>\S+(?: \S+)*) (?P<how>exact|inferred|ambiguous))"
)


@dataclass(frozen=True)
class Question:
    """One line of a key; `answer` is spelled as in it."""

    text: str
    gap: bool
    path: str
    line: int
    name: str
    answer: str


def project_of(language: str) -> dict[str, str]:
    """Return the files of a project by path."""
    folder = TRUTH / language
    return {
        str(file.relative_to(folder)).removesuffix(".txt"): file.read_text(encoding="utf-8")
        for file in sorted(folder.rglob("*.txt"))
        if file.name != "key.txt"
    }


def questions_of(language: str) -> list[Question]:
    """Return the lines of a key; definitions that are all meant in ascending order."""
    questions = []
    for text in (TRUTH / language / "key.txt").read_text(encoding="utf-8").splitlines():
        match = _KEY.fullmatch(text)
        assert match is not None, f"{language}: {text!r} is no line of a key"
        answer = spelled(match["meant"].split(), match["how"]) if match["meant"] else "none"
        line = int(match["line"])
        questions.append(
            Question(text, bool(match["gap"]), match["path"], line, match["name"], answer)
        )
    return questions


def spelled(places: Iterable[str], how: str) -> str:
    return f"{' '.join(sorted(set(places)))} {how}"


def answer_to(question: Question, resolver: Resolver, files: Mapping[str, str]) -> str:
    """Return what the product says, spelled as in a key."""
    file = resolver.tree.file(question.path)
    assert file is not None, f"{question.path} is not indexed"
    said = {
        "none" if not found.targets else spelled(
            (place_of(one, files) for one in found.targets), found.certainty.value
        )
        for found in (resolver.resolve(file, use) for use in uses_at(file, question))
    }  # fmt: skip
    if len(said) > 1:
        said.discard("none")
    return " or ".join(sorted(said)) or "none"


def uses_at(file: FileSymbols, question: Question) -> list[Use]:
    """Return the uses of a name in a line; an alias stands for what it is given to."""
    return [
        use
        for use in file.uses
        if use.line == question.line and question.name in (use.name, use.alias)
    ]


def place_of(target: Target, files: Mapping[str, str]) -> str:
    """Return path and line of a definition's name; the path alone for a whole file."""
    file = target.tree.file(target.path)
    assert file is not None
    if target.index < 0:
        return target.path
    symbol = file.symbols[target.index]
    lines = files[target.path].split("\n")
    named = re.compile(rf"(?<!\w){re.escape(symbol.name)}(?!\w)")
    inside = range(symbol.start_line, symbol.end_line + 1)
    line = next((at for at in inside if named.search(lines[at - 1])), symbol.start_line)
    return f"{target.path}:{line}"


def spelled_counts(gaps: Mapping[str, int]) -> str:
    return "".join(f"{language} {count}\n" for language, count in gaps.items() if count)


def answers_of(language: str, scratch: Path) -> list[tuple[Question, str]]:
    """Return each line of a key with what the product says."""
    files = project_of(language)
    world = GraphWorld(scratch)
    try:
        world.index(language, files)
        ground = world.ground()
        resolver = ground.resolver(ground.tree(language))
        return [(one, answer_to(one, resolver, files)) for one in questions_of(language)]
    finally:
        world.close()


@pytest.fixture(scope="module", params=LANGUAGES)
def answered(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[tuple[Question, str]]:
    language: str = request.param
    return answers_of(language, tmp_path_factory.mktemp(language))


def test_every_use_means_what_the_key_says(answered: list[tuple[Question, str]]) -> None:
    wrong = [
        f"{one.text}    BUT {said}" for one, said in answered if not one.gap and said != one.answer
    ]
    assert not wrong, "\n" + "\n".join(wrong)


def test_what_is_marked_as_a_gap_is_one(answered: list[tuple[Question, str]]) -> None:
    closed = [one.text for one, said in answered if one.gap and said == one.answer]
    assert not closed, "works now, take the mark away:\n" + "\n".join(closed)


def test_the_number_of_gaps_is_known() -> None:
    gaps = {language: sum(one.gap for one in questions_of(language)) for language in LANGUAGES}
    assert spelled_counts(gaps) == GAPS.read_text(encoding="utf-8")


def test_ten_languages_have_a_key() -> None:
    assert len(LANGUAGES) >= 10

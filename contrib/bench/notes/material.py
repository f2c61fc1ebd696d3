"""The written material: pairs of notes that say the same or something near, and questions.

`contrast_WHAT_SPLIT.txt`: sections `# domain` with threes of a note (`=`), the same in as different
words as possible (`~`), and something else about the same in as similar words as possible (`!`).
`again_WHAT_SPLIT.txt`: sections of neighbours in one project, each a note (`=`) and the same as it
was recorded on its own by somebody else (`~`). `threes_WHAT_SPLIT.txt` has both: sections of
neighbours, each a note, recorded again (`~`), and something else about its subject (`!`), in as
similar words as possible in `dev3`, and as somebody would write it in `test`. `questions.txt`:
sections `# WHAT SPLIT answered` with lines `question -> label of the note`, and `... unanswered`
without.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

from paparatsd.knowledge.cards import text_of as card_text
from paparatsd.knowledge.terms import text_of as term_text
from paparatsd.knowledge_model import CardKind

HERE = Path(__file__).resolve().parent
APART = ("dev", "dev2")
"""Splits whose pairs are in files of two kinds."""
DEVELOPMENT = (*APART, "dev3")
"""Splits to which everything is fitted; `test` was looked at once, after that."""
ALL = (*DEVELOPMENT, "test")
FIELDS = {
    "D": (CardKind.DECISION, ("title", "context", "decision", "consequences")),
    "L": (CardKind.LESSON, ("rule", "why", "when")),
}


@dataclass(frozen=True, slots=True)
class Written:
    """A note as it would be stored: what it is, its label and the text that is compared."""

    kind: str
    domain: str
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs by what they are: see the head of this file."""

    again: list[tuple[Written, Written]]
    neighbours: list[tuple[Written, Written]]
    reworded: list[tuple[Written, Written]]
    near: list[tuple[Written, Written]]
    shortened: list[tuple[Written, Written]]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the label of the note that answers it, "" when none does."""

    text: str
    answer: str


def pairs(what: str, *splits: str) -> Pairs:
    """Return the pairs of `terms` or `cards` of some splits (`ALL` has them).

    again, reworded and shortened are repetitions; neighbours and near are not.
    """
    found = Pairs([], [], [], [], [])
    for split in splits:
        for section in _notes(f"again_{what}_{split}", what) if split in APART else ():
            firsts, seconds = _marked(section, "="), _marked(section, "~")
            found.again.extend(zip(firsts, seconds, strict=True))
            found.neighbours.extend(zip(firsts, firsts[1:] + firsts[:1], strict=True))
        for section in _notes(f"contrast_{what}_{split}", what) if split in APART else ():
            firsts = _marked(section, "=")
            found.reworded.extend(zip(firsts, _marked(section, "~"), strict=True))
            found.near.extend(zip(firsts, _marked(section, "!"), strict=True))
            found.shortened.extend((one, _shortened(one, at)) for at, one in enumerate(firsts))
        for section in _notes(f"threes_{what}_{split}", what) if split not in APART else ():
            firsts = _marked(section, "=")
            found.again.extend(zip(firsts, _marked(section, "~"), strict=True))
            found.near.extend(zip(firsts, _marked(section, "!"), strict=True))
            found.neighbours.extend(zip(firsts, firsts[1:] + firsts[:1], strict=True))
            found.shortened.extend((one, _shortened(one, at)) for at, one in enumerate(firsts))
    return found


def _marked(section: list[tuple[str, Written]], mark: str) -> list[Written]:
    return [note for own, note in section if own == mark]


def _shortened(note: Written, number: int) -> Written:
    """Return a note with one of its parts left out, in its own words otherwise."""
    label, *rest = note.text.split("\n\n")
    if len(rest) == 1:
        return replace(note, text="\n\n".join([label, rest[0].split(". ")[0]]))
    rest = rest[:-1] if number % 2 else rest[1:]
    return replace(note, text="\n\n".join([label, *rest]))


def questions(what: str, split: str) -> tuple[list[Question], list[Question]]:
    """Return the questions of `cards`, `terms` or `docs` with an answer, and those without."""
    sections = _sections(HERE / "questions.txt")
    both = []
    for state in ("answered", "unanswered"):
        lines = next(
            lines for head, lines in sections.items() if head.startswith(f"{what} {split} {state}")
        )
        parted = [line.partition(" -> ") for line in lines]
        both.append([Question(text, answer) for text, _, answer in parted])
    return both[0], both[1]


def _notes(name: str, what: str) -> list[list[tuple[str, Written]]]:
    read = _term if what == "terms" else _card
    return [
        [(mark, read(domain, lines)) for mark, lines in _blocks(content)]
        for domain, content in _sections(HERE / f"{name}.txt").items()
    ]


def _sections(path: Path) -> dict[str, list[str]]:
    sections: defaultdict[str, list[str]] = defaultdict(list)
    head = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            head = line[2:]
        elif line:
            sections[head].append(line)
    return sections


def _blocks(lines: list[str]) -> list[tuple[str, list[str]]]:
    blocks: list[tuple[str, list[str]]] = []
    for line in lines:
        if line[0] in "=~!":
            blocks.append((line[0], [line[1:]]))
        else:
            blocks[-1][1].append(line)
    return blocks


def _term(domain: str, lines: list[str]) -> Written:
    label, *aliases = (part.strip() for part in lines[0].split("|"))
    return Written("term", domain, label, term_text(label, "\n".join(lines[1:]), aliases))


def _card(domain: str, lines: list[str]) -> Written:
    kind, names = FIELDS[lines[0][0]]
    values = [lines[0][2:], *lines[1:]]
    payload = dict(zip(names, values, strict=True))
    return Written(kind.value, domain, values[0], card_text(kind, payload))

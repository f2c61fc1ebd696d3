"""The written material: pairs of notes that say the same or something near, and questions.

`terms_SPLIT.txt`, `cards_SPLIT.txt`: sections `# domain`; in them threes of a note (`=`), the same
said by somebody else (`~`) and something else about the same (`!`). `questions.txt`: sections
`# WHAT SPLIT answered` with lines `question -> label of the note`, and `... unanswered` without.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from paparatsd.knowledge.cards import text_of as card_text
from paparatsd.knowledge.terms import text_of as term_text
from paparatsd.knowledge_model import CardKind

HERE = Path(__file__).resolve().parent
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
class Three:
    """A note, its repetition by somebody else, and something else about the same."""

    note: Written
    repeat: Written
    related: Written


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the label of the note that answers it, "" when none does."""

    text: str
    answer: str


def threes(what: str, split: str) -> list[Three]:
    """Return the threes of `terms` or `cards` of the split `dev` or `test`."""
    read = _term if what == "terms" else _card
    found: list[Three] = []
    for domain, blocks in _sections(HERE / f"{what}_{split}.txt").items():
        notes = [(mark, read(domain, lines)) for mark, lines in _blocks(blocks)]
        for at in range(0, len(notes), 3):
            marks = "".join(mark for mark, _ in notes[at : at + 3])
            if marks != "=~!":
                raise ValueError(f"{what}_{split}: not a three: {notes[at][1].label}")
            found.append(Three(*(note for _, note in notes[at : at + 3])))
    return found


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

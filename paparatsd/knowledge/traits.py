"""What of a text is compared: its words, pieces of words, clauses and numbers, each as a set.

Words are cut as in code (camelCase, snake_case), and lose common endings of English and German.
Chinese, Japanese and Korean have no spaces: there two neighbouring characters are a word. Pieces
are four characters in a row inside a word, so that "reserve" and "reservation" have some in common.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

Words: TypeAlias = frozenset[str]

PIECE = 4
REMEMBERED = 512
"""Texts whose traits are kept: the candidates of one comparison and then some."""

# Words that say nothing of what a note is about, but much of how it is phrased.
_FILLING = """
a an the of in on at to for from by with without and or but if then than that this these those
it its is are was were be been being has have had do does did not no never only all any each
every one two other others another such as so because since when while where which who whom
whose what how why there here we you they he she our your their his her i me my us them can
could may might must should shall will would into onto over under after before between during
about per via also too very more most less least same own out up down off again still just
until through
der die das den dem des ein eine einer eines einem einen und oder nicht kein keine ist sind
war waren wird werden wurde wurden mit ohne von vom zu zum zur im in am an auf aus bei nach
vor über unter für als wie wenn weil dass sich es er sie wir ihr man
"""
_FILLERS = frozenset(_FILLING.split())
_ENDINGS = (
    *("ations", "ation", "ings", "ing", "ies", "ern", "ed", "es", "en", "er", "s", "e", "n"),
)
_SHORTEST_STEM = 3
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z\u00df-\u00ff]+|[0-9]+|[^\W\d_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CLAUSE = re.compile(r"[\n.;:!?,。；，、]+\s*")
_SENTENCE = re.compile(r"[\n.;:!?。；]+")
_NUMBER = re.compile(r"\d+")
_NO = re.compile(
    r"\b(?:not|no|never|none|without|cannot|nobody|nothing|nicht|kein\w*|nie|niemals|ohne)\b"
    r"|n['’]t\b|[不没無无未]|ない|ません",
    re.IGNORECASE,
)
_ACRONYM = re.compile(r"[A-Z][A-Z0-9]{1,5}")
_LABEL_PARTS = re.compile(r"[()|]")


@dataclass(frozen=True, slots=True)
class Traits:
    """Of one note: of its whole text, its label, and its core (what it says, without the scene)."""

    words: Words
    pieces: Words
    fillers: Words
    numbers: Words
    clauses: tuple[Words, ...]
    label: Words
    label_pieces: Words
    core: Words
    core_pieces: Words
    core_phrases: frozenset[tuple[str, str]]
    said: Words
    """All words of the core as they are, fillers too."""
    negations: int
    acronyms: Words
    initials: Words


@lru_cache(maxsize=REMEMBERED)
def traits_of(label: str, text: str) -> Traits:
    """Return the traits of a note of this label; `text` contains the label."""
    core = _core_of(text)
    parts = _LABEL_PARTS.split(label)
    clauses = (pieces_of(clause) for clause in _CLAUSE.split(text))
    return Traits(
        words=stems_of(text),
        pieces=pieces_of(text),
        fillers=frozenset(_words(text)) & _FILLERS,
        numbers=frozenset(_NUMBER.findall(text)),
        clauses=tuple(clause for clause in clauses if clause),
        label=stems_of(label),
        label_pieces=pieces_of(label),
        core=stems_of(core),
        core_pieces=pieces_of(core),
        core_phrases=_phrases(core),
        said=frozenset(_words(core)),
        negations=len(_NO.findall(core)),
        acronyms=frozenset(one.lower() for part in parts for one in _ACRONYM.findall(part)),
        initials=frozenset(
            "".join(word[0] for word in words) for part in parts if (words := _words(part))
        ),
    )


def stems_of(text: str) -> Words:
    """Return the words of a text that say something, without endings."""
    return frozenset(map(_stem, _telling(text)))


def pieces_of(text: str) -> Words:
    """Return the pieces of the words of a text that say something."""
    found: set[str] = set()
    for word in _telling(text):
        if _UNSPACED.search(word):
            found.add(word)
        else:
            framed = f"^{word}$"
            found.update(framed[at : at + PIECE] for at in range(max(1, len(framed) - PIECE + 1)))
    return frozenset(found)


@lru_cache(maxsize=16)
def asked_pieces(question: str) -> Words:
    """Return the pieces of a question, which is held against many notes."""
    return pieces_of(question)


def _core_of(text: str) -> str:
    """Return what a note says: of a decision title and decision, of a lesson rule and why.

    The parts of a note's text stand apart by empty lines: see `cards.text_of`, `terms.text_of`.
    """
    parts = text.split("\n\n")
    if len(parts) >= 4:
        return f"{parts[0]}\n\n{parts[2]}"
    return "\n\n".join(parts[:2])


def _telling(text: str) -> list[str]:
    return [word for word in _words(text) if word not in _FILLERS and len(word) > 1]


@lru_cache(maxsize=REMEMBERED)
def _words(text: str) -> tuple[str, ...]:
    words: list[str] = []
    for found in _WORD.findall(unicodedata.normalize("NFKC", text)):
        word = found.lower()
        if _UNSPACED.search(word) and len(word) > 1:
            words += [word[at : at + 2] for at in range(len(word) - 1)]
        else:
            words.append(word)
    return tuple(words)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)] if word.isascii() else word
    return word


def _phrases(text: str) -> frozenset[tuple[str, str]]:
    """Return the pairs of neighbouring words, fillers too."""
    pairs: set[tuple[str, str]] = set()
    for sentence in _SENTENCE.split(text):
        words = [_stem(word) for word in _words(sentence)]
        pairs.update(pairwise(words))
    return frozenset(pairs)

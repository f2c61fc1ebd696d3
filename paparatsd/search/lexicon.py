"""What words of other languages are called in code: the lexicon, and finding its words in text.

Languages that write without spaces are cut by longest match, inflected ones are matched by the
beginnings of words. No dictionary of a language is meant: only what software is made of.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Senses = tuple[tuple[str, float], ...]
    """English words and how likely each is meant, the first ones most; empty: says nothing."""

LEXICON, HAN_FORMS = "lexicon.txt", "han.txt"
FURTHER_WORD = 0.5
"""Share of the second and later English words of one line."""
LONGEST_WORD = 10
LONGEST_PHRASE = 3
_NOTHING = "-"
_LINKS = ("", "s", "es", "n", "en", "er", "e")
"""What German puts between the parts of a compound."""
_SHORTEST_PART = 4
_AFTER_ONE_SYLLABLE = frozenset("을를이가은는에의로으와과도만까부기고어아지하처마")
"""How Korean particles and endings begin: a word of one syllable ends before them."""


class Language(StrEnum):
    """A column of the lexicon: languages that one table serves."""

    HAN = "han"
    HANGUL = "hangul"
    CYRILLIC = "cyrillic"
    GERMAN = "german"
    FRENCH = "french"
    IBERIAN = "iberian"


@dataclass(frozen=True, slots=True)
class Found:
    """A piece of a text, its place there, and its senses; None when the lexicon lacks it."""

    start: int
    text: str
    senses: Senses | None


@lru_cache(maxsize=1)
def _tables() -> Mapping[Language, Mapping[str, Senses]]:
    """Read the lexicon: language -> word as `fold` writes it -> senses."""
    lines: dict[Language, dict[str, list[list[str]]]] = {language: {} for language in Language}
    text = Path(__file__).with_name(LEXICON).read_text(encoding="utf-8")
    for line in fold(text).splitlines():
        if line and not line.startswith("#"):
            english, *columns = (cell.split() for cell in line.split("|"))
            for language, words in zip(Language, columns, strict=False):
                for word in dict.fromkeys(words):
                    key = word.replace("_", " ").replace("-", " ")
                    lines[language].setdefault(key, []).append(english)
    return MappingProxyType({
        language: MappingProxyType({word: _senses(found) for word, found in table.items()})
        for language, table in lines.items()
    })  # fmt: skip


def _senses(lines: Sequence[Sequence[str]]) -> Senses:
    """Share a word's meaning among the lines it stands in."""
    shares: dict[str, float] = {}
    for words in lines:
        for place, word in enumerate(words):
            share = len(lines) ** -0.5 * (FURTHER_WORD if place else 1.0)
            if word != _NOTHING:
                shares[word] = min(1.0, share + shares.get(word, 0.0))
    return tuple(sorted(shares.items(), key=lambda item: -item[1]))


@lru_cache(maxsize=1)
def _han_forms() -> Mapping[int, str]:
    text = Path(__file__).with_name(HAN_FORMS).read_text(encoding="utf-8")
    pairs = [pair for line in text.splitlines() if line[:1] != "#" for pair in line.split()]
    # A plain dictionary: `str.translate` asks it for every character.
    return {ord(pair[0]): pair[1] for pair in pairs}


def fold(text: str) -> str:
    """Return a text of the same length in the form in which the lexicon has its words.

    Small letters without accents, simplified characters.
    """
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFC", text).translate(_han_forms())
    return "".join(map(_plain, text))


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    """Return a letter in lower case without its accent, other characters as they are."""
    low = character.lower()[:1]
    if "\u0400" <= low <= "\u04ff":
        return "е" if low == "ё" else low
    return unicodedata.normalize("NFD", low)[0] if low < "\u0250" else low


def find_han(text: str) -> list[Found]:
    """Cut Chinese or Japanese text (folded) into words by longest match.

    A character that is a word of its own counts only when no unknown one stands beside it.
    """
    table = _tables()[Language.HAN]
    found: list[Found] = []
    at = gap = 0
    while at <= len(text):
        size = _longest(table, text, at) if at < len(text) else 0
        if size or at == len(text):
            found += _single(table, text, gap, at)
        if size:
            found.append(Found(at, text[at : at + size], table[text[at : at + size]]))
            gap = at + size
        at += max(1, size)
    return found


def _longest(table: Mapping[str, Senses], text: str, at: int) -> int:
    """Return the length, 2 or more, of the longest word of the table at a place, 0 for none."""
    for size in range(min(LONGEST_WORD, len(text) - at), 1, -1):
        if text[at : at + size] in table:
            return size
    return 0


def _single(table: Mapping[str, Senses], text: str, start: int, end: int) -> Iterator[Found]:
    """Yield the words of one character in what longer words have left over."""
    run: list[int] = []
    for at in range(start, end + 1):
        inside = at < end and not "\u3040" <= text[at] <= "\u309f" and text[at].isalpha()
        if inside and table.get(text[at]) != ():
            run.append(at)
            continue
        if len(run) == 1 and text[run[0]] in table:
            yield Found(run[0], text[run[0]], table[text[run[0]]])
        elif run:
            yield Found(run[0], text[run[0] : run[-1] + 1], None)
        run = []


def find_hangul(text: str) -> list[Found]:
    """Find words in Korean text: at the beginnings of words and inside compounds."""
    table = _tables()[Language.HANGUL]
    found: list[Found] = []
    at = 0
    while at < len(text):
        size = 0 if text[at].isspace() else _longest(table, text, at)
        if not size and _stands_alone(text, at) and text[at] in table:
            size = 1
        if size:
            found.append(Found(at, text[at : at + size], table[text[at : at + size]]))
        at += max(1, size)
    return found


def _stands_alone(text: str, at: int) -> bool:
    begins = at == 0 or not text[at - 1].isalpha()
    after = text[at + 1 : at + 2]
    return begins and (not after.isalpha() or after in _AFTER_ONE_SYLLABLE)


def find_inflected(words: Sequence[tuple[int, str]], language: Language) -> list[Found]:
    """Look words (place, folded text) up by their beginnings, phrases of several words first."""
    table = _tables()[language]
    found: list[Found] = []
    at = 0
    while at < len(words):
        size, senses = _phrase(language, [word for _, word in words[at : at + LONGEST_PHRASE]])
        if size > 1:
            found.append(Found(words[at][0], " ".join(w for _, w in words[at : at + size]), senses))
            at += size
            continue
        start, word = words[at]
        parts = _compound(table, word) if language is Language.GERMAN else ()
        if not parts:
            found.append(Found(start, word, _beginning(table, word)))
        found += [Found(start, part, one) for part, one in parts]
        at += 1
    return found


def _phrase(language: Language, words: Sequence[str]) -> tuple[int, Senses]:
    """Return the number of words in the longest phrase these begin with, and its senses."""
    known = _phrases(language).get(words[0][:2], ())
    for size in range(len(words), 1, -1):
        for stems in known:
            if len(stems) == size and all(map(_begins, words, stems)):
                return size, _tables()[language][" ".join(stems)]
    return 0, ()


@lru_cache(maxsize=len(Language))
def _phrases(language: Language) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Index the phrases of a language by the first two letters."""
    index: dict[str, list[tuple[str, ...]]] = {}
    for key in _tables()[language]:
        if " " in key:
            index.setdefault(key[:2], []).append(tuple(key.split()))
    return MappingProxyType({start: tuple(found) for start, found in index.items()})


def _begins(word: str, beginning: str) -> bool:
    return word.startswith(beginning) and _is_ending(beginning, len(word) - len(beginning))


def _is_ending(beginning: str, rest: int) -> bool:
    """Whether so many letters more may be an inflection: longer words have longer ones."""
    return rest <= (len(beginning) if len(beginning) < 5 else 7)


def _beginning(table: Mapping[str, Senses], word: str) -> Senses | None:
    for size in range(len(word), 1, -1):
        senses = table.get(word[:size])
        if senses is not None and _is_ending(word[:size], len(word) - size):
            return senses
    return None


def _compound(table: Mapping[str, Senses], word: str) -> tuple[tuple[str, Senses], ...]:
    """Cut a German compound in two known words, empty when it is not one."""
    for size in range(len(word) - _SHORTEST_PART, _SHORTEST_PART - 1, -1):
        first = table.get(word[:size])
        if first is None:
            continue
        for link in _LINKS:
            rest = word[size + len(link) :]
            if word.startswith(link, size) and len(rest) >= _SHORTEST_PART:
                second = _beginning(table, rest)
                if second:
                    return ((word[:size], first), (rest, second))
    return ()

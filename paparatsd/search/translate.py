"""Questions in other natural languages, word by word into the words of code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.chunks.terms import STOP, is_cjk
from paparatsd.search.lexicon import (
    Found,
    Language,
    find_han,
    find_hangul,
    find_inflected,
    fold,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from paparatsd.search.lexicon import Senses

_HAN = r"\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_RUN = re.compile(
    rf"(?P<han>[{_HAN}]+)"
    r"|(?P<hangul>[\uac00-\ud7af]+(?:\s+[\uac00-\ud7af]+)*)"
    r"|(?P<cyrillic>[\u0400-\u04ff'\u02bc\u2019]+(?:[-\s]+[\u0400-\u04ff'\u02bc\u2019]+)*)"
    r"|(?P<code>[`$A-Za-z_](?:[\w.:#/\\$-](?<![\u3040-\uffff\u0400-\u04ff]))*(?:\(\))?`?|\d+)"
)
_CYRILLIC_WORD = re.compile(r"[\u0400-\u04ff'\u02bc\u2019]+")
_APOSTROPHES = re.compile(r"['\u02bc\u2019]")
_LATIN_WORD = re.compile(r"[^\W\d_]+|\w+")
_FUNCTION_WORDS = {
    Language.GERMAN: (
        "wie wo wird werden wurde der das dem und oder nicht fur von ein eine einer einem einen"
        " wenn aus bei auf ist sind welche welcher welches wer warum wieso zum zur kann nach"
        " beim vom sich uber durch zwischen im wir ich noch gibt"
    ),
    Language.FRENCH: (
        "ou sont les une du dans pour avec quel quelle quels quelles qui sur des et"
        " cette ces pourquoi lorsque quand aux leur lors"
    ),
    Language.IBERIAN: (
        "donde el los las una uno un del para por que cual cuales esta estan es en y como cuando"
        " onde os uma um do da dos das com qual quais em nos nas sao ao pelo pela su sus seu sua"
    ),
}
_UNSURE_WORDS = {
    Language.GERMAN: "die den des mit man alle als war was an in so am",
    Language.FRENCH: "de la le est par se ce comment l d qu c en a un au",
    Language.IBERIAN: "de la con al lo se no na o a e as",
}
"""Function words that also mean something in English, in code, or in another language."""
_FUNCTIONS = {language: frozenset(words.split()) for language, words in _FUNCTION_WORDS.items()}
_UNSURE = {language: frozenset(words.split()) for language, words in _UNSURE_WORDS.items()}
_ACCENTS = {
    Language.GERMAN: frozenset("äöüß"),
    Language.FRENCH: frozenset("éèêëàâîïôûùçœ"),
    Language.IBERIAN: frozenset("áéíóúñãõâêç¿¡"),
}
_CERTAIN = 2
_ENOUGH = 3
"""Evidence for a language: 2 a function word of its own or an accent, 1 an unsure word."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a question in order: what it was, and what it may be called in code.

    Without senses it is kept as it stands: an identifier, or a word that the lexicon lacks.
    """

    source: str
    senses: Senses = ()


def is_foreign(text: str) -> bool:
    """Whether a text has letters of a script that code is seldom in, or is clearly not English."""
    if not text.isascii() and any(_is_other_script(character) for character in text):
        return True
    return latin_language(text) is not None


def _is_other_script(character: str) -> bool:
    return "\u0400" <= character <= "\u04ff" or (character > "\u3000" and is_cjk(character))


def latin_language(text: str) -> Language | None:
    """Return the language of a question in Latin letters, None for English and when unsure.

    It takes function words of the language or letters that only it has, and hardly any function
    words of English.
    """
    low = text.lower()
    said = frozenset(re.findall(r"[a-z]+", low if text.isascii() else fold(text)))
    found = {language: said & words for language, words in _FUNCTIONS.items()}
    if text.isascii() and not any(found.values()):
        return None
    evidence = {
        language: _CERTAIN * len(found[language])
        + len(said & _UNSURE[language])
        + _CERTAIN * (not _ACCENTS[language].isdisjoint(low))
        for language in found
    }
    best = max(evidence, key=lambda language: evidence[language])
    english = (said & STOP) - _FUNCTIONS[best] - _UNSURE[best]
    if evidence[best] < _ENOUGH or (english and len(found[best]) <= len(english)):
        return None
    return best


def translate(text: str) -> tuple[Piece, ...]:
    """Return the pieces of a question that says something of code, in order; see `is_foreign`."""
    if any(_is_other_script(character) for character in text):
        return tuple(_runs(text))
    language = latin_language(text)
    return () if language is None else tuple(_latin(text, language))


def _runs(text: str) -> Iterator[Piece]:
    """Yield the pieces of a text in which scripts may be mixed."""
    for match in _RUN.finditer(text):
        run = match[0]
        if match.lastgroup == "han":
            yield from _known(find_han(fold(run)), keep_unknown=True)
        elif match.lastgroup == "hangul":
            yield from _known(find_hangul(run), keep_unknown=False)
        elif match.lastgroup == "cyrillic":
            words = [
                (word.start(), fold(_APOSTROPHES.sub("", word[0])))
                for word in _CYRILLIC_WORD.finditer(run)
            ]
            yield from _known(find_inflected(words, Language.CYRILLIC), keep_unknown=False)
        elif run.lower() not in STOP:
            yield Piece(run.strip("`"))


def _known(found: Iterable[Found], *, keep_unknown: bool) -> Iterator[Piece]:
    for one in found:
        if one.senses:
            yield Piece(one.text, one.senses)
        elif one.senses is None and keep_unknown:
            yield Piece(one.text)


def _latin(text: str, language: Language) -> Iterator[Piece]:
    """Yield the pieces of a question in a language with Latin letters; names stay as they are."""
    quiet = _FUNCTIONS[language] | _UNSURE[language] | STOP
    words: list[tuple[int, str]] = []
    for match in re.finditer(r"[^\s¿?¡!,;\"()]+", text):
        word = match[0].strip(".:")
        if _is_name(word):
            yield from _words(words, language, quiet)
            words = []
            yield Piece(word.strip("`"))
        else:
            parts = _LATIN_WORD.finditer(word)
            words += [(match.start() + part.start(), fold(part[0])) for part in parts]
    yield from _words(words, language, quiet)


def _is_name(word: str) -> bool:
    return bool(re.search(r"[a-z][A-Z]|[_`/\\#\d]|\w[.:]+\w|\(\)$", word))


def _words(
    words: list[tuple[int, str]], language: Language, quiet: frozenset[str]
) -> Iterator[Piece]:
    for one in find_inflected(words, language):
        if one.senses:
            yield Piece(one.text, one.senses)
        elif one.senses is None and one.text not in quiet:
            yield Piece(one.text)

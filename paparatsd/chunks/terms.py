"""Words of code and of questions: one tokenizer for both, and the ids that the stores know.

A word yields itself in lower case and, when it is composed (`getUserById`, `rate_limit`), its
parts; each is stemmed. Scripts without spaces yield overlapping pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING

import Stemmer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

TERMS_VERSION = 1
"""Part of the pipeline fingerprint: a different tokenizer never shares an index."""

_STOP_WORDS = (
    "a an and are as at be been but by can could do does did for from has have how i if in into is"
    " it its me my no not of on or our out over so such than that the their them then there these"
    " they this to up use used uses using via was we were what when where which while who why will"
    " with you your between through"
)
STOP = frozenset(_STOP_WORDS.split())
"""Words of a question that say nothing about code."""

MEMO_WORDS = 1 << 17
"""Distinct words remembered per process (about 30 MB when full)."""
STEMMED_ALIKE = 3
"""A longer stem has so many first letters of the word in common with it."""
MAX_COMPOSED = 64
"""A longer word is a hash or a blob: it is kept whole, its parts would only be noise."""

_WORD = re.compile(r"[^\W\d]\w*|\d+")
_ASCII_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+")
_APART = "".join(one if one.isalnum() or one == "_" else " " for one in map(chr, range(128)))
"""By ASCII code: the character itself where words may have it, else a space."""
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = re.compile(rf"[{_CJK}]+|[^\W\d_{_CJK}]+|\d+")


def words(text: str) -> list[str]:
    """Return the words of `text` in order, as written."""
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return _WORD.findall(unicodedata.normalize("NFC", text))


def tokens(text: str) -> list[str]:
    """Return the terms of `text` in order, repeats kept."""
    return list(chain.from_iterable(map(_run_tokens, _runs(text))))


def beginnings_of(terms: Iterable[str]) -> tuple[str, ...]:
    """Return how the plain words begin, in lower case, that can have one of these terms."""
    # Stemming takes letters from the end and changes one there at most.
    return tuple(
        {term[:STEMMED_ALIKE] if len(term) > STEMMED_ALIKE else term[:1] for term in terms}
    )


def find_tokens(
    text: str, terms: Collection[str], beginnings: tuple[str, ...]
) -> tuple[int, list[str]]:
    """Return the number of terms of `text`, and those which are of `terms`, in order.

    What `tokens` would say, without looking each word up: most are plain and begin otherwise.
    beginnings: what `beginnings_of` returns for these terms.
    """
    size = 0
    found: list[str] = []
    for run in _runs(text):
        if run.isalpha() and run.isascii() and (run.islower() or run.istitle() or run.isupper()):
            size += 1
            word = run.lower()
            if not word.startswith(beginnings):
                continue
            said: tuple[str, ...] = (stem(word),)
        else:
            said = _run_tokens(run)
            size += len(said)
        found += [term for term in said if term in terms]
    return size, found


def _runs(text: str) -> list[str]:
    """Return the words of `text`, a number with the letters that follow it as one."""
    # Splitting at what belongs to no word is several times as fast as looking for words.
    return text.translate(_APART).split() if text.isascii() else words(text)


@lru_cache(maxsize=MEMO_WORDS)
def _run_tokens(run: str) -> tuple[str, ...]:
    if run[0].isdecimal():  # `3d` is two words
        return tuple(term for word in words(run) for term in word_tokens(word))
    return word_tokens(run)


@lru_cache(maxsize=MEMO_WORDS)
def word_tokens(word: str) -> tuple[str, ...]:
    """Return the terms of one word: the whole in lower case, then its parts when composed."""
    whole = word.lower()
    parts = [] if len(word) > MAX_COMPOSED else _parts(word)
    if not parts and not whole.strip("_"):
        return ()
    out = [stem(whole)]
    if len(parts) > 1 or (parts and parts[0] != whole):
        out += [stem(part) for part in parts]
    # `_name` and `name` are one term; the whole is dropped where a part already says it.
    return tuple(out[1:] if out[0] in out[1:] else out)


def parts_of(name: str) -> list[str]:
    """Return the stemmed sub-words of an identifier or path piece, in order."""
    return [stem(part) for word in words(name) for part in _parts(word[:256])]


def _parts(word: str) -> list[str]:
    if word.isascii():
        return [part.lower() for part in _PART.findall(word)]
    return [part for run in _RUN.findall(word) for part in _run_parts(run)]


def _run_parts(run: str) -> Iterable[str]:
    if run.isascii():
        return (part.lower() for part in _PART.findall(run))
    if not is_cjk(run[0]):
        return _camel_parts(run)
    if len(run) == 1:
        return (run,)
    return (run[i : i + 2] for i in range(len(run) - 1))


def _camel_parts(run: str) -> list[str]:
    """Split letters of any script where a capital follows a small letter."""
    cuts = [0]
    cuts += [i for i in range(1, len(run)) if run[i].isupper() and run[i - 1].islower()]
    return [run[a:b].lower() for a, b in zip(cuts, [*cuts[1:], len(run)], strict=True)]


def is_cjk(character: str) -> bool:
    """Whether the character belongs to a script that is written without spaces."""
    return bool(re.match(f"[{_CJK}]", character))


@lru_cache(maxsize=MEMO_WORDS)
def stem(word: str) -> str:
    """Return the Porter stem of a lower-case ASCII word of more than three letters, else itself."""
    if len(word) <= 3 or len(word) > MAX_COMPOSED or not (word.isascii() and word.isalpha()):
        return word
    stemmed: str = _porter().stemWord(word)
    return stemmed


@lru_cache(maxsize=1)
def _porter() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("porter")


@lru_cache(maxsize=MEMO_WORDS)
def term_id(term: str) -> int:
    """Return the term's number: the first 32 bits of its BLAKE2b."""
    return int.from_bytes(blake2b(term.encode("utf-8", "replace"), digest_size=4).digest(), "big")


@lru_cache(maxsize=MEMO_WORDS)
def _run_ids(run: str) -> tuple[int, ...]:
    return tuple(map(term_id, _run_tokens(run)))


def text_ids(text: str) -> list[int]:
    """Return the numbers of the terms of `text`, repeats kept."""
    return list(chain.from_iterable(map(_run_ids, _runs(text))))


@lru_cache(maxsize=MEMO_WORDS)
def _run_bytes(run: str) -> bytes:
    return b"".join(term_id(term).to_bytes(4, "little") for term in _run_tokens(run))


def text_id_bytes(text: str) -> bytes:
    """Return what `text_ids` does as little-endian numbers of four bytes, for long texts."""
    return b"".join(map(_run_bytes, _runs(text)))

"""What a question means in the words of the code that is searched.

A question in another language is read word by word in English; a word that stands nowhere is
corrected, or replaced by its short or long form. English questions whose words the code has are
left as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.terms import STOP, is_cjk, stem, term_id, word_tokens
from paparatsd.search.abbreviations import other_forms
from paparatsd.search.families import family
from paparatsd.search.query import MAX_TERMS, POSITION_DECAY, Intent, QueryTerm, analyse
from paparatsd.search.translate import is_foreign, translate
from paparatsd.search.typos import correct, numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from paparatsd.search.query import Query
    from paparatsd.search.translate import Piece
    from paparatsd.search.typos import Frequency

    Choice = tuple[tuple[str, float], ...]

ORIGINAL_WEIGHT = 0.3
"""Worth of a foreign word as it stands, where the code or its comments have it."""
SHORTEST_ORIGINAL = 2
OTHER_FORM_WEIGHT = 0.7
MAX_CORRECTED = 3
"""Unknown words that are looked into; a question with more is about something else."""
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")


@dataclass(frozen=True, slots=True)
class Expanded:
    """A question as it is searched for, what to tell the reader, and how often its terms occur.

    frequency [terms]: in how many chunks each of `query.terms` stands.
    """

    query: Query
    notes: tuple[str, ...]
    frequency: NDArray[np.float64]


def expand(
    query: Query,
    frequency: Frequency,
    own_name: str | None = None,
    is_word: Callable[[str], bool] | None = None,
) -> Expanded:
    """Return the question as it should be searched for.

    `frequency` says in how many chunks terms stand, by their numbers (`Corpus.frequency`).
    `own_name`: as for `analyse`. `is_word`: as for `correct`.
    """
    notes: tuple[str, ...] = ()
    counts = _frequency_of(query, frequency)
    if _is_question(query) and is_foreign(query.text):
        translated = _in_english(query, counts, frequency, own_name)
        if translated is not None:
            notes = (f'Read as "{translated.meaning}" in English.', *_not_understood(query.text))
            return Expanded(translated, notes, _frequency_of(translated, frequency))
    if query.subject:
        query = _with_families(query, frequency)
        counts = _frequency_of(query, frequency)
    unknown = [term.text for term, count in zip(query.terms, counts, strict=True) if count <= 0]
    if unknown and query.intent is not Intent.CODE:
        changed, notes = _without_unknown(query, unknown, frequency, own_name, is_word)
        if changed is not query:
            return Expanded(changed, notes, _frequency_of(changed, frequency))
    return Expanded(query, notes, counts)


def _is_question(query: Query) -> bool:
    return query.intent is not Intent.CODE and not (query.callers_of or query.definition_of)


def _frequency_of(query: Query, frequency: Frequency) -> NDArray[np.float64]:
    return frequency(np.array([term.id for term in query.terms], np.uint32))


# --------------------------------------------------------------------------- other languages


def _in_english(
    query: Query, counts: NDArray[np.float64], frequency: Frequency, own_name: str | None
) -> Query | None:
    """Return the question in English, None when the lexicon knows none of its words."""
    pieces = translate(query.text)
    if not any(piece.senses for piece in pieces):
        return None
    choices = _choose(pieces, frequency)
    main = [word for choice in choices for word, share in choice if share >= 1.0]
    every = [word for choice in choices for word, _ in choice]
    english = analyse(" ".join(dict.fromkeys(main)), own_name)
    weights = {term.text: term.weight for term in analyse(" ".join(every), own_name).terms}
    original = [
        term for term, count in zip(query.terms, counts, strict=True)
        if count > 0 and not term.text.isascii() and len(term.text) >= SHORTEST_ORIGINAL
    ]  # fmt: skip
    return replace(
        english,
        text=query.text,
        terms=_weighted(choices, weights, original),
        paths=query.paths,
        embed_text=english.text,
    )


def _not_understood(text: str) -> tuple[str, ...]:
    """Return what to tell of the words that are left out because the lexicon lacks them.

    Only those that a language without inflections has: of others most are function words.
    """
    left = [
        piece.source for piece in translate(text)
        if not piece.senses and len(piece.source) > 1 and is_cjk(piece.source[0])
    ]  # fmt: skip
    return (f"Not understood and left out: {', '.join(dict.fromkeys(left))}.",) if left else ()


def _choose(pieces: Iterable[Piece], frequency: Frequency) -> list[Choice]:
    """Return for each piece the English words that the code has, the likeliest with share 1.

    Of a piece none of whose words the code has, the first; a foreign word without any is left out.
    """
    pieces = list(pieces)
    words = [word for piece in pieces for word, _ in piece.senses]
    known = dict(zip(words, frequency(numbers([stem(word) for word in words])), strict=True))
    choices: list[Choice] = []
    for piece in pieces:
        if not piece.senses:
            choices.append(((piece.source, 1.0),) if piece.source.isascii() else ())
            continue
        found = [(word, share) for word, share in piece.senses if known[word] > 0]
        found = found or [piece.senses[0]]
        best = max(share for _, share in found)
        choices.append(tuple((word, share / best) for word, share in found))
    return [choice for choice in choices if choice]


def _weighted(
    choices: Sequence[Choice], weights: dict[str, float], original: Sequence[QueryTerm]
) -> tuple[QueryTerm, ...]:
    terms: dict[str, QueryTerm] = {}
    for place, choice in enumerate(choices):
        for word, share in choice:
            if word.lower() in STOP:
                continue
            for text in word_tokens(word):
                weight = weights.get(text, 1.0) * share
                if text not in terms or terms[text].weight < weight:
                    position = terms[text].position if text in terms else POSITION_DECAY**place
                    terms[text] = QueryTerm(text, term_id(text), weight, position)
    for term in original:
        terms.setdefault(term.text, replace(term, weight=ORIGINAL_WEIGHT * term.weight))
    return tuple(terms.values())[:MAX_TERMS]


# --------------------------------------------------------------------------- unknown words


def _without_unknown(
    query: Query,
    unknown: Sequence[str],
    frequency: Frequency,
    own_name: str | None,
    is_word: Callable[[str], bool] | None,
) -> tuple[Query, tuple[str, ...]]:
    """Return the question with its unknown words replaced, and notes that say so."""
    wanted = frozenset(unknown)
    parts = dict.fromkeys(part.lower() for part in _PART.findall(query.text))
    words = [word for word in parts if stem(word) in wanted][:MAX_CORRECTED]
    fixes: dict[str, str] = {}
    further: list[str] = []
    notes: list[str] = []
    for word in words:
        other = _known_forms(word, frequency)
        if other:
            further += other
            continue
        correction = correct(word, frequency, is_word)
        if correction is not None:
            fixes[word] = " ".join(correction.meant)
            notes.append(f"No file has '{word}': searched for '{fixes[word]}'.")
    if fixes:
        query = analyse(_replaced(query.text, fixes), own_name)
    return (_with_further(query, further) if further else query), tuple(notes)


def _with_families(query: Query, frequency: Frequency) -> Query:
    """Return a question for a kind of files with words that share a stem with its subject.

    "docs about deployment" are called "deploying"; such files are few, and their words others.
    """
    forms = [(terms, family(terms[0])) for terms in query.subject]
    every = list(dict.fromkeys(form for _, found in forms for form in found))
    known = dict(zip(every, frequency(numbers(every)) > 0, strict=True))
    found = [(terms, tuple(form for form in others if known[form])) for terms, others in forms]
    more = _with_further(query, [form for _, others in found for form in others])
    return replace(more, subject=tuple((*terms, *others) for terms, others in found))


def _known_forms(word: str, frequency: Frequency) -> list[str]:
    forms = other_forms(stem(word))
    if not forms:
        return []
    counts = frequency(numbers([stem(form) for form in forms]))
    return [form for form, count in zip(forms, counts, strict=True) if count > 0]


def _replaced(text: str, fixes: dict[str, str]) -> str:
    """Return the text with words replaced, also inside names, their capitals kept."""

    def fix(match: re.Match[str]) -> str:
        word = match[0]
        other = fixes.get(word.lower())
        if other is None:
            return word
        if word.isupper():
            return other.upper()
        return other[0].upper() + other[1:] if word[0].isupper() else other

    return _PART.sub(fix, text)


def _with_further(query: Query, words: Iterable[str]) -> Query:
    """Return the question with more words at its end, which count less."""
    have = {term.text for term in query.terms}
    last = POSITION_DECAY ** len(query.terms)
    more = {
        text: QueryTerm(text, term_id(text), OTHER_FORM_WEIGHT, last)
        for word in words
        for text in word_tokens(word)
        if text not in have
    }
    return replace(query, terms=(*query.terms, *more.values())[:MAX_TERMS])

"""What a question says: its terms with weights, the names it asks for, and what it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from paparatsd.chunks.terms import STOP, stem, term_id, word_tokens, words
from paparatsd.errors import BadQuery
from paparatsd.search.intents import callers_of, definition_of, parts
from paparatsd.search.kinds import kind_at_head, kinds_asked_for
from paparatsd.search.messages import constant_words, is_message
from paparatsd.search.places import find_places, is_only_place, is_place, without_frames
from paparatsd.search.spelling import spellings, split_qualified

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paparatsd.search.places import Place

MAX_CHARS = 8_000
SHORT_CHARS = 500
MAX_TERMS = 48
"""Later words of a long question or a pasted snippet add cost, not meaning."""
POSITION_DECAY = 0.75
"""The i-th term counts 0.75^i where position matters: the first words name the subject."""
OWN_NAME_WEIGHT = 0.15
GENERIC_WEIGHT = 0.4

_GENERIC_WORDS = (
    "implementation implement implements implemented implementing handling handle handles handled"
    " support supports supporting logic mechanism functionality various different work works"
    " working feature custom provide provides provided manage managed management perform performed"
    " defined define definition happen happens internally inside code find show locate place"
)
GENERIC = frozenset(stem(word) for word in _GENERIC_WORDS.split())
"""Words that describe any code."""

_CODE_SIGNS = re.compile(
    r"\b(?:function|const|let|var|class|def|func)\s+\w+\s*[=({:]|^\s*import\s+[\w{]|\brequire\(|=>"
    r"|[{};]\s*$|#include|\bpub fn\b|\w\(.*\)\s*[{;:]",
    re.M,
)
_CALL = re.compile(r"[\w$]+(?:(?:::|->|[.#\\])[\w$]+)*\([^()\n]*\)")
_NAME_IN_PROSE = re.compile(r"[a-z][A-Z]|_")
_WRITTEN_AS_NAME = re.compile(r"[A-Z_]")
_CAPITALISED = re.compile(r"[A-Z][a-z]")
_MARKED_NAME = re.compile(
    r"(?<!\w)[`'\"](?P<quoted>[A-Za-z_$][\w$]*(?:(?:::|->|[.#\\])[A-Za-z_$][\w$]*)*)(?:\(\))?[`'\"](?!\w)"
    r"|(?P<called>[A-Za-z_$][\w$]*(?:(?:::|->|[.#\\])[A-Za-z_$][\w$]*)*)\(\)"
    r"|(?P<qualified>[A-Za-z_$][\w$]*(?:(?:::|->|[#\\])[A-Za-z_$][\w$]*)+)"
)
_MARKS = frozenset("`'\"(:>#\\")
MAX_NAMES = 8


class Intent(StrEnum):
    """What kind of question it is."""

    SYMBOL = "symbol"
    LANGUAGE = "language"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One term. `weight` is how telling the word is, `position` how early it stands (both <= 1)."""

    text: str
    id: int
    weight: float
    position: float


@dataclass(frozen=True, slots=True)
class Query:
    """A question, analysed.

    names: identifiers it asks for, case kept, without what qualifies them. joined: other ways of
    writing them, and adjacent words written as one name, lower case ("rate limit" -> "ratelimit").
    about: kinds of files it asks for by word (test, docs, example, config, variant), which are
    then not held against a file. qualifiers: containers, packages or folders that a name was
    given with ("Sinatra" of `Sinatra::Base`). spellings: other spellings of the names, lower case.
    paths: files it points to. callers_of: the name whose uses are asked for. definition_of: the
    name whose definition is, and nothing else. embed_text: what to embed instead of the text; see
    `meaning`. only_place: whether it is one of `paths` and asks nothing else.
    kind: what kind of file it asks for at its head ("tests for the router"), see `kind_at_head`;
    subject: then the terms of the rest, each with others that would do.
    """

    text: str
    intent: Intent
    terms: tuple[QueryTerm, ...]
    names: tuple[str, ...]
    joined: tuple[str, ...]
    about: frozenset[str]
    qualifiers: tuple[str, ...] = ()
    spellings: tuple[str, ...] = ()
    paths: tuple[Place, ...] = ()
    callers_of: str | None = None
    definition_of: str | None = None
    embed_text: str = ""
    only_place: bool = False
    kind: str = ""
    subject: tuple[tuple[str, ...], ...] = ()

    @property
    def plain(self) -> bool:
        """Whether it is one ordinary word, which names a topic as often as an identifier."""
        return self.text.isalpha() and self.text == self.text.lower()

    @property
    def single(self) -> bool:
        """Whether it is one identifier; such questions are answered by words alone."""
        return self.intent is Intent.SYMBOL

    @property
    def meaning(self) -> str:
        """The text to embed: the question, in English and without what varies."""
        return self.embed_text or self.text


def analyse(text: str, own_name: str | None = None) -> Query:
    """Analyse a question. `own_name` is the project's name when only one is searched.

    Raises BadQuery for an empty or an absurdly long text.
    """
    text = cleaned(text)
    if not text:
        raise BadQuery("the query is empty; say in words or by a name what you look for")
    if len(text) > MAX_CHARS:
        raise BadQuery(f"the query has {len(text)} characters; at most {MAX_CHARS} are read")
    callers, definition = callers_of(text), definition_of(text)
    asked = callers or definition
    places = find_places(text)
    # `subject` is what is looked for, without the words that only say what is wanted of it.
    subject = asked or text
    intent = Intent.SYMBOL if asked else _intent(text)
    message = intent is not Intent.SYMBOL and is_message(text)
    frames = [place.name for place in places if place.name]
    if message or frames:
        subject = constant_words(without_frames(text) if frames else text)
        subject = " ".join((subject, *frames)).strip()
    said = words(subject)
    low = " ".join(word.lower() for word in (words(text) if asked else said))
    qualifiers, names = _names(subject, said, intent, places)
    if message:  # its capitals are those of sentences
        names = tuple(name for name in names if _NAME_IN_PROSE.search(name) or name in frames)
    kind, rest = kind_at_head(low) if intent is Intent.LANGUAGE and not message else ("", "")
    other = tuple(dict.fromkeys(form for name in names for form in spellings(name)))
    return Query(
        text=text,
        intent=intent,
        terms=_terms(said, own_name),
        names=names,
        joined=other if intent is Intent.SYMBOL else (*other, *_joined(said)),
        about=kinds_asked_for(low),
        qualifiers=qualifiers,
        spellings=other,
        paths=places,
        callers_of=callers,
        definition_of=definition,
        embed_text="" if subject == text else subject,
        only_place=bool(places) and not asked and is_only_place(text),
        kind=kind,
        subject=_subject(rest),
    )


def cleaned(text: str) -> str:
    """Return a question without what surrounds it and what no text has."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ").strip()


def likely_meaning(text: str) -> str:
    """Return what most questions like this mean (`Query.meaning`), "" where it is open.

    Open are identifiers, and long texts, of which only parts may be meant.
    """
    text = cleaned(text)
    return "" if len(text) > SHORT_CHARS or " " not in text else text


def halves_of(text: str) -> tuple[str, ...]:
    """Return the two questions that a compound one asks, empty when it asks one thing."""
    found = parts(text)
    if not found or _intent(text) is not Intent.LANGUAGE or is_message(text):
        return ()
    return found


def is_worded(text: str) -> bool:
    """Say whether a question is in words: no name, no code, no message, nothing long."""
    text = likely_meaning(text)
    return bool(text) and _intent(text) is Intent.LANGUAGE and not is_message(text)


def _intent(text: str) -> Intent:
    if not any(character.isspace() for character in text) or _CALL.fullmatch(text):
        return Intent.SYMBOL
    return Intent.CODE if _CODE_SIGNS.search(text) else Intent.LANGUAGE


def _subject(rest: str) -> tuple[tuple[str, ...], ...]:
    """Return the terms of the rest of a question that asks for a kind of file."""
    content = [word for word in rest.split() if word not in STOP]
    return tuple(
        (term,) for term in dict.fromkeys(t for word in content for t in word_tokens(word))
    )


def _terms(said: Sequence[str], own_name: str | None) -> tuple[QueryTerm, ...]:
    content = [word for word in said if word.lower() not in STOP] or list(said)
    ordered = list(dict.fromkeys(term for word in content for term in word_tokens(word)))
    ordered = ordered[:MAX_TERMS]
    own = _own_terms(said, own_name) if own_name and len(ordered) >= 3 else frozenset()
    return tuple(
        QueryTerm(
            text=term,
            id=term_id(term),
            weight=_weight(term, own, len(ordered)),
            position=POSITION_DECAY**index,
        )
        for index, term in enumerate(ordered)
    )


def _weight(term: str, own: frozenset[str], count: int) -> float:
    if term in own:
        return OWN_NAME_WEIGHT
    return GENERIC_WEIGHT if term in GENERIC and count > 2 else 1.0


def _own_terms(said: Sequence[str], own_name: str) -> frozenset[str]:
    """Return the terms by which the question names the project itself: most files have them."""
    low = [word.lower() for word in said]
    name = [part for part in re.split(r"[-._]", own_name.lower()) if part]
    own: set[str] = set()
    for index, word in enumerate(low):
        if name and low[index : index + len(name)] == name:
            own |= {stem(part) for part in name}
        elif word == "".join(name):
            own.add(stem(word))
    short = len(name) > 1 and len(name[0]) >= 4 and name[1] in {"core", "js", "nvim", "py", "rs"}
    if short and name[0] in low:
        own.add(stem(name[0]))
    return frozenset(own)


def _names(
    text: str, said: Sequence[str], intent: Intent, places: Sequence[Place]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (qualifiers, identifiers the question asks for by name, at most eight)."""
    if intent is Intent.SYMBOL:
        if places and is_place(text):
            return (), ()
        qualifiers, name = split_qualified(text)
        return qualifiers, (name,) if name else ()
    found, around = _marked_names(text)
    found += [split_qualified(place.name)[1] for place in places if place.name]
    found += _names_in_prose(text, said)
    names = dict.fromkeys(name for name in found if name.strip("_"))
    return tuple(dict.fromkeys(around)), tuple(names)[:MAX_NAMES]


def _marked_names(text: str) -> tuple[list[str], list[str]]:
    """Return the names that are quoted, called or qualified in a text, and their qualifiers."""
    names: list[str] = []
    around: list[str] = []
    if _MARKS.isdisjoint(text):
        return names, around
    for match in _MARKED_NAME.finditer(text):
        qualifiers, name = split_qualified(match[0])
        # `std::ostream` in prose is about the namespace's topic: many files have such a word.
        if not match["qualified"] or _WRITTEN_AS_NAME.search(name):
            names.append(name)
            around += qualifiers
    return names, around


def _names_in_prose(text: str, said: Sequence[str]) -> list[str]:
    """Return words that look like identifiers; in A Title Of Capitals capitals say nothing."""
    capitals = [word for word in said if _CAPITALISED.match(word) and not text.startswith(word)]
    if len(capitals) > 3 and len(capitals) > len(said) / 2:
        capitals = []
    return [word for word in said if _NAME_IN_PROSE.search(word) or word in capitals]


def _joined(said: Sequence[str]) -> Iterable[str]:
    """Yield runs of two and three adjacent words written together, also without a plural s."""
    low = [word.lower() for word in said][:MAX_TERMS]
    seen: set[str] = set()
    for size in (2, 3):
        for start in range(len(low) - size + 1):
            run = low[start : start + size]
            if run[0] in STOP or run[-1] in STOP:
                continue
            whole = "".join(run)
            for name in (whole, whole[:-1] if whole.endswith("s") else whole):
                if len(name) <= 64 and name not in seen:
                    seen.add(name)
                    yield name

"""Pasted code and error messages: the places where they stand word for word.

A line of code stands in the source as it was copied, but for white space and the kind of quotes.
A message was put together: what is constant in it stands in the source, values do not, and the
source may have it in several literals over several lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.search.certain import LIKELY, NOTHING_CERTAIN, SURE, Certain, Lead, is_beside
from paparatsd.search.messages import constant_pieces, is_message, reads_like_message
from paparatsd.search_model import Confidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paparatsd.model import Chunk
    from paparatsd.search.candidates import FileRow
    from paparatsd.search.features import FeatureTable
    from paparatsd.search.shelf import Shelf

FEWEST_CODE, FEWEST_MESSAGE = 8, 12
"""Characters of a line of code, and of a constant piece of a message, that tell something."""
FEWEST_WORDS, FEWEST_TOGETHER = 3, 2
"""Words of a piece of a message, and of a run of it between values."""
AROUND = 40
"""Characters that values and the code between literals may take beside a message."""
MAX_NEEDLES = 12
MAX_CHUNKS, MAX_FILES, LIKELIEST = 240, 60, 12
"""Of the candidates, the chunks that have most of the question's words are read."""
ENOUGH = 0.6
"""Share of what is pasted that must stand at one place."""
NEARLY_AS_MUCH = 0.95
FEW = 4
"""What stands in more files is no answer by itself."""

_ASKS = re.compile(
    r"\s*(?:how|where|what|which|who|why|when|find|show|list|explain|does|do|is|are|can)\b", re.I
)
_CODE = re.compile(
    r"\w\([^)]|[{}\[\]=]|;\s*$|^\s*(?:if|for|while|switch|catch)\s*\("
    r"|^\s*(?:return|raise|throw|yield|await|import|from|use|using|include)\s",
    re.M,
)
"""Signs of code; `use()` and words (in brackets) stand in prose too."""
_COMMIT_PREFIX = re.compile(r"[a-z]+\([\w\s,./*-]*\)!?:\s")
"""`fix(router): ...`: how many people begin a commit message, not a call."""
_NAMED_CALL = re.compile(r"[\w$.:>#\\-]+\([\w\s,*&]*\)")
_SPACE_IN_WORDS = re.compile(r"(?<=\w)\s+(?=\w)")
_OTHER_SPACE = re.compile(r"(?<!\w)\s+|\s+(?!\w)")
_BETWEEN_LITERALS = re.compile(
    r"([\"'`])\s*(?:\+|\.\.?|<<|\\|&)?\s*(?:[fFrRbBuU]{1,2}(?=[\"']))?\1"
)
_LINE_END_ESCAPES = re.compile(r"\\n|\\\n")
_SPACES = [number for number in range(0x3001) if chr(number).isspace()]
_BARE_CODE: dict[int, str | None] = {**dict.fromkeys(_SPACES), **dict.fromkeys(map(ord, "'`"), '"')}
_BARE_WORDS: dict[int, None] = dict.fromkeys((*_SPACES, *map(ord, "\"'`+.<\\&fFrRbBuUn")))
"""All of which something may stand between two literals that are one message, or end a line."""
_ASCII_QUOTES = bytes.maketrans(b"'`", b'""')
_ASCII_SPACES = bytes(number for number in _SPACES if number < 128)
_NOT_IN_WORDS = bytes(number for number in _BARE_WORDS if number < 128)


@dataclass(frozen=True, slots=True)
class Needles:
    """What of a question should stand in the source: lines of code, or pieces of a message."""

    pieces: tuple[str, ...]
    code: bool
    whole: bool = False
    """Nothing says that it is a message: only as it stands, and only in the likeliest chunks."""

    @property
    def size(self) -> int:
        """The number of characters to find."""
        return sum(map(len, self.pieces))


def needles_of(text: str) -> tuple[Needles, ...]:
    """Return what to look for word for word, one after the other; empty for ordinary questions.

    A line that raises an error is code, though it has a message in it.
    """
    text = text.strip()
    if _ASKS.match(text) or not any(map(str.isspace, text)):
        return ()
    text = text[found.end() :] if (found := _COMMIT_PREFIX.match(text)) else text
    if not text:
        return ()
    code, out = _CODE.search(text) is not None, []
    if code and not _NAMED_CALL.fullmatch(text):
        lines = map(squeezed, text.split("\n"))
        out.append(_needles((line for line in lines if len(line) >= FEWEST_CODE), code=True))
    if is_message(text) or (reads_like_message(text) and not code):
        pieces = (" ".join(piece.split()) for piece in constant_pieces(text))
        out.append(_needles((piece for piece in pieces if _is_telling(piece)), code=False))
    elif text[0].isupper() and text.count(" ") >= FEWEST_WORDS and "\n" not in text:
        out.append(Needles((" ".join(text.split()),), code=False, whole=True))
    return tuple(needles for needles in out if needles.pieces)


def _needles(pieces: Iterable[str], *, code: bool) -> Needles:
    return Needles(tuple(sorted(dict.fromkeys(pieces), key=len, reverse=True)[:MAX_NEEDLES]), code)


def _is_telling(piece: str) -> bool:
    return len(piece) >= FEWEST_MESSAGE and len(piece.split()) >= FEWEST_WORDS


def squeezed(code: str) -> str:
    """Return code without white space but between words, and with one kind of quotes."""
    code = _OTHER_SPACE.sub("", _SPACE_IN_WORDS.sub(" ", code.strip()))
    return code.replace("'", '"').replace("`", '"')


def joined_literals(text: str) -> str:
    """Return source in one line, adjacent string literals as one, as its messages read."""
    text = _LINE_END_ESCAPES.sub(" ", text)
    return " ".join(_BETWEEN_LITERALS.sub("", text).split())


def share_found(needles: Needles, text: str) -> float:
    """Return which share of what is pasted stands in a text, 0..1."""
    if needles.whole:
        return float(needles.pieces[0] in " ".join(text.split()))
    found = 0
    if needles.code:
        code = squeezed(text)
        found = sum(len(piece) for piece in needles.pieces if _stands_in(piece, code))
    else:
        views = " ".join(text.split()), joined_literals(text)
        found = sum(max(_covered(piece, view) for view in views) for piece in needles.pieces)
    return found / needles.size


class Sieve:
    """Tells at little cost of most texts that too little of what is pasted stands in them.

    Compares without all that `share_found` takes out or may take out, so that what stands in a
    text for it stands in it here, too.
    """

    def __init__(self, needles: Needles) -> None:
        self._needles = needles
        self._words: list[str] = []
        self._pieces: list[tuple[str, int]] = []
        self._pairs: list[list[tuple[int, str]]] = []
        # Each piece is counted as one character longer than it is; the rest is for rounding.
        self._bearable = (1.0 - ENOUGH) * needles.size + len(needles.pieces) + 0.5
        if needles.whole:
            self._words = sorted(set(needles.pieces[0].split()), key=len, reverse=True)
        elif needles.code:
            self._pieces = [(_bare_code(one), len(one)) for one in needles.pieces]
        else:
            self._pairs = list(map(_bare_pairs, needles.pieces))

    def lets_through(self, text: str) -> bool:
        """Say whether `share_found` of a text may be enough."""
        if self._words:
            return all(map(text.__contains__, self._words))
        if self._pieces:
            code = _bare_code(text)
            size = sum(size for piece, size in self._pieces if piece in code)
        else:
            bare = _bare_words(text)
            size = sum(_most_covered(pairs, bare, self._bearable) for pairs in self._pairs)
        return size / self._needles.size >= ENOUGH


def _bare_code(text: str) -> str:
    """Return code as `Sieve` compares it; for bytes that takes a third of the time."""
    if text.isascii():
        return text.encode().translate(_ASCII_QUOTES, _ASCII_SPACES).decode()
    return text.translate(_BARE_CODE)


def _bare_words(text: str) -> str:
    """Return the text of a message, or where one may be, as `Sieve` compares it."""
    if text.isascii():
        return text.encode().translate(None, _NOT_IN_WORDS).decode()
    return text.translate(_BARE_WORDS)


def _bare_pairs(piece: str) -> list[tuple[int, str]]:
    """Return for each word of a message its size, and it with the next one as `Sieve` compares."""
    words = piece.split()
    bare = list(map(_bare_words, words))
    pairs = [one + other for one, other in pairwise(bare)]
    return list(zip((len(word) + 1 for word in words), [*pairs, ""], strict=True))


def _most_covered(pairs: Sequence[tuple[int, str]], bare: str, bearable: float) -> int:
    """Return how many characters `_covered` may find at most: those of words beside each other.

    0 when more than `bearable` are missing.
    """
    found, missing, before = 0, 0, False
    for at, (size, pair) in enumerate(pairs, 1):
        here = at < len(pairs) and pair in bare
        if here or before:
            found += size
        else:
            missing += size
            if missing > bearable:
                return 0
        before = here
    return found


def _stands_in(piece: str, code: str) -> bool:
    """Say whether a piece of code stands there and does not begin inside a word."""
    at = code.find(piece)
    while at > 0 and (code[at - 1].isalnum() or code[at - 1] == "_") and piece[0].isalnum():
        at = code.find(piece, at + 1)
    return at >= 0


def _covered(piece: str, text: str) -> int:
    """Return how many characters of a message's words stand together in a text.

    What varies is not always marked: around the longest run of its words further runs count.
    """
    if piece in text:
        return len(piece)
    words = piece.split()
    first, last = _longest_run(words, text)
    anchor = " ".join(words[first:last])
    if len(anchor) < FEWEST_MESSAGE or last - first < FEWEST_TOGETHER:
        return 0
    at, around = text.find(anchor), len(piece) + AROUND
    before, after = text[max(0, at - around) : at], text[at + len(anchor) :][:around]
    return len(anchor) + _runs(words[:first], before) + _runs(words[last:], after)


def _longest_run(words: Sequence[str], text: str) -> tuple[int, int]:
    """Return where the longest run of words that stands in a text begins and ends."""
    best, first = (0, 0), 0
    for last in range(1, len(words) + 1):
        while first < last and " ".join(words[first:last]) not in text:
            first += 1
        best = max(best, (first, last), key=lambda run: len(" ".join(words[run[0] : run[1]])))
    return best


def _runs(words: Sequence[str], text: str) -> int:
    """Return the characters of runs of at least two words that stand in a text in this order."""
    covered, first, last = 0, 0, 0
    while first < len(words):
        last = first
        while last < len(words) and " ".join(words[first : last + 1]) in text:
            last += 1
        if last - first >= FEWEST_TOGETHER:
            run = " ".join(words[first:last])
            covered += len(run) + 1
            text = text[text.find(run) + len(run) :]
        first = max(last, first + 1)
    return covered


def verbatim(
    alternatives: Iterable[Needles],
    files: Sequence[FileRow],
    features: FeatureTable,
    shelf: Shelf,
) -> Certain:
    """Return the files in which the pasted text stands, with the lines where it begins."""
    for needles in alternatives:
        found = _standing(needles, files, features, shelf)
        if found.leads:
            return found
    return NOTHING_CERTAIN


def _standing(
    needles: Needles, files: Sequence[FileRow], features: FeatureTable, shelf: Shelf
) -> Certain:
    shares: dict[int, dict[int, float]] = {}
    sieve = Sieve(needles)
    for at, ordinals in _likely_chunks(needles, features).items():
        chunks = shelf.chunks(files[at].version)
        for ordinal in ordinals:
            if ordinal < len(chunks) and sieve.lets_through(chunks[ordinal].text):
                share = share_found(needles, chunks[ordinal].text)
                if share >= ENOUGH:
                    shares.setdefault(at, {})[ordinal] = share
    best = max((max(found.values()) for found in shares.values()), default=0.0)
    enough = NEARLY_AS_MUCH * best
    leads = {
        at: sorted(ordinal for ordinal, share in found.items() if share >= enough)
        for at, found in shares.items()
        if max(found.values()) >= enough
    }
    return _led(needles, leads, files, shelf)


def _likely_chunks(needles: Needles, features: FeatureTable) -> dict[int, list[int]]:
    """Return per file the chunks with most of the question's words, best files first."""
    scores, starts = features.chunk_scores, features.hits.starts
    best = _largest(scores, LIKELIEST if needles.whole else MAX_CHUNKS)
    owners = np.searchsorted(starts, best, side="right") - 1
    found: dict[int, list[int]] = {}
    for chunk, file in zip(best.tolist(), owners.tolist(), strict=True):
        if file in found or len(found) < MAX_FILES:
            found.setdefault(file, []).append(chunk - int(starts[file]))
    return found


def _largest(scores: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return where the largest positive scores are; of equal ones the first first."""
    if len(scores) > count:
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        some = np.flatnonzero(scores >= least if least > 0 else scores > 0)
    else:
        some = np.flatnonzero(scores > 0)
    best: NDArray[np.int64] = some[np.argsort(-scores[some], kind="stable")][:count]
    return best


def _led(
    needles: Needles, leads: dict[int, list[int]], files: Sequence[FileRow], shelf: Shelf
) -> Certain:
    """Return the leads: code before what stands beside it, all sure if they are few."""
    if not leads:
        return NOTHING_CERTAIN
    order = sorted(leads, key=lambda at: is_beside(files[at].path))  # stable: best first
    first = is_beside(files[order[0]].path)
    equal = sum(is_beside(files[at].path) == first for at in order)
    out: dict[int, Lead] = {}
    for at in order:
        chunks = shelf.chunks(files[at].version)
        lines = tuple(_line_in(needles, chunks[ordinal]) for ordinal in leads[at])
        sure = equal <= FEW and is_beside(files[at].path) == first
        score, label = (SURE, Confidence.HIGH) if sure else (LIKELY, Confidence.PARTIAL)
        out[at] = Lead(score, label, lines)
    return Certain(out)


def _line_in(needles: Needles, chunk: Chunk) -> int:
    """Return the line of a chunk at which the longest piece begins."""
    lines = chunk.text.split("\n")
    firsts = _first_parts(needles)
    for part in firsts:
        for number, line in enumerate(lines):
            if part in (squeezed(line) if needles.code else " ".join(line.split())):
                return min(chunk.start_line + number, chunk.end_line)
    return chunk.start_line


def _first_parts(needles: Needles) -> Iterable[str]:
    """Yield what to find in one line, the most telling first: a piece, then its first words."""
    yield needles.pieces[0]
    words = needles.pieces[0].split(" ")
    for count in range(len(words) - 1, 0, -1):
        yield " ".join(words[:count])

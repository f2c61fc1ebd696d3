"""Words and word pieces of the built-in embedding model.

Text is cut into the parts of camelCase and snake_case names, numbers and runs of operators; a
part that is not in the vocabulary is cut further, longest known piece first. A piece inside a
word is stored with the prefix `##`, so that the end of one word is not taken for another word.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SEPARATORS = "()[]{},;:.'\"`_"
"""Never part of a word. White space separates too."""
WORD = re.compile(
    r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+"  # acronyms and words: HTTPServer -> HTTP, Server
    r"|[0-9]+"
    r"|[^\x00-\x7f\W]+"  # letters beyond ASCII
    r"|[^\sA-Za-z0-9_()\[\]{},;:.'\"`]{1,3}"  # operators: ==, ->, +=
)
LONGEST_WORD = 64
"""Longer "words" are data, not language; they have no pieces."""
LONGEST_PIECE = 24
SHORTEST_INNER_WORD = 4
"""A whole word of the vocabulary is recognised inside a longer one from this length on."""
MEMO_TOKENS = 50_000
LONGEST_MEMO_TOKEN = 80

_TO_SPACES = str.maketrans(SEPARATORS, " " * len(SEPARATORS))


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, in order."""
    return [word.lower() for word in WORD.findall(text)]


class Vocabulary(dict[str, tuple[int, ...]]):
    """Maps a token (text between separators) to the ids of its pieces.

    It fills itself as tokens are asked for, and starts over when it holds `MEMO_TOKENS`: the
    names of one code base repeat so much that this halves the time of counting.
    """

    def __init__(self, entries: Sequence[str]) -> None:
        super().__init__()
        self._ids = {entry: position for position, entry in enumerate(entries)}

    def count(self, text: str) -> Counter[int]:
        """Return how often each piece occurs in the text, in order of first appearance."""
        # C iterators all the way: this line is most of the work of embedding a text.
        tokens = text.translate(_TO_SPACES).split()
        return Counter(chain.from_iterable(map(self.__getitem__, tokens)))

    def has_word(self, word: str) -> bool:
        """Say whether a word in lower case is an entry by itself, not put together of pieces."""
        return word in self._ids

    def __missing__(self, token: str) -> tuple[int, ...]:
        """Work out the pieces of a token seen for the first time (there may be none)."""
        pieces: list[int] = []
        for word in words_of(token):
            whole = self._ids.get(word)
            if whole is not None:
                pieces.append(whole)
            elif len(word) <= LONGEST_WORD:
                pieces.extend(self._split(word))
        answer = tuple(pieces)
        if len(token) <= LONGEST_MEMO_TOKEN:
            if len(self) >= MEMO_TOKENS:
                self.clear()
            self[token] = answer
        return answer

    def _split(self, word: str) -> list[int]:
        pieces: list[int] = []
        start = 0
        while start < len(word):
            length, piece = self._longest_piece(word, start)
            if piece is not None:
                pieces.append(piece)
            start += length
        return pieces

    def _longest_piece(self, word: str, start: int) -> tuple[int, int | None]:
        """Return length and id of the longest piece at `start`; (1, None) when there is none."""
        for end in range(min(len(word), start + LONGEST_PIECE), start, -1):
            text = word[start:end]
            piece = self._ids.get("##" + text if start else text)
            if piece is None and start and end - start >= SHORTEST_INNER_WORD:
                piece = self._ids.get(text)
            if piece is not None:
                return end - start, piece
        return 1, None

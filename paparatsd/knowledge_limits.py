"""How much documents, terms, cards and questions about them may hold.

Here once: interfaces tell these numbers and refuse what is beyond them, and those who write and
answer check again. Texts are counted in characters.
"""

from __future__ import annotations

MAX_QUESTION_CHARS = 4_000

MAX_DOCS, DEFAULT_DOCS = 30, 8
MIN_DOCUMENT_CHARS, MAX_DOCUMENT_CHARS, DEFAULT_DOCUMENT_CHARS = 200, 100_000, 24_000
"""Of a document that is read whole: so much of it at once."""

MAX_TERM_CHARS = 200
"""A term, or one of its aliases."""
MAX_DEFINITION_CHARS = 4_000
MAX_ALIASES = 20
MAX_TERMS_FOUND, DEFAULT_TERMS_FOUND = 30, 8
MAX_TERMS_LISTED, DEFAULT_TERMS_LISTED = 500, 200
"""Of each group."""

MAX_LABEL_CHARS = 300
"""A name or a title."""
MAX_RULE_CHARS = 2_000
MAX_TEXT_CHARS = 16_000
MAX_NAMED = 100
"""Files, anchors and neighbours of one card, each."""
MAX_CARDS_LISTED, DEFAULT_CARDS_LISTED = 200, 50
MAX_OF_A_KIND, DEFAULT_OF_A_KIND = 50, 5
MAX_SUGGESTIONS, DEFAULT_SUGGESTIONS = 50, 10

MAX_IDS = 100
"""Notes that are read by their ids, or deleted, at once."""
MAX_FILES = 2_000
"""Files that are taken in at once."""
MAX_FILE_CHARS = 400_000

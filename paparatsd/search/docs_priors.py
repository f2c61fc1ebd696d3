"""What the path of a document says of it, whatever is asked."""

from __future__ import annotations

import re
from enum import IntFlag
from functools import lru_cache

from paparatsd.chunks.priors import Prior, path_priors

_CHANGES = re.compile(
    r"(?:^|/)(?:change-?logs?|changes|history|news|whats-?new|release[-_ ]?notes?|releases?"
    r"|relnotes|breaking[-_ ]?changes)(?:[-_./]|$)",
    re.I,
)
_ASKS_FOR_CHANGES = re.compile(
    r"\b(?:change-?logs?|chang(?:ed|es)|release(?:s|d| notes?)?|what'?s new|new in|version \d"
    r"|v?\d+\.\d+|deprecat\w*|breaking|upgrad\w*|migrat\w*|since|removed in|added in)\b",
    re.I,
)
_LOCALES = (
    "ar|az|be|bg|bn|ca|cs|da|de|el|es|et|fa|fi|fr|he|hi|hr|hu|hy|id|it|ja|jp|ka|kk|ko|kr|lt|lv"
    r"|ms|nb|nl|no|pl|pt|ro|ru|sk|sl|sr|sv|ta|te|th|tr|uk|ur|uz|vi|zh|pt[-_]?br|zh[-_]?(?:cn|tw"
    "|hk|hans|hant)"
)
_LOCALE = re.compile(
    rf"(?:^|/)(?:translations?/[^/]+|i18n/(?!en\b)[^/]+|(?:{_LOCALES})(?:[-_][a-z]{{2}})?)/"
    rf"|[._-](?:{_LOCALES})\.[a-z]+$",
    re.I,
)
_LEGAL = re.compile(
    r"(?:^|/)(?:licen[sc]es?|copying|notice|authors|contributors|maintainers|code[-_]of[-_]conduct"
    r"|security|governance)\b[^/]*$",
    re.I,
)


class DocPrior(IntFlag):
    """Kinds of documents that are seldom the answer unless they are asked for."""

    NONE = 0
    CHANGES = 1
    LOCALE = 2
    LEGAL = 4
    TEST = 8
    VENDORED = 16
    EXAMPLE = 32


@lru_cache(maxsize=1 << 16)
def doc_prior(path: str) -> DocPrior:
    """Return what kinds a path says the document is of."""
    found = DocPrior.NONE
    if _CHANGES.search(path):
        found |= DocPrior.CHANGES
    if _LOCALE.search(path):
        found |= DocPrior.LOCALE
    if _LEGAL.search(path):
        found |= DocPrior.LEGAL
    general = path_priors(path)
    for one, ours in (
        (Prior.TEST, DocPrior.TEST),
        (Prior.VENDORED, DocPrior.VENDORED),
        (Prior.EXAMPLE, DocPrior.EXAMPLE),
    ):
        if general & one:
            found |= ours
    return found


def asks_for_changes(text: str) -> bool:
    """Say whether a question is about what changed between versions."""
    return _ASKS_FOR_CHANGES.search(text) is not None

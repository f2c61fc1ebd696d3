"""Words of one family: `deployment`, `deploying` and `deployer` are made of `deploy`."""

from __future__ import annotations

from functools import lru_cache

from paparatsd.chunks.terms import stem

_ENDINGS = ("ment", "ation", "ition", "ion", "ing", "er", "or", "able", "ance", "ence", "ed")
_SHORTEST = 4
"""Less that remains of a word is no stem of it."""


@lru_cache(maxsize=1024)
def family(term: str) -> tuple[str, ...]:
    """Return stems that a word of the same family may have; most of them are no words.

    >>> "deploy" in family("deployment")
    True
    """
    roots = [term, term.removesuffix("e")]
    roots += [term[: -len(end)] for end in _ENDINGS if term.endswith(end)]
    found = {
        stem(root + end) for root in roots if len(root) >= _SHORTEST for end in ("", "e", *_ENDINGS)
    }
    return tuple(sorted(found - {term}))

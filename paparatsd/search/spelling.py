"""How one name is written in different languages: `getUserById`, `get_user_by_id`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_A-Za-z]+")
_SEPARATOR = re.compile(r"::|->|[.#\\/]")
_GENERIC_ARGUMENTS = re.compile(r"<[^<>()]*>|\[[^\[\]()]*\]")
_AROUND = "`'\"@$&*:;,?! "
MAX_PARTS = 12
"""A longer name is a sentence; nobody spells it otherwise."""


@lru_cache(maxsize=4096)
def name_parts(name: str) -> tuple[str, ...]:
    """Return the words that a name is composed of, in lower case, not stemmed."""
    return tuple(part.lower() for part in _PART.findall(name))


@lru_cache(maxsize=4096)
def spellings(name: str) -> tuple[str, ...]:
    """Return the other spellings of a composed name in lower case, empty for a simple name.

    >>> spellings("getUserById")
    ('get_user_by_id',)
    >>> spellings("utf8_decode")
    ('utf8decode', 'utf_8_decode')
    """
    parts = name_parts(name)
    if not 2 <= len(parts) <= MAX_PARTS:
        return ()
    attached: list[str] = []
    for part in parts:
        if part.isdigit() and attached:
            attached[-1] += part
        else:
            attached.append(part)
    forms = ("".join(parts), "_".join(attached), "_".join(parts))
    own = name.lower().strip("_")
    return tuple(dict.fromkeys(form for form in forms if form != own))


def split_qualified(text: str) -> tuple[tuple[str, ...], str]:
    """Return (qualifiers, name) of a possibly qualified name as code or people write it.

    Arguments, type arguments and quotes around are dropped.

    >>> split_qualified("`Sinatra::Base#call`()")
    (('Sinatra', 'Base'), 'call')
    """
    text = text.strip(_AROUND)
    bracket = text.find("(")
    if bracket > 0:
        text = text[:bracket]
    text = _GENERIC_ARGUMENTS.sub("", text).strip(_AROUND)
    parts = [part.strip("`'\"@$&*:") for part in _SEPARATOR.split(text)]
    parts = [part for part in parts if part]
    if not parts:
        return (), ""
    return tuple(parts[:-1]), parts[-1]


@lru_cache(maxsize=4096)
def exact_spellings(name: str) -> tuple[str, ...]:
    """Return the other spellings of a composed name with the capitals that languages give them.

    >>> exact_spellings("get_user")
    ('getUser', 'GetUser')
    """
    parts = name_parts(name)
    if not 2 <= len(parts) <= MAX_PARTS:
        return ()
    pascal = "".join(part[0].upper() + part[1:] for part in parts)
    forms = ("_".join(parts), parts[0] + pascal[len(parts[0]) :], pascal)
    return tuple(form for form in forms if form != name)


def qualified_share(qualifiers: Sequence[str], qualified: str, path: str) -> float:
    """Return the share of the qualifiers found around a definition: in its containers or its path.

    >>> qualified_share(("flask", "Flask"), "Flask.run", "src/flask/app.py")
    1.0
    """
    if not qualifiers:
        return 1.0
    folders = path.lower().split("/")
    around = {part.lower() for part in _SEPARATOR.split(qualified)[:-1]}
    around |= {*folders[:-1], folders[-1].partition(".")[0]}
    return sum(one.lower() in around for one in qualifiers) / len(qualifiers)

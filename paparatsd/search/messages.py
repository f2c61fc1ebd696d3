"""Error messages as people paste them: the words that stand in the source, without the values."""

from __future__ import annotations

import re

_VARIABLE = re.compile(
    r"0x[0-9a-fA-F]+"
    r"|\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F-]{18,}"
    r"|\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,}\b"
    r"|\b\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?|\b\d+(?:\.\d+)*(?:ms|s|MB|KB|GB|%)?\b"
    r"|%[-+#0]?\d*(?:\.\d+)?[sdifxXgvqp]\b|\$?\{[^{}\n]*\}|<[^<>\s]{1,40}>"
)
_QUOTED = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"|`([^`\n]*)`|«([^»\n]*)»")
_VALUES = re.compile(rf"'(?:[^'\n]*)'(?!\w)|\"[^\"\n]*\"|`[^`\n]*`|«[^»\n]*»|{_VARIABLE.pattern}")
_CODE_WORD = re.compile(r"[\w.:$#-]+")
_HEAD = re.compile(
    r"(?-i:\b\w*(?:Error|Exception|Warning|Panic|Fault)\b\s*[:(])"
    r"|^\s*(?:\w+:\s*)?(?:error|warning|fatal|panic|exception|traceback|failed|failure)\b\s*[:\[(]"
    r"|Traceback \(most recent",
    re.M | re.I,
)
_SPEAKS_OF_FAILURE = re.compile(
    r"\b(?:cannot|can't|could not|couldn't|unable to|failed to|not found|no such|invalid"
    r"|unexpected|must (?:be|not)|is not|are not|does not|doesn't|expected|undefined|denied"
    r"|missing|already (?:exists|in use)|unknown|refused|timed out|exceeded|unsupported)\b",
    re.I,
)
_HEADS = re.compile(r"^\s*(?:[\w.]*\b[A-Z]\w*|error|fatal|panic)\s*:\s+")
"""The kind of error, which the message itself does not have."""
_SIGNS = frozenset(":'\"`%{<0123456789«")


def is_message(text: str) -> bool:
    """Whether a text is a pasted error message: it begins like one, or it has values in it."""
    if _SIGNS.isdisjoint(text):
        return False
    if _HEAD.search(text):
        return True
    return bool(_SPEAKS_OF_FAILURE.search(text)) and bool(
        _VARIABLE.search(text) or _QUOTED.search(text)
    )


def reads_like_message(text: str) -> bool:
    """Whether a text may be a message: a sentence that ends, has a value, or tells of a failure."""
    text = _HEADS.sub("", text)
    if not text[:1].isupper() or text.endswith("?"):
        return False
    ends = text[-1] in ".!…" or ". " in text
    return ends or bool(_SPEAKS_OF_FAILURE.search(text) or _QUOTED.search(text))


def constant_words(text: str) -> str:
    """Return a message without what differs from one time to the next.

    Numbers, addresses, placeholders and quoted values go; a quoted word of code stays.
    """
    kept = _QUOTED.sub(_code_only, text)
    return re.sub(r"[ \t]+", " ", _VARIABLE.sub(" ", kept)).strip() or text


def constant_pieces(text: str) -> tuple[str, ...]:
    """Return what a message is made of between values, and without the kind of error before it.

    >>> constant_pieces("ValueError: no route 'x' in 3 tables")
    ('no route', 'in', 'tables')
    """
    lines = [_HEADS.sub("", line) for line in text.split("\n")]
    parts = [part for line in lines for part in _VALUES.split(line)]
    return tuple(part for part in (part.strip(" \t:,;()") for part in parts) if part)


def _code_only(match: re.Match[str]) -> str:
    inner = next((group for group in match.groups() if group), "")
    looks_like_value = "/" in inner or "@" in inner or inner[:1].isdigit()
    return f" {inner} " if _CODE_WORD.fullmatch(inner) and not looks_like_value else " "

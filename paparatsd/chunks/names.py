"""Names of definitions and uses, made from the text of their nodes."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

MAX_NAME_CHARS = 200
MAX_RECEIVER_CHARS = 80

_TEMPLATE = re.compile(r"<[^<>]*>")
_DOTTED = re.compile(r"(?:::)?[^\s.:'\"()\\]+(?:(?:\.|::|:|\\)[^\s.:'\"()\\]+)+[?!]?")
_SEPARATOR = re.compile(r"::|[.:\\]")
_SELF = frozenset({"self", "this", "exports", "module", "prototype", "globalThis", "window", "_G"})
_NO_NAMES = frozenset({"exports", "prototype"})
_LITERAL_KINDS = frozenset({"key", "section", "resource", "test", "route"})
_FILE_ENDING = re.compile(
    r"\.(?:[jt]sx?|mjs|cjs|vue|svelte|json|s?css|php|rb|lua|sh|h|hpp|hrl|sol|mk|[rR]|dart|proto)$"
)
_SPACE = re.compile(r"\s+")

NOISE = frozenset(
    {
        "this", "self", "super", "cls", "null", "nil", "None", "undefined", "true", "false",
        "True", "False", "void", "int", "long", "short", "byte", "char", "float", "double",
        "bool", "boolean", "string", "String", "str", "object", "any", "unknown", "never",
        "number", "usize", "isize", "u8", "u16", "u32", "u64", "u128", "i8", "i16", "i32", "i64",
        "i128", "f32", "f64", "uint", "uint8", "uint16", "uint32", "uint64", "int8", "int16",
        "int32", "int64", "float32", "float64", "complex64", "complex128", "rune", "uintptr",
        "error", "auto", "size_t", "Self", "Int", "Bool", "Double", "Float", "Char", "Unit",
        "Void", "var", "let", "const", "require",
    }
)  # fmt: skip
"""Words that say nothing of what is used: the languages' own values and plain types."""


class Name(NamedTuple):
    """The last part of a name and the parts before it."""

    last: str
    scope: tuple[str, ...]


def split_name(text: str, kind: str) -> Name | None:
    """Split the text of a definition's name; None when it cannot be one."""
    text = text.strip()
    if text.isidentifier():
        return None if text in _NO_NAMES else Name(text, ())
    text = _SPACE.sub(" ", text)
    if kind in _LITERAL_KINDS:
        text = unquote(text)[:MAX_NAME_CHARS]
        return Name(text, ()) if text else None
    text = unquote(text)
    if kind == "property" and text[:1] == ":":
        text = text[1:]
    if not text or len(text) > MAX_NAME_CHARS:
        return None
    if "<" in text and text[0] != "<" and "operator" not in text:
        text = _TEMPLATE.sub("", _TEMPLATE.sub("", text))
    if _DOTTED.fullmatch(text) is None:
        return Name(text, ())
    *scope, last = (part.strip() for part in _SEPARATOR.split(text) if part)
    if last in _NO_NAMES:
        return None
    return Name(last, tuple(part for part in scope if part and part not in _SELF))


@lru_cache(maxsize=8_192)
def spelled(name: bytes) -> str:
    """Decode a name or another short piece of a file; the same ones come again and again."""
    return name.decode("utf-8", "replace")


def unquote(text: str) -> str:
    """Take matching quotes or backquotes off both ends."""
    while len(text) > 1 and text[0] == text[-1] and text[0] in "\"'`":
        text = text[1:-1]
    return text.strip()


def last_part(text: str) -> str:
    """Return the last part of a module path: `b` of `a/b`, `a.b` and `a::b`."""
    stem = _FILE_ENDING.sub("", text)
    parts = [part for part in re.split(r"::|[/.:\\]", stem) if part and part != "*"]
    return parts[-1] if parts else text


def receiver_text(text: str) -> str:
    """Return the text before a member in one line; of a long chain its last part."""
    if "\n" in text:
        text = _SPACE.sub(" ", text[-400:]).strip()
    text = text[-MAX_RECEIVER_CHARS:].rstrip(".")
    return text.rstrip("\\") or text if text[-1:] == "\\" else text


@lru_cache(maxsize=8_192)
def short_receiver(text: bytes) -> str:
    """Do what `receiver_text` does, for what is short and thus comes again and again."""
    return receiver_text(text.decode("utf-8", "replace"))

"""Whether a definition can be seen from outside its file, by each language's cheap rule."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_HIDDEN = re.compile(r"\b(?:private|fileprivate|internal)\b")
_SHOWN = re.compile(r"\b(?:public|protected|internal)\b")
_OPEN_PARENTS = frozenset({"interface", "trait", "enum"})


def _by_underscore(signature: str, name: str, parent_kind: str) -> bool:
    return not name.startswith("_") or name.endswith("__")


def _by_capital(signature: str, name: str, parent_kind: str) -> bool:
    return name[:1].isupper()


def _by_pub(signature: str, name: str, parent_kind: str) -> bool:
    return (
        signature.startswith(("pub", "impl", "macro_rules", "export"))
        or parent_kind in _OPEN_PARENTS
    )


def _by_hidden_word(signature: str, name: str, parent_kind: str) -> bool:
    return _HIDDEN.search(signature.split("(", 1)[0]) is None


def _by_shown_word(signature: str, name: str, parent_kind: str) -> bool:
    return parent_kind in _OPEN_PARENTS or _SHOWN.search(signature.split("(", 1)[0]) is not None


def _by_static(signature: str, name: str, parent_kind: str) -> bool:
    return not signature.startswith("static ") or parent_kind != ""


def _by_export(signature: str, name: str, parent_kind: str) -> bool:
    if parent_kind:
        return not name.startswith(("_", "#")) and not signature.startswith("private")
    return signature.startswith("export") or "." in signature.split("=", 1)[0]


def _by_elixir(signature: str, name: str, parent_kind: str) -> bool:
    return not signature.startswith(("defp ", "defmacrop ", "defguardp ", "@typep "))


def _by_local(signature: str, name: str, parent_kind: str) -> bool:
    return not signature.startswith("local ")


_RULES: Mapping[str, Callable[[str, str, str], bool]] = MappingProxyType(
    {
        "go": _by_capital,
        "rust": _by_pub,
        "zig": _by_pub,
        "java": _by_shown_word,
        "csharp": _by_shown_word,
        "kotlin": _by_hidden_word,
        "swift": _by_hidden_word,
        "scala": _by_hidden_word,
        "php": _by_hidden_word,
        "solidity": _by_hidden_word,
        "groovy": _by_hidden_word,
        "c": _by_static,
        "cpp": _by_static,
        "objc": _by_static,
        "javascript": _by_export,
        "jsx": _by_export,
        "typescript": _by_export,
        "tsx": _by_export,
        "vue": _by_export,
        "svelte": _by_export,
        "elixir": _by_elixir,
        "lua": _by_local,
    }
)


def is_exported(language: str, signature: str, name: str, parent_kind: str) -> bool:
    """Say whether a definition is visible outside its file.

    `parent_kind` is the kind of the enclosing definition, "" at the top level.
    """
    return _RULES.get(language, _by_underscore)(signature, name, parent_kind)

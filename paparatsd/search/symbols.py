"""Definitions and uses as searching reads them: kinds of symbols, and what is asked of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from paparatsd.search.views import Reader

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paparatsd.model import VersionId
    from paparatsd.store.rows import Definition

CALLABLE = frozenset({"function", "method", "macro", "route", "test"})
TYPES = frozenset({"class", "struct", "interface", "trait", "enum", "type", "module"})


class SymbolReader(Reader, Protocol):
    """What finding callers reads of the catalog beyond what searching does."""

    def symbols_named(self, names: Iterable[str]) -> Mapping[str, Sequence[Definition]]:
        """Return for each name where names that end in it are defined, whatever view shows it."""
        ...

    def users_of(self, names: Iterable[str]) -> Mapping[str, Mapping[VersionId, int]]:
        """Return for each exact name the versions that use it and how often."""
        ...

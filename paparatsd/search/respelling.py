"""A name that nobody defines, asked for as the code spells it: `getAdapter` as `get_adapter`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.search.query import analyse
from paparatsd.search.recall import MAX_DEFINERS, allowed_at
from paparatsd.search.spelling import spellings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.search.query import Query
    from paparatsd.search.recall import Allowed
    from paparatsd.search.scope import Scope
    from paparatsd.search.shelf import Shelf
    from paparatsd.search.symbols import SymbolReader
    from paparatsd.search.views import ProjectView


def respelling_notes(asked: Query, spelled: Query) -> tuple[str, ...]:
    """Return what to tell the reader when a name is asked for in another spelling."""
    if spelled is asked:
        return ()
    return (f"Nothing is called '{asked.names[0]}' here: searched for '{spelled.names[0]}'.",)


class Respelling:
    """Looks up how a name is spelled in what some projects show."""

    def __init__(self, reader: SymbolReader, shelf: Shelf) -> None:
        self._reader = reader
        self._shelf = shelf

    def definers(
        self,
        scope: Scope,
        views: Sequence[ProjectView],
        allowed: Allowed,
        folded: Sequence[str],
    ) -> NDArray[np.int64]:
        """Return the versions that may be shown and define one of these names (lower case)."""
        repos = sorted({project.repo for project in scope.projects})
        versions = np.unique(self._reader.definers(repos, folded))
        shown = [
            allowed_at(view, rows, versions) for view, rows in zip(views, allowed.rows, strict=True)
        ]
        return versions[np.any(shown, axis=0)]

    def respelled(
        self,
        query: Query,
        scope: Scope,
        views: Sequence[ProjectView],
        allowed: Allowed,
        own_name: str | None,
    ) -> Query:
        """Return a question for one name as one for its spelling here, or the question itself.

        It stays when somebody defines the name as it is written, capitals aside, and when nobody
        defines any of its spellings.
        """
        if not query.single or len(query.names) != 1 or query.callers_of:
            return query
        name = query.names[0]
        others = spellings(name)
        if not others or len(self.definers(scope, views, allowed, [name.casefold()])):
            return query
        found = self.definers(scope, views, allowed, others)[:MAX_DEFINERS]
        written = self._written(found.tolist(), frozenset(others))
        if written is None or name not in query.text:
            return query
        at = query.text.rfind(name)
        return analyse(query.text[:at] + written + query.text[at + len(name) :], own_name)

    def _written(self, versions: Sequence[int], folded: frozenset[str]) -> str | None:
        """Return how most of the definitions of these names in some versions are written."""
        counts = Counter(
            one.name
            for record in self._shelf.records(versions).values()
            for one in record.definitions
            if one.name.casefold() in folded
        )
        return min(counts, key=lambda name: (-counts[name], name)) if counts else None

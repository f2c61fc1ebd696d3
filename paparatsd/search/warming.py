"""An engine that works ahead: while the store recalls, and while nobody asks at all.

A question looks at some hundred files, mostly others each time; reading their records costs as much
as ranking them. The records of a project of 5,000 files are half a second of work, their texts a
third of one, done in slices so short that no question waits noticeably for one.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from paparatsd.search.engine import Engine
from paparatsd.search.further import NOTHING_FURTHER
from paparatsd.search.graph import count_uses
from paparatsd.search.matching import collect_definitions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.model import RecallReply
    from paparatsd.search.engine import Begin
    from paparatsd.search.frames import Ranked
    from paparatsd.search.further import Further
    from paparatsd.search.paths import PathIndex
    from paparatsd.search.recall import Pinned, RecallPlan
    from paparatsd.search.scope import Scope
    from paparatsd.search.views import Corpus
    from paparatsd.search_model import SearchRequest

SLICE = 12
"""Files looked at at once: about a millisecond of work."""


class _Wanted(NamedTuple):
    """A version to load, where its path is in the index of its view, and who searches it."""

    version: int
    paths: PathIndex
    row: int
    corpus: Corpus


class WarmEngine(Engine):
    """Loads the records, then the texts, of all files that projects show, as far as there is room.

    Looks for files named like the question after it has said what to recall.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - those of the engine
        super().__init__(*arguments, **options)
        self._known: dict[int, int] = {}
        self._later = np.zeros(0, np.int64)
        self._wanted: deque[_Wanted] = deque()
        self._untold: deque[int] = deque()

    def plan(
        self,
        request: SearchRequest,
        scope: Scope,
        vector: NDArray[np.float32] | None,
        *,
        built_in: bool = True,
        begin: Begin | None = None,
        further: Further = NOTHING_FURTHER,
    ) -> RecallPlan:
        """Plan a search; what its views show will be loaded when nobody asks.

        What the stores need not know is left for `prepare`.
        """
        plan = super().plan(request, scope, vector, built_in=built_in, begin=begin, further=further)
        self._want(scope)
        return plan

    def _prepared(self, pinned: Pinned) -> Pinned:
        """Leave it for `prepare`."""
        return replace(pinned, extra=self._later)

    def prepare(self, token: int) -> None:
        """Do what ranking needs and recall does not: call it while the store is at work."""
        pinned = self._pinned.get(token)
        if pinned is not None and pinned.extra is self._later:
            self._pinned[token] = super()._prepared(pinned)

    def rank(self, token: int, replies: Sequence[RecallReply]) -> Ranked:
        """Order what recall found for a plan. Raises Busy when the plan is no longer known."""
        self.prepare(token)
        return super().rank(token, replies)

    def warm(self, scope: Scope) -> int:
        """Load the views of a scope; what they show will be loaded when nobody asks."""
        files = super().warm(scope)
        self._want(scope)
        return files

    def _want(self, scope: Scope) -> None:
        """Note what new views show and the shelf does not have."""
        views, corpus = self._views.corpus(scope)
        for view in views:
            if self._known.get(view.project_id) != view.generation:
                self._known[view.project_id] = view.generation
                versions = view.versions.tolist()
                absent = self._shelf.absent(versions)
                self._wanted.extend(
                    _Wanted(versions[row], view.index, row, corpus) for row in absent
                )
                self._untold.extend(self._shelf.untold(versions))

    def idle(self) -> bool:
        """Load a few of the wanted files; return whether there are more and room for them."""
        if not self._shelf.has_room():
            self._wanted.clear()
        if not self._shelf.has_room_for_texts():
            self._untold.clear()
        if self._wanted:
            self._load_records()
        else:
            slice_ = min(SLICE, len(self._untold))
            self._shelf.load_texts(self._untold.popleft() for _ in range(slice_))
        return bool(self._wanted or self._untold)

    def _load_records(self) -> None:
        """Load the next records, and what is counted and read once per file."""
        files = [self._wanted.popleft() for _ in range(min(SLICE, len(self._wanted)))]
        places, records = self._shelf.lay([file.version for file in files])
        found = [files[at] for at in places]
        if found:
            count_uses(
                found[0].corpus, [file.version for file in found], collect_definitions(records)
            )
        for index, rows in _by_index(files).items():
            index.standing(np.array(rows, np.int64))  # kept, too

    def forget_wanted(self) -> None:
        """Load nothing ahead until there is a new view."""
        self._wanted.clear()
        self._untold.clear()


def _by_index(files: Sequence[_Wanted]) -> dict[PathIndex, list[int]]:
    rows: dict[PathIndex, list[int]] = {}
    for file in files:
        rows.setdefault(file.paths, []).append(file.row)
    return rows

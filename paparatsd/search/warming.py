"""An engine that loads ahead, while nobody asks, what questions to come will need.

A question looks at some hundred files, mostly others each time; reading their records costs as much
as ranking them. The records of a project of 5,000 files are half a second of work, done in slices
so short that no question waits noticeably for one.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from paparatsd.search.engine import Engine
from paparatsd.search.priors import path_priors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.model import SearchRequest
    from paparatsd.search.recall import RecallPlan
    from paparatsd.search.scope import Scope

SLICE = 12
"""Files looked at at once: about a millisecond of work."""


class WarmEngine(Engine):
    """Loads the records of all files that searched projects show, as far as there is room."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - those of the engine
        super().__init__(*arguments, **options)
        self._known: dict[int, int] = {}
        self._wanted: deque[tuple[int, str]] = deque()

    def plan(
        self,
        request: SearchRequest,
        scope: Scope,
        vector: NDArray[np.float32] | None,
        *,
        built_in: bool = True,
    ) -> RecallPlan:
        """Plan a search; what its views show will be loaded when nobody asks."""
        plan = super().plan(request, scope, vector, built_in=built_in)
        self._want(scope)
        return plan

    def warm(self, scope: Scope) -> int:
        """Load the views of a scope; what they show will be loaded when nobody asks."""
        files = super().warm(scope)
        self._want(scope)
        return files

    def _want(self, scope: Scope) -> None:
        """Note what new views show and the shelf does not have."""
        for view in self._views.corpus(scope)[0]:
            if self._known.get(view.project_id) != view.generation:
                self._known[view.project_id] = view.generation
                absent = self._shelf.absent(view.versions.tolist())
                self._wanted.extend((int(view.versions[row]), view.paths[row]) for row in absent)

    def idle(self) -> bool:
        """Load a few of the wanted files; return whether there are more and room for them."""
        if not self._shelf.has_room():
            self._wanted.clear()
        files = [self._wanted.popleft() for _ in range(min(SLICE, len(self._wanted)))]
        for record in self._shelf.records([version for version, _ in files]).values():
            _ = record.vectors  # unpacked on first use, and kept
        for _, path in files:
            path_priors(path)  # kept, too
        return bool(self._wanted)

    def forget_wanted(self) -> None:
        """Load nothing ahead until there is a new view."""
        self._wanted.clear()

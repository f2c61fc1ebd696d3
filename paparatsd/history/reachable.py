"""The commits that a head reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paparatsd.history.dag import Dag


def reachable_from(dag: Dag, head: int) -> NDArray[np.int64]:
    """Return the numbers of a commit and all its ancestors that are here, ascending."""
    seen = {head} if head in dag else set()
    waiting = list(seen)
    while waiting:
        for parent in dag.parents(waiting.pop()):
            if parent not in seen and parent in dag:
                seen.add(parent)
                waiting.append(parent)
    return np.array(sorted(seen), np.int64)

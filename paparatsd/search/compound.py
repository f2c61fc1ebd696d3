"""Questions that ask two things: the answer to the whole, completed by that to each half."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from paparatsd.search_model import Confidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.search.frames import Ranked
    from paparatsd.search_model import Hit


def completed(whole: Ranked, halves: Sequence[Ranked], limit: int) -> Ranked:
    """Return what was found for a question with the best hit of each half among the first `limit`.

    Two halves are often one subject, so the order found for the whole question stays. A half's
    best hit that is missing, and not a guess, takes a place at the end.
    """
    shown = [hit.address for hit in whole.hits]
    missing: list[Hit] = []
    for half in halves:
        best = half.hits[0] if half.hits else None
        if best is None or best.confidence is Confidence.LOW or best.address in shown:
            continue
        missing.append(best)
        shown.append(best.address)
    kept = whole.hits[: max(1, limit - len(missing))]
    return replace(whole, hits=(*kept, *missing)[:limit])

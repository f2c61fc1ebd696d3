"""What may help a search from outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paparatsd.search.reordering import Reordering
    from paparatsd.search.rewrites import Rewrites


@dataclass(frozen=True, slots=True)
class Assistance:
    """A reranker with a say in the order of hits; a chat model that rewrites questions in words."""

    reordering: Reordering | None = None
    rewrites: Rewrites | None = None


ALONE = Assistance()

"""What a use means: the definitions that it can stand for, and how that is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.graph_model import Certainty

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.source import Target, Tree
    from paparatsd.model import Use

MAX_MEANINGS = 50
"""A name that is defined in more places says nothing about any of them."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """The definitions a use can mean, likeliest first; none when that is not known.

    `external`: the package that it comes from, when that is none of ours. `crowded`: the name is
    defined in more than MAX_MEANINGS places, and nothing tells which one is meant.
    """

    targets: tuple[Target, ...] = ()
    certainty: Certainty = Certainty.AMBIGUOUS
    external: str = ""
    crowded: bool = False

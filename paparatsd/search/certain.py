"""Answers that need no estimate: what a question points at or quotes is the answer.

The ranking orders by likeness, and its confidence was fitted on questions in words. A path that
exists, a line that stands somewhere word for word, a name that one file alone defines are facts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paparatsd.chunks.priors import Prior, path_priors
from paparatsd.search.spelling import name_parts
from paparatsd.search_model import Confidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from paparatsd.search.candidates import FileRow
    from paparatsd.search.features import FeatureTable
    from paparatsd.search.query import Query

SURE, LIKELY, WORTH_READING, POSSIBLE = 0.98, 0.6, 0.4, 0.1
"""Scores shown for answers that are certain, for one of several that fit equally, for what is
likely at least, and for what fits less; a chance like any other score."""
DEFINES = 0.5
"""A definition of at least this worth (`def_exact`): no field or local variable."""
_BESIDES = Prior.TEST | Prior.EXAMPLE | Prior.DOCS | Prior.VENDORED | Prior.STUB


class Lead(NamedTuple):
    """What is said of one file: its score and label, and the lines that a hit of it must show."""

    score: float
    label: Confidence
    lines: tuple[int, ...] = ()


SURE_LEAD = Lead(SURE, Confidence.HIGH)


@dataclass(frozen=True, slots=True)
class Certain:
    """Files (their numbers) that answer a question whatever the ranking says, best first.

    alone: nothing else is worth showing. note: what to tell the reader of it. likely: files that
    are worth reading when one of them is ranked first, whatever the estimate.
    """

    leads: Mapping[int, Lead] = field(default_factory=lambda: MappingProxyType({}))
    alone: bool = False
    note: str | None = None
    likely: frozenset[int] = frozenset()

    def order(self, ranked: Iterable[int]) -> list[int]:
        """Return files in their order, but these first."""
        if not self.leads:
            return list(ranked)
        return [*self.leads, *(at for at in ranked if at not in self.leads)]

    @property
    def lines(self) -> dict[int, tuple[int, ...]]:
        """Return the lines to show, of the files that have any."""
        return {at: lead.lines for at, lead in self.leads.items() if lead.lines}

    def bound(self) -> float:
        """Return the score that the other files may have at most."""
        best = max((lead.score for lead in self.leads.values()), default=0.0)
        return 1.0 if not self.leads else POSSIBLE if best >= SURE else best


NOTHING_CERTAIN = Certain()


def is_beside(path: str) -> bool:
    """Say whether a file stands beside the code: a test, an example, a document, a copy."""
    return bool(path_priors(path) & _BESIDES)


def certain_definition(query: Query, files: Sequence[FileRow], features: FeatureTable) -> Certain:
    """Return the only file that defines the one composed name which is asked for.

    An ordinary word is a topic as often as a name, and stays with the ranking.
    """
    if not query.single or len(query.names) != 1 or len(name_parts(query.names[0])) < 2:
        return NOTHING_CERTAIN
    defines: NDArray[np.int64] = np.flatnonzero(features.values["def_exact"] >= DEFINES)
    found = defines.tolist()
    proper = [at for at in found if not is_beside(files[at].path)]
    only = proper or found
    if len(only) != 1 or (query.qualifiers and not features.values["a_owner"][only[0]]):
        return NOTHING_CERTAIN
    return Certain({only[0]: SURE_LEAD})

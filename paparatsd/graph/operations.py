"""What the graph process can be asked, by the names that the use cases give it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from paparatsd.graph.callpaths import call_paths
from paparatsd.graph.changed import changed
from paparatsd.graph.definition import definition
from paparatsd.graph.impact import impact
from paparatsd.graph.outline import outline
from paparatsd.graph.related import related
from paparatsd.graph.survey import hubs, unused
from paparatsd.graph.usages import usages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paparatsd.graph.ground import Ground

OPERATIONS: Mapping[str, Callable[[Ground, Any], Any]] = MappingProxyType(
    {
        "usages": usages,
        "definition": definition,
        "outline": outline,
        "call_paths": call_paths,
        "impact": impact,
        "changed": changed,
        "related": related,
        "unused": unused,
        "hubs": hubs,
    }
)
"""Operation -> function of the ground and the request; it returns the answer, or steps to it."""

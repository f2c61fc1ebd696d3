"""What the graph process can be asked, by the names that the use cases give it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from paparatsd.graph.definition import definition
from paparatsd.graph.usages import usages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paparatsd.graph.ground import Ground

OPERATIONS: Mapping[str, Callable[[Ground, Any], Any]] = MappingProxyType(
    {
        "usages": usages,
        "definition": definition,
    }
)
"""Operation -> function of the ground and the request; what it returns is the answer."""

"""paparatsd: a daemon that keeps a searchable index of git repositories equal to disk.

And a library that does so for one folder, without a daemon:

    import paparatsd

    with paparatsd.open_index("/home/me/src/shop") as index:
        for hit in index.search("where is the discount applied").hits:
            print(hit.address, hit.confidence)

What is listed in `__all__` is the public interface; every other module may change at any time.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paparatsd.errors import PaparatsError
    from paparatsd.graph_model import UsagesAnswer
    from paparatsd.history_model import ChangedFilter, ChunkLog
    from paparatsd.library.index import Index, open_index
    from paparatsd.model import Freshness, SkippedFile
    from paparatsd.search_model import ChunkView, Confidence, Hit, SearchAnswer
    from paparatsd.status_model import ProjectStatus

__version__ = "0.1.0"

__all__ = [
    "ChangedFilter",
    "ChunkLog",
    "ChunkView",
    "Confidence",
    "Freshness",
    "Hit",
    "Index",
    "PaparatsError",
    "ProjectStatus",
    "SearchAnswer",
    "SkippedFile",
    "UsagesAnswer",
    "__version__",
    "open_index",
]

_HOMES = {
    "ChangedFilter": "history_model",
    "ChunkLog": "history_model",
    "ChunkView": "search_model",
    "Confidence": "search_model",
    "Freshness": "model",
    "Hit": "search_model",
    "Index": "library.index",
    "PaparatsError": "errors",
    "ProjectStatus": "status_model",
    "SearchAnswer": "search_model",
    "SkippedFile": "model",
    "UsagesAnswer": "graph_model",
    "open_index": "library.index",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - as many types as names
    """Import what is asked for: every process of ours imports this module, and few need the rest.

    Raises AttributeError.
    """
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

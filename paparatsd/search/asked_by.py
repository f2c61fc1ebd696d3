"""By which model a question is embedded: that of the shards which are asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.model import ShardKey

    EmbedQuery = Callable[[str], Awaitable[NDArray[np.float32]]]
    AskedOf = Callable[[ShardKey], "AskedBy"]


@dataclass(frozen=True, slots=True)
class AskedBy:
    """How the questions to a shard are embedded.

    `built_in`: by the search process. Else by `embed_query`; without it they cannot be, and `note`
    says why to whoever asks. `embed_document` embeds code that is made up for a question.
    """

    built_in: bool
    embed_query: EmbedQuery | None = None
    note: str = ""
    embed_document: EmbedQuery | None = None


BUILT_IN = AskedBy(built_in=True)

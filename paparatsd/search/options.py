"""What the search process is told when it is started."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class ChildOptions:
    """`ranker`: a file of weights, "" for the packaged one; `meaning`: whether vectors are used.

    `link` is the descriptor of a `recall_link` to the embedded store, if there is one.
    """

    ranker: str = ""
    meaning: bool = True
    link: int | None = None

    def to_argument(self) -> str:
        """Return the options as one command line argument."""
        return json.dumps(asdict(self))

    @classmethod
    def from_argument(cls, text: str) -> ChildOptions:
        """Read what `to_argument` wrote."""
        return cls(**json.loads(text))

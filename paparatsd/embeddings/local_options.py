"""What the model process is told, as its one argument."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class LocalOptions:
    """`provider` is onnx or sentence-transformers, `model` an absolute path; 0: as suits it."""

    provider: str
    model: str
    threads: int = 0
    max_tokens: int = 0
    pooling: str = "auto"

    def to_argument(self) -> str:
        """Return the options as one word of a command line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_argument(cls, text: str) -> LocalOptions:
        """Return the options that such a word means."""
        return cls(**json.loads(text))

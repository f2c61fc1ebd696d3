"""How large chunks may be and how long one file may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """Sizes in characters: chunks aim at `chunk_chars` and never exceed `max_chunk_chars`."""

    chunk_chars: int = 1600
    max_chunk_chars: int = 3200
    deadline_s: float = 5.0

    @property
    def target(self) -> int:
        """The size to aim at: sane whatever the two settings say."""
        return max(min(self.chunk_chars, self.max_chunk_chars), 1)

    @property
    def hard(self) -> int:
        """The size never exceeded."""
        return max(self.max_chunk_chars, 1)

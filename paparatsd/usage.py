"""What searches spare their readers: chunks instead of the files they are in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paparatsd.search_model import Hit

CHARS_PER_TOKEN = 4
CHARS_PER_LINE = 50
"""What a line of a file is taken to have, of which nobody knows more than its number."""


@dataclass(frozen=True, slots=True)
class Savings:
    """Tokens of the hits, of their files as far down as the hits reach, and the difference."""

    returned: int
    full: int

    @property
    def saved(self) -> int:
        """What need not be read; never less than nothing."""
        return max(0, self.full - self.returned)

    @property
    def percent(self) -> int:
        """The share of it, 0 to 100."""
        return round(100 * self.saved / self.full) if self.full else 0


def savings_of(hits: Iterable[Hit]) -> Savings:
    """Estimate what hits spare: four characters are a token, fifty a line.

    A file counts once, down to the last line that any hit shows of it; files of different projects
    are different files.
    """
    returned, ends = 0, dict[tuple[str, str], int]()
    for hit in hits:
        returned += -(-len(hit.text) // CHARS_PER_TOKEN)
        file = (hit.project, hit.path)
        ends[file] = max(ends.get(file, 0), hit.end_line)
    full = sum(-(-end * CHARS_PER_LINE // CHARS_PER_TOKEN) for end in ends.values())
    return Savings(returned, full)


class Usage:
    """Counts searches and what they spared since the start."""

    def __init__(self) -> None:
        self.searches = 0
        self.tokens_saved = 0

    def note(self, hits: Iterable[Hit]) -> None:
        """Count one search."""
        self.searches += 1
        self.tokens_saved += savings_of(hits).saved

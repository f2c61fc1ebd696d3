"""Time that tests set by hand."""

from __future__ import annotations


class SetClock:
    """A clock that stands where it is put."""

    def __init__(self) -> None:
        self.at = 1_000_000.0

    def now(self) -> float:
        """Return where it stands."""
        return self.at

    def monotonic(self) -> float:
        """Return the same: it is never set back."""
        return self.at

    async def sleep(self, seconds: float) -> None:
        """Go on by so many seconds at once."""
        self.at += seconds

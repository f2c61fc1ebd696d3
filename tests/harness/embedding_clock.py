"""A clock for tests on which waiting takes no time."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class SkippingClock:
    """Goes on when somebody waits, at once, and remembers how long was waited."""

    waits: list[float] = field(default_factory=list)
    passed_s: float = 0.0

    def now(self) -> float:
        """Return the time."""
        return self.passed_s

    def monotonic(self) -> float:
        """Return the time."""
        return self.passed_s

    async def sleep(self, seconds: float) -> None:
        """Let so much time pass."""
        self.waits.append(seconds)
        self.passed_s += seconds

"""What went wrong with watching, and when it is tried again."""

from __future__ import annotations

RETRY_S = 600.0
"""When events are tried again where a limit forbade them."""
RETRY_UNKNOWN_S = 30.0
"""The same after a failure that may pass by itself."""
HEALTHY_S = 60.0
"""Failures farther apart than this do not add up."""
BACKOFF_S = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Waits before what failed is opened again after the n-th failure in a row."""
NEVER = float("inf")


class Setbacks:
    """Failures of sources in a row, and limits that the kernel has set."""

    def __init__(self) -> None:
        self.restarts = 0
        self._in_a_row = 0
        self._failed_at = -NEVER
        self._retry_at = NEVER

    @property
    def is_first(self) -> bool:
        """Whether the last failure was the first of its row."""
        return self._in_a_row == 1

    def note_failure(self, now: float) -> bool:
        """Count a failure; True when those before it are too long ago to count."""
        is_new = now - self._failed_at > HEALTHY_S
        self._in_a_row = 1 if is_new else self._in_a_row + 1
        self._failed_at = now
        self.restarts += 1
        return is_new

    def wait_s(self, now: float) -> float:
        """Return how long what failed is to be left alone."""
        backoff = BACKOFF_S[min(self._in_a_row, len(BACKOFF_S) - 1)]
        return max(0.0, self._failed_at + backoff - now)

    def note_limit(self, now: float, *, known: bool = True) -> None:
        """Plan when events are tried again; sooner where it is not `known` what forbade them."""
        self._retry_at = min(self._retry_at, now + (RETRY_S if known else RETRY_UNKNOWN_S))

    def lift(self) -> None:
        """Forget all limits."""
        self._retry_at = NEVER

    def is_retry_due(self, now: float) -> bool:
        """Whether limits may be tried again."""
        return now >= self._retry_at

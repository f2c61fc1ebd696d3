"""When each git hook of each repository last fired: a small file beside the index."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import structlog

from paparatsd.small_file import UnreadableFileError, read_small_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

log = structlog.get_logger()

MAX_BYTES = 1 << 20
MAX_REPOSITORIES = 1_000


class HookTimes:
    """Times (seconds since the epoch) by repository, its git directory, and kind of hook.

    It is told for people only: a file that cannot be read or written costs what it says.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._times: dict[str, dict[str, float]] | None = None

    def of(self, repository: str) -> Mapping[str, float]:
        """Return when each kind of hook of a repository fired last."""
        return dict(self._read().get(repository, {}))

    def note(self, repository: str, kind: str, at: float) -> None:
        """Note that a hook fired; blocks for a small write."""
        times = self._read()
        known = times.pop(repository, {})
        times[repository] = {**known, kind: at}
        while len(times) > MAX_REPOSITORIES:
            del times[next(iter(times))]
        try:
            partial = self._path.with_name(self._path.name + ".partial")
            partial.write_text(json.dumps(times), encoding="utf-8")
            partial.replace(self._path)
        except OSError as error:
            log.warning("hook_times_not_written", path=str(self._path), error=error.strerror)

    def _read(self) -> dict[str, dict[str, float]]:
        if self._times is None:
            self._times = _load(self._path)
        return self._times


def _load(path: Path) -> dict[str, dict[str, float]]:
    try:
        data, _ = read_small_file(path, max_bytes=MAX_BYTES, follow=False)
        found = json.loads(data)
        return {
            str(repository): {str(kind): float(at) for kind, at in kinds.items()}
            for repository, kinds in found.items()
        }
    except (FileNotFoundError, UnreadableFileError):
        return {}
    except (ValueError, TypeError, AttributeError) as error:
        log.warning("hook_times_unreadable", path=str(path), error=str(error))
        return {}

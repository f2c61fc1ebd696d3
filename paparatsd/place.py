"""Where a project is: whether its root is there, and what git says of it."""

from __future__ import annotations

import asyncio
import os
import stat
from typing import TYPE_CHECKING

from paparatsd.sources import repo

if TYPE_CHECKING:
    from pathlib import Path

    from paparatsd.clock import Clock
    from paparatsd.model import RepoId
    from paparatsd.sources.repo import Checkout

COMMIT_ID_CHARS = (40, 64)
GIT_RESTS_S = 1.0
"""Longer than this nobody waits for git: what is there by then is shown."""
STALE_LOCK_S = 3.0
LOOK_AGAIN_S = 0.01


class ProjectPlace:
    """The root directory of one project and the checkout it is (part of).

    A `plain` one is never looked at with git: what is around it is none of its business.
    """

    def __init__(self, root: Path, *, plain: bool = False) -> None:
        self.root = root
        self._plain = plain
        self.checkout: Checkout | None = None
        self._identity: tuple[int, int] | None = None
        self._shown: tuple[object, ...] | None = None

    def why_missing(self, indexed_as: RepoId | None) -> str:
        """Say why the root cannot be what was indexed (as which repository), or "".

        A root that is empty and another directory than before, or that was a repository, is what
        an unmounted disk leaves behind; taking it at its word would empty the index by accident.
        """
        try:
            found = self.root.stat()
            if not stat.S_ISDIR(found.st_mode):
                return f"{self.root} is no directory any more"
            with os.scandir(self.root) as entries:
                empty = next(entries, None) is None
        except OSError as error:
            return f"{self.root} is not there ({error.strerror})"
        identity = (found.st_dev, found.st_ino)
        moved = self._identity not in (None, identity)
        was_git = indexed_as is not None and len(indexed_as) in COMMIT_ID_CHARS
        if empty and indexed_as is not None and (moved or was_git):
            return f"{self.root} is empty, as after an unmount; what was indexed is kept"
        self._identity = identity
        return ""

    async def refresh(self) -> bool:
        """Look again at what git says if that may have changed; True when it was looked at."""
        if self.checkout is not None and not self._has_turned(self.checkout):
            return False
        if self._plain:
            self.checkout = repo.Checkout(self.root, git=False)
        else:
            self.checkout = await repo.locate(self.root)
        return True

    def forget(self) -> None:
        """Look at everything again next time."""
        self.checkout = None
        self._shown = None

    async def signature(self) -> tuple[object, ...] | None:
        """Return what git says now of which files are shown; None without git."""
        if self.checkout is None or not self.checkout.git:
            return None
        return await asyncio.to_thread(repo.view_signature, self.checkout)

    def note_shown(self, signature: tuple[object, ...] | None) -> None:
        """Take note of what git said before the files were listed that are shown now."""
        self._shown = signature

    async def is_as_shown(self) -> bool:
        """Whether git is certainly where it was when the files were last listed.

        All work trees of a repository hear of it when something moves in one of them.
        """
        return self._shown is not None and self._shown == await self.signature()

    async def until_git_rests(self, clock: Clock) -> None:
        """Wait while git is in the middle of changing many files, but not for long."""
        end = clock.monotonic() + GIT_RESTS_S
        waited = False
        while self.checkout is not None and repo.is_git_writing(self.checkout, STALE_LOCK_S):
            if clock.monotonic() > end:
                return
            waited = True
            await clock.sleep(LOOK_AGAIN_S)
        if waited:
            await clock.sleep(LOOK_AGAIN_S)  # the head moves right after the index

    def _has_turned(self, checkout: Checkout) -> bool:
        """Whether a folder became a repository or the other way round (two stat calls)."""
        if checkout.git and checkout.git_dir is not None:
            return not (checkout.git_dir / "HEAD").exists()
        return not self._plain and (self.root / ".git").exists() and not checkout.problem

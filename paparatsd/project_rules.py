"""What one project's `.paparats.yml` says of its files, held steady while the file is edited."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from paparatsd.naming import AUDIENCE_ALLOWED, DEFAULT_GROUP, UNLABELLED
from paparatsd.place_labels import NOTHING_SAID
from paparatsd.repo_config import LoadedRepoConfig, load_repo_config
from paparatsd.sources.walk import SelectionRules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paparatsd.clock import Clock
    from paparatsd.model import ProjectEntry
    from paparatsd.settings import IndexSettings

HALF_WRITTEN_S = 0.05
"""An editor that truncates a file, or moves it away, has written the new one after this."""
MAX_LOOKS = 20


def warn_of_labels(refused: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Say which documents name an audience that is none; `refused` has path and label of each."""
    if not refused:
        return ()
    path, label = refused[0]
    more = f" (and {len(refused) - 1} more documents)" if len(refused) > 1 else ""
    return (
        f"{path}{more}: {label!r} is no audience, so it counts as {UNLABELLED!r}; allowed: one "
        f"label of {AUDIENCE_ALLOWED} characters",
    )


class ProjectRules:
    """The last rules that could be read; a file that cannot be used changes nothing.

    To go on with the defaults instead would index what the user has left out. `on_group` is called
    when the file names another group than the project has. `docs_audience` is "" while nobody knows
    who may see documents without a label: before the file was read, and while it cannot be used,
    since what it opened before may be what is being closed.
    """

    def __init__(
        self,
        entry: ProjectEntry,
        index: IndexSettings,
        clock: Clock,
        on_group: Callable[[], None],
    ) -> None:
        self._root = Path(entry.path)
        self._overrides = entry.overrides
        self._index = index
        self._clock = clock
        self._on_group = on_group
        self._group = entry.group
        self._loaded: LoadedRepoConfig | None = None
        self.selection: SelectionRules | None = None
        self.problem = ""
        self.warnings: tuple[str, ...] = ()
        self.ticket_patterns: tuple[str, ...] = ()
        self.jira = ""
        self.labels = NOTHING_SAID
        self.history = True
        self.docs_kind = "auto"
        self.docs_audience = ""

    async def read(self) -> SelectionRules | None:
        """Read the file again; None while it is bad and none could ever be read."""
        loaded = self._loaded = await self._load_settled()
        if loaded.config is None:
            self.docs_audience = ""
            held = "the settings before it hold" if self.selection else "nothing is indexed"
            self.problem = (
                f"{loaded.problem}; until it is repaired {held}, and documents without a label of "
                "their own are for nobody who asks by audience"
            )
            return self.selection
        config = loaded.config
        self.problem, self.warnings = "", loaded.warnings
        self.ticket_patterns, self.jira = config.ticket_patterns, config.jira_url or ""
        self.labels, self.history = config.labels, config.history
        self.docs_kind, self.docs_audience = config.docs_kind, config.docs_audience
        self.selection = SelectionRules(
            exclude=(*config.exclude, *config.exclude_extra),
            paths=config.paths,
            respect_gitignore=config.respect_gitignore,
            max_file_bytes=self._index.max_file_bytes,
            allow_secrets=self._index.allow_secrets,
        )
        group = config.group or DEFAULT_GROUP
        if group != self._group:
            self._group = group
            self._on_group()
        return self.selection

    async def _load_settled(self) -> LoadedRepoConfig:
        """Load the file; one that has changed is looked at until it says the same twice."""
        loaded = await asyncio.to_thread(load_repo_config, self._root, self._overrides)
        if self._loaded is None or loaded == self._loaded:
            return loaded
        for _ in range(MAX_LOOKS):
            await self._clock.sleep(HALF_WRITTEN_S)
            before = loaded
            loaded = await asyncio.to_thread(load_repo_config, self._root, self._overrides)
            if loaded == before:
                break
        return loaded

"""What `status` calls problems: of projects, in the order in which they are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.history_model import HistoryState
from paparatsd.model import ProjectState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paparatsd.sessions import ProjectSession
    from paparatsd.status_model import ProjectStatus

BAD = (ProjectState.ERROR, ProjectState.PAUSED, ProjectState.MISSING, ProjectState.DEGRADED)


def problems_of(
    projects: Sequence[ProjectStatus], sessions: Iterable[ProjectSession]
) -> tuple[str, ...]:
    """Return a sentence for each problem of these projects; `sessions` may be of others, too."""
    said = [text for one in projects for text in _of_state(one)]
    names = {one.name for one in projects}
    said += [
        f"{session.name}: {warning}"
        for session in sessions
        if session.name in names
        for warning in session.warnings
    ]
    said += [
        f"{one.name}: {one.watching}" for one in projects if one.watching.startswith("polling")
    ]
    return tuple(said)


def _of_state(project: ProjectStatus) -> list[str]:
    """Return what keeps a project from being whole."""
    said = [f"{project.name}: {project.reason}"] if project.state in BAD else []
    history, remote = project.history, project.remote
    if history is not None and history.state is HistoryState.BROKEN:
        said.append(f"{project.name}: its history cannot be read: {history.reason}")
    if remote is not None and remote.problem and project.state not in BAD:
        said.append(f"{project.name}: {remote.problem}")
    return said

"""What is said of how far the history of several projects is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import pytest

from paparatsd.clock import SystemClock
from paparatsd.history_model import HistoryState, HistoryStatus
from paparatsd.history_service import HistoryService

if TYPE_CHECKING:
    from paparatsd.history.keeper import HistoryKeeper
    from paparatsd.search.scope import Scope
    from paparatsd.search.searcher import Searcher


@dataclass(frozen=True)
class Project:
    name: str
    project_id: int = 1


@dataclass(frozen=True)
class Projects:
    projects: tuple[Project, ...]


class Unpublished:
    """A keeper where no project has a history."""

    def status(self, project_id: int) -> HistoryStatus:
        del project_id
        return HistoryStatus(HistoryState.NONE, reason="history is not published")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["cart"], "cart has no history: history is not published."),
        (["cart", "shop"], "cart, shop have no history: history is not published."),
        (["a", "b", "c", "d"], "4 projects have no history: history is not published."),
    ],
)
def test_projects_without_a_history_for_one_reason_are_told_of_in_one_line(
    names: list[str], said: str
) -> None:
    service = HistoryService(
        cast("HistoryKeeper", Unpublished()), cast("Searcher", None), SystemClock()
    )
    scope = Projects(tuple(Project(name) for name in names))
    assert service.notes(cast("Scope", scope)) == (said,)

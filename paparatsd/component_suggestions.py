"""Which places deserve a component card: what much is built on, and no card is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.graph_model import GraphScope, SurveyRequest
from paparatsd.knowledge.cards import places_of
from paparatsd.knowledge_model import Suggestion, SuggestionsAnswer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from paparatsd.graph_model import Surveyed
    from paparatsd.graph_service import GraphService
    from paparatsd.knowledge_model import Card
    from paparatsd.search.scope import ProjectScope

PER_SUGGESTION = 5
"""Symbols that are looked at for each suggestion: several are in one file, others have a card."""
MAX_PAGES = 4
MAX_PAGE = 200

NO_PROJECT = "No project is indexed here, so that nothing can be suggested."
NOTHING = (
    "The symbol graph knows nothing here that much is built on: the index may still be built, or "
    "its languages have no symbols. Name components by what the code is for instead."
)
ALL_NAMED = "Every place that much is built on is named by a component card."


async def suggestions(
    graph: GraphService,
    projects: Sequence[ProjectScope],
    cards: Sequence[Card],
    limit: int,
    moved: Mapping[str, Collection[str]],
) -> SuggestionsAnswer:
    """Return at most `limit` places of these projects, most used first, one of a file.

    `cards`: the component cards that there are. `moved`: by the id of a card the addresses where
    what it names is now, when that is elsewhere (`AnchorChecks.moved`). Raises what the graph
    raises.
    """
    if not projects:
        return SuggestionsAnswer((), (NO_PROJECT,))
    names = tuple(project.name for project in projects)
    scope = GraphScope(projects=names, visible=frozenset(names))
    taken, chosen = _Named(cards, moved), dict[tuple[str, str], Suggestion]()
    offset: int | None = 0
    notes: tuple[str, ...] = ()
    found = 0
    for _ in range(MAX_PAGES):
        request = SurveyRequest(
            scope, limit=min(MAX_PAGE, PER_SUGGESTION * limit), offset=offset or 0
        )
        answer = await graph.hubs(request)
        notes, offset, found = answer.notes, answer.more, found + len(answer.found)
        for one in answer.found:
            symbol = one.symbol
            if _counts(one) and not taken.has(symbol.project, symbol.path):
                chosen.setdefault((symbol.project, symbol.path), _suggestion(one))
        if offset is None or len(chosen) >= limit:
            break
    best = sorted(chosen.values(), key=lambda one: (-one.users, one.project, one.path))[:limit]
    why = () if best else (ALL_NAMED if found else NOTHING,)
    return SuggestionsAnswer(tuple(best), (*notes, *why))


def _counts(one: Surveyed) -> bool:
    return not one.symbol.test and (one.users > 0 or one.symbol.kind != "file")


def _suggestion(one: Surveyed) -> Suggestion:
    symbol = one.symbol
    return Suggestion(symbol.project, symbol.path, symbol.qualified, one.users, symbol.address)


class _Named:
    """The files and folders that cards name, by project."""

    def __init__(self, cards: Iterable[Card], moved: Mapping[str, Collection[str]]) -> None:
        self._paths: set[tuple[str, str]] = set()
        for card in cards:
            for place in places_of(card):
                if place.path:
                    self._paths.add((place.project or card.project or "", place.path))
            kept = [anchor.address for anchor in (*card.file_anchors, *card.anchors)]
            for address in (*kept, *moved.get(card.id, ())):
                project, colon, path = address.partition("#")[0].partition(":")
                if colon:
                    self._paths.add((project, path))

    def has(self, project: str, path: str) -> bool:
        """Say whether a card names a file, or a folder that it is in."""
        parts = path.split("/")
        return any(
            (project, "/".join(parts[:count])) in self._paths for count in range(1, len(parts) + 1)
        )

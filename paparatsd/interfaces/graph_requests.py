"""Questions to the symbol graph out of arguments: alike for the control API and for agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery
from paparatsd.graph_model import (
    ChangedRequest,
    DefinitionRequest,
    Direction,
    GraphScope,
    ImpactRequest,
    OutlineRequest,
    PathsRequest,
    Relation,
    SurveyRequest,
    UsagesRequest,
)

if TYPE_CHECKING:
    from paparatsd.interfaces.arguments import Arguments

MAX_ADDRESS_CHARS = 8_192
MAX_QUESTION_CHARS = 4_000
MAX_OFFSET = 1_000_000
MAX_EDGES = 200
MAX_DEFINITIONS = 50
MAX_DEPTH = 10
MAX_PATHS, MAX_PATH_HOPS = 20, 12
MAX_SEEDS, MAX_IMPACT_HOPS, MAX_AFFECTED = 20, 4, 1_000
MAX_CHANGED, MAX_CALLERS = 500, 50
MAX_SURVEYED = 500
MIN_OUTLINE_TOKENS, MAX_OUTLINE_TOKENS = 200, 100_000


def usages_request(arguments: Arguments, scope: GraphScope) -> UsagesRequest:
    """Take what is asked of the users of a symbol."""
    return UsagesRequest(
        at=arguments.text("address", max_chars=MAX_ADDRESS_CHARS),
        scope=scope,
        direction=Direction(
            arguments.choice("direction", tuple(Direction), default=Direction.INCOMING)
        ),
        relations=tuple(map(Relation, arguments.choices("relations", tuple(Relation)))),
        limit=arguments.number("limit", default=20, low=1, high=MAX_EDGES),
        offset=_offset(arguments),
        hubs=arguments.flag("include_hubs", default=True),
        tests=arguments.flag("include_tests", default=True),
    )


def definition_request(arguments: Arguments, scope: GraphScope) -> DefinitionRequest:
    """Take what is asked to be defined."""
    return DefinitionRequest(
        at=arguments.text("address", max_chars=MAX_ADDRESS_CHARS),
        scope=scope,
        limit=arguments.number("limit", default=10, low=1, high=MAX_DEFINITIONS),
    )


def outline_request(
    arguments: Arguments, scope: GraphScope, max_tokens: int, place: str
) -> OutlineRequest:
    """Take what is to be outlined, in so many tokens; `place` is the file or directory."""
    return OutlineRequest(
        at=place,
        scope=scope,
        depth=arguments.number("depth", default=3, low=1, high=MAX_DEPTH),
        offset=_offset(arguments),
        max_tokens=max_tokens,
        private=arguments.flag("include_private", default=True),
    )


def paths_request(arguments: Arguments, scope: GraphScope) -> PathsRequest:
    """Take the two ends of a chain of calls."""
    return PathsRequest(
        source=arguments.text("source", max_chars=MAX_ADDRESS_CHARS),
        target=arguments.text("target", max_chars=MAX_ADDRESS_CHARS),
        scope=scope,
        max_hops=arguments.number("max_hops", default=6, low=1, high=MAX_PATH_HOPS),
        limit=arguments.number("limit", default=3, low=1, high=MAX_PATHS),
    )


def impact_request(arguments: Arguments, scope: GraphScope) -> ImpactRequest:
    """Take what is going to change. Raises BadQuery unless it is told in exactly one way."""
    places = arguments.texts("address")
    question = arguments.optional_text("question", max_chars=MAX_QUESTION_CHARS) or ""
    if bool(places) == bool(question):
        said = "give address or question, not both" if places else "give address or question"
        raise BadQuery(f"{said}: what is going to change, or words that find it")
    return ImpactRequest(
        scope=scope,
        at=places,
        question=question,
        limit=arguments.number("limit", default=5, low=1, high=MAX_SEEDS),
        max_hops=arguments.number("max_hops", default=2, low=1, high=MAX_IMPACT_HOPS),
        max_symbols=arguments.number("max_symbols", default=100, low=1, high=MAX_AFFECTED),
    )


def changed_request(arguments: Arguments, scope: GraphScope) -> ChangedRequest:
    """Take which change is meant."""
    return ChangedRequest(
        scope=scope,
        against=arguments.optional_text("against", max_chars=400) or "working",
        limit=arguments.number("limit", default=50, low=1, high=MAX_CHANGED),
        callers=arguments.number("callers", default=5, low=0, high=MAX_CALLERS),
    )


def survey_request(arguments: Arguments, scope: GraphScope) -> SurveyRequest:
    """Take which symbols of a survey are wanted."""
    return SurveyRequest(
        scope=scope,
        kinds=arguments.texts("kinds"),
        limit=arguments.number("limit", default=50, low=1, high=MAX_SURVEYED),
        offset=_offset(arguments),
    )


def _offset(arguments: Arguments) -> int:
    return arguments.number("offset", default=0, low=0, high=MAX_OFFSET)

"""The operations of the graph that work in slices, each worked on without a break."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.graph import callpaths, survey
from paparatsd.graph import changed as changes
from paparatsd.graph import impact as impacts
from paparatsd.graph import usages as users
from paparatsd.graph.slices import finished

if TYPE_CHECKING:
    from paparatsd.graph.asked import ChangedTexts
    from paparatsd.graph.ground import Ground
    from paparatsd.graph_model import (
        ChangedAnswer,
        ImpactAnswer,
        ImpactRequest,
        PathsAnswer,
        PathsRequest,
        SurveyAnswer,
        SurveyRequest,
        UsagesAnswer,
        UsagesRequest,
    )


def call_paths(ground: Ground, request: PathsRequest) -> PathsAnswer:
    return finished(callpaths.call_paths(ground, request))


def impact(ground: Ground, request: ImpactRequest) -> ImpactAnswer:
    return finished(impacts.impact(ground, request))


def changed(ground: Ground, asked: ChangedTexts) -> ChangedAnswer:
    return finished(changes.changed(ground, asked))


def unused(ground: Ground, request: SurveyRequest) -> SurveyAnswer:
    return finished(survey.unused(ground, request))


def hubs(ground: Ground, request: SurveyRequest) -> SurveyAnswer:
    return finished(survey.hubs(ground, request))


def usages(ground: Ground, request: UsagesRequest) -> UsagesAnswer:
    return finished(users.usages(ground, request))

"""What the knowledge endpoint may tell, and whom: settings that would be unsafe are refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paparatsd.errors import BadSettings
from paparatsd.naming import UNLABELLED
from paparatsd.status_model import Published

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from paparatsd.settings import KnowledgeSettings


@dataclass(frozen=True, slots=True)
class Publication:
    """Whoever has one of `tokens` may read documents of `audience` in `projects` (empty: all)."""

    tokens: tuple[str, ...] = field(repr=False)
    audience: frozenset[str]
    projects: frozenset[str] = frozenset()


def publication_of(
    chosen: KnowledgeSettings, docs_audience: Sequence[str], allowed_projects: Sequence[str]
) -> Publication | None:
    """Return the scope of the endpoint, None when there is to be none.

    `docs_audience` and `allowed_projects` hold for everybody (empty: no limit) and narrow it
    further. Raises BadSettings for half a configuration and for one that could tell nothing, or
    what nobody meant to tell.
    """
    if not chosen.tokens and not chosen.audience:
        return None
    _check_whole(chosen)
    if any(label.lower() == UNLABELLED for label in chosen.audience):
        raise BadSettings(
            f"knowledge.audience: {UNLABELLED!r} is the audience of every document without a "
            "label and cannot be given to the knowledge endpoint; label what it may show, and "
            "name that label"
        )
    audience = _both(chosen.audience, docs_audience)
    if not audience:
        raise BadSettings(
            "knowledge.audience and docs.audience have no label in common, so the knowledge "
            "endpoint could show nothing; name a label of docs.audience, or unset both "
            "knowledge.tokens and knowledge.audience"
        )
    projects = _both(chosen.projects, allowed_projects)
    if not projects and chosen.projects:
        raise BadSettings(
            "knowledge.projects and search.allowed_projects have no project in common, so the "
            "knowledge endpoint could show nothing; name an allowed project, or unset one of both"
        )
    return Publication(chosen.tokens, audience, projects)


def published_of(scope: Publication) -> Published:
    """Return what status tells of the scope: all but the tokens."""
    return Published(tuple(sorted(scope.audience)), tuple(sorted(scope.projects)))


def unregistered_lines(
    chosen: KnowledgeSettings, registered: Collection[str], allowed_projects: Sequence[str]
) -> tuple[str, ...]:
    """Say which projects are to be published that nobody registered; a name may be mistyped."""
    wanted = chosen.projects if chosen.tokens else ()
    absent = [
        name
        for name in wanted
        if name not in registered and (not allowed_projects or name in allowed_projects)
    ]
    return tuple(
        f"knowledge.projects names {name!r}, which is not registered: nothing of it is published"
        for name in absent
    )


def _check_whole(chosen: KnowledgeSettings) -> None:
    """Refuse one half of a configuration: the other one was surely meant to be there."""
    for name, value, missing, what in (
        ("tokens", chosen.tokens, "audience", "the labels of the documents it may show"),
        ("audience", chosen.audience, "tokens", "who may ask it"),
    ):
        if value and not getattr(chosen, missing):
            raise BadSettings(
                f"knowledge.{name} is set but knowledge.{missing} is not; the knowledge endpoint "
                f"needs both: set PAPARATS_KNOWLEDGE_{missing.upper()} ({what}), or unset "
                f"knowledge.{name}"
            )


def _both(chosen: Sequence[str], limit: Sequence[str]) -> frozenset[str]:
    """Return what is in both; an empty one is no restriction."""
    return frozenset(chosen) & frozenset(limit) if chosen and limit else frozenset(chosen or limit)

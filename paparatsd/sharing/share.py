"""What a daemon does beside its own index in a server that it shares: publish, or follow others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from paparatsd.sharing import following, publishing
from paparatsd.sharing.followed_projects import FollowedProjects
from paparatsd.sharing.following import Follower
from paparatsd.sharing.publishing import Publisher
from paparatsd.store.shared_index import SharedIndex

if TYPE_CHECKING:
    from collections.abc import Callable

    from paparatsd.clock import Clock
    from paparatsd.parts import Parts
    from paparatsd.roster import Roster
    from paparatsd.settings import Settings
    from paparatsd.store.server import ServerStore


@dataclass(frozen=True, slots=True)
class Following:
    """A daemon that only searches: who asks the server, and the list of projects from there."""

    follower: Follower
    projects: FollowedProjects


def make_publisher(
    settings: Settings, store: ServerStore, parts: Parts, clock: Clock, roster: Roster
) -> Publisher:
    """Return what publishes the projects that are answered about."""
    allowed = settings.search.allowed_projects
    return Publisher(
        owner=store.owner,
        shared=SharedIndex(store.link, store.layout),
        ledger=parts.ledger,
        models=parts.models,
        files=parts.pipeline_of(0).fingerprint,
        clock=clock,
        sessions=lambda: [one for one in roster.sessions() if not allowed or one.name in allowed],
        look_s=min(publishing.LOOK_S, settings.watch.poll_s),
    )


async def make_following(
    settings: Settings,
    store: ServerStore,
    parts: Parts,
    clock: Clock,
    roster: Roster,
    on_list: Callable[[], None],
) -> Following:
    """Return what follows others; until the server was asked the catalog says which projects."""
    rows = await parts.ledger.projects()
    projects = FollowedProjects([row.entry for row in rows.values()])
    follower = Follower(
        store=store,
        models=parts.models,
        files=parts.pipeline_of(0).fingerprint,
        clock=clock,
        follow=settings.store.follow,
        projects=projects,
        sessions=roster.sessions,
        on_list=on_list,
        look_s=min(following.LOOK_S, settings.watch.poll_s),
    )
    roster.make = follower.session
    return Following(follower, projects)


async def share(
    settings: Settings, parts: Parts, clock: Clock, roster: Roster, on_list: Callable[[], None]
) -> tuple[Following | None, Publisher | None]:
    """Return what follows others, or publishes for them; neither without a server.

    `on_list` is called when others publish other projects than before.
    """
    if not settings.store.qdrant_url:
        return None, None
    store = cast("ServerStore", parts.vectors)
    if not settings.index.enabled:
        found = await make_following(settings, store, parts, clock, roster, on_list)
        parts.more_problems = lambda: (found.follower.problem,)
        return found, None
    if not settings.store.publish:
        return None, None
    publisher = make_publisher(settings, store, parts, clock, roster)
    parts.more_problems = lambda: (publisher.problem,)
    return None, publisher

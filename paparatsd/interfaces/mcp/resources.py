"""Resources: an overview of what is indexed, and of the architectural memory. No SDK here.

Reading one never fails for the reader: what cannot be said is said in plain text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

import anyio
import structlog

from paparatsd.commits import Moment
from paparatsd.errors import PaparatsError
from paparatsd.interfaces.history_shapes import moment_iso
from paparatsd.knowledge_model import (
    CardKind,
    CardStatus,
    Reach,
)
from paparatsd.model import GroupName
from paparatsd.plain_text import clean_text

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from paparatsd.interfaces.mcp.reply import ToolsApi
    from paparatsd.knowledge_model import MemoryStats
    from paparatsd.status_model import ProjectStatus

log = structlog.get_logger()

MARKDOWN = "text/markdown"
PLAIN = "text/plain"
DEADLINE_S = 20.0
MAX_LANGUAGES = 8
MAX_GROUP_CHARS = 200


@dataclass(frozen=True, slots=True)
class ResourceText:
    """What is read of a resource."""

    text: str
    media_type: str = MARKDOWN


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource as it is listed, and how it is read.

    A `uri` that ends with `{name}` is a template: what stands there instead is given to `read`;
    of any other resource that is "".
    """

    uri: str
    name: str
    title: str
    description: str
    read: Callable[[ToolsApi, str], Awaitable[ResourceText]]
    media_type: str = MARKDOWN

    @property
    def is_template(self) -> bool:
        """Whether a part of the address is to be filled in."""
        return self.uri.endswith("}")

    def part_of(self, uri: str) -> str | None:
        """Return what stands for the open part, None when this is not the address of ours."""
        if not self.is_template:
            return "" if uri == self.uri else None
        stem = self.uri[: self.uri.index("{")]
        # Without its last part it still is ours: the reader is told what belongs there.
        if uri == stem.rstrip("/"):
            return ""
        return unquote(uri.removeprefix(stem)) if uri.startswith(stem) else None


async def read_resource(resource: Resource, service: ToolsApi, part: str) -> ResourceText:
    """Read a resource; what fails becomes a text that says so."""
    try:
        with anyio.fail_after(DEADLINE_S):
            return await resource.read(service, part)
    except PaparatsError as error:
        return ResourceText(f"{resource.title} cannot be read now: {error}", PLAIN)
    except TimeoutError:
        return ResourceText(f"{resource.title} took too long to put together; try again.", PLAIN)
    except Exception:  # the border: the reader learns nothing internal, the log everything
        log.exception("resource_crashed", resource=resource.name)
        return ResourceText(
            f"{resource.title} cannot be read for an internal reason; the daemon's log has the "
            "details.",
            PLAIN,
        )


# --------------------------------------------------------------------------- project overview


def _overview_of(guide: str) -> Callable[[ToolsApi, str], Awaitable[ResourceText]]:
    async def read(service: ToolsApi, _part: str) -> ResourceText:
        projects = await service.list_projects(None)
        return ResourceText("\n\n".join((_projects_text(projects), guide)))

    return read


def _projects_text(projects: tuple[ProjectStatus, ...]) -> str:
    if not projects:
        return (
            "# Indexed projects\n\nNo project is indexed. A person adds one with `paparats add "
            "PATH`."
        )
    groups: dict[str, list[ProjectStatus]] = {}
    for project in projects:
        groups.setdefault(project.group, []).append(project)
    return "\n\n".join(
        ["# Indexed projects", *(_group_text(name, groups[name]) for name in sorted(groups))]
    )


def _group_text(name: str, projects: list[ProjectStatus]) -> str:
    total = sum(project.chunks for project in projects)
    lines = [f"## Group {clean_text(name)}: {total:,} chunks", ""]
    for project in projects:
        by_files = sorted(project.languages.items(), key=lambda item: (-item[1], item[0]))
        languages = ", ".join(language for language, _ in by_files[:MAX_LANGUAGES]) or "none yet"
        lines.append(
            f"- **{clean_text(project.name)}**: {project.chunks:,} chunks of {project.files:,} "
            f"files; {languages}; {project.state.value}"
        )
    return "\n".join(lines)


_CONFIDENCE = """\
Each hit says how sure it is. high: it is what was asked for. partial: likely; read it, and ask \
once more in other words. low, and nothing else: it is probably not there."""

CODING_GUIDE = f"""\
# How to search them

search_code takes a question in plain words, an identifier in any spelling, a path, a stack trace \
or an error message, and shows the files as they are on disk now. For example:

- "where are incoming webhooks verified"
- "retry with backoff around the payment client"
- "UserRepository.find_by_email"
- "TypeError: cannot read properties of undefined (reading 'token')"

{_CONFIDENCE}

Prose is searched apart: search_docs for documents, term_search for the words of the organisation, \
arch_context for what has been recorded about components, decisions and lessons."""

SUPPORT_GUIDE = f"""\
# How to ask about them

explain_feature says how something works and who knows it, recent_changes what changed around it, \
search_commits in which commit and for which ticket, search_docs what is documented. For example:

- "how is a refund calculated"
- "what happens when an invoice is not paid in time"
- "what changed around password reset since last week"
- "error: card declined (do_not_honor)"

{_CONFIDENCE}"""


def _overview(guide: str) -> Resource:
    return Resource(
        "context://project-overview",
        "project-overview",
        "Project overview",
        "Which projects are indexed, by group, with size and languages, and how to ask about them.",
        _overview_of(guide),
    )


# --------------------------------------------------------------------------- memory

SCHEMA_TEXT = """\
# The architectural memory

What people and agents wrote down about the systems of a group, as cards. A card is a claim about \
the code: check it before you build on it.

## Kinds and fields

| kind | fields | belongs to |
| --- | --- | --- |
| component | name, summary (does, owns, does not, touched when), neighbours | one project |
| decision | title, context, decision, alternatives_rejected, consequences, scope, supersedes | a \
project, or the whole group |
| lesson | rule, why, when, scope, severity (info, warning, critical), evidence | a project, or \
the whole group |

Every card also has an id, the moments it was made and last written, a status (proposed, accepted, \
superseded, deprecated), files, and anchors: symbols it stands on, as path#Qualified.name. scope \
is global, component or file.

## What is checked

Files and anchors are compared with the code: unchanged since the card was written, changed, \
moved, missing, or unclear when that cannot be said now. arch_check lists the cards with something \
that is not as it was. What a card claims in words is checked by nobody but you.

## Projects

A card of a project is shown for that project only. Decisions and lessons without a project hold \
in the whole group and are shown everywhere in it; a component always has a project.

## Writing

- A component is known by its name in its project: writing it again replaces it and keeps its id.
- A decision or a lesson is first compared with those of its kind that are visible where it would \
live. What says the same is a duplicate: a decision is refused, a lesson counts as confirmed. What \
is near is similar: nothing is written, and you decide. Only what is new is created. Where the \
limits lie is calibrated for the embedding model in use.
- supersedes takes the id of the decision whose place a new one takes; it writes the new one and \
marks the old one, without the comparison.
- arch_delete is for what was never true or is of no use; what was true once is superseded.

## Reading

- arch_context answers a question, or comma-separated files; arch_list lists, and shows superseded \
cards when asked to.
- A card that nobody wrote for more than 90 days is marked as old: a hypothesis, not a fact.
- On a contradiction between a card and the code, the code is right about what is, and the card \
may be right about what was meant: ask the user.
- The memory is sparse. That a thing has no card says nothing about it."""


async def _schema(_service: ToolsApi, _part: str) -> ResourceText:
    return ResourceText(SCHEMA_TEXT)


async def _stats(service: ToolsApi, part: str) -> ResourceText:
    group = part.strip()
    if not group:
        return ResourceText(
            "The name of a group is missing: arch://stats/GROUP. list_projects names the groups.",
            PLAIN,
        )
    found = await service.memory.stats(Reach(groups=(GroupName(group[:MAX_GROUP_CHARS]),)))
    return ResourceText("\n\n".join(map(_stats_text, found)) or _nothing_in(group))


def _nothing_in(group: str) -> str:
    return f"# Memory of {clean_text(group[:MAX_GROUP_CHARS])}\n\nNothing has been recorded yet."


def _stats_text(stats: MemoryStats) -> str:
    """Return the numbers of one group; kinds and statuses without cards stand there with 0."""
    kinds = [f"- {kind.value}: {stats.by_kind.get(kind, 0)}" for kind in CardKind]
    statuses = [f"- {status.value}: {stats.by_status.get(status, 0)}" for status in CardStatus]
    return "\n".join(
        [
            f"# Memory of {clean_text(stats.group)}",
            "",
            f"Cards: {stats.cards}. Terms of the glossary: {stats.terms}.",
            f"Oldest: {_moment(stats.oldest)}. Newest: {_moment(stats.newest)}.",
            "",
            "By kind:",
            *kinds,
            "",
            "By status:",
            *statuses,
        ]
    )


def _moment(seconds: float | None) -> str:
    return "n/a" if seconds is None else moment_iso(Moment(int(seconds), 0))


ARCH_SCHEMA = Resource(
    "arch://schema",
    "arch-schema",
    "Schema of the architectural memory",
    "Kinds of cards and their fields, what is compared on writing, and how to read them.",
    _schema,
)
ARCH_STATS = Resource(
    "arch://stats/{group}",
    "arch-stats",
    "Numbers of the architectural memory",
    "How many cards a group has, by kind and status, and when the oldest and newest was written.",
    _stats,
)
CODING_RESOURCES = (_overview(CODING_GUIDE), ARCH_SCHEMA, ARCH_STATS)
SUPPORT_RESOURCES = (_overview(SUPPORT_GUIDE),)

"""What a tool is and what it answers. No SDK here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from paparatsd.interfaces.api import HistoryApi, SearchApi, WithGraph, WithKnowledge
from paparatsd.interfaces.arguments import Arguments
from paparatsd.plain_text import clean_text
from paparatsd.tokens import estimate_tokens

if TYPE_CHECKING:
    from paparatsd.errors import UnknownProject
    from paparatsd.interfaces.mcp.schemas import ToolSpec
    from paparatsd.model import Depth, GroupName, ProjectEntry, ProjectName
    from paparatsd.status_model import ProjectStatus

DEFAULT_TOKENS = 8_000
MIN_TOKENS, MAX_TOKENS = 200, 50_000
_NAMES = frozenset({"address", "path", "old_path"})
"""Members that name something: without their odd characters they would name nothing."""


class ToolsApi(SearchApi, HistoryApi, WithGraph, WithKnowledge, Protocol):
    """What tools ask of the service."""

    async def list_projects(self, group: GroupName | None) -> tuple[ProjectStatus, ...]:
        """Return the projects of one group, or all, ordered by name."""
        ...

    async def register(self, path: str, *, name: str | None = None) -> ProjectEntry:
        """Register the repository that a directory lies in. Raises BadQuery, Conflict."""
        ...

    async def remove_project(self, name: ProjectName) -> None:
        """Forget a project. Raises UnknownProject."""
        ...

    async def reindex(self, name: ProjectName | None, depth: Depth) -> tuple[ProjectName, ...]:
        """Queue a reindex of one project, or of all, and say of which."""
        ...


@dataclass(frozen=True, slots=True)
class ToolReply:
    """Text for the model, the same as data, and whether it is a failure."""

    text: str
    structured: dict[str, Any] | None
    is_error: bool = False


Run = Callable[[ToolsApi, Arguments], Awaitable[ToolReply]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as it is listed, and what it does."""

    spec: ToolSpec
    run: Run


class Report(Protocol):
    """Tells whoever asks how far a call is; what is told must grow, up to `total`."""

    async def __call__(self, progress: float, message: str, total: float | None = None, /) -> None:
        """Tell it."""
        ...


@dataclass(frozen=True, slots=True)
class Waiting:
    """How whoever asks waits: how they are told of progress, and how long they have patience."""

    report: Report
    patience_s: float


RunLong = Callable[[ToolsApi, Arguments, Waiting], Awaitable[ToolReply]]


@dataclass(frozen=True, slots=True)
class LongTool:
    """A tool that may have to wait for an index, and that tells of its progress itself."""

    spec: ToolSpec
    run: RunLong


AnyTool = Tool | LongTool


def failure(text: str) -> ToolReply:
    """Return a reply that says what went wrong."""
    return ToolReply(text, None, is_error=True)


def token_budget(arguments: Arguments) -> int:
    """Take `max_tokens`."""
    return arguments.number("max_tokens", default=DEFAULT_TOKENS, low=MIN_TOKENS, high=MAX_TOKENS)


def only(members: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the members of these names that are there."""
    return {name: members[name] for name in names if name in members}


def cleaned(value: Any, name: str = "") -> Any:  # noqa: ANN401 - any JSON value
    """Return a JSON value without control characters, but for what names something."""
    if isinstance(value, str):
        return value if name in _NAMES else clean_text(value)
    if isinstance(value, dict):
        return {key: cleaned(one, key) for key, one in value.items()}
    if isinstance(value, list):
        return [cleaned(one, name) for one in value]
    return value


async def not_asked(
    service: ToolsApi, error: UnknownProject, empty: Mapping[str, Any]
) -> ToolReply:
    """Answer a question about a project that is not there with those that are."""
    names = [str(project.name) for project in await service.list_projects(None)]
    text = f"Nothing was searched: {error}."
    if not names or not all(name in str(error) for name in names):
        text += f" Indexed projects: {', '.join(names) or 'none yet'}."
    said = {"notes": [text], "tokens": estimate_tokens(text)}
    return ToolReply(text, {**empty, **said})

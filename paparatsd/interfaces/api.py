"""What the interfaces may ask of the daemon: the one protocol between them and `service.py`.

Failures are the classes of errors.py; anything else is a defect and reaches nobody but the log.
Every call may be cancelled at any await when its caller goes away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from paparatsd.interfaces.content_api import WithContent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from paparatsd.docs_model import (
        DocsAnswer,
        DocsRequest,
        DocumentRequest,
        DocumentText,
    )
    from paparatsd.graph_model import (
        ChangedAnswer,
        ChangedRequest,
        DefinitionAnswer,
        DefinitionRequest,
        ImpactAnswer,
        ImpactRequest,
        OutlineAnswer,
        OutlineRequest,
        PathsAnswer,
        PathsRequest,
        SurveyAnswer,
        SurveyRequest,
        UsagesAnswer,
        UsagesRequest,
    )
    from paparatsd.history_model import (
        ChunkLog,
        CommitRequest,
        CommitsAnswer,
        Explanation,
    )
    from paparatsd.knowledge_model import (
        CardDraft,
        CardsAnswer,
        CardsRequest,
        ContextAnswer,
        ContextRequest,
        Deleted,
        Imported,
        MemoryStats,
        NoteFile,
        Reach,
        Recorded,
        SuggestionsAnswer,
        TermDraft,
        TermsAnswer,
        TermsRequest,
    )
    from paparatsd.model import Depth, Freshness, GroupName, ProjectEntry, ProjectName, SkippedFile
    from paparatsd.search_model import ChunkView, SearchAnswer, SearchRequest
    from paparatsd.sources.hooks import HookReport
    from paparatsd.status_model import DaemonFigures, DaemonStatus, ProjectStatus


class SearchApi(Protocol):
    """Asking: what agents and people read."""

    async def search(self, request: SearchRequest) -> SearchAnswer:
        """Answer a search. Raises BadQuery, UnknownProject (also for an unknown group)."""
        ...

    async def show(self, address: str, radius: int) -> ChunkView:
        """Return the chunk at an address (`project:path#Name`, `project:path:12[-20]`).

        `neighbours` are the chunks of the same file that overlap `radius` lines around it.
        Raises BadQuery when the address is malformed, UnknownAddress when it names nothing.
        """
        ...

    async def status(self) -> DaemonStatus:
        """Everything the daemon says of itself and of each project."""
        ...

    @property
    def top_n(self) -> int:
        """How many results codebase_search gives when it is not told."""
        ...

    async def health(self) -> Mapping[str, Any]:
        """Say cheaply, without touching the disk, whether we are well.

        JSON-ready: at least `status` (ok or degraded) and `groups` (name -> number of chunks);
        `problems` lists sentences when degraded.
        """
        ...


class FiguresApi(Protocol):
    """What the daemon counts of itself."""

    async def figures(self) -> DaemonFigures:
        """Return counters and sizes since the start."""
        ...


class ProjectsApi(Protocol):
    """The registered projects and what is done to them."""

    async def add_project(
        self, path: Path, *, name: str | None, group: str | None, hooks: bool
    ) -> ProjectEntry:
        """Register an absolute directory and start indexing it; returns before that is done.

        Adding what is already registered alike returns the same entry. Raises Conflict for a
        taken name or a path registered otherwise, BadQuery for a path that cannot be a project.
        """
        ...

    async def register(self, path: str, *, name: str | None = None) -> ProjectEntry:
        """Register the repository that an agent names by a directory in it, and begin to index it.

        What is registered already is returned. Raises BadQuery for what agents may not register,
        Conflict for a `name` that is taken.
        """
        ...

    async def remove_project(self, name: ProjectName) -> None:
        """Forget a project and purge what no other project shows. Raises UnknownProject."""
        ...

    async def list_projects(self, group: GroupName | None) -> tuple[ProjectStatus, ...]:
        """Return the projects of one group, or all, ordered by name."""
        ...

    async def reindex(self, name: ProjectName | None, depth: Depth) -> tuple[ProjectName, ...]:
        """Queue a reindex of one project, or of all, and say of which."""
        ...

    async def skipped(
        self, name: ProjectName | None
    ) -> Mapping[ProjectName, tuple[SkippedFile, ...]]:
        """Every listed file that is not indexed, with its reason, by project."""
        ...

    async def flush(
        self, name: ProjectName | None, *, history: bool = False
    ) -> tuple[Freshness, ...]:
        """Reconcile one project, or all, with the disk now; returns when nothing is pending.

        With `history` also when every chunk has its history, or it is known why not.
        """
        ...


class HooksApi(Protocol):
    """Git hooks of a checkout, named by a path inside it or by a project's name."""

    async def hooks_install(self, target: str) -> HookReport:
        """Install our hooks beside whatever is there."""
        ...

    async def hooks_uninstall(self, target: str) -> HookReport:
        """Take our hooks out again."""
        ...

    async def hooks_status(self, target: str) -> HookReport:
        """Say which hooks are there."""
        ...


class HistoryApi(Protocol):
    """Who changed what, when and why. A search takes a history filter of its own."""

    async def chunk_log(self, address: str, limit: int) -> ChunkLog:
        """Return the history of the chunk or the lines at an address, newest commit first.

        Raises BadQuery, UnknownAddress as `show` does, Unavailable when it cannot be said now.
        """
        ...

    async def find_commits(self, request: CommitRequest) -> CommitsAnswer:
        """Find commits by what they say and what they changed, or list them by time.

        Raises BadQuery for a moment or a filter that cannot be read, UnknownProject.
        """
        ...

    async def explain(self, request: SearchRequest, commits_per_hit: int) -> Explanation:
        """Search, and return the hits with their relations and the commits behind them.

        With `request.changed` the commits are those that the filter lets through.
        """
        ...


class GraphApi(Protocol):
    """Who uses what, and what breaks when it changes.

    What is asked about is an address, a place in a file or a name. Every call raises BadQuery for
    what cannot be meant, UnknownProject (also for an unknown group), UnknownAddress for what names
    nothing, with what is near it, and Unavailable when it cannot be said now.
    """

    async def usages(self, request: UsagesRequest) -> UsagesAnswer:
        """Return who uses a symbol and what it uses."""
        ...

    async def definition(self, request: DefinitionRequest) -> DefinitionAnswer:
        """Return where what is named, or stands at a place, is defined."""
        ...

    async def outline(self, request: OutlineRequest) -> OutlineAnswer:
        """Return the symbols of a file, or the skeleton of a directory."""
        ...

    async def call_paths(self, request: PathsRequest) -> PathsAnswer:
        """Return how one symbol comes to call another."""
        ...

    async def impact(self, request: ImpactRequest) -> ImpactAnswer:
        """Return what depends on something, with the tests of it and who changed it last."""
        ...

    async def changed(self, request: ChangedRequest) -> ChangedAnswer:
        """Return which symbols a change touches; raises GitFailed, too."""
        ...

    async def unused(self, request: SurveyRequest) -> SurveyAnswer:
        """Return definitions that nothing seems to use, with the doubts about it."""
        ...

    async def hubs(self, request: SurveyRequest) -> SurveyAnswer:
        """Return the definitions that most is built on, and where programs begin."""
        ...


class WithGraph(Protocol):
    """What has a symbol graph."""

    @property
    def graph(self) -> GraphApi:
        """The use cases about it."""
        ...


class DocsApi(Protocol):
    """The documents of projects. Calls keep to the `Reach` they are given.

    What is out of reach answers like what does not exist, in the same words. Calls raise BadQuery
    for what cannot be meant, UnknownProject (also for an unknown group), Unavailable when it cannot
    be said now.
    """

    async def search(self, request: DocsRequest) -> DocsAnswer:
        """Return the documents that answer a question, and what the glossary says of it."""
        ...

    async def get(self, request: DocumentRequest) -> DocumentText:
        """Return a document, or a piece of a long one. Raises UnknownDocument."""
        ...


class GlossaryApi(Protocol):
    """The terms of groups; as `DocsApi`, and writing may raise StateUnwritable, nothing written."""

    async def search(self, request: TermsRequest) -> TermsAnswer:
        """Return the terms of this name or alias, else those that are like the question."""
        ...

    async def list(self, reach: Reach, limit: int, ids: tuple[str, ...] = ()) -> TermsAnswer:
        """Return terms by name, at most `limit` of each group."""
        ...

    async def record(self, draft: TermDraft, reach: Reach) -> Recorded:
        """Write a term, unless another one says the same."""
        ...

    async def delete(self, ids: tuple[str, ...], reach: Reach) -> Deleted:
        """Delete terms."""
        ...


class MemoryApi(Protocol):
    """The architectural memory of groups; as `GlossaryApi`."""

    async def context(self, request: ContextRequest) -> ContextAnswer:
        """Return what memory says of a question or of files."""
        ...

    async def record(self, draft: CardDraft, reach: Reach) -> Recorded:
        """Write a card, unless another one says the same, or nearly."""
        ...

    async def list(self, request: CardsRequest) -> CardsAnswer:
        """Return cards, unranked; with `checked` also what became of what they name."""
        ...

    async def delete(self, ids: tuple[str, ...], reach: Reach) -> Deleted:
        """Delete cards."""
        ...

    async def suggest(self, reach: Reach, limit: int) -> SuggestionsAnswer:
        """Return places that much is built on and that no component card is about."""
        ...

    async def stats(self, reach: Reach) -> tuple[MemoryStats, ...]:
        """Return what the memory of each group holds."""
        ...

    async def export_files(self, reach: Reach) -> tuple[NoteFile, ...]:
        """Return cards and terms as markdown files, by name."""
        ...

    async def import_files(
        self, files: tuple[NoteFile, ...], reach: Reach, *, dry_run: bool = False
    ) -> tuple[Imported, ...]:
        """Write what the files say; one that cannot be used changes nothing and says why."""
        ...


class WithKnowledge(Protocol):
    """What has documents and notes."""

    @property
    def docs(self) -> DocsApi:
        """The use cases about documents."""
        ...

    @property
    def glossary(self) -> GlossaryApi:
        """The use cases about terms."""
        ...

    @property
    def memory(self) -> MemoryApi:
        """The use cases about cards."""
        ...


class ServiceApi(
    SearchApi,
    FiguresApi,
    ProjectsApi,
    HooksApi,
    HistoryApi,
    WithGraph,
    WithKnowledge,
    WithContent,
    Protocol,
):
    """All use cases of the daemon."""

    async def embed_cards(self, group: GroupName) -> int:
        """Embed what has no vector of the model in use; return how many cards the group has.

        Raises UnknownProject, EmbedderUnavailable.
        """
        ...

    async def reload_settings(self) -> tuple[str, ...]:
        """Read settings and project list again; returns what changed, in words.

        Raises BadSettings and keeps the old ones when the new ones cannot be used.
        """
        ...

    def events(self) -> AsyncIterator[Mapping[str, Any]]:
        """Progress from now on: JSON-ready mappings, each with `event`, mostly with `project`.

        Bounded per subscriber: a slow one misses intermediate events, never the latest.
        """
        ...

    async def stop(self) -> None:
        """Ask the daemon to end; returns at once."""
        ...

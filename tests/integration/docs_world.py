"""Questions to the documents of a `search_world.World`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.embeddings.static import StaticModel, prose_model
from paparatsd.search.catalog import CatalogSource
from paparatsd.search.docs_asked import DocsAsked, DocsProject, DocsScope, DocumentAsked
from paparatsd.search.docs_engine import DocsEngine
from paparatsd.search.engine import Engine
from paparatsd.store.reader import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paparatsd.docs_model import DocumentText
    from paparatsd.search.docs_asked import DocsFound
    from tests.integration.search_world import World


def docs_engine(
    world: World, *, meaning: bool = True, is_word: Callable[[str], bool] | None = None
) -> DocsEngine:
    """Return an engine over the world's catalog; `is_word` as for `DocsEngine`."""
    source = CatalogSource(CatalogReader(world.path))
    engine = Engine(source, world.model if meaning else None)
    sense = StaticModel.load(prose_model()) if meaning else None
    return DocsEngine(source, engine.shelf, engine.embed_query, is_word=is_word, sense=sense)


def docs_scope(
    world: World,
    *names: str,
    labels: frozenset[str] | None = None,
    audiences: Mapping[str, str] | None = None,
    kind: str = "auto",
) -> DocsScope:
    """Return a scope over some projects (default: all), each with its default audience."""
    known = audiences or {}
    return DocsScope(
        tuple(
            DocsProject(project, known.get(project.name, "internal"), kind)
            for project in world.scope(*names).projects
        ),
        labels,
    )


def ask_docs(
    world: World, engine: DocsEngine, query: str, scope: DocsScope | None = None, **more: object
) -> DocsFound:
    """Ask as the daemon does: plan, recall, rank."""
    values = {"limit": 8, **more}
    asked = DocsAsked(query, scope or docs_scope(world), **values)  # type: ignore[arg-type]
    plan = engine.plan(asked)
    return engine.rank(plan.token, world.store.answer(plan.requests))


def read(
    engine: DocsEngine, scope: DocsScope, path: str, offset: int = 0, max_chars: int = 24_000
) -> DocumentText:
    """Read a document as the daemon does."""
    return engine.document(DocumentAsked(scope, path, offset, max_chars))

"""From ranked places to hits: one per document, with its neighbours, shown once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.address import format_address
from paparatsd.docs_model import (
    DocHit,
    DocsKind,
    Document,
)
from paparatsd.search.docs_features import headings
from paparatsd.search.docs_rank import best_of_documents, near_enough
from paparatsd.search.docs_text import NOTEBOOK, joined, sections

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from paparatsd.model import Chunk, ProjectName
    from paparatsd.search.arena import Records
    from paparatsd.search.docs_places import Places
    from paparatsd.search.docs_rank import Judged
    from paparatsd.search.docs_view import Shown
    from paparatsd.search.shelf import Shelf
    from paparatsd.store.rows import DocumentRow


@dataclass(frozen=True, slots=True)
class Floors:
    """How relevant a place has to be by kind, and the share of it that does after another one."""

    of_kind: Mapping[DocsKind, float]
    follow: float = 1.0


NEIGHBOURS = 1
"""Chunks before and after a place that are shown with it."""


@dataclass(frozen=True, slots=True)
class DocumentRows:
    """Where each of the candidate documents may be shown: (place in the scope, row of its view).

    Several work trees show the same version; the first project in the scope stands for all.
    """

    shown: Sequence[Shown]
    owners: Sequence[Sequence[tuple[int, int]]]

    @classmethod
    def of(cls, shown: Sequence[Shown], records: Records) -> DocumentRows:
        """Look up who shows these documents."""
        at = {version: place for place, version in enumerate(records.versions)}
        wanted = np.array(records.versions, np.int64)
        owners: list[list[tuple[int, int]]] = [[] for _ in records.versions]
        for number, one in enumerate(shown):
            for row in np.flatnonzero(one.mask & np.isin(one.view.versions, wanted)).tolist():
                owners[at[int(one.view.versions[row])]].append((number, row))
        return cls(shown, owners)

    def row(self, document: int) -> DocumentRow:
        """Return what is known of a document."""
        number, row = self.owners[document][0]
        return self.shown[number].view.rows[row]

    def is_code(self, document: int) -> bool:
        """Say whether a document is among code."""
        return self.shown[self.owners[document][0][0]].kind is DocsKind.CODE


def titled(row: DocumentRow) -> str:
    """Return what a document is called: its title, or the name of its file."""
    return row.title or row.path.rpartition("/")[2]


def document_of(shown: Shown, row: int, count: int) -> Document:
    """Return a document with `count` sections as it is told of."""
    found = shown.view.rows[row]
    return Document(
        project=shown.project.scope.name,
        path=found.path,
        title=titled(found),
        audience=shown.label(row),
        kind=shown.kind,
        language=found.language,
        sections=count,
        link=found.link or None,
        modified=found.modified,
        dated_by="" if found.modified is None else "document",
    )


def hits_of(
    places: Places,
    rows: DocumentRows,
    judged: Judged,
    floors: Floors,
    limit: int,
    shelf: Shelf,
) -> tuple[DocHit, ...]:
    """Return the hits of the best documents that are near enough, best first."""
    code = np.array([rows.is_code(one) for one in places.documents.tolist()], np.float64)
    passing = near_enough(judged, code, floors.of_kind, floors.follow)
    best = best_of_documents(judged.scores, places.documents)
    hits: list[DocHit] = []
    for document, group in _distinct(best[passing[best]], places, rows):
        if len(hits) == limit:
            break
        hit = _hit(document, group, places, rows, judged, shelf)
        if hit is not None:
            hits.append(hit)
    return tuple(hits)


def _distinct(
    best: NDArray[np.int64], places: Places, rows: DocumentRows
) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Yield places and who shows them, each content at a path once: work trees, clones."""
    groups: dict[tuple[str, bytes], tuple[int, list[tuple[int, int]]]] = {}
    for place in best.tolist():
        document = int(places.documents[place])
        for number, row in rows.owners[document]:
            key = rows.shown[number].view.rows[row].path, places.records.digest(document)
            groups.setdefault(key, (place, []))[1].append((number, row))
    for place, group in groups.values():
        yield place, sorted(group)


def _hit(
    place: int,
    group: Sequence[tuple[int, int]],
    places: Places,
    rows: DocumentRows,
    judged: Judged,
    shelf: Shelf,
) -> DocHit | None:
    number, row = group[0]
    shown = rows.shown[number]
    found = shown.view.rows[row]
    # Of equal contents the first project's own chunks: addresses are the same in all of them.
    chunks = sections(shelf.chunks(found.version))
    if not chunks:
        return None
    at = _section_of(place, places, judged, {one.ordinal: at for at, one in enumerate(chunks)})
    document = document_of(shown, row, len(chunks))
    around = range(max(0, at - NEIGHBOURS), min(len(chunks), at + NEIGHBOURS + 1))
    part = [chunks[one] for one in around]
    return DocHit(
        document=document,
        address=format_address(document.project, document.path, chunks[at].fragment),
        breadcrumb=breadcrumb(document.title, chunks[at]),
        start_line=part[0].start_line,
        end_line=max(one.end_line for one in part),
        first=around[0] + 1,
        last=around[-1] + 1,
        content=joined(part, found.language),
        score=round(float(judged.scores[place]), 4),
        relevance=round(float(judged.relevance[place]), 4),
        also_in=_others(group, rows),
        place_line=0 if found.language == NOTEBOOK else chunks[at].start_line,
    )


def _section_of(place: int, places: Places, judged: Judged, sections: Mapping[int, int]) -> int:
    """Return which section is shown for a place; `sections`: by number of their chunk.

    Front matter says what a document is about, but nobody wants to read it: the best section of the
    document is shown for it, or the first one.
    """
    found = sections.get(int(places.ordinals[place]))
    if found is not None:
        return found
    same = np.flatnonzero(places.documents == places.documents[place])
    best = same[np.argsort(-judged.scores[same], kind="stable")]
    return next((sections[one] for one in places.ordinals[best].tolist() if one in sections), 0)


def breadcrumb(title: str, chunk: Chunk) -> tuple[str, ...]:
    """Return the headings above a chunk, without the title when they begin with it."""
    names = headings(chunk)
    return names[1:] if names[:1] == (title,) else names


def _others(group: Sequence[tuple[int, int]], rows: DocumentRows) -> tuple[ProjectName, ...]:
    names = [rows.shown[number].project.scope.name for number, _ in group]
    return tuple(name for name in dict.fromkeys(names) if name != names[0])

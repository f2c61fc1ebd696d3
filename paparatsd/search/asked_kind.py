"""Files of the kind that a question asks for at its head come first: tests, documents, CI."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.fields import ENC, FIELDS, PATH, SYM
from paparatsd.chunks.priors import Prior, path_priors
from paparatsd.chunks.terms import tokens
from paparatsd.search.certain import LIKELY, NOTHING_CERTAIN, SURE_LEAD, Certain, Lead
from paparatsd.search_model import Confidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paparatsd.model import Chunk
    from paparatsd.search.candidates import FileRow
    from paparatsd.search.features import FeatureTable
    from paparatsd.search.query import Query
    from paparatsd.search.recall import Pinned
    from paparatsd.search.shelf import Shelf
    from paparatsd.search.views import ProjectView

    Floats = NDArray[np.float64]

COVERED = 0.5
"""Share of the subject that a file must have to be about it."""
ALL = 0.99
EVERYWHERE = (1 << len(FIELDS)) - 1
NAMES = (1 << SYM) | (1 << ENC) | (1 << PATH)
FEW = 6
MAX_OF_KIND = 60
APART = 1.0
"""How far the best file of another kind is put behind the last one of the kind asked for."""

_CI = re.compile(
    r"(?:^|/)(?:\.github/(?:workflows|actions)/.+\.ya?ml|\.gitlab-ci[^/]*\.ya?ml|\.gitlab/ci/.+\.ya?ml"
    r"|\.circleci/.+|\.travis\.ya?ml|\.?appveyor\.ya?ml|azure-pipelines[^/]*\.ya?ml"
    r"|\.azure(?:-pipelines)?/.+\.ya?ml|Jenkinsfile[^/]*|\.cirrus\.(?:ya?ml|star)|\.drone\.ya?ml"
    r"|\.woodpecker(?:/.+)?\.ya?ml|\.buildkite/.+|bitbucket-pipelines\.ya?ml|\.teamcity/.+"
    r"|\.semaphore/.+\.ya?ml|\.forgejo/workflows/.+\.ya?ml|\.gitea/workflows/.+\.ya?ml"
    r"|\.builds?/.+\.ya?ml|\.build\.ya?ml)$"
)
_PROSE = re.compile(
    r"\.(?:md|mdx|markdown|rst|txt|adoc|asciidoc|org|html?|ipynb|tex)$"
    r"|(?:^|/)(?:LICEN[CS]E|CHANGES|CHANGELOG|README|AUTHORS)[^/]*$",
    re.I,
)
_OTHERS = Prior.TEST | Prior.EXAMPLE


def is_of_kind(kind: str, path: str) -> bool:
    """Say whether a file is a test, a document, an example or part of a CI set-up ("ci")."""
    if kind == "ci":
        return _CI.search(path) is not None
    priors = path_priors(path)
    if kind == "docs":
        prose = priors & Prior.DOCS and not priors & _OTHERS
        return bool(prose) and _PROSE.search(path) is not None
    return bool(priors & {"test": Prior.TEST, "example": Prior.EXAMPLE}[kind])


def rows_of_kind(kind: str, view: ProjectView, allowed: NDArray[np.bool_]) -> list[int]:
    """Return the first rows of a kind of which a project has few, whatever words they have."""
    if kind != "ci":
        return []
    found = (row for row, path in enumerate(view.paths) if allowed[row] and is_of_kind(kind, path))
    return [row for _, row in zip(range(MAX_OF_KIND), found, strict=False)]


def kind_first(
    pinned: Pinned,
    files: Sequence[FileRow],
    features: FeatureTable,
    scores: Floats,
    certain: Certain,
) -> Floats:
    """Return the scores with all other files behind those of the kind that are about the subject.

    As they are when no such file is. `certain`: see `certain_kind`.
    """
    kind = pinned.query.kind
    if not kind:
        return scores
    of_kind = np.array([is_of_kind(kind, file.path) for file in files], np.bool_)
    asked = of_kind & (_coverage(pinned, features) >= COVERED)
    if not asked.any() or asked.all():
        return scores
    scores = _behind(scores, asked)
    if kind == "docs":  # a mention is no document about it, a heading is
        headed = asked & np.array([at in certain.likely for at in range(len(files))], np.bool_)
        others = asked & ~headed
        if headed.any() and others.any():
            scores = np.where(asked, _behind(scores, headed), scores)
            scores = _behind(scores, asked)
    return scores


def _behind(scores: Floats, first: NDArray[np.bool_]) -> Floats:
    """Return scores with all files behind the last of some, the order among them as it was."""
    distance = max(0.0, float(scores[~first].max() - scores[first].min()) + APART)
    return np.where(first, scores, scores - distance)


def _coverage(pinned: Pinned, features: FeatureTable, fields: int = EVERYWHERE) -> Floats:
    """Return the share of the question's subject that each file has in some fields (bits).

    1 without a subject.
    """
    query = pinned.query
    places = {term.text: at for at, term in enumerate(query.terms)}
    total = 0.0
    covered = np.zeros(features.hits.places.shape[1], np.float64)
    for terms in query.subject:
        rows = [places[term] for term in terms if term in places]
        worth = float(features.worth[rows].max(initial=0.0)) if rows else 0.0
        total += worth
        if worth:
            covered += worth * (features.hits.places[rows] & fields != 0).any(axis=0)
    return covered / total if total else np.full(len(covered), 0.0 if query.subject else 1.0)


def certain_kind(
    pinned: Pinned, files: Sequence[FileRow], features: FeatureTable, shelf: Shelf
) -> Certain:
    """Return the files of a kind that is asked for without a subject: they are the answer.

    With a subject those are likely that have all of it in their path, headings and names.
    """
    query = pinned.query
    if not query.kind:
        return NOTHING_CERTAIN
    found = [at for at, file in enumerate(files) if is_of_kind(query.kind, file.path)]
    if query.subject:
        named = _coverage(pinned, features, NAMES)
        likely = {at for at in found if named[at] >= ALL}
        if query.kind == "docs":
            covered = _coverage(pinned, features)
            about = [at for at in found if covered[at] >= ALL and at not in likely]
            likely.update(at for at in about if _is_headed(query, shelf.chunks(files[at].version)))
        return Certain(likely=frozenset(likely))
    words = features.values["bm25f_share"]
    found.sort(key=lambda at: (-words[at], files[at].view, files[at].path))
    lead = SURE_LEAD if len(found) <= FEW else Lead(LIKELY, Confidence.PARTIAL)
    return Certain(dict.fromkeys(found, lead), alone=bool(found))


def _is_headed(query: Query, chunks: Sequence[Chunk]) -> bool:
    """Say whether a heading of a document has all of the subject."""
    for heading in dict.fromkeys(chunk.name for chunk in chunks if chunk.name):
        said = frozenset(tokens(heading.rpartition(" > ")[2]))
        if all(not said.isdisjoint(terms) for terms in query.subject):
            return True
    return False

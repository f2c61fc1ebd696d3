"""How well the names of the candidate files, and the names they define, are the question's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paparatsd.chunks.terms import term_id
from paparatsd.search.lexical import TINY
from paparatsd.search.matching import member_mask, ranges
from paparatsd.search.paths import WordMatches

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paparatsd.search.candidates import Files
    from paparatsd.search.features import Question
    from paparatsd.search.matching import Definitions
    from paparatsd.search.query import Query
    from paparatsd.search.recall import Pinned
    from paparatsd.search.views import Corpus

    Floats = NDArray[np.float64]

_WEIGHTS = (0.25, 0.5, 0.6, 0.8, 1.0)
_NAME_WORTH = (_WEIGHTS, (0.6, 0.75, 0.85, 0.95, 1.0))
"""By the weight of a definition: what its name's likeness to a single identifier counts."""
_TOPIC_WORTH = (_WEIGHTS, (0.1, 0.25, 0.4, 0.6, 1.0))
"""By the weight of a definition: what being called exactly like an ordinary word counts."""
_EXACT_WORTH = (_WEIGHTS, (0.6, 0.9, 1.0, 1.0, 1.0))
"""By the weight of a definition: what being called exactly like an identifier counts."""
OTHER_CASE = 0.9
OTHER_SPELLING = 0.8
JOINED_LETTERS = 20.0
"""Words of the question that are one name together count by its length, up to this many letters."""


@dataclass(frozen=True, slots=True)
class DefinitionLikeness:
    """Definitions (their numbers in the table) whose name is like the question, and how much.

    `early` is the same with the first words of the question counting most.
    """

    definitions: NDArray[np.int64]
    values: Floats
    early: Floats


def name_features(
    pinned: Pinned,
    question: Question,
    files: Files,
    definitions: Definitions,
    likeness: DefinitionLikeness,
) -> dict[str, Floats]:
    """Return what file names, folders and defined names have in common with the question."""
    values = _path_features(pinned, files, question)
    owners = definitions.files_of(likeness.definitions)
    values["defcos"] = _best(owners, likeness.values, len(files))
    values["pw_defcos"] = _best(owners, likeness.early, len(files))
    classes = definitions.weights[likeness.definitions] >= 1.0
    values["contcos"] = _best(owners[classes], likeness.values[classes], len(files))
    exact = exact_definitions(definitions, pinned.query)
    values["def_exact"] = exact
    values["def_share"] = exact / max(1.0, float(exact.sum()))
    values["join_def"] = _joined(definitions, pinned.query)
    values["def_count"] = np.log1p(np.diff(definitions.starts).astype(np.float64))
    return values


def _best(owners: NDArray[np.int64], values: Floats, files: int) -> Floats:
    out = np.zeros(files, np.float64)
    np.maximum.at(out, owners, values)
    return out


def _path_features(pinned: Pinned, files: Files, question: Question) -> dict[str, Floats]:
    """Compare file names and folders with the question, with and without regard to word order."""
    stems, folders = _matches(pinned, files)
    hoped, early = question.hoped, question.hoped * question.position
    forth = hoped @ stems.hits / (float(hoped.sum()) + TINY)
    forth_early = early @ stems.hits / (float(early.sum()) + TINY)
    forth_first = question.first @ stems.hits / (float(question.first.sum()) + TINY)
    return {
        "stem_cos": np.sqrt(forth * stems.back),
        "pw_stem_cos": np.sqrt(forth_early * stems.back),
        "stem_first2": np.sqrt(forth_first * stems.back),
        "stem_forth": forth,
        "stem_back": stems.back,
        "stem_rare": np.sqrt(forth_early * stems.rare_back),
        "dir_back": folders.back,
        "dir_forth": hoped @ folders.hits / (float(hoped.sum()) + TINY),
        "p_stemlen": stems.parts,
    }


def _matches(pinned: Pinned, files: Files) -> tuple[WordMatches, WordMatches]:
    """Compare the names of the candidates, view by view, and lay the answers side by side."""
    rows = files.rows
    if len(pinned.views) == 1:
        index, alike = pinned.views[0].index, pinned.names[0]
        stems = index.stems.compare(alike.stems, rows)
        return stems, index.folders.compare(alike.folders, rows)
    all_stems, all_folders = [], []
    for number, (view, alike) in enumerate(zip(pinned.views, pinned.names, strict=True)):
        mine = np.flatnonzero(files.views == number)
        stems = view.index.stems.compare(alike.stems, rows[mine])
        folders = view.index.folders.compare(alike.folders, rows[mine])
        all_stems.append(stems.spread(mine, len(files)))
        all_folders.append(folders.spread(mine, len(files)))
    return WordMatches.joined(all_stems), WordMatches.joined(all_folders)


def name_likeness(
    definitions: Definitions, question: Question, corpus: Corpus, *, weighted: bool
) -> DefinitionLikeness:
    """Compare the defined names with the question.

    idf of the shared parts / sqrt(idf of the name's parts * idf of the question). `weighted`: a
    class counts more than a method of the same likeness, and that more than a field.
    """
    ids, worth = question.ids, question.worth
    shared = member_mask(definitions.terms, ids).nonzero()[0]
    if len(shared) == 0:
        nothing = np.zeros(0, np.float64)
        return DefinitionLikeness(np.zeros(0, np.int64), nothing, nothing)
    owners = definitions.offsets.searchsorted(shared, side="right") - 1
    begins = np.ones(len(owners), np.bool_)
    np.not_equal(owners[1:], owners[:-1], out=begins[1:])
    names, inverse = owners[begins], begins.cumsum() - 1
    order = ids.argsort(kind="stable")
    term = order[ids[order].searchsorted(definitions.terms[shared])]
    common = np.bincount(inverse, weights=worth[term], minlength=len(names))
    early = question.early
    common_early = np.bincount(inverse, weights=early[term], minlength=len(names))
    lengths = definitions.offsets[names + 1] - definitions.offsets[names]
    places = ranges(definitions.offsets[names], lengths)
    part_idf = corpus.idf(definitions.terms[places])
    length = np.maximum(np.add.reduceat(part_idf, lengths.cumsum() - lengths), TINY)
    cosine = common / np.sqrt(length * (float(worth.sum()) + TINY))
    cosine_early = np.sqrt(common / length * common_early / (float(early.sum()) + TINY))
    if weighted:
        cosine = cosine * np.interp(definitions.weights[names], *_NAME_WORTH)
    return DefinitionLikeness(names, cosine, cosine_early)


def exact_definitions(definitions: Definitions, query: Query) -> Floats:
    """Return, per file, how much it defines a name of the question (0..1), case-exact.

    A prototype counts less than what it announces. When nobody defines the name, its other
    spellings count. One ordinary word is a topic rather than a name: it counts by what it names,
    and a class may well be written with a capital.
    """
    out = np.zeros(len(definitions.starts) - 1, np.float64)
    if not query.names:
        return out
    same = member_mask(definitions.hashes, _ids(query.names)).nonzero()[0]
    if not query.plain:
        _raise(out, definitions, same, 1.0, _EXACT_WORTH)
        if query.single and len(same) == 0:
            forms = (*(name.lower() for name in query.names), *query.spellings)
            alike = np.flatnonzero(member_mask(definitions.folded, _ids(forms)))
            _raise(out, definitions, alike, OTHER_SPELLING, _EXACT_WORTH)
        return out
    alike = member_mask(definitions.folded, _ids(query.names)).nonzero()[0]
    _raise(out, definitions, alike, OTHER_CASE, _TOPIC_WORTH)
    _raise(out, definitions, same, 1.0, _TOPIC_WORTH)
    return out


def _ids(names: Iterable[str]) -> NDArray[np.uint32]:
    return np.array([term_id(name) for name in names], np.uint32)


def _raise(
    out: Floats,
    definitions: Definitions,
    found: NDArray[np.int64],
    share: float,
    worth: tuple[Sequence[float], Sequence[float]],
) -> None:
    """Raise the files of some definitions to what each is worth."""
    values = share * np.interp(definitions.weights[found], *worth)
    np.maximum.at(out, definitions.files_of(found), values)


def _joined(definitions: Definitions, query: Query) -> Floats:
    """Return how long the longest defined name is that adjacent words of the question make."""
    out = np.zeros(len(definitions.starts) - 1, np.float64)
    if not query.joined:
        return out
    letters = {term_id(name): len(name) for name in query.joined}
    wanted = np.array(list(letters), np.uint32)
    found = member_mask(definitions.folded, wanted).nonzero()[0]
    worth = [
        min(1.0, letters[number] / JOINED_LETTERS) for number in definitions.folded[found].tolist()
    ]
    np.maximum.at(out, definitions.files_of(found), np.array(worth, np.float64))
    return out

"""The features of candidate places of questions to documents, computed by the code that searches.

    python -m contrib.train.docs.collect --cache DIR [--sources DIR] --out FILE [--words]

With --words nothing is known of meaning, as when it is switched off. Checkouts are parsed and
embedded in memory, once for each state of the code.
"""

from __future__ import annotations

import argparse
import pickle
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from contrib.bench.docs.dataset import check_out, load_set
from contrib.train.ranker.memory import project_scope
from contrib.train.ranker.replay import ReadingCatalog
from contrib.train.ranker.trees import Trees
from paparatsd.embeddings.static import StaticModel, prose_model
from paparatsd.model import VersionId
from paparatsd.search.docs_asked import DocsAsked, DocsProject, DocsScope
from paparatsd.search.docs_engine import DocsEngine
from paparatsd.search.docs_question import HITS
from paparatsd.search.docs_text import FRONT_MATTER
from paparatsd.search.shelf import Shelf
from paparatsd.store.rows import DocumentRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from contrib.bench.docs.dataset import Project
    from contrib.train.ranker.trees import IndexedFile
    from paparatsd.model import ParsedFile, ShardKey
    from paparatsd.search.docs_question import Encode, IsWord
    from paparatsd.search.docs_sense import Sense

ROOM = 1 << 30
EVERYDAY, HARD, FAR, ABSENT, ELSEWHERE = "everyday", "hard", "far", "absent", "elsewhere"
"""Questions in the documents' words, questions of which most are in a stranger's, the first ones in
other words, topics that are not treated, and questions about other projects, of which one here and
there is answered by chance."""
COLLECTED = {"dev": EVERYDAY, "dev_hard": HARD, "test": HARD}
"""The sets, and how their questions are worded. What was asked once as a test is one of them."""
EVERY = 8
"""Of the questions about other projects one in so many is asked."""


@dataclass(frozen=True)
class Collected:
    """A question and its places.

    features: by name [P]; paths [P]: of the document of each place; right [P]: whether it answers;
    cosines [P]: NaN where unknown.
    """

    project: str
    kind: str
    wording: str
    text: str
    features: Mapping[str, NDArray[np.float64]]
    cosines: NDArray[np.float64]
    paths: tuple[str, ...]
    crumbs: tuple[str, ...]
    right: NDArray[np.bool_]


class DocsCatalog(ReadingCatalog):
    """The documents of one checkout; what is none is not there."""

    def __init__(self, files: Sequence[IndexedFile], parsed: Mapping[str, ParsedFile]) -> None:
        super().__init__(files, parsed, "")
        rows = [(path, version, parsed[path]) for path, version in self._versions.items()]
        self._rows = [
            DocumentRow(
                path=path,
                version=VersionId(version),
                language=file.language,
                chunks=len(file.chunks),
                title=head.title,
                link=head.link,
                modified=head.modified,
                audience=head.audience,
                refused=head.refused,
            )
            for path, version, file in rows
            if (head := file.document) is not None
        ]
        recalled = HITS | {FRONT_MATTER}
        kinds = [chunk.kind in recalled for _, _, file in rows for chunk in file.chunks]
        self._shown = np.array(kinds, np.bool_)

    def lexical_only(self, shard: ShardKey) -> list[int]:
        """Return the versions without vectors: none."""
        del shard
        return []

    def documents(self, project_id: int) -> tuple[int, Sequence[DocumentRow], Sequence[str]]:
        """Return a generation, the documents, and no languages: the kind is told."""
        del project_id
        return 1, self._rows, ()


def look(
    engine: DocsEngine, asked: DocsAsked, catalog: DocsCatalog
) -> tuple[Mapping[str, NDArray[np.float64]], NDArray[np.float64], list[str], list[str]]:
    """Return features, cosines, and the path and breadcrumb of each place of a question."""
    plan = engine.plan(asked)
    found = engine.look(engine.planned(plan.token), catalog.recall(plan.requests))
    paths = [one.row.path for one in found.told]
    crumbs = [one.chunk.name or "" for one in found.told]
    return found.values, found.places.cosines, paths, crumbs


def collect(
    project: Project,
    root: Path,
    trees: Trees,
    encode: Encode,
    is_word: IsWord | None,
    sense: Sense | None,
    *,
    elsewhere: Sequence[str] = (),
    plain: str = EVERYDAY,
) -> Iterator[Collected]:
    """Yield every question of a project with its places; `elsewhere`: those of other projects.

    `plain`: how the project's questions are worded. `sense`: the model of prose.
    """
    parsed = {path: file for path, file in trees.parse(root) if file.document is not None}
    files = [file for file in trees.build(root) if file.path in parsed]
    catalog = DocsCatalog(files, parsed)
    shelf = Shelf(catalog, record_bytes=ROOM, text_bytes=ROOM)
    engine = DocsEngine(catalog, shelf, encode, is_word=is_word, sense=sense)
    scope = project_scope(project.name).projects[0]
    where = DocsScope((DocsProject(scope, "internal", project.kind),))
    asked = [
        *((plain, one.text, one.paths) for one in project.questions),
        *((FAR, one.far, one.paths) for one in project.questions if one.far),
        *((ABSENT, one.text, one.paths) for one in project.absent),
        *((ELSEWHERE, text, ()) for text in elsewhere),
    ]
    for wording, text, right in asked:
        values, cosines, paths, crumbs = look(engine, DocsAsked(text, where, limit=10), catalog)
        yield Collected(
            project=project.name,
            kind=project.kind,
            wording=wording,
            text=text,
            features=values,
            cosines=cosines,
            paths=tuple(paths),
            crumbs=tuple(crumbs),
            right=np.array([path in right for path in paths], np.bool_),
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--sources", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--words", action="store_true", help="without vectors")
    arguments = parser.parse_args()
    model = StaticModel.load()
    cache = arguments.cache.resolve()
    trees = Trees(cache, model)
    is_word = None if arguments.words else model.knows
    sense = None if arguments.words else StaticModel.load(prose_model())
    found: list[Collected] = []
    asked = [(plain, one) for chosen, plain in COLLECTED.items() for one in load_set(chosen)]
    for number, (plain, project) in enumerate(asked):
        root = check_out(project, arguments.sources, cache)
        others = [other for _, other in asked if other is not project]
        some = slice(number % EVERY, None, EVERY)
        elsewhere = [one.text for other in others for one in other.questions[some]]

        def encode(text: str) -> NDArray[np.float32] | None:
            return None if arguments.words else model.encode_queries([text])[0]

        found += collect(
            project, root, trees, encode, is_word, sense, elsewhere=elsewhere, plain=plain
        )
    with arguments.out.open("wb") as out:
        pickle.dump(found, out, protocol=5)
    print(f"{len(found)} questions, {sum(len(one.paths) for one in found)} places")
    return 0


if __name__ == "__main__":
    sys.exit(main())

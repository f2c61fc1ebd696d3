"""Collecting features for training: a small tree, indexed in memory and asked in every way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from contrib.bench.quality.dataset import Query, Repo, Target
from contrib.train.ranker.collect import Asking, Place, Recorder
from contrib.train.ranker.memory import MemoryCatalog, project_scope
from contrib.train.ranker.table import ELSEWHERE, REAL, REMOVED
from contrib.train.ranker.trees import Trees
from paparatsd.model import EmbedderSpec, Fingerprint
from paparatsd.search_model import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

FILES = {
    "src/cart.py": 'class Cart:\n    """A shopping cart."""\n    def add_item(self, item): ...\n',
    "src/tax.py": "def sales_tax(cart, region):\n    return cart.total() * rate_of(region)\n",
    "src/rates.py": "def rate_of(region):\n    return TABLE[region]\n",
    "tests/test_tax.py": "from src.tax import sales_tax\ndef test_tax():\n    assert sales_tax\n",
    "README.md": "# Shop\n\nA cart, taxes by region, and checkout.\n",
}
QUERY = Query("shop:00", "shop", "python", "semantic", "sales tax of a region", (Target("tax.py"),))


class WordModel:
    """Embeds by words: each has a direction of its own, so equal words mean equal vectors."""

    spec = EmbedderSpec("test", "words", 256, fingerprint=Fingerprint("words-1"))

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), 256), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().replace("_", " ").split():
                row[sum(word.encode()) % 256] += 1.0
            row /= max(1e-6, float(np.linalg.norm(row)))
        return rows

    encode_queries = encode


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("corpora") / "shop"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture(scope="module")
def place(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    trees = Trees(tmp_path_factory.mktemp("cache"), WordModel())
    repo = Repo("shop", "python", "", "", "src")
    return Place(repo, "full", MemoryCatalog(trees.build(shop)))


def test_tree_is_built_once_and_again_after_an_edit(shop: Path, tmp_path: Path) -> None:
    trees = Trees(tmp_path, WordModel())
    first = trees.build(shop, "src")
    assert sorted(file.path for file in first) == ["cart.py", "rates.py", "tax.py"]
    kept = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "trees").iterdir()}
    assert [file.path for file in trees.build(shop, "src")] == [file.path for file in first]
    assert kept == {path.name: path.stat().st_mtime_ns for path in (tmp_path / "trees").iterdir()}
    (shop / "src/extra.py").write_text("x = 1\n")
    try:
        assert len(trees.build(shop, "src")) == 4
    finally:
        (shop / "src/extra.py").unlink()


def test_question_is_asked_as_it_is_elsewhere_and_without_its_answer(place: Place) -> None:
    asking = Asking(WordModel())
    asked = {REAL: [QUERY], ELSEWHERE: [QUERY], REMOVED: [QUERY]}
    real, elsewhere, removed = asking.questions(place, asked)
    assert [real.paths[row] for rows in real.answers for row in rows] == ["src/tax.py"]
    assert real.features.shape == (len(real.paths), len(asking.names))
    assert real.asked.unknown == 0.0
    assert real.asked.cosine is not None
    assert elsewhere.answers == removed.answers == ((),)
    assert "src/tax.py" not in removed.paths
    best = asking.names.index("bm25f_share")
    assert real.features[:, best].max() > removed.features[:, best].max()


def test_question_that_might_stand_word_for_word_reads_no_texts(place: Place) -> None:
    seen = Recorder(place.catalog, WordModel()).look("Sales tax of the region is gone", "shop")
    assert seen is not None


def test_file_taken_out_is_as_if_it_had_never_been_there(place: Place, tmp_path: Path) -> None:
    other = tmp_path / "shop"
    for path, text in FILES.items():
        if path != "src/tax.py":
            (other / path).parent.mkdir(parents=True, exist_ok=True)
            (other / path).write_text(text)
    trees = Trees(tmp_path / "cache", WordModel())
    rebuilt = Recorder(MemoryCatalog(trees.build(other)), WordModel())
    reduced = Recorder(place.catalog.without(["src/tax.py"]), WordModel())
    one, two = (engine.look(QUERY.text, "shop") for engine in (rebuilt, reduced))
    assert one is not None
    assert two is not None
    assert [file.path for file in one.files] == [file.path for file in two.files]
    for name, values in one.features.values.items():
        assert values == pytest.approx(two.features.values[name]), name


def test_recall_is_exact_and_leaves_out_what_is_hidden(place: Place) -> None:
    engine = Recorder(place.catalog, WordModel())
    plan = engine.plan(SearchRequest(QUERY.text, limit=20), project_scope("shop"), None)
    (whole,) = place.catalog.recall(plan.requests)
    (less,) = place.catalog.without(["src/tax.py"]).recall(plan.requests)
    assert whole.dense is not None
    assert whole.lexical is not None
    assert less.dense is not None
    assert less.lexical is not None
    assert list(whole.dense.scores) == sorted(whole.dense.scores, reverse=True)
    gone = set(whole.dense.versions.tolist()) - set(less.dense.versions.tolist())
    assert len(gone) == 1
    assert not gone & set(less.lexical.versions.tolist())


def test_copy_of_a_target_outside_the_benchmark_folder_is_no_answer(place: Place) -> None:
    paths = ["src/tax.py", "docs/tax.py", "tax.py"]
    assert place.answering(QUERY, paths) == ((0,),)

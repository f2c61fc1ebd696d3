"""What a part is worth: whole answers in memory, with it and without it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from contrib.bench.quality.dataset import Query, Repo, Target
from contrib.train.ranker.mechanisms import MECHANISMS
from contrib.train.ranker.model import Weights
from contrib.train.ranker.replay import ReadingCatalog, Replay, as_ranker, swapped
from contrib.train.ranker.trees import Trees
from contrib.train.ranker.worth import macro_of, worth_of
from tests.unit.test_train_ranker_collect import WordModel

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "src/cart.py": 'class Cart:\n    """A shopping cart."""\n    def add_item(self, item): ...\n',
    "src/tax.py": "def sales_tax(cart, region):\n    return cart.total() * rate_of(region)\n",
    "tests/test_tax.py": "from src.tax import sales_tax\ndef test_tax():\n    assert sales_tax\n",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("corpora") / "shop"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def replay_of(shop: Path, cache: Path, scope: str) -> Replay:
    trees = Trees(cache, WordModel())
    inside = "src" if scope == "root" else ""
    catalog = ReadingCatalog(
        trees.build(shop, inside), dict(trees.parse(shop)), f"{inside}/" if inside else ""
    )
    return Replay(Repo("shop", "python", "", "", "src"), scope, catalog)


def query(text: str, *lines: int) -> Query:
    return Query("shop:00", "shop", "python", "semantic", text, (Target("src/tax.py", *lines),))


@pytest.mark.parametrize("scope", ["root", "full"])
def test_answer_is_scored_by_both_rules(shop: Path, tmp_path: Path, scope: str) -> None:
    words = as_ranker(Weights({"bm25f_rel": 1.0}, {"bm25f_rel": 1.0}))
    wrong = as_ranker(Weights({"bm25f_rel": -1.0}, {"bm25f_rel": -1.0}))
    replay = replay_of(shop, tmp_path, scope)
    asked = [query("sales tax of a region", 1, 2)]
    found = {
        name: metrics
        for _, name, metrics in replay.scores(asked, {"a": words, "b": wrong}, WordModel())
    }
    assert found["a"]["ndcg10"] == found["a"]["ndcg10c"] == 1.0
    assert found["b"]["ndcg10"] < 1.0


def test_lines_that_are_not_shown_count_by_the_file_rule_only(shop: Path, tmp_path: Path) -> None:
    ranker = as_ranker(Weights({"bm25f_rel": 1.0}, {"bm25f_rel": 1.0}))
    asked = [query("sales tax of a region", 90, 99)]
    ((_, _, metrics),) = replay_of(shop, tmp_path, "full").scores(asked, {"a": ranker}, None)
    assert metrics["ndcg10"] == 1.0
    assert metrics["ndcg10c"] == 0.0


def test_every_mechanism_can_be_switched_off_and_is_on_again(shop: Path, tmp_path: Path) -> None:
    ranker = as_ranker(Weights({"bm25f_rel": 1.0}, {"bm25f_rel": 1.0}))
    replay = replay_of(shop, tmp_path, "full")
    asked = [query("Sales taxx of a region and where the cart is made")]
    before = list(replay.scores(asked, {"a": ranker}, WordModel()))
    for part in MECHANISMS:
        with swapped(*part.off):
            assert len(list(replay.scores(asked, {"a": ranker}, WordModel()))) == len(before)
    assert list(replay.scores(asked, {"a": ranker}, WordModel())) == before


def test_part_that_is_switched_off_is_missing_from_the_answer(shop: Path, tmp_path: Path) -> None:
    ranker = as_ranker(Weights({"p_logsize": -1.0}, {"p_logsize": -1.0}))
    replay = replay_of(shop, tmp_path, "full")
    part = next(one for one in MECHANISMS if one.title == "the only definition of a name")

    def first_is_right() -> float:
        ((_, _, metrics),) = replay.scores([query("sales_tax")], {"a": ranker}, None)
        return metrics["top1"]

    assert first_is_right() == 1.0
    with swapped(*part.off):
        assert first_is_right() == 0.0


def test_what_was_swapped_is_back_after_an_error() -> None:
    owner = SimpleNamespace(name="as it was")
    with pytest.raises(ValueError, match="x"), swapped((owner, "name", "other")):
        raise ValueError("x")
    assert owner.name == "as it was"


def test_worth_is_paired_by_repository_and_counts_what_changed() -> None:
    def scores(first: float, second: float) -> dict[tuple[str, str], dict[str, float]]:
        values = {"a:00": first, "a:01": second, "b:00": 0.5}
        return {
            (scope, one): {"ndcg10": value, "ndcg10c": value}
            for scope in ("root", "full")
            for one, value in values.items()
        }

    worth = worth_of(scores(1.0, 0.5), scores(0.5, 0.5))
    mean, low, high = worth.values["root", "ndcg10"]
    assert mean == pytest.approx(1e3 * 0.25 / 2)
    assert low == pytest.approx(0.0)
    assert high == pytest.approx(250.0)
    assert worth.changed == 2
    assert macro_of(scores(1.0, 0.5), "root", "ndcg10") == pytest.approx((0.75 + 0.5) / 2)

"""The questions that quality is measured with are all there, and say whose they are."""

from __future__ import annotations

from collections import Counter

import pytest

from contrib.bench.quality.dataset import DEV, Query, infer_category, load_dataset
from contrib.bench.quality.languages import load_questions, share_within


def every_query() -> list[Query]:
    return [query for some in load_dataset(DEV).queries.values() for query in some]


def test_dev_half_is_complete() -> None:
    dataset = load_dataset(DEV)
    queries = every_query()

    assert len(dataset.repos) == 31
    assert len(queries) == 612
    assert len({repo.language for repo in dataset.repos.values()}) == 19
    assert len({query.id for query in queries}) == 612


def test_every_repository_can_be_obtained_at_one_revision() -> None:
    for repo in load_dataset(DEV).repos.values():
        assert repo.source.startswith("https://"), repo
        assert repo.source.endswith(".git"), repo
        assert len(repo.revision) == 40, repo


def test_every_query_has_words_a_category_and_a_target() -> None:
    for query in every_query():
        assert query.text.strip(), query.id
        assert query.targets, query.id
        assert query.category in {"symbol", "semantic", "architecture"}, query.id
        assert all(not target.path.startswith("/") for target in query.targets), query.id


def test_notice_and_licence_come_with_the_data() -> None:
    notice = (DEV / "NOTICE").read_text(encoding="utf-8")

    assert "MinishLab" in notice
    assert "MIT License" in notice


def test_category_of_a_query_that_names_none() -> None:
    assert infer_category("Blueprint") == "symbol"
    assert infer_category("How are routes registered") == "architecture"
    assert infer_category("request context handling") == "semantic"


def test_an_unknown_repository_is_refused_by_name() -> None:
    with pytest.raises(KeyError, match="marmot"):
        load_dataset(DEV).select(["marmot"])


def test_forty_questions_in_five_languages_eight_each() -> None:
    questions = load_questions()

    assert Counter(one.language for one in questions) == dict.fromkeys(
        ("zh", "ja", "ko", "ru", "de"), 8
    )
    assert len({one.text for one in questions}) == 40
    assert len({one.repo for one in questions}) >= 5
    assert all(one.files for one in questions)


def test_every_repository_of_the_questions_can_be_obtained() -> None:
    assert {one.repo for one in load_questions()} <= set(load_dataset(DEV).repos)


def test_share_of_questions_whose_file_is_near_the_top() -> None:
    asked = [{"rank": rank} for rank in (1, 5, 6, None)]

    assert share_within(asked, 5) == 0.5
    assert share_within(asked, 1) == 0.25

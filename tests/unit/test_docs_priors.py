"""What a path says of a document whatever is asked, and questions that ask for just that."""

from __future__ import annotations

import pytest

from paparatsd.search.docs_priors import DocPrior, asks_for_changes, doc_prior


@pytest.mark.parametrize(
    ("path", "prior"),
    [
        ("CHANGELOG.md", DocPrior.CHANGES),
        ("docs/news.rst", DocPrior.CHANGES),
        ("docs/releases/4.2.txt", DocPrior.CHANGES),
        ("docs/whatsnew-5.1.rst", DocPrior.CHANGES),
        ("docs/zh/intro.md", DocPrior.LOCALE),
        ("README.pt-br.md", DocPrior.LOCALE),
        ("i18n/fr/docs/intro.md", DocPrior.LOCALE),
        ("LICENSE.md", DocPrior.LEGAL),
        ("CODE_OF_CONDUCT.md", DocPrior.LEGAL),
        ("tests/fixtures/a.md", DocPrior.TEST),
        ("vendor/lib/README.md", DocPrior.VENDORED),
        ("examples/basic/README.md", DocPrior.EXAMPLE),
    ],
)
def test_kinds_that_are_seldom_the_answer_are_told_by_their_path(
    path: str, prior: DocPrior
) -> None:
    assert doc_prior(path) & prior


@pytest.mark.parametrize(
    "path",
    ["README.md", "docs/guide/intro.md", "docs/exchange.md", "docs/newsletter.md", "en/intro.md"],
)
def test_ordinary_documents_are_of_no_such_kind(path: str) -> None:
    assert doc_prior(path) is DocPrior.NONE


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("what's new in 5.1", True),
        ("how to migrate from version 2", True),
        ("was this removed in a release", True),
        ("how do I store files", False),
    ],
)
def test_a_question_may_ask_for_changes(text: str, asked: bool) -> None:
    assert asks_for_changes(text) is asked

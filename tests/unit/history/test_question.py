"""What is asked for besides the subject of a question about history."""

from __future__ import annotations

from datetime import UTC

import pytest

from paparatsd.history.moments import parse_moment
from paparatsd.history.question import Said, is_about_changes, read_question


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "what changed in authentication in the last 90 days",
            Said("authentication", "90 days ago", "", "in the last 90 days"),
        ),
        (
            "What has changed  in the past two weeks in the parser?",
            Said("the parser", "two weeks ago", "", "in the past two weeks"),
        ),
        ("what changed in the last week", Said("", "1 week ago", "", "in the last week")),
        ("what changed last week", Said("", "last week", "last week", "last week")),
        ("commits last 3 days", Said("", "3 days ago", "", "last 3 days")),
        (
            "who changed retries since 2026-03?",
            Said("retries", "2026-03", "", "since 2026-03"),
        ),
        ("which ticket introduced the redis options", Said("the redis options")),
        ("who should I ask about the hmac-auth plugin", Said("the hmac-auth plugin")),
        ("when was retry added to the client", Said("retry added to the client")),
        ("why was the cache removed?", Said("the cache removed")),
        ("fix leak in the last block of a file", Said("fix leak in the last block of a file")),
        ("sort by last month of the year given", Said("sort by last month of the year given")),
        ("changeset reader", Said("changeset reader")),
        ("changes feed reader", Said("changes feed reader")),
        ("all the changes to the cart", Said("the cart")),
        ("whoever", Said("whoever")),
        ("", Said("")),
    ],
)
def test_a_question_is_taken_apart(question: str, said: Said) -> None:
    assert read_question(question) == said
    for text, end in ((said.since, False), (said.until, True)):
        assert not text or parse_moment(text, 1_790_000_000, UTC, end=end)


def test_only_questions_about_changes_begin_as_such() -> None:
    assert is_about_changes("what changed in the client in the last 3 days")
    assert is_about_changes("  Who should we ask about retries")
    assert not is_about_changes("delete sessions of the last 7 days")
    assert not is_about_changes("changelog of the client")

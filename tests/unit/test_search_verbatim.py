from __future__ import annotations

import pytest

from paparatsd.search.verbatim import needles_of, share_found


@pytest.mark.parametrize(
    "question",
    [
        "how are retries limited",
        "where does foo() = bar() happen",
        "session cookie signing",
        "Client.send()",
        "cookie signing (with a key)",
        "mounting with use() and path prefixes",
        "get_user(name, id)",
        "std::filesystem path formatting support",
    ],
)
def test_ordinary_questions_are_looked_for_nowhere(question: str) -> None:
    assert needles_of(question) == ()


@pytest.mark.parametrize(
    ("pasted", "source"),
    [
        ("x = call('a',  b)", '    x = call(\n        "a", b)\n'),
        ("kwargs.setdefault('stream', 1)", 'kwargs.setdefault("stream", 1)'),
        (
            "ValueError: no route for 'x' in 3 tables here",
            'f"no route for {name!r} in {n} tables here"',
        ),
        (
            "Cannot open the file 'a': it is a folder",
            '"Cannot open "\n    f"the file {a}: it is "\n "a folder"',
        ),
        (
            "Expected number of rows 3 but there were 7",
            "'Expected number of rows %d '\n'but there were %d'",
        ),
    ],
)
def test_pasted_text_is_found_in_the_source_it_is_from(pasted: str, source: str) -> None:
    assert max(share_found(needles, source) for needles in needles_of(pasted)) > 0.6


@pytest.mark.parametrize(
    ("pasted", "source"),
    [
        ("r = send(hooks, r)", "other = resend(hooks, r)\nstr = send(hooks, r)"),
        ("No adapters were found for 'foo'", "adapters that were found for the first time"),
    ],
)
def test_text_that_is_only_alike_is_not_found(pasted: str, source: str) -> None:
    assert max(share_found(needles, source) for needles in needles_of(pasted)) < 0.6


def test_the_prefix_of_a_commit_message_is_no_call() -> None:
    assert needles_of("fix(router): match paths with a trailing slash") == ()
    assert needles_of("feat(core)!: ") == ()
    (code,) = needles_of("fix(router, 3); match(paths)")
    assert code.code

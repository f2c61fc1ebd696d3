from __future__ import annotations

import pytest

from paparatsd.search.verbatim import ENOUGH, Sieve, needles_of, share_found


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


@pytest.mark.parametrize(
    ("pasted", "source"),
    [
        ("x = call('a',  b)", '    x = call(\n        "a", b)\n'),
        ("ValueError: no route for 'x' in 3 tables", "f'no route for {name!r} in {n} tables'"),
        (
            "Cannot open the file 'a': is a folder",
            '"Cannot open "\n f"the file {a}: is a " "folder"',
        ),
        ("Could not unify types of the 2 buffers", '"Could not uni" f"fy types\\n" u"of the %d"'),
        ("Allow a newline in names of things", "# allow\n# Allow a newline\n   in names of things"),
    ],
)
def test_the_sieve_keeps_every_text_in_which_enough_is_found(pasted: str, source: str) -> None:
    found = [one for one in needles_of(pasted) if share_found(one, source) >= ENOUGH]
    assert found
    assert all(Sieve(one).lets_through(source) for one in found)


@pytest.mark.parametrize(
    ("pasted", "source"),
    [
        ("x = call('a',  b)", 'y = call("a", b)'),
        ("ValueError: no route for 'x' in 3 tables", "tables for a route, no more in there"),
        ("Allow a newline in names of things", "Allow a newline in nouns of things"),
    ],
)
def test_the_sieve_spares_reading_texts_that_have_no_more_than_some_words(
    pasted: str, source: str
) -> None:
    assert not any(Sieve(one).lets_through(source) for one in needles_of(pasted))

from __future__ import annotations

import pytest

from paparatsd.search.places import find_places, is_place, named_rows
from paparatsd.search.query import analyse

PATHS = ("docs/app.md", "src/flask/app.py", "src/flask/json/__init__.py", "tests/app.py")


def said(text: str) -> list[tuple[str, int]]:
    return [(place.path, place.line) for place in find_places(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("src/flask/app.py", ("src/flask/app.py", 0)),
        ("app.py:120", ("app.py", 120)),
        ("./src/app.ts#L7", ("src/app.ts", 7)),
        ("C:\\work\\app\\Main.cs", ("work/app/Main.cs", 0)),
        ("why does app.py line 12 fail", ("app.py", 12)),
        ("what is in the Makefile", ("Makefile", 0)),
    ],
)
def test_paths_and_lines_are_read(text: str, expected: tuple[str, int]) -> None:
    assert said(text) == [expected]


@pytest.mark.parametrize(
    ("text", "path", "line", "name"),
    [
        ('File "/home/a/app.py", line 3, in wsgi_app', "home/a/app.py", 3, "wsgi_app"),
        ("\tat com.foo.Bar.baz(Bar.java:12)", "Bar.java", 12, "com.foo.Bar.baz"),
        ("    at send (/app/src/http.js:10:5)", "app/src/http.js", 10, "send"),
        ("app/models/user.rb:9:in `full_name'", "app/models/user.rb", 9, "full_name"),
        ("#0 /srv/src/Mailer.php(42): Mailer->send()", "srv/src/Mailer.php", 42, "Mailer->send"),
        ("at Shop.Cart.Pay() in /src/Cart.cs:line 8", "src/Cart.cs", 8, "Shop.Cart.Pay"),
    ],
)
def test_frames_of_stack_traces_tell_file_line_and_function(
    text: str, path: str, line: int, name: str
) -> None:
    place = find_places(text)[0]
    assert (place.path, place.line, place.name) == (path, line, name)


@pytest.mark.parametrize(
    "text",
    ["node.js server", "e.g. this", "success or failure", "version 1.2.3", "Newtonsoft.Json"],
)
def test_what_only_looks_like_a_file_is_none(text: str) -> None:
    assert said(text) == []


def test_the_file_that_shares_most_folders_is_meant() -> None:
    rows = named_rows(PATHS, find_places("/home/me/flask/app.py:9"))
    assert rows[1] == (0.5, 9)
    assert 3 not in rows


def test_a_path_without_an_ending_means_the_file_or_the_folder() -> None:
    assert max(named_rows(PATHS, find_places("flask/json")).items(), key=lambda one: one[1])[0] == 2
    assert 1 in named_rows(PATHS, find_places("flask/app"))


def test_a_path_is_no_name_but_a_member_may_look_like_one() -> None:
    assert is_place("src/app.py")
    assert analyse("app.py").names == ()
    assert analyse("response.json").names == ("json",)


def test_a_trace_is_searched_by_its_message_and_functions() -> None:
    query = analyse(
        'Traceback (most recent call last):\n  File "/x/shop/cart.py", line 31, in pay_now\n'
        "    raise E\nshop.errors.CardDeclined: card 4711 was declined"
    )
    terms = {term.text for term in query.terms}
    assert {"declin", "card", "pay_now"} <= terms
    assert not {"31", "4711", "x"} & terms
    assert "pay_now" in query.names

from __future__ import annotations

import pytest

from paparatsd.search.query import Intent, analyse
from paparatsd.search.spelling import exact_spellings, qualified_share, spellings, split_qualified


@pytest.mark.parametrize(
    ("text", "qualifiers", "name"),
    [
        ("Base", (), "Base"),
        ("Sinatra::Base", ("Sinatra",), "Base"),
        ("pkg.Type.method", ("pkg", "Type"), "method"),
        ("Type#method", ("Type",), "method"),
        ("Type->method()", ("Type",), "method"),
        ("Foo\\Bar\\Baz", ("Foo", "Bar"), "Baz"),
        ("send(request, timeout)", (), "send"),
        ("List<String>", (), "List"),
        ("`url_for`", (), "url_for"),
    ],
)
def test_the_last_part_of_a_qualified_name_is_what_is_asked_for(
    text: str, qualifiers: tuple[str, ...], name: str
) -> None:
    query = analyse(text)
    assert query.intent is Intent.SYMBOL
    assert query.names == (name,)
    assert query.qualifiers == qualifiers


@pytest.mark.parametrize("text", ["getUserById", "GetUserById", "get_user_by_id", "GET_USER_BY_ID"])
def test_every_spelling_of_a_name_leads_to_the_others(text: str) -> None:
    reachable = {text.lower(), *analyse(text).spellings}
    assert {"getuserbyid", "get_user_by_id"} <= reachable
    assert set(analyse(text).spellings) <= set(analyse(text).joined)


def test_a_simple_name_has_one_spelling() -> None:
    assert spellings("base") == ()
    assert exact_spellings("base") == ()


def test_capitals_are_given_as_languages_give_them() -> None:
    assert set(exact_spellings("get_user")) == {"getUser", "GetUser"}
    assert "get_user" in exact_spellings("getUser")


def test_nothing_but_signs_is_no_name() -> None:
    assert split_qualified("::") == ((), "")


def test_names_marked_in_prose_are_asked_for() -> None:
    assert analyse("what does `view` return").names == ("view",)
    assert analyse("why does close() hang").names == ("close",)
    assert analyse("how does Session::Store expire").names[0] == "Store"
    assert analyse("how does Session::Store expire").qualifiers == ("Session",)


def test_a_title_of_capitals_names_nothing() -> None:
    assert analyse("How To Handle Errors In The Router").names == ()
    assert analyse("where does Router live").names == ("Router",)


def test_a_definition_fits_its_qualifiers_by_container_or_path() -> None:
    assert qualified_share(("Session",), "Session.send", "a/b.py") == 1.0
    assert qualified_share(("requests", "Session"), "Session.send", "src/requests/sessions.py") == 1
    assert qualified_share(("Other", "Session"), "Session.send", "a/b.py") == 0.5
    assert qualified_share((), "send", "a.py") == 1.0

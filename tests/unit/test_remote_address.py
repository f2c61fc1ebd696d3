"""Addresses of repositories elsewhere: every form, what is refused, and whose token is whose."""

from __future__ import annotations

import pytest

from paparatsd.errors import BadQuery
from paparatsd.model import RemoteSpec
from paparatsd.remotes.entries import check_spec, is_ref_name, remote_of
from paparatsd.sources.remote_address import (
    git_tokens,
    looks_remote,
    parse_address,
    token_for,
    variable_of,
)


@pytest.mark.parametrize(
    ("text", "url", "host", "name"),
    [
        ("acme/shop", "https://github.com/acme/shop", "github.com", "shop"),
        ("https://github.com/acme/shop.git/", "https://github.com/acme/shop.git",
         "github.com", "shop"),
        ("HTTPS://Git.Example.org:8443/a/b/c", "https://git.example.org:8443/a/b/c",
         "git.example.org:8443", "c"),
        ("git@github.com:acme/shop.git", "git@github.com:acme/shop.git", "github.com", "shop"),
        ("host.example:~ann/shop", "host.example:~ann/shop", "host.example", "shop"),
        ("ssh://git@git.example.org:22/acme/shop", "ssh://git@git.example.org:22/acme/shop",
         "git.example.org:22", "shop"),
        ("ssh://[::1]/acme/shop", "ssh://[::1]/acme/shop", "[::1]", "shop"),
        ("/srv/git/shop.git", "file:///srv/git/shop.git", "", "shop"),
        ("file:///srv/git/shop.git/", "file:///srv/git/shop.git", "", "shop"),
        ("http://127.0.0.1:8080/shop", "http://127.0.0.1:8080/shop", "127.0.0.1:8080", "shop"),
    ],
)  # fmt: skip
def test_an_address_is_made_plain(text: str, url: str, host: str, name: str) -> None:
    address = parse_address(text)
    assert (address.url, address.host, address.name) == (url, host, name)
    assert parse_address(address.url) == address


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no address"),
        ("shop", "no address"),
        ("a/b/c", "no address"),
        ("--upload-pack=x", "no address"),
        ("acme/sh\nop", "no address"),
        ("ext::sh -c x", "no address"),
        ("ext::sh/c", "no address"),
        ("git://github.com/a/b", "not fetched over git"),
        ("http://github.com/a/b", "over https"),
        ("ftp://github.com/a/b", "not fetched over ftp"),
        ("https://ann@github.com/a/b", "PAPARATS_GIT_TOKEN_GITHUB_COM"),
        ("https://ann:pass@github.com/a/b", "PAPARATS_GIT_TOKEN_GITHUB_COM"),
        ("https://:pass@github.com/a/b", "PAPARATS_GIT_TOKEN_GITHUB_COM"),
        ("ssh://ann:pass@host/a/b", "PAPARATS_GIT_TOKEN_HOST"),
        ("https://a:b@c@host/a/b", "PAPARATS_GIT_TOKEN_HOST"),
        ("https:///a/b", "host and path"),
        ("https://-host/a", "host and path"),
        ("https://host/-a", "host and path"),
        ("ssh://-oProxyCommand=x/a", "host and path"),
        ("git@host:-oProxyCommand", "no address"),
        ("https://host/", "host and path"),
        ("https://host/a?b=c", "no '\\?'"),
        ("https://host/a#b", "no '\\?'"),
        ("file://other/a/b", "names no host"),
        ("/srv/../etc", "without '\\.\\.'"),
        ("/", "names no repository"),
        ("https://[::1/a", "no URL"),
        ("https://host/" + "a" * 1_000, "no address"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_and_no_password_is_shown(
    text: str, reason: str
) -> None:
    with pytest.raises(BadQuery, match=reason) as refused:
        parse_address(text)
    assert "pass" not in str(refused.value).replace("a password", "")


def test_what_looks_like_an_address_is_told_from_a_path() -> None:
    remote = ("acme/shop", "git@host:a", "https://x/y", "ssh://x/y", "file:///x")
    assert all(map(looks_remote, remote))
    assert not any(map(looks_remote, ("shop", "./shop", "../a/b", "/src/shop", "src/shop/x", "~")))


def test_a_token_goes_to_its_own_host_alone() -> None:
    tokens = git_tokens({
        "GITHUB_TOKEN": "gh", "GITLAB_TOKEN": " gl ", "PAPARATS_GIT_TOKEN_GIT_EXAMPLE_ORG": "ex",
        "PAPARATS_GIT_TOKEN_GIT_EXAMPLE_ORG_8443": "ann:port", "OTHER_TOKEN": "no",
        "PAPARATS_GIT_TOKEN_EMPTY": " ",
    })  # fmt: skip
    assert "no" not in tokens.values()

    def token(url: str) -> str:
        return token_for(parse_address(url), tokens)

    assert token("acme/shop") == "x-access-token:gh"
    assert token("https://gitlab.com/a/b") == "oauth2:gl"
    assert token("https://git.example.org/a") == "x-access-token:ex"
    assert token("https://git.example.org:8443/a") == "ann:port"
    assert token("https://github.com.evil.org/a") == ""
    assert token("https://github.com:444/a") == ""
    assert token("git@github.com:acme/shop") == ""
    assert token("/srv/shop.git") == ""
    assert variable_of("git.example.org:8443") == "PAPARATS_GIT_TOKEN_GIT_EXAMPLE_ORG_8443"


@pytest.mark.parametrize("name", ["main", "feature/a.b", "v1.0-rc1", "ü"])
def test_names_of_branches_are_taken(name: str) -> None:
    assert is_ref_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "-x", "--upload-pack=x", "a b", "a..b", "a~1", "a^", "a:b", "a?", "a*", "a[", "a\\b", "/a",
     "a/", "a//b", "a.lock", "a.lock/b", "a/.b", "@", "a@{1}", "a\x07", "a" * 201, ".a", "a."],
)  # fmt: skip
def test_what_git_or_a_command_line_could_misread_is_no_name(name: str) -> None:
    assert not is_ref_name(name)


def test_an_entry_says_what_is_followed_and_when() -> None:
    raw = {"url": "acme/shop", "branch": "main", "depth": 5, "cron_fast": "@hourly"}
    spec = remote_of(raw, {"cron": "0 3 * * *", "cron_fast": "off"})
    url = "https://github.com/acme/shop"
    assert spec == RemoteSpec(url, "main", "", 5, "0 3 * * *", "@hourly")
    assert remote_of({"path": "/a"}, {"cron": "0 3 * * *"}) is None


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ({"path": "/a", "branch": "x"}, "needs a url"),
        ({"url": 5}, "allowed: text"),
        ({"url": "a/b", "branch": "x", "ref": "y"}, "not both"),
        ({"url": "a/b", "branch": "-x"}, "cannot be the name"),
        ({"url": "a/b", "ref": "x y"}, "cannot be the name"),
        ({"url": "a/b", "depth": -1}, "depth"),
        ({"url": "a/b", "depth": True}, "depth"),
        ({"url": "a/b", "depth": "1"}, "depth"),
        ({"url": "a/b", "cron": "often"}, "no schedule"),
        ({"url": "a/b", "cron": 5}, "allowed: text"),
    ],
)
def test_an_entry_that_cannot_be_used_is_refused(raw: dict[str, object], reason: str) -> None:
    with pytest.raises(BadQuery, match=reason):
        remote_of(raw, {})


def test_a_specification_from_a_request_is_checked_the_same_way() -> None:
    assert check_spec(RemoteSpec("acme/shop", cron="OFF")).cron == "off"
    with pytest.raises(BadQuery, match="cannot be the name"):
        check_spec(RemoteSpec("acme/shop", ref="--exec"))

"""What git may do in our clones, what it is told, and what of its words is shown."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from paparatsd.errors import GitFailed
from paparatsd.sources.clone_policy import (
    OWN_SETTINGS,
    Access,
    check_own_arguments,
    own_variables,
    without_secrets,
)
from paparatsd.sources.clone_trouble import trouble_words
from paparatsd.sources.remote_address import parse_address

ROOT = Path("/state/remotes/shop")
SECRET = Access("https", "https://git.example.org/", "ann:s3cret-t0ken")


@pytest.mark.parametrize(
    "args",
    [
        [], ["push"], ["clone", "x"], ["-c", "x=y"], ["fetch", "--upload-pack=x", "--", "u"],
        ["fetch", "-u", "x"], ["fetch", "--depth=1;x", "--", "u"], ["fetch", "--depth=0"],
        ["config", "core.sshCommand", "x"], ["config", "--global", "remote.origin.url"],
        ["config", "remote.origin.url", "-x"], ["checkout", "--recurse-submodules"],
        ["ls-remote", "--upload-pack=x", "--", "u"], ["ls-remote", "--", "a\0b"], ["gc", "--auto"],
        ["submodule", "update"], ["init", "--template=/x"], ["clean", "-i"],
    ],
)  # fmt: skip
def test_nothing_but_what_clones_need_is_run(args: list[str]) -> None:
    with pytest.raises(GitFailed):
        check_own_arguments(args)


def test_what_a_remote_has_named_stands_behind_the_options() -> None:
    check_own_arguments(["fetch", "--quiet", "--depth=3", "--", "--upload-pack=x"])
    check_own_arguments(["ls-remote", "--symref", "--", "https://x/y", "HEAD"])


def test_a_token_is_in_one_header_of_the_environment_and_redirects_are_off() -> None:
    variables = own_variables(ROOT, SECRET, {"HTTPS_PROXY": "p", "GIT_TRACE": "1", "GIT_DIR": "x"})
    header = base64.b64encode(b"ann:s3cret-t0ken").decode()
    holders = [name for name, value in variables.items() if header in value]
    assert holders == ["GIT_CONFIG_VALUE_1"]
    assert variables["GIT_CONFIG_KEY_1"] == "http.https://git.example.org/.extraHeader"
    assert variables["GIT_CONFIG_VALUE_0"] == "false"
    assert variables["GIT_ALLOW_PROTOCOL"] == "https"
    assert variables["HTTPS_PROXY"] == "p"
    assert not {"GIT_TRACE", "GIT_DIR", "GIT_ASKPASS"} & variables.keys()
    assert "s3cret" not in repr(SECRET)
    assert "s3cret" not in str([value for _, value in variables.items()])


def test_without_a_remote_no_transport_is_open() -> None:
    assert "GIT_ALLOW_PROTOCOL" not in own_variables(ROOT, None, {"SSH_AUTH_SOCK": "x"})


def test_nothing_of_a_repository_or_of_the_user_is_run() -> None:
    settings = dict(setting.partition("=")[::2] for setting in OWN_SETTINGS)
    assert settings["core.hooksPath"] == "/dev/null"
    assert settings["credential.helper"] == ""
    assert settings["protocol.allow"] == "never"
    assert settings["fetch.fsckObjects"] == settings["transfer.fsckObjects"] == "true"
    assert settings["submodule.recurse"] == settings["fetch.recurseSubmodules"] == "false"


def test_no_secret_is_left_in_what_git_says() -> None:
    encoded = base64.b64encode(b"ann:s3cret-t0ken").decode()
    said = (
        f"fatal: https://ann:s3cret-t0ken@git.example.org/x: token s3cret-t0ken {encoded}\n"
        "> authorization: Basic abc\n"
        "proxy http://me:pw@proxy:3128 refused"
    )
    shown = without_secrets(said, SECRET.secrets)
    assert not any(one in shown for one in ("s3cret", encoded, "abc", "me:pw"))
    assert "https://***@git.example.org/x" in shown


@pytest.mark.parametrize(
    ("complaint", "url", "has_token", "words"),
    [
        ("fatal: could not read Username for 'https://github.com': terminal prompts disabled",
         "acme/shop", False, "PAPARATS_GIT_TOKEN_GITHUB_COM"),
        ("fatal: Authentication failed for 'https://github.com/'", "acme/shop", True,
         "does not accept the token"),
        ("git@github.com: Permission denied (publickey).\nfatal: Could not read from remote",
         "git@github.com:a/b", False, "ssh agent"),
        ("Host key verification failed.\nfatal: Could not read", "git@h:a/b", False, "ssh h"),
        ("remote: Repository not found.\nfatal: repository 'x' not found", "acme/shop", False,
         "PAPARATS_GIT_TOKEN_GITHUB_COM"),
        ("fatal: unable to access 'x': Could not resolve host: github.com", "acme/shop", False,
         "cannot be reached"),
        ("fatal: unable to update url base from redirection:", "acme/shop", True, "has moved"),
        ("fatal: write error: No space left on device", "acme/shop", False, "disk is full"),
        ("error: object 1: hasDotgit\nfatal: fsck error in packed object", "acme/shop", False,
         "checks of git"),
        ("fatal: server certificate verification failed. SSL", "acme/shop", False, "certificate"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_the_way_out(
    complaint: str,
    url: str,
    has_token: bool,
    words: str,
) -> None:
    error = GitFailed("git fetch in /x failed: fatal: something", complaint)
    assert words in trouble_words(error, parse_address(url), has_token=has_token)

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paparatsd.history.links import commit_url, ticket_url
from paparatsd.history.remotes import Forge, Remote, parse_remote
from paparatsd.history.tickets import Ticket, TicketSource, find_tickets

ID = "0123456789abcdef0123456789abcdef01234567"
GITHUB = "https://github.com/owner/repo"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://github.com/owner/repo.git", f"{GITHUB}/commit/{ID}"),
        ("https://github.com/owner/repo/", f"{GITHUB}/commit/{ID}"),
        ("https://user:secret@github.com/owner/repo", f"{GITHUB}/commit/{ID}"),
        ("https://ghp_secret@github.com:443/owner/repo", f"{GITHUB}/commit/{ID}"),
        ("https://github.example.org:8443/o/r", f"https://github.example.org:8443/o/r/commit/{ID}"),
        ("git@github.com:owner/repo.git", f"{GITHUB}/commit/{ID}"),
        ("github.com:owner/repo", f"{GITHUB}/commit/{ID}"),
        ("ssh://git@github.com/owner/repo.git", f"{GITHUB}/commit/{ID}"),
        ("ssh://git@ssh.github.com:443/owner/repo.git", f"{GITHUB}/commit/{ID}"),
        ("git://github.com/owner/repo", f"{GITHUB}/commit/{ID}"),
        ("HTTPS://GitHub.com/Owner/Repo.git", f"https://github.com/Owner/Repo/commit/{ID}"),
        ("git@github.example.org:o/r.git", f"https://github.example.org/o/r/commit/{ID}"),
        ("git@gitlab.com:group/sub/project.git", f"https://gitlab.com/group/sub/project/-/commit/{ID}"),
        ("ssh://git@gitlab.example.org:2222/g/p.git", f"https://gitlab.example.org/g/p/-/commit/{ID}"),
        ("http://gitlab.example.org:8080/g/p.git", f"http://gitlab.example.org:8080/g/p/-/commit/{ID}"),
        ("git@bitbucket.org:owner/repo.git", f"https://bitbucket.org/owner/repo/commits/{ID}"),
        ("ssh://git@altssh.bitbucket.org:443/o/r.git", f"https://bitbucket.org/o/r/commits/{ID}"),
        (
            "https://bitbucket.example.org/scm/abc/repo.git",
            f"https://bitbucket.example.org/projects/abc/repos/repo/commits/{ID}",
        ),
        (
            "ssh://git@bitbucket.example.org:7999/abc/repo.git",
            f"https://bitbucket.example.org/projects/abc/repos/repo/commits/{ID}",
        ),
        ("https://codeberg.org/owner/repo.git", f"https://codeberg.org/owner/repo/commit/{ID}"),
        ("git@gitea.example.org:owner/repo.git", f"https://gitea.example.org/owner/repo/commit/{ID}"),
        ("git@git.sr.ht:~owner/repo", f"https://git.sr.ht/~owner/repo/commit/{ID}"),
        ("https://dev.azure.com/org/proj/_git/repo", f"https://dev.azure.com/org/proj/_git/repo/commit/{ID}"),
        ("https://org@dev.azure.com/org/my%20proj/_git/repo", f"https://dev.azure.com/org/my%20proj/_git/repo/commit/{ID}"),
        ("git@ssh.dev.azure.com:v3/org/proj/repo", f"https://dev.azure.com/org/proj/_git/repo/commit/{ID}"),
        ("https://org.visualstudio.com/DefaultCollection/proj/_git/repo", f"https://dev.azure.com/org/proj/_git/repo/commit/{ID}"),
        ("https://org.visualstudio.com/_git/repo", f"https://dev.azure.com/org/repo/_git/repo/commit/{ID}"),
        ("org@vs-ssh.visualstudio.com:v3/org/proj/repo", f"https://dev.azure.com/org/proj/_git/repo/commit/{ID}"),
    ],
)  # fmt: skip
def test_a_commit_has_its_page_on_the_remotes_site(url: str, expected: str) -> None:
    assert commit_url(url, ID) == expected


@pytest.mark.parametrize(
    "url",
    [
        "",
        "https://git.example.org/owner/repo.git",
        "/srv/git/repo.git",
        "../repo",
        "file:///srv/github.com/owner/repo",
        "C:\\github.com\\repo",
        "C:/github.com/owner/repo",
        "git@work-github:owner/repo.git",
        "javascript:alert(1)//github.com/owner/repo",
        "javascript://github.com/owner/repo",
        "data:text/html,github.com",
        "ext::sh -c github.com/owner/repo",
        "https://github.com",
        "https://github.com/owner",
        "https://github.com/owner/.git",
        "https://github.com/owner/../other/repo",
        "https://github.com/owner/%2e%2e/repo",
        "https://github.com/owner/a%2fb",
        "https://github.com/owner//repo",
        "https://github.com/owner/re\npo",
        "https://github.com/owner/re%0apo",
        "https://github.com/owner/repo\x00",
        "https://github.com/owner/\u202erepo",
        "https://github.com\\@evil.example/owner/repo",
        "https://github.com/owner/repo?x=1",
        "https://github.com/owner/repo#x",
        "https://github.com:port/owner/repo",
        "https://github.com:99999/owner/repo",
        "https://[::1]/github/repo",
        "https://-github.com/owner/repo",
        "https://gíthub.com/owner/repo",
        "https://github.com/" + "a/" * 5_000 + "b",
        "https://dev.azure.com/org/repo",
        "@github.com:owner/repo",
    ],
)
def test_a_remote_without_a_known_page_gives_none(url: str) -> None:
    assert commit_url(url, ID) is None
    assert ticket_url(url, Ticket("#12", TicketSource.GITHUB)) is None


@pytest.mark.parametrize("commit", ["", "abc", "HEAD", "../x", ID + "/", ID.upper(), "g" * 40])
def test_what_is_no_commit_has_no_page(commit: str) -> None:
    assert commit_url(GITHUB, commit) is None


@pytest.mark.parametrize(
    ("remote", "message", "expected"),
    [
        (GITHUB, "#12", f"{GITHUB}/issues/12"),
        (GITHUB, "GH-12", f"{GITHUB}/issues/12"),
        (GITHUB, "other/repo#12", "https://github.com/other/repo/issues/12"),
        (GITHUB, "!12", None),
        ("git@gitlab.com:g/p.git", "#12", "https://gitlab.com/g/p/-/issues/12"),
        ("git@gitlab.com:g/p.git", "!12", "https://gitlab.com/g/p/-/merge_requests/12"),
        ("git@gitlab.com:g/p.git", "a/b/c!12", "https://gitlab.com/a/b/c/-/merge_requests/12"),
        ("git@bitbucket.org:o/r.git", "#12", "https://bitbucket.org/o/r/issues/12"),
        (
            "https://bitbucket.example.org/scm/abc/r.git",
            "#12",
            "https://bitbucket.example.org/projects/abc/repos/r/pull-requests/12",
        ),
        ("https://codeberg.org/o/r", "#12", "https://codeberg.org/o/r/issues/12"),
        ("https://codeberg.org/o/r", "!12", "https://codeberg.org/o/r/pulls/12"),
        ("git@git.sr.ht:~o/r", "#12", None),
        (
            "https://dev.azure.com/org/proj/_git/repo",
            "#12",
            "https://dev.azure.com/org/proj/_workitems/edit/12",
        ),
        (
            "https://dev.azure.com/org/proj/_git/repo",
            "!12",
            "https://dev.azure.com/org/proj/_git/repo/pullrequest/12",
        ),
        ("https://dev.azure.com/org/proj/_git/repo", "a/b#12", None),
        ("", "CVE-2021-44228", "https://www.cve.org/CVERecord?id=CVE-2021-44228"),
        ("", "GHSA-jfh8-c2jp-5v3q", "https://github.com/advisories/GHSA-jfh8-c2jp-5v3q"),
        ("", "RUSTSEC-2021-0001", "https://osv.dev/vulnerability/RUSTSEC-2021-0001"),
        ("", "https://git.example.org/a/b/issues/12", "https://git.example.org/a/b/issues/12"),
        (GITHUB, "https://github.com/owner/repo/pull/12/files", f"{GITHUB}/pull/12"),
    ],
)
def test_a_ticket_has_its_page(remote: str, message: str, expected: str | None) -> None:
    (ticket,) = find_tickets(message)

    assert ticket_url(remote, ticket) == expected


def test_a_jira_key_needs_the_address_of_the_jira() -> None:
    ticket = Ticket("ABC-12", TicketSource.JIRA)

    assert ticket_url(GITHUB, ticket) is None
    assert (
        ticket_url(GITHUB, ticket, jira_url="https://jira.example.org/x/")
        == "https://jira.example.org/x/browse/ABC-12"
    )


@pytest.mark.parametrize(
    "key", ["javascript:alert(1)", "../#12", "a/../b#12", "#0", "#1/../2", "a#12", "a/b\n#12", "#"]
)
def test_a_key_that_is_none_has_no_page(key: str) -> None:
    for source in TicketSource:
        assert ticket_url(GITHUB, Ticket(key, source), jira_url="https://jira.example.org") is None


def test_what_an_own_pattern_finds_has_no_page() -> None:
    assert ticket_url(GITHUB, Ticket("#12", TicketSource.CUSTOM)) is None


@given(
    st.sampled_from(
        ["https://{0}@github.com/o/r", "ssh://{0}@gitlab.com:22/o/r", "{0}@gitea.com:o/r"]
    ),
    st.text("abcXYZ0189:_-.%~", min_size=8, max_size=30),
)
def test_a_secret_of_a_remote_never_leaks(form: str, secret: str) -> None:
    url = form.format(f"s3cret{secret}")

    assert "s3cret" not in repr(parse_remote(url))
    assert "s3cret" not in (commit_url(url, ID) or "")


@given(st.text("githubcom.org/:@-_%2eE\\\x00~ \n#?", max_size=60))
def test_any_text_gives_an_address_or_none(text: str) -> None:
    found = commit_url(text, ID)

    assert found is None or (found.startswith(("https://", "http://")) and found.isprintable())


def test_a_remote_says_its_site_and_path_without_a_known_forge() -> None:
    assert parse_remote("https://u:p@git.example.org:8443/a/b.git") == Remote(
        "https://git.example.org:8443", "git.example.org", "a/b", None
    )
    assert parse_remote("git@forgejo.example.org:a/b.git") == Remote(
        "https://forgejo.example.org", "forgejo.example.org", "a/b", Forge.GITEA
    )

"""What is a ticket in a commit message, and what only looks like one.

An expected answer is the keys in order; "closes " stands before one that the message closes.
"""

from __future__ import annotations

import pytest

from paparatsd.history.remotes import parse_remote
from paparatsd.history.tickets import (
    MAX_MESSAGE_CHARS,
    MAX_OWN_CHARS,
    MAX_TICKETS,
    Relation,
    Ticket,
    TicketRules,
    TicketSource,
    find_tickets,
)
from paparatsd.ticket_patterns import compile_pattern


def keys(message: str, rules: TicketRules | None = None) -> list[str]:
    """Return the keys, those that are closed with `closes ` in front."""
    found = find_tickets(message, rules=rules or TicketRules())
    return [("closes " if one.relation is Relation.CLOSES else "") + one.key for one in found]


JIRA = [
    ("ABC-123: Add retries", ["ABC-123"]),
    ("[ABC-123] Add retries", ["ABC-123"]),
    ("(ABC-123) Add retries", ["ABC-123"]),
    ("Add retries ABC-123", ["ABC-123"]),
    ("Add retries (ABC-123).", ["ABC-123"]),
    ("Add retries, see ABC-123.", ["ABC-123"]),
    ("ABC-123, ABC-124 and XY-7", ["ABC-123", "ABC-124", "XY-7"]),
    ("ABC-123/ABC-124 Add retries", ["ABC-123", "ABC-124"]),
    ("KAFKA-10199: Handle restoration", ["KAFKA-10199"]),
    ("P2P-44 Peers", ["P2P-44"]),
    ("#ABC-123 Add retries", ["ABC-123"]),
    ("Closes #5 from user/ABC-123_draft", ["closes #5", "ABC-123"]),
    ("Wait for ABC-100_000 ms", []),
    ("feature/ABC-123-retries is ready", ["ABC-123"]),
    ("JDK-8234567: Fix the verifier", ["JDK-8234567"]),
    ("Build with JDK-17", []),
    ("PY-45123 Wrong inspection", ["PY-45123"]),
    ("Drop PY-2", []),
    ("[ABC-1] The first ticket", ["ABC-1"]),
    ("ABC-1: The first ticket", ["ABC-1"]),
    ("Copy up to BUFFER-1 bytes", []),
    ("ABC-0 and ABC-012", []),
    ("abc-123 in small letters", []),
    ("ABC-12345678 is too long a number", []),
    ("non-ABC-12", []),
    ("INT_MAX-2", []),
    ("docs/ABC-12.md is new", []),
    ("Fix ABC-123", ["closes ABC-123"]),
    ("Something\n\nResolves: ABC-123, ABC-124", ["closes ABC-123", "closes ABC-124"]),
    ("Something\n\nJira: ABC-123", ["ABC-123"]),
]
NO_JIRA = [
    "Read files as UTF-8",
    "Use SHA-256 in place of MD-5",
    "SHA3-512, SHA2-256 and BLAKE2-256",
    "Dates of ISO-8601",
    "Text in ISO-8859-1 and KOI-8",
    "Follow RFC-2119 and RFC-7231",
    "Follow PEP-8, PEP-484 and PSR-12",
    "IEEE-754 floats, POSIX-2008 is later",
    "AES-128 and AES-256-GCM, RSA-2048",
    "Run on ARM-64, X86-64 and RISC-5",
    "Speak HTTP-2 and TLS-13",
    "The X-1 and the A-12 and the T-1000",
    "COVID-19 statistics",
    "Ask GPT-4 and BERT-12",
    "FP-16, INT-8, BF-16",
    "MPEG-4, MP-3, H-264",
    "Under GPL-3 and BSD-3 and LGPL-2.1",
    "UTC-5 and GMT-8",
    "Since JAN-2021, Q1-2021, FY-21",
    "RC-2, BETA-3 and ALPHA-1",
    "LLVM-14.0.1 and GCC-9",
    "CWE-79 and OWASP-10",
    "HTML-5, CSS-3, ES-6, SQL-92",
    "MIL-STD-810 and DO-178",
    "TOP-10, PHASE-2, STEP-3, PART-4",
    "Base64 is BASE-64, ROT-13 is none",
    "IPV-6 and WPA-2 and OAUTH-2",
    "WINDOWS-1252 and CP-1251 and LATIN-1",
    "PR-12 and MR-13",
    "CRC-32, POLY-1305, CHACHA-20",
    "ML-DSA-65 and ML-KEM-1024",
    "RS-485 on GPIO12-19 of the QFN-80",
]
NUMBERS = [
    ("Add retries (#123)", ["#123"]),
    ("#12 Add retries", ["#12"]),
    ("#12: Add retries", ["#12"]),
    ("Add retries #12", ["#12"]),
    ("Add retries, #12.", ["#12"]),
    ("[#12] Add retries", ["#12"]),
    ("Add retries (#12, #13)", ["#12", "#13"]),
    ("Add retries (owner/repo#12)", ["owner/repo#12"]),
    ("Add retries for vercel/next.js#4512", ["vercel/next.js#4512"]),
    ("See group/sub/project#12", ["group/sub/project#12"]),
    ("GH-12: Add retries", ["#12"]),
    ("gh-98765: Add retries (GH-98766)", ["#98765", "#98766"]),
    ("PR#12 and issue#13", ["#12", "#13"]),
    ("See #12's comment", ["#12"]),
    ("Part of #12/#13", ["#12", "#13"]),
    ("Closes gh-#12", ["closes #12"]),
    ("Retry (… (#12)\n\n…#13)", ["#12", "#13"]),
    ("Update\n\n* #12\n* #13", ["#12", "#13"]),
    ("Refs #12 (again #12)", ["#12"]),
    ("Bug: 4321", []),
    ("Fix it\n\nBug: 4321", ["#4321"]),
    ("Fix it\n\nCloses: 12, 13", ["closes #12", "closes #13"]),
    ("Fix it\n\nCloses-Bug: #1234567", ["closes #1234567"]),
    ("Fix it\n\nRelated-Bug: #1234567", ["#1234567"]),
    ("Merge pull request #12 from owner/fix", ["#12"]),
    ("Auto merge of #123456 - user:branch, r=other", ["#123456"]),
    ("Add retries (#123456)", ["#123456"]),
    ("Fix it\n\nChange-Id: I8f1e0c3b5d7a9e2f4c6b8d0a1f3e5c7b9d2f4a6c", []),
    ('Fix it\n\nFixes: 1234567890ab ("mm: retry")', []),
    ("Fix it\n\nCo-authored-by: Bot #12 <bot#12@example.org>\nReviewed-by: ABC-12", []),
]
NO_NUMBERS = [
    "Say `#1` and ``see #2`` in code",
    "Code\n\n```\n#12\n```\n",
    "Code\n\n~~~c\nfoo(#12)\n~~~\n",
    "Unclosed\n\n```\n#12\n",
    "Colours #123456 and #fff and #00ff00",
    "Change the background from #333 to #666",
    'Set color="#444" and fill:#555',
    "Colour (#333333) of the border",
    "#define and #include and #if",
    "C# 12 and F#4 and C#12",
    "issue # without a number",
    "# 12 things\n\n## 13 more",
    "#0 and #012",
    "#12abc and #1e5",
    "#1.2 and #3-4",
    "RFC#1928 and Subtype#5 and repo#12",
    "It is the #1 cause",
    "We are ranked #1",
    "attempt #3, step #4 and test #5",
    "job #81234 and build #77",
    "&#39; and &#8217;",
    "[below](#12)",
    "https://example.org/page#12",
    "https://github.com/owner/repo/blob/main/a.c#12",
    "docs/index.md#12",
    "a@b#12 and $#12 and \\#12 and ?#12",
    "##12 and #12#",
    "v1.2#3",
    "#12345678 is too long",
    "Trace\n\n#0  0x00007f in foo () at a.c:1\n#1  0x00007f in bar () at b.c:2",
    "Trace\n\n#1 /srv/app/index.php(12): run()\n#2 {main}",
    "user#12@example.org",
    "This reverts commit 1234567890123456789012345678901234567890.",
    "Released 2021-01-05, version 1.2.3",
]
GITLAB = [
    ("See merge request group/project!12", ["group/project!12"]),
    ("See merge request group/sub/project!12", ["group/sub/project!12"]),
    ("Add retries (!12)", ["!12"]),
    ("!12 Add retries", ["!12"]),
    ("See !1", ["!1"]),
    ("return !0, !1 and !!12 and a!=12 and x!12", []),
    ("Wow!12", []),
    ("Merge branch '12-fix-it' into 'main'\n\nSee merge request a/b!34", ["#12", "a/b!34"]),
    ("Merge branch '12-fix-it' into main", []),
]
CLOSING = [
    ("Fixes #12", ["closes #12"]),
    ("fixed #12 -- Added retries", ["closes #12"]),
    ("Add retries\n\nfix #12", ["closes #12"]),
    ("closes #12, #13 and #14", ["closes #12", "closes #13", "closes #14"]),
    ("Resolves #12, resolves #13; see #14", ["closes #12", "closes #13", "#14"]),
    ("Closes: #12", ["closes #12"]),
    ("CLOSES GH-12", ["closes #12"]),
    ("Fixes owner/repo#12 & #13", ["closes owner/repo#12", "closes #13"]),
    ("Fixes issue #12", ["closes #12"]),
    ("fixes bugs #12 and #13", ["closes #12", "closes #13"]),
    ("Implements #12", ["closes #12"]),
    ("closing issues #12,\n#13", ["closes #12", "closes #13"]),
    ("Fixes #12\nRefs #13", ["closes #12", "#13"]),
    ("fix: retry (#12)", ["#12"]),
    ("fix(#12): retry", ["#12"]),
    ("fix: #12 retry", ["closes #12"]),
    ("Fixes [#12]", ["closes #12"]),
    ("Add retries (fixes #12) (#13)", ["closes #12", "#13"]),
    ("Does not fix #12", ["#12"]),
    ("This doesn't really close #12", ["#12"]),
    ("Partially fixes #12", ["#12"]),
    ("prefix #12 and suffixes #13", ["#12", "#13"]),
    ("Fix for #12", ["#12"]),
    ("Fixed in #12", ["#12"]),
    ("See #12\n\nFixes #12", ["closes #12"]),
    ('Revert "Fix retries, closes #12"\n\nThis reverts commit abc1234.', ["#12"]),
    ("Fixes !12", ["closes !12"]),
    ("Fixes https://github.com/o/r/issues/5 and #6", ["closes o/r#5", "closes #6"]),
]
URLS = [
    ("https://github.com/owner/repo/issues/12", ["owner/repo#12"]),
    ("See https://github.com/owner/repo/pull/12.", ["owner/repo#12"]),
    ("(https://github.com/owner/repo/pull/12/files#diff-1)", ["owner/repo#12"]),
    ("https://github.com/owner/repo/issues/12#issuecomment-99", ["owner/repo#12"]),
    ("https://www.github.com/owner/repo/issues/12?x=1", ["owner/repo#12"]),
    ("https://gitlab.com/group/sub/project/-/issues/12", ["group/sub/project#12"]),
    ("https://gitlab.com/group/project/merge_requests/12", ["group/project!12"]),
    ("https://gitlab.com/group/project/-/merge_requests/12/diffs", ["group/project!12"]),
    ("https://bitbucket.org/owner/repo/pull-requests/12/name", ["owner/repo#12"]),
    ("https://codeberg.org/owner/repo/pulls/12", ["owner/repo#12"]),
    ("https://git.example.org/owner/repo/issues/12", ["git.example.org/owner/repo#12"]),
    (
        "https://bitbucket.example.org/projects/ABC/repos/repo/pull-requests/12/overview",
        ["bitbucket.example.org/ABC/repo#12"],
    ),
    ("https://jira.example.org/browse/ABC-12", ["ABC-12"]),
    ("https://example.org/jira/browse/UTF-12?focusedId=3", ["UTF-12"]),
    ("https://example.atlassian.net/browse/ABC-1", ["ABC-1"]),
    ("Fixes: https://jira.example.org/browse/ABC-12", ["closes ABC-12"]),
    ("https://example.org/ABC-12", []),
    ("https://github.com/owner/repo/commit/1234567", []),
    ("https://github.com/owner/repo/issues", []),
    ("https://github.com/owner/../repo/issues/12", []),
    ("https://github.com/o/r/tree/main/a/issues/12", []),
    ("javascript://github.com/owner/repo/issues/12", []),
]
BRANCHES = [
    ("Merge branch 'feature/ABC-123-foo' into main", ["ABC-123"]),
    ("Merge branch 'ABC-123_foo'", ["ABC-123"]),
    ("Merge branch 'feature/x-ABC-123-2' into main", ["ABC-123"]),
    ("Merge branches 'ABC-12' and 'ABC-13' into main", ["ABC-12", "ABC-13"]),
    ("Merge remote-tracking branch 'origin/ABC-12'", ["ABC-12"]),
    ("Merge pull request #12 from owner/ABC-12-x", ["#12", "ABC-12"]),
    ("Merge pull request #12 from owner/issue-13-crash", ["#12", "#13"]),
    ("Merged in feature/ABC-12_x (pull request #3)", ["ABC-12", "#3"]),
    ("Pull request #3: Retry\n\nMerge in ABC/repo from fix/ABC-12_y to main", ["#3", "ABC-12"]),
    ("Merge branch 'fix/gh-12'", ["#12"]),
    ("Merge branch 'utf-8' into UTF-8-fixes", []),
    ("Merge tag 'v1.2'", []),
]
ADVISORIES = [
    ("Patch for CVE-2021-44228", ["CVE-2021-44228"]),
    ("Fixes CVE-2021-44228 (ABC-12)", ["closes CVE-2021-44228", "ABC-12"]),
    ("GHSA-jfh8-c2jp-5v3q", ["GHSA-jfh8-c2jp-5v3q"]),
    ("RUSTSEC-2021-0001", ["RUSTSEC-2021-0001"]),
    ("CVE-21 and CVE-2021-1", []),
    ("Fix `CVE-2021-44228`", ["CVE-2021-44228"]),
    ("https://nvd.nist.gov/vuln/detail/CVE-2021-44228", ["CVE-2021-44228"]),
]
ODD = [
    ("", []),
    ("\n\n\n", []),
    ("Добавить повторы (#12), ABC-123", ["#12", "ABC-123"]),
    ("修复 #12", ["#12"]),
    ("\x1b[31m#12\x1b[0m", []),
    ("Line\r\n\r\nFixes #12\r\n", ["closes #12"]),
    ("#" * 50, []),
    ("#12 " * 3, ["#12"]),
]


@pytest.mark.parametrize(
    ("message", "expected"),
    [*JIRA, *NUMBERS, *GITLAB, *CLOSING, *URLS, *BRANCHES, *ADVISORIES, *ODD],
)
def test_tickets_are_found_as_a_person_would(message: str, expected: list[str]) -> None:
    assert keys(message) == expected


@pytest.mark.parametrize("message", [*NO_JIRA, *NO_NUMBERS])
def test_what_only_looks_like_a_ticket_is_none(message: str) -> None:
    assert keys(message) == []
    assert keys(f"Subject\n\n{message}") == []


@pytest.mark.parametrize(
    ("message", "ticket"),
    [
        ("Fix ABC-12", Ticket("ABC-12", TicketSource.JIRA, Relation.CLOSES)),
        ("See #12", Ticket("#12", TicketSource.GITHUB)),
        ("See a/b!12", Ticket("a/b!12", TicketSource.GITLAB)),
        ("See CVE-2021-44228", Ticket("CVE-2021-44228", TicketSource.ADVISORY)),
        (
            "See https://user:secret@git.example.org/a/b/issues/12",
            None,
        ),
        (
            "See http://git.example.org:3000/a/b/issues/12?token=secret#x",
            Ticket(
                "git.example.org/a/b#12",
                TicketSource.GITHUB,
                url="http://git.example.org:3000/a/b/issues/12",
            ),
        ),
        (
            "https://gitlab.com/a/b/-/issues/12",
            Ticket("a/b#12", TicketSource.GITLAB, url="https://gitlab.com/a/b/-/issues/12"),
        ),
        (
            "ABC-12, https://jira.example.org/browse/ABC-12",
            Ticket("ABC-12", TicketSource.JIRA, url="https://jira.example.org/browse/ABC-12"),
        ),
    ],
)
def test_a_ticket_says_where_it_is_kept_and_what_its_page_is(
    message: str, ticket: Ticket | None
) -> None:
    assert find_tickets(message) == (() if ticket is None else (ticket,))


def test_what_belongs_to_the_remote_loses_its_path() -> None:
    home = TicketRules(home=parse_remote("git@github.com:Owner/repo.git"))

    assert keys("owner/repo#12 and other/repo#12", home) == ["#12", "other/repo#12"]
    assert keys("Closes owner#12, Repo#13 and other#14", home) == ["closes #12", "closes #13"]
    assert keys("https://github.com/owner/repo/pull/12 (#12)", home) == ["#12"]
    assert keys("https://gitlab.com/owner/repo/-/issues/12", home) == ["gitlab.com/owner/repo#12"]


def test_numbers_are_those_of_a_gitlab_where_the_remote_is_one() -> None:
    home = parse_remote("https://gitlab.example.org/group/project.git")

    found = find_tickets("Fix #12, see group/project!13", rules=TicketRules(home=home))

    assert found == (
        Ticket("#12", TicketSource.GITLAB, Relation.CLOSES),
        Ticket("!13", TicketSource.GITLAB),
    )


def own(*patterns: str) -> TicketRules:
    return TicketRules(patterns=tuple(compile_pattern(text) for text in patterns))


@pytest.mark.parametrize(
    ("patterns", "message", "expected"),
    [
        ([r"bpo-\d+"], "bpo-1234: Fix it (#5)", ["bpo-1234", "#5"]),
        ([r"bpo-(\d+)"], "bpo-1234: Fix it", ["1234"]),
        ([r"ticket (?P<key>\d+)"], "Fix ticket 12", ["12"]),
        ([r"#T(\d+)", r"UTF-\d+"], "#T5 in UTF-8", ["5", "UTF-8"]),
        ([r"x-(\d+)|y-\d+"], "y-5", []),
        ([r"#(\d+)"], "Fixes #12", ["12"]),
        ([r"[A-Z]+-\d+"], "Fixes ABC-12", ["closes ABC-12"]),
        ([r"T\d+"], "a T1\nb T2\n\nT1", ["T1", "T2"]),
        ([r"^T\d+"], "no T1\nT2 yes", ["T2"]),
        ([r"T\d+$"], "no T1\nT2 yes", ["T1"]),
    ],
)
def test_own_patterns_find_the_first_group_or_the_whole(
    patterns: list[str], message: str, expected: list[str]
) -> None:
    assert keys(message, own(*patterns)) == expected


def test_a_ticket_of_two_forms_is_named_by_the_common_one() -> None:
    found = find_tickets("ABC-12", rules=own(r"[A-Z]+-\d+"))

    assert found == (Ticket("ABC-12", TicketSource.JIRA),)


def test_own_patterns_are_shown_the_beginning_of_a_line_only() -> None:
    assert keys("x" * 600 + " T12\n" + "T13", own(r"T\d+")) == ["T13"]


def test_a_message_gives_a_bounded_number_of_tickets() -> None:
    many = " ".join(f"#{number}" for number in range(1, 5_000))

    assert len(find_tickets(many)) == MAX_TICKETS
    assert len(find_tickets(many.replace(" ", "\n"), rules=own(r"#(\d+)"))) == MAX_TICKETS


def test_what_lies_beyond_the_limit_of_a_message_is_not_read() -> None:
    assert keys("-" * MAX_MESSAGE_CHARS + "\n#12") == []
    assert keys("-" * MAX_OWN_CHARS + "\nT12 #12", own(r"T\d+")) == ["#12"]

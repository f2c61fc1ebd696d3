"""Mailmaps and trailers as git itself reads them."""

from __future__ import annotations

import itertools
import subprocess
from typing import TYPE_CHECKING

import pytest

from paparatsd.commits import Person
from paparatsd.history.ignore_revs import parse_ignore_revs
from paparatsd.history.mailmap import parse_mailmap
from paparatsd.history.trailers import find_trailers
from tests.harness.repos import git_environment

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness.repos import Repo

ODD_LINES = [
    "Jane Doe <jane@example.org>",
    "<new@example.org> <old@example.org>",
    "Jane Doe <new@example.org> <old@example.org>",
    "Jane Doe <new@example.org> Jane <old@example.org>",
    "  Jane   Doe\t <new@example.org>\t<old@example.org>  ",
    "Jane Doe <new@example.org> JANE <OLD@EXAMPLE.ORG>",
    "# Jane Doe <jane@example.org>",
    "  # Jane <jane@example.org>",
    "Jane # Doe <jane@example.org> # comment",
    "Jane Doe <jane@example.org> # <old@example.org>",
    "Jane Doe <> <old@example.org>",
    "Jane Doe <new@example.org> <>",
    "Jane Doe <new@example.org> Jane <>",
    "<>",
    "< > <old@example.org>",
    "Jane < jane@example.org >",
    "Jane <jane@example.org",
    "Jane jane@example.org>",
    "Jane <<jane@example.org>>",
    "Jane Doe <new@example.org> Jane <old@example.org> <third@example.org>",
    "Jane<new@example.org>Jane<old@example.org>",
    "Jürgen <j@example.org> JÜRGEN <old@example.org>",
    "Jane Doe <new@example.org> <old@example.org>\r",
    "\ufeffJane <jane@example.org>",
    "Jane \x01 Doe <jane@example.org>",
    '"Jane Doe" <jane@example.org>',
    "Jane > Doe <jane@example.org>",
    "Joan <joan@example.org> Jane <jane@example.org>",
    "<joan@example.org> jane <jane@example.org>",
    "",
]
PEOPLE = [
    Person(name, email)
    for name, email in itertools.product(
        ("Jane", "jane", "JANE", "Jane Doe", "Jürgen", "jürgen", "x", ""),
        ("jane@example.org", "old@example.org", "OLD@example.org", "new@example.org", "x@y", ""),
    )
]


def shown_by_git(repo: Repo, people: list[Person]) -> list[str]:
    asked = "".join(f"{person.name} <{person.email}>\n" for person in people)
    done = repo.git("check-mailmap", "--stdin", stdin=asked)
    return done.split("\n")[:-1]


def shown_by_us(text: str, people: list[Person]) -> list[str]:
    mailmap = parse_mailmap(text)
    mapped = [mailmap.apply(person) for person in people]
    return [f"{one.name} <{one.email}>" if one.name else f"<{one.email}>" for one in mapped]


@pytest.mark.parametrize(
    "lines",
    [
        *([line] for line in ODD_LINES),
        ODD_LINES,
        ODD_LINES[::-1],
        ODD_LINES[::2],
        ODD_LINES[5:20],
    ],
    ids=str,
)
def test_people_are_shown_as_git_shows_them(repo: Repo, lines: list[str]) -> None:
    text = "\n".join(lines)
    repo.write(".mailmap", text)

    assert shown_by_us(text, PEOPLE) == shown_by_git(repo, PEOPLE)


MESSAGES = [
    "Subject\n\nBug: 12\n",
    "Subject\n\nBody\n\nBug: 12\nCloses: #1\n\n\n",
    "Subject: this\nBug: 12\n",
    "Subject\n\nBug: 12\n\nThe end\n",
    "Subject\n\nIt says\nBug: 12\n",
    "Subject\n\nIt says\nSigned-off-by: A <a@b>\n",
    "Subject\n\na\nb\nc\nSigned-off-by: A <a@b>\n",
    "Subject\n\na\nb\nc\nd\nSigned-off-by: A <a@b>\n",
    "Subject\n\na\nb\nc\nd\nBug: 1\nSigned-off-by: A <a@b>\n",
    "Subject\n\nBug: 1\n(cherry picked from commit 1234567)\n",
    "Subject\n\nprose\n(cherry picked from commit 1234567)\nBug: 1\n",
    "Subject\n\nBug: one\n  two\n\tthree\nCloses: 1\n",
    "Subject\n\nBug: one\n  two\n\n  three\nCloses: 1\n",
    "Subject\n\n  indented\nBug: 1\n",
    "Subject\n\nprose\n  indented\nBug: 1\nSigned-off-by: A <a@b>\n",
    "Subject\n\nprose\nBug: 1\n  more\nSigned-off-by: A <a@b>\n  folded\n",
    "Subject\n\nhttp://example.org\n",
    "Subject\n\nBug : 12\nEmpty:\nTabbed\t:\tx\n",
    "Subject\n\nBug 1: 12\n",
    "Subject\n\nBug_1: 12\n",
    "Subject\n\n: 12\n",
    "Subject\n\nBüg: 12\n",
    "Subject\n\nBug: 12\n# A comment\n",
    "Subject\n\n# A comment\nBug: 12\n",
    "Subject\n\nBug: 12\n\nConflicts:\n\ta.py\n\tb.py\n",
    "Subject\n\nBug: 12\n\nConflicts:\n\ta.py\nmore\n",
    "Subject\n\nBug: 12\n \n \t\n",
    "Subject\n \nBug: 12\n",
    "Subject\nsecond line\n\nBug: 12\n",
    "# Comment\nSubject\n\nBug: 12\n",
    "\n\nBug: 12\n",
    "Bug: 12\n",
    "Subject\n\n---\n\nBug: 12\n",
    "Subject\n\nBug: 1\n---\n a.py | 2 +-\n",
    "Subject\n\nCo-authored-by: A <a@b>\nCO-AUTHORED-BY: B <b@b>\n",
    "Subject\r\n\r\nBug: 12\r\nCloses: 1\r\n",
    "Subject\n\nBug: a:b:c\n",
    "Subject\n\nBug: a\n\x0cb\nCloses: 1\n",
    "Subject\n\nBug:    spaces   inside   \n",
    "Subject\n\nBug: 1\n\n\n\nBug: 2\n",
    "Subject\n\nBug: 12",
    "Subject",
]


def trailers_by_git(root: Path, message: str) -> list[str]:
    done = subprocess.run(
        ["git", "interpret-trailers", "--parse", "--no-divider"],
        cwd=root,
        env=git_environment(root),
        input=message.encode(),
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().split("\n")[:-1]


@pytest.mark.parametrize("message", MESSAGES)
def test_trailers_are_what_git_takes_for_them(tmp_path: Path, message: str) -> None:
    ours = [f"{trailer.key}: {trailer.value}" for trailer in find_trailers(message)]

    assert ours == trailers_by_git(tmp_path, message)


def test_blame_ignores_the_commits_that_are_read_from_the_file(repo: Repo) -> None:
    repo.write("a.py", "one\ntwo\n")
    first = repo.commit("Write")
    repo.write("a.py", "  one\n  two\n")
    second = repo.commit("Indent")
    text = f"# Indentation\n\n{second.upper()}  # all of it\n"
    repo.write(".git-blame-ignore-revs", text)

    blamed = repo.git("blame", "-s", "-l", "--ignore-revs-file=.git-blame-ignore-revs", "a.py")

    assert {line.lstrip("^").split()[0][:39] for line in blamed.splitlines()} == {first[:39]}
    assert parse_ignore_revs(text).ids == {second}

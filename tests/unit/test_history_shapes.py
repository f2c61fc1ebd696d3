"""How history is spelled: instants in their own zone, people, days, one line for a change."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from paparatsd.commits import Moment, Person
from paparatsd.history_model import LastChange, TicketNote, TimelineEntry
from paparatsd.interfaces.history_shapes import commit_json, last_change_json, moment_iso
from paparatsd.interfaces.history_words import (
    by_day,
    change_line,
    commit_line,
    gist_of,
    name_of,
    ticket_keys,
    unnamed_tickets,
)
from tests.harness.fake_history import FIX, LIMIT, MERGE, moment


@pytest.mark.parametrize(
    ("seconds", "minutes", "text"),
    [
        (0, 0, "1970-01-01T00:00:00+00:00"),
        (0, -210, "1969-12-31T20:30:00-03:30"),
        (-1, 345, "1970-01-01T05:44:59+05:45"),
        (1_772_353_800, 60, "2026-03-01T09:30:00+01:00"),
        (-5_000_000_000, 0, "1811-07-23T15:06:40+00:00"),
        (0, 100_000, "1970-01-01T00:00:00+00:00"),
    ],
)
def test_an_instant_is_written_in_its_own_zone(seconds: int, minutes: int, text: str) -> None:
    assert moment_iso(Moment(seconds, minutes)) == text


@pytest.mark.parametrize("seconds", [10**18, -(10**18), 253_402_300_799, -62_135_596_800])
@pytest.mark.parametrize("minutes", [0, 1_439, -1_439])
def test_an_instant_beyond_the_calendar_is_moved_to_its_edge(seconds: int, minutes: int) -> None:
    instant = datetime.fromisoformat(moment_iso(Moment(seconds, minutes)))
    assert instant.year in (1, 2, 9998, 9999)


def test_a_commit_has_the_documented_members() -> None:
    assert commit_json(FIX) == {
        "project": "marmots",
        "id": "4" * 40,
        "short": "4" * 10,
        "author": {"name": "Bert Berg", "email": "bert@alps.example"},
        "authored": "2026-03-20T10:00:00+01:00",
        "committer": {"name": "Bert Berg", "email": "bert@alps.example"},
        "committed": "2026-03-28T23:30:00-05:00",
        "subject": "ALP-7: stop at bedrock",
        "body": "",
        "co_authors": [],
        "tickets": [
            {
                "key": "ALP-7",
                "source": "jira",
                "closes": False,
                "url": "https://jira.example/ALP-7",
            }
        ],
        "merge": False,
        "url": "https://alps.example/commit/4",
    }


def test_days_are_those_of_the_commits_own_zone_each_once_newest_first() -> None:
    late = replace(FIX, committed=moment("2026-03-02T00:30:00+09:00"))  # before MERGE as an instant
    early = replace(LIMIT, committed=moment("2026-03-01T23:00:00-08:00"))
    days = by_day(
        [
            {"commit": commit_json(entry.commit), "hits": []}
            for entry in (TimelineEntry(one, ()) for one in (early, MERGE, late))
        ]
    )
    found = [(day, [one["commit"]["short"][0] for one in entries]) for day, entries in days]
    assert found == [("2026-03-02", ["3", "4"]), ("2026-03-01", ["2"])]


@pytest.mark.parametrize(
    ("subject", "key", "shown"),
    [
        ("ALP-7: stop", "ALP-7", ""),
        ("Stop (#12)", "#12", ""),
        ("Stop (#123)", "#12", "[#12]"),
        ("Stop ALP-71", "ALP-7", "[ALP-7]"),
        ("Stop XALP-7", "ALP-7", "[ALP-7]"),
        ("Stop", "ALP-7", "[ALP-7]"),
    ],
)
def test_tickets_are_named_unless_the_subject_does(subject: str, key: str, shown: str) -> None:
    note = replace(FIX, subject=subject, tickets=(TicketNote(key, "jira"),))
    assert unnamed_tickets(commit_json(note)) == shown


def test_many_tickets_are_counted_and_doubles_named_once() -> None:
    tickets = [{"key": f"A-{number % 9}"} for number in range(20)]
    assert ticket_keys(tickets) == "[A-0, A-1, A-2, A-3, A-4, A-5, 3 more]"
    assert ticket_keys([]) == ""


def test_people_without_a_name_have_one_all_the_same() -> None:
    names = [Person("", "a@x"), Person("", "")]
    assert [name_of({"name": one.name, "email": one.email}) for one in names] == [
        "a@x",
        "somebody without a name",
    ]


def test_co_authors_and_an_empty_message_are_pointed_out() -> None:
    note = replace(LIMIT, subject="", tickets=())
    line = commit_line(commit_json(note))
    assert line == "2026-03-01 2222222222 Caro Col: (no message) (with Ann Alm)"


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            LastChange(LIMIT, 1_200, 2, pending=True),
            "last changed 2026-03-01 by Caro Col [#12] (2222222222, 1,200 commits, 2 uncommitted "
            "lines, history is still being read): Limit the depth",
        ),
        (LastChange(None, 0, 1), "last change: uncommitted (1 line)"),
        (LastChange(None, 0, 0), "no history"),
        (
            LastChange(None, 0, 9, pending=True),
            "last change: not known yet, history is still being read",
        ),
    ],
)
def test_a_change_is_one_line(change: LastChange, line: str) -> None:
    shape: dict[str, Any] = last_change_json(change)
    assert change_line(shape) == line


@pytest.mark.parametrize(
    ("body", "gist"),
    [
        ("", ""),
        ("Deep burrows\nflooded.\n\nMore.", "Deep burrows flooded."),
        ("Signed-off-by: Ann <a@x>\nCloses: #12", ""),
        ("Reviewed-by: Ann\n\nWhy: it floods,\nand then some.", "Why: it floods, and then some."),
        ("### Summary\r\n\r\nDeep ones flooded.\r\n\r\n### Checklist", "Deep ones flooded."),
        ("### Summary\nDeep ones flooded.", "Deep ones flooded."),
        ("<!-- Say\n\nwhy. -->\n\n- [x] tested\n\n---\n\nFloods.", "Floods."),
        ("ALP-5, ALP-6\n\n(#12)\n\nhttps://alps.example/7\n\n* [ALP-7]", ""),
        ("#12 was wrong", "#12 was wrong"),
    ],
)
def test_the_gist_of_a_message_is_its_first_paragraph_that_says_something(
    body: str, gist: str
) -> None:
    assert gist_of(body) == gist

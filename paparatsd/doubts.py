"""Why files are looked at again, in words: watching and sessions note doubts by short names."""

from __future__ import annotations

WORDS = {
    "start": "files have not been compared with the index since the start",
    "watch_started": "watching has just begun; what changed before is looked for",
    "watch_lost": "watching was interrupted; what changed meanwhile is looked for",
    "overflow": "more files changed at once than could be followed",
    "stalled": "changes were reported late; files are compared again",
    "clock_jumped": "the clock was set; files are compared again",
    "root_moved": "the directory was moved or replaced",
    "polling": "files are compared from time to time, as there are no events here",
    "undecodable_name": "a file name that is no UTF-8 has changed",
    "fetched": "the repository elsewhere was fetched",
    "git moved": "git moved to another commit or branch",
    "git_moved": "git moved to another commit or branch",
    "many changes": "many files have changed",
    "many_changes": "many files have changed",
}


def in_words(reason: str) -> str:
    """Return a reason for people; what is words already stays.

    >>> in_words("git_moved")
    'git moved to another commit or branch'
    """
    return WORDS.get(reason, reason)

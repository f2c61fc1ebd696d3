"""What a question about history asks for besides its subject: a time, and who, when or which.

    >>> read_question("what changed in authentication in the last 90 days")
    Said(subject='authentication', since='90 days ago', until='', phrase='in the last 90 days')

Words such as "which ticket introduced" stand in no commit about the subject; left in, they would
find those that introduce tickets.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_UNITS = r"(?:days?|weeks?|months?|years?|hours?)"
_NUMBERS = r"(?:[0-9]{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve)"
_WITHIN = r"(?:(?:in|within|over|during|for|from)\s+)?"
_RECENT = re.compile(
    rf"\b{_WITHIN}the\s+(?:last|past)\s+(?:(?P<count>{_NUMBERS})\s+)?(?P<unit>{_UNITS})\b"
    rf"|\b{_WITHIN}(?:last|past)\s+(?P<bare>{_NUMBERS}\s+{_UNITS})\b",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"\bsince\s+(?P<moment>[0-9]{4}(?:-[0-9]{2}){0,2}|yesterday|today"
    rf"|(?:last|this)\s+(?:week|month|year)|{_NUMBERS}\s+{_UNITS}\s+ago)(?=[\s?.!]*$)",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"\b(?P<span>today|yesterday|(?:last|this)\s+(?:week|month|year))(?=[\s?.!]*$)", re.IGNORECASE
)
_THING = r"(?:tickets?|issues?|commits?|prs?|pull\s+requests?|changes?)"
_DID = (
    r"(?:introduced|added|changed|removed|deleted|fixed|broke|implemented|touched|modified|renamed"
    r"|brought(?:\s+in)?|made|wrote)"
)
_FRAME = re.compile(
    rf"(?:what(?:'s|\s+has|\s+have|\s+was|\s+were|\s+is)?\s+(?:been\s+)?changed"
    rf"|which\s+{_THING}\s+(?:have\s+|has\s+)?{_DID}|what\s+{_THING}\s+(?:have\s+|has\s+)?{_DID}"
    rf"|(?:what|which)\s+(?:recent\s+)?(?:changes|commits)\s+(?:were|was|are|have\s+been)"
    r"(?:\s+(?:made|there))?|(?:show\s+(?:me\s+)?|list\s+)?(?:all\s+)?(?:the\s+)?(?:changes|commits)"
    r"(?=\s+(?:in|to|of|about|around|for|with)\b|\s*$)"
    rf"|who\s+(?:last\s+)?(?:has\s+)?{_DID}"
    r"|who(?:m)?\s+(?:should|can|could|do|must|to)\s+(?:i\s+|we\s+)?(?:ask|talk\s+to)"
    r"|who\s+(?:knows|owns|maintains)|whom\s+to\s+ask"
    r"|(?:when|why)\s+(?:was|were|did|is|are|has|have))\b"
    r"(?:\s+(?:in|about|around|with|within|for|to|of|on|most)\b)*",
    re.IGNORECASE,
)
_EDGES = " \t\r\n,;:?!."


class Said(NamedTuple):
    """A question taken apart. `since` and `until` are as people write them, "" for none.

    `subject` is what it is about, "" when it is about everything; `phrase` says the time in the
    question's own words.
    """

    subject: str
    since: str = ""
    until: str = ""
    phrase: str = ""


def read_question(text: str) -> Said:
    """Take a question apart; one that is no such question is its own subject."""
    question = " ".join(text.split())
    said = _time_in(question)
    rest = question.replace(said.phrase, " ", 1) if said.phrase else question
    framed = _FRAME.match(rest)
    subject = rest[framed.end() :] if framed else rest
    return said._replace(subject=" ".join(subject.split()).strip(_EDGES))


def is_about_changes(text: str) -> bool:
    """Whether a question asks what, who, when or why something changed, by how it begins."""
    return _FRAME.match(" ".join(text.split())) is not None


def _time_in(question: str) -> Said:
    """Find the time that a question names; the subject is left for the caller."""
    recent = _RECENT.search(question)
    if recent is not None:
        ago = recent["bare"] or f"{recent['count'] or '1'} {recent['unit']}"
        return Said("", f"{ago} ago", "", recent[0])
    since = _SINCE.search(question)
    if since is not None:
        return Said("", since["moment"], "", since[0])
    span = _SPAN.search(question)
    if span is not None:
        return Said("", span["span"], span["span"], span[0])
    return Said("")

"""Two notes in nearly the same words of which one denies what the other says.

A negation or one exchanged word moves neither a vector nor the words in common by much, and yet
"we do" and "we do not" are two decisions. Only texts that are nearly the same otherwise are looked
at: the same thing said in other words may well be said with a negation ("always close", "never
leave open").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paparatsd.knowledge.traits import Traits, Words

NEARLY = 0.8
"""From this share of the core's words in common on, two notes can be nearly the same ..."""
IN_ORDER = 0.6
"""... and from this share of its pairs of neighbouring words on they are."""

_PAIRS = tuple(
    (frozenset(one.split("/")), frozenset(other.split("/")))
    for one, _, other in (
        pair.partition(" ")
        for pair in (
            "allow/allowed/allows/permitted forbid/forbidden/forbids/denied/refused",
            "enable/enabled/on disable/disabled/off",
            "always never",
            "can cannot",
            "client/clients server/servers",
            "push/pushes/pushed pull/pulls/pulled",
            "before after",
            "above/over below/under",
            "more less/fewer",
            "longer shorter",
            "first last/second",
            "public private",
            "internal/inside external/outside",
            "incoming/inbound outgoing/outbound",
            "upload/uploads/uploaded download/downloads/downloaded",
            "import/imports/imported export/exports/exported",
            "sender/senders/sends recipient/receiver/receivers/receives",
            "producer/producers consumer/consumers",
            "buyer/customer seller/merchant",
            "debit credit",
            "read write/written",
            "soft hard",
            "warm cold",
            "high low",
            "early late",
            "online offline",
            "accept/accepted/accepts reject/rejected/rejects",
            "keep/kept delete/deleted",
            "add/added remove/removed",
            "include/included exclude/excluded",
            "minimum/least maximum/most",
            "synchronous/synchronously/sync asynchronous/asynchronously/async",
            "manual/manually automatic/automatically",
            "optimistic pessimistic",
            "mutable immutable",
            "required/mandatory optional",
            "with without",
            "start/starts/begin/begins/beginning end/ends/stop/stops",
            "once several/repeatedly",
            "together separately/apart",
            "in out",
            "mit ohne",
            "immer nie/niemals",
            "erlaubt verboten",
            "vor nach",
            "mehr weniger",
            "erste letzte",
        )
    )
)


def are_opposites(a: Traits, b: Traits) -> bool:
    """Say whether two notes are nearly the same in words and one denies the other."""
    changed = _changed_sides(a.said, b.said)
    # A word between two others parts them; what was only left out parts nothing.
    parted = bool(a.core_phrases - b.core_phrases and b.core_phrases - a.core_phrases)
    if not changed and (a.negations == b.negations or not parted):
        return False
    # Exchanged words are in only one of the cores, so they must not count against being alike.
    words = min(len(a.core), len(b.core))
    in_order = min(len(a.core_phrases), len(b.core_phrases))
    return (
        words > 0
        and len(a.core & b.core) + changed >= NEARLY * words
        # One exchanged word is in two pairs.
        and len(a.core_phrases & b.core_phrases) + 2 * changed >= IN_ORDER * in_order
    )


def _changed_sides(a: Words, b: Words) -> int:
    """Count the pairs of opposite words of which one text has the one and the other the other."""
    return sum(
        (bool(a & one) and bool(b & other) and not (a & other) and not (b & one))
        or (bool(a & other) and bool(b & one) and not (a & one) and not (b & other))
        for one, other in _PAIRS
    )

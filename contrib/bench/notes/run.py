"""Measure the gates and floors of notes on the written material.

    python contrib/bench/notes/run.py [--split dev] [--missed]

Needs no daemon: it asks what the daemon asks (`paparatsd.knowledge.likeness`). Exit code 1 when the
gates do not keep what they promise: at most 3 % of new notes refused, at least 90 % of repetitions
caught.
"""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from material import ALL, DEVELOPMENT, Written, pairs
from scoring import KINDS, asked, both_questions, cosine, model, noted, store

from paparatsd.knowledge.folding import name_key
from paparatsd.knowledge.likeness import PLAIN, measure_of, packaged_calibration, thresholds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Score = Callable[[Written, Written], float]

MOST_REFUSED, FEWEST_CAUGHT = 0.03, 0.90
NEW = {
    "near": "related, of one subject",
    "neighbours": "related, of one project",
}
SAME = {
    "again": "recorded again",
    "shortened": "shortened",
    "reworded": "reworded throughout",
}


@dataclass(frozen=True, slots=True)
class Way:
    """A way of comparing: its score, and from where on a note of a kind counts as repeated."""

    name: str
    score: Score
    from_on: dict[str, float]


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    hits: int
    of: int

    def __add__(self, other: Share) -> Share:
        """Return the share of both together."""
        return Share(self.hits + other.hits, self.of + other.of)

    def __str__(self) -> str:
        """Return the share in percent with Wilson's interval of 95 %."""
        if not self.of:
            return "-"
        low, high = wilson(self.hits, self.of)
        return f"{100 * self.hits / self.of:5.1f} ({100 * low:.0f}-{100 * high:.0f})"


def wilson(hits: int, of: int) -> tuple[float, float]:
    z, share = 1.96, hits / of
    middle = share + z * z / (2 * of)
    spread = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return tuple(max(0.0, (middle + sign * spread) / (1 + z * z / of)) for sign in (-1, 1))


def ways() -> list[Way]:
    ours = measure_of(model().spec.fingerprint)
    limits = thresholds_of(ours.fingerprint)
    gates = {"terms": limits.term_duplicate, "cards": limits.card_similar}
    chosen = {"terms": PLAIN.term_duplicate, "cards": PLAIN.card_similar}

    def likeness(a: Written, b: Written) -> float:
        return 1.0 if one_name(a, b) else ours.of(noted(a), noted(b))

    def by_words(a: Written, b: Written) -> float:
        return 1.0 if one_name(a, b) else ours.of(noted(a, words=True), noted(b, words=True))

    def plain(a: Written, b: Written) -> float:
        return 1.0 if one_name(a, b) else cosine(a.text, b.text)

    return [
        Way("likeness", likeness, gates),
        Way("words alone", by_words, gates),
        Way("plain cosine", plain, chosen),
        Way("fitted cosine", plain, {what: fitted_cosine(what) for what in chosen}),
    ]


def one_name(a: Written, b: Written) -> bool:
    """Say whether both are terms of one name, which the glossary sees before it compares."""
    shortened = a.label == b.label
    return a.kind == "term" and not shortened and name_key(a.label) == name_key(b.label)


def fitted_cosine(what: str) -> float:
    """Return from which plain cosine on no more than 3 % of near pairs are repeated (dev)."""
    scores = sorted(
        (cosine(a.text, b.text) for a, b in pairs(what, *DEVELOPMENT).near), reverse=True
    )
    return scores[int(MOST_REFUSED * len(scores))] + 1e-6


def share(hits: Iterable[bool]) -> Share:
    found = list(hits)
    return Share(sum(found), len(found))


def in_pairs(way: Way, split: str) -> dict[str, dict[str, Share]]:
    """Return by group of pairs, and by `terms` or `cards`, how many are taken for repetitions."""
    return {
        group: {
            what: share(
                way.score(a, b) >= way.from_on[what] for a, b in getattr(pairs(what, split), group)
            )
            for what in ("terms", "cards")
        }
        for group in NEW | SAME
        if getattr(pairs("terms", split), group)
    }


def print_pairs(split: str, all_ways: Sequence[Way]) -> dict[str, Share]:
    found = {way.name: in_pairs(way, split) for way in all_ways}
    head = f"{'pairs, ' + split:32}" + "".join(f"{way.name:>21}" for way in all_ways)
    print(f"\n{head}\n{'-' * len(head)}")
    for title, groups in (("refused, % of new", NEW), ("caught, % of repetitions", SAME)):
        print(title)
        for group, words in groups.items():
            if group not in found["likeness"]:
                continue
            for what in ("terms", "cards"):
                cells = "".join(f"{found[way.name][group][what]!s:>21}" for way in all_ways)
                print(f"  {words + ', ' + what:30}{cells}")
    ours = found["likeness"]
    return {group: ours[group]["terms"] + ours[group]["cards"] for group in ours}


def print_stores(split: str, all_ways: Sequence[Way]) -> dict[str, Share]:
    """Print what happens when each note is held against all others of a group."""
    total = {"new": Share(0, 0), "again": Share(0, 0)}
    head = f"{'stores, ' + split:32}" + "".join(f"{way.name:>21}" for way in all_ways)
    print(f"\n{head}\n{'-' * len(head)}")
    for what in ("terms", "cards"):
        notes = store(what, split)
        rows: dict[str, list[Share]] = {}
        for way in all_ways:
            refused = share(
                max(way.score(note, one) for one in peers(note, notes)) >= way.from_on[what]
                for note in notes
            )
            rows.setdefault(f"refused of {len(notes)} new {what}", []).append(refused)
            for group in ("again", "reworded"):
                again = [pair for pair in getattr(pairs(what, split), group) if pair[0] in notes]
                if not again:
                    continue
                caught = share(
                    right and score >= way.from_on[what]
                    for first, second in again
                    for score, right in [best(way.score, second, notes, first)]
                )
                rows.setdefault(f"caught of {what}, {group}", []).append(caught)
                if way.name == "likeness" and group == "again":
                    total["again"] += caught
            if way.name == "likeness":
                total["new"] += refused
        for name, cells in rows.items():
            print(f"  {name:30}" + "".join(f"{cell!s:>21}" for cell in cells))
    return total


def peers(note: Written, notes: Sequence[Written]) -> list[Written]:
    """Return the others of the same kind."""
    return [one for one in notes if one != note and one.kind == note.kind]


def best(
    score: Score, repeat: Written, notes: Sequence[Written], first: Written
) -> tuple[float, bool]:
    """Return the likeness of the nearest note of the same kind, and whether that is `first`."""
    return max((score(repeat, one), one == first) for one in notes if one.kind == repeat.kind)


def print_questions(split: str) -> None:
    ours = measure_of(model().spec.fingerprint)
    limits = thresholds_of(ours.fingerprint)
    floors = {
        "cards": (limits.card_floor, PLAIN.card_floor),
        "terms": (limits.term_floor, PLAIN.term_floor),
        "docs": (limits.term_docs_floor, PLAIN.term_docs_floor),
    }
    head = f"{'questions, ' + split:44}{'likeness':>19}{'words alone':>19}{'plain cosine':>19}"
    print(f"\n{head}\n{'-' * len(head)}")
    for what, (floor, plain_floor) in floors.items():
        notes = store("cards" if what == "cards" else "terms", split)
        scored = {
            "likeness": lambda q, n: ours.of(asked(q), noted(n)),
            "words": lambda q, n: ours.of(asked(q, words=True), noted(n, words=True)),
            "plain": lambda q, n: cosine(q.text, n.text, question=True),
        }
        answered, unanswered = both_questions(what, split)
        top = 3 if what == "docs" else 5
        rows: dict[str, list[Share]] = {}
        for name, score in scored.items():
            least = plain_floor if name == "plain" else floor
            shown = {
                one: sorted(
                    ((value, note.label) for note in notes if (value := score(one, note)) >= least),
                    reverse=True,
                )[:top]
                for one in answered + unanswered
            }
            told = share(one.answer in [label for _, label in shown[one]] for one in answered)
            first = share(bool(shown[one]) and shown[one][0][1] == one.answer for one in answered)
            rows.setdefault(f"{what}: answer is shown", []).append(told)
            rows.setdefault(f"{what}: answer is first", []).append(first)
            noise = share(bool(shown[one]) for one in unanswered)
            rows.setdefault(f"{what}: something shown, no answer there", []).append(noise)
        for name, cells in rows.items():
            print(f"  {name:42}" + "".join(f"{cell!s:>19}" for cell in cells))


def print_missed(split: str) -> None:
    ours = ways()[0]
    for what in KINDS:
        if what == "docs":
            continue
        written = pairs(what, split)
        for group in ("near", "again"):
            wanted = group == "again"
            for a, b in getattr(written, group):
                value = ours.score(a, b)
                if (value >= ours.from_on[what]) != wanted:
                    print(f"  {group:6} {value:.3f}  {a.label}  |  {b.label}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", choices=ALL, default="test")
    parser.add_argument("--missed", action="store_true", help="name the pairs that are wrong")
    chosen = parser.parse_args()
    if packaged_calibration().embedder != model().spec.fingerprint:
        print("the calibration is of another model: run fit.py --write")
        return 1
    all_ways = ways()
    found = print_pairs(chosen.split, all_ways)
    stored = print_stores(chosen.split, all_ways)
    print_questions("dev" if chosen.split == "dev" else "dev2")
    if chosen.missed:
        print_missed(chosen.split)
    related = found["near"] + found["neighbours"]
    print(f"\nrelated pairs refused: {related} %, of one subject: {found['near']} %")
    print(f"repetitions caught: {found['again']} %")
    print(f"in stores: new ones refused {stored['new']} %, repetitions caught {stored['again']} %")
    kept = related.hits <= MOST_REFUSED * related.of
    return 0 if kept and found["again"].hits >= FEWEST_CAUGHT * found["again"].of else 1


if __name__ == "__main__":
    sys.exit(main())

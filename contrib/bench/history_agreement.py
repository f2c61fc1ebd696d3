"""Whether what is said of chunks is what `git blame` and `git log -L` say of their lines."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from lab import git

from paparatsd.model import ProjectName
from paparatsd.store.reader import CatalogReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from history_lab import Subject
    from lab import Table

SHOWN = 8
LIMIT = 200
"""Commits of a chunk that one call returns."""


class Place(NamedTuple):
    """The lines of one chunk of the index."""

    path: str
    start: int
    end: int


class Node(NamedTuple):
    """What git says of one commit: its place in `--date-order` (0 is newest), when, of what."""

    place: int
    seconds: int
    parents: int


@dataclass
class Tally:
    """What was compared so far; `ignored` are the commits of `.git-blame-ignore-revs`."""

    ignored: frozenset[str] = frozenset()
    chunks: int = 0
    newest: int = 0
    apart: int = 0
    """Chunks of which blame names a commit as newest that it was told to ignore."""
    lines: int = 0
    owned: int = 0
    jaccard: list[float] = field(default_factory=list)
    recall: list[float] = field(default_factory=list)
    precision: list[float] = field(default_factory=list)
    same: int = 0
    newest_kinds: Counter[str] = field(default_factory=Counter)
    list_kinds: Counter[str] = field(default_factory=Counter)
    line_kinds: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    worst: list[tuple[int, str]] = field(default_factory=list)


async def measure(
    subject: Subject, table: Table, chunks: int, line_logs: int, seed: int
) -> tuple[dict[str, Any], list[str]]:
    """Draw chunks, ask for the history of each, compare it line by line, commit by commit."""
    chosen = draw(subject, chunks, seed)
    graph = read_graph(subject.tree)
    blames = {
        path: blame(subject.tree, path, [place for place in chosen if place.path == path])
        for path in {place.path for place in chosen}
    }
    tally = Tally(ignored_in(subject.tree))
    # Spread over the sample, so that the smaller one is as random.
    asked_too = set(chosen[:: max(1, len(chosen) // line_logs)][:line_logs]) if line_logs else set()
    async with subject.daemon.client(within_s=120) as http:
        for place in chosen:
            answer = await subject.log(http, *place, limit=LIMIT)
            if "commits" not in answer:
                raise SystemExit(f"{place}: {answer}")
            compare_blame(tally, graph, place, answer, blames[place.path])
            if place in asked_too:
                compare_log(tally, graph, place, answer, line_log(subject.tree, place))
    fill(table, tally)
    figures = {
        name: getattr(tally, name) for name in ("chunks", "newest", "lines", "owned", "same")
    }
    figures |= {"newest_kinds": dict(tally.newest_kinds), "list_kinds": dict(tally.list_kinds)}
    figures |= {name: getattr(tally, name) for name in ("jaccard", "recall", "precision")}
    return figures, notes_of(tally)


def draw(subject: Subject, count: int, seed: int) -> list[Place]:
    """Return chunks of the index, drawn at random, of files that git has as they are."""
    reader = CatalogReader(subject.daemon.state / "catalog.sqlite3")
    project_id = reader.project(ProjectName(subject.name)).id
    tracked = set(subject.git("ls-files", "-z").split("\0"))
    places = [
        Place(path, chunk.start_line, chunk.end_line)
        for path, entry in sorted(reader.view(project_id).items())
        if path in tracked
        for chunk in reader.chunks_of(entry.version)
    ]
    reader.close()
    chance = random.Random(seed)  # noqa: S311 - a sample, no secret
    return chance.sample(places, min(count, len(places)))


def read_graph(tree: Path) -> dict[str, Node]:
    """Return every commit of the head."""
    text = git(tree, "log", "--date-order", "--format=%H %ct %P", "HEAD")
    found = {}
    for place, line in enumerate(text.splitlines()):
        name, instant, *parents = line.split()
        found[name] = Node(place, int(instant), len(parents))
    return found


def ignored_in(tree: Path) -> frozenset[str]:
    """Return the commits that `git blame` is told to ignore."""
    try:
        lines = (tree / ".git-blame-ignore-revs").read_text().splitlines()
    except FileNotFoundError:
        return frozenset()
    return frozenset(line.partition("#")[0].strip() for line in lines) - {""}


def blame(tree: Path, path: str, places: Sequence[Place]) -> dict[int, str]:
    """Return line -> commit, as `git blame` has it by default, of some lines of a file."""
    options = ["--porcelain", *(f"-L{place.start},{place.end}" for place in places)]
    if (tree / ".git-blame-ignore-revs").is_file():
        options += ["--ignore-revs-file", ".git-blame-ignore-revs"]
    found = {}
    for line in git(tree, "blame", *options, "HEAD", "--", path).split("\n"):
        words = line.split(" ")
        is_header = len(words[0]) in (40, 64) and len(words) in (3, 4)
        if not line.startswith("\t") and is_header and words[1].isdigit():
            found[int(words[2])] = words[0]
    return found


def line_log(tree: Path, place: Place) -> list[str]:
    """Return the commits of `git log -L`, as it gives them by default."""
    lines = f"{place.start},{place.end}:{place.path}"
    return git(tree, "log", "--no-patch", "--format=%H", "-L", lines).split()


# ---------------------------------------------------------------------- comparing


def compare_blame(
    tally: Tally,
    graph: dict[str, Node],
    place: Place,
    answer: dict[str, Any],
    lines: dict[int, str],
) -> None:
    """Compare who the lines are from, and which of those commits is newest."""
    theirs = Counter(lines[n] for n in range(place.start, place.end + 1) if n in lines)
    ours = {one["commit"]["id"]: one["lines"] for one in answer["commits"] if one["lines"]}
    tally.chunks += 1
    tally.lines += sum(theirs.values())
    owned = sum((Counter(ours) & theirs).values())
    tally.owned += owned
    if owned < sum(theirs.values()):
        text = f"{place.path}:{place.start}-{place.end}"
        tally.worst.append((sum(theirs.values()) - owned, f"lines of {text}"))
        told = sum(count for name, count in theirs.items() if name in tally.ignored)
        tally.line_kinds["blame names a commit that it was told to ignore"] += told
        kind = "given to another commit" if answer["complete"] else f"not of the newest {LIMIT}"
        tally.line_kinds[kind] += max(0, sum(theirs.values()) - owned - told)
    if not theirs:
        tally.newest += not ours
        return
    wanted = newest(theirs, graph)
    # Ours come newest first; one that only removed lines has none left, and blame cannot see it.
    mine = next((one["commit"]["id"] for one in answer["commits"] if one["lines"]), None)
    if mine == wanted or (mine in theirs and is_tie(graph, mine, wanted)):
        tally.newest += 1
        return
    if wanted in tally.ignored:
        tally.apart += 1
        kind = "blame names one that it was told to ignore, we never do"
    elif mine is None:
        kind = "we name none"
    elif mine in theirs and wanted in ours:
        kind = "both name both, clocks disagree with the order"
    elif len(lines) and abs(sum(ours.values()) - sum(theirs.values())) > 0:
        kind = "another number of lines"
    else:
        kind = "a line is given to another commit"
    tally.newest_kinds[kind] += 1
    if len(tally.examples) < SHOWN:
        text = f"{place.path}:{place.start}-{place.end}: {str(mine)[:10]}, blame {wanted[:10]}"
        tally.examples.append(f"{text} ({kind})")


def newest(commits: Iterable[str], graph: dict[str, Node]) -> str:
    """Return the commit that git's date order puts first."""
    return min(commits, key=lambda name: graph[name].place)


def is_tie(graph: dict[str, Node], one: str, other: str) -> bool:
    """Say whether two commits were made in the same second: no order is right then."""
    return graph[one].seconds == graph[other].seconds


def compare_log(
    tally: Tally,
    graph: dict[str, Node],
    place: Place,
    answer: dict[str, Any],
    theirs: list[str],
) -> None:
    """Compare the whole list; a merge that only carried commits is no difference."""
    wanted = set(theirs)
    roles = {one["commit"]["id"]: one for one in answer["commits"]}
    mine = {name for name, one in roles.items() if one["role"] != "carrier" or name in wanted}
    if not answer["complete"] and len(wanted) >= LIMIT:
        tally.list_kinds[f"left out: chunks of more than {LIMIT} commits"] += 1
        return
    both = len(mine & wanted)
    tally.jaccard.append(both / len(mine | wanted) if mine | wanted else 1.0)
    tally.recall.append(both / len(wanted) if wanted else 1.0)
    tally.precision.append(both / len(mine) if mine else 1.0)
    tally.same += mine == wanted
    if mine != wanted:
        text = f"commits of {place.path}:{place.start}-{place.end}, of {len(wanted)}"
        tally.worst.append((len(mine ^ wanted), text))
    begin = max((graph[name].place for name in mine), default=-1)
    for name in wanted - mine:
        kind = "merge" if graph[name].parents > 1 else "commit beside the lines"
        if graph[name].place > begin:
            kind = "older than where ours begins: a rename seen otherwise"
        if name in tally.ignored:
            kind = "commit of .git-blame-ignore-revs"
        tally.list_kinds[f"log -L only: {kind}"] += 1
    for name in mine - wanted:
        one = roles[name]
        if one["role"] == "resolution":
            kind = "merge with lines of its own"
        elif one["lines"]:
            kind = "commit that blame names too"
        else:
            kind = "commit of which no line is left"
        tally.list_kinds[f"ours only: {kind}"] += 1


# ---------------------------------------------------------------------- telling


def fill(table: Table, tally: Tally) -> None:
    """Put the figures into rows."""
    of = f"git blame, {tally.chunks} chunks"
    table.add("newest commit agrees", share(tally.newest, tally.chunks), "100 %", of)
    if tally.apart:
        rest = tally.chunks - tally.apart
        table.add("  of those where blame ignores too", share(tally.newest, rest), "100 %",
                  f"git blame, {rest} chunks")  # fmt: skip
    table.add("line is from the same commit", share(tally.owned, tally.lines), "100 %", of)
    if not tally.jaccard:
        return
    of = f"git log -L, {len(tally.jaccard)} chunks"
    table.add("whole list: Jaccard, mean", mean(tally.jaccard), "1.000", of)
    table.add("  recall", mean(tally.recall), "1.000", of)
    table.add("  precision", mean(tally.precision), "1.000", of)
    table.add("  identical lists", share(tally.same, len(tally.jaccard)), "100 %", of)


def notes_of(tally: Tally) -> list[str]:
    """Return what differs, by kind."""
    notes = [f"newest, {kind}: {count}" for kind, count in tally.newest_kinds.most_common()]
    notes += [f"  {example}" for example in tally.examples]
    notes += [f"line, {kind}: {count}" for kind, count in tally.line_kinds.most_common()]
    notes += [f"{kind}: {count}" for kind, count in tally.list_kinds.most_common()]
    return notes + [f"  {count} {text}" for count, text in sorted(tally.worst)[: -SHOWN - 1 : -1]]


def share(part: int, whole: int) -> str:
    """Write a share in percent."""
    return f"{100 * part / whole:.2f} %" if whole else "-"


def mean(values: Sequence[float]) -> str:
    """Write a mean."""
    return f"{sum(values) / len(values):.3f}"

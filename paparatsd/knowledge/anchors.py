"""Whether what cards name is still there, and as it was: taken when written, checked when asked.

A name means one place, or else nothing is said of it: to guess among several would call the wrong
code changed. What is gone is looked for elsewhere: the same text first, then the same name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import unquote

from paparatsd.knowledge.code_names import is_aside, plain_fragment
from paparatsd.knowledge.code_view import merged
from paparatsd.knowledge.named import Named, read_anchor, read_file, read_kept
from paparatsd.knowledge_model import (
    Anchor,
    AnchorCheck,
    AnchorState,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from paparatsd.knowledge.code_view import CodeView, Spot

_NTH = re.compile(r"(?:@\d+)?(?:/\d+)?$")
"""What addresses append to a name of several symbols, or of a part of a long one."""

MAX_TOLD = 3
"""Places that a sentence lists."""


@dataclass(frozen=True, slots=True)
class Held:
    """One anchor of a card with how to read it and the projects that it may mean.

    `own`: the card's project, or the projects of its group; `reach`: what another one's address
    may name.
    """

    anchor: Anchor
    named: Named
    own: tuple[str, ...]
    reach: frozenset[str]


@dataclass(frozen=True, slots=True)
class Checked:
    """A check, with what history could tell more of.

    `spot`: a place that was changed. `gone`: project and path of a file that is no more.
    """

    check: AnchorCheck
    spot: Spot | None = None
    gone: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class _Meant:
    """What an anchor means now: one place, or why none can be told (`unclear`), or neither."""

    spot: Spot | None = None
    unclear: str = ""
    kind: str = "path"


def hold(
    files: Iterable[Anchor], anchors: Iterable[Anchor], own: Sequence[str], reach: frozenset[str]
) -> list[Held]:
    """Return files and anchors of a card, ready to be taken or checked."""
    mine = tuple(own)
    return [
        *(Held(one, read_kept(one.at, read_file), mine, reach) for one in files),
        *(Held(one, read_kept(one.at, read_anchor), mine, reach) for one in anchors),
    ]


def prepare(view: CodeView, held: Iterable[Held]) -> None:
    """Read at once what all of these need."""
    paths: dict[str, list[str]] = {}
    for one in held:
        for project in _projects(view, one):
            if one.named.path:
                paths.setdefault(project, []).append(one.named.path)
    view.prepare(paths)


def take(view: CodeView, held: Held) -> tuple[Anchor, str]:
    """Return the anchor with the digest of what it names now, and what is wrong with it, or ""."""
    meant = _meant(view, held)
    if meant.spot is not None:
        return Anchor(held.anchor.at, meant.spot.digest, meant.spot.address), ""
    name = repr(held.anchor.at)
    if meant.unclear:
        return Anchor(held.anchor.at), f"{name} cannot be checked later: {meant.unclear}"
    told = "nothing of that name is indexed, and as missing it is told until something is"
    return Anchor(held.anchor.at), f"{name} is missing: {told}"


def check(view: CodeView, held: Held) -> Checked:
    """Say what became of an anchor."""
    anchor, meant = held.anchor, _meant(view, held)
    if meant.unclear:
        return Checked(AnchorCheck(anchor.at, AnchorState.UNCLEAR, detail=_sentence(meant.unclear)))
    if meant.spot is None:
        found = _missing(view, held, meant.kind)
        there, projects = bool(anchor.digest), _projects(view, held)
        lost = found.state is AnchorState.MISSING and there and len(projects) == 1
        is_file = meant.kind == "path" and not held.named.start
        gone = (projects[0], held.named.path) if lost and is_file else None
        return Checked(found, gone=gone)
    spot = meant.spot
    if not anchor.digest:
        detail = "It is there; no text of it was kept when the card was written."
        return Checked(AnchorCheck(anchor.at, AnchorState.UNCLEAR, spot.address, detail))
    before = _path_of(anchor.address) if _project_of(anchor.address) in held.reach else ""
    elsewhere = bool(before) and before != _path_of(spot.address)
    if spot.digest == anchor.digest:
        if elsewhere:
            detail = f"It was in {before}; its text is the same."
            return Checked(AnchorCheck(anchor.at, AnchorState.MOVED, spot.address, detail))
        return Checked(AnchorCheck(anchor.at, AnchorState.UNCHANGED, spot.address))
    moved = _moved_lines(view, held, spot)
    if moved is not None:
        return Checked(moved)
    detail = f"It was in {before}." if elsewhere else ""
    return Checked(AnchorCheck(anchor.at, AnchorState.CHANGED, spot.address, detail), spot)


def _moved_lines(view: CodeView, held: Held, spot: Spot) -> AnchorCheck | None:
    """Return where the same lines stand now, when an anchor names lines by their numbers."""
    named = held.named
    if not named.start:
        return None
    count = named.end - named.start + 1
    found = view.lines_of_digest(spot.project, spot.path, count, held.anchor.digest)
    if found is None:
        return None
    detail = f"The same lines begin at line {found.start} now."
    return AnchorCheck(held.anchor.at, AnchorState.MOVED, found.address, detail)


# --------------------------------------------------------------------------- what is meant


def _projects(view: CodeView, held: Held) -> list[str]:
    """Return the projects to look into: only what is open and in reach."""
    if held.named.project:
        wanted: tuple[str, ...] = (held.named.project,) if held.named.project in held.reach else ()
    else:
        wanted = held.own
    return [project for project in wanted if project in view.projects]


def _meant(view: CodeView, held: Held) -> _Meant:
    projects = _projects(view, held)
    if not projects:
        asked = held.named.project or ", ".join(held.own)
        whose = f"the project {asked!r}" if asked else "no project"
        return _Meant(unclear=f"{whose} is {'not ' if asked else ''}indexed here")
    named = held.named
    if named.path:
        found = [spot for one in projects for spot in _at_path(view, one, named)]
        if found or not named.name:
            return _only(view, projects, named, found, "symbol" if named.fragment else "path")
    found = _likeliest([spot for one in projects for spot in view.called(one, named.name)])
    known = held.anchor.address
    as_path = bool(named.path) and bool(known) and "#" not in known
    return _only(view, projects, named, found, "path" if as_path else "symbol")


def _at_path(view: CodeView, project: str, named: Named) -> list[Spot]:
    if named.fragment:
        found = view.symbols(project, named.path, named.fragment)
        return found[:1] if len({spot.digest for spot in found}) == 1 else found
    spot = (
        view.lines(project, named.path, named.start, named.end)
        if named.start
        else view.path(project, named.path)
    )
    return [] if spot is None else [spot]


def _likeliest(found: Sequence[Spot]) -> list[Spot]:
    """Return what a name may mean: not a test's when others are, and the outermost of them.

    `Cart`, not `Order.Cart`. Definitions of one name in one file are one place.
    """
    found = [spot for spot in found if not is_aside(spot.path)] or list(found)
    depths = {spot.address: _fragment_of(spot.address).count(".") for spot in found}
    least = min(depths.values(), default=0)
    places: dict[tuple[str, str, str], list[Spot]] = {}
    for spot in found:
        if depths[spot.address] == least:
            name = plain_fragment(_fragment_of(spot.address))
            places.setdefault((spot.project, spot.path, name), []).append(spot)
    return [merged(spots) for spots in places.values()]


def _only(
    view: CodeView, projects: Sequence[str], named: Named, found: Sequence[Spot], kind: str
) -> _Meant:
    if len(found) == 1:
        return _Meant(found[0])
    if found:
        some = ", ".join(spot.address for spot in found[:MAX_TOLD])
        more = f" and {len(found) - MAX_TOLD} more" if len(found) > MAX_TOLD else ""
        return _Meant(unclear=f"it fits {len(found)} places: {some}{more}")
    for project in projects:
        why = view.why_skipped(project, named.path) if named.path else ""
        if why:
            return _Meant(unclear=f"it is there, but not indexed: {why}")
    building = [project for project in projects if not view.projects[project].complete]
    if building:
        return _Meant(unclear=f"the first index of {', '.join(building)} is still being built")
    return _Meant(kind=kind)


# --------------------------------------------------------------------------- what is gone


def _missing(view: CodeView, held: Held, kind: str) -> AnchorCheck:
    """Look elsewhere for what is not where it was."""
    address = held.anchor.address
    if not held.anchor.digest and not address:
        detail = "It was not there when the card was written either."
        return AnchorCheck(held.anchor.at, AnchorState.MISSING, detail=detail)
    if address and _project_of(address) not in held.reach:  # a group's card, of any project of it
        detail = "The project that it is of is not indexed here."
        return AnchorCheck(held.anchor.at, AnchorState.UNCLEAR, detail=detail)
    look: Callable[[CodeView, Held, str], AnchorCheck | None]
    look = _symbol_elsewhere if kind == "symbol" else _file_elsewhere
    for project in _projects(view, held):
        found = look(view, held, project)
        if found is not None:
            return found
    return AnchorCheck(held.anchor.at, AnchorState.MISSING, detail="It is gone.")


def _symbol_elsewhere(view: CodeView, held: Held, project: str) -> AnchorCheck | None:
    fragment = _fragment_of(held.anchor.address) or held.named.fragment
    name = unquote(_NTH.sub("", fragment)) or held.named.name
    found = _likeliest(view.called(project, name))
    if not found and held.named.fragment:  # a section of a document, say
        found = [
            spot
            for path in view.same_name(project, held.named.path)[:MAX_TOLD]
            for spot in view.symbols(project, path, held.named.fragment)
        ]
    same = [spot for spot in found if spot.digest == held.anchor.digest]
    if len(same) == 1 or len(found) == 1:
        spot = (same or found)[0]
        text = "the same" if same else "another"
        detail = f"What is called so is in {spot.path} now; its text is {text}."
        return AnchorCheck(held.anchor.at, AnchorState.MOVED, spot.address, detail)
    if found:
        some = ", ".join(spot.address for spot in found[:MAX_TOLD])
        detail = f"It is gone; {len(found)} of that name are elsewhere: {some}."
        return AnchorCheck(held.anchor.at, AnchorState.MISSING, detail=detail)
    return None


def _file_elsewhere(view: CodeView, held: Held, project: str) -> AnchorCheck | None:
    if held.named.start:
        return None
    path = held.named.path
    same = view.same_content(project, held.anchor.digest)
    alike = view.same_name(project, path)
    nearest = [one for one in same if one in alike] or same
    if len(nearest) == 1 or len(alike) == 1:
        found = (nearest if len(nearest) == 1 else alike)[0]
        spot = view.path(project, found)
        text = "its text is the same" if found in same else "its text is another"
        detail = f"It is {found} now; {text}."
        return AnchorCheck(
            held.anchor.at, AnchorState.MOVED, "" if spot is None else spot.address, detail
        )
    if nearest:
        some = ", ".join(nearest[:MAX_TOLD])
        detail = f"It is gone; {len(nearest)} files have the same text: {some}."
        return AnchorCheck(held.anchor.at, AnchorState.MISSING, detail=detail)
    return None


def with_detail(check: AnchorCheck, detail: str) -> AnchorCheck:
    """Return a check with one more sentence."""
    return replace(check, detail=" ".join(part for part in (check.detail, detail) if part))


def _path_of(address: str) -> str:
    """Return project and path of an address."""
    before = address.partition("#")[0]
    head, colon, tail = before.rpartition(":")
    lines = tail.replace("-", "")
    return head if colon and ":" in head and lines.isdigit() else before


def _project_of(address: str) -> str:
    return address.partition(":")[0]


def _fragment_of(address: str) -> str:
    return address.partition("#")[2]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."

"""Git hooks of ours: put beside what is there, taken out without a trace, or left out with advice.

A hook that was there before runs first; it keeps its bytes, mode, name in `$0`, input, arguments
and exit code. Nothing is ever written into a directory that git tracks, and git's configuration
is not changed: without hooks the daemon notices moves of history from the refs.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from anyio import to_thread

from paparatsd.errors import GitFailed, UserError
from paparatsd.sources.git import git_path, run_git
from paparatsd.sources.hook_files import (
    EDITED,
    FOREIGN,
    IN_PLACE,
    IN_THE_WAY,
    REPLACED,
    YOURS,
    Place,
    install_one,
    running_beside,
    uninstall_one,
    word,
)
from paparatsd.sources.hook_text import KINDS, ORIGINAL_SUFFIX, Registration
from paparatsd.sources.inbox import Inbox

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.sources.repo import Checkout

log = structlog.get_logger()

REFS_ANYWAY = "Moves of history are noticed from the refs instead."


@dataclass(frozen=True, slots=True)
class HookReport:
    """Where the hooks are and how far they are ours.

    `state` is installed, partial, absent (others' hooks may be there, ours would follow them),
    foreign (all of them are in the way of ours), or inactive (none may be put there). `hooks` has
    one word for each kind (see hook_files.word); `advice` is for a person, "" when all is well.
    """

    directory: str
    state: str
    hooks: Mapping[str, str]
    advice: str
    beside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By kind what else runs there, in words, first to last; kinds that run alone are left out."""
    fired: Mapping[str, float] = field(default_factory=dict)
    """By kind when it told us something last, in seconds since the epoch."""
    repository: str = ""
    """The git directory that all work trees of the repository have in common."""


async def install(checkout: Checkout, spool: Path) -> HookReport:
    """Put our hooks there (again), for this spool directory, which is made if it is missing."""
    await to_thread.run_sync(Inbox(spool).prepare)
    place = await _place(checkout, spool)
    return await to_thread.run_sync(_install, place)


async def uninstall(checkout: Checkout, spool: Path) -> HookReport:
    """Take our part out; files that were there before get back their name, bytes and mode.

    Also from git's own directory, when core.hooksPath was set after an installation.
    """
    place = await _place(checkout, spool)
    return await to_thread.run_sync(_uninstall, place, Path(place.registration.repository))


async def inspect(checkout: Checkout, spool: Path) -> HookReport:
    """Say what is there, without changing anything."""
    place = await _place(checkout, spool)
    return await to_thread.run_sync(_report, place)


def _install(place: Place) -> HookReport:
    if place.obstacle:
        return _report(place)
    try:
        if place.directory.is_relative_to(place.registration.repository):
            place.directory.mkdir(exist_ok=True)
        for kind in KINDS:
            install_one(place, kind)
    except OSError as error:
        return _unchanged(place, error)
    return _report(place)


def _uninstall(place: Place, common: Path) -> HookReport:
    places = [] if place.obstacle else [place]
    default = Path(os.path.realpath(common / "hooks"))
    if place.directory != default and default.is_relative_to(common):
        places.append(Place(default, place.registration))
    gone = []
    for one in places:
        try:
            gone += [kind for kind in KINDS if uninstall_one(one, kind)]
        except OSError as error:
            return _unchanged(one, error)
    return _report(place, gone=gone)


def _unchanged(place: Place, error: OSError) -> HookReport:
    log.warning("hooks_not_changed", directory=str(place.directory), error=str(error))
    reason = f"{place.directory} cannot be changed: {error.strerror}."
    return _report(Place(place.directory, place.registration, reason))


# --------------------------------------------------------------------------- where


async def _place(checkout: Checkout, spool: Path) -> Place:
    common = checkout.common_dir
    if not checkout.git or common is None:
        raise UserError(f"{checkout.root} is not a git repository; it has no hooks")
    directory = await git_path(checkout.root, "hooks")
    real = await to_thread.run_sync(os.path.realpath, directory)
    directory = type(directory)(real)
    registration = Registration(str(spool), str(common))
    return Place(directory, registration, await _obstacle(checkout, common, directory))


async def _obstacle(checkout: Checkout, common: Path, directory: Path) -> str:
    """Say why nothing may be written into the directory, or ""."""
    if directory.is_relative_to(common):
        return ""
    if os.devnull == str(directory):
        return "core.hooksPath turns all hooks off."
    if not await to_thread.run_sync(directory.is_dir):
        return (
            f"{directory} (core.hooksPath) is no directory, so nothing is put there; make it and "
            "run: paparats hooks install."
        )
    holder = checkout.work_tree
    if holder is None or not directory.is_relative_to(holder):
        holder = next((path for path in directory.parents if (path / ".git").exists()), None)
    if holder is None or await _is_ignored(checkout, holder, directory):
        return ""
    return f"{directory} (core.hooksPath) is tracked by git, so nothing is written there."


async def _is_ignored(checkout: Checkout, holder: Path, directory: Path) -> bool:
    context = checkout.context if holder == checkout.work_tree else None
    paths = [os.fsencode((directory / kind).relative_to(holder)) for kind in KINDS]
    try:
        # A file that is tracked is never reported, whatever the rules say of it.
        output = await run_git(
            holder,
            ["check-ignore", "-z", "--stdin"],
            context=context,
            stdin=b"\0".join(paths) + b"\0",
            ok_codes=(0, 1),
        )
    except GitFailed as error:
        log.info("hooks_directory_unclear", directory=str(directory), error=str(error))
        return False
    return output.count(b"\0") == len(paths)


# --------------------------------------------------------------------------- report


def _report(place: Place, gone: Sequence[str] = ()) -> HookReport:
    """Say what is there; `gone` are the kinds that were just taken out."""
    beside = {kind: others for kind in KINDS if (others := running_beside(place, kind))}
    report = _judge(place, gone)
    return replace(report, beside=beside, repository=place.registration.repository)


def _judge(place: Place, gone: Sequence[str]) -> HookReport:
    hooks = {kind: word(place, kind) for kind in KINDS}
    in_place = [kind for kind in KINDS if hooks[kind] in IN_PLACE]
    directory, advice = str(place.directory), _advice(hooks, gone)
    if len(in_place) == len(KINDS):
        return HookReport(directory, "installed", hooks, advice)
    if place.obstacle:
        told = f"{place.obstacle} {REFS_ANYWAY}"
        return HookReport(directory, "inactive", hooks, f"Removed. {told}" if gone else told)
    state = "partial" if in_place else "absent"
    if all(one in IN_THE_WAY for one in hooks.values()):
        state = "foreign"
    return HookReport(directory, state, hooks, advice)


def _advice(hooks: Mapping[str, str], gone: Sequence[str]) -> str:
    """Return the sentences for what is not as simple as installed or absent."""
    kinds: dict[str, list[str]] = {}
    for kind, one in hooks.items():
        kinds.setdefault(one, []).append(kind)
    yours, foreign = kinds.get(YOURS, []), kinds.get(FOREIGN, [])
    replaced, edited = kinds.get(REPLACED, []), kinds.get(EDITED, [])
    told = []
    if gone:
        told.append("Removed; yours are back as they were." if yours else "Removed.")
    elif yours:
        told.append(f"Not installed; yours are there and will run first: {', '.join(yours)}.")
    if foreign:
        told.append(f"Ours cannot follow these, so they are left alone: {', '.join(foreign)}.")
    if replaced:
        kept = ", ".join(kind + ORIGINAL_SUFFIX for kind in replaced)
        told.append(
            f"Another program has written {', '.join(replaced)} over ours; the hook that was there "
            f"before is kept as {kept}. Ours goes in again when that file is merged or deleted."
        )
    if edited:
        told.append(
            f"Edited since it was installed, so it is left as it is: {', '.join(edited)}. Delete "
            "it, then run: paparats hooks install (or uninstall)."
        )
    if foreign or replaced:
        told.append(REFS_ANYWAY)
    return " ".join(told)

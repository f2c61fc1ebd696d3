"""Git hooks of ours: put beside what is there, taken out without a trace, or left out with advice.

A hook that was there before runs first; it keeps its bytes, mode, name in `$0`, input, arguments
and exit code. Nothing is ever written into a directory that git tracks, and git's configuration
is not changed: without hooks the daemon notices moves of history from the refs.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog
from anyio import to_thread

from paparatsd.errors import GitFailed, UserError
from paparatsd.packaged import packaged
from paparatsd.sources.git import git_path, run_git
from paparatsd.sources.hook_text import (
    KINDS,
    ORIGINAL_SUFFIX,
    InstalledHook,
    Registration,
    can_chain,
    load_sources,
    parse_hook,
    render_hook,
)
from paparatsd.sources.inbox import Inbox

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from paparatsd.sources.repo import Checkout

log = structlog.get_logger()

OURS, CHAINED, FOREIGN, ABSENT = "installed", "installed, after yours", "foreign", "absent"
MAX_HOOK_BYTES = 1 << 20
REFS_ANYWAY = "Moves of history are noticed from the refs instead."


@dataclass(frozen=True, slots=True)
class HookReport:
    """Where the hooks are and how far they are ours.

    `state` is installed, foreign (other hooks only), partial, absent, or inactive (none may be
    put there). `hooks` has one word for each kind; `advice` is for a person, "" when all is well.
    """

    directory: str
    state: str
    hooks: Mapping[str, str]
    advice: str


@dataclass(frozen=True, slots=True)
class _Place:
    """The hooks directory of a checkout; `obstacle` says why nothing may be written there."""

    directory: Path
    registration: Registration
    obstacle: str = ""


async def install(checkout: Checkout, spool: Path) -> HookReport:
    """Put our hooks there (again), for this spool directory, which is made if it is missing."""
    await to_thread.run_sync(Inbox(spool).prepare)
    return await _change(checkout, spool, _install_one)


async def uninstall(checkout: Checkout, spool: Path) -> HookReport:
    """Take our part out; files that were there before get back their name, bytes and mode."""
    return await _change(checkout, spool, _uninstall_one)


async def inspect(checkout: Checkout, spool: Path) -> HookReport:
    """Say what is there, without changing anything."""
    place = await _place(checkout, spool)
    return await to_thread.run_sync(_report, place)


async def _change(
    checkout: Checkout, spool: Path, change: Callable[[_Place, str], None]
) -> HookReport:
    place = await _place(checkout, spool)
    if place.obstacle:
        return await to_thread.run_sync(_report, place)
    return await to_thread.run_sync(_change_all, place, change)


def _change_all(place: _Place, change: Callable[[_Place, str], None]) -> HookReport:
    try:
        for kind in KINDS:
            change(place, kind)
    except OSError as error:
        log.warning("hooks_not_changed", directory=str(place.directory), error=str(error))
        reason = f"{place.directory} cannot be changed: {error.strerror}."
        return _report(_Place(place.directory, place.registration, reason))
    return _report(place)


# --------------------------------------------------------------------------- where


async def _place(checkout: Checkout, spool: Path) -> _Place:
    common = checkout.common_dir
    if not checkout.git or common is None:
        raise UserError(f"{checkout.root} is not a git repository; it has no hooks")
    directory = await git_path(checkout.root, "hooks")
    real = await to_thread.run_sync(os.path.realpath, directory)
    directory = type(directory)(real)
    registration = Registration(str(spool), str(common))
    return _Place(directory, registration, await _obstacle(checkout, common, directory))


async def _obstacle(checkout: Checkout, common: Path, directory: Path) -> str:
    """Say why nothing may be written into the directory, or ""."""
    if directory.is_relative_to(common):
        return ""
    if os.devnull == str(directory):
        return "core.hooksPath turns all hooks off."
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


# --------------------------------------------------------------------------- one hook


def _install_one(place: _Place, kind: str) -> None:
    place.directory.mkdir(exist_ok=True)
    file = place.directory / kind
    original = file.with_name(kind + ORIGINAL_SUFFIX)
    data = _read(file)
    known = parse_hook(data) if data is not None else None
    if (known is not None and known.edited) or (known is None and not _may_chain(file, original)):
        return
    if known is None and data is not None:
        _keep(file, original)
    registrations = {*(known.registrations if known else ()), place.registration}
    _write(file, render_hook(_sources(), kind, registrations, _read(original)))


def _uninstall_one(place: _Place, kind: str) -> None:
    file = place.directory / kind
    original = file.with_name(kind + ORIGINAL_SUFFIX)
    data = _read(file)
    known = parse_hook(data) if data is not None else None
    if known is None:
        _tidy_up_after_a_crash(file, original)
        return
    if known.edited:
        return
    rest = set(known.registrations) - {place.registration}
    if rest:
        _write(file, render_hook(_sources(), kind, rest, _read(original)))
    elif _exists(original):
        original.replace(file)
    else:
        file.unlink()


def _tidy_up_after_a_crash(file: Path, original: Path) -> None:
    """Give a foreign hook its one name back when an installation did not get to its end."""
    if not _exists(original):
        return
    if not _exists(file):
        original.replace(file)
    elif os.path.samestat(file.lstat(), original.lstat()):
        original.unlink()


def _sources() -> Mapping[str, str]:
    return load_sources(packaged("hooks"))


def _may_chain(file: Path, original: Path) -> bool:
    """Whether a foreign hook, or none, can be followed by ours."""
    if not _exists(file):
        return True
    data = _read(file)
    if data is None and not file.is_symlink():
        return False  # a directory, or something as odd
    if _exists(original) and not os.path.samestat(file.lstat(), original.lstat()):
        return False  # two hooks of others: which one counts is not ours to say
    return data is None or can_chain(data)


def _keep(file: Path, original: Path) -> None:
    """Give the foreign hook its second name; at no instant is the first one missing."""
    if _exists(original):
        return
    try:
        os.link(file, original, follow_symlinks=False)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK):
            raise
        file.rename(original)


def _write(file: Path, data: bytes) -> None:
    """Replace the file in one step, unless it is as it should be."""
    if _read(file) == data and os.access(file, os.X_OK):
        return
    temporary = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o700)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            os.fchmod(out.fileno(), 0o755)
        temporary.replace(file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _exists(path: Path) -> bool:
    return os.path.lexists(path)


def _read(path: Path) -> bytes | None:
    """Return the content of a regular file (through a link), None for all else."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        return os.read(handle, MAX_HOOK_BYTES)
    finally:
        os.close(handle)


# --------------------------------------------------------------------------- report


def _report(place: _Place) -> HookReport:
    hooks = {kind: _word(place, kind) for kind in KINDS}
    ours = [kind for kind, word in hooks.items() if word in (OURS, CHAINED)]
    foreign = [kind for kind, word in hooks.items() if word == FOREIGN]
    directory = str(place.directory)
    if len(ours) == len(KINDS):
        return HookReport(directory, "installed", hooks, "")
    if place.obstacle:
        return HookReport(directory, "inactive", hooks, f"{place.obstacle} {REFS_ANYWAY}")
    advice = ""
    if foreign:
        names = ", ".join(foreign)
        advice = f"Hooks of others that cannot be followed by ours were left alone: {names}. "
        advice += REFS_ANYWAY
    state = "partial" if ours else "foreign" if foreign else "absent"
    return HookReport(directory, state, hooks, advice)


def _word(place: _Place, kind: str) -> str:
    file = place.directory / kind
    data = _read(file)
    if data is None:
        return FOREIGN if _exists(file) else ABSENT
    known: InstalledHook | None = parse_hook(data)
    if known is None:
        return FOREIGN
    if place.registration.spool not in {one.spool for one in known.registrations}:
        return ABSENT
    return CHAINED if _exists(file.with_name(kind + ORIGINAL_SUFFIX)) else OURS

"""One hook file: ours put there after what was there, taken out again, told apart."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.packaged import packaged
from paparatsd.sources.hook_text import (
    ORIGINAL_SUFFIX,
    Registration,
    can_chain,
    load_sources,
    parse_hook,
    render_hook,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

OURS, CHAINED, EDITED = "installed", "installed, after yours", "installed, edited"
YOURS, FOREIGN, REPLACED, ABSENT = "yours", "foreign", "replaced", "absent"
IN_PLACE = frozenset({OURS, CHAINED, EDITED})
IN_THE_WAY = frozenset({FOREIGN, REPLACED})
MAX_HOOK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Place:
    """The hooks directory of a checkout; `obstacle` says why nothing may be written there."""

    directory: Path
    registration: Registration
    obstacle: str = ""

    def is_ours(self, other: Registration) -> bool:
        """Whether a registration is ours; inside a repository also one from before it moved."""
        if other.spool != self.registration.spool:
            return False
        own = self.directory.is_relative_to(self.registration.repository)
        return own or other.repository == self.registration.repository


def word(place: Place, kind: str) -> str:
    """Say in a word what is there.

    Ours: installed, also after a hook of others, or edited since. Not ours: yours (ours can
    follow it), foreign (ours cannot), replaced (another program wrote it over ours, which had
    kept a third one) or absent.
    """
    file, original = _names(place, kind)
    data = _read(file)
    known = parse_hook(data) if data is not None else None
    if known is None:
        if not _exists(file):
            return ABSENT
        if _is_replaced(file, original):
            return REPLACED
        return YOURS if _may_chain(file) else FOREIGN
    if place.registration.spool not in {one.spool for one in known.registrations}:
        return ABSENT
    if known.edited:
        return EDITED
    return CHAINED if _exists(original) else OURS


def running_beside(place: Place, kind: str) -> tuple[str, ...]:
    """Say what runs at this hook besides ours, in the order in which it runs."""
    file, original = _names(place, kind)
    data = _read(file)
    known = parse_hook(data) if data is not None else None
    if known is None:
        return (f"your {file.name}",) if _exists(file) else ()
    yours = (f"your own, kept as {original.name}",) if _exists(original) else ()
    others = [one.spool for one in known.registrations if not place.is_ours(one)]
    return (*yours, *(f"another daemon, spool {spool}" for spool in others))


def install_one(place: Place, kind: str) -> bool:
    """Put ours there, unless what is there is in the way; returns whether ours is there."""
    file, original = _names(place, kind)
    data = _read(file)
    known = parse_hook(data) if data is not None else None
    if known is not None and known.edited:
        return True
    if known is None and _exists(file):
        if _is_replaced(file, original) or not _may_chain(file):
            return False
        _keep(file, original)
    others = [one for one in known.registrations if not place.is_ours(one)] if known else []
    told = [*others, place.registration]
    _write(file, render_hook(_sources(), kind, told, _read(original)))
    return True


def uninstall_one(place: Place, kind: str) -> bool:
    """Take our part out and give a hook that was there its name back; returns whether we did."""
    file, original = _names(place, kind)
    data = _read(file)
    known = parse_hook(data) if data is not None else None
    if known is None:
        _tidy_up(file, original)
        return False
    rest = [one for one in known.registrations if not place.is_ours(one)]
    if known.edited or len(rest) == len(known.registrations):
        return False
    if rest:
        _write(file, render_hook(_sources(), kind, rest, _read(original)))
    elif _exists(original):
        original.replace(file)
    else:
        file.unlink()
    return True


def _names(place: Place, kind: str) -> tuple[Path, Path]:
    return place.directory / kind, place.directory / (kind + ORIGINAL_SUFFIX)


def _tidy_up(file: Path, original: Path) -> None:
    """Give a hook its one name back when an installation did not get to its end.

    The same when another program wrote the very hook again that was there before ours. A hook
    that differs is kept: which of the two counts is not ours to say.
    """
    if not _exists(original):
        return
    if not _exists(file):
        original.replace(file)
    elif not _is_replaced(file, original):
        original.unlink()


def _is_replaced(file: Path, original: Path) -> bool:
    """Whether a hook stands beside another one that was kept for ours."""
    if not _exists(original):
        return False
    one, other = file.lstat(), original.lstat()
    same = one.st_mode == other.st_mode and stat.S_ISREG(one.st_mode)
    return not os.path.samestat(one, other) and not (same and _read(file) == _read(original))


def _may_chain(file: Path) -> bool:
    """Whether a hook that is not ours can be followed by ours."""
    data = _read(file)
    # No content: a link that leads nowhere is fine, a directory or something as odd is not.
    return file.is_symlink() if data is None else can_chain(data)


def _sources() -> Mapping[str, str]:
    return load_sources(packaged("hooks"))


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

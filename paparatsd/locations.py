"""Where the daemon keeps things: XDG directories, overrides, and the checks before first use.

`resolve_places` only looks; `prepare_places` creates. The CLI resolves, the daemon prepares.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from paparatsd.errors import BadSettings
from paparatsd.settings import Places
from paparatsd.user_paths import expanded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

APP = "paparatsd"
MAX_SOCKET_PATH_BYTES = 100
"""Kernels allow 104 (macOS) to 108 bytes with the final NUL; a margin for a temporary name."""
TEMPORARY = Path("/tmp")  # noqa: S108 - not TMPDIR: daemon and CLI must agree; owner, mode checked

KINDS = ("config", "state", "cache", "runtime", "data")
"""The directories that `PAPARATS_<KIND>_DIR` and `--<kind>-dir` override."""
_XDG = {
    "config": ("XDG_CONFIG_HOME", ".config"),
    "state": ("XDG_STATE_HOME", ".local/state"),
    "cache": ("XDG_CACHE_HOME", ".cache"),
    "data": ("XDG_DATA_HOME", ".local/share"),
}


def resolve_places(
    environment: Mapping[str, str],
    flags: Mapping[str, str] | None = None,
    *,
    uid: int | None = None,
    temporary: Path = TEMPORARY,
) -> Places:
    """Say where everything is, without creating anything.

    `flags` maps a kind of `KINDS` to a directory and wins over the environment. A state directory
    that was set explicitly keeps its socket and its data inside, so that two daemons never meet in
    one.
    """
    uid = os.geteuid() if uid is None else uid
    chosen = dict(_explicit(environment, flags or {}))
    home = _home(environment)
    config, state, cache = (
        chosen.get(kind) or _xdg(environment, *_XDG[kind], home)
        for kind in ("config", "state", "cache")
    )
    runtime = chosen.get("runtime")
    if runtime is None:
        session = None if "state" in chosen else _session_directory(environment, uid)
        runtime = session / APP if session is not None else state / "run"
    data = chosen.get("data")
    if data is None:
        data = state / "data" if "state" in chosen else _xdg(environment, *_XDG["data"], home)
    return Places(config, state, cache, _short_enough(runtime, uid, temporary), data)


def config_home(environment: Mapping[str, str]) -> Path:
    """Return the directory of the user's settings for all programs, systemd's units among them."""
    return _xdg(environment, *_XDG["config"], _home(environment)).parent


def _explicit(
    environment: Mapping[str, str], flags: Mapping[str, str]
) -> Iterator[tuple[str, Path]]:
    for kind in KINDS:
        variable = f"PAPARATS_{kind.upper()}_DIR"
        if flags.get(kind):
            yield kind, Path(os.path.abspath(expanded(flags[kind])))  # noqa: PTH100 - links stay
        elif environment.get(variable):
            path = expanded(environment[variable])
            if not path.is_absolute():
                raise BadSettings(
                    f"{variable}: {environment[variable]!r} is relative; allowed: an absolute path"
                )
            yield kind, path


def _home(environment: Mapping[str, str]) -> Path:
    home = environment.get("HOME", "")
    if home.startswith("/"):
        return Path(home)
    try:
        return Path.home()
    except RuntimeError:
        raise BadSettings(
            "HOME is not set; set it, or PAPARATS_CONFIG_DIR, PAPARATS_STATE_DIR, "
            "PAPARATS_CACHE_DIR and PAPARATS_DATA_DIR"
        ) from None


def _xdg(environment: Mapping[str, str], variable: str, default: str, home: Path) -> Path:
    """Follow the XDG rule: a relative value counts as unset."""
    value = environment.get(variable, "")
    return (Path(value) if value.startswith("/") else home / default) / APP


def _session_directory(environment: Mapping[str, str], uid: int) -> Path | None:
    """Return XDG_RUNTIME_DIR if it is ours; after `su` it is somebody else's."""
    value = environment.get("XDG_RUNTIME_DIR", "")
    if not value.startswith("/"):
        return None
    try:
        found = Path(value).stat()
    except OSError:
        return None
    return Path(value) if stat.S_ISDIR(found.st_mode) and found.st_uid == uid else None


def _short_enough(runtime: Path, uid: int, temporary: Path) -> Path:
    if len(os.fsencode(runtime / "control.sock")) <= MAX_SOCKET_PATH_BYTES:
        return runtime
    digest = hashlib.blake2b(os.fsencode(runtime), digest_size=6).hexdigest()
    return temporary / f"{APP}-{uid}-{digest}"


def prepare_places(places: Places, *, uid: int | None = None) -> None:
    """Create the directories (0700); everything is checked before anything is created.

    Raises BadSettings for a place that is a file, is not ours, cannot be written or is open to
    other users.
    """
    uid = os.geteuid() if uid is None else uid
    directories = {kind: getattr(places, kind) for kind in KINDS}
    for kind, path in directories.items():
        _check(kind, path, uid)
    for kind, path in directories.items():
        _create(kind, path)
    _check("runtime", places.runtime, uid)
    try:
        places.runtime.chmod(0o700)
    except OSError as error:
        raise BadSettings(
            f"the runtime directory {places.runtime} cannot be made private: {error.strerror}; set "
            "PAPARATS_RUNTIME_DIR"
        ) from None


def _check(kind: str, path: Path, uid: int) -> None:
    advice = f"choose another with PAPARATS_{kind.upper()}_DIR or --{kind}-dir"
    existing = _nearest_existing(path, kind, advice)
    found = existing.stat()
    if not stat.S_ISDIR(found.st_mode):
        raise BadSettings(f"the {kind} directory {path}: {existing} is not a directory; {advice}")
    if existing == path:
        _check_ours(kind, path, uid)
    # A settings directory may be read-only (managed dotfiles); it is written only by `add`.
    needs_write = kind != "config" or existing != path
    if needs_write and not os.access(existing, os.W_OK | os.X_OK):
        raise BadSettings(f"the {kind} directory {path}: {existing} cannot be written; {advice}")
    if not os.access(existing, os.R_OK | os.X_OK) and existing == path:
        raise BadSettings(f"the {kind} directory {path} cannot be read; {advice}")


def _nearest_existing(path: Path, kind: str, advice: str) -> Path:
    for candidate in (path, *path.parents):
        try:
            candidate.lstat()
            candidate.stat()
        except FileNotFoundError:
            if candidate.is_symlink():
                raise BadSettings(
                    f"the {kind} directory {path}: {candidate} is a broken link; {advice}"
                ) from None
        except NotADirectoryError:
            continue
        except OSError as error:
            raise BadSettings(
                f"the {kind} directory {path} cannot be used: {error.strerror}; {advice}"
            ) from None
        else:
            return candidate
    return Path("/")


def _check_ours(kind: str, path: Path, uid: int) -> None:
    """Refuse a directory of somebody else; the socket's own may not even be reached by a link."""
    found = path.lstat() if kind == "runtime" else path.stat()
    if stat.S_ISLNK(found.st_mode):
        raise BadSettings(f"the runtime directory {path} is a link; remove it")
    if found.st_uid != uid:
        raise BadSettings(
            f"the {kind} directory {path} belongs to user {found.st_uid}, not to us ({uid}); "
            f"change its owner or set PAPARATS_{kind.upper()}_DIR"
        )
    if stat.S_IMODE(found.st_mode) & 0o002:
        raise BadSettings(
            f"the {kind} directory {path} can be written by everybody; run: chmod go-w {path}"
        )


def _create(kind: str, path: Path) -> None:
    missing = [part for part in (path, *path.parents) if not part.exists()]
    try:
        for part in reversed(missing):
            part.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise BadSettings(
            f"the {kind} directory {path} cannot be created: {error.strerror}; set "
            f"PAPARATS_{kind.upper()}_DIR"
        ) from None

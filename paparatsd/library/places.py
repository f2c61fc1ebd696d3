"""Where the index of a folder is kept by the library, and what it is told to do."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadSettings, Conflict
from paparatsd.loading import load_settings, variable_of
from paparatsd.locations import prepare_places, resolve_places
from paparatsd.naming import default_project_name
from paparatsd.plain_yaml import PlainYamlError, dump_plain_yaml, read_plain_yaml
from paparatsd.project_paths import check_directory, check_project_path
from paparatsd.registry import write_atomically
from paparatsd.settings import SECRET_ENDINGS, Places, Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paparatsd.model import ProjectName

SettingValue = str | int | float | bool
"""A setting as Python has it, or as text."""

CLOSED_SECTIONS = ("http", "control", "knowledge", "projects", "log")
"""Sections about what only a daemon does."""
USUAL = {"projects.worktrees": "off", "search.fresh_deadline_s": "600"}
"""What is another than for a daemon: a program that wants it fresh waits as long as that takes."""
UNWATCHED_S = "3600"
"""Nobody watches: the longest time between two looks of its own that there may be."""
MAX_LIST_BYTES = 1 << 20


def check_folder(folder: str | os.PathLike[str], home: Path) -> Path:
    """Return the canonical path of a folder that may be indexed. Raises BadQuery."""
    text = os.path.abspath(Path(os.fspath(folder)).expanduser())  # noqa: PTH100 - links are resolved by the check
    path = check_project_path(text, home)
    check_directory(path)
    return path


def home_of(environment: Mapping[str, str]) -> Path:
    """Return the user's home directory, or a path that is nobody's."""
    return Path(environment.get("HOME") or "~").expanduser()


def choose_state_dir(
    folder: Path, chosen: str | os.PathLike[str] | None, environment: Mapping[str, str]
) -> Path:
    """Return where the index of a folder is; raises BadSettings.

    By default a directory of its own under the user's cache, named after folder and path.
    """
    if chosen is None:
        digest = hashlib.blake2b(os.fsencode(folder), digest_size=8).hexdigest()
        name = f"{default_project_name(folder.name)[:40]}-{digest}"
        return resolve_places(environment).cache / "library" / name
    state = Path(os.path.realpath(Path(os.fspath(chosen)).expanduser()))
    if (state / "catalog.sqlite3").exists():
        raise BadSettings(f"state_dir: {state} is the state directory of a daemon; choose another")
    if state == folder:
        raise BadSettings(f"state_dir: {state} is the folder itself; choose another")
    return state


def prepare_state(state: Path) -> Places:
    """Create the directories of an index, for this user alone. Raises BadSettings."""
    parts = (state / part for part in ("config", "state", "cache", "run", "data"))
    places = Places(*parts)
    prepare_places(places)
    return places


def read_settings(
    places: Places,
    chosen: Mapping[str, SettingValue],
    environment: Mapping[str, str],
    *,
    watch: bool,
) -> Settings:
    """Return the settings: defaults, and what the caller chose. Raises BadSettings.

    The user's own settings file and variables are the daemon's and are not read, but for secrets
    (`EXAMPLE_API_KEY`), which stand in no program.
    """
    flags = {**USUAL, **({} if watch else {"watch.enabled": "false", "watch.poll_s": UNWATCHED_S})}
    for key, value in chosen.items():
        section = key.partition(".")[0]
        if section in CLOSED_SECTIONS:
            raise BadSettings(f"settings: {key} is about what only a daemon does")
        flags[key] = str(value).lower() if isinstance(value, bool) else str(value)
    return load_settings(places, _secrets(environment), flags)


def _secrets(environment: Mapping[str, str]) -> dict[str, str]:
    closed = tuple(variable_of(f"{section}.") for section in CLOSED_SECTIONS)
    return {
        name: value
        for name, value in environment.items()
        if name.rpartition("_")[2] in SECRET_ENDINGS and not name.startswith(closed)
    }


def list_folder(
    places: Places, folder: Path, exclude: Sequence[str], *, history: bool
) -> ProjectName:
    """Make the folder the one project of its state directory; returns the project's name.

    Raises Conflict when the directory holds the index of another folder, BadSettings.
    """
    held = _held_folder(places.projects_file)
    if held not in (None, str(folder)):
        raise Conflict(
            f"{places.config.parent} holds the index of {held}; choose another state_dir"
        )
    patterns = [*exclude, *_own_pattern(places.config.parent, folder)]
    name = default_project_name(folder.name)
    entry: dict[str, Any] = {"path": str(folder), "name": name, "hooks": False}
    if patterns:
        entry["indexing"] = {"exclude_extra": patterns}
    if not history:
        entry["metadata"] = {"git": {"enabled": False}}
    try:
        write_atomically(places.projects_file, dump_plain_yaml({"repos": [entry]}))
    except OSError as error:
        raise BadSettings(f"{places.projects_file} cannot be written: {error.strerror}") from None
    return name


def _own_pattern(state: Path, folder: Path) -> list[str]:
    """Leave out the index itself when it is inside the folder."""
    if not state.is_relative_to(folder):
        return []
    return [f"/{state.relative_to(folder).as_posix()}/"]


def _held_folder(path: Path) -> str | None:
    try:
        document = read_plain_yaml(path, max_bytes=MAX_LIST_BYTES, follow=False)
    except (FileNotFoundError, PlainYamlError):
        return None  # what cannot be read is written anew: the index is derived data
    try:
        return str(document["repos"][0]["path"])
    except (TypeError, LookupError):
        return None

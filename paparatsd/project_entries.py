"""The entries of `projects.yml`: from a document to projects that may stand beside each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadQuery, Conflict
from paparatsd.model import ProjectEntry
from paparatsd.naming import (
    DEFAULT_GROUP,
    check_group_name,
    check_project_name,
    default_project_name,
)
from paparatsd.plain_yaml import PlainYamlError
from paparatsd.project_paths import check_project_path
from paparatsd.remotes.entries import REMOTE_KEYS, remote_of
from paparatsd.repo_config import (
    BadRepoConfigError,
    load_repo_config,
    merge_documents,
    parse_repo_config,
)
from paparatsd.sources.remote_address import parse_address

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paparatsd.model import GroupName, ProjectName, RemoteSpec

OVERRIDE_KEYS = frozenset({"language", "indexing", "metadata", "docs"})
ENTRY_KEYS = (
    OVERRIDE_KEYS | REMOTE_KEYS | {"path", "url", "pushed", "name", "group", "hooks", "worktree_of"}
)
DEFAULTS_KEYS = OVERRIDE_KEYS | {"group", "hooks", "cron", "cron_fast"}


@dataclass(frozen=True, slots=True)
class Rooms:
    """Where we keep what is not on this disk otherwise: clones, and files that were pushed."""

    clones: Path
    pushed: Path


@dataclass(frozen=True, slots=True)
class Registry:
    """The projects in the order of the file, and sentences about what could not be used."""

    entries: tuple[ProjectEntry, ...] = ()
    problems: tuple[str, ...] = ()


def validate_entry(
    entry: ProjectEntry, existing: Iterable[ProjectEntry], home: Path
) -> ProjectEntry:
    """Return `entry` with its path canonical if it may stand beside `existing`.

    Looks at the disk only to resolve links, so a project whose directory is away for a while stays
    registered. A project inside another one is allowed: each shows its own files. Raises BadQuery
    for what can never be a project, Conflict for what collides with a registered one.
    """
    # Where we keep things ourselves was chosen with the directories of the daemon.
    kept_by_us = entry.remote is not None or entry.pushed
    path = Path(entry.path) if kept_by_us else check_project_path(entry.path, home)
    name, group = check_project_name(entry.name), check_group_name(entry.group)
    for other in existing:
        if other.name == name:
            raise Conflict(
                f"the name {name!r} is taken by {source_of(other)}; choose another with --name"
            )
        if other.path == str(path):
            raise Conflict(f"{path} is registered already, as {other.name!r}")
    return replace(entry, name=name, path=str(path), group=group)


def check_document(document: object) -> dict[str, Any]:
    """Check the outline of the file; raises PlainYamlError."""
    if not isinstance(document, dict):
        raise PlainYamlError("it has no `repos:` list")
    for key in document:
        if key not in {"repos", "defaults"}:
            raise PlainYamlError(f"the key {key!r} is unknown; allowed: defaults, repos")
    if not isinstance(document.get("repos") or [], list):
        raise PlainYamlError("`repos` is not a list")
    defaults = document.get("defaults") or {}
    if not isinstance(defaults, dict):
        raise PlainYamlError("`defaults` has no keys")
    for key in defaults:
        if key not in DEFAULTS_KEYS:
            raise PlainYamlError(f"the key defaults.{key} is unknown")
    return document


def parse_registry(
    document: Mapping[str, Any],
    *,
    home: Path,
    forced_group: str = "",
    old: Sequence[ProjectEntry] = (),
    source: str = "projects.yml",
    rooms: Rooms | None = None,
) -> Registry:
    """Make the list of a checked document; a bad entry keeps what `old` has of it."""
    entries: list[ProjectEntry] = []
    problems: list[str] = []
    groups = {entry.path: entry.group for entry in old}
    for number, raw in enumerate(document.get("repos") or [], start=1):
        try:
            defaults = document.get("defaults") or {}
            entry = parse_entry(raw, defaults, forced_group, groups, rooms)
            entries.append(validate_entry(entry, entries, home))
        except (BadQuery, Conflict, BadRepoConfigError) as error:
            problems.append(f"{source}: entry {number} is not used: {error}")
            kept = _kept_of(raw, old, entries)
            if kept is not None:
                entries.append(kept)
    return Registry(tuple(entries), tuple(problems))


def _kept_of(
    raw: object, old: Sequence[ProjectEntry], entries: Sequence[ProjectEntry]
) -> ProjectEntry | None:
    if not isinstance(raw, dict):
        return None
    taken = {entry.name for entry in entries} | {entry.path for entry in entries}
    for entry in old:
        own = entry.remote is not None or entry.pushed
        same = entry.name == name_of(raw) if own else entry.path == raw.get("path")
        if same and not {entry.name, entry.path} & taken:
            return entry
    return None


def parse_entry(
    raw: object,
    defaults: Mapping[str, Any],
    forced_group: str = "",
    known_groups: Mapping[str, GroupName] = MappingProxyType({}),
    rooms: Rooms | None = None,
) -> ProjectEntry:
    """Make an entry of one item of `repos`, names and paths not yet checked.

    Reads the project's .paparats.yml for its group when no one else names one; the one in
    `known_groups` (by path) holds while that file cannot be read. Raises BadQuery,
    BadRepoConfigError.
    """
    if not isinstance(raw, dict):
        raise BadQuery("it is not a mapping; write for example '- path: /home/me/src/shop'")
    for key in raw:
        if key not in ENTRY_KEYS:
            raise BadQuery(f"the key {key!r} is unknown; allowed: {', '.join(sorted(ENTRY_KEYS))}")
    remote = remote_of(raw, defaults)
    pushed = _is_pushed(raw)
    path = _path_of(raw, remote, rooms)
    overrides = merge_documents(_overrides(defaults), _overrides(raw))
    config = parse_repo_config(overrides)
    if not isinstance(raw.get("name", ""), str):
        raise BadQuery("name: allowed: text; put it into quotes")
    hooks = raw.get("hooks", defaults.get("hooks", True))
    if not isinstance(hooks, bool):
        raise BadQuery("hooks: allowed: true or false")
    # Nobody commits in what is kept here.
    hooks = hooks and remote is None and not pushed
    group = forced_group or raw.get("group") or defaults.get("group")
    group = group or _repo_group(path, known_groups.get(path, DEFAULT_GROUP))
    if not isinstance(group, str):
        raise BadQuery("group: allowed: text; put it into quotes")
    return ProjectEntry(
        check_project_name(name_of(raw)),
        path,
        check_group_name(group),
        hooks,
        config.exclude_extra,
        overrides,
        check_project_name(raw["worktree_of"]) if _is_text(raw.get("worktree_of")) else None,
        remote,
        pushed,
    )


def _is_text(value: object) -> bool:
    if value is None or isinstance(value, str):
        return bool(value)
    raise BadQuery("worktree_of: allowed: the name of a project; put it into quotes")


def _is_pushed(raw: Mapping[str, Any]) -> bool:
    pushed = raw.get("pushed", False)
    if not isinstance(pushed, bool):
        raise BadQuery("pushed: allowed: true or false")
    return pushed


def _path_of(raw: Mapping[str, Any], remote: RemoteSpec | None, rooms: Rooms | None) -> str:
    """Return the root of a project; of what we keep ourselves, where that is."""
    path, pushed = raw.get("path"), _is_pushed(raw)
    if (path is not None) + (remote is not None) + pushed != 1:
        raise BadQuery("it needs exactly one of path and url (and neither when it is pushed)")
    if path is None and rooms is None:
        raise BadQuery("there is no place to keep it in")
    if remote is not None and rooms is not None:
        name = check_kept_name(name_of(raw))
        return str(rooms.clones / f"{name}-{parse_address(remote.url).digest()}")
    if pushed and rooms is not None:
        return str(rooms.pushed / check_kept_name(name_of(raw)))
    if not isinstance(path, str):
        raise BadQuery("path: allowed: text; put it into quotes")
    return path


def check_kept_name(name: str) -> ProjectName:
    """Return the name of a project whose files we keep; raises BadQuery.

    Beside them, names that begin with a dot are of what is under way or to be deleted.
    """
    if name.startswith("."):
        raise BadQuery(f"{name!r} cannot be the name of a project that is kept here: drop the dot")
    return check_project_name(name)


def source_of(entry: ProjectEntry) -> str:
    """Return where a project comes from, in words."""
    if entry.remote is not None:
        return entry.remote.url
    return "a project whose files are pushed" if entry.pushed else entry.path


def name_of(raw: object) -> str:
    """Return the name that an item of `repos` has, written or by default; "" for nonsense."""
    if not isinstance(raw, dict):
        return ""
    name, path, url = raw.get("name"), raw.get("path"), raw.get("url")
    if name is not None:
        return str(name)
    if isinstance(url, str):
        try:
            return parse_address(url).name
        except BadQuery:
            return ""
    return default_project_name(Path(path).name) if isinstance(path, str) else ""


def _overrides(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in raw.items() if key in OVERRIDE_KEYS}


def _repo_group(path: str, known: GroupName) -> GroupName:
    """Return the group that the project's own file names; `known` while that cannot be told."""
    root = Path(path)
    if not path.startswith("/") or not root.is_dir():
        return known
    config = load_repo_config(root).config
    return known if config is None else config.group or DEFAULT_GROUP

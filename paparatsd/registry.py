"""The registered projects: `projects.yml`, written by the CLI through the daemon, or by hand.

A hand edit is noticed by the file's stat signature. Whatever a person does to the file by mistake,
no project is lost by it: what cannot be read keeps its last good state and is reported.
All of this is blocking IO on one small file.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadQuery, BadSettings, Conflict, UnknownProject
from paparatsd.model import ProjectEntry
from paparatsd.naming import (
    DEFAULT_GROUP,
    check_group_name,
    check_project_name,
    default_project_name,
)
from paparatsd.plain_yaml import (
    PlainYamlError,
    dump_plain_yaml,
    load_plain_yaml,
    read_plain_yaml,
)
from paparatsd.project_paths import check_directory, check_project_path
from paparatsd.repo_config import (
    BadRepoConfigError,
    load_repo_config,
    merge_documents,
    parse_repo_config,
)
from paparatsd.small_file import UnreadableFileError, read_small_file
from paparatsd.yaml_edit import append_item, remove_item

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paparatsd.model import GroupName

HEADER = """\
# The projects that paparatsd indexes. `paparats add` and `paparats remove` edit this file; you may
# also edit it by hand, it is read again at once.
#
# defaults:                     # hold for every project
#   group: backend
#   indexing: {exclude_extra: [fixtures/]}
# repos:
#   - path: /home/me/src/shop   # absolute
#     name: shop                # default: the last part of the path
#     group: backend            # default: the group in .paparats.yml, else "default"
#     hooks: false              # default: true
#     indexing: {exclude_extra: ["*.snap"]}

"""
MAX_FILE_BYTES = 4 << 20
OVERRIDE_KEYS = frozenset({"language", "indexing", "metadata", "docs"})
ENTRY_KEYS = OVERRIDE_KEYS | {"path", "url", "name", "group", "hooks", "worktree_of"}
DEFAULTS_KEYS = OVERRIDE_KEYS | {"group", "hooks", "cron", "cron_fast"}

Signature = tuple[int, int, int, int] | None
"""Inode, size, mtime and ctime of the file; None when it is not there."""


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
    path = check_project_path(entry.path, home)
    name, group = check_project_name(entry.name), check_group_name(entry.group)
    for other in existing:
        if other.name == name:
            raise Conflict(
                f"the name {name!r} is taken by {other.path}; choose another with --name"
            )
        if other.path == str(path):
            raise Conflict(f"{path} is registered already, as {other.name!r}")
    return replace(entry, name=name, path=str(path), group=group)


class ProjectsFile:
    """The file, the last good list read from it, and the only writer of it.

    `forced_group` is the group that wins over all files ("" is none). One owner, one thread.
    """

    def __init__(self, path: Path, *, home: Path, forced_group: str = "") -> None:
        self._path = path
        self._home = home
        self._forced_group = forced_group
        self._registry = Registry()
        self._signature: Signature = None
        self._doubted = False
        self._broken = ""

    @property
    def registry(self) -> Registry:
        """What the last `read` found."""
        return self._registry

    def changed(self) -> bool:
        """Say whether the list may differ from what was read last (one stat call)."""
        return self._doubted or self._stat() != self._signature

    def doubt(self) -> None:
        """Have the list read again: a project's own file, which says its group, has changed."""
        self._doubted = True

    def read(self) -> Registry:
        """Read the file; what is broken keeps its last good state and becomes a problem."""
        self._signature, self._doubted = self._stat(), False
        try:
            document = self._document()
        except PlainYamlError as error:
            self._broken = f"{self._path}: {error}; the projects stay as they were"
            self._registry = Registry(self._registry.entries, (self._broken,))
        else:
            self._broken = ""
            self._registry = parse_registry(
                document,
                home=self._home,
                forced_group=self._forced_group,
                old=self._registry.entries,
                source=str(self._path),
            )
        return self._registry

    def add(
        self,
        path: str,
        *,
        name: str | None,
        group: str | None,
        hooks: bool,
        worktree_of: str | None = None,
    ) -> ProjectEntry:
        """Register a directory and write the file; the same again returns the same entry.

        Raises BadQuery and Conflict as `validate_entry` does, Conflict also while the file is
        broken, because writing would lose what is in it.
        """
        root = check_project_path(path, self._home)
        check_directory(root)
        document = self._editable()
        for entry in self._registry.entries:
            if entry.path == str(root) and name in {None, entry.name}:
                if group in {None, entry.group}:
                    return entry
                raise Conflict(
                    f"{root} is registered already, in group {entry.group!r}; edit {self._path} "
                    "to move it"
                )
        raw: dict[str, Any] = {"path": str(root), "name": name or self._free_name(root.name)}
        if group is not None:
            raw["group"] = group
        if not hooks:
            raw["hooks"] = False
        if worktree_of is not None:
            raw["worktree_of"] = worktree_of
        entry = parse_entry(raw, document.get("defaults") or {}, self._forced_group)
        entry = validate_entry(entry, self._registry.entries, self._home)
        wanted = {**document, "repos": [*(document.get("repos") or []), raw]}
        self._write(wanted, append_item(self._text(), "repos", raw))
        return entry

    def remove(self, name: str) -> ProjectEntry:
        """Take a project out of the file; raises UnknownProject, Conflict as `add` does."""
        document = self._editable()
        gone = next((entry for entry in self._registry.entries if entry.name == name), None)
        if gone is None:
            raise UnknownProject(f"no project {name!r} is registered; see: paparats list")
        listed = document.get("repos") or []
        places = [place for place, raw in enumerate(listed) if _name_of(raw) == name]
        kept = [raw for raw in listed if _name_of(raw) != name]
        edited = remove_item(self._text(), "repos", places[0]) if len(places) == 1 else None
        self._write({**document, "repos": kept}, edited)
        return gone

    def _free_name(self, basename: str) -> str:
        name = default_project_name(basename)
        taken = next((entry for entry in self._registry.entries if entry.name == name), None)
        if taken is not None:
            raise Conflict(
                f"the name {name!r} is taken by {taken.path}; choose another with --name"
            )
        return name

    def _stat(self) -> Signature:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

    def _document(self) -> dict[str, Any]:
        try:
            document = read_plain_yaml(self._path, max_bytes=MAX_FILE_BYTES, follow=True)
        except FileNotFoundError:
            if self._registry.entries:
                # Some editors move the file away before they write the new one.
                raise PlainYamlError("it is gone; `paparats remove` removes projects") from None
            return {"repos": []}
        if document is None and not self._registry.entries:
            return {"repos": []}
        return check_document(document)

    def _editable(self) -> dict[str, Any]:
        self.read()
        if self._broken:
            raise Conflict(f"{self._broken}; repair it first")
        return self._document()

    def _text(self) -> str:
        """Return the file as it is written, for an edit that keeps its comments; "" without it."""
        try:
            data, _ = read_small_file(self._path, max_bytes=MAX_FILE_BYTES, follow=True)
        except (FileNotFoundError, UnreadableFileError):
            return ""
        return data.decode("utf-8-sig", "replace")

    def _write(self, document: Mapping[str, Any], edited: str | None) -> None:
        """Write the edited text if it says just what `document` does, else the document anew."""
        text = HEADER + dump_plain_yaml(dict(document))
        if edited is not None and _says(edited, document):
            text = edited
        try:
            write_atomically(self._path, text)
        except OSError as error:
            raise BadSettings(
                f"{self._path} cannot be written: {error.strerror}; the list is unchanged"
            ) from None
        self.read()


def _says(text: str, document: Mapping[str, Any]) -> bool:
    try:
        found = load_plain_yaml(text)
    except PlainYamlError:
        return False
    return isinstance(found, dict) and {**found, "repos": found.get("repos") or []} == document


def write_atomically(path: Path, text: str) -> None:
    """Replace a file so that every reader sees the old or the new text, also after a crash.

    A link is followed: managed settings stay where they are.
    """
    target = Path(os.path.realpath(path))
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            with contextlib.suppress(OSError):
                os.fchmod(file.fileno(), target.stat().st_mode & 0o777)
            os.fsync(file.fileno())
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    directory = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


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
) -> Registry:
    """Make the list of a checked document; a bad entry keeps what `old` has of it."""
    entries: list[ProjectEntry] = []
    problems: list[str] = []
    groups = {entry.path: entry.group for entry in old}
    for number, raw in enumerate(document.get("repos") or [], start=1):
        try:
            entry = parse_entry(raw, document.get("defaults") or {}, forced_group, groups)
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
    if not isinstance(raw, dict) or "url" in raw:
        return None
    taken = {entry.name for entry in entries} | {entry.path for entry in entries}
    for entry in old:
        if entry.path == raw.get("path") and not {entry.name, entry.path} & taken:
            return entry
    return None


def parse_entry(
    raw: object,
    defaults: Mapping[str, Any],
    forced_group: str = "",
    known_groups: Mapping[str, GroupName] = MappingProxyType({}),
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
    path = _path_of(raw)
    overrides = merge_documents(_overrides(defaults), _overrides(raw))
    config = parse_repo_config(overrides)
    if not isinstance(raw.get("name", ""), str):
        raise BadQuery("name: allowed: text; put it into quotes")
    hooks = raw.get("hooks", defaults.get("hooks", True))
    if not isinstance(hooks, bool):
        raise BadQuery("hooks: allowed: true or false")
    group = forced_group or raw.get("group") or defaults.get("group")
    group = group or _repo_group(path, known_groups.get(path, DEFAULT_GROUP))
    if not isinstance(group, str):
        raise BadQuery("group: allowed: text; put it into quotes")
    return ProjectEntry(
        check_project_name(_name_of(raw)),
        path,
        check_group_name(group),
        hooks,
        config.exclude_extra,
        overrides,
        check_project_name(raw["worktree_of"]) if _is_text(raw.get("worktree_of")) else None,
    )


def _is_text(value: object) -> bool:
    if value is None or isinstance(value, str):
        return bool(value)
    raise BadQuery("worktree_of: allowed: the name of a project; put it into quotes")


def _path_of(raw: Mapping[str, Any]) -> str:
    path, url = raw.get("path"), raw.get("url")
    if (path is None) == (url is None):
        raise BadQuery("it needs exactly one of path and url")
    if url is not None:
        raise BadQuery(
            f"url {url!r} is not supported yet: clone the repository and add the path of the clone"
        )
    if not isinstance(path, str):
        raise BadQuery("path: allowed: text; put it into quotes")
    return path


def _name_of(raw: object) -> str:
    """Return the name an item of `repos` stands for, written or by default; "" for nonsense."""
    if not isinstance(raw, dict):
        return ""
    name, path = raw.get("name"), raw.get("path")
    if name is not None:
        return str(name)
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

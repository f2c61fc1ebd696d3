"""The registered projects: `projects.yml`, written by the CLI through the daemon, or by hand.

A hand edit is noticed by the file's stat signature. Whatever a person does to the file by mistake,
no project is lost by it: what cannot be read keeps its last good state and is reported.
All of this is blocking IO on one small file.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paparatsd.errors import BadSettings, Conflict, UnknownProject
from paparatsd.naming import (
    default_project_name,
)
from paparatsd.plain_yaml import (
    PlainYamlError,
    dump_plain_yaml,
    load_plain_yaml,
    read_plain_yaml,
)
from paparatsd.project_entries import (
    Registry,
    check_document,
    name_of,
    parse_entry,
    parse_registry,
    source_of,
    validate_entry,
)
from paparatsd.project_paths import check_directory, check_project_path
from paparatsd.small_file import UnreadableFileError, read_small_file
from paparatsd.sources.remote_address import parse_address
from paparatsd.yaml_edit import append_item, remove_item

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paparatsd.model import ProjectEntry, RemoteSpec
    from paparatsd.project_entries import Rooms


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
#   - url: acme/cart            # GitHub; also https://, ssh://, user@host:path, a bare path
#     branch: main              # default: the remote's; or ref: a tag or a commit
#     cron: "0 */3 * * *"       # fetched; cron_fast: asked whether there is anything new
#     indexing: {exclude_extra: ["*.snap"]}

"""
MAX_FILE_BYTES = 4 << 20
Signature = tuple[int, int, int, int] | None
"""Inode, size, mtime and ctime of the file; None when it is not there."""


class ProjectsFile:
    """The file, the last good list read from it, and the only writer of it.

    `forced_group` is the group that wins over all files ("" is none). `rooms` is where clones and
    pushed files are kept; without it there are none. One owner, one thread.
    """

    def __init__(
        self, path: Path, *, home: Path, forced_group: str = "", rooms: Rooms | None = None
    ) -> None:
        self._path = path
        self._home = home
        self._forced_group = forced_group
        self._rooms = rooms
        self._registry = Registry()
        self._signature: Signature = None
        self._doubted = False
        self._broken = ""

    @property
    def home(self) -> Path:
        """The home directory of whom the projects belong to."""
        return self._home

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
                rooms=self._rooms,
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
        return self._append(document, raw)

    def add_remote(
        self, spec: RemoteSpec, *, name: str | None = None, group: str | None = None
    ) -> ProjectEntry:
        """Register a repository elsewhere, as `add` does a directory; its URL has been parsed."""
        document = self._editable()
        for entry in self._registry.entries:
            followed = entry.remote
            if followed is None or followed.url != spec.url or name not in {None, entry.name}:
                continue
            asked, known = (replace(one, cron="", cron_fast="") for one in (spec, followed))
            if asked == known and group in {None, entry.group}:
                return entry
            raise Conflict(
                f"{spec.url} is registered already, as {entry.name!r} in group {entry.group!r}; "
                f"edit {self._path} to change it, or follow it twice with another --name"
            )
        raw: dict[str, Any] = {"url": spec.url}
        raw["name"] = name or self._free_name(parse_address(spec.url).name)
        raw |= {key: value for key, value in asdict(spec).items() if value}
        if group is not None:
            raw["group"] = group
        return self._append(document, raw)

    def add_pushed(self, name: str, group: str) -> ProjectEntry:
        """Register a project whose files programs send; raises as `add` does."""
        return self._append(self._editable(), {"pushed": True, "name": name, "group": group})

    def _append(self, document: Mapping[str, Any], raw: dict[str, Any]) -> ProjectEntry:
        defaults = document.get("defaults") or {}
        entry = parse_entry(raw, defaults, self._forced_group, rooms=self._rooms)
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
        places = [place for place, raw in enumerate(listed) if name_of(raw) == name]
        kept = [raw for raw in listed if name_of(raw) != name]
        edited = remove_item(self._text(), "repos", places[0]) if len(places) == 1 else None
        self._write({**document, "repos": kept}, edited)
        return gone

    def _free_name(self, basename: str) -> str:
        name = default_project_name(basename)
        taken = next((entry for entry in self._registry.entries if entry.name == name), None)
        if taken is not None:
            raise Conflict(
                f"the name {name!r} is taken by {source_of(taken)}; choose another with --name"
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

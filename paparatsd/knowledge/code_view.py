"""What projects show now, as far as cards name it: files, folders, symbols, lines, their digests.

Reads the catalog; everything asked of one `CodeView` comes from one state of it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING
from urllib.parse import unquote

from paparatsd.chunks.address import format_address, format_lines
from paparatsd.chunks.fragments import numbered, symbol_fragment
from paparatsd.knowledge.code_names import PROSE, ends_in, is_inside, parts_of_name, section_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paparatsd.model import VersionId
    from paparatsd.store.reader import CatalogReader
    from paparatsd.store.rows import VersionInfo

DIGEST_BYTES = 16
MAX_BELOW = 20_000
"""Files of a folder that are looked at for its digest."""
MAX_CALLED = 200
"""Symbols of one name that are looked at: so many are not told apart by their name."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One project that can be looked at; `complete` is False while its first index is built."""

    project_id: int
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Spot:
    """What a name of a card means now. `start` is 0 for a folder.

    `address`: of a symbol or lines as everywhere; of a whole file or folder `project:path`.
    """

    project: str
    path: str
    address: str
    digest: str
    start: int = 0
    end: int = 0


class CodeView:
    """Looks at projects, by name; only at those it was given."""

    def __init__(self, reader: CatalogReader, projects: Mapping[str, Shown]) -> None:
        self._reader = reader
        self.projects = projects
        self._trees: dict[str, _Tree] = {}

    def _tree(self, project: str) -> _Tree:
        if project not in self._trees:
            self._trees[project] = _Tree(self._reader, project, self.projects[project].project_id)
        return self._trees[project]

    def prepare(self, paths: Mapping[str, Iterable[str]]) -> None:
        """Read what `path` needs of these paths, by project, at once."""
        for project, some in paths.items():
            self._tree(project).read(some)

    def path(self, project: str, path: str) -> Spot | None:
        """Return a file or a folder."""
        return self._tree(project).spot(path)

    def why_skipped(self, project: str, path: str) -> str:
        """Return why a file that is there is not indexed, "" if it is indexed or not there."""
        row = self._reader.skipped_at(self._tree(project).project_id, [path]).get(path)
        return "" if row is None else row.reason.value.replace("_", " ")

    def symbols(self, project: str, path: str, fragment: str) -> list[Spot]:
        """Return what the part of an address after # names in a file."""
        tree = self._tree(project)
        version = tree.version(path)
        if version is None:
            return []
        return [
            tree.piece(path, version, start, end, shown)
            for start, end, shown in tree.named_in(version, fragment)
        ]

    def lines(self, project: str, path: str, start: int, end: int) -> Spot | None:
        """Return lines of a file, None when it has fewer."""
        tree = self._tree(project)
        version = tree.version(path)
        if version is None or end > tree.length(version):
            return None
        return tree.piece(path, version, start, end)

    def lines_of_digest(self, project: str, path: str, count: int, digest: str) -> Spot | None:
        """Return where so many lines with this digest stand in a file, if anywhere."""
        tree = self._tree(project)
        version = tree.version(path)
        if version is None:
            return None
        last = tree.length(version)
        if last * count > 500_000:
            return None
        for start in range(1, last - count + 2):
            if tree.digest(version, start, start + count - 1) == digest:
                return tree.piece(path, version, start, start + count - 1)
        return None

    def called(self, project: str, name: str) -> list[Spot]:
        """Return the symbols of a name: `Cart.total`, `Cart::total`, `shop.Cart.total`, `total`."""
        tree, parts = self._tree(project), parts_of_name(name)
        for owners in range(len(parts)):
            found = tree.definitions(parts[owners:], parts[:owners])
            if found:
                return [
                    tree.piece(path, version, start, end, fragment)
                    for path, version, start, end, fragment in found
                ]
        return []

    def same_content(self, project: str, digest: str) -> list[str]:
        """Return the paths of the files with a digest, in order."""
        return self._tree(project).by_digest.get(digest, [])

    def same_name(self, project: str, path: str) -> list[str]:
        """Return the paths of the files that are called like this one, in order."""
        return self._tree(project).by_name.get(path.rpartition("/")[2], [])


@dataclass(slots=True)
class _Known:
    """What was read of a tree so far."""

    asked: set[str] = field(default_factory=set)
    entries: dict[str, VersionId] = field(default_factory=dict)
    infos: dict[VersionId, VersionInfo] = field(default_factory=dict)
    texts: dict[VersionId, dict[int, str]] = field(default_factory=dict)


class _Tree:
    """One project."""

    def __init__(self, reader: CatalogReader, name: str, project_id: int) -> None:
        self._reader = reader
        self.name = name
        self.project_id = project_id
        self._known = _Known()

    def read(self, paths: Iterable[str]) -> None:
        new = [path for path in dict.fromkeys(paths) if path not in self._known.asked]
        if not new:
            return
        self._known.asked.update(new)
        found = self._reader.view_at(self.project_id, new)
        self._known.entries.update({path: one.version for path, one in found.items()})
        versions = [one.version for one in found.values()]
        self._known.infos.update(self._reader.infos(versions))

    def version(self, path: str) -> VersionId | None:
        self.read([path])
        return self._known.entries.get(path)

    def length(self, version: VersionId) -> int:
        info = self._known.infos.get(version)
        return 0 if info is None else info.lines

    def spot(self, path: str) -> Spot | None:
        version = self.version(path)
        address = format_address(self.name, path, "").removesuffix("#")
        if version is not None:
            info = self._known.infos[version]
            return Spot(self.name, path, address, _short(info.content), 1, max(info.lines, 1))
        below = sorted(one for one in self._known.entries if one.startswith(f"{path}/"))
        if not below:
            return None
        hashed = blake2b(digest_size=DIGEST_BYTES, person=b"paparats.folder")
        for one in below[:MAX_BELOW]:
            content = self._known.infos[self._known.entries[one]].content
            hashed.update(one.removeprefix(path).encode("utf-8", "replace") + b"\0" + content)
        return Spot(self.name, path, address, hashed.hexdigest())

    def piece(
        self, path: str, version: VersionId, start: int, end: int, fragment: str = ""
    ) -> Spot:
        address = (
            format_address(self.name, path, fragment)
            if fragment
            else format_lines(self.name, path, start, None if start == end else end)
        )
        return Spot(self.name, path, address, self.digest(version, start, end), start, end)

    def digest(self, version: VersionId, start: int, end: int) -> str:
        """Return the digest of lines, whatever white space is at their ends."""
        text = self._text(version)
        lines = "\n".join(text.get(line, "").rstrip() for line in range(start, end + 1))
        data = lines.encode("utf-8", "surrogatepass")
        return blake2b(data, digest_size=DIGEST_BYTES, person=b"paparats.lines").hexdigest()

    def _text(self, version: VersionId) -> Mapping[int, str]:
        """Return a file's lines by number; blank ones between chunks are left out."""
        if version not in self._known.texts:
            lines: dict[int, str] = {}
            for chunk in self._reader.chunks_of(version):
                for line, text in enumerate(chunk.text.split("\n"), chunk.start_line):
                    before = lines.get(line)
                    # Chunks overlap where they are windows, and may cut a long line.
                    lines[line] = text if before in (None, text) else f"{before}{text}"
            self._known.texts[version] = lines
        return self._known.texts[version]

    def named_in(self, version: VersionId, fragment: str) -> list[tuple[int, int, str]]:
        """Return first line, last line and fragment of what a fragment names in a file."""
        symbols = self._reader.symbols_of(version)
        numbers = numbered(one.qualified for one in symbols)
        shown = [
            symbol_fragment(one.qualified, nth) for one, nth in zip(symbols, numbers, strict=True)
        ]
        places = [
            (one.start_line, one.end_line, own) for one, own in zip(symbols, shown, strict=True)
        ]
        exact = [place for place in places if place[2] == fragment]
        if exact:
            return exact
        section = self._section(version, fragment)
        if section is not None:
            return [(*section, "")]
        chunks = [one for one in self._reader.chunks_of(version) if one.fragment == fragment]
        if chunks:
            return [(one.start_line, one.end_line, one.fragment) for one in chunks]
        wanted = parts_of_name(unquote(fragment))
        return [
            place
            for place, one in zip(places, symbols, strict=True)
            if ends_in(one.qualified, wanted)
        ]

    def _section(self, version: VersionId, title: str) -> tuple[int, int] | None:
        info = self._known.infos[version]
        if info.language not in PROSE:
            return None
        text = self._text(version)
        lines = [text.get(line, "") for line in range(1, info.lines + 1)]
        return section_lines(info.language, lines, title)

    # ------------------------------------------------------------------ the whole view

    @cached_property
    def view(self) -> dict[str, VersionId]:
        """Every path with its version, in order."""
        paths, versions = self._reader.view_versions(self.project_id)
        return dict(sorted(zip(paths, versions.tolist(), strict=True)))

    @cached_property
    def by_name(self) -> Mapping[str, list[str]]:
        """Paths by the names of their files."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in self.view:
            found[path.rpartition("/")[2]].append(path)
        return found

    @cached_property
    def by_digest(self) -> Mapping[str, list[str]]:
        """Paths by the digests of their files."""
        infos = self._reader.infos(self.view.values())
        found: dict[str, list[str]] = defaultdict(list)
        for path, version in self.view.items():
            if version in infos:
                found[_short(infos[version].content)].append(path)
        return found

    def definitions(
        self, wanted: Sequence[str], owners: Sequence[str]
    ) -> list[tuple[str, VersionId, int, int, str]]:
        """Return path, version, first and last line and fragment of what is called so.

        `owners`: what the file of it must belong to.
        """
        name = ".".join(wanted)
        ordinals: dict[VersionId, list[int]] = defaultdict(list)
        for one in self._reader.symbols_named([name])[name]:
            ordinals[one.version].append(one.ordinal)
        found: list[tuple[str, VersionId, int, int, str]] = []
        for path, version in self.view.items() if ordinals else ():
            if version not in ordinals or len(found) >= MAX_CALLED:
                continue
            self.read([path])
            symbols = self._reader.symbols_of(version)
            numbers = numbered(one.qualified for one in symbols)
            if not is_inside(owners, path, self._packages(version) if owners else ()):
                continue
            for ordinal in sorted(ordinals[version]):
                symbol = symbols[ordinal]
                if ends_in(symbol.qualified, wanted):
                    own = symbol_fragment(symbol.qualified, numbers[ordinal])
                    found.append((path, version, symbol.start_line, symbol.end_line, own))
        return found

    def _packages(self, version: VersionId) -> list[str]:
        return [one.name for one in self._reader.facts_of(version) if one.kind == "package"]


def merged(spots: Sequence[Spot]) -> Spot:
    """Return several definitions of one name in one file as one: overloads, a type and its code."""
    if len(spots) == 1:
        return spots[0]
    data = "".join(spot.digest for spot in spots).encode()
    digest = blake2b(data, digest_size=DIGEST_BYTES, person=b"paparats.merged").hexdigest()
    return replace(spots[0], digest=digest)


def _short(content: bytes) -> str:
    return content[:DIGEST_BYTES].hex()

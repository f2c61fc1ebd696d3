"""What the symbol graph reads: the rows of one project's view at one generation."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from paparatsd.model import VersionId

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paparatsd.graph.files import Files, FileSymbols
    from paparatsd.model import Fact, GroupName, ProjectName
    from paparatsd.store.rows import Definition, FilePacks, ProjectRow

T = TypeVar("T")

MAX_KEPT_NAMES = 20_000
"""Names whose places are remembered per tree; beyond that all are forgotten at once."""


class Source(Protocol):
    """What is read of the catalog; `CatalogReader` is one."""

    def view_versions(self, project_id: int) -> tuple[list[str], NDArray[np.int64]]:
        """Return the paths of a view in order and, parallel to them, their versions."""
        ...

    def packs_of(self, ids: Iterable[VersionId]) -> Iterator[tuple[VersionId, FilePacks]]:
        """Yield the language and the packs of those versions that are there."""
        ...

    def symbols_named(self, names: Iterable[str]) -> dict[str, list[Definition]]:
        """Return for each name where names that fold to the same are defined, in any view."""
        ...

    def users_of(self, names: Iterable[str]) -> dict[str, dict[VersionId, int]]:
        """Return for each exact name the versions that use it and how often."""
        ...

    def labelled(self, kind: str, names: Iterable[str]) -> dict[str, list[VersionId]]:
        """Return for each name the versions that have a fact of this kind about it."""
        ...

    def labels(self, kind: str, ids: Iterable[VersionId]) -> dict[str, list[VersionId]]:
        """Return by name which of these versions have a fact of this kind about it."""
        ...


@dataclass(frozen=True, slots=True)
class Target:
    """A definition: symbol `index` of a file; -1 for the file itself, as a module or a script."""

    tree: Tree
    path: str
    index: int

    @property
    def key(self) -> tuple[int, str, int]:
        """What tells definitions of several projects apart, in order of project and place."""
        return self.tree.project_id, self.path, self.index


class Tree:
    """One project's view at one generation. Paths are read at once, all else when asked for.

    Nothing here changes; a new generation is a new tree, and decoded files are shared by all.
    """

    def __init__(
        self,
        source: Source,
        files: Files,
        project: ProjectRow,
        shown: tuple[Sequence[str], NDArray[np.int64]],
    ) -> None:
        """Take what `Source.view_versions` said as `shown`."""
        self.project_id = project.id
        self.name: ProjectName = project.entry.name
        self.group: GroupName = project.entry.group
        self.generation = project.generation
        self.paths: Sequence[str] = shown[0]
        self._source = source
        self._files = files
        self._versions = dict(zip(shown[0], map(VersionId, shown[1].tolist()), strict=True))
        self._paths = {version: path for path, version in self._versions.items()}
        self._kept: dict[str, Any] = {}
        self._defining: dict[str, tuple[Target, ...]] = {}
        self._kinds: dict[str, tuple[str, ...]] = {}
        self._using: dict[str, tuple[str, ...]] = {}

    def __repr__(self) -> str:
        """Name the project and the generation."""
        return f"Tree({self.name}@{self.generation})"

    # ------------------------------------------------------------------ paths

    def has(self, path: str) -> bool:
        """Say whether the project shows a file at this path."""
        return path in self._versions

    def below(self, folder: str) -> Sequence[str]:
        """Return all paths under a folder, ascending; "" is the root."""
        if not folder:
            return self.paths
        first = bisect_left(self.paths, f"{folder}/")
        return self.paths[first : bisect_left(self.paths, f"{folder}0", first)]

    def inside(self, folder: str) -> Sequence[str]:
        """Return the files directly in a folder, ascending; "" is the root."""
        return self._folders().get(folder, ())

    def has_folder(self, folder: str) -> bool:
        """Say whether anything lies under a folder."""
        at = bisect_left(self.paths, f"{folder}/") if folder else 0
        return at < len(self.paths) and self.paths[at].startswith(f"{folder}/" if folder else "")

    def _folders(self) -> Mapping[str, list[str]]:
        def build() -> dict[str, list[str]]:
            folders: dict[str, list[str]] = {}
            for path in self.paths:
                folders.setdefault(path.rpartition("/")[0], []).append(path)
            return folders

        return self.keep("folders", build)

    def version(self, path: str) -> VersionId | None:
        """Return the version shown at a path."""
        return self._versions.get(path)

    # ------------------------------------------------------------------ files

    def file(self, path: str) -> FileSymbols | None:
        """Return what a file says, None when the project does not show it."""
        version = self._versions.get(path)
        return None if version is None else self._files.get(self._source, version, path)

    def files(self, paths: Iterable[str]) -> Iterator[FileSymbols]:
        """Yield what these files say, in their order; faster than one by one."""
        shown = [(path, self._versions[path]) for path in paths if path in self._versions]
        return self._files.all(self._source, shown)

    def facts(self, path: str, kind: str) -> Sequence[Fact]:
        """Return the facts of one kind in a file, in its order."""
        file = self.file(path)
        return () if file is None else file.facts_of(kind)

    # ------------------------------------------------------------------ names

    def labelled(self, kind: str, name: str) -> Sequence[str]:
        """Return the paths, ascending, of files with a fact of this kind about this name."""

        def look_up() -> tuple[str, ...]:
            return self._shown(self._source.labelled(kind, [name]).get(name, ()))

        return self.keep(f"labelled {kind} {name}", look_up)

    def labels(self, kind: str) -> Mapping[str, Sequence[str]]:
        """Return all names of a kind of fact with the paths of their files."""

        def look_up() -> dict[str, tuple[str, ...]]:
            found = self._source.labels(kind, self._paths)
            return {name: self._shown(versions) for name, versions in sorted(found.items())}

        return self.keep(f"labels {kind}", look_up)

    def defining(self, names: Iterable[str]) -> Mapping[str, Sequence[Target]]:
        """Return for each name, spelled exactly so, its definitions, by path and place."""
        wanted = list(dict.fromkeys(names))
        missing = [name for name in wanted if name not in self._defining]
        if missing:
            if len(self._defining) + len(missing) > MAX_KEPT_NAMES:
                self._defining.clear()
                self._kinds.clear()
                missing = wanted
            for name, rows in self._source.symbols_named(missing).items():
                found = sorted(
                    (self._paths[row.version], row.ordinal, row.kind)
                    for row in rows
                    if row.name == name and row.version in self._paths
                )
                self._defining[name] = tuple(Target(self, path, at) for path, at, _ in found)
                self._kinds[name] = tuple(kind for _, _, kind in found)
        return {name: self._defining.get(name, ()) for name in wanted}

    def kinds(self, name: str) -> Sequence[str]:
        """Return the kinds of the definitions of a name, parallel to `defining`."""
        self.defining([name])
        return self._kinds.get(name, ())

    def using(self, names: Iterable[str]) -> Mapping[str, Sequence[str]]:
        """Return for each name, spelled exactly so, the paths of the files that use it."""
        wanted = list(dict.fromkeys(names))
        missing = self.unheard(wanted)
        if missing and len(self._using) + len(missing) > MAX_KEPT_NAMES:
            missing = wanted  # what is known of the others makes room
        if missing:
            self.hear(missing, self._source.users_of(missing))
        return {name: self._using[name] for name in wanted}

    def unheard(self, names: Iterable[str]) -> list[str]:
        """Return the names whose users are not known yet."""
        return [name for name in names if name not in self._using]

    def hear(self, names: Sequence[str], users: Mapping[str, Iterable[VersionId]]) -> None:
        """Take what uses these names as the source tells it: in whatever projects."""
        if len(self._using) + len(names) > MAX_KEPT_NAMES:
            self._using.clear()
        self._using.update((name, self._shown(users.get(name, ()))) for name in names)

    def _shown(self, versions: Iterable[VersionId]) -> tuple[str, ...]:
        paths = self._paths
        return tuple(sorted(paths[version] for version in versions if version in paths))

    # ------------------------------------------------------------------ what others keep

    def keep(self, key: str, make: Callable[[], T]) -> T:
        """Return what `make` gave for this key, made once per tree: roots, aliases, tables."""
        if key not in self._kept:
            self._kept[key] = make()
        value: T = self._kept[key]
        return value


def read_tree(source: Source, files: Files, project: ProjectRow) -> Tree:
    """Read the view of a project; row and view should come from one snapshot."""
    return Tree(source, files, project, source.view_versions(project.id))

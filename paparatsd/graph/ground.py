"""The projects that a question is about, each with what resolves names in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.errors import UnknownProject
from paparatsd.graph.degrees import Degrees, read_degrees
from paparatsd.graph.files import Files
from paparatsd.graph.near import forms_of
from paparatsd.graph.resolve import Resolver
from paparatsd.graph.source import Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paparatsd.graph.asked import GraphProject
    from paparatsd.graph.near import Forms
    from paparatsd.model import Chunk, ProjectName
    from paparatsd.store.reader import CatalogReader

MAX_TREES = 64
"""Generations kept in memory: one per project."""
MAX_GROWTH = 0.1
"""By what share of its files a project changes before it is counted anew what a hub is in it."""


class Ground:
    """Trees of one moment. `trees` are those asked about, by name; others only provide."""

    def __init__(self, grounds: Grounds, trees: Sequence[Tree], others: Sequence[Tree]) -> None:
        self.trees = tuple(trees)
        self._grounds = grounds
        self._every = (*trees, *others)
        self._resolvers: dict[int, Resolver] = {}

    def with_others(self) -> Ground:
        """Return the ground of a question about the others too: where users are looked for."""
        return Ground(self._grounds, self._every, ())

    def tree(self, name: ProjectName | str) -> Tree:
        """Return the tree of a project that is asked about; raises UnknownProject."""
        for tree in self.trees:
            if tree.name == name:
                return tree
        raise UnknownProject(f"no project named {name!r} among those asked about")

    def resolver(self, tree: Tree) -> Resolver:
        """Return what resolves names in a tree, packages of its group included."""
        if tree.project_id not in self._resolvers:
            self._resolvers[tree.project_id] = self._grounds.resolver(tree, self.group_of(tree))
        return self._resolvers[tree.project_id]

    def group_of(self, tree: Tree) -> tuple[Tree, ...]:
        """Return the other trees of a tree's group."""
        return tuple(one for one in self._every if one.group == tree.group and one is not tree)

    def users_of(self, tree: Tree) -> tuple[Tree, ...]:
        """Return the trees asked about in which a definition of a tree may be used."""
        return tuple(one for one in self.trees if one.group == tree.group)

    def look_up_users(self, tree: Tree, names: Iterable[str]) -> None:
        """Look up at once what uses names in all trees that may use a definition of a tree."""
        trees = self.users_of(tree)
        wanted = list(dict.fromkeys(names))
        missing = list(dict.fromkeys(name for one in trees for name in one.unheard(wanted)))
        users = self._grounds.reader.users_of(missing) if missing else {}
        for one in trees:
            one.hear(missing, users)

    def chunks(self, tree: Tree, path: str) -> tuple[Chunk, ...]:
        """Return the chunks of a file with their texts, none when it is not shown any more."""
        version = tree.version(path)
        return () if version is None else self._grounds.reader.chunks_of(version)

    def line_counts(self, tree: Tree, paths: Sequence[str]) -> dict[str, int]:
        """Return how many lines files have."""
        versions = {version: path for path in paths if (version := tree.version(path)) is not None}
        infos = self._grounds.reader.infos(versions)
        return {versions[version]: info.lines for version, info in infos.items()}

    def spellings(self, tree: Tree) -> Forms:
        """Return every name that a project defines, as they are compared with others."""
        reader = self._grounds.reader
        return tree.keep("spellings", lambda: forms_of(reader.defined_names(tree.project_id)))

    def degrees(self, tree: Tree) -> Degrees:
        """Return how widely the names of a project are used."""
        return self._grounds.degrees(tree)


class Grounds:
    """Makes grounds; keeps trees by generation with their resolvers, and decoded files."""

    def __init__(self, reader: CatalogReader) -> None:
        self.reader = reader
        self._files = Files()
        self._trees: dict[int, Tree] = {}
        self._resolvers: dict[int, tuple[tuple[Tree, ...], Resolver]] = {}
        self._degrees: dict[int, Degrees] = {}

    def of(self, projects: Sequence[GraphProject]) -> Ground:
        """Return the ground of these projects at their generations, or at later ones."""
        asked = [self._tree(one) for one in projects if one.asked]
        others = [self._tree(one) for one in projects if not one.asked]
        return Ground(
            self,
            sorted((tree for tree in asked if tree is not None), key=lambda tree: tree.name),
            [tree for tree in others if tree is not None],
        )

    def resolver(self, tree: Tree, others: tuple[Tree, ...]) -> Resolver:
        """Return the resolver of a tree: the same one as long as all these trees are the same."""
        trees = (tree, *others)
        known = self._resolvers.get(tree.project_id)
        if known is not None and known[0] == trees:
            return known[1]
        resolver = Resolver(tree, others)
        self._resolvers[tree.project_id] = (trees, resolver)
        return resolver

    def degrees(self, tree: Tree) -> Degrees:
        """Return how widely names are used; counted anew when a project has grown or shrunk."""
        known = self._degrees.get(tree.project_id)
        files = len(tree.paths)
        if known is None or abs(known.files - files) > MAX_GROWTH * max(known.files, files):
            known = self._degrees[tree.project_id] = read_degrees(self.reader, tree)
        return known

    def _tree(self, project: GraphProject) -> Tree | None:
        known = self._trees.get(project.project_id)
        if (
            known is not None
            and known.generation >= project.generation
            and (known.name, known.group) == (project.name, project.group)
        ):
            return known
        with self.reader.snapshot() as reader:
            try:
                row = reader.project(project.name)
            except UnknownProject:  # removed since the question was asked
                return None
            shown = reader.view_versions(row.id)
        if len(self._trees) >= MAX_TREES:
            self._trees.clear()
            self._resolvers.clear()
        tree = self._trees[row.id] = Tree(self.reader, self._files, row, shown)
        return tree

"""The projects that a question is about, each with what resolves names in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paparatsd.errors import UnknownProject
from paparatsd.graph.files import Files
from paparatsd.graph.resolve import Resolver
from paparatsd.graph.source import Tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.graph.asked import GraphProject
    from paparatsd.model import ProjectName
    from paparatsd.store.reader import CatalogReader

MAX_TREES = 64
"""Generations kept in memory: one per project."""


class Ground:
    """Trees of one moment. `trees` are those asked about, by name; others only provide."""

    def __init__(self, trees: Sequence[Tree], others: Sequence[Tree]) -> None:
        self.trees = tuple(trees)
        self._every = (*trees, *others)
        self._resolvers: dict[int, Resolver] = {}

    def tree(self, name: ProjectName | str) -> Tree:
        """Return the tree of a project that is asked about; raises UnknownProject."""
        for tree in self.trees:
            if tree.name == name:
                return tree
        raise UnknownProject(f"no project named {name!r} among those asked about")

    def resolver(self, tree: Tree) -> Resolver:
        """Return what resolves names in a tree, packages of its group included."""
        if tree.project_id not in self._resolvers:
            self._resolvers[tree.project_id] = Resolver(tree, self.group_of(tree))
        return self._resolvers[tree.project_id]

    def group_of(self, tree: Tree) -> tuple[Tree, ...]:
        """Return the other trees of a tree's group."""
        return tuple(one for one in self._every if one.group == tree.group and one is not tree)


class Grounds:
    """Makes grounds; keeps trees by generation, and decoded files."""

    def __init__(self, reader: CatalogReader) -> None:
        self._reader = reader
        self._files = Files()
        self._trees: dict[int, Tree] = {}

    def of(self, projects: Sequence[GraphProject]) -> Ground:
        """Return the ground of these projects at their generations, or at later ones."""
        asked = [self._tree(one) for one in projects if one.asked]
        others = [self._tree(one) for one in projects if not one.asked]
        return Ground(
            sorted((tree for tree in asked if tree is not None), key=lambda tree: tree.name),
            [tree for tree in others if tree is not None],
        )

    def _tree(self, project: GraphProject) -> Tree | None:
        known = self._trees.get(project.project_id)
        if known is not None and known.generation >= project.generation:
            return known
        with self._reader.snapshot() as reader:
            try:
                row = reader.project(project.name)
            except UnknownProject:  # removed since the question was asked
                return None
            shown = reader.view_versions(row.id)
        if len(self._trees) >= MAX_TREES:
            self._trees.clear()
        tree = self._trees[row.id] = Tree(self._reader, self._files, row, shown)
        return tree

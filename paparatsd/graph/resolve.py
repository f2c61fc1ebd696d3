"""What a use means: the definitions that it can stand for, and how that is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paparatsd.chunks.names import last_part
from paparatsd.graph.source import Target
from paparatsd.graph_model import Certainty

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paparatsd.graph.files import FileSymbols
    from paparatsd.graph.source import Tree
    from paparatsd.model import Use

MAX_MEANINGS = 50
"""A name that is defined in more places says nothing about any of them."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """The definitions a use can mean, likeliest first; none when that is not known.

    `external`: the package that it comes from, when that is none of ours. `crowded`: the name is
    defined in more than MAX_MEANINGS places, and nothing tells which one is meant.
    """

    targets: tuple[Target, ...] = ()
    certainty: Certainty = Certainty.AMBIGUOUS
    external: str = ""
    crowded: bool = False


class Resolver:
    """Answers for one project what its uses mean; cheap to make, remembers what it worked out."""

    def __init__(self, tree: Tree, others: Sequence[Tree] = ()) -> None:
        """Take the project's tree, and those of the same group whose packages it may import."""
        self.tree = tree
        self.others = tuple(others)

    def resolve(self, file: FileSymbols, use: Use) -> Resolution:
        """Return what a use in a file of the tree means."""
        return self._by_name(file, use.name)

    def named(self, name: str) -> Sequence[Target]:
        """Return what a person's spelling may mean, best first: `send`, `Session.send`, `a::b`.

        Exact spellings come before others; definitions before declarations, types and functions
        before values, code before tests. At most MAX_MEANINGS.
        """
        last = last_part(name)
        return self.tree.defining([last])[last][:MAX_MEANINGS]

    def bases(self, target: Target) -> Sequence[Target]:
        """Return the types of ours that a type directly extends or implements, in its order."""
        raise NotImplementedError

    def members(self, target: Target, name: str) -> Sequence[Target]:
        """Return what a member's name means in a type: its own (all overloads), else inherited."""
        raise NotImplementedError

    def overridden(self, target: Target) -> Sequence[Target]:
        """Return the inherited members whose place a method takes, nearest first."""
        raise NotImplementedError

    def candidates(self, target: Target) -> Iterator[tuple[FileSymbols, Use]]:
        """Yield each use of the project that may mean a definition, by path and line.

        Those of its name, and of other names that imports and exports give it. The target may be
        in another tree. What a use really means, `resolve` says.
        """
        raise NotImplementedError

    def _by_name(self, file: FileSymbols, name: str) -> Resolution:
        same = file.named(name)
        if same:
            found = tuple(Target(self.tree, file.path, at) for at in same)
            return Resolution(found, Certainty.EXACT)
        places = tuple(self.tree.defining([name])[name])
        if len(places) > MAX_MEANINGS:
            return Resolution(crowded=True)
        return Resolution(places, Certainty.INFERRED if len(places) == 1 else Certainty.AMBIGUOUS)

"""Frozen values of questions to the symbol graph and of its answers.

A symbol is asked for by what people have at hand (`at`): an address (`project:path#Name`,
`project:path:12`, `project:path:12:8` with a column), or a name in any spelling (`Session.send`,
`pkg::Type::method`, `get_user`), which may mean several symbols.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paparatsd.history_model import LastChange
    from paparatsd.model import Freshness, GroupName, ProjectName


class Certainty(StrEnum):
    """How it is known which definition a use means.

    EXACT: the source says so (scope, import, package, or the receiver's type is known). INFERRED:
    nothing else in the project is called so. AMBIGUOUS: several definitions fit; the likeliest
    come first.
    """

    EXACT = "exact"
    INFERRED = "inferred"
    AMBIGUOUS = "ambiguous"


class Relation(StrEnum):
    """What one symbol has to do with another, read from the user to the used.

    CALLS: calls or constructs it. REFERENCES: names it as a type, decorator or value. INHERITS:
    extends or implements it. OVERRIDES: a method takes the place of the inherited one. IMPORTS: a
    file imports it. TESTS: one of these from a test. REQUESTS: asks over HTTP for the route that it
    answers.
    """

    CALLS = "calls"
    REFERENCES = "references"
    INHERITS = "inherits"
    OVERRIDES = "overrides"
    IMPORTS = "imports"
    TESTS = "tests"
    REQUESTS = "requests"


class Direction(StrEnum):
    """INCOMING: who uses the symbol. OUTGOING: what it uses."""

    INCOMING = "incoming"
    OUTGOING = "outgoing"
    BOTH = "both"


class ChangeKind(StrEnum):
    """What became of a symbol between two states of a file."""

    ADDED = "added"
    MODIFIED = "modified"
    REMOVED = "removed"
    RENAMED = "renamed"


# --------------------------------------------------------------------------- questions


@dataclass(frozen=True, slots=True)
class GraphScope:
    """Where to look. Empty means everywhere; `projects` and `groups` intersect.

    `paths`: globs; only symbols in files that match one of them are answered with. `fresh`: compare
    with the disk first. `visible`: whoever asks may hear of these projects only, so names are
    resolved as if there were no others; empty for all.
    """

    projects: tuple[ProjectName, ...] = ()
    groups: tuple[GroupName, ...] = ()
    paths: tuple[str, ...] = ()
    fresh: bool = False
    visible: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class UsagesRequest:
    """Who uses a symbol and what it uses. `limit` counts edges per direction, from `offset` on.

    `relations`: only these; empty for all. `tests`, `hubs`: whether users in tests, and ends that
    are hubs, are listed.
    """

    at: str
    scope: GraphScope
    direction: Direction = Direction.INCOMING
    relations: tuple[Relation, ...] = ()
    limit: int = 20
    offset: int = 0
    hubs: bool = True
    tests: bool = True


@dataclass(frozen=True, slots=True)
class DefinitionRequest:
    """Where what is named, or stands at a position, is defined."""

    at: str
    scope: GraphScope
    limit: int = 10


@dataclass(frozen=True, slots=True)
class OutlineRequest:
    """The symbols of a file, or the skeleton of a directory: `at` is `project:path` or a path.

    `depth`: how deep nested symbols are shown (1: only top-level ones). `max_tokens` bounds the
    rendered answer; what does not fit begins at `OutlineAnswer.next_offset` (in files).
    """

    at: str
    scope: GraphScope
    depth: int = 3
    offset: int = 0
    max_tokens: int = 4_000
    private: bool = True


@dataclass(frozen=True, slots=True)
class PathsRequest:
    """How one symbol comes to call another: the shortest chains of at most `max_hops` calls."""

    source: str
    target: str
    scope: GraphScope
    max_hops: int = 6
    limit: int = 3


@dataclass(frozen=True, slots=True)
class ImpactRequest:
    """What breaks when something changes: what each `at` means, else what `question` finds.

    `limit` is the number of seeds that a question gives. `max_hops` is 1 to 4.
    """

    scope: GraphScope
    at: tuple[str, ...] = ()
    question: str = ""
    limit: int = 5
    max_hops: int = 2
    max_symbols: int = 100


@dataclass(frozen=True, slots=True)
class ChangedRequest:
    """Which symbols a change touches.

    `against`: "working" (work tree against HEAD), "staged", a commit, or a range `A..B`. At most
    `limit` symbols are answered with, and `callers` callers of each.
    """

    scope: GraphScope
    against: str = "working"
    limit: int = 50
    callers: int = 5


@dataclass(frozen=True, slots=True)
class SurveyRequest:
    """A look over whole projects: unused definitions, or hubs and entry points."""

    scope: GraphScope
    kinds: tuple[str, ...] = ()
    limit: int = 50
    offset: int = 0


# --------------------------------------------------------------------------- answers


@dataclass(frozen=True, slots=True)
class SymbolRef:
    """One definition, or (kind "file", `qualified` the path) the top level of a file.

    `hub`: used from so many places that following its users says little.
    """

    project: ProjectName
    path: str
    language: str
    kind: str
    qualified: str
    start_line: int
    end_line: int
    address: str
    signature: str = ""
    doc: str = ""
    exported: bool = True
    test: bool = False
    hub: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """One symbol that uses, or is used by, the one asked for.

    `symbol` is the other end. `lines` are those of the uses, in the user's file. `name` is what is
    written there. `note` says more: the alias, the route, what else it may mean. `cross`: the ends
    are in different projects.
    """

    relation: Relation
    certainty: Certainty
    symbol: SymbolRef
    lines: tuple[int, ...]
    name: str
    cross: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """One direction of an answer: a page of its edges, and how many there are.

    `more` is the offset of the next page, None after the last. `capped` says that there are more
    uses than anybody would count, and the rest was not looked at.
    """

    edges: tuple[Edge, ...]
    total: int
    more: int | None = None
    capped: bool = False


@dataclass(frozen=True, slots=True)
class Usages:
    """Users and used of one symbol; a side is None when it was not asked for."""

    symbol: SymbolRef
    incoming: Side | None
    outgoing: Side | None


@dataclass(frozen=True, slots=True)
class UsagesAnswer:
    """One entry per symbol that was meant; several when a name has several definitions.

    `meant`: how many definitions the name has in all.
    """

    at: str
    found: tuple[Usages, ...]
    meant: int
    freshness: tuple[Freshness, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Defined:
    """A definition that is meant, and how sure that is."""

    symbol: SymbolRef
    certainty: Certainty
    note: str = ""


@dataclass(frozen=True, slots=True)
class DefinitionAnswer:
    """Definitions, likeliest first; `external` names the package that defines it elsewhere."""

    at: str
    name: str
    found: tuple[Defined, ...]
    total: int
    external: str = ""
    freshness: tuple[Freshness, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One symbol of an outline; `depth` 0 is the top level."""

    symbol: SymbolRef
    depth: int


@dataclass(frozen=True, slots=True)
class OutlineFile:
    """The outline of one file. `hidden` symbols were left out (too deep, private, no room)."""

    path: str
    language: str
    lines: int
    entries: tuple[OutlineEntry, ...]
    hidden: int = 0
    imports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutlineAnswer:
    """A file's outline, or those of a directory's files by path; `folders` are the ones in it."""

    project: ProjectName
    path: str
    files: tuple[OutlineFile, ...]
    folders: Mapping[str, int]
    total_files: int
    next_offset: int | None = None
    freshness: tuple[Freshness, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CallPath:
    """A chain of symbols, each calling the next; `edges[i]` leads from `symbols[i]` on."""

    symbols: tuple[SymbolRef, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class PathsAnswer:
    """The shortest chains found, none when there is none within the hops."""

    source: tuple[SymbolRef, ...]
    target: tuple[SymbolRef, ...]
    paths: tuple[CallPath, ...]
    freshness: tuple[Freshness, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Affected:
    """A symbol that a change may break: `hop` uses away from a seed, through `via`."""

    symbol: SymbolRef
    hop: int
    relation: Relation
    certainty: Certainty
    via: SymbolRef
    lines: tuple[int, ...]
    name: str
    cross: bool = False


@dataclass(frozen=True, slots=True)
class ImpactAnswer:
    """What depends on the seeds. `tests` are those that reach one, nearest first.

    `services` groups `affected` by project and top-level folder: (project, folder) -> number.
    `names`: what projects call themselves as a service or a context, of those that do.
    `last_changes`: by address, who changed a seed last; empty when there is no history.
    """

    seeds: tuple[SymbolRef, ...]
    affected: tuple[Affected, ...]
    tests: tuple[Affected, ...]
    services: tuple[tuple[ProjectName, str, int], ...]
    total: int
    capped: bool = False
    last_changes: tuple[tuple[str, LastChange], ...] = ()
    names: tuple[tuple[ProjectName, str], ...] = ()
    freshness: tuple[Freshness, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """One symbol that a change touches. `before` is its name before a rename, else "".

    `lines`: changed lines of the new state; empty for what was removed.
    """

    change: ChangeKind
    symbol: SymbolRef
    before: str
    lines: tuple[int, ...]
    callers: tuple[Edge, ...]
    callers_total: int
    tests: tuple[SymbolRef, ...]


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """Touched symbols by project and file; `files` counts what changed without a symbol too."""

    against: str
    symbols: tuple[ChangedSymbol, ...]
    files: int
    total: int
    freshness: tuple[Freshness, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Surveyed:
    """One symbol of a survey: how many files use it, and why that may be more, or fewer."""

    symbol: SymbolRef
    users: int
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SurveyAnswer:
    """A page of symbols, the most telling first; `more` is the next offset."""

    found: tuple[Surveyed, ...]
    total: int
    more: int | None = None
    freshness: tuple[Freshness, ...] = ()
    notes: tuple[str, ...] = ()

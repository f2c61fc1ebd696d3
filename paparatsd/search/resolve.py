"""What a used name stands for: the definition that the source itself points to, or none.

A wrong neighbour costs more than a missing one, so a name is resolved only when the same file
defines it, an import says where it is from, or the project has one such definition.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from paparatsd.chunks.names import last_part
from paparatsd.chunks.priors import Prior, path_priors
from paparatsd.search.views import Reader

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paparatsd.chunks.record import Definition, RankRecord
    from paparatsd.model import Use, VersionId
    from paparatsd.search.shelf import Shelf
    from paparatsd.search.views import ProjectView
    from paparatsd.store.rows import Definition as DefinitionRow

MAX_PLACES = 50
"""A name that is defined in more places says nothing about any of them."""
MAX_COMPARED = 12
"""Definitions of one name that are looked at closely."""
MIN_INFERRED_CHARS = 3
EXTRACTED, INFERRED = "extracted", "inferred"
PROTOTYPE_WEIGHT = 0.3
"""Functions of a record at or below this weight are declared, not defined."""

CALLABLE = frozenset({"function", "method", "macro", "route", "test"})
TYPES = frozenset({"class", "struct", "interface", "trait", "enum", "type", "module"})
_SELF = frozenset({"self", "this", "cls", "@", "super", "super()", "Self", "$this", "static", "me"})
_SPLIT = re.compile(r"[./\\:]+")
_FILE_ENDINGS = frozenset({
    "js", "ts", "jsx", "tsx", "mjs", "cjs", "mts", "cts", "h", "hpp", "hh", "c", "py", "rb", "php",
    "lua", "sh", "dart", "zig", "css", "vue", "svelte", "proto",
})  # fmt: skip
_COMMON = frozenset({
    "add", "all", "any", "append", "apply", "bind", "call", "catch", "clear", "clone", "close",
    "compare", "concat", "contains", "copy", "count", "create", "delete", "done", "emit", "encode",
    "decode", "end", "entries", "equals", "error", "exists", "exit", "extend", "fail", "filter",
    "find", "first", "flush", "foreach", "format", "from", "get", "has", "hash", "index", "info",
    "init", "insert", "invoke", "is", "items", "iter", "join", "keys", "last", "len", "length",
    "list", "load", "lock", "log", "main", "map", "match", "merge", "name", "new", "next", "open",
    "parse", "path", "peek", "pop", "print", "push", "put", "read", "reduce", "remove", "replace",
    "reset", "resolve", "reverse", "run", "save", "search", "send", "set", "setup", "size", "slice",
    "sort", "split", "start", "stop", "string", "sub", "test", "then", "toarray", "tojson",
    "tolist", "tostring", "trim", "unlock", "update", "use", "value", "values", "wait", "warn",
    "write", "wrap", "to_s", "to_string", "unwrap",
})  # fmt: skip
"""Methods of everybody's types: with an unknown receiver they tell nothing."""


def is_test(path: str) -> bool:
    """Say whether a path is that of a test."""
    return bool(path_priors(path) & Prior.TEST)


class SymbolReader(Reader, Protocol):
    """What finding neighbours reads of the catalog beyond what searching does."""

    def symbols_named(self, names: Iterable[str]) -> Mapping[str, Sequence[DefinitionRow]]:
        """Return for each name where names that end in it are defined, whatever view shows it."""
        ...

    def users_of(self, names: Iterable[str]) -> Mapping[str, Mapping[VersionId, int]]:
        """Return for each exact name the versions that use it and how often."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """A definition and the file of the view that has it."""

    version: int
    path: str
    definition: Definition

    @property
    def key(self) -> tuple[str, str]:
        """Equal keys mean the same definition; the parts of a type in one folder are one."""
        if self.definition.kind in TYPES:
            return self.path.rpartition("/")[0], self.definition.qualified
        return self.path, self.definition.fragment


@dataclass(frozen=True, slots=True)
class Resolved:
    """The definition that a use means, and how that is known."""

    place: Place
    certainty: str


@dataclass(frozen=True, slots=True)
class UserFile:
    """A file whose uses are resolved: its version and path, what it defines, what it imports."""

    version: int
    path: str
    record: RankRecord
    uses: tuple[Use, ...]
    imports: Mapping[str, tuple[str, ...]]

    def around(self, line: int) -> Definition | None:
        """Return the innermost definition around a line that is more than a value."""
        holding = [
            one
            for one in self.record.definitions
            if one.start_line <= line <= one.end_line and one.kind in CALLABLE | TYPES | {"impl"}
        ]
        return min(holding, key=lambda one: one.end_line - one.start_line, default=None)


class Names:
    """Resolves names within one project's view; keeps what it has looked up."""

    def __init__(self, reader: SymbolReader, shelf: Shelf, view: ProjectView) -> None:
        self._reader = reader
        self._shelf = shelf
        self._paths = dict(zip(view.versions.tolist(), view.paths, strict=True))
        self._rows: dict[str, tuple[DefinitionRow, ...]] = {}
        self._places: dict[str, tuple[Place, ...]] = {}
        self._files: dict[int, UserFile | None] = {}

    def file(self, version: int) -> UserFile | None:
        """Return a file of the view by its version, None when it is gone."""
        if version not in self._files:
            self._files[version] = self._read_file(version)
        return self._files[version]

    def _read_file(self, version: int) -> UserFile | None:
        record = self._shelf.records([version]).get(version)
        path = self._paths.get(version)
        if record is None or path is None:
            return None
        uses = self._reader.uses_of(version)
        imports: dict[str, list[str]] = defaultdict(list)
        for use in uses:
            if use.kind == "import":
                imports[use.name].append(use.target)
        listed = {name: tuple(targets) for name, targets in imports.items()}
        return UserFile(version, path, record, uses, listed)

    def look_up(self, names: Iterable[str]) -> None:
        """Fetch where these names are defined, in one go."""
        wanted = [name for name in dict.fromkeys(names) if name not in self._rows]
        for name, rows in self._reader.symbols_named(wanted).items():
            self._rows[name] = tuple(
                row
                for row in rows
                if last_part(row.name) == name and int(row.version) in self._paths
            )

    def places(self, name: str) -> tuple[Place, ...]:
        """Return where the view defines a name as something to call or to be: not as a value.

        Nothing for a name that is defined in too many places; declarations only when there is no
        definition.
        """
        if name not in self._places:
            self.look_up([name])
            rows = self._rows.get(name, ())
            known = [row for row in rows if row.kind in CALLABLE | TYPES]
            few = len(rows) <= MAX_PLACES and len(known) <= MAX_COMPARED
            self._places[name] = _defined([*self._places_of(known)]) if few else ()
        return self._places[name]

    def _places_of(self, rows: Sequence[DefinitionRow]) -> Iterable[Place]:
        records = self._shelf.records(list(dict.fromkeys(int(row.version) for row in rows)))
        for row in rows:
            record = records.get(int(row.version))
            for one in () if record is None else record.definitions:
                if one.start_line == row.start_line and one.name == last_part(row.name):
                    yield Place(int(row.version), self._paths[int(row.version)], one)
                    break

    def resolve(self, use: Use, file: UserFile) -> Resolved | None:
        """Return what a use means, None when that is not certain enough."""
        found = self._meaning(use, file)
        if found is None or found.certainty == EXTRACTED:
            return found
        # Code does not call its tests: a parameter happens to be called like something in one.
        stray = is_test(found.place.path) and not is_test(file.path)
        return None if stray or len(use.name) < MIN_INFERRED_CHARS else found

    def _meaning(self, use: Use, file: UserFile) -> Resolved | None:
        places = self.places(use.name)
        if not places:
            return None
        same = [place for place in places if place.version == file.version]
        receiver = use.receiver.strip()
        if receiver in _SELF:
            return self._own_member(use, file, same) or _only(places, INFERRED)
        if not receiver:
            return _bare(use, file, places, same)
        return self._member(receiver, use, file, places)

    def _own_member(self, use: Use, file: UserFile, same: Sequence[Place]) -> Resolved | None:
        """Resolve `self.name` to the member of the class around it."""
        owners = set()
        around = file.around(use.line)
        while around is not None and around.parent >= 0:
            owners.add(around.parent)
            around = file.record.definitions[around.parent]
        return _only([place for place in same if place.definition.parent in owners], EXTRACTED)

    def _member(
        self, receiver: str, use: Use, file: UserFile, places: Sequence[Place]
    ) -> Resolved | None:
        """Resolve `receiver.name`: by a class or module of that name, else when unmistakable."""
        called = last_part(receiver.removesuffix("()")) or receiver
        owned = [place for place in places if self._owner(place) == called]
        if owned:
            near = any(place.version == file.version for place in owned) or called in file.imports
            return _only(owned, EXTRACTED if near else INFERRED)
        if called in file.imports:
            targets = file.imports[called]
            return _only([p for p in places if _meant(targets, called, p.path)], EXTRACTED)
        # A type or namespace from elsewhere, or a word that everybody's methods are called by.
        if called[:1].isupper() or use.name.lower().strip("_?!") in _COMMON:
            return None
        return _only([place for place in places if self._owner(place)], INFERRED)

    def _owner(self, place: Place) -> str:
        """Return the name of what a definition is a member of, "" for none."""
        return last_part(place.definition.qualified.rpartition(".")[0])


def _bare(
    use: Use, file: UserFile, places: Sequence[Place], same: Sequence[Place]
) -> Resolved | None:
    """Resolve a name without a receiver: this file first, then what is imported."""
    found = _only(same, EXTRACTED)
    if found is not None or same:
        return found
    targets = file.imports.get(use.name)
    if targets is None:
        return _only(places, INFERRED)
    imported = [place for place in places if _meant(targets, use.name, place.path)]
    # An import from elsewhere is somebody else's of the same name.
    return _only(imported, EXTRACTED)


def _only(places: Sequence[Place], certainty: str) -> Resolved | None:
    alone = len({place.key for place in places}) == 1
    return Resolved(places[0], certainty) if alone else None


def _defined(places: Sequence[Place]) -> tuple[Place, ...]:
    """Leave out what is declared when it is defined as well, and constructors beside their type."""
    types = {place.definition.qualified for place in places if place.definition.kind in TYPES}
    real = [
        place
        for place in places
        if place.definition.kind not in CALLABLE
        or (
            place.definition.weight > PROTOTYPE_WEIGHT
            and place.definition.qualified.rpartition(".")[0] not in types
        )
    ]
    return tuple(real or places)


def _meant(targets: Sequence[str], name: str, path: str) -> bool:
    """Say whether an import's target names a file, or a folder that it lies in."""
    parts = path.lower().split("/")
    stem = parts[-1].partition(".")[0]
    around = {stem, *parts[-4:-1]}
    for target in targets:
        words = [word.lower() for word in _SPLIT.split(target.strip("<>\"'`")) if word]
        if len(words) > 1 and words[-1] in _FILE_ENDINGS:
            words.pop()
        if len(words) > 1 and words[-1] == name.lower():
            words.pop()
        if (words[-1] if words else name.lower()) in around:
            return True
    return False

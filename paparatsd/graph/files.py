"""Decoded files: what one version says, with indexes made when asked for; and a cache of them."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import OrderedDict
from typing import TYPE_CHECKING

from paparatsd.graph.traits import traits_of
from paparatsd.model import Fact, Use
from paparatsd.store.packs import open_facts, open_uses, unpack_symbols

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from paparatsd.graph.source import Source
    from paparatsd.model import Symbol, VersionId
    from paparatsd.store.rows import FilePacks

VALUES = frozenset({"variable", "constant", "field", "property"})
"""Kinds of symbols that hold no code of their own."""
TYPES = frozenset({"class", "struct", "interface", "trait", "enum", "type", "impl"})
"""Kinds of symbols that have members."""
CALLABLE = frozenset({"function", "method", "macro", "route", "test"})

MAX_BYTES = 96_000_000
"""Of all decoded files that a cache keeps, unless its maker says otherwise."""

_TEXT_BYTES, _OBJECT_BYTES, _INDEX_BYTES = 57, 180, 120
"""What a short text, a symbol, and an entry of an index take, texts aside (64-bit CPython)."""
_BATCH = 200
_WEIGHED_EVERY = 8
"""Looks at kept files before one is weighed anew; each file is looked at over and over."""


class _Columns:
    """Rows as columns of numbers that point into a table of texts; `bytes`: what it takes.

    A text's rows are looked for when it is asked for: an index of all texts would take longer to
    make than all that is ever asked of most files.
    """

    __slots__ = ("_codes", "_rows", "bytes", "columns", "texts")

    def __init__(self, texts: Sequence[str], columns: Sequence[Sequence[int]]) -> None:
        self.texts = tuple(texts)
        self.columns = tuple(array("i", column) for column in columns)
        self._codes: dict[str, int] | None = None
        self._rows: dict[tuple[int, str], tuple[int, ...]] = {}
        self.bytes = sum(4 * len(column) + 64 for column in self.columns)
        self.bytes += sum(_TEXT_BYTES + len(text) for text in self.texts)

    def __len__(self) -> int:
        return len(self.columns[0])

    def rows(self, column: int, text: str) -> tuple[int, ...]:
        """Return the rows whose column is a text, ascending."""
        known = self._rows.get((column, text))
        if known is None:
            known = tuple(self._find(column, text))
            self._rows[column, text] = known
            self.bytes += _INDEX_BYTES + 8 * len(known)
        return known

    def _find(self, column: int, text: str) -> Iterator[int]:
        if self._codes is None:
            self._codes = {one: code for code, one in enumerate(self.texts)}
            self.bytes += 100 * len(self.texts)
        code = self._codes.get(text)
        if code is None:
            return
        values, row = self.columns[column], 0
        try:
            while True:
                row = values.index(code, row)
                yield row
                row += 1
        except ValueError:  # no further one
            return


class FileSymbols:
    """What one file version defines, uses and says. Looks into it never change it visibly."""

    __slots__ = (
        "_by_name", "_by_qualified", "_exports", "_facts", "_heritage", "_holding", "_imports",
        "_members", "_owners", "_packs", "_symbols", "_uses", "_weight", "language", "path",
        "version",
    )  # fmt: skip

    def __init__(self, path: str, version: VersionId, packs: FilePacks) -> None:
        """Take the packs; nothing is opened yet."""
        self.path = path
        self.version = version
        self.language = packs.language
        self._weight = 400 + len(packs.symbols) + len(packs.uses) + len(packs.facts)
        self._packs = packs
        self._symbols: tuple[Symbol, ...] | None = None
        self._uses: _Columns | None = None
        self._facts: _Columns | None = None
        self._holding: tuple[list[int], list[int]] | None = None
        self._by_name: dict[str, list[int]] | None = None
        self._by_qualified: dict[str, list[int]] | None = None
        self._members: dict[int, list[int]] | None = None
        self._imports: dict[str, tuple[Use, ...]] | None = None
        self._heritage: tuple[Use, ...] | None = None
        self._exports: dict[str, tuple[Fact, ...]] | None = None
        self._owners: frozenset[str] | None = None

    def __repr__(self) -> str:
        """Name the file."""
        return f"FileSymbols({self.path})"

    def moved(self, path: str) -> FileSymbols:
        """Return the same file as if it lay elsewhere."""
        return FileSymbols(path, self.version, self._packs)

    @property
    def weight(self) -> int:
        """About how many bytes it takes by now; more as it is looked into."""
        uses = 0 if self._uses is None else self._uses.bytes
        return self._weight + uses + (0 if self._facts is None else self._facts.bytes)

    # ------------------------------------------------------------------ definitions

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The definitions, in file order; `Symbol.parent` points into it."""
        if self._symbols is None:
            self._symbols = unpack_symbols(self._packs.symbols)
            self._weight += sum(
                _OBJECT_BYTES + 4 * _TEXT_BYTES + len(one.signature) + len(one.doc)
                for one in self._symbols
            )
        return self._symbols

    def around(self, line: int) -> int:
        """Return the index of the innermost symbol around a line that is no value, -1 for none."""
        if self._holding is None:
            indexes = [at for at, one in enumerate(self.symbols) if one.kind not in VALUES]
            self._holding = indexes, [self.symbols[at].start_line for at in indexes]
            self._weight += 16 * len(indexes)
        indexes, starts = self._holding
        last = bisect_right(starts, line) - 1
        found = indexes[last] if last >= 0 else -1
        while found >= 0 and self.symbols[found].end_line < line:
            found = self.outer(found)
        return found

    def outer(self, index: int) -> int:
        """Return the index of the next symbol around one that is no value, -1 for none."""
        found = self.symbols[index].parent
        while found >= 0 and self.symbols[found].kind in VALUES:
            found = self.symbols[found].parent
        return found

    def named(self, name: str) -> Sequence[int]:
        """Return the symbols of this name, wherever in the file."""
        if self._by_name is None:
            self._by_name = self._index(one.name for one in self.symbols)
        return self._by_name.get(name, ())

    def qualified(self, name: str) -> Sequence[int]:
        """Return the symbols of this qualified name: overloads, or parts of a type."""
        if self._by_qualified is None:
            self._by_qualified = self._index(one.qualified for one in self.symbols)
        return self._by_qualified.get(name, ())

    def owns(self, qualified: str) -> bool:
        """Say whether anything in the file is named as a member of this qualified name."""
        if self._owners is None:
            self._owners = frozenset(
                one.qualified.rpartition(".")[0] for one in self.symbols if "." in one.qualified
            )
            self._weight += 60 * len(self._owners)
        return qualified in self._owners

    def children(self, index: int) -> Sequence[int]:
        """Return the symbols directly inside one, -1 for those at the top, in file order."""
        if self._members is None:
            self._members = {}
            for at, one in enumerate(self.symbols):
                self._members.setdefault(one.parent, []).append(at)
            self._weight += _INDEX_BYTES * len(self._members) + 8 * len(self.symbols)
        return self._members.get(index, ())

    def members(self, index: int) -> Mapping[str, Sequence[int]]:
        """Return by name the symbols directly inside one, -1 for those at the top."""
        found: dict[str, list[int]] = {}
        for at in self.children(index):
            found.setdefault(self.symbols[at].name, []).append(at)
        return found

    def _index(self, names: Iterable[str]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for at, name in enumerate(names):
            found.setdefault(name, []).append(at)
        self._weight += _INDEX_BYTES * len(found)
        return found

    # ------------------------------------------------------------------ uses

    @property
    def uses(self) -> tuple[Use, ...]:
        """All uses in file order, made anew at each call."""
        columns = self._use_columns()
        return tuple(self._use(row) for row in range(len(columns)))

    def uses_of(self, name: str) -> Sequence[Use]:
        """Return the uses of exactly this name, in file order."""
        return [self._use(row) for row in self._use_columns().rows(0, name)]

    def uses_between(self, first: int, last: int) -> Sequence[Use]:
        """Return the uses in these lines, in file order."""
        lines = self._use_columns().columns[2]
        return [self._use(row) for row, line in enumerate(lines) if first <= line <= last]

    @property
    def heritage(self) -> Sequence[Use]:
        """The uses of types as bases, in file order."""
        if self._heritage is None:
            rows = self._use_columns().rows(1, "inherit")
            self._heritage = tuple(self._use(row) for row in rows)
            self._weight += _OBJECT_BYTES * len(rows)
        return self._heritage

    @property
    def imports(self) -> Mapping[str, Sequence[Use]]:
        """The imports by the local name that they bind; those that bind all names under "*"."""
        if self._imports is None:
            columns = self._use_columns()
            dotted = traits_of(self.language).dotted_imports
            found: dict[str, list[Use]] = {}
            for row in columns.rows(1, "import"):
                use = self._use(row)
                if dotted and use.receiver == "*" and not use.alias and "." in use.target:
                    use = _package_of(use)
                found.setdefault(use.alias or use.name, []).append(use)
            self._imports = {name: tuple(uses) for name, uses in found.items()}
            self._weight += (_INDEX_BYTES + _OBJECT_BYTES) * len(found)
        return self._imports

    def _use_columns(self) -> _Columns:
        if self._uses is None:
            self._uses = _Columns(*open_uses(self._packs.uses))
        return self._uses

    def _use(self, row: int) -> Use:
        texts, columns = self._use_columns().texts, self._use_columns().columns
        name, kind, line, receiver, target, alias = (column[row] for column in columns)
        return Use(texts[name], texts[kind], line, texts[receiver], texts[target], texts[alias])

    # ------------------------------------------------------------------ facts

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All facts in file order, made anew at each call."""
        return tuple(self._fact(row) for row in range(len(self._fact_columns())))

    def facts_of(self, kind: str) -> Sequence[Fact]:
        """Return the facts of one kind, in file order."""
        return [self._fact(row) for row in self._fact_columns().rows(0, kind)]

    def scope_facts(self, scope: int, name: str) -> Sequence[Fact]:
        """Return what a scope says of a name: its bindings; of "" what the scope returns."""
        columns = self._fact_columns()
        scopes = columns.columns[3]
        facts = [self._fact(row) for row in columns.rows(1, name) if scopes[row] == scope]
        return [one for one in facts if one.kind in _SCOPED]

    def binds(self, scope: int, name: str, line: int = 0) -> Fact | None:
        """Return how a scope binds a name: the last time at or above a line, else the first."""
        found = [one for one in self.scope_facts(scope, name) if one.kind == "bind"]
        above = [one for one in found if one.line <= line]
        return above[-1] if above else found[0] if found else None

    def bound_above(self, name: str, line: int) -> tuple[int, int]:
        """Return how many facts about a name stand above a line, and how many down to it."""
        columns = self._fact_columns()
        lines = [columns.columns[2][row] for row in columns.rows(1, name)]
        return sum(one < line for one in lines), sum(one <= line for one in lines)

    def own_fields(self, name: str) -> Sequence[Fact]:
        """Return how methods of any type in the file bind a field of their instance."""
        rows = self._fact_columns().rows(1, f"self.{name}")
        return [one for one in map(self._fact, rows) if one.kind == "bind"]

    def returns(self, scope: int) -> str:
        """Return the declared type of what a symbol returns, "" when none is declared."""
        return next((one.type for one in self.scope_facts(scope, "") if one.kind == "returns"), "")

    def yields(self, scope: int) -> Sequence[str]:
        """Return the values that a symbol returns, as chains."""
        return [one.value for one in self.scope_facts(scope, "") if one.kind == "yields"]

    @property
    def exports(self) -> Mapping[str, Sequence[Fact]]:
        """The export facts by the name given away, "*" for all of another module."""
        if self._exports is None:
            found: dict[str, list[Fact]] = {}
            for fact in self.facts_of("export"):
                found.setdefault(fact.name, []).append(fact)
            self._exports = {name: tuple(facts) for name, facts in found.items()}
            self._weight += (_INDEX_BYTES + _OBJECT_BYTES) * len(found)
        return self._exports

    def _fact_columns(self) -> _Columns:
        if self._facts is None:
            self._facts = _Columns(*open_facts(self._packs.facts))
        return self._facts

    def _fact(self, row: int) -> Fact:
        texts, columns = self._fact_columns().texts, self._fact_columns().columns
        kind, name, line, scope, type_, value = (column[row] for column in columns)
        return Fact(texts[kind], texts[name], line, scope, texts[type_], texts[value])


_SCOPED = frozenset({"bind", "returns", "yields"})


def _package_of(use: Use) -> Use:
    """Return the import of the outermost package: `import a.b` binds `a`."""
    first = use.target.partition(".")[0]
    return Use(first, "import", use.line, "*", first)


class Files:
    """Decoded files by version; the least recently used ones go when they weigh too much."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[VersionId, FileSymbols] = OrderedDict()
        self._weights: dict[VersionId, int] = {}
        self._bytes = 0
        self._asked = 0

    @property
    def bytes(self) -> int:
        """About what the kept files take in memory, as far as that is known by now."""
        return self._bytes

    def get(self, source: Source, version: VersionId, path: str) -> FileSymbols | None:
        """Return a version decoded; None when the catalog does not have it any more."""
        known = self._kept.get(version)
        if known is not None:
            self._kept.move_to_end(version)
            self._asked += 1
            if self._asked % _WEIGHED_EVERY == 0:
                self._weigh(known)
            return known
        return next(iter(self._load(source, {version: path})), None)

    def all(self, source: Source, shown: Sequence[tuple[str, VersionId]]) -> Iterator[FileSymbols]:
        """Yield versions decoded, in their order, reading many at once."""
        for first in range(0, len(shown), _BATCH):
            batch = shown[first : first + _BATCH]
            missing = {version: path for path, version in batch if version not in self._kept}
            loaded = {file.version: file for file in self._load(source, missing)}
            for path, version in batch:
                file = loaded.get(version) or self.get(source, version, path)
                if file is not None:
                    yield file

    def _load(self, source: Source, missing: Mapping[VersionId, str]) -> list[FileSymbols]:
        loaded = []
        for version, packs in source.packs_of(missing) if missing else ():
            file = FileSymbols(missing[version], version, packs)
            self._kept[version] = file
            self._weigh(file)
            loaded.append(file)
        return loaded

    def _weigh(self, file: FileSymbols) -> None:
        """Count what a file takes by now; it grows as it is looked into."""
        before, weight = self._weights.get(file.version, 0), file.weight
        if weight == before:
            return
        self._weights[file.version] = weight
        self._bytes += weight - before
        while self._bytes > self._max_bytes and len(self._kept) > 1:
            version, _ = self._kept.popitem(last=False)
            self._bytes -= self._weights.pop(version)

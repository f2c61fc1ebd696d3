"""What breaks when something changes: users, users of users, and the tests among them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from paparatsd.errors import BadQuery
from paparatsd.graph.byname import symbol_of
from paparatsd.graph.files import TYPES
from paparatsd.graph.links import Linker
from paparatsd.graph.pick import pick_one
from paparatsd.graph.refs import Refs
from paparatsd.graph.slices import Stopwatch
from paparatsd.graph.source import Target
from paparatsd.graph.traits import traits_of
from paparatsd.graph.usages import SURENESS
from paparatsd.graph_model import Affected, Certainty, ImpactAnswer, ImpactRequest, Relation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paparatsd.graph.ground import Ground
    from paparatsd.graph.links import Key, Link
    from paparatsd.graph.slices import Steps
    from paparatsd.graph_model import SymbolRef
    from paparatsd.model import ProjectName

MAX_HOPS = 4
MAX_SYMBOLS = 1_000
MAX_SEEDS = 20
MAX_MEMBERS = 60
"""Members of a type that change with it."""
MAX_FOLLOWED = 400
"""Symbols whose users are looked for; a hop goes on with the surest."""
MAX_LINES = 20
IMPACT_S = 6.0
"""How long users are looked for in one answer."""

_GATHERING = frozenset(
    {"packages", "services", "apps", "libs", "modules", "crates", "cmd", "projects", "components"}
)
"""Folders of a monorepo whose folders are services each."""


def impact(ground: Ground, request: ImpactRequest) -> Steps[ImpactAnswer]:
    """Return what depends on the seeds. Raises BadQuery, UnknownAddress."""
    _check(request)
    seeds = _seeds(ground, request.at)
    refs = Refs(ground)
    spread = _Spread(ground, refs, seeds)
    for hop in range(1, request.max_hops + 1):
        if not (yield from spread.step(hop)):
            break
    affected = spread.affected
    code = [one for one in affected if not one.symbol.test]
    tests = [one for one in affected if one.symbol.test]
    return ImpactAnswer(
        seeds=tuple(refs.of(one) for one in seeds),
        affected=tuple(code[: request.max_symbols]),
        tests=tuple(tests[: request.max_symbols]),
        services=_services(one.symbol for one in code),
        total=len(affected),
        capped=spread.capped,
        notes=tuple(spread.notes),
    )


def _check(request: ImpactRequest) -> None:
    if not 1 <= request.max_hops <= MAX_HOPS:
        raise BadQuery(f"max_hops is {request.max_hops}; it must be between 1 and {MAX_HOPS}")
    if not 1 <= request.max_symbols <= MAX_SYMBOLS:
        raise BadQuery(
            f"max_symbols is {request.max_symbols}; it must be between 1 and {MAX_SYMBOLS}"
        )
    if len(request.at) > MAX_SEEDS:
        raise BadQuery(f"{len(request.at)} places are asked about; at most {MAX_SEEDS} can be")


def _seeds(ground: Ground, asked: Sequence[str]) -> list[Target]:
    found: dict[Key, Target] = {}
    for at in asked:
        for target in pick_one(ground, at)[:MAX_SEEDS]:
            found.setdefault(target.key, target)
    return list(found.values())[:MAX_SEEDS]


class _Spread:
    """Follows users hop by hop, all symbols of a hop together."""

    def __init__(self, ground: Ground, refs: Refs, seeds: Sequence[Target]) -> None:
        self._linker = Linker(ground)
        self._refs = refs
        self._seen: set[Key] = set()
        self._edge: list[tuple[Target, Target]] = []
        self._followed = 0
        self._watch = Stopwatch(IMPACT_S)
        self.affected: list[Affected] = []
        self.notes: list[str] = []
        self.capped = False
        for seed in seeds:
            for part in _changing(seed):
                if part.key not in self._seen:
                    self._seen.add(part.key)
                    self._edge.append((part, seed))

    def step(self, hop: int) -> Steps[bool]:
        """Add the users of the last hop's symbols; says whether there is anything to follow."""
        self._linker.prepare([one for one, _ in self._edge])
        grouped: dict[Key, list[tuple[Link, Target]]] = {}
        for one, via in self._edge:
            if self._followed >= MAX_FOLLOWED:
                self._cap(f"Users of {MAX_FOLLOWED} symbols were looked for, and then no more.")
                break
            if self._watch.is_over:
                self._cap("There was no time to look for the users of everything.")
                break
            self._followed += 1
            yield
            with self._watch:
                links = self._linker.into(one)
            self.capped = self.capped or links.capped
            for link in links.found:
                if link.user.key not in self._seen:
                    grouped.setdefault(link.user.key, []).append((link, via))
        found = [self._affected(some, hop) for some in _without_bare_imports(grouped)]
        found.sort(key=lambda pair: _order(pair[1]))
        self.affected += [one for _, one in found]
        self._seen |= set(grouped)
        self._edge = [(target, target) for target, one in found if self._goes_on(one)]
        return bool(self._edge)

    def _affected(self, links: Sequence[tuple[Link, Target]], hop: int) -> tuple[Target, Affected]:
        link, via = min(links, key=lambda pair: (SURENESS[pair[0].certainty], pair[0].line))
        lines = sorted({one.line for one, _ in links})[:MAX_LINES]
        return link.user, Affected(
            symbol=self._refs.of(link.user),
            hop=hop,
            relation=link.relation,
            certainty=link.certainty,
            via=self._refs.of(via),
            lines=tuple(lines),
            name=link.name,
            cross=link.cross,
        )

    def _goes_on(self, one: Affected) -> bool:
        """Say whether users of a user are told: not of tests, files, guesses, nor of hubs."""
        if one.symbol.test or one.symbol.kind == "file":
            return False
        if one.certainty is Certainty.AMBIGUOUS:
            return False
        if one.symbol.hub:
            self._cap(
                f"{one.symbol.qualified} is used so widely that its users were not followed; "
                "ask about it alone."
            )
            return False
        return True

    def _cap(self, note: str) -> None:
        self.capped = True
        if note not in self.notes and len(self.notes) < 5:
            self.notes.append(note)


def _changing(seed: Target) -> Iterator[Target]:
    """Yield a seed and, of a type, its members, which change with it."""
    yield seed
    file, symbol = seed.tree.file(seed.path), symbol_of(seed)
    if file is None or symbol is None:
        for at in file.children(-1)[:MAX_MEMBERS] if file is not None else ():
            yield Target(seed.tree, seed.path, at)
        return
    if symbol.kind in TYPES:
        # Who makes one uses the type itself, and who extends it inherits from it.
        made_by = {*traits_of(file.language).constructors, symbol.name}
        for part in file.qualified(symbol.qualified):
            for at in file.children(part)[:MAX_MEMBERS]:
                if file.symbols[at].name not in made_by:
                    yield Target(seed.tree, seed.path, at)


def _without_bare_imports(
    grouped: dict[Key, list[tuple[Link, Target]]],
) -> Iterator[list[tuple[Link, Target]]]:
    """Leave out the top level of files that only import what their functions use."""
    users = {(project, path) for project, path, index in grouped if index >= 0}
    for (project, path, index), links in grouped.items():
        bare = index < 0 and all(link.relation is Relation.IMPORTS for link, _ in links)
        if not (bare and (project, path) in users):
            yield links


def _order(one: Affected) -> tuple[int, int, bool, str, int]:
    return (
        one.hop,
        SURENESS[one.certainty],
        one.relation is Relation.IMPORTS,
        one.symbol.path,
        one.symbol.start_line,
    )


def _services(symbols: Iterator[SymbolRef]) -> tuple[tuple[ProjectName, str, int], ...]:
    counts = Counter((symbol.project, service_of(symbol.path)) for symbol in symbols)
    return tuple((project, folder, n) for (project, folder), n in counts.most_common())


def service_of(path: str) -> str:
    """Return the part of a project that a file belongs to: its top folder, or a package's own.

    >>> service_of("packages/client/src/link.ts"), service_of("setup.py")
    ('packages/client', '')
    """
    parts = path.split("/")
    depth = 2 if parts[0] in _GATHERING and len(parts) > 2 else 1
    return "/".join(parts[:-1][:depth])

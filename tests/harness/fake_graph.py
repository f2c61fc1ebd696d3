"""The symbol graph of the fake projects: answers that are always the same.

Of marmots: `Burrow.dig` is called by `sleep` (exact) and by `test_dig` (inferred), and calls
`measure`, which is a hub. Every other project has one symbol, `secret`, that calls `Burrow.dig`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from paparatsd.errors import UnknownAddress, UnknownProject
from paparatsd.graph_model import (
    Affected,
    CallPath,
    Certainty,
    ChangedAnswer,
    ChangedSymbol,
    ChangeKind,
    Defined,
    DefinitionAnswer,
    Direction,
    Edge,
    ImpactAnswer,
    OutlineAnswer,
    OutlineEntry,
    OutlineFile,
    PathsAnswer,
    Relation,
    Side,
    SurveyAnswer,
    Surveyed,
    SymbolRef,
    Usages,
    UsagesAnswer,
)
from paparatsd.history_model import LastChange
from paparatsd.model import Freshness, FreshnessState, ProjectName
from tests.harness.fake_history import FIX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paparatsd.graph_model import (
        ChangedRequest,
        DefinitionRequest,
        GraphScope,
        ImpactRequest,
        OutlineRequest,
        PathsRequest,
        SurveyRequest,
        UsagesRequest,
    )

MARMOTS = ProjectName("marmots")


def symbol(name: str, path: str, line: int, **more: object) -> SymbolRef:
    """Return a function of marmots that has nine lines."""
    made = SymbolRef(
        project=MARMOTS,
        path=path,
        language="python",
        kind="method" if "." in name else "function",
        qualified=name,
        start_line=line,
        end_line=line + 8,
        address=f"marmots:{path}#{name}",
        signature=f"def {name.rpartition('.')[2]}(self)",
        doc=f"Does {name}.\n\nAnd more.",
    )
    return replace(made, **more)  # type: ignore[arg-type]


DIG = symbol("Burrow.dig", "src/burrow3.py", 31)
SLEEP = symbol("sleep", "src/den.py", 4)
TEST = symbol("test_dig", "tests/test_burrow.py", 1, test=True)
MEASURE = symbol("measure", "src/tools.py", 7, hub=True)
TOP = replace(
    symbol("src/alps.py", "src/alps.py", 1),
    kind="file",
    address="marmots:src/alps.py:1",
    signature="",
    doc="",
)


def hidden(project: str) -> SymbolRef:
    """Return the symbol of another project."""
    name = ProjectName(project)
    address = f"{project}:src/secret.py#secret"
    return replace(SLEEP, project=name, path="src/secret.py", qualified="secret", address=address)


def incoming(projects: Sequence[str]) -> list[Edge]:
    """Return who uses `Burrow.dig`."""
    calls, tests = Relation.CALLS, Relation.TESTS
    edges = [
        Edge(calls, Certainty.EXACT, hidden(name), (3,), "dig", cross=True)
        for name in projects
        if name != MARMOTS
    ]
    return [
        *edges,
        Edge(calls, Certainty.EXACT, SLEEP, (5, 6, 9), "dig"),
        Edge(tests, Certainty.INFERRED, TEST, (3,), "scrape", note="of one that it made"),
        Edge(Relation.IMPORTS, Certainty.AMBIGUOUS, TOP, (2,), "dig"),
    ]


OUTGOING = [Edge(Relation.CALLS, Certainty.EXACT, MEASURE, (33,), "measure")]


@dataclass
class FakeGraph:
    """Implements GraphApi over these projects, and notes in `asked` what it was asked."""

    projects: tuple[ProjectName, ...] = (MARMOTS,)
    asked: list[object] = field(default_factory=list)
    failure: Exception | None = None
    long: str = ""
    """Makes signatures and names longer."""

    def _begin(self, scope: GraphScope, request: object, *places: str) -> tuple[Freshness, ...]:
        self.asked.append(request)
        if self.failure is not None:
            raise self.failure
        for name in scope.projects:
            if name not in self.projects:
                raise UnknownProject(f"no project named {name!r} (projects: marmots)")
        names = [one for one in self.projects if not scope.projects or one in scope.projects]
        for place in places:
            known = {f"{name}:src/secret.py#secret" for name in names} | {"Burrow.dig", "sleep"}
            if place not in known and not place.startswith(("marmots:src", "marmots:tests/")):
                raise UnknownAddress(f"{place!r} names nothing in {', '.join(names)}")
            if "gone" in place:
                raise UnknownAddress(f"no file of {place!r} is indexed in {', '.join(names)}")
        return tuple(
            Freshness(name, 7, None, FreshnessState.CURRENT, checked_at=1.0) for name in names
        )

    def _dig(self, at: str) -> SymbolRef:
        if at.endswith("#secret"):
            return hidden(at.partition(":")[0])
        return replace(DIG, signature=DIG.signature + self.long)

    async def usages(self, request: UsagesRequest) -> UsagesAnswer:
        """Return the users that are asked for."""
        fresh = self._begin(request.scope, request, request.at)

        def side(edges: list[Edge], wanted: Direction) -> Side | None:
            if request.direction not in (wanted, Direction.BOTH):
                return None
            kept = [
                one for one in edges if not request.relations or one.relation in request.relations
            ]
            page = kept[request.offset : request.offset + request.limit]
            end = request.offset + len(page)
            return Side(tuple(page), len(kept), end if end < len(kept) else None)

        users = incoming(self.projects)
        found = Usages(
            self._dig(request.at),
            side(users, Direction.INCOMING),
            side(OUTGOING, Direction.OUTGOING),
        )
        return UsagesAnswer(request.at, (found,), 1, fresh, ("A note.",))

    async def definition(self, request: DefinitionRequest) -> DefinitionAnswer:
        """Return two definitions, or one that is elsewhere."""
        fresh = self._begin(request.scope, request, request.at)
        if request.at.endswith(":1:1"):
            return DefinitionAnswer(request.at, "json", (), 0, "json", fresh)
        found = (
            Defined(self._dig(request.at), Certainty.EXACT),
            Defined(SLEEP, Certainty.AMBIGUOUS, "a namesake"),
        )
        return DefinitionAnswer(request.at, "dig", found[: request.limit], 2, "", fresh)

    async def outline(self, request: OutlineRequest) -> OutlineAnswer:
        """Return the outline of a file, or of a directory of thirty."""
        fresh = self._begin(request.scope, request, request.at)
        project, _, path = request.at.partition(":")
        entries = (
            OutlineEntry(symbol("Burrow", DIG.path, 30, kind="class", signature=""), 0),
            OutlineEntry(replace(DIG, signature=DIG.signature + self.long), 1),
        )
        one = OutlineFile("src/burrow3.py", "python", 40, entries, 1, ("json", "os"))
        if path.partition("#")[0].endswith(".py"):
            alone = replace(one, path=path.partition("#")[0])
            return OutlineAnswer(ProjectName(project), alone.path, (alone,), {}, 1, None, fresh)
        every = [replace(one, path=f"src/burrow{number}.py") for number in range(30)]
        files = tuple(every[request.offset : request.offset + 20])
        end = request.offset + len(files)
        return OutlineAnswer(
            ProjectName(project), path, files, {"deep": 12}, 30, end if end < 30 else None, fresh
        )

    async def call_paths(self, request: PathsRequest) -> PathsAnswer:
        """Return one chain of two calls; none of one hop."""
        fresh = self._begin(request.scope, request, request.source, request.target)
        edges = (
            Edge(Relation.CALLS, Certainty.EXACT, DIG, (5,), "dig"),
            Edge(Relation.CALLS, Certainty.INFERRED, MEASURE, (33,), "measure"),
        )
        paths = [CallPath((SLEEP, DIG, MEASURE), edges)] if request.max_hops > 1 else []
        paths += [
            CallPath((hidden(name), DIG), edges[:1]) for name in self.projects if name != MARMOTS
        ]
        return PathsAnswer((SLEEP,), (MEASURE,), tuple(paths[: request.limit]), fresh)

    async def impact(self, request: ImpactRequest) -> ImpactAnswer:
        """Return the users of `Burrow.dig` as what is affected; "nothing" finds nothing."""
        fresh = self._begin(request.scope, request, *request.at)
        if request.question == "nothing":
            return ImpactAnswer((), (), (), (), 0, freshness=fresh, notes=("Nothing was found.",))
        seed = self._dig((*request.at, "Burrow.dig")[0])
        every = [
            Affected(
                one.symbol, 1, one.relation, one.certainty, DIG, one.lines, one.name, one.cross
            )
            for one in incoming(self.projects)
        ]
        every.append(Affected(MEASURE, 2, Relation.CALLS, Certainty.INFERRED, SLEEP, (8,), "sleep"))
        code = tuple(one for one in every if not one.symbol.test)
        return ImpactAnswer(
            seeds=(seed,),
            affected=code,
            tests=tuple(one for one in every if one.symbol.test),
            services=tuple((name, "src", 2) for name in self.projects),
            total=len(every),
            last_changes=((seed.address, LastChange(FIX, 4, 0)),),
            freshness=fresh,
        )

    async def changed(self, request: ChangedRequest) -> ChangedAnswer:
        """Return one modified and one renamed symbol."""
        fresh = self._begin(request.scope, request)
        edges = tuple(incoming(self.projects))
        symbols = (
            ChangedSymbol(
                ChangeKind.MODIFIED,
                self._dig(""),
                "",
                (32, 33),
                edges[: request.callers],
                9,
                (TEST,),
            ),
            ChangedSymbol(ChangeKind.RENAMED, SLEEP, "nap", (4,), (), 0, ()),
            *(
                ChangedSymbol(ChangeKind.ADDED, hidden(name), "", (4,), (), 0, ())
                for name in self.projects
                if name != MARMOTS
            ),
        )
        shown = symbols[: request.limit]
        return ChangedAnswer("the work tree against HEAD", shown, 3, len(symbols), fresh)

    async def unused(self, request: SurveyRequest) -> SurveyAnswer:
        """Return sixty functions, of which the first has a doubt."""
        return self._survey(request, ("exported",), 0)

    async def hubs(self, request: SurveyRequest) -> SurveyAnswer:
        """Return sixty functions that are used in seven files."""
        return self._survey(request, ("used widely", "entry point"), 7)

    def _survey(self, request: SurveyRequest, reasons: tuple[str, ...], users: int) -> SurveyAnswer:
        fresh = self._begin(request.scope, request)
        every = [Surveyed(hidden(name), users) for name in self.projects if name != MARMOTS]
        every += [
            Surveyed(symbol(f"f{n}", "src/many.py", n), users, reasons if n == 1 else ())
            for n in range(1, 61)
        ]
        page = every[request.offset : request.offset + request.limit]
        end = request.offset + len(page)
        return SurveyAnswer(tuple(page), len(every), end if end < len(every) else None, fresh)

"""Outlines, call paths, impact and surveys over a real catalog and the real parser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.errors import BadQuery, UnknownAddress
from paparatsd.graph.impact import service_of
from paparatsd.graph.outline import outline
from paparatsd.graph_model import GraphScope, ImpactRequest, OutlineRequest, PathsRequest
from paparatsd.graph_model import SurveyRequest as Survey
from tests.harness.graph_asked import call_paths, hubs, impact, unused
from tests.harness.graph_world import GraphWorld

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from paparatsd.graph_model import ImpactAnswer, OutlineAnswer, PathsAnswer

SCOPE = GraphScope()
STORE = {
    "core/db.py": (
        "LIMIT = 3\n\n\n"
        "class Store:\n"
        "    def __init__(self):\n"
        "        self.rows = open_rows()\n\n"
        "    def save(self, row):\n"
        "        def inner(x):\n"
        "            return x\n"
        "        return inner(row)\n\n"
        "    def _private(self):\n"
        "        return 1\n\n\n"
        "def open_rows():\n"
        "    return []\n"
    ),
    "services/orders/place.py": (
        "from core.db import Store\n\n\n"
        "def place(order):\n"
        "    return Store().save(order)\n"
    ),
    "services/orders/api.py": (
        "from services.orders.place import place\n\n\n"
        "def post_order(request):\n"
        "    return place(request)\n"
    ),
    "services/stock/reserve.py": (
        "from core.db import Store\n\n\n"
        "def reserve(item):\n"
        "    return Store().save(item)\n\n\n"
        "def _forgotten():\n"
        "    return 1\n"
    ),
    "tests/test_place.py": (
        "from services.orders.place import place\n\n\n"
        "def test_places():\n"
        "    assert place(1)\n"
    ),
    "main.py": (
        "from services.orders.api import post_order\n\n\n"
        "def main():\n"
        "    post_order({})\n\n\n"
        "main()\n"
    ),
}  # fmt: skip


@pytest.fixture
def world(tmp_path: Path) -> Iterator[GraphWorld]:
    world = GraphWorld(tmp_path)
    world.index("store", STORE)
    yield world
    world.close()


def look(world: GraphWorld, at: str, **more: Any) -> OutlineAnswer:
    return outline(world.ground(), OutlineRequest(at, SCOPE, **more))


def chains(world: GraphWorld, source: str, target: str, **more: Any) -> PathsAnswer:
    return call_paths(world.ground(), PathsRequest(source, target, SCOPE, **more))


def spread(world: GraphWorld, *at: str, **more: Any) -> ImpactAnswer:
    return impact(world.ground(), ImpactRequest(SCOPE, at, **more))


# ---------------------------------------------------------------------- outlines


def test_an_outline_nests_and_hides_what_functions_keep_for_themselves(world: GraphWorld) -> None:
    (file,) = look(world, "store:core/db.py").files
    assert [(one.symbol.qualified, one.depth) for one in file.entries] == [
        ("LIMIT", 0), ("Store", 0), ("Store.__init__", 1), ("Store.save", 1),
        ("Store.save.inner", 2), ("Store._private", 1), ("open_rows", 0),
    ]  # fmt: skip
    assert (file.lines, file.hidden) == (18, 0)


def test_an_import_of_a_folder_is_told_as_it_is_written(world: GraphWorld) -> None:
    files = {
        "web/a.ts": "import { dig } from '.';\nimport x from '../up';\nexport const run = dig;\n",
        "web/index.ts": "export const dig = 1;\n",
        "kit/a.py": "from . import b\nfrom .c import d\nimport json\n",
    }
    world.index("store", {**STORE, **files})
    told = {file.path: file.imports for file in look(world, "store", max_tokens=9_000).files}
    assert told["web/a.ts"] == (".", "../up")
    assert told["kit/a.py"] == (".b", ".c", "json")


def test_depth_and_privacy_hide_symbols_and_say_how_many(world: GraphWorld) -> None:
    (flat,) = look(world, "core/db.py", depth=1).files
    assert [one.symbol.qualified for one in flat.entries] == ["LIMIT", "Store", "open_rows"]
    assert flat.hidden == 4
    (public,) = look(world, "core/db.py", private=False).files
    assert "Store._private" not in {one.symbol.qualified for one in public.entries}


@pytest.mark.parametrize("at", ["store", "store:", "", "."])
def test_a_project_is_its_root_directory(world: GraphWorld, at: str) -> None:
    answer = look(world, at, depth=1)
    assert answer.folders == {"core": 1, "services": 3, "tests": 1}
    assert (answer.total_files, answer.path) == (len(STORE), "")


def test_a_skeleton_goes_on_where_its_budget_ended(world: GraphWorld) -> None:
    seen: list[str] = []
    offset: int | None = 0
    while offset is not None:
        answer = look(world, "store", max_tokens=100, offset=offset)
        seen += [file.path for file in answer.files]
        offset = answer.next_offset
    assert seen == sorted(STORE)


def test_what_cannot_be_outlined_says_why(world: GraphWorld) -> None:
    with pytest.raises(UnknownAddress, match=r"near it: store:services/stock/reserve\.py"):
        look(world, "services/stock/reserv.py")
    with pytest.raises(BadQuery, match="max_tokens is 1"):
        look(world, "store", max_tokens=1)
    world.index("other", {"a.py": "A = 1\n"})
    with pytest.raises(BadQuery, match="of which project"):
        look(world, "")


# ---------------------------------------------------------------------- call paths


def test_the_shortest_chain_of_calls_is_found_through_constructors(world: GraphWorld) -> None:
    (path,) = chains(world, "main", "open_rows").paths
    assert [one.qualified for one in path.symbols] == [
        "main", "post_order", "place", "Store.__init__", "open_rows",
    ]  # fmt: skip
    assert [edge.lines for edge in path.edges] == [(5,), (5,), (5,), (6,)]


def test_no_chain_is_none_and_hops_are_bounded(world: GraphWorld) -> None:
    assert chains(world, "open_rows", "main").paths == ()
    assert chains(world, "main", "open_rows", max_hops=3).paths == ()
    with pytest.raises(BadQuery, match="max_hops is 99"):
        chains(world, "main", "open_rows", max_hops=99)


# ---------------------------------------------------------------------- impact


def test_impact_goes_hop_by_hop_and_groups_by_service(world: GraphWorld) -> None:
    answer = spread(world, "Store.save", max_hops=2)
    assert [(one.hop, one.symbol.qualified) for one in answer.affected] == [
        (1, "place"), (1, "reserve"), (2, "post_order"),
    ]  # fmt: skip
    assert [(one.hop, one.symbol.qualified) for one in answer.tests] == [(2, "test_places")]
    assert answer.services == (("store", "services/orders", 2), ("store", "services/stock", 1))
    assert answer.affected[2].via.qualified == "place"
    assert not answer.capped


def test_a_type_changes_with_its_members(world: GraphWorld) -> None:
    answer = spread(world, "Store", max_hops=1)
    assert {one.symbol.qualified for one in answer.affected} == {"place", "reserve"}


def test_impact_is_bounded_and_says_so(world: GraphWorld) -> None:
    users = {
        f"u/f{at}.py": f"from core.db import open_rows\n\n\ndef use_{at}():\n    open_rows()\n"
        for at in range(30)
    }
    world.index("store", {**STORE, **users})
    answer = spread(world, "open_rows", max_hops=1, max_symbols=10)
    assert (len(answer.affected), answer.capped) == (10, False)
    assert answer.total > 30


def test_what_is_used_everywhere_is_told_but_not_followed(world: GraphWorld) -> None:
    users = {f"u/f{at}.py": "from low import wide\n\n\ndef f():\n    wide()\n" for at in range(9)}
    low = {"low.py": "def base():\n    return 1\n\n\ndef wide():\n    base()\n"}
    world.index("store", {**users, **low})
    answer = spread(world, "base", max_hops=3)
    assert [one.symbol.qualified for one in answer.affected] == ["wide"]
    assert "used so widely" in answer.notes[0]
    assert len(spread(world, "wide", max_hops=1).affected) == 9


@pytest.mark.parametrize(
    ("path", "service"),
    [("packages/client/src/a.ts", "packages/client"), ("src/a.py", "src"), ("setup.py", "")],
)
def test_a_service_is_the_top_folder_or_a_package_of_a_monorepo(path: str, service: str) -> None:
    assert service_of(path) == service


# ---------------------------------------------------------------------- surveys


def test_what_nothing_uses_is_found_with_its_doubts(world: GraphWorld) -> None:
    files = {
        **STORE,
        "app.py": (
            "import click\n\n\n"
            "@click.command()\n"
            "def command():\n"
            "    return 1\n\n\n"
            "class View(click.Command):\n"
            "    def invoke(self):\n"
            "        return recursive(1)\n\n\n"
            "def recursive(n):\n"
            "    return recursive(n - 1)\n\n\n"
            "def lonely(n):\n"
            "    return lonely(n - 1)\n"
        ),
    }
    world.index("store", files)
    found = {
        one.symbol.qualified: one.reasons for one in unused(world.ground(), Survey(SCOPE)).found
    }
    assert found["_forgotten"] == ()
    assert "decorated" in found["command"]
    assert "its class extends one from elsewhere" in found["View.invoke"]
    assert "lonely" in found, "calling itself is no use"
    assert not {"recursive", "place", "Store", "Store.save", "main", "test_places"} & set(found)


def test_a_type_is_used_through_its_members_and_a_method_may_fit_an_interface(
    world: GraphWorld,
) -> None:
    go = "package pool\n\ntype source interface {\n\ttake() int\n}\n\n"
    files = {
        "pool/pool.go": f"{go}type box struct{{}}\n\nfunc (b box) take() int {{ return 1 }}\n",
        "log.ts": (
            "enum Mark { On = 1 }\nenum Gone { On = 1 }\n"
            "export const show = (at: number) => at === Mark.On;\n"
        ),
        "Makefile": "check:\n\tgo test\n",
        "give.ts": "type Wide = string;\nconst dig = () => 1;\nexport type { Wide };\n",
    }
    world.index("store", files)
    found = {
        one.symbol.qualified: one.reasons for one in unused(world.ground(), Survey(SCOPE)).found
    }
    assert found["box.take"] == ("an interface asks for one of its name",)
    assert "Gone" in found
    assert (found["Wide"], found["dig"]) == (("exported",), ())
    assert not {"Mark", "check"} & set(found)


def test_hubs_are_counted_without_what_may_mean_others_and_overloads_once(
    world: GraphWorld,
) -> None:
    calls = {f"u/f{at}.ts": "export const f = (x) => x.open(1);\n" for at in range(9)}
    users = {
        f"v/f{at}.ts": "import { wide } from '../kit';\nexport const g = () => wide(1);\n"
        for at in range(9)
    }
    kit = (
        "export class One {\n  open(n: number) {}\n}\n"
        "export class Two {\n  open(n: number) {}\n}\n"
        "export function wide(n: number): number;\nexport function wide(n: any) { return n }\n"
    )
    world.index("store", {"kit.ts": kit, **calls, **users})
    told = [(one.symbol.address, one.users) for one in hubs(world.ground(), Survey(SCOPE)).found]
    assert told == [("store:kit.ts#wide", 9)]


def test_hubs_and_entry_points_are_told_with_their_users(world: GraphWorld) -> None:
    users = {
        f"u/f{at}.py": "from core.db import open_rows\n\n\ndef f():\n    open_rows()\n"
        for at in range(9)
    }
    world.index("store", {**STORE, **users})
    answer = hubs(world.ground(), Survey(SCOPE))
    told = {one.symbol.qualified: (one.users, one.reasons) for one in answer.found}
    assert told["open_rows"] == (9, ("used widely",))
    assert answer.found[0].symbol.hub
    assert told["main"][1] == ("entry point",)


def test_surveys_come_in_pages_and_refuse_kinds_that_are_none(world: GraphWorld) -> None:
    first = unused(world.ground(), Survey(SCOPE, limit=1))
    assert (len(first.found), first.more) == (1, 1)
    with pytest.raises(BadQuery, match="no kind of symbol is called 'klass'"):
        unused(world.ground(), Survey(SCOPE, kinds=("klass",)))


def test_a_private_constructor_and_functions_beside_main_are_no_surprises(
    world: GraphWorld,
) -> None:
    util = (
        "public final class Util {\n"
        "    private Util() {\n    }\n\n"
        "    public static int twice(int n) {\n        return 2 * n;\n    }\n}\n"
    )
    cli = "def main():\n    return 1\n\n\ndef left_over():\n    return 2\n"
    world.index("store", {"src/Util.java": util, "app/cli.py": cli})
    told = {
        one.symbol.qualified: one.reasons for one in unused(world.ground(), Survey(SCOPE)).found
    }
    assert told["Util.Util"] == ("keeps others from making one",)
    assert "entry point" in told["main"]
    assert "entry point" not in told["left_over"]


def test_routes_can_be_asked_for_and_tests_not(world: GraphWorld) -> None:
    assert hubs(world.ground(), Survey(SCOPE, kinds=("route",))).found == ()
    with pytest.raises(BadQuery, match="route"):
        hubs(world.ground(), Survey(SCOPE, kinds=("test",)))


def test_a_line_behind_a_path_is_no_part_of_what_is_outlined(world: GraphWorld) -> None:
    again = outline(world.ground(), OutlineRequest("core/db.py" + ":1" * 3_000, SCOPE))
    assert again.path == "core/db.py"

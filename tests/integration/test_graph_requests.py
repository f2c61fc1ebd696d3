"""A route finds its handler, and a handler those who ask for it, across projects too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.graph.slices import finished
from paparatsd.graph.usages import usages
from paparatsd.graph_model import (
    Certainty,
    Direction,
    GraphScope,
    Relation,
    SurveyRequest,
    UsagesRequest,
)
from tests.harness.graph_asked import unused
from tests.harness.graph_world import GraphWorld

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paparatsd.graph_model import Edge, Usages

SERVER = {
    "app.py": (
        'bp = Blueprint("users", __name__, url_prefix="/users")\n\n'
        '@bp.get("/<id>")\ndef one(id):\n    return id\n\n'
        '@bp.get("/me")\ndef me():\n    return 1\n\n'
        '@app.post("/login")\ndef login():\n    return 2\n'
    ),
    "tests/test_app.py": 'def test_one(client):\n    client.get("/users/5")\n',
}
CLIENT = {
    "src/api.ts": (
        "export async function load(id: string) {\n  return fetch(`${BASE}/api/users/${id}`)\n}\n\n"
        "export function mine() {\n  return axios.get('/users/me')\n}\n\n"
        "export function enter() {\n"
        "  return fetch('https://other.dev/login', { method: 'POST' })\n}\n\n"
        "export function wrong() {\n  return fetch('/login')\n}\n"
    ),
}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[GraphWorld]:
    made = GraphWorld(tmp_path)
    made.index("server", SERVER)
    made.index("web", CLIENT)
    yield made
    made.close()


def ask(world: GraphWorld, at: str, direction: Direction) -> Usages:
    return finished(usages(world.ground(), UsagesRequest(at, GraphScope(), direction))).found[0]


def asking(world: GraphWorld, at: str) -> list[tuple[str | None, str, bool, Certainty]]:
    side = ask(world, at, Direction.INCOMING).incoming
    assert side is not None
    return [(*named(one), one.cross, one.certainty) for one in requests(side.edges)]


def requests(edges: tuple[Edge, ...]) -> list[Edge]:
    return [one for one in edges if one.relation is Relation.REQUESTS]


def named(edge: Edge) -> tuple[str | None, str]:
    return edge.symbol.qualified, edge.name


def test_a_route_names_its_handler_whatever_fills_its_parameters(world: GraphWorld) -> None:
    for route in ("GET /users/{}", "get /users/:id", "GET /users/17"):
        assert ask(world, route, Direction.INCOMING).symbol.qualified == "one"
    assert ask(world, "GET /users/me", Direction.INCOMING).symbol.qualified == "me"


def test_clients_of_other_projects_and_tests_ask_for_a_handler(world: GraphWorld) -> None:
    assert sorted(asking(world, "server:app.py#one")) == [
        ("load", "GET /api/users/{}", True, Certainty.INFERRED),
        ("test_one", "GET /users/5", False, Certainty.INFERRED),
    ]


def test_what_is_spelled_out_goes_before_parameters(world: GraphWorld) -> None:
    assert asking(world, "server:app.py#me") == [
        ("mine", "GET /users/me", True, Certainty.INFERRED)
    ]


def test_another_host_is_told_and_another_method_is_not_meant(world: GraphWorld) -> None:
    assert asking(world, "server:app.py#login") == [
        ("enter", "POST /login", True, Certainty.AMBIGUOUS)
    ]


def test_a_function_uses_what_answers_its_request(world: GraphWorld) -> None:
    side = ask(world, "web:src/api.ts#load", Direction.OUTGOING).outgoing
    assert side is not None
    (edge,) = requests(side.edges)
    assert (edge.symbol.project, edge.symbol.qualified, edge.cross) == ("server", "one", True)
    assert edge.note == "answers GET /users/{}"


def test_an_express_route_finds_its_handler_in_another_file(world: GraphWorld) -> None:
    world.index(
        "shop",
        {
            "routes.js": "const users = require('./users')\nconst router = express.Router()\n"
            "router.get('/things/:id', users.show)\n",
            "users.js": "exports.show = function show(req, res) {}\n",
        },
    )
    found = ask(world, "shop:GET /things/{}", Direction.INCOMING)
    assert (found.symbol.path, found.symbol.qualified) == ("users.js", "show")


def test_rails_and_django_routes_find_their_handlers(world: GraphWorld) -> None:
    world.index(
        "rails",
        {
            "config/routes.rb": "Rails.application.routes.draw do\n  namespace :api do\n"
            "    resources :things, only: [:show]\n  end\nend\n",
            "app/controllers/api/things_controller.rb": "module Api\n"
            "  class ThingsController < Base\n    def show\n    end\n  end\nend\n",
        },
    )
    world.index(
        "django",
        {
            "pages/urls.py": "from pages import views\n\nurlpatterns = [\n"
            "    path('log/<int:id>', views.log),\n]\n",
            "pages/views.py": "def log(request, id):\n    pass\n",
        },
    )
    found = ask(world, "rails:GET /api/things/{}", Direction.INCOMING)
    assert found.symbol.path == "app/controllers/api/things_controller.rb"
    assert ask(world, "django:GET /log/7", Direction.INCOMING).symbol.qualified == "log"


def test_spring_and_gin_routes_find_their_handlers(world: GraphWorld) -> None:
    world.index(
        "spring",
        {
            "Users.java": '@RestController\n@RequestMapping("/people")\npublic class Users {\n'
            '  @GetMapping("/{id}")\n  public User one() { return null; }\n}\n',
        },
    )
    world.index(
        "gin",
        {
            "go.mod": "module acme.dev/gin\n",
            "main.go": 'package main\n\nimport "acme.dev/gin/api"\n\nfunc main() {\n'
            '\tr.GET("/cars/:id", api.Car)\n}\n',
            "api/car.go": "package api\n\nfunc Car(c *gin.Context) {}\n",
        },
    )
    assert ask(world, "GET /people/9", Direction.INCOMING).symbol.qualified == "Users.one"
    assert ask(world, "GET /cars/9", Direction.INCOMING).symbol.path == "api/car.go"


def test_what_answers_a_request_of_the_group_is_not_unused_though_one_project_is_asked_about(
    world: GraphWorld,
) -> None:
    more = '@app.post("/logout")\ndef logout():\n    return 3\n'
    world.index("server", {"app.py": SERVER["app.py"] + more})

    def told() -> list[tuple[str, tuple[str, ...]]]:
        found = unused(world.ground("server"), SurveyRequest(GraphScope())).found
        return [(one.symbol.qualified, one.reasons) for one in found]

    [(name, reasons)] = told()
    assert name == "logout"
    assert "answers a route" in reasons
    world.index("web", {})
    assert sorted(name for name, _ in told()) == ["login", "logout", "me", "one"]

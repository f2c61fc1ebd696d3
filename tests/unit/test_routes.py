"""Routes and requests of each framework, in one spelling."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from paparatsd.chunks.arguments import MAX_CALL_CHARS
from paparatsd.chunks.limits import ChunkLimits
from paparatsd.chunks.parse import parse_file
from paparatsd.chunks.routes import find_routes
from paparatsd.chunks.routing import dotnet, ecma, go, jvm, php, python, ruby, rust
from paparatsd.chunks.routing.page import MAX_LOOKED, MAX_READ_CHARS, Page, PageFull
from paparatsd.chunks.routing.urls import read_address, route_path
from paparatsd.chunks.tree import Deadline
from paparatsd.model import ParsedFile, Use

if TYPE_CHECKING:
    from collections.abc import Callable


def told(path: str, text: str, kind: str) -> set[tuple[str, str]]:
    """Return (name, what answers) of routes; of requests (name, function that asks)."""
    parsed = parse_file(path, text, ChunkLimits())
    found = set()
    for fact in parsed.facts:
        if fact.kind == kind:
            scope = parsed.symbols[fact.scope].qualified if fact.scope >= 0 else ""
            found.add((fact.name, fact.value or scope))
    return found


SERVERS = {
    "flask.py": (
        'bp = Blueprint("users", __name__, url_prefix="/users")\n\n'
        '@bp.route("/<int:id>", methods=["GET", "POST"])\n@login\ndef one(id):\n    pass\n\n'
        '@app.get("/health")\ndef health():\n    """Ask `@app.get("/wrong")`."""\n\n'
        'app.add_url_rule("/old", "old", views.old)\n# app.add_url_rule("/no", "no", no)\n',
        {
            ("GET /users/{}", "one"), ("POST /users/{}", "one"), ("GET /health", "health"),
            ("GET /old", "views.old"),
        },
    ),
    "fastapi.py": (
        'router = APIRouter(\n    prefix="/items",\n    tags=["a"],\n)\n\n'
        '@router.get("/{item_id:path}", response_model=Item)\n'
        "async def read(item_id):\n    pass\n\n"
        '@router.post("")\nasync def make():\n    pass\n\n'
        'api.include_router(router, prefix="/v1")\n',
        {("GET /v1/items/{*}", "read"), ("POST /v1/items", "make")},
    ),
    "starlette.py": (
        'routes = [\n    Route("/", home),\n    Mount("/api", routes=[\n'
        '        Route("/users/{id}", endpoint=users.one, methods=["PUT"]),\n    ]),\n]\n',
        {("GET /", "home"), ("PUT /api/users/{}", "users.one")},
    ),
    "urls.py": (
        "urlpatterns = [\n    path('users/<int:pk>/', views.UserView.as_view(), name='u'),\n"
        "    re_path(r'^old/(?P<year>[0-9]{4})/$', views.old),\n"
        "    path('in/', include('app.urls')),\n"
        "    path('admin/', include([path('log', cache(60)(views.log))])),\n]\n",
        {
            ("ANY /users/{}", "views.UserView"), ("ANY /old/{}", "views.old"),
            ("ANY /admin/log", "views.log"),
        },
    ),
    "express.js": (
        "const app = express()\nconst router = express.Router()\n"
        "app.use('/api', router)\n"
        "router.get('/users/:id', auth, users.show)\n"
        "router.route('/posts').get(list).post((req, res) => res.send())\n"
        "function setup() {\n  app.delete('/x', async (req, res) => {})\n}\n"
        "// app.get('/commented', no)\ncache.get('/key', done)\n",
        {
            ("GET /api/users/{}", "users.show"), ("GET /api/posts", "list"),
            ("POST /api/posts", ""), ("DELETE /x", "setup"),
        },
    ),
    "fastify.ts": (
        "const server = fastify()\nserver.get<{ Params: P }>('/a/:id', { schema }, getOne)\n"
        "server.route({ method: 'POST', url: '/b', handler: makeB })\n",
        {("GET /a/{}", "getOne"), ("POST /b", "makeB")},
    ),
    "hono.ts": (
        "const books = new Hono().basePath('/books')\nbooks.get('/:id', (c) => c.json(1))\n",
        {("GET /books/{}", "")},
    ),
    "nest.ts": (
        "@Controller('cats')\nexport class CatsController {\n  @Get(':id')\n  findOne() {}\n\n"
        "  @Post()\n  make() {}\n}\n",
        {("GET /cats/{}", "CatsController.findOne"), ("POST /cats", "CatsController.make")},
    ),
    "Users.java": (
        '@RestController\n@RequestMapping("/users")\npublic class Users {\n'
        '  @GetMapping("/{id}")\n  public User one() { return null; }\n\n'
        '  @RequestMapping(value = "/all", method = RequestMethod.POST)\n'
        "  public User all() { return null; }\n\n  @DeleteMapping\n  void drop() {}\n}\n",
        {
            ("GET /users/{}", "Users.one"), ("POST /users/all", "Users.all"),
            ("DELETE /users", "Users.drop"),
        },
    ),
    "Jax.java": (
        '@Path("/things")\npublic class Things {\n  @GET\n  @Path("{id}")\n'
        "  public Thing one() { return null; }\n\n  @POST\n  public void make() {}\n}\n",
        {("GET /things/{}", "Things.one"), ("POST /things", "Things.make")},
    ),
    "Web.kt": (
        'fun Application.web() {\n    routing {\n        route("/users") {\n'
        '            get("/{id}") { one() }\n        }\n    }\n}\n',
        {("GET /users/{}", "web")},
    ),
    "config/routes.rb": (
        'Rails.application.routes.draw do\n  root "home#index"\n  namespace :api do\n'
        "    resources :users, only: [:index, :show] do\n      member do\n"
        "        post :lock\n      end\n      get :search, on: :collection\n    end\n  end\n"
        '  get "/about", to: "pages#about"\n  if dev?\n    get "x" => "xs#y"\n  end\nend\n',
        {
            ("GET /", "HomeController.index"),
            ("GET /api/users", "Api::UsersController.index"),
            ("GET /api/users/{}", "Api::UsersController.show"),
            ("POST /api/users/{}/lock", "Api::UsersController.lock"),
            ("GET /api/users/search", "Api::UsersController.search"),
            ("GET /about", "PagesController.about"),
            ("GET /x", "XsController.y"),
        },
    ),
    "app.rb": (
        'require "sinatra"\n\nget "/users/:id" do\n  1\nend\n',
        {("GET /users/{}", "")},
    ),
    "routes/web.php": (
        "<?php\nRoute::get('/users/{id}', [UserController::class, 'show']);\n"
        "Route::prefix('admin')->group(function () {\n"
        "    Route::post('/log', 'LogController@store');\n});\n"
        "Route::apiResource('photos', PhotoController::class);\n",
        {
            ("GET /users/{}", "UserController.show"), ("POST /admin/log", "LogController.store"),
            ("GET /photos", "PhotoController.index"), ("POST /photos", "PhotoController.store"),
            ("GET /photos/{}", "PhotoController.show"),
            ("PUT /photos/{}", "PhotoController.update"),
            ("DELETE /photos/{}", "PhotoController.destroy"),
        },
    ),
    "Symfony.php": (
        "<?php\n#[Route('/blog')]\nclass Blog {\n    #[Route('/{slug}', methods: ['GET'])]\n"
        "    public function show() {}\n}\n",
        {("GET /blog/{}", "Blog.show")},
    ),
    "gin.go": (
        'package main\n\nfunc setup(r *gin.Engine) {\n\tv1 := r.Group("/v1")\n'
        '\tv1.GET("/users/:id", auth(), api.GetUser)\n'
        '\tr.Handle("PUT", "/raw", Raw)\n\tr.POST("/in", func(c *gin.Context) {})\n}\n',
        {("GET /v1/users/{}", "api.GetUser"), ("PUT /raw", "Raw"), ("POST /in", "setup")},
    ),
    "chi.go": (
        'package main\n\nfunc setup(r chi.Router) {\n\tr.Route("/posts", func(r chi.Router) {\n'
        '\t\tr.Get("/{id}", h.Show)\n\t})\n\tmux.HandleFunc("GET /std/{id}", std)\n'
        '\tmux.HandleFunc("/old", old).Methods("GET", http.MethodPost)\n'
        '\thttp.Handle("/h", http.HandlerFunc(wrapped))\n}\n',
        {
            ("GET /posts/{}", "h.Show"), ("GET /std/{}", "std"), ("GET /old", "old"),
            ("POST /old", "old"), ("ANY /h", "wrapped"),
        },
    ),
    "axum.rs": (
        "fn app() -> Router {\n    Router::new()\n"
        '        .route("/users/:id", get(show).post(users::make))\n}\n'
        '\n#[delete("/raw/{id}")]\nasync fn raw() {}\n',
        {("GET /users/{}", "show"), ("POST /users/{}", "users.make"), ("DELETE /raw/{}", "raw")},
    ),
    "actix.rs": (
        'fn setup(cfg: &mut Config) {\n    cfg.service(web::scope("/api").service(\n'
        '        web::resource("/users").route(web::get().to(list))));\n}\n',
        {("GET /api/users", "list")},
    ),
    "Api.cs": (
        '[ApiController]\n[Route("api/[controller]")]\npublic class UsersController : Base\n{\n'
        '    [HttpGet("{id:int}")]\n    public User One(int id) => null;\n\n'
        "    [HttpPost]\n    public void Make() {}\n}\n",
        {
            ("GET /api/Users/{}", "UsersController.One"),
            ("POST /api/Users", "UsersController.Make"),
        },
    ),
    "Program.cs": (
        'var app = builder.Build();\nvar api = app.MapGroup("/api");\n'
        'api.MapGet("/users/{id}", Users.One);\napp.MapPost("/x", (Thing t) => t);\n',
        {("GET /api/users/{}", "Users.One"), ("POST /x", "")},
    ),
}  # fmt: skip

CLIENTS = {
    "ask.py": (
        "def load(session, id):\n    requests.get(f'{BASE}/users/{id}?a=1')\n"
        '    session.post("http://localhost:80/users", json={})\n'
        "    httpx.request('DELETE', url + '/users/' + id)\n"
        "    urlopen('https://api.acme.dev/v1')\n"
        "    settings.get('/no/client')\n    client.get('no-path')\n    {}.get('a/b')\n",
        {"GET /users/{}", "POST /users", "DELETE /users/{}", "GET /v1"},
    ),
    "ask.ts": (
        "async function load(id: string) {\n  await fetch(`${API}/users/${id}`)\n"
        "  await fetch('/users', { method: 'POST', body })\n"
        "  await axios.put<User>('/users/' + id, body)\n"
        "  await axios({ url: '/a', method: 'delete' })\n"
        "  await request(app).get('/b')\n  const x = map.get('/c')\n}\n",
        {"GET /users/{}", "POST /users", "PUT /users/{}", "DELETE /a", "GET /b"},
    ),
    "ask.go": (
        'package main\n\nfunc load(id int) {\n\thttp.Get(fmt.Sprintf("%s/users/%d", base, id))\n'
        '\thttp.NewRequestWithContext(ctx, http.MethodPut, base+"/users", nil)\n'
        '\thttp.Post("https://x.dev/y", "a", nil)\n\tcache.Get("/z")\n}\n',
        {"GET /users/{}", "PUT /users", "POST /y"},
    ),
    "Ask.java": (
        "class Ask {\n  void load() {\n"
        '    restTemplate.getForObject(base + "/users/" + id, User.class);\n'
        '    restTemplate.exchange("/x", HttpMethod.PUT, null, User.class);\n'
        '    new Request.Builder().url("http://a.b/c").post(body).build();\n'
        '    webClient.delete().uri("/d").retrieve();\n'
        '    mockMvc.perform(get("/e"));\n  }\n}\n',
        {"GET /users/{}", "PUT /x", "POST /c", "DELETE /d", "GET /e"},
    ),
    "Feign.java": (
        '@FeignClient(name = "users")\ninterface Users {\n  @GetMapping("/users/{id}")\n'
        "  User one();\n}\n",
        {"GET /users/{}"},
    ),
    "ask.rb": (
        'def load(id)\n  Faraday.get("#{BASE}/users/#{id}")\n  conn.post "/users", {}\n'
        '  Net::HTTP.get(URI("http://x.dev/y"))\n  hash.get "/no"\nend\n',
        {"GET /users/{}", "POST /users", "GET /y"},
    ),
    "ask.php": (
        "<?php\nfunction load($id) {\n  Http::get($base . '/users/' . $id);\n"
        "  $client->request('PUT', \"/users/{$id}\");\n  $this->postJson('/x', []);\n}\n",
        {"GET /users/{}", "PUT /users/{}", "POST /x"},
    ),
    "ask.rs": (
        'async fn load() {\n    client.get(format!("{}/users/{}", base, id)).send();\n'
        '    reqwest::get("https://x.dev/y");\n}\n',
        {"GET /users/{}", "GET /y"},
    ),
    "Ask.cs": (
        'class Ask {\n  void Load() {\n    client.GetFromJsonAsync<User>($"/users/{id}");\n'
        '    client.PostAsync("/x", null);\n'
        '    new HttpRequestMessage(HttpMethod.Put, "/y");\n  }\n}\n',
        {"GET /users/{}", "POST /x", "PUT /y"},
    ),
}


@pytest.mark.parametrize("path", SERVERS)
def test_servers_tell_their_routes_and_what_answers_them(path: str) -> None:
    text, expected = SERVERS[path]
    assert told(path, text, "route") == expected
    assert told(path, text, "request") == set()


@pytest.mark.parametrize("path", CLIENTS)
def test_clients_tell_what_they_ask_for(path: str) -> None:
    text, expected = CLIENTS[path]
    found = told(path, text, "request")
    assert {name for name, _ in found} == expected
    assert told(path, text, "route") == set()


def test_requests_belong_to_the_function_that_makes_them_and_tell_foreign_hosts() -> None:
    parsed = parse_file("ask.py", CLIENTS["ask.py"][0], ChunkLimits())
    facts = [fact for fact in parsed.facts if fact.kind == "request"]
    assert {parsed.symbols[fact.scope].name for fact in facts} == {"load"}
    assert {fact.name: fact.type for fact in facts if fact.type} == {"GET /v1": "api.acme.dev"}


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("/users/:id(\\d+)?", "/users/{}"),
        ("/files/*path", "/files/{*}"),
        ("^a/(?P<x>[a-z]+)/b$", "/a/{}/b"),
        ("/photos(.:format)", "/photos"),
        ("/", "/"),
    ],
)
def test_paths_have_one_spelling(written: str, path: str) -> None:
    assert route_path(written) == path


@pytest.mark.parametrize(
    "text", ["url", "'a b/c'", "f(x)", "''", "'plain'", "`${a}${b}`", "x" * 5_000]
)
def test_what_is_no_path_is_no_request(text: str) -> None:
    assert read_address(text) is None


HOSTILE_CHARS = 150_000
MAX_CALLS = 600_000
"""Calls of functions for one file. Reading each place to the end of the file takes many more."""


@pytest.mark.parametrize(
    ("read", "unit"),
    [
        pytest.param(python.read, "urlpatterns path('/', include([", id="python"),
        pytest.param(ecma.read, "app.route('/x').get(fetch('/', ", id="javascript"),
        pytest.param(go.read, 'a.Group("/a")', id="go"),
        pytest.param(jvm.read, 'Request.url("/', id="java"),
        pytest.param(jvm.read, 'route("a"){ ', id="kotlin"),
        pytest.param(ruby.read, ".routes.draw scope 'a/b/c' do\nresources :a do\n", id="ruby"),
        pytest.param(php.read, "$app->get('/', #[Route(", id="php"),
        pytest.param(rust.read, '.route("/", get(#[get(', id="rust"),
        pytest.param(dotnet.read, 'app.MapGroup("/x")[HttpGet(', id="csharp"),
    ],
)
def test_what_a_file_of_nothing_but_beginnings_takes_is_bounded(
    read: Callable[[Page], None], unit: str
) -> None:
    text = unit * (HOSTILE_CHARS // len(unit))
    page = Page("lib/a", text, _uses("path", "fetch", "route"))
    calls = _calls_of(read, page)
    assert 0 < calls < MAX_CALLS
    assert page.looked <= MAX_LOOKED + 1
    assert page.read_chars <= MAX_READ_CHARS + MAX_CALL_CHARS


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "Blueprint" + "a" * HOSTILE_CHARS),
        ("a.py", ".include_router(" + "a" * HOSTILE_CHARS),
        ("a.go", "a" * HOSTILE_CHARS + '.Group("/a")' * 100),
        ("a.go", f'r.GET("/", {"w" * 3_900})' * 30),
        ("test/a.rb", "\n" * HOSTILE_CHARS),
        ("config/routes.rb", "do" + " " * HOSTILE_CHARS + "x"),
    ],
    ids=lambda value: value[:16].strip(),
)
def test_no_pattern_goes_back_over_a_whole_line(path: str, text: str) -> None:
    language = {"py": "python", "go": "go", "rb": "ruby"}[path.rpartition(".")[2]]
    parsed = _uses("Blueprint", "include_router", language=language)
    assert find_routes(path, text, parsed) == ()


def test_nothing_more_is_found_after_the_deadline() -> None:
    text = SERVERS["express.js"][0]
    parsed = parse_file("express.js", text, ChunkLimits())
    assert find_routes("express.js", text, parsed) != ()
    assert find_routes("express.js", text, parsed, Deadline(0.0)) == ()


def _uses(*names: str, language: str = "") -> ParsedFile:
    return ParsedFile(language, (), (), tuple(Use(name, "call", 1) for name in names), lines=1)


def _calls_of(read: Callable[[Page], None], page: Page) -> int:
    """Count the functions that are called, those written in C included."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        read(page)
    except PageFull:
        pass
    finally:
        sys.setprofile(before)
    return calls

"""Ways of asking, through the engine over a real catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from paparatsd.embeddings.static import StaticModel
from paparatsd.search.catalog import CatalogSource
from paparatsd.search.engine import Engine
from paparatsd.search_model import Confidence, SearchRequest
from paparatsd.store.reader import CatalogReader
from tests.integration.search_world import World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paparatsd.search.frames import Ranked

FILES = {
    "src/http/client.py": (
        '"""Sends requests over the wire."""\n\n\nclass Client:\n'
        "    def send(self, request):\n        return self.pool.take(request)\n\n"
        "    def close(self):\n        self.pool.drain()\n"
    ),
    "src/mail/client.py": (
        '"""Sends letters."""\n\n\nclass Client:\n'
        "    def send(self, letter):\n        return self.socket.write(letter)\n"
    ),
    "src/auth/authentication.py": (
        '"""Authentication of users by password."""\n\n\n'
        "def check_password(user, password):\n    return hash_of(password) == user.secret\n"
    ),
    "src/users.py": (
        "def get_user_by_id(number):\n    return rows[number]\n\n\n"
        "def rename(number, name):\n    get_user_by_id(number).name = name\n"
    ),
    "tests/test_users.py": (
        "from users import get_user_by_id\n\n\n"
        "def test_user_is_found():\n    assert get_user_by_id(1)\n"
    ),
    "docs/users.md": "# Users\n\nHow a user is found by id, without authentication.\n",
}


NET = {
    "net/adapters.py": (
        '"""Adapters get and send."""\n\n\n'
        'class BaseAdapter:\n    """Get what an adapter gets."""\n\n'
        "    def get_connection(self, adapter):\n        return adapter.get(adapter)\n\n\n"
        "class HTTPAdapter(BaseAdapter):\n    def send(self, adapter):\n"
        "        return get(adapter, adapter)\n"
    ),
    "net/sessions.py": (
        '"""Sessions keep what is common to requests."""\n\n\nclass Session:\n'
        "    def send(self, request, **kwargs):\n"
        '        kwargs.setdefault("stream", self.stream)\n'
        "        hooks = request.hooks\n        r = self.get_adapter(request.url).send(request)\n"
        '        r = dispatch_hook("response", hooks, r, **kwargs)\n        return r\n\n'
        "    def get_adapter(self, url):\n"
        "        for prefix, adapter in self.adapters.items():\n"
        "            if url.startswith(prefix):\n                return adapter\n"
        "        raise InvalidSchema(\n"
        '            f"No connection adapters were found "\n            f"for {url!r}"\n        )\n'
    ),
    "net/globals.py": (
        '_no_app_msg = """\\\n'
        "Working outside of application context.\n\nThis typically means that you need a context.\n"
        '"""\n\n\ndef setting(name, section):\n'
        "    if name not in section:\n"
        '        raise KeyError(f"Unknown setting {name} in section {section} of the file")\n'
        "    return section[name]\n\n\nclass ApplicationContext:\n"
        '    """The context of an application while working."""\n'
    ),
    "docs/context.md": (
        "# Context\n\nWorking outside of application context.\n\nIt works inside of one.\n"
    ),
    "net/hooks.py": (
        '"""Hooks of a response."""\n\n\ndef dispatch_hook(key, hooks, hook_data, **kwargs):\n'
        '    """Dispatch hooks for the response."""\n'
        "    for hook in hooks.get(key, ()):\n        hook_data = hook(hook_data, **kwargs)\n"
        "    return hook_data\n"
    ),
    "tests/test_adapters.py": (
        "def test_get_adapter():\n    assert Session().get_adapter('http://a')\n"
    ),
}


@pytest.fixture(scope="module")
def model() -> StaticModel:
    return StaticModel.load()


@pytest.fixture
def world(tmp_path: Path, model: StaticModel) -> Iterator[World]:
    world = World(tmp_path, model)
    world.index("site", FILES)
    yield world
    world.catalog.close()


@pytest.fixture
def engine(world: World, model: StaticModel) -> Engine:
    return Engine(CatalogSource(CatalogReader(world.path)), model)


def ask(world: World, engine: Engine, question: str, **options: object) -> Ranked:
    request = SearchRequest(question, **options)  # type: ignore[arg-type]
    plan = engine.plan(request, world.scope(), None)
    return engine.rank(plan.token, world.store.answer(plan.requests))


def paths(ranked: Ranked) -> list[str]:
    return list(dict.fromkeys(hit.path for hit in ranked.hits))


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("getUserById", "src/users.py"),
        ("GetUserByID", "src/users.py"),
        ("get_user_by_id()", "src/users.py"),
        ("get-user-by-id", "src/users.py"),
        ("http.Client.send", "src/http/client.py"),
        ("mail/client.py", "src/mail/client.py"),
        ("http.Client", "src/http/client.py"),
        ("mail::Client", "src/mail/client.py"),
        ("autentication of users", "src/auth/authentication.py"),
        ("проверка пароля пользователя", "src/auth/authentication.py"),
        ("用户密码认证", "src/auth/authentication.py"),
        ("tests for users", "tests/test_users.py"),
        ("docs about users", "docs/users.md"),
        ("return self.socket.write(letter)", "src/mail/client.py"),
        ('File "src/users.py", line 6, in rename', "src/users.py"),
    ],
)
def test_first_file_is_the_one_asked_for(
    world: World, engine: Engine, question: str, path: str
) -> None:
    assert paths(ask(world, engine, question))[0] == path


def test_line_of_a_place_is_in_the_first_hit(world: World, engine: Engine) -> None:
    hit = ask(world, engine, "src/users.py:6").hits[0]
    assert hit.path == "src/users.py"
    assert hit.start_line <= 6 <= hit.end_line


def test_callers_of_a_name_answer_who_calls_it(world: World, engine: Engine) -> None:
    ranked = ask(world, engine, "who calls get_user_by_id")
    assert [(hit.path, hit.symbol) for hit in ranked.hits] == [
        ("src/users.py", "rename"),
        ("tests/test_users.py", "test_user_is_found"),
    ]
    assert "get_user_by_id" in ranked.notes[0]


def test_question_about_callers_of_what_nobody_calls_is_an_ordinary_one(
    world: World, engine: Engine
) -> None:
    assert "src/auth/authentication.py" in paths(ask(world, engine, "who calls check_password"))


def test_how_a_question_was_read_is_said(world: World, engine: Engine) -> None:
    assert any("password" in note for note in ask(world, engine, "проверка пароля").notes)
    assert any("autentication" in note for note in ask(world, engine, "autentication").notes)
    assert not any("Read as" in note for note in ask(world, engine, "password check").notes)


@pytest.mark.parametrize("question", ["getAdapter", "GetAdapter", "get-adapter", "getAdapter()"])
def test_definition_in_another_spelling_is_first_and_sure(
    world: World, engine: Engine, question: str
) -> None:
    world.index("net", NET)
    ranked = ask(world, engine, question)
    first = ranked.hits[0]
    assert (first.path, first.symbol) == ("net/sessions.py", "Session.get_adapter")
    assert first.confidence is Confidence.HIGH
    assert any("get_adapter" in note for note in ranked.notes)


def test_name_that_somebody_defines_as_it_is_written_is_not_respelled(
    world: World, engine: Engine
) -> None:
    world.index("net", NET | {"web/adapter.js": "function getAdapter(url) {\n  return url\n}\n"})
    assert ask(world, engine, "getAdapter").hits[0].path == "web/adapter.js"


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("src/http/client.py", "src/http/client.py"),
        ("http/client.py:6", "src/http/client.py"),
        ("src/http/client.py, line 6", "src/http/client.py"),
        ("users.py", "src/users.py"),
        ("users.md", "docs/users.md"),
        ("/usr/lib/site-packages/http/client.py:6", "src/http/client.py"),
        ("/home/me/site/src/users.py:6", "src/users.py"),
        (
            'File "src/users.py", line 6, in rename\n    get_user_by_id(number).name = name',
            "src/users.py",
        ),
    ],
)
def test_place_that_is_one_file_is_the_answer_and_nothing_else_is_shown(
    world: World, engine: Engine, question: str, path: str
) -> None:
    ranked = ask(world, engine, question)
    assert paths(ranked) == [path]
    assert {hit.confidence for hit in ranked.hits} == {Confidence.HIGH}
    assert ranked.notes == ()


def test_place_that_is_several_files_names_them_all_as_partial(
    world: World, engine: Engine
) -> None:
    ranked = ask(world, engine, "client.py")
    assert paths(ranked) == ["src/http/client.py", "src/mail/client.py"]
    assert {hit.confidence for hit in ranked.hits} == {Confidence.PARTIAL}
    assert len(ranked.notes) == 1


def test_line_decides_between_files_of_one_name(world: World, engine: Engine) -> None:
    ranked = ask(world, engine, "client.py:9")
    assert ranked.hits[0].path == "src/http/client.py"
    assert [hit.confidence for hit in ranked.hits] == [Confidence.HIGH, Confidence.LOW]


def test_file_nearest_to_the_root_is_first_of_those_that_fit_equally(
    world: World, engine: Engine
) -> None:
    text = "def run():\n    return 1\n"
    world.index("apps", {"tests/a/app.py": text, "src/a/b/app.py": text, "src/b/app.py": text})
    assert paths(ask(world, engine, "app.py:2")) == [
        "src/b/app.py", "tests/a/app.py", "src/a/b/app.py",
    ]  # fmt: skip


def test_file_of_exactly_this_path_is_the_one_that_is_meant(world: World, engine: Engine) -> None:
    text = "def run():\n    return 1\n"
    world.index("apps", {"README.md": "# A\n", "a/README.md": "# B\n", "b/src/c/app.py": text,
                         "src/c/app.py": text + "\n"})  # fmt: skip
    for question, path in (("README.md", "README.md"), ("src/c/app.py", "src/c/app.py")):
        first = ask(world, engine, question).hits[0]
        assert (first.path, first.confidence) == (path, Confidence.HIGH)


def test_line_behind_the_end_of_a_file_is_told(world: World, engine: Engine) -> None:
    ranked = ask(world, engine, "src/users.py:900")
    assert paths(ranked) == ["src/users.py"]
    assert ranked.hits[0].confidence is Confidence.PARTIAL
    assert "lines" in ranked.notes[0]


@pytest.mark.parametrize(
    ("question", "path", "line"),
    [
        ('r = dispatch_hook("response", hooks, r, **kwargs)', "net/sessions.py", 9),
        ("r  = dispatch_hook('response', hooks, r, **kwargs)", "net/sessions.py", 9),
        ('kwargs.setdefault("stream", self.stream)', "net/sessions.py", 6),
        ("No connection adapters were found for 'foo'", "net/sessions.py", 17),
        (
            "requests.exceptions.InvalidSchema: No connection adapters were found for 'a://b'",
            "net/sessions.py",
            17,
        ),
        ("Working outside of application context.", "net/globals.py", 2),
        ("Working outside of application context", "net/globals.py", 2),
        ("Unknown setting colour in section main of the file", "net/globals.py", 10),
    ],
)
def test_pasted_text_leads_to_where_it_stands(
    world: World, engine: Engine, question: str, path: str, line: int
) -> None:
    world.index("net", NET)
    first = ask(world, engine, question).hits[0]
    assert first.path == path
    assert first.start_line <= line <= first.end_line
    assert first.confidence is Confidence.HIGH


def test_pasted_text_that_stands_nowhere_is_an_ordinary_question(
    world: World, engine: Engine
) -> None:
    world.index("net", NET)
    ranked = ask(world, engine, 'kwargs.setdefault("verify", self.verify)')
    assert ranked.hits
    assert Confidence.HIGH not in {hit.confidence for hit in ranked.hits}


KINDS = {
    "jar/cookies.py": (
        '"""The cookie jar."""\n\n\nclass CookieJar:\n    """A jar of cookies: cookie jar."""\n\n'
        "    def set_cookie(self, cookie):\n        self.jar[cookie.name] = cookie\n"
    ),
    "tests/test_requests.py": (
        "def test_get():\n    assert get('/')\n\n\n"
        "def test_cookies_are_kept():\n    jar = make_jar()\n    assert jar['cookie']\n"
    ),
    "app/deployment.py": "def deployment():\n    return deployment_of(deployment)\n",
    "docs/deploying/index.rst": "Deploying to Production\n=======================\n\nDeploy it.\n",
    "docs/quickstart.rst": (
        "Quickstart\n==========\n\nRead on.\n\nMinimal\n-------\n\n"
        + "An application answers.\n" * 80
        + "\nSignals\n-------\n\n"
        + "Connect to one and wait.\n" * 80
    ),
    "docs/handlers.rst": (
        "Handlers\n========\n\nSignals reach signals: the signals of a handler are signals.\n"
    ),
    "app/signals.py": "class Signals:\n    def signals(self):\n        return signals\n",
    "docs/index.rst": "Welcome\n=======\n\nRead on.\n",
    "app/config.py": "class Configuration:\n    ci_configuration = None\n",
    ".github/workflows/run-tests.yml": "name: Tests\non: push\njobs:\n  tests:\n    steps: []\n",
    ".travis.yml": "language: python\nscript: pytest\n",
    "setup.cfg": "[configuration]\nci = 1\n",
}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("tests for the cookie jar", {"tests/test_requests.py"}),
        ("docs about deployment", {"docs/deploying/index.rst"}),
        ("docs about signals", {"docs/quickstart.rst"}),
        ("documentation on deploying", {"docs/deploying/index.rst"}),
        ("ci configuration", {".github/workflows/run-tests.yml", ".travis.yml"}),
        ("github actions workflows", {".github/workflows/run-tests.yml", ".travis.yml"}),
    ],
)
def test_files_of_the_kind_asked_for_come_first(
    world: World, engine: Engine, question: str, first: set[str]
) -> None:
    world.index("kinds", KINDS)
    ranked = ask(world, engine, question)
    assert set(paths(ranked)[: len(first)]) == first
    assert ranked.hits[0].confidence is not Confidence.LOW


def test_kind_of_which_no_file_is_about_the_subject_leaves_the_order(
    world: World, engine: Engine
) -> None:
    world.index("kinds", KINDS)
    assert paths(ask(world, engine, "docs about the cookie jar"))[0] == "jar/cookies.py"

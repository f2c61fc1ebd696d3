"""Whatever is asked for, what may not be seen is answered like what is not there, byte for byte.

One walk over every tool of every toolset, every prompt, every resource and every route of a real
daemon: each argument that can name something is given the name of something out of scope, then one
of the same length that nothing has. The two answers are the same but for that name.

Marmots are answered about. Badgers, in their group, and rabbits, alone in another one, are not;
nor, as a document, is what the marmots wrote for their staff.
"""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from paparatsd.interfaces.control import CALLS, STREAMS
from paparatsd.knowledge import cards, terms
from paparatsd.knowledge_model import (
    Card,
    CardBody,
    CardStatus,
    Component,
    Decision,
    Lesson,
    Term,
)
from paparatsd.model import GroupName, ProjectName
from paparatsd.store.notes import Note, NotesFile
from tests.harness.daemon import Daemon, running_daemon
from tests.harness.repos import Repo

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping
    from pathlib import Path

HERE = "<here>"
"""Where a name belongs."""
TOKEN = "marmots-whistle-at-dawn"
SCOPE = {
    "PAPARATS_PROJECTS": "marmots",
    "PAPARATS_DOCS_AUDIENCE": "public",
    "PAPARATS_KNOWLEDGE_TOKENS": TOKEN,
    "PAPARATS_KNOWLEDGE_AUDIENCE": "public",
}
CODE = "class Sett:\n    def dig(self):\n        return 7\n\n\ndef dig_sett():\n    return Sett()\n"
PUBLIC = "---\naudience: public\n---\n# {0}\n\nThe {0} sleep all winter.\n"
STAFF = "---\naudience: staff\n---\n# Staff\n\nThe marmots sleep behind the secret door.\n"
MARMOTS = {"burrow.py": "def burrow():\n    return 1\n", "docs/sleep.md": PUBLIC.format("marmots"),
           "docs/staff.md": STAFF}  # fmt: skip
OTHERS = {"sett.py": CODE, "docs/sleep.md": PUBLIC.format("diggers")}

PROJECTS = [("badgers", "lodgers"), ("rabbits", "rabbets")]
GROUPS = [("woods", "moods")]
PLACES = [
    ("badgers:sett.py#dig_sett", "lodgers:sett.py#dig_sett"),
    ("rabbits:sett.py:6", "rabbets:sett.py:6"),
]
PATHS = [("badgers:sett.py", "lodgers:sett.py")]
DOCUMENTS = [("docs/staff.md", "docs/wraps.md"), ("sett.py", "nest.py")]
DOCUMENT_PLACES = [*PLACES, ("marmots:docs/staff.md#Staff", "marmots:docs/wraps.md#Staff")]
LABELS = [("staff", "wraps")]
PEOPLE = [("Brock", "Frock")]
TICKETS = [("OAK-77", "ELM-77")]

WORDS: Mapping[str, Any] = {
    "query": "winter sleep", "question": "winter sleep", "term": "torpor", "definition": "Sleep.",
    "name": "Den", "summary": "Does: sleeps.", "title": "Dig deep", "context": "Frost.",
    "decision": "Dig three metres.", "consequences": "Long days.", "rule": "Never wake a sleeper",
    "why": "It starves.", "when": "In winter.",
}  # fmt: skip
"""What the other arguments are, where one is needed."""
PLAIN = {
    "limit", "offset", "cursor", "max_tokens", "max_chars", "max_hops", "depth", "callers", "scope",
    "radius_lines", "radius", "commit_limit", "min_score", "min_score_code", "limits", "checked",
    "include_history", "include_tests", "include_hubs", "include_private", "merges", "kind",
    "related", "explain", "fresh", "history", "direction", "relations", "kinds", "language",
    "since", "until", "severity", "evidence", "aliases", "neighbours", "alternatives_rejected",
    "against", *WORDS,
}  # fmt: skip
"""Arguments that name nothing of a project."""


@dataclass(frozen=True)
class World:
    """A daemon with a scope, and the ids of what lies outside of it."""

    daemon: Daemon
    ids: Mapping[str, list[tuple[str, str]]]

    def names(self, argument: str, of: str = "") -> list[tuple[str, str]]:
        """Return what an argument can name out of scope, each beside what nothing is called."""
        if of in ("get_document", "/v1/document") and argument in ("path", "file", "address"):
            return DOCUMENT_PLACES if argument == "address" else DOCUMENTS
        if of in ("outline", "/v1/outline") and argument == "address":
            return [*PROJECTS, ("badgers:sett.py", "lodgers:sett.py")]
        kinds = {
            "project": PROJECTS, "projects": PROJECTS, "group": GROUPS, "groups": GROUPS,
            "audience": LABELS, "author": PEOPLE, "ticket": TICKETS, "path": PATHS,
            "files": [*PATHS, *PLACES], "anchors": PLACES, "address": PLACES, "source": PLACES,
            "target": PLACES, "chunk_id": PLACES,
        }  # fmt: skip
        return [*kinds.get(argument, ()), *self.ids.get(argument, ())]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Yield a daemon that knows more than it may tell."""
    async with running_daemon(SCOPE, start=False) as daemon:
        secret = " The secret."
        notes = notes_on("badgers", "alps", 0, secret) + notes_on("rabbits", "woods", 10, secret)
        notes_of(daemon).parent.mkdir(mode=0o700)
        with contextlib.closing(NotesFile.open(notes_of(daemon))) as file:
            # What the walk writes is there before, so that it is the same each time.
            file.put([*notes, *notes_on("marmots", "alps", 20)])
        await daemon.start()
        marmots = Repo.create(tmp_path / "marmots", MARMOTS)
        await daemon.add(marmots.root, name="marmots", group="alps")
        for name, group in (("badgers", "alps"), ("rabbits", "woods")):
            repo = Repo.create(tmp_path / name, OTHERS)
            repo.git("config", "user.name", "Brock")
            repo.write("sett.py", f"# {name}\n{CODE}")
            repo.commit("OAK-77: dig deeper")
            await daemon.add(repo.root, name=name, group=group)
        await daemon.settle(history=True)
        term, decision = (
            [(note.id, note.id.replace("0000", "1111", 1)) for note in notes if note.kind == kind]
            for kind in ("term", "decision")
        )
        yield World(daemon, {"id": term, "ids": [*decision, term[0]], "supersedes": decision})


def notes_on(project: str, group: str, number: int, more: str = "") -> list[Note]:
    """Return a term and a card of each kind, all of it in `WORDS` with something behind."""
    common: dict[str, Any] = {
        "group": GroupName(group), "project": ProjectName(project), "created": 1e9, "updated": 1e9,
    }  # fmt: skip
    ids = [f"0198c0de-0000-7000-8000-{at:012}" for at in range(number, number + 4)]

    def said(*fields: str) -> dict[str, Any]:
        return {field: WORDS[field] + more for field in fields}

    bodies: tuple[CardBody, ...] = (
        Component(**said("name", "summary")),
        Decision(**said("title", "context", "decision", "consequences")),
        Lesson(**said("rule", "why", "when")),
    )
    return [
        terms.note_of(Term(id=ids[0], aliases=(), **said("term", "definition"), **common)),
        *(
            cards.note_of(Card(id=one, body=body, status=CardStatus.ACCEPTED, **common))
            for one, body in zip(ids[1:], bodies, strict=True)
        ),
    ]


def notes_of(daemon: Daemon) -> Path:
    """Return the file of the notes of a daemon."""
    return daemon.home / "data" / "notes.sqlite3"


def same(first: str, second: str, names: tuple[str, str], what: str) -> None:
    """Compare two answers, where the names that were asked for differ put away."""
    hidden, absent = names
    assert len(hidden) == len(absent)
    first, second = settled(first), settled(second)
    for one, other in zip(*(re.split(r"[^\w-]+", name) for name in names), strict=True):
        if one != other:
            first, second = first.replace(one, "NAME"), second.replace(other, "NAME")
    assert first == second, what
    assert "secret" not in first, what


def settled(answer: str) -> str:
    """Return an answer without what no two have alike: when it was given, how long it took."""
    return re.sub(r'("(?:took_ms|checked_at)": ?)[\d.]+', r"\1N", answer)


# --------------------------------------------------------------------------- tools


def calls_of(tool: Any, world: World) -> Iterator[tuple[dict[str, Any], tuple[str, str]]]:
    """Yield arguments with a place for a name, and what to name there."""
    properties = tool.input_schema["properties"]
    unknown = [one for one in properties if one not in PLAIN and not world.names(one, tool.name)]
    assert not unknown, f"{tool.name} has arguments that this walk does not know: {unknown}"
    needed = tool.input_schema.get("required", [])
    base: dict[str, Any] = {one: WORDS[one] for one in needed if one in WORDS}
    base |= {one: "marmots:burrow.py" for one in ("source", "target") if one in needed}
    if "record" in tool.name:
        base["project"] = "marmots"
    for argument, schema in properties.items():
        for names in world.names(argument, tool.name):
            given: dict[str, Any] = {**base, argument: HERE}
            if tool.name == "get_document" and argument in ("path", "project", "file"):
                given = {"project": "marmots", "path": "docs/sleep.md", argument: HERE}
                if argument == "file":
                    del given["path"]
            if schema.get("type") == "array":
                given[argument] = [HERE]
            yield given, names


def filled(given: Any, name: str) -> Any:
    """Return arguments with a name in its place."""
    return json.loads(json.dumps(given).replace(HERE, name))


async def compare_tools(client: Client, world: World, known: set[str]) -> int:
    """Call each tool with each name; return how many answers were compared.

    Those that are `known` from another toolset are called with one name for each argument.
    """

    async def told(name: str, given: dict[str, Any]) -> str:
        return (await client.call_tool(name, given)).model_dump_json()

    compared = 0
    for tool in (await client.list_tools()).tools:
        seen: set[str] = set()
        for given, names in calls_of(tool, world):
            shape = repr(sorted(given))
            if tool.name in known and shape in seen:
                continue
            seen.add(shape)
            first, second = [await told(tool.name, filled(given, name)) for name in names]
            same(first, second, names, f"{tool.name} {filled(given, names[0])}")
            compared += 1
        known.add(tool.name)
    return compared


async def failure(client: Client, uri: str) -> str:
    """Return what reading a resource says, or why it cannot be read."""
    try:
        return (await client.read_resource(uri)).model_dump_json()
    except MCPError as error:
        return repr((str(error), error.error.model_dump()))


async def compare_resources(client: Client) -> None:
    for names in GROUPS:
        first, second = [await failure(client, f"arch://stats/{name}") for name in names]
        same(first, second, names, "arch://stats")
    for names in (("arch://schema", "arch://scheme"), ("arch://stats/alps", "arch://state/alps")):
        first, second = [await failure(client, name) for name in names]
        if "resource" in first:  # it is not one of this toolset
            same(first, second, names, names[0])
    overview = await failure(client, "context://project-overview")
    assert not re.search("badgers|rabbits|woods|secret", overview)


async def compare_prompts(client: Client, world: World) -> None:
    for prompt in (await client.list_prompts()).prompts:
        arguments = {one.name: "marmots" for one in prompt.arguments or () if one.required}
        for argument in (one.name for one in prompt.arguments or ()):
            for names in world.names(argument):
                first, second = [
                    (await client.get_prompt(prompt.name, arguments | {argument: name}))
                    .model_dump_json()
                    for name in names
                ]  # fmt: skip
                same(first, second, names, prompt.name)


# --------------------------------------------------------------------------- routes

OWNER = {
    "/v1/health", "/v1/status", "/v1/projects", "/v1/projects/{name}", "/v1/reindex", "/v1/flush",
    "/v1/hooks/install", "/v1/hooks/uninstall", "/v1/hooks/status", "/v1/reload", "/v1/stop",
    "/v1/skipped", "/v1/events", "/v1/fetch",
    "/api/index", "/api/file-changed", "/api/file-deleted",
}  # fmt: skip
"""What the owner runs the daemon with: it is about all that is registered."""
SCOPED = ("projects", "groups")
ROUTES: Mapping[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "/v1/search": ({"query": "winter"}, (*SCOPED, "author", "ticket")),
    "/v1/show": ({}, ("address",)),
    "/v1/log": ({}, ("address",)),
    "/v1/commits": ({"query": "winter"}, (*SCOPED, "author", "ticket")),
    "/v1/explain": ({"question": "winter"}, (*SCOPED, "author", "ticket")),
    "/v1/usages": ({"address": "burrow"}, (*SCOPED, "address")),
    "/v1/definition": ({"address": "burrow"}, (*SCOPED, "address")),
    "/v1/outline": ({"address": "marmots"}, (*SCOPED, "address")),
    "/v1/calls": ({"source": "burrow", "target": "burrow"}, (*SCOPED, "source", "target")),
    "/v1/impact": ({"address": ["burrow"]}, (*SCOPED, "address")),
    "/v1/changed": ({}, SCOPED),
    "/v1/unused": ({}, SCOPED),
    "/v1/hubs": ({}, SCOPED),
    "/v1/docs": ({"query": "winter"}, (*SCOPED, "audience")),
    "/v1/document": ({"project": "marmots", "path": "docs/sleep.md"}, ("project", "path")),
    "/v1/terms/search": ({"query": "torpor"}, SCOPED),
    "/v1/terms/list": ({}, SCOPED),
    "/v1/terms/record": ({"term": "nap", "definition": "Short."}, ("project", "group")),
    "/v1/terms/delete": ({"ids": []}, (*SCOPED, "ids")),
    "/v1/cards/context": ({"question": "winter"}, SCOPED),
    "/v1/cards/list": ({"checked": True, "include_history": True}, SCOPED),
    "/v1/cards/record": (
        {"kind": "component", "name": "Den", "summary": "Does: sleeps.", "project": "marmots"},
        ("project", "group", "files", "anchors"),
    ),
    "/v1/cards/delete": ({"ids": []}, (*SCOPED, "ids")),
    "/v1/cards/suggest": ({}, SCOPED),
    "/v1/cards/stats": ({}, SCOPED),
    "/v1/cards/export": ({}, SCOPED),
    # Nor is there a second note with the id of another one: an import of it is refused, and an id
    # is too long to be guessed.
    "/v1/cards/import": (
        {"files": [{"name": "a.md", "text": ""}], "dry_run": True}, (*SCOPED, "project")
    ),
}  # fmt: skip
"""By route what it is asked, and the arguments that can name something."""
FILE = (
    "---\nkind: decision\ngroup: alps\nproject: PLACE\n---\n# Dig deep\n"
    "## Context\na\n## Decision\nb\n## Consequences\nc\n"
)
LISTS = {"projects", "groups", "audience", "ids", "files", "anchors"}


def body_of(path: str, argument: str, name: str) -> dict[str, Any]:
    body: dict[str, Any] = {**ROUTES[path][0]}
    if path == "/v1/cards/import" and argument == "project":
        return body | {"files": [{"name": "a.md", "text": FILE.replace("PLACE", name)}]}
    listed = argument in LISTS or isinstance(body.get(argument), list)
    return body | {argument: [name] if listed else name}


async def compare_routes(world: World) -> int:
    """Ask each route for each name; return how many answers were compared."""
    assert set(ROUTES) | OWNER == {path for _, path, _ in CALLS} | {path for path, _ in STREAMS}
    compared = 0
    async with world.daemon.client() as client:

        async def told(path: str, body: dict[str, Any]) -> str:
            if path == "/v1/show":
                answer = await client.get(path, params=body)
            else:
                answer = await client.post(path, json=body)
            return f"{answer.status_code} {answer.text}"

        for path, (_, arguments) in ROUTES.items():
            for argument in arguments:
                for names in world.names(argument, path):
                    first, second = [
                        await told(path, body_of(path, argument, name)) for name in names
                    ]
                    same(first, second, names, f"{path} {argument} {names[0]}")
                    compared += 1
    return compared


async def compare_strangers(base: str) -> int:
    """Ask as a stranger; return how many answers were compared."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Accept": "application/json, text/event-stream"}
    asked: list[tuple[str, dict[str, Any], list[tuple[str, str]]]] = [
        ("search_docs", {"query": "winter sleep", "project": HERE}, PROJECTS),
        ("search_docs", {"query": "winter sleep", "audience": [HERE]}, LABELS),
        ("get_document", {"project": HERE, "path": "docs/sleep.md"}, PROJECTS),
        ("get_document", {"project": "marmots", "path": HERE}, DOCUMENTS),
        ("get_document", {"address": HERE}, DOCUMENT_PLACES),
        (HERE, {}, [("arch_list", "arch_lisp"), ("term_search", "term_serach")]),
    ]
    compared = 0
    async with httpx.AsyncClient(base_url=base, headers=headers, timeout=30) as client:

        async def told(tool: str, given: dict[str, Any]) -> str:
            params = {"name": tool, "arguments": given}
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            answer = await client.post("/knowledge/mcp", json=message)
            return f"{answer.status_code} {answer.text}"

        for tool, given, pairs in asked:
            for names in pairs:
                first, second = [
                    await told(tool.replace(HERE, name), filled(given, name)) for name in names
                ]
                same(first, second, names, f"{tool} {given}")
                compared += 1
        for names in (("/v1/status", "/v1/stutas"), ("/knowledge/sse", "/knowledge/sso")):
            first, second = [
                f"{(answer := await client.get(name)).status_code} {answer.text}" for name in names
            ]
            same(first, second, names, names[0])
            compared += 1
    return compared


# --------------------------------------------------------------------------- the walk


@contextlib.asynccontextmanager
async def connected(base: str, path: str) -> AsyncIterator[Client]:
    async with Client(f"{base}{path}") as client:
        yield client


async def test_out_of_scope_is_like_missing_wherever_something_can_be_asked_for(
    world: World,
) -> None:
    base = await world.daemon.http_url()
    known: set[str] = set()
    for path, least in (("/mcp", 100), ("/support/mcp", 40)):
        async with connected(base, path) as client:
            assert await compare_tools(client, world, known) > least
            await compare_resources(client)
            await compare_prompts(client, world)
    assert await compare_routes(world) > 100
    assert await compare_strangers(base) > 10
    there = (await world.daemon.call("POST", "/v1/flush", {}))["freshness"]
    names = {one["project"] for one in there}
    assert names == {"marmots", "badgers", "rabbits"}, "nothing out of scope was removed"
    await world.daemon.stop()
    with contextlib.closing(NotesFile.open(notes_of(world.daemon))) as file:
        left = {note.id for note in file.all_of()}
    assert {one for one, _ in world.ids["ids"]} <= left, "nothing out of scope was deleted"

"""contrib/API.md says what the control API does: calls, what they take and reply, examples."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.routing import Router
from starlette.testclient import TestClient

from paparatsd.interfaces.control import CALLS, STREAMS, control_routes
from tests.harness.fake_service import FakeService

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "contrib" / "API.md").read_text(encoding="utf-8")
SECTIONS = {
    heading: body.split("\n## ")[0]
    for heading, _, body in (part.partition("\n") for part in TEXT.split("\n### ")[1:])
}
ROUTES = {
    *(f"{method} {path}" for method, path, _ in CALLS),
    *(f"GET {path}" for path, _ in STREAMS),
}
ADDRESS = "marmots:src/burrow3.py#Burrow.dig"
VALUES = {
    "query": "x", "question": "x", "address": ADDRESS, "path": "/src/marmots", "name": "marmots",
    "source": "sleep", "target": "Burrow.dig", "term": "nap", "definition": "A short sleep.",
    "project": "marmots", "ids": ["none"], "kind": "lesson", "rule": "x", "why": "x", "when": "x",
    "files": [{"name": "a.md", "text": "# A"}], "group": "web", "content": "# A",
}  # fmt: skip
PUSHED = [{"path": "a.md", "content": "# A"}]
PATHS = {"POST /v1/document": "README.md", "POST /v1/projects": "/src/new"}
CARD = "POST /v1/cards/record"
OF_KIND = {
    kind: {"kind": kind, "project": "marmots", **dict.fromkeys(names.split(), "x")}
    for kind, names in (
        ("component", "name summary"),
        ("decision", "title context decision consequences"),
        ("lesson", "rule why when"),
    )
}


def client() -> TestClient:
    return TestClient(Router(control_routes(FakeService())))


def paragraph(section: str, verb: str) -> str:
    """Return what follows `Takes` or `Replies`, up to the end of the paragraph."""
    return section.split(f"{verb} ", 1)[1].split("\n\n")[0] if f"{verb} " in section else ""


def taken(section: str, verb: str = "Takes") -> dict[str, bool]:
    """Return the arguments of a call, and whether each is needed."""
    found = re.findall(r"`([a-z_]+)(\??)`", re.sub(r"\([^)]*\)", "", paragraph(section, verb)))
    return {name: not optional for name, optional in found}


def needed_of(heading: str) -> dict[str, Any]:
    """Return the least that a call takes."""
    if heading == CARD:
        return OF_KIND["lesson"]
    written = taken(SECTIONS[heading])
    needed = {name: VALUES[name] for name, is_needed in written.items() if is_needed}
    if "question" in written:
        needed["question"] = VALUES["question"]
    if heading == "POST /api/index":
        needed["files"] = PUSHED
    if heading in PATHS:
        needed["path"] = PATHS[heading]
    return needed


def known_of(heading: str, arguments: dict[str, Any]) -> set[str]:
    """Return the arguments that a call says it knows."""
    refusal = call(heading, {**arguments, "nonsense": "1"}).json()["error"]["message"]
    return set(refusal.partition("known are: ")[2].split(", "))


def call(heading: str, arguments: dict[str, Any]) -> Any:
    method, _, path = heading.partition(" ")
    path = path.replace("{name}", "marmots")
    if method == "POST":
        return client().post(path, content=json.dumps(arguments))
    pairs = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in arguments.items())
    return client().request(method, f"{path}?{pairs}")


def test_every_call_is_there_and_no_other() -> None:
    assert set(SECTIONS) == ROUTES


@pytest.mark.parametrize("heading", sorted(ROUTES - {CARD}))
def test_a_call_takes_what_is_written(heading: str) -> None:
    written = taken(SECTIONS[heading])
    assert known_of(heading, needed_of(heading)) == (set(written) or {"none"})


@pytest.mark.parametrize("kind", list(OF_KIND))
def test_a_card_of_each_kind_takes_what_is_written(kind: str) -> None:
    written = {**taken(SECTIONS[CARD]), **taken(SECTIONS[CARD], f"A {kind} also takes")}
    assert known_of(CARD, OF_KIND[kind]) == set(written)
    for name, is_needed in written.items():
        without = {key: value for key, value in OF_KIND[kind].items() if key != name}
        component = name == "project" and kind == "component"
        assert (call(CARD, without).status_code == 400) == (is_needed or component), name


@pytest.mark.parametrize("heading", sorted(ROUTES - {"GET /v1/events"}))
def test_a_call_replies_what_is_written(heading: str) -> None:
    section = SECTIONS[heading]
    if section.strip().startswith("As `install`"):
        section = SECTIONS["POST /v1/hooks/install"]
    reply = call(heading, needed_of(heading))
    assert reply.status_code == 200, reply.text
    said = re.sub(r"\([^)]*\)|`\{[^`]*`", "", paragraph(section, "Replies").split(". ")[0])
    named = set(re.findall(r"`([a-z_]+)`", said))
    assert set(reply.json()) - {"problems"} <= named
    assert named - set(reply.json()) <= {"problems"}


@pytest.mark.parametrize(
    ("value", "heading", "keys"),
    [
        ("PROJECT", "GET /v1/projects", ("projects", 0)),
        ("HIT", "POST /v1/search", ("results", 0)),
        ("FRESHNESS", "POST /v1/search", ("freshness", 0)),
        ("COMMIT", "POST /v1/commits", ("commits", 0, "commit")),
        ("PLACE", "POST /v1/commits", ("commits", 0, "places", 0)),
        ("PERSON", "POST /v1/commits", ("commits", 0, "commit", "author")),
        ("SYMBOL", "POST /v1/usages", ("found", 0, "symbol")),
        ("EDGE", "POST /v1/usages", ("found", 0, "incoming", "edges", 0)),
        ("AFFECTED", "POST /v1/impact", ("affected", 0)),
        ("DOCUMENT", "POST /v1/document", ("document",)),
        ("DOCHIT", "POST /v1/docs", ("results", 0)),
        ("TERM", "POST /v1/terms/list", ("terms", 0)),
    ],
)
def test_a_value_has_what_is_written(value: str, heading: str, keys: tuple[Any, ...]) -> None:
    body = {"address": ADDRESS} if heading == "POST /v1/impact" else needed_of(heading)
    shape = call(heading, body).json()
    for key in keys:
        shape = shape[key]
    of_document = members_of("DOCUMENT") if value == "DOCHIT" else set()
    assert members_of(value) | of_document == set(shape)


def members_of(value: str) -> set[str]:
    text = TEXT.split(f"* **{value}** has")[1].split("\n* **")[0].split("; with `")[0]
    return set(re.findall(r"`([a-z_]+)`", re.sub(r"\([^)]*\)", "", text).split(";")[0]))


def test_a_card_has_what_is_written_and_what_its_kind_takes() -> None:
    cards = call("POST /v1/cards/list", {"include_history": True}).json()["cards"]
    assert {one["kind"] for one in cards} == set(OF_KIND)
    for card in cards:
        own = taken(SECTIONS[CARD], f"A {card['kind']} also takes")
        assert set(card) == members_of("CARD") | set(own), card["kind"]


@pytest.mark.parametrize(
    "name",
    [
        "search", "log", "commits", "explain", "usages", "definition", "outline", "calls",
        "impact", "changed", "unused", "hubs", "docs", "document", "terms/search", "terms/list",
        "terms/record", "terms/delete", "cards/context", "cards/list", "cards/record",
        "cards/delete", "cards/suggest", "cards/stats", "cards/export", "cards/import",
    ],
)  # fmt: skip
def test_an_example_is_a_call_that_is_answered(name: str) -> None:
    (line,) = [
        line for line in TEXT.splitlines() if line.startswith("curl") and f"/v1/{name} " in line
    ]
    words = shlex.split(line)
    body = json.loads(words[words.index("-d") + 1])
    assert body
    body |= {key: VALUES[key] for key in ("address", "source", "target") if key in body}
    for filtered in ("paths", "projects", "groups"):
        body.pop(filtered, None)
    if "project" in body:
        body["project"] = "marmots"
    if "path" in body:
        body["path"] = "README.md"
    assert client().post(f"/v1/{name}", content=json.dumps(body)).status_code == 200


def test_a_question_has_one_name_at_a_time() -> None:
    both = call("POST /v1/explain", {"query": "x", "question": "y"})
    assert both.json()["error"]["message"] == "give query or question, not both"
    none = call("POST /v1/explain", {})
    assert "query or question is missing" in none.json()["error"]["message"]

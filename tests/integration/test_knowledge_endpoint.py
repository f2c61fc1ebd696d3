"""Documents for strangers: who gets in, what they may send, what they learn."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from paparatsd.errors import BadQuery, PaparatsError, Unavailable, UnknownProject
from paparatsd.interfaces.mcp.endpoints import KNOWLEDGE_BODY_BYTES
from paparatsd.interfaces.mcp.knowledge import UNAVAILABLE
from paparatsd.interfaces.mcp.stateless import MAX_RUNNING
from paparatsd.model import ProjectName
from paparatsd.publication import Publication
from paparatsd.settings import HttpSettings
from tests.harness.fake_service import FakeService, Served, served

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from paparatsd.docs_model import DocsAnswer, DocsRequest

PATH = "/knowledge/mcp"
TOKEN, NEXT_TOKEN = "marmots-whistle-at-dawn", "marmots-whistle-at-dusk"
OWN_TOKEN = "the-listeners-own-token"
SCOPE = Publication((TOKEN, NEXT_TOKEN), frozenset({"public"}))
BEARER = {"Authorization": f"Bearer {TOKEN}"}
POST = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
YAKS, IBEX = ProjectName("yaks"), ProjectName("ibex")
MARMOTS_ONLY = Publication((TOKEN,), frozenset({"public"}), frozenset({"marmots"}))


def call(name: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


@asynccontextmanager
async def strangers(
    scope: Publication | None = SCOPE,
    *,
    service: FakeService | None = None,
    settings: HttpSettings | None = None,
    headers: dict[str, str] | None = None,
) -> AsyncIterator[tuple[Served, httpx.AsyncClient]]:
    sent = {**POST, **(BEARER if headers is None else headers)}
    async with (
        served(settings, service=service, knowledge=scope) as up,
        httpx.AsyncClient(base_url=up.http, headers=sent, timeout=10) as client,
    ):
        yield up, client


@asynccontextmanager
async def sdk_client(up: Served, mode: str) -> AsyncIterator[Client]:
    async with httpx2.AsyncClient(headers=BEARER, timeout=10) as http:
        carrier = streamable_http_client(f"{up.http}{PATH}", http_client=http)
        async with Client(carrier, mode=mode) as client:
            yield client


async def raw(port: int, data: bytes) -> bytes:
    """Send bytes, and return everything until the server closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        await writer.drain()
        async with asyncio.timeout(5):
            return await reader.read()
    finally:
        writer.close()


def head(port: int, *lines: str, method: str = "POST") -> bytes:
    first = [f"{method} {PATH} HTTP/1.1", f"Host: 127.0.0.1:{port}"]
    return "\r\n".join([*first, *lines, "", ""]).encode("latin-1")


# --------------------------------------------------------------------------- who gets in


@pytest.mark.parametrize("token", [TOKEN, NEXT_TOKEN])
async def test_each_of_several_tokens_opens_it(token: str) -> None:
    async with strangers(headers={"Authorization": f"Bearer {token}"}) as (_, client):
        answer = await client.post(PATH, json=LIST)
        assert answer.status_code == 200
        assert len(answer.json()["result"]["tools"]) == 2


@pytest.mark.parametrize(
    "value",
    [
        None, "", "Bearer", "Bearer ", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN}x", f"Bearer {TOKEN},{NEXT_TOKEN}", f"Bearer {OWN_TOKEN}",
        "Bearer \xff\xfe",
    ],
)  # fmt: skip
async def test_without_a_right_token_it_is_closed_and_says_which_scheme(value: str | None) -> None:
    own = HttpSettings(port=0, token=OWN_TOKEN)
    async with served(own, knowledge=SCOPE) as up:
        lines = [] if value is None else [f"Authorization: {value}"]
        answer = await raw(up.port, head(up.port, *lines, "Content-Length: 50000"))
        assert answer.startswith(b"HTTP/1.1 401 ")
        assert b"www-authenticate: bearer" in answer.lower()
        assert b"100 Continue" not in answer
        assert up.service.knowledge.asked == []


async def test_a_token_sent_twice_is_none() -> None:
    async with served(knowledge=SCOPE) as up:
        line = f"Authorization: Bearer {TOKEN}"
        answer = await raw(up.port, head(up.port, line, line, "Content-Length: 2"))
        assert answer.startswith(b"HTTP/1.1 401 ")


async def test_its_tokens_open_nothing_else_and_the_listeners_own_does_not_open_it() -> None:
    own = HttpSettings(port=0, token=OWN_TOKEN)
    async with strangers(settings=own) as (_, client):
        assert (await client.post(PATH, json=LIST)).status_code == 200
        for path in ("/mcp", "/support/mcp", "/health", "/knowledge", f"{PATH}/", "/v1/status"):
            assert (await client.post(path, json=LIST)).status_code == 401, path
        mine = {"Authorization": f"Bearer {OWN_TOKEN}"}
        assert (await client.post(PATH, json=LIST, headers=mine)).status_code == 401
        assert (await client.get("/health", headers=mine)).status_code == 200


async def test_no_way_of_writing_the_path_comes_past_its_guard() -> None:
    async with strangers(headers={}) as (up, client):
        for path in (PATH, "/knowledge/%6dcp", "/%6bnowledge%2fmcp", f"{PATH}?x=1"):
            assert (await client.post(path, json=LIST)).status_code == 401, path
        for path in (f"{PATH}/", f"/{PATH}", "/knowledge/./mcp", "/KNOWLEDGE/MCP", f"/x/..{PATH}"):
            line = head(up.port, "Content-Length: 0", "Connection: close")
            answer = await raw(up.port, line.replace(PATH.encode(), path.encode(), 1))
            assert answer.startswith((b"HTTP/1.1 404 ", b"HTTP/1.1 400 ")), path


async def test_where_it_is_not_configured_the_path_is_like_any_unknown_one() -> None:
    async with strangers(None) as (_, client):
        for method in ("GET", "POST", "DELETE"):
            there = await client.request(method, PATH, json=LIST)
            nowhere = await client.request(method, "/knowledge/xyz", json=LIST)
            assert there.status_code == 404
            assert there.content == nowhere.content
            assert sorted(there.headers) == sorted(nowhere.headers)


async def test_the_unix_socket_does_not_have_it() -> None:
    async with served(knowledge=SCOPE) as up:
        transport = httpx.AsyncHTTPTransport(uds=up.control)
        async with httpx.AsyncClient(transport=transport, headers={**POST, **BEARER}) as client:
            assert (await client.post(f"http://localhost{PATH}", json=LIST)).status_code == 404


async def test_host_and_origin_are_looked_at_before_the_token() -> None:
    async with served(knowledge=SCOPE) as up:
        for lines, status in (
            (["Origin: http://evil.example"], b"403"),
            ([f"Authorization: Bearer {TOKEN}", "Origin: null"], b"403"),
        ):
            answer = await raw(up.port, head(up.port, *lines, "Content-Length: 0"))
            assert answer.split(b" ")[1] == status
        foreign = head(up.port, f"Authorization: Bearer {TOKEN}", "Content-Length: 0")
        foreign = foreign.replace(b"127.0.0.1", b"evil.example")
        assert (await raw(up.port, foreign)).startswith(b"HTTP/1.1 421 ")


# --------------------------------------------------------------------------- what may be sent


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD", "OPTIONS", "PATCH"])
async def test_all_but_post_is_405(method: str) -> None:
    async with strangers() as (_, client):
        answer = await client.request(method, PATH)
        assert answer.status_code == 405
        assert answer.headers["allow"] == "POST"


async def test_a_body_over_64_kilobytes_is_413_by_its_head_or_as_it_comes() -> None:
    async with strangers() as (up, client):
        padded = json.dumps({**LIST, "x": ""}).encode()
        fill = KNOWLEDGE_BODY_BYTES - len(padded)
        fitting = padded.replace(b'""', b'"' + b"y" * fill + b'"')
        assert len(fitting) == KNOWLEDGE_BODY_BYTES
        assert (await client.post(PATH, content=fitting)).status_code == 200
        assert (await client.post(PATH, content=fitting + b" ")).status_code == 413

        async def pieces() -> AsyncIterator[bytes]:
            for _ in range(5):
                yield b" " * (16 << 10)

        assert (await client.post(PATH, content=pieces())).status_code == 413
        bearer = f"Authorization: Bearer {TOKEN}"
        answer = await raw(up.port, head(up.port, bearer, "Content-Length: 65537"))
        assert answer.startswith(b"HTTP/1.1 413 ")


async def test_a_slow_body_ends_at_the_deadline_and_is_never_answered() -> None:
    quick = HttpSettings(port=0, body_deadline_s=0.3)
    async with served(quick, knowledge=SCOPE) as up:
        lines = (f"Authorization: Bearer {TOKEN}", "Content-Length: 100")
        answer = await raw(up.port, head(up.port, *lines) + b'{"json')
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert up.service.knowledge.asked == []


async def test_a_question_has_at_most_a_thousand_characters() -> None:
    async with strangers() as (up, client):
        for length, is_error in ((1_000, False), (1_001, True)):
            question = call("search_docs", query="я" * length)
            result = (await client.post(PATH, json=question)).json()["result"]
            assert result.get("isError", False) is is_error
        assert "at most 1000" in result["content"][0]["text"]
        assert len(up.service.knowledge.asked) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        {}, {"query": " "}, {"query": 5}, {"query": "x", "limit": 0}, {"query": "x", "limit": 31},
        {"query": "x", "group": "alps"}, {"query": "x", "min_score": 0},
        {"query": "x", "history": True}, {"query": "x", "fresh": True},
        {"query": "x", "audience": {"a": 1}}, {"query": "x\0"},
    ],
)  # fmt: skip
async def test_other_arguments_are_refused(arguments: dict[str, Any]) -> None:
    async with strangers() as (up, client):
        result = (await client.post(PATH, json=call("search_docs", **arguments))).json()["result"]
        assert result["isError"]
        assert "was not run" in result["content"][0]["text"]
        assert up.service.knowledge.asked == []


async def test_malformed_messages_are_no_crash() -> None:
    bodies = (b"", b"{", b"[]", b"null", b"\xff", b"[" * 60_000, b'{"jsonrpc":"2.0","id":1}')
    async with strangers() as (_, client):
        for body in bodies:
            for version in ("2025-06-18", "2026-07-28", "x"):
                headers = {"Mcp-Protocol-Version": version}
                answer = await client.post(PATH, content=body, headers=headers)
                assert 400 <= answer.status_code < 500, body[:20]
                assert "Traceback" not in answer.text


# --------------------------------------------------------------------------- what is told


async def test_it_offers_two_tools_with_schemas_and_nothing_else() -> None:
    async with strangers() as (_, client):
        tools = (await client.post(PATH, json=LIST)).json()["result"]["tools"]
        assert [tool["name"] for tool in tools] == ["search_docs", "get_document"]
        for tool in tools:
            assert tool["outputSchema"]["type"] == "object"
            assert tool["inputSchema"]["additionalProperties"] is False
            assert tool["annotations"] == {
                "title": tool["title"], "readOnlyHint": True, "openWorldHint": False,
            }  # fmt: skip
        for method in (
            "prompts/list", "prompts/get", "resources/list", "resources/templates/list",
            "resources/read", "completion/complete", "logging/setLevel",
        ):  # fmt: skip
            answer = await client.post(PATH, json={**LIST, "method": method, "params": {}})
            assert answer.json()["error"]["code"] in (-32601, -32602), method
        for name in ("search_code", "term_search", "arch_context", "list_projects"):
            error = (await client.post(PATH, json=call(name, query="x"))).json()["error"]
            assert error["code"] == -32602


async def test_no_session_is_opened_and_none_is_looked_for() -> None:
    hello = {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }  # fmt: skip
    async with strangers() as (_, client):
        opening = await client.post(PATH, json={**LIST, "method": "initialize", "params": hello})
        assert opening.headers["content-type"] == "application/json"
        assert "mcp-session-id" not in opening.headers
        result = opening.json()["result"]
        assert set(result["capabilities"]) == {"tools"}
        assert "MUST call search_docs" in result["instructions"]
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert (await client.post(PATH, json=ready)).status_code == 202
        for session in ("0123456789abcdef" * 2, "no such session", "../.."):
            named = await client.post(PATH, json=LIST, headers={"Mcp-Session-Id": session})
            assert named.status_code == 200
            assert "mcp-session-id" not in named.headers


async def test_a_session_of_a_toolset_is_worth_nothing_here() -> None:
    hello = {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }  # fmt: skip
    async with strangers() as (_, client):
        message = {**LIST, "method": "initialize", "params": hello}
        session = (await client.post("/mcp", json=message)).headers["mcp-session-id"]
        named = await client.post(PATH, json=LIST, headers={"Mcp-Session-Id": session})
        assert len(named.json()["result"]["tools"]) == 2


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_sdks_client_works_with_it(mode: str) -> None:
    async with served(knowledge=SCOPE) as up, sdk_client(up, mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["search_docs", "get_document"]
        assert "documents" in (client.instructions or "")
        found = await client.call_tool("search_docs", {"query": "how deep do they dig"})
        assert not found.is_error
        (hit,) = found.structured_content["results"]
        assert (hit["project"], hit["path"]) == ("marmots", "docs/burrows.md")
        place = {"project": hit["project"], "path": hit["path"]}
        pieces: list[str] = []
        where: dict[str, Any] = {"next_offset": 0}
        while where["next_offset"] is not None:
            asked = {**place, "offset": where["next_offset"], "max_chars": "500"}
            where = (await client.call_tool("get_document", asked)).structured_content
            pieces.append(where["content"])
        assert len(pieces) == 4
        assert "Paragraph 59" in pieces[-1]
        for refused in (client.list_prompts, client.list_resources):
            with pytest.raises(MCPError):
                await refused()


async def test_an_answer_holds_nothing_of_groups_history_notes_and_other_projects() -> None:
    service = FakeService(others=(YAKS,), beside=(IBEX,))
    async with strangers(MARMOTS_ONLY, service=service) as (_, client):
        search = call("search_docs", query="burrow alarm")
        get = call("get_document", project="marmots", path="docs/burrows.md")
        found, whole = [await client.post(PATH, json=one) for one in (search, get)]
        result = found.json()["result"]
        (hit,) = result["structuredContent"]["results"]
        text = result["content"][0]["text"]
        for part in (hit["title"], hit["path"], hit["link"], "sections 2-4 of 9", "out of date"):
            assert part in text
        assert hit["excerpt"] == {"first": 2, "last": 4, "total": 9}
        assert "Paragraph 59" in whole.text
        for answer in (found, whole):
            for secret in (
                "group", "yaks", "ibex", "secret", "A whistle", "Where a family", "freshness",
                "generation", "last_change", "README", "internal", "Bert", "terms", "search_code",
            ):  # fmt: skip
                assert secret not in answer.text, secret


async def test_the_service_is_told_how_far_it_may_reach() -> None:
    scope = Publication((TOKEN,), frozenset({"public", "partner"}), frozenset({"marmots"}))
    async with strangers(scope) as (up, client):
        asked = call("search_docs", query="x", audience=["partner", "internal"], project="all")
        await client.post(PATH, json=asked)
        await client.post(PATH, json=call("get_document", project="marmots", path="README.md"))
        for request in up.service.knowledge.asked:
            reach = request.reach  # type: ignore[attr-defined]
            assert reach.ceiling == {"public", "partner"}
            assert reach.visible == {"marmots"}
            assert reach.notes is False
            assert reach.groups == ()
        search, get = up.service.knowledge.asked
        assert search.reach.audience == ("partner", "internal")  # type: ignore[attr-defined]
        assert (search.history, search.fresh) == (False, False)  # type: ignore[attr-defined]
        assert get.reach.audience == ()  # type: ignore[attr-defined]


OUTSIDE: tuple[dict[str, Any], ...] = (
    {},
    {"project": "yaks"},
    {"project": "ibex"},
    {"project": "no-such-project"},
    {"audience": ["internal"]},
    {"audience": ["no-such-audience"]},
    {"project": "yaks", "audience": ["public"], "limit": 30, "offset": 0},
)
"""Arguments beside the question that lead out of the scope."""
MISSING = (
    ("marmots", "no/such/file.md"),
    ("marmots", "README.md"),
    ("yaks", "docs/secret.md"),
    ("yaks", "no/such/file.md"),
    ("ibex", "docs/secret.md"),
    ("no-such-project", "docs/secret.md"),
    ("marmots", "../../etc/passwd"),
    ("all", "docs/burrows.md"),
)


def world_without(*, documents: bool = True) -> FakeService:
    """Return a service with nothing to tell; other documents and projects are there or not."""
    if not documents:
        service = FakeService()
        service.knowledge.documents.clear()
        return service
    service = FakeService(others=(YAKS,), beside=(IBEX,))
    service.knowledge.documents = [
        one for one in service.knowledge.documents if one[0].path != "docs/burrows.md"
    ]
    return service


@pytest.mark.parametrize("obedient", [True, False])
async def test_what_is_out_of_scope_is_missing_byte_for_byte(*, obedient: bool) -> None:
    hidden, absent = world_without(), world_without(documents=False)
    hidden.knowledge.obedient = obedient
    async with (
        strangers(MARMOTS_ONLY, service=hidden) as (_, behind),
        strangers(MARMOTS_ONLY, service=absent) as (_, beside),
    ):
        searches = [call("search_docs", query="the secret", **more) for more in OUTSIDE]
        answers = [
            (await client.post(PATH, json=one)) for one in searches for client in (behind, beside)
        ]
        assert {answer.content for answer in answers} == {answers[0].content}
        assert {answer.status_code for answer in answers} == {200}
        assert "Nothing found" in answers[0].text
        for project, path in MISSING:
            one = call("get_document", project=project, path=path)
            there, nowhere = [await client.post(PATH, json=one) for client in (behind, beside)]
            assert there.content == nowhere.content, path
            assert there.json()["result"]["structuredContent"]["found"] is False


async def test_missing_documents_answer_alike_but_for_their_names() -> None:
    service = FakeService(others=(YAKS,))
    async with strangers(MARMOTS_ONLY, service=service) as (_, client):
        answers = set()
        for project, path in MISSING:
            answer = await client.post(PATH, json=call("get_document", project=project, path=path))
            tokens = r'"tokens":[0-9]+'
            named = answer.text.replace(f"'{path}'", "PATH").replace(f"'{project}'", "PROJECT")
            answers.add(re.sub(tokens, "", named))
        assert len(answers) == 1


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (Unavailable("the store at /home/me/state is down"), UNAVAILABLE),
        (PaparatsError("project yaks"), UNAVAILABLE),
        (RuntimeError("project yaks"), UNAVAILABLE),
        (UnknownProject("no project named 'x' (projects: yaks)"), "Nothing found"),
    ],
)
async def test_failures_tell_a_stranger_nothing(failure: Exception, said: str) -> None:
    service = FakeService(failure=failure)
    async with strangers(service=service) as (_, client):
        result = (await client.post(PATH, json=call("search_docs", query="x"))).json()["result"]
        assert said in result["content"][0]["text"]
        assert "yaks" not in result["content"][0]["text"]
        assert result.get("isError", False) is (said == UNAVAILABLE)


async def test_what_the_service_refuses_is_refused_without_its_reason() -> None:
    service = FakeService(failure=BadQuery("yaks has no such thing"))
    async with strangers(service=service) as (_, client):
        for question in (
            call("search_docs", query="x"),
            call("get_document", project="marmots", path="x"),
        ):
            answer = await client.post(PATH, json=question)
            assert answer.json()["result"]["isError"]
            assert "was not run" in answer.text
            assert "yaks" not in answer.text


# --------------------------------------------------------------------------- many at once


class Waiting(FakeService):
    """A service whose documents take until `release`; `running` counts who waits for them."""

    def __init__(self) -> None:
        super().__init__()
        self.running = asyncio.Semaphore(0)

    @property
    def docs(self) -> Any:
        """The documents."""
        return _WaitingDocs(self)


class _WaitingDocs:
    def __init__(self, service: Waiting) -> None:
        self._service = service

    async def search(self, _request: DocsRequest) -> DocsAnswer:
        self._service.running.release()
        try:
            await self._service.release.wait()
        except BaseException:
            self._service.cancelled.set()
            raise
        raise Unavailable("released")


async def test_so_many_at_a_time_and_agents_of_this_machine_are_served_beside() -> None:
    service = Waiting()
    async with strangers(service=service) as (_, client):
        question = call("search_docs", query="x")
        running = [
            asyncio.create_task(client.post(PATH, json=question)) for _ in range(MAX_RUNNING)
        ]
        async with asyncio.timeout(5):
            for _ in running:
                await service.running.acquire()
        refused = await client.post(PATH, json=question)
        assert refused.status_code == 503
        assert refused.headers["retry-after"] == "1"
        assert (await client.get("/health")).status_code == 200
        service.release.set()
        assert {answer.status_code for answer in await asyncio.gather(*running)} == {200}
        assert (await client.post(PATH, json=LIST)).status_code == 200


async def test_who_goes_away_is_not_worked_for() -> None:
    service = Waiting()
    async with strangers(service=service) as (_, client):
        running = asyncio.create_task(client.post(PATH, json=call("search_docs", query="x")))
        async with asyncio.timeout(5):
            await service.running.acquire()
            running.cancel()
            await service.cancelled.wait()


async def test_the_log_holds_neither_tokens_nor_questions(
    capfd: pytest.CaptureFixture[str],
) -> None:
    service = FakeService(failure=Unavailable("the store is down"))
    async with strangers(service=service) as (_, client):
        await client.post(PATH, json=call("search_docs", query="canary-question"))
        wrong = {"Authorization": "Bearer canary-token-0123456789"}
        await client.post(PATH, json=LIST, headers=wrong)
    said = "".join(capfd.readouterr())
    assert "knowledge_unanswered" in said
    assert "unauthorized" in said
    for secret in ("canary", TOKEN, NEXT_TOKEN):
        assert secret not in said

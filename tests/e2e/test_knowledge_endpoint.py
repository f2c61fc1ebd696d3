"""The knowledge endpoint of a real daemon: what outsiders find, and what is not there for them."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.harness.daemon import Daemon, DaemonFailed, running_daemon
from tests.harness.repos import Repo

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

TOKEN, PARTNER_TOKEN = "marmots-whistle-at-dawn", "marmots-whistle-at-dusk"
OPTIONS = {
    "PAPARATS_KNOWLEDGE_TOKENS": f"{TOKEN},{PARTNER_TOKEN}",
    "PAPARATS_KNOWLEDGE_AUDIENCE": "public",
    "PAPARATS_KNOWLEDGE_PROJECTS": "handbook,guide",
}
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
    "Authorization": f"Bearer {TOKEN}",
}
PATH = "/knowledge/mcp"
SLEEP = "Marmots sleep for six months in winter, in burrows that they close with hay and earth."
HIDDEN = "The winter sleep of marmots is guarded by Waldemar, whose telephone number is 4711."


def labelled(audience: str, title: str, text: str) -> str:
    return f"---\naudience: {audience}\ntitle: {title}\n---\n\n# {title}\n\n{text}\n"


HANDBOOK = {
    "docs/sleep.md": labelled("public", "Winter sleep", SLEEP),
    "docs/food.md": labelled("public", "Food", "Marmots eat grass, herbs and now and then a root."),
    "docs/guards.md": labelled("partner", "Guards of winter sleep", HIDDEN),
    "docs/notes.md": f"# Winter sleep, notes\n\n{HIDDEN}\n",
    "docs/slip.md": labelled("pub lic!", "Winter sleep, a slip", HIDDEN),
}
PUBLISHED = "docs:\n  audience: public\n"
PRIVATE = {"docs/sleep.md": labelled("public", "Winter sleep of others", HIDDEN)}


@asynccontextmanager
async def filled(
    tmp_path: Path, handbook: dict[str, str], *, private: bool
) -> AsyncIterator[Daemon]:
    async with running_daemon(OPTIONS) as daemon:
        await daemon.add(Repo.create(tmp_path / "handbook", handbook).root, name="handbook")
        if private:
            await daemon.add(Repo.create(tmp_path / "private", PRIVATE).root, name="private")
        await daemon.settle(history=True)
        yield daemon


def call(name: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


ASKED = [
    *(
        call("search_docs", query=query, **more)
        for query in ("winter sleep of marmots", "telephone number of Waldemar", "invoices of 2019")
        for more in ({}, {"project": "private"}, {"audience": ["partner"]}, {"project": "handbook"})
    ),
    *(
        call("get_document", project=project, path=path)
        for project, path in (
            ("handbook", "docs/guards.md"), ("handbook", "docs/notes.md"),
            ("handbook", "docs/slip.md"), ("private", "docs/sleep.md"),
            ("private", "docs/none.md"), ("handbook", "docs/none.md"), ("guide", "README.md"),
        )
    ),
    call("get_document", address="private:docs/sleep.md"),
]  # fmt: skip


async def answers_of(daemon: Daemon) -> list[bytes]:
    base = await daemon.http_url()
    async with httpx.AsyncClient(base_url=base, headers=HEADERS, timeout=30) as client:
        answers = [await client.post(PATH, json=one) for one in ASKED]
    assert {answer.status_code for answer in answers} == {200}
    return [answer.content for answer in answers]


async def test_an_outsider_finds_and_reads_what_is_published(tmp_path: Path) -> None:
    async with filled(tmp_path, HANDBOOK, private=True) as daemon:
        base = await daemon.http_url()
        async with httpx2.AsyncClient(headers=HEADERS, timeout=30) as http:
            carrier = streamable_http_client(f"{base}{PATH}", http_client=http)
            async with Client(carrier) as client:
                found: Any = await client.call_tool(
                    "search_docs", {"query": "how long do marmots sleep in winter"}
                )
                hits = found.structured_content["results"]
                assert hits[0]["path"] == "docs/sleep.md"
                assert {hit["audience"] for hit in hits} == {"public"}
                assert {hit["project"] for hit in hits} == {"handbook"}
                assert SLEEP in hits[0]["content"]
                whole: Any = await client.call_tool(
                    "get_document", {"project": "handbook", "path": "docs/sleep.md"}
                )
                assert SLEEP in whole.structured_content["content"]
        status = await daemon.status()
        assert "knowledge.projects names 'guide'" in status["problems"][0]
        shown = {"path": PATH, "audience": ["public"], "projects": ["guide", "handbook"]}
        assert status["knowledge"] == shown
        assert TOKEN not in json.dumps(status)
        log = daemon.log_text()
        assert "knowledge_served" in log
        assert TOKEN not in log
        assert PARTNER_TOKEN not in log


async def test_what_is_not_for_outsiders_might_as_well_not_exist(tmp_path: Path) -> None:
    published = {path: text for path, text in HANDBOOK.items() if "audience: public" in text}
    async with filled(tmp_path / "a", HANDBOOK, private=True) as daemon:
        with_hidden = await answers_of(daemon)
    async with filled(tmp_path / "b", published, private=False) as daemon:
        without = await answers_of(daemon)
    assert b"docs/sleep.md" in with_hidden[0]
    for asked, one, other in zip(ASKED, with_hidden, without, strict=True):
        assert one == other, json.dumps(asked["params"])
        assert b"4711" not in one


async def test_a_document_is_there_for_outsiders_from_the_moment_it_is_published(
    tmp_path: Path,
) -> None:
    async with filled(tmp_path, HANDBOOK, private=False) as daemon:
        question = call("get_document", project="handbook", path="docs/notes.md")
        base = await daemon.http_url()
        async with httpx.AsyncClient(base_url=base, headers=HEADERS, timeout=30) as client:

            async def found() -> bool:
                answer = await client.post(PATH, json=question)
                return bool(answer.json()["result"]["structuredContent"]["found"])

            assert not await found()
            notes = tmp_path / "handbook" / "docs" / "notes.md"
            notes.write_text(labelled("public", "Notes", "Nothing secret."), encoding="utf-8")
            await daemon.settle("handbook")
            assert await found()
            notes.write_text("# Notes\n\nNothing secret.\n", encoding="utf-8")
            await daemon.settle("handbook")
            assert not await found()


async def test_only_a_right_token_and_a_small_body_in_time_are_answered() -> None:
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with running_daemon({**OPTIONS, "PAPARATS_HTTP_BODY_DEADLINE_S": "0.3"}) as daemon:
        base = await daemon.http_url()
        async with httpx.AsyncClient(base_url=base, timeout=30) as client:

            async def status(authorization: str | None, content: bytes) -> tuple[int, bytes]:
                headers = {name: HEADERS[name] for name in ("Accept", "Content-Type")}
                if authorization is not None:
                    headers["Authorization"] = authorization
                answer = await client.post(PATH, content=content, headers=headers)
                if answer.status_code == 401:
                    assert answer.headers["www-authenticate"] == "Bearer"
                return answer.status_code, answer.content

            small, large = json.dumps(listing).encode(), b" " * (65 << 10)
            for token in (TOKEN, PARTNER_TOKEN):
                assert (await status(f"Bearer {token}", small))[0] == 200
            closed = [
                await status(value, body)
                for value in (None, "Bearer wrong", f"Bearer {TOKEN[:-1]}k", f"Basic {TOKEN}")
                for body in (small, large)
            ]
            assert {code for code, _ in closed} == {401}
            assert len(set(closed)) == 1, "what is wrong with a token is not told"
            assert (await status(f"Bearer {TOKEN}", large))[0] == 413
        assert (await slowly(base, b'{"jsonrpc')).startswith(b"HTTP/1.1 408 ")
        assert (await slowly(base, b"", token="wrong")).startswith(b"HTTP/1.1 401 ")


async def slowly(base: str, body: bytes, token: str = TOKEN) -> bytes:
    """Send the head of a request and never more of its body than this; return the answer."""
    url = httpx.URL(base)
    reader, writer = await asyncio.open_connection(url.host, url.port)
    try:
        head = f"POST {PATH} HTTP/1.1\r\nHost: {url.host}:{url.port}\r\nContent-Length: 100\r\n"
        writer.write(f"{head}Authorization: Bearer {token}\r\n\r\n".encode() + body)
        await writer.drain()
        async with asyncio.timeout(10):
            return await reader.read()
    finally:
        writer.close()


async def test_files_of_the_memory_are_not_published_with_the_documents_beside_them(
    tmp_path: Path,
) -> None:
    everything = {"docs/sleep.md": f"# Sleep\n\n{SLEEP}\n", ".paparats.yml": PUBLISHED}
    repo = Repo.create(tmp_path / "handbook", everything)
    async with running_daemon(OPTIONS) as daemon:
        await daemon.add(repo.root, name="handbook")
        await daemon.settle("handbook")
        written = await daemon.cli(
            "arch", "record", "lesson", "Never wake Waldemar", "--why", "His number is 4711.",
            "--when", "In the winter sleep of marmots.", "-p", "handbook",
        )  # fmt: skip
        assert written.returncode == 0
        await daemon.cli("arch", "export", str(repo.root / "docs"))
        await daemon.settle("handbook")
        asked = {"query": "how long is the winter sleep of marmots"}
        all_of_them = {**asked, "min_score": 0, "min_score_code": 0}
        ours = (await daemon.call("POST", "/v1/docs", all_of_them))["results"]
        assert {hit["audience"] for hit in ours} == {"internal", "public"}
        async with httpx.AsyncClient(
            base_url=await daemon.http_url(), headers=HEADERS, timeout=30
        ) as client:
            answer = (await client.post(PATH, json=call("search_docs", **asked))).text
            assert SLEEP in answer
            assert "4711" not in answer


@pytest.mark.parametrize("missing", ["PAPARATS_KNOWLEDGE_TOKENS", "PAPARATS_KNOWLEDGE_AUDIENCE"])
async def test_half_a_configuration_keeps_it_from_starting(missing: str) -> None:
    options = {name: value for name, value in OPTIONS.items() if name != missing}
    async with running_daemon(options, start=False) as daemon:
        with pytest.raises(DaemonFailed, match="ended with code 78") as caught:
            await daemon.start()
        assert missing in str(caught.value)
        assert TOKEN not in str(caught.value)

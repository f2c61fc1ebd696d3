"""The nginx example: what it says is valid, and lets through what it should and nothing else."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from paparatsd.interfaces.mcp.endpoints import KNOWLEDGE_BODY_BYTES
from paparatsd.publication import Publication
from tests.harness.fake_service import Served, served, short_directory

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

EXAMPLE = Path(__file__).resolve().parents[2] / "contrib" / "nginx" / "knowledge.conf"
NGINX = shutil.which("nginx", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin")))
OPENSSL = shutil.which("openssl")
TOKEN = "marmots-whistle-at-dawn"
PATH = "/knowledge/mcp"
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
    "Authorization": f"Bearer {TOKEN}",
}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
MAIN = """\
daemon off;
master_process off;
pid {directory}/nginx.pid;
error_log stderr notice;
events {{ }}
http {{
    access_log off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    include {directory}/knowledge.conf;
}}
"""

pytestmark = pytest.mark.skipif(
    NGINX is None, reason="nginx is not installed (Debian: apt-get install nginx-light)"
)


def write_configuration(directory: Path, text: str) -> Path:
    (directory / "knowledge.conf").write_text(text, encoding="utf-8")
    main = directory / "nginx.conf"
    main.write_text(MAIN.format(directory=directory), encoding="utf-8")
    return main


async def check(directory: Path, text: str) -> str:
    """Return what `nginx -t` says of a configuration; "" when it is valid."""
    main = write_configuration(directory, text)
    process = await asyncio.create_subprocess_exec(
        str(NGINX), "-t", "-q", "-e", "stderr", "-p", str(directory), "-c", str(main),
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, said = await process.communicate()
    return said.decode() if process.returncode else ""


@asynccontextmanager
async def in_front_of(up: Served) -> AsyncIterator[str]:
    """Run nginx with the example before a daemon; yields the path of its socket."""
    with short_directory() as directory:
        text = EXAMPLE.read_text(encoding="utf-8").replace("127.0.0.1:9876", f"127.0.0.1:{up.port}")
        text = text.replace("listen 8080;", f"listen unix:{directory}/web.sock;")
        main = write_configuration(directory, text)
        process = await asyncio.create_subprocess_exec(
            str(NGINX), "-e", "stderr", "-p", str(directory), "-c", str(main),
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            assert process.stderr is not None
            async with asyncio.timeout(5):
                # It says so after it listens.
                while b"event method" not in (line := await process.stderr.readline()):
                    assert line, "nginx has ended"
            yield f"{directory}/web.sock"
        finally:
            process.terminate()
            await process.communicate()


@asynccontextmanager
async def reached() -> AsyncIterator[tuple[Served, httpx.AsyncClient]]:
    publication = Publication((TOKEN,), frozenset({"public"}))
    async with served(knowledge=publication) as up, in_front_of(up) as web:
        transport = httpx.AsyncHTTPTransport(uds=web)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://knowledge.example.com", headers=HEADERS
        ) as client:
            yield up, client


async def test_the_example_is_valid_as_it_is(tmp_path: Path) -> None:
    assert await check(tmp_path, EXAMPLE.read_text(encoding="utf-8")) == ""


async def test_a_mistake_in_it_would_be_found(tmp_path: Path) -> None:
    text = EXAMPLE.read_text(encoding="utf-8").replace("proxy_buffering", "proxy_bufering")
    assert "proxy_bufering" in await check(tmp_path, text)


@pytest.mark.skipif(OPENSSL is None, reason="openssl is not installed")
async def test_it_is_valid_with_its_lines_on_tls() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    text, number = re.subn(r"^    # (listen 443|ssl_)", r"    \1", text, flags=re.MULTILINE)
    assert number == 4
    with short_directory() as directory:
        process = await asyncio.create_subprocess_exec(
            str(OPENSSL), "req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=example",
            "-out", str(directory / "knowledge.pem"), "-keyout", str(directory / "knowledge.key"),
            stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        assert await process.wait() == 0
        text = re.sub(r"/etc/ssl/(certs|private)", str(directory), text)
        text = text.replace("listen 443", f"listen unix:{directory}/tls.sock")
        assert await check(directory, text.replace("listen 8080;", "")) == ""


async def test_a_question_with_a_token_is_answered_and_the_sdks_client_works() -> None:
    publication = Publication((TOKEN,), frozenset({"public"}))
    async with (
        served(knowledge=publication) as up,
        in_front_of(up) as web,
        httpx2.AsyncClient(
            transport=httpx2.AsyncHTTPTransport(uds=web), headers=HEADERS, timeout=10
        ) as http,
    ):
        carrier = streamable_http_client(f"http://knowledge.example.com{PATH}", http_client=http)
        async with Client(carrier, mode="auto") as client:
            tools = (await client.list_tools()).tools
            assert [one.name for one in tools] == ["search_docs", "get_document"]
            found: Any = await client.call_tool("search_docs", {"query": "how deep do they dig"})
            (hit,) = found.structured_content["results"]
            assert hit["path"] == "docs/burrows.md"


async def test_only_that_path_only_post_and_only_with_a_token() -> None:
    async with reached() as (up, client):
        assert (await client.post(PATH, json=LIST)).status_code == 200
        assert (await client.post("/knowledge/%6dcp", json=LIST)).status_code == 200
        for path in ("/", "/mcp", "/support/mcp", "/health", f"{PATH}/", f"{PATH}/../../mcp"):
            answer = await client.post(path, json=LIST)
            assert answer.status_code == 404, path
            assert answer.headers["server"] == "nginx", path
        for method in ("GET", "DELETE", "PUT", "OPTIONS", "HEAD"):
            answer = await client.request(method, PATH)
            assert answer.status_code == 405, method
            assert answer.headers["allow"] == "POST"
        for wrong in ("", "Bearer wrong", f"Basic {TOKEN}"):
            answer = await client.post(PATH, json=LIST, headers={"Authorization": wrong})
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
        page = {"Origin": "https://evil.example"}
        assert (await client.post(PATH, json=LIST, headers=page)).status_code == 403
        assert up.service.knowledge.asked == []


async def test_a_body_of_64_kilobytes_passes_and_a_larger_one_does_not() -> None:
    async with reached() as (_, client):
        body = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'.ljust(KNOWLEDGE_BODY_BYTES)
        assert (await client.post(PATH, content=body)).status_code == 200
        assert (await client.post(PATH, content=body + b" ")).status_code == 413


async def test_who_asks_too_often_is_told_so() -> None:
    async with reached() as (_, client):
        answers = await asyncio.gather(*(client.post(PATH, json=LIST) for _ in range(40)))
        assert {answer.status_code for answer in answers} == {200, 429}

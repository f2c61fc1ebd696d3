"""The routes for programs, asked of a real daemon over TCP and over its own socket."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import httpx

from tests.harness.daemon import running_daemon
from tests.harness.repos import Repo, python_module

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness.daemon import Daemon

FILES = {
    ".paparats.yml": "metadata:\n  service: shop\n  bounded_context: sales\n  tags: [money]\n",
    "src/cart.py": python_module("cart", 12, 20),
    "src/mail.py": "def send_letter(address: str) -> None:\n    print(address)\n",
}


async def over_tcp(daemon: Daemon, token: str | None = None) -> httpx.AsyncClient:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return httpx.AsyncClient(base_url=await daemon.http_url(), headers=headers, timeout=30)


async def test_programs_search_read_and_count_over_tcp(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "shop", FILES)
    repo.write("src/mail.py", FILES["src/mail.py"] + "    print()\n")
    repo.commit("ABC-12 letters have an end")
    async with running_daemon() as daemon:
        await daemon.add(repo.root, name="shop", group="trade")
        await daemon.settle("shop", history=True)
        async with await over_tcp(daemon) as client:
            body = {"group": "trade", "query": "send a letter", "project": "shop", "limit": 3}
            found = (await client.post("/api/search", json=body)).json()
            first = found["results"][0]
            where = f"/api/chunk/{quote(first['chunk_id'], safe='')}"
            chunk = (await client.get(where)).json()
            meta = (await client.get(f"{where}/meta", params={"commit_limit": 1})).json()
            part = quote("shop:src/cart.py:100", safe="")
            wide = (await client.get(f"/api/chunk/{part}", params={"radius_lines": 40})).json()
            stats = (await client.get("/api/stats")).json()
            health = (await client.get("/health")).json()
            unknown = await client.post("/api/search", json={"group": "gone", "query": "x"})
            refused = await client.delete("/api/project/trade/shop")
            foreign = await client.get("/api/stats", headers={"Origin": "http://evil.example"})

        assert found["total"] == len(found["results"])
        assert found["metrics"]["tokensReturned"] > 0
        assert (first["file"], first["symbol_name"]) == ("src/mail.py", "send_letter")
        assert (first["service"], first["bounded_context"]) == ("shop", "sales")
        assert "money" in first["tags"]
        assert chunk["content"] == first["content"]
        assert chunk["last_commit_hash"] == repo.head()
        assert chunk["last_commit_at"] == first["last_commit_at"]
        assert chunk["ticket_keys"] == ["ABC-12"]
        assert meta["latest_commit"]["message_summary"] == "ABC-12 letters have an end"
        assert len(meta["commits"]) == 1
        assert {one["file"] for one in wide["adjacent_chunks"]} == {"src/cart.py"}
        assert stats["usage"]["searchCount"] == 1
        assert stats["registeredProjects"] == {"trade": ["shop"]}
        assert stats["queryCache"]["size"] == 1
        assert 0 < stats["memory"]["heapUsed"] < stats["memory"]["heapTotal"]
        assert health["status"] == "ok"
        assert health["uptime"] > 0
        assert unknown.status_code == 404
        assert (refused.status_code, foreign.status_code) == (403, 403)

        removed = await daemon.call("DELETE", "/api/project/trade/shop")
        assert removed["status"] == "success"
        assert (await daemon.status())["projects"] == []


async def test_with_a_token_programs_may_remove_a_project_over_tcp(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "shop", FILES)
    async with running_daemon() as daemon:
        await daemon.add(repo.root, name="shop", group="trade")
        await daemon.stop()
        token = "t" * 40
        path = daemon.home / "config" / "token"
        path.write_text(token)
        path.chmod(0o600)
        await daemon.start()
        async with await over_tcp(daemon) as stranger:
            assert (await stranger.get("/api/stats")).status_code == 401
        async with await over_tcp(daemon, token) as client:
            assert (await client.delete("/api/project/trade/shop")).status_code == 200
            cards = await client.post("/api/arch/reindex", json={"group": "trade"})
            assert cards.status_code == 404, "the group went with its project"
        assert (await daemon.status())["projects"] == []

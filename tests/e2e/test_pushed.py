"""Files that programs send, through the daemon: kept, indexed, changed, deleted, and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest

from paparatsd.private_file import create_token
from tests.harness.daemon import Refusal, running_daemon
from tests.harness.repos import python_module

if TYPE_CHECKING:
    from tests.harness.daemon import Daemon


def batch(*files: tuple[str, str], **more: Any) -> dict[str, Any]:
    sent = [{"path": path, "content": content} for path, content in files]
    return {"group": "web", "project": "shop", "files": sent, **more}


async def refused(daemon: Daemon, path: str, body: dict[str, Any]) -> tuple[int, str]:
    """Return status and message of a call that is refused."""
    with pytest.raises(Refusal) as found:
        await daemon.call("POST", path, body)
    return found.value.status, str(found.value)


async def test_files_that_are_pushed_are_found_changed_deleted_and_kept() -> None:
    options = {"PAPARATS_PUSH_MAX_FILES": "4", "PAPARATS_INDEX_MAX_FILE_BYTES": "20000"}
    async with running_daemon(options) as daemon:
        sent = batch(
            ("src/marmot.py", python_module("marmot")),
            ("id_rsa", "x"),
            (".gitignore", "out/\n"),
            ("out/made.py", python_module("made")),
        )
        answer = await daemon.call("POST", "/api/index", sent, within_s=30)
        assert (answer["status"], answer["group"], answer["project"]) == ("ok", "web", "shop")
        assert (answer["written"], answer["skipped"]) == (3, 1)
        assert answer["skipped_files"] == [{"path": "id_rsa", "reason": "secret"}]
        assert answer["chunks"] == 2
        assert await daemon.paths("marmot_function_1") == ["src/marmot.py"]
        again = await daemon.call("POST", "/api/index", sent, within_s=30)
        assert (again["written"], again["unchanged"]) == (0, 3)

        at = {"group": "web", "project": "shop", "path": "src/marmot.py"}
        changed = await daemon.call(
            "POST", "/api/file-changed", {**at, "content": python_module("beaver")}, within_s=30
        )
        assert changed["message"] == "src/marmot.py was changed"
        assert await daemon.paths("beaver_function_1") == ["src/marmot.py"]

        status, said = await refused(daemon, "/api/file-changed", {**at, "content": "x" * 20_001})
        assert (status, "index.max_file_bytes" in said) == (413, True)
        status, said = await refused(
            daemon, "/api/index", batch(*((f"{number}.py", "x") for number in range(4)))
        )
        assert (status, "push.max_files" in said) == (413, True)
        assert (await refused(daemon, "/api/index", batch(("../up.py", "x"))))[0] == 400
        elsewhere = {**batch(("a.py", "x")), "group": "other"}
        assert (await refused(daemon, "/api/index", elsewhere))[0] == 409
        unknown = {**at, "project": "nobody", "content": ""}
        assert (await refused(daemon, "/api/file-changed", unknown))[0] == 404

        # The index may go; what was sent is not sent again.
        await daemon.stop()
        for path in daemon.state.glob("catalog*"):
            path.unlink()
        await daemon.start()
        await daemon.wait_ready("shop")
        assert await daemon.paths("beaver_function_1") == ["src/marmot.py"]

        gone = await daemon.call("POST", "/api/file-deleted", at, within_s=30)
        assert gone["message"] == "src/marmot.py was deleted"
        assert await daemon.paths("beaver_function_1") == []
        await daemon.remove("shop")
        pushed = daemon.home / "data" / "pushed"
        await daemon.wait_until(lambda _: not list(pushed.iterdir()))
        assert "Traceback" not in daemon.log_text()


async def test_over_tcp_files_are_taken_with_the_token_alone() -> None:
    options = {"PAPARATS_SEARCH_ALLOWED_PROJECTS": "shop"}
    async with running_daemon(options, start=False) as daemon:
        (daemon.home / "config").mkdir()
        create_token(daemon.home / "config" / "token")
        token = (daemon.home / "config" / "token").read_text().strip()
        await daemon.start()
        url = f"{await daemon.http_url()}/api/index"
        bearer = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(timeout=30) as client:
            assert (await client.post(url, json=batch())).status_code == 401
            other = {**batch(("a.py", "a = 1")), "project": "den"}
            assert (await client.post(url, json=other, headers=bearer)).status_code == 404
            done = await client.post(url, json=batch(("a.py", "a = 1\n")), headers=bearer)
            assert (done.status_code, done.json()["written"]) == (200, 1)

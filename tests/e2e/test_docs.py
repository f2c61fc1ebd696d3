"""Documents of a running daemon: they follow the disk, and show themselves to those who may see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.harness.daemon import Refusal, running_daemon
from tests.harness.indexed import index
from tests.harness.repos import Repo

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness.daemon import Daemon

REFUNDS = "# Refunds\n\nRefunds of more than fifty euros are approved by the shift lead.\n"
PARCELS = "# Parcels\n\nParcels leave the warehouse at noon.\n"
QUESTION = "who approves refunds"


async def ask(daemon: Daemon, query: str = QUESTION, **more: object) -> dict[str, Any]:
    """Search documents, compared with the disk first."""
    found: dict[str, Any] = await daemon.call(
        "POST", "/v1/docs", {"query": query, "fresh": True, **more}
    )
    return found


def paths(answer: dict[str, Any]) -> list[str]:
    return [hit["path"] for hit in answer["results"]]


async def refusal(daemon: Daemon, project: str, path: str) -> str:
    with pytest.raises(Refusal) as caught:
        await daemon.call("POST", "/v1/document", {"project": project, "path": path})
    return f"{caught.value.status} {caught.value.code} {caught.value.message}"


async def test_edits_branches_and_deletes_are_followed(daemon: Daemon, repo: Repo) -> None:
    files = {"refunds.md": REFUNDS, "parcels.md": PARCELS, "a.py": "x = 1"}
    name = await index(daemon, repo, files)
    assert paths(await ask(daemon))[0] == "refunds.md"

    repo.write("refunds.md", REFUNDS.replace("the shift lead", "an accountant"))
    hit = (await ask(daemon))["results"][0]
    assert "accountant" in hit["content"]

    repo.commit("An accountant approves")
    repo.git("checkout", "-q", "-b", "without")
    repo.git("rm", "-q", "refunds.md")
    repo.commit("No refunds")
    assert "refunds.md" not in paths(await ask(daemon, min_score=0, min_score_code=0))
    gone = await refusal(daemon, name, "refunds.md")

    repo.git("checkout", "-q", "main")
    assert paths(await ask(daemon))[0] == "refunds.md"
    text = await daemon.call("POST", "/v1/document", {"project": name, "path": "refunds.md"})
    assert "accountant" in text["content"]
    assert gone == (await refusal(daemon, name, "none.md")).replace("none.md", "refunds.md")


async def test_a_document_is_as_old_as_its_last_commit_says_unless_it_says_so_itself(
    daemon: Daemon, repo: Repo
) -> None:
    dated = f"---\nlast_modified: 2020-05-17\n---\n\n{PARCELS}"
    name = await index(daemon, repo, {"refunds.md": REFUNDS, "parcels.md": dated})
    await daemon.call("POST", "/v1/flush", {"history": True})
    answer = await ask(daemon, "refunds parcels", history=True, min_score=0, min_score_code=0)
    told = {hit["path"]: hit for hit in answer["results"]}
    committed = int(repo.git("log", "-1", "--format=%ct", "--", "refunds.md"))
    assert (told["refunds.md"]["modified"], told["refunds.md"]["dated_by"]) == (committed, "commit")
    assert told["parcels.md"]["dated_by"] == "document"
    assert told["refunds.md"]["last_change"]["commit"]["subject"] == "some"
    text = await daemon.call("POST", "/v1/document", {"project": name, "path": "refunds.md"})
    assert text["document"]["modified"] == committed


@pytest.fixture
def others(tmp_path: Path) -> tuple[Repo, Repo]:
    audience = "docs:\n  audience: {}\n"
    public = {"refunds.md": REFUNDS, ".paparats.yml": audience.format("public")}
    staff = {"refunds.md": f"{REFUNDS}\nTheir number is 4711.\n"}
    return (
        Repo.create(tmp_path / "open", public),
        Repo.create(tmp_path / "closed", {**staff, ".paparats.yml": audience.format("staff")}),
    )


async def test_what_may_not_be_seen_is_like_what_is_not_there(others: tuple[Repo, Repo]) -> None:
    opened, closed = others
    async with running_daemon({"PAPARATS_DOCS_AUDIENCE": "public"}) as daemon:
        first = await index(daemon, opened, {})
        second = await index(daemon, closed, {"notes.txt": "x"})

        answer = await ask(daemon, min_score=0, min_score_code=0)
        assert {(hit["project"], hit["path"]) for hit in answer["results"]} == {
            (first, "refunds.md")
        }
        assert [one["project"] for one in answer["freshness"]] == [first]
        assert "4711" not in str(answer)
        assert second not in str(answer)

        nothing = await ask(daemon, projects=[second], min_score=0, min_score_code=0)
        never = await ask(daemon, audience=["nobody"], min_score=0, min_score_code=0)
        for one in (nothing, never):
            assert (one["results"], one["freshness"], one["notes"]) == ([], [], [])

        hidden = await refusal(daemon, second, "refunds.md")
        assert hidden == (await refusal(daemon, second, "absent.md")).replace("absent", "refunds")
        assert hidden == (await refusal(daemon, "nowhere", "refunds.md")).replace("nowhere", second)
        assert hidden == (await refusal(daemon, first, "refunds.rst")).replace(
            "refunds.rst", "refunds.md"
        ).replace(repr(first), repr(second))

"""What a project's own file says of itself beside which files count: its labels, and no history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp import Client

if TYPE_CHECKING:
    from tests.harness.daemon import Daemon
    from tests.harness.repos import Repo

LABELLED = """\
metadata:
  service: checkout
  bounded_context: sales
  tags: [core]
  directory_tags: {src/money: [ledger]}
"""
CODE = "def round_amount(cents):\n    return cents - cents % 5\n"
USER = """\
from src.money.rounding import round_amount


def charge(cents):
    return round_amount(cents)
"""
ADDRESS = "src/money/rounding.py#round_amount"


def text_of(result: Any) -> str:
    return "\n".join(block.text for block in result.content)


def state_of(status: dict[str, Any]) -> str | None:
    return (status["projects"][0]["history"] or {}).get("state")


async def hit(daemon: Daemon) -> dict[str, Any]:
    answer = await daemon.answer("round_amount")
    return next(one for one in answer["results"] if one["path"] == "src/money/rounding.py")


async def test_hits_and_places_say_what_their_project_calls_them_and_follow_the_file(
    daemon: Daemon, repo: Repo
) -> None:
    repo.write("src/money/rounding.py", CODE)
    repo.write("src/till.py", USER)
    repo.write(".paparats.yml", LABELLED)
    repo.commit("start")
    name = await daemon.add(repo.root)
    await daemon.wait_ready(name)

    found = await hit(daemon)
    told = (found["service"], found["bounded_context"], found["tags"])
    assert told == ("checkout", "sales", ["core", "ledger", "money"])
    async with Client(await daemon.http_url() + "/support/mcp") as client:
        meta = await client.call_tool("get_chunk_meta", {"address": f"{name}:{ADDRESS}"})
    async with Client(await daemon.http_url() + "/mcp") as client:
        impact = await client.call_tool("impact_analysis", {"address": f"{name}:{ADDRESS}"})
    assert meta.structured_content["tags"] == ["core", "ledger", "money"]
    assert "service checkout; context sales; tags core, ledger, money" in text_of(meta)
    assert [one["service"] for one in impact.structured_content["services"]] == ["checkout"]
    assert f"{name}:src/ of checkout" in text_of(impact)

    built = (await daemon.project(name))["generation"]
    repo.write(".paparats.yml", "metadata: {service: till}\n")
    await daemon.settle(name)
    found = await hit(daemon)
    assert (found["service"], found["tags"]) == ("till", ["money"])
    assert (await daemon.project(name))["generation"] >= built

    repo.write(".paparats.yml", "group: default\n")
    await daemon.settle(name)
    assert "service" not in await hit(daemon)


async def test_a_project_that_wants_no_history_has_none_until_it_does(
    daemon: Daemon, repo: Repo
) -> None:
    repo.write("src/money/rounding.py", CODE)
    repo.write(".paparats.yml", "metadata: {git: {enabled: false}}\n")
    repo.commit("start")
    name = await daemon.add(repo.root)
    await daemon.wait_ready(name)
    status = await daemon.wait_until(lambda now: state_of(now) == "none")
    history = status["projects"][0]["history"]
    assert history["commits"] == 0
    assert "metadata.git.enabled is false" in history["reason"]
    assert "history" not in " ".join(status["problems"])

    repo.write(".paparats.yml", "metadata: {git: {enabled: true}}\n")
    await daemon.wait_until(lambda now: state_of(now) == "ready")

    repo.write(".paparats.yml", "metadata: {git: {enabled: false}}\n")
    await daemon.wait_until(lambda now: state_of(now) == "none")
    async with Client(await daemon.http_url() + "/support/mcp") as client:
        meta = await client.call_tool("get_chunk_meta", {"address": f"{name}:{ADDRESS}"})
    assert meta.structured_content["commits"] == []

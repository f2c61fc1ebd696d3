"""What people ask of history: by id, by ticket, of one function, of one person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.test_history_moves import is_settled_at
from tests.harness.daemon import Refusal
from tests.harness.repos import Repo

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness.daemon import Daemon

TWO = (
    "def zebra(count):\n    return count\ndef giraffe(count):\n    return count + 1\n"
    "def okapi(count):\n    return count + 2\n"
)


async def subjects(daemon: Daemon, **asked: object) -> list[str]:
    """Return the subjects of the commits that a question finds, in order."""
    answer = await daemon.call("POST", "/v1/commits", asked)
    return [one["commit"]["subject"] for one in answer["commits"]]


async def test_an_id_finds_its_commit_among_several_projects_also_when_it_was_amended(
    daemon: Daemon, repo: Repo, tmp_path: Path
) -> None:
    repo.write("a.py", "def marmot(): ...\n")
    old = repo.commit("Marmots sleep")
    other = Repo.create(tmp_path / "other", {"b.py": "def lynx(): ...\n"})
    there = other.commit("A lynx, and deadbeef 1234567 words of it")
    name = await daemon.add(repo.root, hooks=True)
    second = await daemon.add(other.root)
    await daemon.wait_until(is_settled_at(name, old))
    await daemon.wait_until(is_settled_at(second, there))

    assert await subjects(daemon, query=old) == ["Marmots sleep"]
    assert await subjects(daemon, query=there[:10]) == ["A lynx, and deadbeef 1234567 words of it"]

    new = repo.commit("Marmots sleep all winter", amend=True)
    await daemon.wait_until(is_settled_at(name, new))
    answer = await daemon.call("POST", "/v1/commits", {"query": old[:9]})
    assert [one["commit"]["id"] for one in answer["commits"]] == [new]
    assert answer["notes"][0] == f"{old[:10]} was rewritten; {new[:10]} has taken its place."


async def test_a_ticket_that_only_a_merge_names_leads_to_what_it_carried(
    daemon: Daemon, repo: Repo
) -> None:
    repo.write("a.py", "def marmot():\n    return 1\n")
    repo.commit("Marmots")
    repo.branch("winter")
    repo.write("b.py", "def winter_sleep():\n    return 'long'\n")
    repo.commit("Let them sleep")
    repo.switch("main")
    repo.write("c.py", "def summer():\n    return 'short'\n")
    repo.commit("Summer")
    repo.git("merge", "--no-ff", "-m", "Merge pull request #51 from marmots/winter", "winter")
    name = await daemon.add(repo.root)
    await daemon.wait_until(is_settled_at(name, repo.head()))

    assert await subjects(daemon, ticket="#51") == ["Let them sleep"]
    assert await subjects(daemon, ticket="51") == ["Let them sleep"]
    assert await daemon.paths("sleep of marmots in summer", ticket="#51") == ["b.py"]


async def test_a_function_has_its_own_lines_also_where_a_chunk_holds_several(
    daemon: Daemon, repo: Repo
) -> None:
    repo.write("zoo.py", "def zebra(count):\n    return count\n")
    first = repo.commit("Zebras")
    repo.write("zoo.py", TWO)
    second = repo.commit("Giraffes and okapis")
    name = await daemon.add(repo.root)
    await daemon.wait_until(is_settled_at(name, second))

    zebra = await daemon.log(f"{name}:zoo.py:1")
    giraffe = await daemon.log(f"{name}:zoo.py:4")

    assert [one["commit"]["id"] for one in zebra["commits"]] == [first]
    assert (zebra["start_line"], zebra["end_line"], zebra["symbol"]) == (1, 2, "zebra")
    assert [one["commit"]["id"] for one in giraffe["commits"]] == [second]
    assert (giraffe["start_line"], giraffe["end_line"], giraffe["symbol"]) == (3, 4, "giraffe")


async def test_one_person_is_one_person_in_whatever_case_the_address_is_written(
    daemon: Daemon, repo: Repo
) -> None:
    for number, address in enumerate(("ann@marmots.org", "Ann@Marmots.org")):
        repo.write("a.py", "".join(f"burrow_{n} = {n}\n" for n in range(number + 1)))
        repo.git("add", "-A")
        repo.git("commit", "-qm", f"{number}", f"--author=Ann <{address}>")
    name = await daemon.add(repo.root)
    await daemon.wait_until(is_settled_at(name, repo.head()))

    (owner,) = (await daemon.log(f"{name}:a.py:1-2"))["owners"]

    assert (owner["person"]["name"], owner["lines"], owner["commits"]) == ("Ann", 2, 2)


async def test_a_question_finds_the_short_form_of_a_word_and_times_must_be_in_order(
    daemon: Daemon, repo: Repo
) -> None:
    repo.write("a.py", "def marmot(): ...\n")
    repo.commit("Digest auth for burrows")
    name = await daemon.add(repo.root)
    await daemon.wait_until(is_settled_at(name, repo.head()))

    assert await subjects(daemon, query="authentication") == ["Digest auth for burrows"]
    with pytest.raises(Refusal, match="is before since"):
        await subjects(daemon, since="2026-03-01", until="2026-02-01")


async def test_hooks_tell_when_they_fired_last_also_in_the_main_work_tree(
    daemon: Daemon, repo: Repo
) -> None:
    repo.write("a.py", "def marmot(): ...\n")
    repo.commit("Marmots")
    name = await daemon.add(repo.root, hooks=True)
    await daemon.wait_ready(name)
    before = await daemon.call("POST", "/v1/hooks/status", {"path": name})
    head = repo.commit("Again", amend=True)
    await daemon.wait_until(is_settled_at(name, head))

    after = await daemon.call("POST", "/v1/hooks/status", {"path": name})

    assert before["fired"] == {}
    assert {"post-commit", "post-rewrite"} <= set(after["fired"])

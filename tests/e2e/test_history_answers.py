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

    repo.git("reset", "-q", "--hard", old)
    await daemon.wait_until(is_settled_at(name, old))
    answer = await daemon.call("POST", "/v1/commits", {"query": old[:9]})
    assert [one["commit"]["id"] for one in answer["commits"]] == [old]
    assert not any("was rewritten" in note for note in answer["notes"])


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


async def test_a_hit_that_is_part_of_a_chunk_has_its_own_last_change_unless_chunks_are_filtered(
    daemon: Daemon, repo: Repo
) -> None:
    zebra, okapi = (f"def {name}(n):\n" + "    n += 1\n" * 7 + "    return n\n\n\n"
                    for name in ("zebra", "okapi"))  # fmt: skip
    repo.write("zoo.py", zebra)
    first = repo.commit("Zebras")
    repo.write("zoo.py", zebra + okapi)
    second = repo.commit("Okapis\n   and\ttheir   stripes")
    name = await daemon.add(repo.root)
    await daemon.wait_until(is_settled_at(name, second))

    async def changed_last(query: str, **changed: str) -> tuple[str, str, int]:
        hit = (await daemon.search(query, history=True, **changed))[0]
        change = hit["last_change"]
        return hit["symbol"], change["commit"]["id"], change["commits"]

    assert await changed_last("zebra") == ("zebra", first, 1)
    assert await changed_last("okapi") == ("okapi", second, 1)
    hit = (await daemon.search("okapi", history=True))[0]
    assert hit["last_change"]["commit"]["subject"] == "Okapis and their stripes"
    # The chunk was changed, though not in the line that is asked for: it is shown as it passes.
    hit = (await daemon.search("zebra", history=True, since="2000-01-01"))[0]
    assert (hit["start_line"], hit["end_line"]) == (1, 20)
    assert hit["last_change"]["commit"]["id"] == second


async def test_a_time_in_a_question_about_changes_is_a_filter_and_its_frame_no_subject(
    daemon: Daemon, repo: Repo
) -> None:
    repo.write("a.py", "def burrow():\n    return 1\n")
    repo.commit("Introduce burrows for ticket MAR-1")
    repo.write("b.py", "def ticket():\n    return 1\n")
    repo.commit("Introduced in which ticket")
    name = await daemon.add(repo.root)
    await daemon.wait_until(is_settled_at(name, repo.head()))

    asked = {"query": "what changed around burrows in the last 90 days"}
    answer = await daemon.call("POST", "/v1/commits", asked)
    assert answer["commits"] == []
    assert answer["notes"] == ["Only what was changed since 90 days ago, as the question says."]
    asked["query"] = "what changed in the last 90 years?"
    answer = await daemon.call("POST", "/v1/commits", asked)
    assert [one["commit"]["subject"] for one in answer["commits"]] == [
        "Introduced in which ticket",
        "Introduce burrows for ticket MAR-1",
    ]
    assert await subjects(daemon, query="which ticket introduced burrows") == [
        "Introduce burrows for ticket MAR-1"
    ]
    explained = await daemon.call("POST", "/v1/explain", asked)
    assert any("names no subject" in note for note in explained["notes"])
    asked["query"] = "what changed in burrows in the last 90 years?"
    explained = await daemon.call("POST", "/v1/explain", asked)
    assert [one["commit"]["subject"] for one in explained["timeline"]] == [
        "Introduce burrows for ticket MAR-1"
    ]
    asked["query"] = "who should I ask about burrows"
    explained = await daemon.call("POST", "/v1/explain", asked)
    assert explained["question"] == asked["query"]
    assert explained["owners"][0]["person"]["name"] == "Ada Author"


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


async def test_clones_of_one_repository_each_have_their_own_commits_and_survive_each_other(
    daemon: Daemon, repo: Repo, tmp_path: Path
) -> None:
    repo.write("a.py", "def marmot():\n    return 1\n")
    repo.commit("Marmots")
    clone = repo.clone(tmp_path / "clone")
    repo.write("only_here.py", "def here():\n    return 1\n")
    here = repo.commit("Only here")
    clone.write("only_there.py", "def there():\n    return 1\n")
    there = clone.commit("Only there")
    one = await daemon.add(repo.root, name="one")
    two = await daemon.add(clone.root, name="two")
    await daemon.wait_until(is_settled_at(one, here))
    await daemon.wait_until(is_settled_at(two, there))

    for name in (one, two):
        assert (await daemon.project(name))["history"]["state"] == "ready"
    log = await daemon.log(f"{two}:only_there.py:1")
    assert [commit["commit"]["id"] for commit in log["commits"]] == [there]

    # The first one goes away without a word; the other goes on.
    repo.root.rename(tmp_path / "elsewhere")
    clone.write("later.py", "def later():\n    return 1\n")
    later = clone.commit("Later")
    await daemon.wait_until(is_settled_at(two, later))
    log = await daemon.log(f"{two}:later.py:1")
    assert [commit["commit"]["id"] for commit in log["commits"]] == [later]
    assert log["complete"]


async def test_filters_choose_commits_before_the_best_are_taken(daemon: Daemon, repo: Repo) -> None:
    repo.write("a.py", "x = 1\n")
    repo.commit("Fix the burrow of the marmot")
    for number in range(30):
        repo.write("b.py", f"x = {number}\n")
        repo.commit(f"Fix fix fix {number}")
    name = await daemon.add(repo.root)
    await daemon.wait_until(is_settled_at(name, repo.head()))

    assert await subjects(daemon, query="fix", paths=["a.py"]) == ["Fix the burrow of the marmot"]
    assert await subjects(daemon, query="1234abcd") == []
